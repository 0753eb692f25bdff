"""Locked nodes: parts of a player's strategy that are given.

A lock names a player, a node by its history, and the probabilities of all moves there; it may be limited to some hands
(a range) and to boards that contain some cards. Later locks win over earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiform.games.cards.card import STANDARD
from equiform.games.poker.holdem.ranges import Range
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.common.files import read_json
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy


@dataclass(frozen=True)
class Lock:
    """What a player must do at a node.

    Attributes
    ----------
    player
        1 or 2.
    node
        The history, as the printed tree spells it; empty for the first decision.
    actions
        The probability of every move.
    hands
        The hands that are locked.
    cards
        Only boards with these further cards; all boards if empty.
    """

    player: int
    node: str
    actions: Mapping[str, float]
    hands: str = "random"
    cards: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"player": self.player, "node": self.node, "actions": dict(self.actions), "hands": self.hands,
                "cards": self.cards}  # fmt: skip


def read_locks(path: str | Path) -> tuple[Lock, ...]:
    """Read ``{"locks": [{"player": 1, "node": "", "actions": {"check": 1, …}, "hands": "AA"}, …]}``."""
    fix = 'write {"locks": [{"player": 1, "node": "check", "actions": {"check": 0.5, "bet 100": 0.5}}]}'
    document = read_json(path, "the file of locks", fix=fix)
    try:
        return tuple(Lock(**entry) for entry in document["locks"])
    except (TypeError, KeyError, AttributeError) as error:
        raise FormatError(f"these are not locks: {error}", where=str(path), fix=fix) from None


def fixed_moves(game: PublicGame, locks: Sequence[Lock]) -> tuple[FloatArray, FloatArray] | None:
    """Return the locked probabilities of each player in the layout of blocks, -1 where moves are free."""
    if not locks:
        return None
    fixed = tuple(np.full(int(seat.offset[-1]), -1.0) for seat in game.seats)
    for number, lock in enumerate(locks, 1):
        _apply(game, lock, f"lock {number}", fixed)
    return fixed[0], fixed[1]


def _apply(game: PublicGame, lock: Lock, where: str, fixed: tuple[FloatArray, ...]) -> None:
    assert game.dealt is not None
    if lock.player not in (1, 2):
        raise ParameterError(f"there is no player {lock.player!r}", where=where, fix="use 1 or 2")
    player, node = lock.player - 1, game.betting.find(lock.node)
    odds = _odds(game, lock, node, where)
    chosen, cards = Range(lock.hands).weights > 0, set(STANDARD.cards(lock.cards))
    private = np.flatnonzero(game.dealt.weights[player])
    table, used = game.boards.hands[player], False
    strategy = PublicStrategy(game, player, fixed[player])
    for board in game.boards.of_street(int(game.betting.street[node])):
        if not cards <= set(game.dealt.board_cards[board]):
            continue
        low, high = int(table.member_start[board]), int(table.member_start[board + 1])
        hands = table.member_hand[low:high][chosen[private[table.member_private[low:high]]]]
        block = fixed[player][strategy.rows(board, node)].reshape(len(odds), -1)
        block[:, hands] = odds[:, None]
        used = used or len(hands) > 0
    if not used:
        raise ParameterError(
            "the lock fits no hand on any board", where=where, fix="name hands of the range and cards that can come"
        )


def _odds(game: PublicGame, lock: Lock, node: int, where: str) -> FloatArray:
    moves = game.betting.actions(node)
    if game.betting.turn[node] != lock.player - 1:
        raise ParameterError(
            f"player {lock.player} does not decide at {lock.node!r}", where=where, fix="print the tree, name a decision"
        )
    if set(lock.actions) != set(moves):
        raise ParameterError(
            f"the moves {sorted(lock.actions)} do not fit",
            where=where,
            fix=f"pass a number for each of {', '.join(moves)}",
        )
    try:
        odds = np.array([float(lock.actions[m]) for m in moves])
    except (TypeError, ValueError):
        odds = np.full(len(moves), np.nan)
    if not (odds >= 0).all() or abs(odds.sum() - 1.0) > 1e-9:
        raise ParameterError(
            "the probabilities of a lock do not add up to one", where=where, fix="pass numbers from 0 that sum to 1"
        )
    return odds / odds.sum()
