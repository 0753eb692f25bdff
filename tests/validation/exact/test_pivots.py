"""The simplex method in exact arithmetic: programs and games whose numbers floats cannot hold side by side."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction

import numpy as np
import pytest

import equiform
from equiform.formulations.optimization.solution import Basis, BasisStatus
from equiform.games.registry import load_game
from equiform.models import NormalForm
from equiform.models.common.errors import ExactError, InfeasibleError, LimitError, UnboundedError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational_vector import RationalVector
from equiform.models.game import as_sequence_form
from equiform.validation.certificates.exact_evaluation import exact_gradient, exact_nash_conv
from equiform.validation.exact.equilibrium import equilibrium_program, exact_equilibrium
from equiform.validation.exact.linear.basic_point import basic_point
from equiform.validation.exact.linear.lp import exact_lp
from equiform.validation.exact.linear.pivots import independent, pivot_to_optimum, slack_basis
from equiform.validation.exact.linear.program import ExactProgram, check_optimal
from equiform.validation.exact.quasi_perfect import exact_quasi_perfect
from equiform.validation.exact.refinements import exact_plan_dominance, exact_safe_response, exact_undominated
from equiform.validation.exact.strategies import uniform_plan
from tests.validation.exact.test_programs import random_basis, random_case, tight_corner

# -- programs --------------------------------------------------------------------------------------------------------


def optimum(program: ExactProgram, basis: Basis) -> tuple[Fraction, int]:
    found, pivots = pivot_to_optimum(program, basis, max_pivots=1000)
    point = basic_point(program, found)
    return check_optimal(program, point.x, point.duals), pivots


def test_pivots_from_any_basis_agree_with_vertex_enumeration() -> None:
    """Random bases: singular ones, and ones that are neither feasible nor priced right."""
    rng = random.Random(30)
    total = 0
    for _ in range(150):
        case = random_case(rng)
        program = case.program()
        value, pivots = optimum(program, random_basis(rng, program))
        assert value == case.optimum()
        total += pivots
    assert total > 150  # they do the work: no float solver has been asked


@pytest.mark.parametrize("spec", ["kuhn", "one-card:cards=5", "rpst"])
def test_pivots_alone_solve_a_game(spec: str) -> None:
    form = as_sequence_form(load_game(spec))
    program = equilibrium_program(form)
    assert optimum(program, slack_basis(program))[0] == exact_lp(program).objective


def test_an_optimal_basis_needs_no_pivots() -> None:
    program = tight_corner()
    assert optimum(program, exact_lp(program).basis)[1] == 0


def test_of_a_singular_basis_the_independent_part_is_kept() -> None:
    """Columns (1, 2) and (2, 4) are parallel: one stays, and a row takes the place of the other."""
    program = dataclasses.replace(tight_corner(), A=IntegerMatrix.from_dense([[1, 2], [2, 4]]))
    basis = Basis(*(np.full(2, status, dtype=np.int8) for status in (BasisStatus.BASIC, BasisStatus.LOWER)))
    kept = independent(program, basis)
    assert (kept.columns == BasisStatus.BASIC).sum() == (kept.rows == BasisStatus.BASIC).sum() == 1
    sound = slack_basis(program)
    assert independent(program, sound) is sound


def test_programs_without_optimum_are_found_out() -> None:
    free, zero = RationalVector.full(1, None), RationalVector.full(1, 0)
    row = IntegerMatrix.from_dense([[1]])
    unbounded = ExactProgram(RationalVector.of([-1]), row, zero, free, zero, free)
    infeasible = ExactProgram(RationalVector.of([1]), row, free, RationalVector.of([-1]), zero, free)
    with pytest.raises(UnboundedError, match="without limit"):
        optimum(unbounded, slack_basis(unbounded))
    with pytest.raises(InfeasibleError, match="no feasible point"):
        optimum(infeasible, slack_basis(infeasible))


def test_a_floor_just_above_the_value_is_infeasible() -> None:
    """No float sees the difference: the program looks solved, and is not."""
    form = as_sequence_form(load_game("kuhn"))
    gradient = exact_gradient(form, 0, uniform_plan(form.treeplexes[1]))
    value = Fraction(-1, 18)  # Kuhn 1950
    assert exact_safe_response(form, gradient, floor=value).guarantee == value
    with pytest.raises(InfeasibleError, match="floor above the value"):
        exact_safe_response(form, gradient, floor=value + Fraction(1, 10**60))


def test_limits() -> None:
    program = equilibrium_program(as_sequence_form(load_game("kuhn")))
    with pytest.raises(ExactError, match="in 3 exact pivots"):
        pivot_to_optimum(program, slack_basis(program), max_pivots=3)
    with pytest.raises(LimitError, match="time limit after 0 pivots"):
        pivot_to_optimum(program, slack_basis(program), max_pivots=1000, time_limit=-1.0)


# -- games -----------------------------------------------------------------------------------------------------------


def spread_game(rng: random.Random, rows: int, columns: int) -> NormalForm:
    """Payoffs that are up to 800 digits apart."""
    powers = [-400, 0, 0, 200, 400]

    def payoff() -> Fraction:
        return rng.choice([-1, 1]) * rng.randint(1, 9) * Fraction(10) ** rng.choice(powers)

    cells = [[payoff() for _ in range(columns)] for _ in range(rows)]
    names = [[f"{k}" for k in range(n)] for n in (rows, columns)]
    return NormalForm.from_matrix("spread", names[0], names[1], cells)


def test_equilibria_of_games_with_payoffs_hundreds_of_digits_apart() -> None:
    rng = random.Random(7)
    pivots = 0
    for size in (2, 3, 3, 4, 4, 5, 6):
        game = spread_game(rng, size, size)
        nash = exact_equilibrium(game)
        assert exact_nash_conv(game, nash.strategies) == 0
        une = exact_undominated(game.sequence_form())
        assert une.value == nash.value
        assert exact_nash_conv(game, une.strategies) == 0
        for player in (0, 1):
            plan = une.responses[player].plan
            assert exact_plan_dominance(game.sequence_form(), plan, player=player).gain == 0
        epsilon = Fraction(1, 10**500)  # the least weight of an action: smaller than any ratio of payoffs
        qpe = exact_quasi_perfect(game.sequence_form(), epsilon)
        assert all(p >= epsilon for s in qpe.strategies for p in s.probabilities)
        pivots += sum(s.pivots for s in (*nash.solutions, *une.solutions, *qpe.solutions))
    assert pivots > 0


def test_a_mixed_equilibrium_four_hundred_digits_from_pure() -> None:
    """[[a, 0], [0, 1]] is worth a / (a + 1), and the first row is played 1 / (a + 1) of the time (von Neumann)."""
    a = Fraction(10) ** 400
    game = NormalForm.from_matrix("far", "ab", "cd", [[a, 0], [0, 1]])
    for concept in ("nash", "une"):
        solved = equiform.solve(game, concept=concept, exact=True).exact
        assert solved is not None
        assert solved.value == a / (a + 1)
        assert [s.probabilities.tolist() for s in solved.strategies] == [[1, 1 / (a + 1), a / (a + 1)]] * 2
