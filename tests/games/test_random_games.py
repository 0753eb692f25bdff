"""The generator of random games keeps its promises."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.games import format_efg, random_game
from equiform.models import evaluate
from equiform.models.common.errors import ParameterError
from equiform.models.rules import CHANCE


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    depth=st.integers(0, 5),
    branching=st.integers(1, 4),
    merge=st.floats(0, 1),
    chance=st.floats(0, 1),
    players=st.integers(1, 4),
    zero_sum=st.booleans(),
)
def test_games_are_sound(
    seed: int, depth: int, branching: int, merge: float, chance: float, players: int, zero_sum: bool
) -> None:
    game = random_game(
        seed=seed, depth=depth, branching=branching, merge=merge, chance=chance, players=players, zero_sum=zero_sum
    )
    assert game.has_perfect_recall
    assert len(game.players) == players
    assert len(game.layers) - 2 <= depth
    assert game.num_children.max(initial=0) <= branching
    assert not zero_sum or game.is_zero_sum
    result = evaluate(game, [plex.uniform() for plex in game.treeplexes])
    assert (result.regrets >= -1e-9).all()


def test_the_same_seed_gives_the_same_game() -> None:
    assert format_efg(random_game(seed=7, depth=5)) == format_efg(random_game(seed=7, depth=5))
    assert format_efg(random_game(seed=7, depth=5)) != format_efg(random_game(seed=8, depth=5))


def test_merging_makes_information_sets_of_several_nodes() -> None:
    apart = random_game(seed=3, depth=6, merge=0)
    assert apart.num_infosets == (apart.turn >= 0).sum()
    merged = random_game(seed=3, depth=6, merge=1)
    nodes = np.flatnonzero(merged.turn >= 0)
    # everything that perfect recall allows is merged: one set per player, own sequence and number of moves
    alike = {(p, merged.sequences[p, n], merged.num_children[n]) for n in nodes for p in [merged.turn[n]]}
    assert merged.num_infosets == len(alike) < len(nodes)


def test_chance_moves_as_often_as_asked() -> None:
    assert not (random_game(seed=1, depth=6, chance=0).turn == CHANCE).any()
    only = random_game(seed=1, depth=5, chance=1)
    assert not (only.turn >= 0).any() and only.num_nodes > 1
    assert all(0 < p <= 1 for p in only.chance_values)
    counts = [random_game(seed=s, depth=6, chance=0.3) for s in range(30)]
    share = sum((g.turn == CHANCE).sum() for g in counts) / sum((g.turn != -2).sum() for g in counts)
    assert share == pytest.approx(0.3, abs=0.04)


def test_payoffs_are_bounded_integers() -> None:
    game = random_game(seed=5, depth=5, payoff=3, zero_sum=False)
    assert {type(v) for row in game.payoff_table for v in row} == {Fraction}
    values = np.array([[int(v) for v in row] for row in game.payoff_table])
    assert np.abs(values).max() == 3
    assert not game.is_zero_sum


def test_depth_zero_is_a_leaf() -> None:
    assert random_game(seed=1, depth=0).num_nodes == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"depth": -1}, "depth is -1"),
        ({"branching": 0}, "branching is 0"),
        ({"branching": 27}, "branching is 27"),
        ({"merge": 1.5}, "merge is 1.5"),
        ({"chance": -0.1}, "chance is -0.1"),
        ({"payoff": -1}, "payoff is -1"),
        ({"players": 0}, "players is 0"),
    ],
)
def test_parameters_out_of_range_are_named(arguments: dict[str, float], named: str) -> None:
    with pytest.raises(ParameterError, match="a random game") as caught:
        random_game(seed=1, **arguments)  # type: ignore[arg-type]
    assert named in str(caught.value)
