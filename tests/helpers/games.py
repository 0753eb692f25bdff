"""Games by name, and strategies to try on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from equiform.games import load_game
from equiform.models import ExtensiveGame, SequenceForm, Treeplex
from equiform.models.common.array_types import FloatArray
from equiform.models.game import as_sequence_form


def tree(spec: str) -> ExtensiveGame:
    """Load a game that is played on a tree."""
    game = load_game(spec)
    assert isinstance(game, ExtensiveGame)
    return game


def payoff_after(game: ExtensiveGame, *moves: str) -> tuple[Any, ...]:
    """Walk from the root and return the payoffs of the leaf."""
    node = 0
    for move in moves:
        labels = game.move_sets[game.move_set[node]]
        node = int(game.first_child[node]) + labels.index(move)
    return game.payoff_table[game.outcome[node]]


def form(spec: str) -> SequenceForm:
    """Load the sequence form of a game."""
    return as_sequence_form(load_game(spec))


def random_plan(treeplex: Treeplex, rng: np.random.Generator) -> FloatArray:
    """Draw a realization plan that reaches every sequence."""
    behavior = rng.random(treeplex.num_sequences)
    behavior[0] = 1.0
    sums = np.add.reduceat(behavior, treeplex.start[:-1])
    behavior[1:] /= sums[treeplex.infoset_of[1:]]
    return treeplex.realization(behavior)
