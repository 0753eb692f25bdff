"""Games whose payoffs have a constant sum are solved as the zero-sum games that they are in disguise."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import equiform
from equiform.formulations.zero_sum import matrix_game_lp
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.play.seat import take_seat
from equiform.solvers_iterative import Until, create
from equiform.validation.exact.equilibrium import exact_equilibrium
from tests.helpers.games import tree


def shifted_kuhn(first: int = 3, second: int = 4) -> ExtensiveGame:
    """Kuhn poker in which the players are paid a wage for taking part."""
    kuhn = tree("kuhn")
    return dataclasses.replace(kuhn, payoff_table=tuple((a + first, b + second) for a, b in kuhn.payoff_table))


#: Tennis serve: the chances of winning the point, which sum to one.
TENNIS = NormalForm(
    "tennis",
    ("server", "receiver"),
    (("left", "right"), ("left", "right")),
    np.array([[[58, 79], [73, 49]], [[42, 21], [27, 51]]], dtype=object) * Fraction(1, 100),
)


@pytest.mark.parametrize("concept", ["nash", "une"])
@pytest.mark.parametrize("exact", [False, True])
def test_a_wage_shifts_the_value_and_nothing_else(concept: str, exact: bool) -> None:
    solved = equiform.solve(shifted_kuhn(), concept=concept, exact=exact)
    assert solved.value == pytest.approx(3 - 1 / 18, abs=1e-12)
    assert solved.certificate.nash_conv < 1e-9
    if solved.exact is not None:
        assert solved.exact.value == 3 - Fraction(1, 18) and solved.exact.exploitability == 0
    assert solved.certificate.bracket == pytest.approx((3 - 1 / 18, 3 - 1 / 18))
    profile = [s for s in solved.strategies]
    assert equiform.certify(shifted_kuhn(), profile).payoffs == pytest.approx((3 - 1 / 18, 4 + 1 / 18))


def test_chances_of_winning() -> None:
    # the 2 × 2 formula (ad − bc) / (a + d − b − c) for the server's chances
    value = Fraction(58 * 49 - 79 * 73, 58 + 49 - 79 - 73) / 100
    assert exact_equilibrium(TENNIS).value == value
    assert matrix_game_lp.solve(TENNIS).value == pytest.approx(float(value))


def test_iterations_take_them_too() -> None:
    last = create("cfr+", shifted_kuhn()).run(Until(gap=1e-4, iterations=20_000)).history[-1]
    assert last.lower <= 3 - 1 / 18 + 1e-9 and last.upper >= 3 - 1 / 18 - 1e-9
    assert last.upper - last.lower < 3e-4


@pytest.mark.parametrize("player", [0, 1])
def test_a_seat_is_worth_the_value_without_the_wage_of_player_2(player: int) -> None:
    seat = take_seat(shifted_kuhn(), player)
    sign = 1 if player == 0 else -1
    assert seat.value == pytest.approx(sign * (3 - 1 / 18))
    leaves = seat.game.terminals
    assert set((sign * seat.tree.payoff[leaves]).tolist()) == {1.0, 2.0, 4.0, 5.0}


def test_payoffs_without_a_constant_sum_are_refused() -> None:
    game = shifted_kuhn()
    table = ((game.payoff_table[0][0] + 1, game.payoff_table[0][1]), *game.payoff_table[1:])
    dilemma = np.array([[[3, 0], [5, 1]], [[3, 5], [0, 1]]], dtype=object)
    moves = ("cooperate", "defect")
    for broken in (
        dataclasses.replace(game, payoff_table=table),
        NormalForm("prisoners' dilemma", ("a", "b"), (moves, moves), dilemma),
    ):
        assert not broken.is_constant_sum
        with pytest.raises(UnsupportedGameError, match="constant sum"):
            equiform.solve(broken)


def test_a_zero_sum_game_is_itself() -> None:
    kuhn = tree("kuhn")
    assert kuhn.zero_sum() is kuhn
