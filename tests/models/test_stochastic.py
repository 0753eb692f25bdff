"""Stochastic games written out: JSON and back, exact checks, errors that name the state."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from equiform.formulations.stochastic.stage_lp import solve_stage
from equiform.models.common.errors import CertificateError, ChanceError, FormatError, GameError, StrategyError
from equiform.models.stochastic.explicit import ExplicitStochasticGame, read_stochastic
from equiform.solvers_iterative.stochastic import shapley
from equiform.validation.certificates.stochastic import certify_stochastic
from tests.helpers.refusals import refusal


def big_match() -> dict[str, Any]:
    return {
        "format": "equiform-stochastic",
        "version": 1,
        "name": "big match",
        "players": ["one", "two"],
        "discount": "4/5",
        "states": {
            "playing": {
                "actions": [["stay", "leave"], ["left", "right"]],
                "outcomes": [
                    {"actions": ["stay", "left"], "payoffs": [0, 0], "next": {"playing": 1}},
                    {"actions": ["stay", "right"], "payoffs": ["1/5", "-1/5"], "next": {"playing": 1}},
                    {"actions": ["leave", "left"], "payoffs": [1, -1]},
                    {"actions": ["leave", "right"], "payoffs": [0, 0]},
                ],
            }
        },
    }


def test_a_file_and_back(tmp_path: Path) -> None:
    game = ExplicitStochasticGame.from_dict(big_match())
    game.write(tmp_path / "game.json")
    assert read_stochastic(tmp_path / "game.json") == game
    assert shapley(game.compile(), solve_stage).values[0] == pytest.approx(0.5, abs=1e-8)


def test_the_big_match_exactly() -> None:
    """λ = 1/5: leave with probability λ/(1+λ) = 1/6, guess evenly; nobody gains anything at all."""
    game = ExplicitStochasticGame.from_dict(big_match())
    half = Fraction(1, 2)
    stay = {"playing": {"stay": Fraction(5, 6), "leave": Fraction(1, 6)}}
    guess = {"playing": {"left": half, "right": half}}
    found = certify_stochastic(game, [stay, guess]).require()
    assert found.epsilon == 0 and found.values[0]["playing"] == half
    lazy = {"playing": {"stay": Fraction(1)}}
    refusal(CertificateError, lambda: certify_stochastic(game, [lazy, guess]).require(), "not an equilibrium")
    assert certify_stochastic(game, [lazy, guess]).best_values[1]["playing"] == 0  # always say left
    refusal(StrategyError, lambda: certify_stochastic(game, [{}, guess]), "not a distribution", "'playing'")


def test_games_without_end() -> None:
    content = big_match() | {"discount": 1}
    game = ExplicitStochasticGame.from_dict(content)
    stay, left = {"playing": {"stay": Fraction(1)}}, {"playing": {"left": Fraction(1)}}
    found = certify_stochastic(game, [stay, left])  # nothing for ever is worth nothing
    assert found.values[0]["playing"] == 0 and found.best_values[0]["playing"] == 1
    right = {"playing": {"right": Fraction(1)}}
    refusal(GameError, lambda: certify_stochastic(game, [stay, right]), "total reward", "'playing'")


def change(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    content: Any = big_match()
    at = content
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "error", "words"),
    [
        (("discount",), "6/5", GameError, "the discount is 6/5"),
        (("states", "playing", "outcomes", 0, "next"), {"playing": "1/2"}, ChanceError, "sum to 1/2"),
        (("states", "playing", "outcomes", 0, "next"), {"away": 1}, GameError, "no state 'away'"),
        (("states", "playing", "outcomes", 0, "payoffs"), [1], GameError, "1 payoffs"),
        (("states", "playing", "outcomes", 0), None, GameError, "nothing follows stay, left"),
        (("states", "playing", "actions"), None, FormatError, "state 'playing'"),
        (("states", "playing", "outcomes", 0, "payoffs"), ["a", 1], FormatError, "state 'playing'"),
        (("states",), {}, GameError, "without states"),
        (("format",), "else", FormatError, "not a stochastic game"),
    ],
)
def test_bad_files(path: tuple[Any, ...], value: Any, error: type[GameError], words: str) -> None:
    refusal(error, lambda: ExplicitStochasticGame.from_dict(change(path, value)), words)
