"""Short hashes that tell games apart by what they are, and not by what they are called."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game
from equiform.models.normal_form import NormalForm
from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.sequence_form import SequenceForm


def fingerprint(arrays: Iterable[NDArray[Any]], text: str = "") -> str:
    """Hash arrays, and a text for what is not an array.

    >>> fingerprint([np.arange(3)]) == fingerprint([np.arange(3.0)])
    False
    """
    digest = hashlib.sha256(text.encode())
    for array in arrays:
        digest.update(str((array.shape, array.dtype.str)).encode())
        if array.dtype == object:  # exact numbers
            digest.update(str(array.tolist()).encode())
        else:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def game_fingerprint(game: Game) -> str:
    """Hash a game: its tree or matrices with exact payoffs and probabilities, and the names of its moves."""
    if isinstance(game, ExtensiveGame):
        tables = (
            game.move_sets,
            [str(p) for p in game.chance_values],
            [[str(v) for v in r] for r in game.payoff_table],
        )
        nodes = (game.turn, game.parent, game.branch, game.infoset, game.edge, game.outcome, game.move_set)
        return fingerprint(nodes, f"tree {len(game.players)} {tables}")
    if isinstance(game, NormalForm):
        return fingerprint([], f"matrix {game.actions} {[str(v) for v in game.payoffs.ravel()]}")
    return form_fingerprint(game)


def form_fingerprint(game: SequenceForm) -> str:
    """Hash a sequence form: two treeplexes, and the payoff written out or, for an operator, one of its products."""
    first, second = game.treeplexes
    payoff = game.payoff
    shape = [first.parent, first.start, second.parent, second.start]
    if isinstance(payoff, MatrixPayoff):
        return fingerprint([*shape, payoff.rows, payoff.cols, payoff.numerators], f"matrix {payoff.denominator}")
    sample = payoff.times(second.realization(second.uniform()))
    return fingerprint([*shape, np.round(sample, 12)], "operator")
