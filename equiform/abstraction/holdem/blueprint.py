"""A solved strategy of hold'em at the table: from cards and a betting line to probabilities.

A *blueprint* is a card abstraction, a betting tree and tables of probabilities by bucket. Player 0 is the small blind,
who acts first before the flop. Lines are written as in the computer poker competition (``rc/crr``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.abstraction.cards.card_abstraction import CardAbstraction, read_card_abstraction
from equiform.abstraction.holdem.files import (
    STRATEGY,
    abstraction_key,
    betting_from_dict,
    betting_to_dict,
    read_codes,
    read_meta,
    write_strategy,
)
from equiform.abstraction.holdem.hand_buckets import BOARD_CARDS, HandBuckets
from equiform.abstraction.holdem.histories import Histories
from equiform.games.cards.card import CardsLike, hand_and_board
from equiform.games.cards.evaluator import N_HANDS
from equiform.games.poker.holdem.tree import HoldemBetting, node_at
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import FormatError, StrategyError
from equiform.models.public.betting import BettingTree

#: The files of a folder that `equiform holdem --out` writes.
ABSTRACTION_FILE, STRATEGY_FILE = "abstraction.npz", "strategy.npz"


@dataclass(frozen=True, eq=False)
class HoldemBlueprint:
    """A strategy of both players for the first rounds of hold'em.

    Attributes
    ----------
    abstraction
        The buckets.
    betting
        What may be bet, and for how many rounds there is a strategy.
    tables
        For each player and round the probabilities: a row per history of buckets (a bucket, where
        they remember), a column per move of the betting tree.
    proof
        What is known of the strategy in its abstract game: value, bracket, the kind of leaves.
    """

    abstraction: CardAbstraction
    betting: HoldemBetting
    tables: tuple[tuple[NDArray[np.floating], ...], tuple[NDArray[np.floating], ...]] = field(repr=False)
    proof: dict[str, Any] = field(default_factory=dict)
    codes: tuple[IntArray, ...] = field(default=(), repr=False)
    """The codes of histories, where buckets forget (:mod:`equiform.abstraction.holdem.histories`)."""

    @cached_property
    def tree(self) -> BettingTree:
        """The betting tree."""
        return self.betting.tree()

    @cached_property
    def buckets(self) -> HandBuckets:
        """The buckets, by board."""
        return HandBuckets(self.abstraction, self.betting.rounds)

    @cached_property
    def histories(self) -> Histories:
        """What the rows of the tables stand for."""
        return Histories(self.buckets, self.codes)

    @cached_property
    def strategies(self) -> tuple[BucketStrategy, BucketStrategy]:
        """Both players' strategies by bucket, rows normalised in double precision."""
        found = []
        for player in range(2):
            moves = self.tree.seats[player]
            tables = []
            for street, stored in enumerate(self.tables[player]):
                table = stored.astype(np.float64)
                for low, size in zip(moves.first[street].tolist(), moves.size[street].tolist(), strict=True):
                    part = table[:, low : low + size]
                    part /= part.sum(axis=1, keepdims=True)
                tables.append(table)
            found.append(BucketStrategy(self.tree, player, tuple(tables)))
        return found[0], found[1]

    def on_board(self, board: Sequence[int], node: int) -> FloatArray:
        """Return the probabilities of the moves at a decision for all 1,326 hands: rows of zeros where blocked.

        ``board`` lists the public cards in the order dealt (as numbers), those of the node's round.
        """
        street, who = int(self.tree.street[node]), int(self.tree.turn[node])
        if len(board) != BOARD_CARDS[street]:
            raise StrategyError(
                f"{len(board)} public cards on round {street + 1}", where="blueprint", fix=f"deal {BOARD_CARDS[street]}"
            )
        rows = self.strategies[who].at(node)
        bucket = self.histories.on(board)
        out = np.zeros((N_HANDS, rows.shape[1]))
        out[bucket >= 0] = rows[bucket[bucket >= 0]]
        return out

    def probabilities(self, hand: CardsLike, board: CardsLike, line: str) -> dict[str, float]:
        """Return the moves of whoever is to act after a line, with their probabilities.

        Raises
        ------
        StrategyError
            If nobody is to act there, or if the line goes beyond the rounds that the blueprint plays.
        """
        node = node_at(self.tree, line)
        who = int(self.tree.turn[node])
        if who not in (0, 1):
            raise StrategyError(
                f"nobody decides after {line!r}", where="blueprint", fix="add the slash of the next street"
            )
        private, public = hand_and_board(hand, board, sizes=(BOARD_CARDS[int(self.tree.street[node])],))
        low, high = sorted(private)
        row = self.on_board(public, node)[high * (high - 1) // 2 + low]
        return dict(zip(self.tree.actions(node), row.tolist(), strict=True))

    def write(self, folder: str | Path) -> None:
        """Write abstraction and strategy to a folder."""
        self.abstraction.write(Path(folder) / ABSTRACTION_FILE)
        meta = {
            "abstraction": abstraction_key(self.abstraction, self.betting.rounds),
            "betting": betting_to_dict(self.betting),
            "proof": self.proof,
        }
        write_strategy(Path(folder) / STRATEGY_FILE, meta, self.tables, self.codes)


def read_blueprint(folder: str | Path) -> HoldemBlueprint:
    """Read what :meth:`HoldemBlueprint.write` wrote."""
    abstraction = read_card_abstraction(Path(folder) / ABSTRACTION_FILE)
    path = Path(folder) / STRATEGY_FILE
    meta, arrays = read_meta(path, STRATEGY)
    betting = betting_from_dict(meta.get("betting", {}), str(path))
    if meta.get("abstraction") != abstraction_key(abstraction, betting.rounds):
        raise FormatError(
            "the strategy belongs to another abstraction", where=str(folder), fix="keep the two files of a run together"
        )
    try:
        first, second = (tuple(arrays[f"player_{p}_{s}"] for s in range(betting.rounds)) for p in range(2))
        codes = read_codes(arrays, betting.rounds)
    except KeyError as error:
        raise FormatError("the strategy is incomplete", where=str(path), fix="write it again") from error
    return HoldemBlueprint(abstraction, betting, (first, second), dict(meta.get("proof", {})), codes)
