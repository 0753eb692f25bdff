"""The card side of an agent: a bucket for every hand on every street.

* :class:`StrengthBuckets` need no tables: how many of the hands that an opponent may hold does ours beat on the board
  as it lies? Starting hands are told apart up to suits.
* :class:`TableBuckets` hold any four-round abstraction of ``equiform abstract``, or of :func:`by_rollout`.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equiform.abstraction.cards.bucket_lookup import look_up
from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction
from equiform.abstraction.cards.expectation import river_by_strength
from equiform.abstraction.cards.potential_aware import by_equity, class_weights
from equiform.abstraction.cards.river import RiverRound
from equiform.abstraction.cards.score_cuts import score_cuts
from equiform.games.cards.evaluator import N_CARDS, N_HANDS, fill_board
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.rank_tables import RankTables, rank_tables
from equiform.games.cards.rounds.river_scores import river_scores
from equiform.games.cards.rounds.tables import ehs_table
from equiform.models.common.arguments import require_counts, require_name
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.common.jit import jit
from equiform.play.dealer.rules import BOARD_CARDS, STREETS

#: How hands are grouped by :func:`by_rollout`.
ROLLOUTS = {
    "mass": "intervals of expected strength that hold equally many hands",
    "kmeans": "intervals of expected strength by k-means",
}


class Buckets(Protocol):
    """A bucket for every hand on every street."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many buckets each street has."""
        ...

    def look_up(self, deals: IntArray) -> IntArray:
        """Return the buckets of deals (rows of two private cards and 0, 3, 4 or 5 public ones) on their last street."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about the buckets."""
        ...


def street_of(deals: IntArray) -> int:
    """Return the street that deals have come to."""
    return BOARD_CARDS.index(deals.shape[1] - 2)


class StrengthBuckets:
    """Equal intervals of the share of opponents' hands that a hand beats on the board as it lies."""

    def __init__(self, later: tuple[int, ...] = (10, 10, 10)) -> None:
        self.later = require_counts(later, "buckets", "strength buckets", length=3, most=1000)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many buckets each street has."""
        return (169, *self.later)

    def look_up(self, deals: IntArray) -> IntArray:
        """Return the buckets of deals on their last street."""
        street = street_of(deals)
        if street == 0:
            return hand_indexer(2).index(deals)
        shares = np.empty(len(deals))
        _fill_shares(np.ascontiguousarray(deals, dtype=np.int64), rank_tables(), shares)
        n = self.later[street - 1]
        return np.minimum((shares * n).astype(np.int64), n - 1)

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about the buckets."""
        return {"method": "strength", "buckets": list(self.sizes)}


@jit
def _fill_shares(deals: IntArray, tables: RankTables, out: FloatArray) -> None:
    """Fill in which share of the other hands on its board each hand beats; ties count half."""
    strengths = np.empty(N_HANDS, np.int16)
    rest = np.empty(N_CARDS, np.int64)
    places = np.zeros(N_CARDS, np.int64)
    for row in range(len(deals)):
        fill_board(deals[row, 2:], tables, strengths, rest)
        n = N_CARDS - (deals.shape[1] - 2)
        for k in range(n):
            places[rest[k]] = k
        low, high = places[deals[row, 0]], places[deals[row, 1]]
        if low > high:
            low, high = high, low
        own = strengths[high * (high - 1) // 2 + low]
        score, count, at = 0, 0, 0
        for b in range(1, n):
            for a in range(b):
                if a not in (low, high) and b not in (low, high):
                    count += 1
                    if strengths[at] < own:
                        score += 2
                    elif strengths[at] == own:
                        score += 1
                at += 1
        out[row] = score / (2.0 * count)


class TableBuckets:
    """A stored abstraction of the four rounds of Texas hold'em."""

    def __init__(self, stored: CardAbstraction) -> None:
        names = tuple(r.name for r in stored.rounds)
        if stored.game != "texas" or names != STREETS:
            raise UnsupportedGameError(
                f"the buckets are of {stored.game}, rounds {', '.join(names)}",
                where="agent",
                fix="abstract all four rounds of texas with `equiform abstract`",
            )
        self.stored = stored

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many buckets each street has."""
        return tuple(r.n_buckets for r in self.stored.rounds)

    def look_up(self, deals: IntArray) -> IntArray:
        """Return the buckets of deals on their last street."""
        street = street_of(deals)
        found = self.stored.rounds[street]
        if len(found.labels):
            return found.labels[self._indexers[street].index(deals)].astype(np.int64)
        if street == 3 and len(found.children) == 1:
            return np.searchsorted(found.cuts, river_scores(deals), side="right")
        return look_up(self.stored, deals)[found.name]  # perfect recall: through the streets before

    @cached_property
    def _indexers(self) -> tuple[HandIndexer, ...]:
        return tuple(hand_indexer(*r.deals) for r in self.stored.rounds)

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about the buckets."""
        return {"method": self.stored.method, "buckets": list(self.sizes)}


@cache
def _rollout(street: str) -> tuple[HandIndexer, NDArray[Any]]:
    table = ehs_table("turn-unordered" if street == "turn" else street)
    return table.indexer, table.ehs()


def by_rollout(method: str, buckets: tuple[int, ...]) -> TableBuckets:
    """Group hands by their expected strength when all cards are dealt, street by street, forgetting the streets before.

    Parameters
    ----------
    method
        One of :data:`ROLLOUTS`.
    buckets
        One number for each of the four streets; 169 keeps all starting hands apart.

    Notes
    -----
    Uses the cached tables of equities; sweeps all boards if there are none.
    """
    require_name(method, ROLLOUTS, "way to group hands", "agent")
    require_counts(buckets, "buckets", "agent", length=4)
    rounds = []
    for street, k in zip(STREETS[:3], buckets, strict=False):
        indexer, ehs = _rollout(street)
        rounds.append(_round(street, indexer, _intervals(method, indexer, ehs, k), k))
    river = river_by_strength(buckets[3]) if method == "kmeans" else None
    cuts = river.cuts.cuts if river is not None else np.unique(np.linspace(0, 1981, buckets[3] + 1)[1:-1].astype(int))
    n = len(cuts) + 1
    rounds.append(
        BucketRound(
            "river", RiverRound().deals, np.full(n, 1.0 / n), cuts=score_cuts(cuts, [n]).cuts, children=np.array([n])
        )
    )
    return TableBuckets(CardAbstraction("texas", f"rollout-{method}", tuple(rounds)))


def _intervals(method: str, indexer: HandIndexer, ehs: FloatArray, k: int) -> IntArray:
    if k == indexer.sizes[-1]:
        return np.arange(k)
    if method == "kmeans":
        return by_equity(indexer, ehs, k).labels.astype(np.int64)
    weights = class_weights(indexer)
    order = np.argsort(ehs, kind="stable")
    labels = np.empty(len(ehs), dtype=np.int64)
    below = np.cumsum(weights[order]) - weights[order]
    labels[order] = np.minimum((below * k / weights.sum()).astype(np.int64), k - 1)
    if len(np.unique(labels)) < k:
        raise ParameterError(f"{k} buckets for {len(ehs)} hands leave some empty", where="agent", fix="use fewer")
    return labels


def _round(name: str, indexer: HandIndexer, labels: IntArray, k: int) -> BucketRound:
    weights = np.bincount(labels, class_weights(indexer), minlength=k)
    return BucketRound(name, indexer.rounds, weights / weights.sum(), labels.astype(np.int32))
