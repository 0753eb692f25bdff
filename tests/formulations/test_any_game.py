"""Every program takes any game it can solve, and says of the others which program does; names open every door."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.formulations.abstraction import purified_selection
from equiform.formulations.general_sum import mip_nash, mip_nash_extensive
from equiform.formulations.opponents import gifts, safe_response, tradeoff
from equiform.formulations.zero_sum import (
    best_response_lp,
    dominance,
    matrix_game_lp,
    quasi_perfect,
    selection,
    sequence_form_lp,
    undominated,
)
from equiform.games import Kuhn, write_efg
from equiform.models import NormalForm, compile_rules
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import GameError, ParameterError, StrategyError, UnsupportedGameError

KUHN = equiform.load_game("kuhn")
OWN, OTHER = (t.realization(t.uniform()) for t in KUHN.treeplexes)
BET_A_KING = np.eye(13)[KUHN.treeplexes[0].sequence("holding K, to open", "bet")]
DILEMMA = NormalForm.from_matrix("dilemma", "CD", "CD", [[3, 0], [5, 1]], [[3, 5], [0, 1]])

#: A number that each program's answer is known by.
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "nash": lambda game: sequence_form_lp.solve(game).value,
    "best response": lambda game: best_response_lp.solve(game, OTHER).value,
    "dominance": lambda game: dominance.solve(game, OWN).gain,
    "gifts": lambda game: [g.most for g in gifts.solve(game).gifts],
    "gifts exist": lambda game: gifts.exist(game).exist,
    "qpe": lambda game: quasi_perfect.solve(game, 0.1).value,
    "safe": lambda game: safe_response.solve(game, OTHER, epsilon=0.1).value,
    "selection": lambda game: selection.solve(game, OTHER).interval,
    "functional": lambda game: selection.solve_functional(game, BET_A_KING).interval,
    "purified": lambda game: purified_selection.solve(game, BET_A_KING, value=-1 / 18).value,
    "trade-off": lambda game: tradeoff.solve(game, OTHER).payoffs,
    "une": lambda game: undominated.solve(game).strategies[0].floats,  # type: ignore[union-attr]
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_tree_will_do_for_its_sequence_form(name: str) -> None:
    run = PROGRAMS[name]
    assert run(KUHN) == pytest.approx(run(equiform.as_sequence_form(KUHN)), abs=1e-9)
    with pytest.raises(UnsupportedGameError, match=r"not zero-sum.*mip_nash"):
        run(DILEMMA)


@pytest.mark.parametrize(
    ("build", "game", "instead"),
    [
        (matrix_game_lp.build, KUHN, "sequence_form_lp"),
        (mip_nash.build, KUHN, "mip_nash_extensive"),
        (mip_nash_extensive.build, DILEMMA, "mip_nash for"),
    ],
)
def test_the_other_kind_of_game_has_another_program(build: Callable[[Any], Any], game: Any, instead: str) -> None:
    with pytest.raises(UnsupportedGameError) as refused:
        build(game)
    assert instead in refused.value.fix and refused.value.where == type(game).__name__


def test_a_path_is_as_good_as_its_name(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.efg"
    write_efg(compile_rules(Kuhn()), file)
    assert equiform.solve(file, exact=True).value == equiform.solve(str(file), exact=True).value
    with pytest.raises(ParameterError, match=r"pass an \.efg, \.nfg or \.json file"):
        equiform.load_game(tmp_path / "kuhn.txt")


def test_a_strategy_is_asked_by_name() -> None:
    exact = equiform.solve("kuhn", exact=True).strategies[1]
    assert exact["holding Q, after bet"] == {"fold": Fraction(2, 3), "call": Fraction(1, 3)}
    assert dict(exact.rows()) == {infoset: exact[infoset] for infoset in exact.table()}
    with pytest.raises(StrategyError, match="did you mean 'holding Q, after bet'"):
        exact["holding Q, after a bet"]


def test_a_strategy_is_not_a_plan() -> None:
    form = equiform.as_sequence_form(KUHN)
    opponent: Any = equiform.solve(KUHN).strategies[1]
    with pytest.raises(StrategyError, match="for a Strategy, pass its plan"):
        form.best_response(0, opponent)
    plan: FloatArray = opponent.plan
    assert form.best_response(0, plan).value == pytest.approx(-1 / 18)


class Half:
    """Rules of which half is missing."""

    name = "half"
    players = ("one", "two")

    def initial(self) -> tuple[()]:
        return ()


class Numbers(Kuhn):
    def actions(self, state: Any) -> Any:
        return range(2)


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        (Half(), "the rules have no turn, actions, next, payoffs, infoset, describe"),
        (Kuhn, "Kuhn is a class of rules"),
        (Numbers(), r"the moves \(0, 1\) are not strings"),
    ],
)
def test_rules_that_are_none_are_refused_before_the_walk(rules: Any, what: str) -> None:
    with pytest.raises(GameError, match=what) as refused:
        compile_rules(rules)
    assert refused.value.fix
