"""Properties over random games: three roads to the value agree, labels do not matter, files round-trip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import equiform
from equiform.formulations.zero_sum import matrix_game_lp, sequence_form_lp
from equiform.games.formats.efg import read_efg, write_efg
from equiform.games.random_game import random_game
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models import ExtensiveGame, compile_rules, reduced_normal_form, sequence_form
from equiform.models.common.errors import ParameterError
from equiform.models.rules import CHANCE, TERMINAL
from equiform.validation.exact.equilibrium import exact_equilibrium

CASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32 - 1),
        "depth": st.integers(1, 5),
        "branching": st.integers(1, 3),
        "merge": st.sampled_from([0.0, 0.5, 0.9]),
        "chance": st.sampled_from([0.0, 0.2, 0.5]),
        "payoff": st.sampled_from([1, 10, 1000]),
    }
)


def relabelled(game: ExtensiveGame, seed: int) -> ExtensiveGame:
    """Exchange the players' seats, shuffle every move list and rename every move: the same game in disguise."""
    rng = np.random.default_rng(seed)
    order = [rng.permutation(len(moves)) for moves in game.move_sets]

    def copy(node: int) -> TreeNode:
        twin = TreeNode()
        if game.turn[node] == TERMINAL:
            twin.payoffs = tuple(reversed(game.payoff_table[game.outcome[node]]))
            return twin
        moves = order[game.move_set[node]]
        first = int(game.first_child[node])
        twin.children = {f"x{k}": copy(first + int(m)) for k, m in enumerate(moves)}
        if game.turn[node] == CHANCE:
            twin.turn = CHANCE
            twin.probabilities = tuple(game.chance_values[game.edge[first + int(m)]] for m in moves)
        else:
            twin.turn = 1 - int(game.turn[node])
            twin.key = int(game.infoset[node])
        return twin

    return compile_rules(ExplicitTree("disguised", ("b", "a"), copy(0)))


def check_game(case: dict[str, object], folder: Path) -> None:
    game = random_game(**case)  # type: ignore[arg-type]
    form = sequence_form(game)
    solved = equiform.solve(game)
    scale = float(case["payoff"])  # type: ignore[arg-type]
    # the profile's expected value and the program's objective
    assert solved.result.value == pytest.approx(solved.certificate.payoffs[0], abs=1e-9 * scale)
    assert solved.certificate.nash_conv < 1e-8 * scale
    # the reduced normal form, where it can be written out
    try:
        normal = reduced_normal_form(form, limit=300)
    except ParameterError:
        normal = None
    if normal is not None:
        assert matrix_game_lp.solve(normal).value == pytest.approx(solved.value, abs=1e-8 * scale)
    # exchanging seats and renaming moves changes the sign of the value and nothing else
    twin = relabelled(game, 7)
    assert sequence_form_lp.solve(sequence_form(twin)).value == pytest.approx(-solved.value, abs=1e-8 * scale)
    # .efg and back: the same arrays
    file = folder / "game.efg"
    write_efg(game, file)
    again = read_efg(file)
    for array in ("turn", "parent", "branch", "infoset", "num_children"):
        np.testing.assert_array_equal(getattr(again, array), getattr(game, array))
    payoffs = [[g.payoff_table[o] for o in g.outcome[g.terminals]] for g in (game, again)]
    assert payoffs[0] == payoffs[1]
    odds = [[g.chance_values[e] for e in g.edge[g.edge >= 0]] for g in (game, again)]
    assert odds[0] == odds[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("efg")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
def test_random_games(case: dict[str, object], folder: Path) -> None:
    check_game(case, folder)


@pytest.mark.fuzz
@pytest.mark.timeout(0)
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
def test_ten_thousand_random_games(case: dict[str, object], folder: Path) -> None:
    check_game(case, folder)


@settings(max_examples=60, deadline=None)
@given(case=CASES)
def test_exact_equilibria_of_random_games(case: dict[str, object]) -> None:
    game = random_game(**case)  # type: ignore[arg-type]
    form = sequence_form(game)
    exact = exact_equilibrium(form)
    assert exact.exploitability == 0
    assert float(exact.value) == pytest.approx(sequence_form_lp.solve(form).value, abs=1e-8 * float(case["payoff"]))  # type: ignore[arg-type]
