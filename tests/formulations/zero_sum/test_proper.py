"""Proper equilibria: 5/9, Dresher's order of mistakes, and random games judged by other code."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import equiform
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.zero_sum import minimal_support, proper
from equiform.games import Kuhn
from equiform.models.common.errors import ParameterError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational_vector import RationalVector
from equiform.models.compile import compile_rules
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import sequence_form
from equiform.validation.certificates.exact_evaluation import exact_nash_conv
from equiform.validation.exact.linear.lp import exact_lp
from equiform.validation.exact.linear.program import ExactProgram
from equiform.validation.exact.proper import exact_proper, proper_plans
from equiform.validation.exact.refinements import exact_plan_dominance
from equiform.validation.exact.vertices import optimal_vertices
from equiform.validation.reproduce.equilibria.clairvoyance_concepts import PRINTED, closed_form, concept_table
from tests.helpers.games import tree
from tests.helpers.refusals import refusal


def test_five_ninths() -> None:
    """Thesis, chapter 16: with bets of 0, 1 and 2 a bet of 1 is called with probability 5/9."""
    solved = equiform.solve("clairvoyance:stack=2,step=1", concept="proper", exact=True)
    assert solved.exact is not None and solved.exact.exploitability == 0
    assert solved.exact.value == Fraction(1, 3)
    assert solved.strategies[1].probabilities[2] == PRINTED
    floats = equiform.solve("clairvoyance:stack=2,step=1", concept="proper")
    assert abs(floats.strategies[1].probabilities[2] - 5 / 9) < 1e-7


def test_the_first_round_is_worth_the_game_to_the_player_it_is_built_for() -> None:
    """Kuhn poker is worth -1/18 to player 1 (Kuhn 1950), who is meant where no player is named."""
    game = compile_rules(Kuhn())
    for model, value in ((proper.build(game), -1 / 18), (proper.build(game, player=1), 1 / 18)):
        assert solve_model(model).require_optimal().objective == pytest.approx(value, abs=1e-9)


def test_every_concept_in_the_clairvoyance_game() -> None:
    rows = concept_table((2, 3))
    assert [(r.stack, r.bet) for r in rows] == [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]
    for row in rows:
        assert row.proper == (closed_form(row.stack, row.bet),) * 2
        low, high = row.nash
        for call in (row.undominated, row.quasi_perfect, *row.proper, row.thesis):
            assert low <= call <= high


def test_gifts_are_exploited_in_order() -> None:
    """Rows a and b are both optimal and undominated; c costs player 2 less than d, and a earns more against it."""
    game = NormalForm.from_matrix("order", "ab", "xcd", [[0, 2, 3], [0, 1, 9]])
    strategies = exact_proper(game.sequence_form()).strategies
    assert strategies[0].probabilities.tolist() == [1, 1, 0]
    levels = proper_plans(game.sequence_form(), 0).levels
    assert [level.value for level in levels] == [0, 2, 3]


def _trembles(game: NormalForm, own: list[Fraction], other: list[Fraction], player: int) -> bool:
    """Whether a strategy is a best response to some trembles of the other: z > 0 that break ties in its favour.

    With one information set per player that is quasi-perfection. The program shares nothing with the procedure.
    """
    table = game.payoffs[0] if player == 0 else game.payoffs[1].T
    earned = [sum(p * v for p, v in zip(other, row, strict=True)) for row in table]
    best = [k for k, v in enumerate(earned) if v == max(earned)]
    if any(p > 0 and k not in best for k, p in enumerate(own)):
        return False
    mine = [sum(p * row[j] for p, row in zip(own, table, strict=True)) for j in range(len(other))]
    rows = [[mine[j] - table[k][j] for j in range(len(other))] for k in best]
    scale = 60  # entries of the tables are whole numbers, own probabilities are not
    denominator = np.lcm.reduce([Fraction(v).denominator for row in rows for v in row], dtype=object) * scale
    integers = [[int(v * denominator) for v in row] for row in rows]
    n = len(other)
    program = ExactProgram(
        c=RationalVector.full(n, 1),
        A=IntegerMatrix.from_dense(integers),
        row_lower=RationalVector.full(len(rows), 0),
        row_upper=RationalVector.full(len(rows), None),
        col_lower=RationalVector.full(n, 1),
        col_upper=RationalVector.full(n, None),
    )
    return exact_lp(program).objective >= n  # an infeasible program raises


def _random_games(count: int) -> list[NormalForm]:
    rng = np.random.default_rng(20)
    games = []
    for k in range(count):
        m, n = rng.integers(2, 5, size=2)
        table = rng.integers(-2, 3, size=(m, n)).tolist()  # small payoffs, so that ties are common
        games.append(NormalForm.from_matrix(f"random {k}", "abcd"[:m], "wxyz"[:n], table))
    return games


def _judge(game: NormalForm) -> None:
    form = game.sequence_form()
    found = exact_proper(form)
    assert exact_nash_conv(game, found.strategies) == 0
    own = [s.probabilities[1:].tolist() for s in found.strategies]
    for player in (0, 1):
        assert not exact_plan_dominance(form, found.plans[player].plan, player=player).dominated
        assert _trembles(game, own[player], own[1 - player], player)
        inside = [v.fractions.tolist() for v in optimal_vertices(form, player).vertices]
        assert inside and (len(inside) > 1 or inside[0][1:] == own[player])


@pytest.mark.parametrize("game", _random_games(15), ids=lambda g: g.name)
def test_random_games(game: NormalForm) -> None:
    _judge(game)


@pytest.mark.slow
def test_two_hundred_random_games() -> None:
    for game in _random_games(200):
        _judge(game)


def test_trees_in_floats_and_exactly() -> None:
    form = sequence_form(tree("kuhn"))
    exact, floats = exact_proper(form), proper.solve(form)
    assert exact.value == Fraction(-1, 18)
    for player in (0, 1):
        plan = floats.plans[player]
        assert plan is not None
        assert np.allclose(plan, exact.plans[player].plan.floats(), atol=1e-6)


def test_too_many_pure_strategies() -> None:
    refusal(ParameterError, lambda: equiform.solve("leduc", concept="proper"), "reduced pure strategies")


def test_vertices_of_kuhn_poker() -> None:
    """Kuhn 1950: player 1's equilibria are a segment, player 2's are unique."""
    form = sequence_form(tree("kuhn"))
    first, second = optimal_vertices(form, 0), optimal_vertices(form, 1)
    assert len(first.vertices) == 2 and second.unique
    bluffs = sorted(s.table()["holding J, to open"]["bet"] for s in first.strategies)
    assert bluffs == ["0", "1/3"]


@pytest.mark.parametrize("player", [0, 1])
def test_smallest_supports_are_those_of_a_vertex(player: int) -> None:
    form = sequence_form(tree("kuhn"))
    smallest = minimal_support.solve(form, player=player)
    counts = [int((v.numerators[1:] > 0).sum()) for v in optimal_vertices(form, player).vertices]
    assert smallest.support == min(counts) and smallest.bound > smallest.support - 0.5
