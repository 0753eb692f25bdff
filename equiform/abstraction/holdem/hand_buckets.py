"""The buckets of all 1,326 hands at once, board by board: what estimation and play look up.

On every round a hand has a *history*: its bucket, where buckets remember the one before, else the sequence of its
buckets so far. :class:`HandBuckets` numbers histories, so that one table of strategies per round serves both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction
from equiform.abstraction.cards.score_cuts import ScoreCuts, score_cuts
from equiform.abstraction.cards.scored_rounds import Stage, texas_rounds
from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.games.cards.indexing import hand_indexer
from equiform.models.common.arguments import require_count, require_kind
from equiform.models.common.array_types import Int32Array, IntArray
from equiform.models.common.errors import FormatError, ParameterError

#: Board cards on each round.
BOARD_CARDS = (0, 3, 4, 5)


def all_pairs() -> IntArray:
    """Return all hands, a row of two cards each with the lower first, in colexicographic order."""
    high, low = np.tril_indices(N_CARDS, -1)
    return np.stack([low, high], axis=1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class HandBuckets:
    """A card abstraction of Texas hold'em, ready for looking up whole boards.

    Attributes
    ----------
    stored
        The abstraction.
    rounds
        How many of its rounds are used.
    """

    stored: CardAbstraction
    rounds: int
    _seen: dict[tuple[int, ...], Int32Array] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        where = "buckets of hold'em"
        require_kind(self.stored, CardAbstraction, "abstraction", where)
        if self.stored.game != "texas":
            raise ParameterError(
                f"the abstraction is of {self.stored.game!r}",
                where=where,
                fix="make one with `equiform abstract texas`",
            )
        require_count(self.rounds, "rounds", where, most=len(BOARD_CARDS))
        if self.rounds > len(self.stored.rounds):
            raise ParameterError(
                f"{self.rounds} rounds, and the abstraction has {len(self.stored.rounds)}",
                where=where,
                fix="ask for fewer rounds, or abstract more of them",
            )
        for have, cards in zip(self.stored.rounds[: self.rounds], BOARD_CARDS, strict=False):
            if sum(have.deals) != 2 + cards:
                raise ParameterError(
                    f"its round {have.name} has {sum(have.deals)} cards, not {2 + cards}",
                    where=where,
                    fix="abstract the first rounds of the game, and leave none out",
                )
            self._require_cover(have)

    def _require_cover(self, have: BucketRound) -> None:
        if have.labels.size and len(have.labels) != hand_indexer(*have.deals).sizes[-1]:
            raise FormatError(
                f"round {have.name} has buckets for {len(have.labels):,} of "
                f"{hand_indexer(*have.deals).sizes[-1]:,} hand classes",
                where="buckets of hold'em",
                fix="write the abstraction again with `equiform abstract`",
            )

    @cached_property
    def pairs(self) -> IntArray:
        """All hands."""
        return all_pairs()

    @cached_property
    def _stages(self) -> tuple[Stage, ...]:
        return texas_rounds(threads=1, metric=self.stored.metric)

    @cached_property
    def _cuts(self) -> tuple[ScoreCuts | None, ...]:
        used = self.stored.rounds[: self.rounds]
        return tuple(None if r.labels.size else score_cuts(r.cuts, r.children.tolist()) for r in used)

    @property
    def n_buckets(self) -> tuple[int, ...]:
        """How many buckets each round has."""
        return tuple(r.n_buckets for r in self.stored.rounds[: self.rounds])

    def remembers(self, round_: int) -> bool:
        """Whether a round's buckets tell the bucket of the round before."""
        have = self.stored.rounds[round_]
        return round_ == 0 or len(have.children) == self.stored.rounds[round_ - 1].n_buckets

    @property
    def perfect_recall(self) -> bool:
        """Whether all do."""
        return all(self.remembers(s) for s in range(self.rounds))

    def up(self, round_: int) -> Int32Array:
        """Return the parents of a round's buckets, which must remember."""
        counts = self.stored.rounds[round_].children
        return np.repeat(np.arange(len(counts)), counts).astype(np.int32)

    def on(self, board: Sequence[int]) -> Int32Array:
        """Return the bucket of every hand on a board of 0, 3, 4 or 5 cards in the order dealt; −1 where blocked."""
        key = tuple(int(c) for c in board)
        round_ = BOARD_CARDS.index(len(key))
        if len(key) == 5:
            return self._compute(key, round_)
        found = self._seen.get(key)
        if found is None:
            if len(self._seen) > 2000:
                self._seen.clear()
            found = self._seen[key] = self._compute(key, round_)
        return found

    def _compute(self, board: tuple[int, ...], round_: int) -> Int32Array:
        free = ~np.isin(self.pairs, board).any(axis=1)
        deals = np.hstack([self.pairs[free], np.tile(np.array(board, dtype=np.int64), (int(free.sum()), 1))])
        have, cuts = self.stored.rounds[round_], self._cuts[round_]
        found = np.full(N_HANDS, -1, dtype=np.int32)
        if cuts is None:
            found[free] = have.labels[hand_indexer(*have.deals).index(deals)]
            return found
        above = np.zeros(len(deals), dtype=np.int64)
        if len(have.children) > 1:
            above = self.on(board[: BOARD_CARDS[round_ - 1]])[free].astype(np.int64)
        found[free] = cuts.buckets(above, self._score(round_, deals))
        return found

    def _score(self, round_: int, deals: IntArray) -> IntArray:
        wanted = self.stored.rounds[round_].deals
        stage = next((s for s in self._stages if s.deals == wanted), None)
        if stage is None:
            raise FormatError(f"there are no scores for deals of {wanted}", where="buckets of hold'em")
        return stage.score(deals)

    def path(self, board: Sequence[int]) -> tuple[Int32Array, ...]:
        """Return the buckets of every hand on each round up to a board."""
        last = BOARD_CARDS.index(len(board))
        return tuple(self.on(board[: BOARD_CARDS[s]]) for s in range(last + 1))
