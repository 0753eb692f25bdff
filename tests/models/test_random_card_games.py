"""Random small card games of three rounds: the operator, the written-out tree and the factored program agree."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.api.equilibrium import solve
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.public.expansion import expand
from equiform.models.public.factors import factored_form
from equiform.models.sequence_form import sequence_form
from tests.helpers.public_games import on_tree, random_plans


def random_rules(seed: int) -> RhodeIsland:
    """A deck of four to eight cards (five for the first seeds), any stakes, one bet per round."""
    rng = np.random.default_rng(seed)
    most = 5 if seed < 2 else 8
    decks = [(r, s) for r in range(2, 9) for s in range(1, 5) if 4 <= r * s <= most]
    ranks, suits = decks[rng.integers(len(decks))]
    bets = "/".join(str(b) for b in rng.integers(1, 30, 3))
    return RhodeIsland(ranks=ranks, suits=suits, ante=int(rng.integers(1, 9)), bets=bets, raises=1)


def check(seed: int) -> None:
    game = random_rules(seed).public()
    form, tree = game.sequence_form(), sequence_form(expand(game))
    plans = random_plans(form, seed)
    there = on_tree(form, tree, plans)
    scale = game.betting.stake.max()
    assert form.value(*plans) == pytest.approx(tree.value(*there), abs=1e-9 * scale)
    assert form.bracket(*plans) == pytest.approx(tree.bracket(*there), abs=1e-9 * scale)
    by_factors, by_tree = (solve(g, backend="piqp") for g in (factored_form(game), tree))
    assert by_factors.value == pytest.approx(by_tree.value, abs=1e-9 * scale)
    assert by_factors.certificate.nash_conv == pytest.approx(0, abs=1e-9 * scale)


@pytest.mark.parametrize("seed", range(2))
def test_a_few_random_games(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 200))
def test_two_hundred_random_games(seed: int) -> None:
    check(seed)
