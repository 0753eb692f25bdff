"""Whatever a user may call a game, as one of our types."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from equiform.games.registry import load_game
from equiform.models.common.errors import ParameterError
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game, require_game
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm

GameLike: TypeAlias = Game | str | Path | Any
"""A name or specification, a path, rules, one of our games, a ``pyspiel`` game, a matrix or a pair of matrices."""


def as_game(game: GameLike) -> Game:
    """Return the game that is meant.

    Parameters
    ----------
    game
        * a specification such as ``"leduc:ranks=13"``, ``"my_game.py:MyGame"`` or ``"openspiel:NAME"``,
        * the path of an ``.efg``, ``.nfg`` or ``.json`` file,
        * an object with the methods of :class:`equiform.models.rules.Rules`,
        * one of our own game types, which is returned as it is,
        * a game object of ``pyspiel``,
        * a matrix (nested lists or a numpy array): the row player's payoffs in a zero-sum game,
        * a pair of such matrices: both players' payoffs.

    >>> as_game([[0, 1], [2, -1]]).is_zero_sum
    True
    >>> as_game(([[3, 0], [5, 1]], [[3, 5], [0, 1]])).is_zero_sum
    False
    """
    if isinstance(game, str | Path):
        return load_game(game)
    if isinstance(game, ExtensiveGame | NormalForm | SequenceForm):
        return game
    if isinstance(game, list | tuple | np.ndarray):
        return _matrix_game(game)
    if _is_openspiel(game):
        from equiform.games.formats.openspiel import load_openspiel

        return load_openspiel(str(game))
    if isinstance(game, type):
        raise ParameterError(f"{game.__name__} is a class", where="game", fix=f"pass an instance: {game.__name__}(…)")
    if hasattr(game, "initial") and hasattr(game, "infoset"):
        return compile_rules(game)
    return require_game(game)


def _is_openspiel(game: Any) -> bool:
    """Whether this is a game object of OpenSpiel, without importing it."""
    return any(base.__module__.partition(".")[0] == "pyspiel" for base in type(game).__mro__)


def _matrix_game(values: Any) -> NormalForm:
    table = np.array(values, dtype=object) if not isinstance(values, np.ndarray) else values
    if table.ndim == 2 and table.size:
        return _named(table, None)
    if table.ndim == 3 and table.shape[0] == 2 and table.size:
        return _named(table[0], table[1])
    raise ParameterError(
        f"payoffs of shape {table.shape} are not a game",
        where="game",
        fix="pass one matrix (zero-sum), or a pair of matrices of one shape",
    )


def _named(first: Any, second: Any) -> NormalForm:
    rows = [f"row {k + 1}" for k in range(first.shape[0])]
    columns = [f"column {k + 1}" for k in range(first.shape[1])]
    return NormalForm.from_matrix("matrix game", rows, columns, first, second)
