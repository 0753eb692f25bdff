"""Random spots by every road: the operator, programs on its factors, the written-out tree, CFR and the dense proof."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from equiform.api.spots import solve_spot
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.array_types import FloatArray
from equiform.models.public.expansion import expand
from equiform.models.public.factors import factored_form
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.strategy import Strategy
from tests.api.test_spots import random_spot
from tests.helpers.public_games import on_tree, random_game, random_plans
from tests.models.test_public import lifted

HANDFUL, MANY = range(3), range(3, 200)
#: Private cards, cards per deal and cards on the board of small decks: one deal is a turn, two are a flop.
STREETS = ((1, (1, 1), 0), (2, (1,), 1), (2, (1, 1), 1), (2, (), 2))
EACH = pytest.mark.parametrize(
    "seed", [*HANDFUL, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY)]
)  # fmt: skip


def small_spot(seed: int) -> Spot:
    """A random board, ranges of 8 to 24 hands, pot 10 and a random stack."""
    return random_spot(1000 + seed, hands=8 + seed % 17)


def back(game: SequenceForm, tree: SequenceForm, profile: tuple[Strategy, Strategy]) -> Iterator[FloatArray]:
    """The tree's strategies as plans of the public game; hands that cannot meet anybody play uniformly."""
    for ours, theirs, strategy in zip(game.treeplexes, tree.treeplexes, profile, strict=True):
        place = {key: h for h, key in enumerate(ours.infosets)}
        behavior = ours.uniform()
        for h, key in enumerate(theirs.infosets):
            at = int(ours.start[place[key]])
            row = strategy.floats[theirs.start[h] : theirs.start[h + 1]]
            behavior[at : at + len(row)] = row
        yield ours.realization(behavior)


@EACH
def test_rivers(seed: int) -> None:
    spot = small_spot(seed)
    game = spot.game()
    form, tree = factored_form(game), sequence_form(expand(game))
    plans = random_plans(form, seed)
    there = on_tree(form, tree, plans)
    assert form.value(*plans) == pytest.approx(tree.value(*there), abs=1e-9)
    assert form.bracket(*plans) == pytest.approx(tree.bracket(*there), abs=1e-9)
    factors = form.payoff.factors()  # type: ignore[attr-defined]
    assert float(plans[1] @ factors.transpose_times(plans[0])) == pytest.approx(tree.value(*there), abs=1e-9)

    by_tree = sequence_form_lp.solve(tree)
    by_factors = solve_spot(spot, method="lp")
    assert by_factors.program is not None and by_factors.program["gap"] <= 1e-9
    value = by_factors.ev - spot.betting.pot / 2
    assert value == pytest.approx(by_tree.value, abs=1e-9 * spot.betting.pot)
    first, second = by_tree.strategies
    assert first is not None and second is not None
    one, two = back(form, tree, (first, second))
    assert form.nash_conv(one, two) <= 1e-7

    rough = solve_spot(spot, until="0.2%")
    lower, upper = (x - spot.betting.pot / 2 for x in (rough.certificate.lower, rough.certificate.upper))
    assert lower - 1e-9 <= value <= upper + 1e-9 and rough.certificate.percent <= 0.2 + 1e-9
    assert rough.certificate.percent == pytest.approx(rough.history[-1][2], abs=1e-9)


@EACH
def test_suits_of_turns_and_flops(seed: int) -> None:
    """Even seeds have ranges that do not tell suits apart: boards and hands merge, and nothing changes."""
    private, deals, board = STREETS[seed % len(STREETS)]
    number = 2 * seed
    merged, plain = (
        random_game(number, private=private, deals=deals, board=board, isomorphism=flag) for flag in (True, False)
    )
    form, whole = merged.sequence_form(), plain.sequence_form()
    plans = random_plans(form, seed)
    there = [lifted(merged, plain, player, plan) for player, plan in enumerate(plans)]
    assert form.value(*plans) == pytest.approx(whole.value(*there), abs=1e-12)
    assert form.bracket(*plans) == pytest.approx(whole.bracket(*there), abs=1e-12)
