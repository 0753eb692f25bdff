"""Witnesses: OpenSpiel's own linear program, and Gambit's equilibria through .efg files, both ways.

An oracle is a witness, not a judge. Where one disagrees with us, the exact certificate decides.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pygambit
import pyspiel
import pytest
from open_spiel.python.algorithms import sequence_form_lp

import equiform
from equiform.games.formats.efg import write_efg
from equiform.games.formats.openspiel import load_openspiel
from equiform.games.random_game import random_game
from equiform.models import ExtensiveGame, sequence_form
from equiform.validation.exact.equilibrium import exact_equilibrium
from tests.helpers.games import tree

GOOFSPIEL = (
    "turn_based_simultaneous_game(game=goofspiel(num_cards=4,imp_info=True,points_order=descending,"
    "returns_type=win_loss))"
)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", GOOFSPIEL], ids=lambda s: s[:12])
def test_openspiels_own_program_finds_our_value(spec: str) -> None:
    value = sequence_form_lp.solve_zero_sum_game(pyspiel.load_game(spec))[0]
    assert equiform.solve(f"openspiel:{spec}").value == pytest.approx(value, abs=1e-6)  # theirs is an ECOS solution


def test_our_leduc_merges_the_suits_of_openspiels() -> None:
    ours = exact_equilibrium(equiform.as_sequence_form(equiform.load_game("leduc")))
    theirs = exact_equilibrium(sequence_form(load_openspiel("leduc_poker")))
    assert ours.value == theirs.value


def gambit_value(game: ExtensiveGame, folder: Path) -> Fraction:
    """Let Gambit read our file and solve it by its own linear program, in rationals."""
    file = folder / "game.efg"
    write_efg(game, file)
    theirs = pygambit.read_efg(str(file))
    found = pygambit.nash.lp_solve(theirs, rational=True).equilibrium
    return Fraction(str(dict(found.payoffs)[game.players[0]]))


@pytest.mark.parametrize("spec", ["kuhn", "fig-13.9", "rps-sequential", "kuhn:cards=4"])
def test_gambit_finds_our_exact_value(spec: str, tmp_path: Path) -> None:
    game = tree(spec)
    ours = exact_equilibrium(sequence_form(game)).value
    assert gambit_value(game, tmp_path) == ours


@pytest.mark.parametrize("seed", range(12))
def test_gambit_finds_our_exact_value_of_random_games(seed: int, tmp_path: Path) -> None:
    game = random_game(seed=seed, depth=3, branching=2, payoff=9)
    assert gambit_value(game, tmp_path) == exact_equilibrium(sequence_form(game)).value


@pytest.mark.parametrize("seed", range(5))
def test_what_gambit_writes_has_the_same_value(seed: int, tmp_path: Path) -> None:
    game = random_game(seed=100 + seed, depth=3, branching=3)
    ours = tmp_path / "ours.efg"
    write_efg(game, ours)
    theirs = tmp_path / "theirs.efg"
    pygambit.read_efg(str(ours)).to_efg(str(theirs))
    assert (
        equiform.solve(str(theirs), exact=True).exact.value  # type: ignore[union-attr]
        == exact_equilibrium(sequence_form(game)).value
    )
