"""Gambit as a witness: it reads what we write, we read what it writes, and values agree exactly on small games."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import numpy as np
import pygambit
import pytest

import equiform
from equiform.games import format_efg, format_nfg, load_game, parse_efg, parse_nfg, random_game
from equiform.models import ExtensiveGame, NormalForm, expected_payoffs
from equiform.models.common.errors import ChanceError
from tests.helpers.games import tree

TREES = [
    "kuhn",
    "leduc",
    "kuhn-multiplayer",
    "fig-13.9",
    "clairvoyance:stack=1",
    "goofspiel:cards=3,order=random",
    "random:seed=4",
]


def in_gambit(game: ExtensiveGame | NormalForm) -> Any:
    if isinstance(game, NormalForm):
        return pygambit.read_nfg(io.StringIO(format_nfg(game)))
    return pygambit.read_efg(io.StringIO(format_efg(game)))


@pytest.mark.parametrize("spec", TREES)
def test_gambit_reads_what_we_write(spec: str) -> None:
    game = tree(spec)
    theirs = in_gambit(game)
    assert list(theirs.players) == list(game.players)
    assert [len(theirs.get_infosets(p)) for p in theirs.players] == [len(own) for own in game.infosets_of]
    uniform = theirs.mixed_behavior_profile(rational=True)
    payoffs = expected_payoffs(game, [plex.uniform() for plex in game.treeplexes])
    assert payoffs == pytest.approx([float(uniform.payoffs[p]) for p in theirs.players], abs=1e-12)


@pytest.mark.parametrize("spec", TREES)
def test_we_read_what_gambit_writes(spec: str) -> None:
    game = tree(spec)
    again = parse_efg(in_gambit(game).to_efg())
    for name in ("layers", "turn", "parent", "first_child", "edge", "infoset", "move_set"):
        assert np.array_equal(getattr(game, name), getattr(again, name)), name
    assert game.chance_values == again.chance_values
    pay = [[g.payoff_table[k] for k in g.outcome[g.terminals]] for g in (game, again)]
    assert pay[0] == pay[1]
    assert [game.describe(k) for k in game.infoset_keys] == [again.describe(k) for k in again.infoset_keys]


@pytest.mark.parametrize("spec", ["rps", "rpst", "fig-8.2:k=1/3", "fig-13.5"])
def test_matrices_go_both_ways(spec: str) -> None:
    game = load_game(spec)
    assert isinstance(game, NormalForm)
    again = parse_nfg(in_gambit(game).to_nfg())
    assert again.actions == game.actions and again.players == game.players
    assert (again.payoffs == game.payoffs).all()


@pytest.mark.parametrize("seed", range(6))
def test_exact_values_of_random_games_agree(seed: int) -> None:
    game = random_game(seed=seed, depth=4, merge=0.8)
    theirs = in_gambit(game)
    value = pygambit.nash.lp_solve(theirs).equilibrium.payoffs["player 1"]
    solved = equiform.solve(game, exact=True)
    assert solved.exact is not None
    assert solved.exact.value == Fraction(int(value.numerator), int(value.denominator))


def test_kuhns_value_in_both() -> None:
    value = pygambit.nash.lp_solve(in_gambit(tree("kuhn"))).equilibrium.payoffs["player 1"]
    assert Fraction(int(value.numerator), int(value.denominator)) == Fraction(-1, 18)


def test_thirds_rounded_to_decimals_are_refused_by_both() -> None:
    """Some exporters write 0.333333 three times; that is not a distribution, and both readers say so."""
    text = 'EFG 2 R "rounded" { "A" "B" }\nc "" 1 "" { "x" 0.333333 "y" 0.333333 "z" 0.333333 } 0\n'
    text += 't "" 1 "" { 1, -1 }\n' * 3
    with pytest.raises(ChanceError, match="sum to 999999/1000000"):
        parse_efg(text)
    with pytest.raises(ValueError, match="sum"):
        pygambit.read_efg(io.StringIO(text))
