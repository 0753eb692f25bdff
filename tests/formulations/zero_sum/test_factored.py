"""Programs on factored payoffs: the factors are the operator, and every program has the optimum that the tree has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.zero_sum import growing_lp, quasi_perfect, selection, sequence_form_lp, undominated
from equiform.games.poker.public import leduc_public
from equiform.games.registry import load_game
from equiform.models.common.errors import LimitError, UnsupportedGameError
from equiform.models.game import as_sequence_form
from equiform.models.payoffs.factored import FactoredPayoff
from equiform.models.public.expansion import expand
from equiform.models.public.factors import factored_form
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.solvers_iterative import CFR, Until
from tests.helpers.public_games import random_game

KINDS = [(1, (), 1), (1, (1,), 0), (2, (), 2), (2, (1,), 1)]


def payoff_of(form: SequenceForm) -> FactoredPayoff:
    assert isinstance(form.payoff, FactoredPayoff)
    return form.payoff


@pytest.mark.parametrize(("private", "deals", "board"), KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_the_factors_are_the_operator(private: int, deals: tuple[int, ...], board: int, seed: int) -> None:
    form = factored_form(random_game(seed, private=private, deals=deals, board=board))
    rng = np.random.default_rng(seed)
    for seat in (form, form.flipped()):
        x = rng.random(seat.treeplexes[0].num_sequences)
        y = rng.random(seat.treeplexes[1].num_sequences)
        factors = payoff_of(seat).factors()
        assert factors.transpose_times(x) == pytest.approx(seat.payoff.transpose_times(x), abs=1e-12)
        assert float(y @ factors.transpose_times(x)) == pytest.approx(seat.value(x, y), abs=1e-9)
        assert (seat.stakes(0, y) >= np.abs(seat.gradient(0, y)) - 1e-12).all()
    assert form.flipped().flipped().payoff.shape == form.payoff.shape


@pytest.mark.parametrize(("private", "deals", "board"), KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_values_are_those_of_the_tree(private: int, deals: tuple[int, ...], board: int, seed: int) -> None:
    game = random_game(seed, private=private, deals=deals, board=board)
    tree = sequence_form_lp.solve(sequence_form(expand(game)))
    for player in (0, 1):
        found = sequence_form_lp.solve(factored_form(game), player=player)
        assert found.value == pytest.approx(tree.value, abs=1e-8)
        first, second = found.plans
        assert first is not None and second is not None
        assert game.sequence_form().nash_conv(first, second) < 1e-7


def test_leduc_has_its_value() -> None:
    form, tree = factored_form(leduc_public(ranks=4)), as_sequence_form(load_game("leduc:ranks=4"))
    assert sequence_form_lp.solve(form).value == pytest.approx(sequence_form_lp.solve(tree).value, abs=1e-9)


@pytest.mark.parametrize("player", [0, 1])
def test_every_program_of_the_blocks_takes_it(player: int) -> None:
    """Undominated, quasi-perfect, safe response and selection: the same optima as on the tree's matrix."""
    game = random_game(2, private=2, deals=(), board=2)
    form, tree = factored_form(game), sequence_form(expand(game))
    value = sequence_form_lp.solve(tree).value
    for concept in (undominated, quasi_perfect):
        extra = {"epsilon": 1e-3} if concept is quasi_perfect else {}
        ours, theirs = (concept.solve(g, player=player, **extra) for g in (form, tree))
        assert ours.value == pytest.approx(theirs.value, abs=1e-7)
    against = [t.realization(t.uniform()) for t in (form.treeplexes[1 - player], tree.treeplexes[1 - player])]
    for epsilon in (0.0, 0.1):
        pair = [
            safe_response.solve(g, plan, epsilon=epsilon, player=player, value=value).value
            for g, plan in zip((form, tree), against, strict=True)
        ]
        assert pair[0] == pytest.approx(pair[1], abs=1e-6)
    ends = [selection.solve(g, plan, player=player, value=value) for g, plan in zip((form, tree), against, strict=True)]
    assert ends[0].best.value == pytest.approx(ends[1].best.value, abs=1e-6)
    assert ends[0].worst.value == pytest.approx(ends[1].worst.value, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_growing_programs_end_with_a_proved_gap(seed: int) -> None:
    game = random_game(seed, private=2, deals=(), board=2)
    form = factored_form(game)
    rough = CFR(game.sequence_form(), "dcfr")
    rough.run(Until(iterations=30))
    found = growing_lp.solve(form, rough.average_plans, gap=1e-8).require_reached()
    assert found.gap <= 1e-8
    assert found.value == pytest.approx(sequence_form_lp.solve(sequence_form(expand(game))).value, abs=1e-8)
    first, second = found.strategies
    assert game.sequence_form().nash_conv(first.plan, second.plan) <= 2e-8
    assert all(r.moves[0] <= form.treeplexes[0].num_sequences for r in found.rounds)


def test_growth_is_what_closes_the_gap() -> None:
    """Begin with best responses to uniform play alone: the first program is far off, and later ones are not."""
    form = factored_form(leduc_public())
    first, second = (t.realization(t.uniform()) for t in form.treeplexes)
    found = growing_lp.solve(form, (first, second), gap=1e-8, behavior=1.0, loss=0.0, doubt=0.0)
    assert found.reached and len(found.rounds) > 1
    assert found.rounds[0].gap > 1e-3
    assert found.rounds[0].moves[0] < form.treeplexes[0].num_sequences
    stopped = growing_lp.solve(form, (first, second), gap=1e-8, behavior=1.0, loss=0.0, doubt=0.0, max_rounds=1)
    assert not stopped.reached and stopped.gap <= form.nash_conv(first, second)
    with pytest.raises(LimitError, match="the gap is"):
        stopped.require_reached()


def test_clarabel_has_the_same_value() -> None:
    game = random_game(0, private=2, deals=(), board=2)
    form = factored_form(game)
    expected = sequence_form_lp.solve(form).value
    assert sequence_form_lp.solve(form, solver=SolverOptions("clarabel")).value == pytest.approx(expected, abs=1e-6)


def test_refusals() -> None:
    kuhn = as_sequence_form(load_game("kuhn"))
    plans = tuple(t.realization(t.uniform()) for t in kuhn.treeplexes)
    with pytest.raises(UnsupportedGameError, match="factors"):
        growing_lp.solve(kuhn, (plans[0], plans[1]), gap=1e-6)
    game = random_game(0, private=1, deals=(), board=1)
    bare = game.sequence_form()
    with pytest.raises(UnsupportedGameError, match="operator"):
        sequence_form_lp.build(replace(bare))
