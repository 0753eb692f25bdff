"""The data of an explorer page: the game, its information sets and one or more profiles, as compact JSON.

Arrays are base64 of little-endian numbers in the smallest type that holds them: a tree of ten thousand nodes is some
hundred kilobytes. Numbers that people read exactly (payoffs, probabilities of chance) are there as text as well.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.rational import exact_text, short_text
from equiform.models.common.records import plain
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game
from equiform.models.normal_form import NormalForm
from equiform.models.rules import TERMINAL
from equiform.models.strategy import Strategy
from equiform.viewer.action_values import action_values

FORMAT = "equiform-explorer"
VERSION = 1
#: A larger tree is left out of the page; its strategies are still there.
MOST_NODES = 200_000
#: A longer fraction is shown rounded.
LONGEST_FRACTION = 24
_INTEGERS = (np.int8, np.int16, np.int32)


@dataclass(frozen=True, eq=False)
class ShownProfile:
    """A profile to show: what it is called, its strategies, and what is known about it.

    Parameters
    ----------
    title
        A short name, such as ``nash by highs``.
    strategies
        One per player.
    proof
        Plain data, as ``to_dict()`` of a result returns it: value, bracket, exploitability, backend and so on.
    unproved
        Sentences that say what the proof does not cover.
    """

    title: str
    strategies: tuple[Strategy, ...]
    proof: Mapping[str, Any]
    unproved: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ShownCurve:
    """A curve with a point per profile of the page, such as payoff against risk.

    Parameters
    ----------
    across, up
        Where the points lie.
    value
        A level to compare them with.
    words
        What is shown: ``title``, ``across``, ``up``, ``value`` (of the level) and ``note``.
    """

    across: Sequence[float]
    up: Sequence[float]
    value: float
    words: Mapping[str, str]

    @property
    def document(self) -> dict[str, Any]:
        """The curve as plain data."""
        return {"across": list(self.across), "up": list(self.up), "value": self.value, "words": dict(self.words)}


def explorer_document(game: Game, profiles: Sequence[ShownProfile], curve: ShownCurve | None = None) -> dict[str, Any]:
    """Return everything that the page shows, as plain data."""
    moves: dict[tuple[str, ...], int] = {}
    tree = _tree(game, moves)
    players = [_player(s.treeplex, moves) for s in profiles[0].strategies]
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "tree": tree,
        "omitted": _omitted(game) if tree is None else None,
        "players": players,
        "profiles": [_profile(game, shown) for shown in profiles],
        "moves": [list(m) for m in moves],
        "curve": None if curve is None else curve.document,
    }


def packed(values: NDArray[Any]) -> dict[str, str]:
    """Write an array of numbers as base64, with the name of JavaScript's array type.

    >>> packed(np.array([0, 1, -1]))
    {'type': 'Int8', 'data': 'AAH/'}
    """
    kind: type = np.float32 if values.dtype == np.float32 else np.float64
    if values.dtype.kind in "iub":
        kind = next(t for t in _INTEGERS if not len(values) or abs(values).max() <= np.iinfo(t).max)
    data = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
    name = np.dtype(kind).name
    return {"type": name[0].upper() + name[1:], "data": base64.b64encode(data).decode("ascii")}


def _tree(game: Game, moves: dict[tuple[str, ...], int]) -> dict[str, Any] | None:
    if isinstance(game, NormalForm):
        return _table_tree(game, moves) if game.payoffs[0].size <= MOST_NODES else None
    if not isinstance(game, ExtensiveGame) or game.num_nodes > MOST_NODES:
        return None
    numbers = np.array([moves.setdefault(m, len(moves)) for m in game.move_sets] or [0], dtype=np.int64)
    return {
        "parent": packed(game.parent),
        "turn": packed(game.turn),
        "infoset": packed(game.infoset),
        "outcome": packed(game.outcome),
        "edge": packed(game.edge),
        "moves": packed(np.where(game.move_set < 0, -1, numbers[game.move_set])),
        "infosetPlayer": packed(game.infoset_player),
        "chance": [short_text(p) for p in game.chance_values],
        "chanceFloats": packed(np.array([float(p) for p in game.chance_values])),
        "payoffs": [[short_text(v) for v in row] for row in game.payoff_table],
        "payoffFloats": packed(game.payoff_floats.ravel()),
    }


def _table_tree(game: NormalForm, moves: dict[tuple[str, ...], int]) -> dict[str, Any]:
    """Return a table as the tree in which the players move one after the other without seeing anything."""
    sizes = [len(a) for a in game.actions]
    counts = np.cumprod([1, *sizes])
    numbers = [moves.setdefault(tuple(a), len(moves)) for a in game.actions]
    first = np.append(0, np.cumsum(counts))
    turn = np.concatenate([np.full(count, p) for p, count in enumerate(counts)])
    parent = np.concatenate([[-1], *(first[p] + np.arange(counts[p + 1]) // size for p, size in enumerate(sizes))])
    end = turn == len(sizes)
    outcome = np.full(len(turn), -1)
    outcome[end] = np.arange(counts[-1])
    rows = game.payoffs.reshape(len(sizes), -1).T
    return {
        "parent": packed(parent),
        "turn": packed(np.where(end, TERMINAL, turn)),
        "infoset": packed(np.where(end, -1, turn)),
        "outcome": packed(outcome),
        "edge": packed(np.full(len(turn), -1)),
        "moves": packed(np.append(numbers, -1)[turn]),
        "infosetPlayer": packed(np.arange(len(sizes))),
        "chance": [],
        "chanceFloats": packed(np.zeros(0)),
        "payoffs": [[short_text(v) for v in row] for row in rows.tolist()],
        "payoffFloats": packed(game.payoff_floats.reshape(len(sizes), -1).T.ravel()),
    }


def _omitted(game: Game) -> str:
    if isinstance(game, ExtensiveGame):
        return f"The tree has {game.num_nodes:,} nodes, more than fit here ({MOST_NODES:,}): only strategies are shown."
    if isinstance(game, NormalForm):
        return f"The table has {game.payoffs[0].size:,} cells, too many to walk through: only strategies are shown."
    return (
        "The game exists as a payoff operator, without a tree: only strategies are shown, and values are weighted with "
        "the unknown probability of coming there."
    )


def _player(treeplex: Any, moves: dict[tuple[str, ...], int]) -> dict[str, Any]:
    sets = np.array([moves.setdefault(tuple(a), len(moves)) for a in treeplex.actions], dtype=np.int64)
    return {
        "name": treeplex.player,
        "infosets": [treeplex.infoset_label(h) for h in range(treeplex.num_infosets)],
        "start": packed(treeplex.start),
        "moves": packed(sets),
    }


def _profile(game: Game, shown: ShownProfile) -> dict[str, Any]:
    strategies = []
    for p, strategy in enumerate(shown.strategies):
        found = action_values(game, shown.strategies, p)
        strategies.append(
            {
                "probabilities": packed(strategy.floats),
                "exact": [_fraction(v) for v in strategy.probabilities.tolist()] if strategy.is_exact else None,
                "values": packed(found.values),
                "ownReach": packed(found.own_reach),
                "othersReach": packed(found.others_reach),
                "reached": packed(strategy.reached.astype(np.int8)),
            }
        )
    return {
        "title": shown.title,
        "proof": plain(dict(shown.proof)),
        "unproved": list(shown.unproved),
        "strategies": strategies,
    }


def _fraction(value: Fraction) -> str:
    text = exact_text(value)
    return text if len(text) <= LONGEST_FRACTION else ""
