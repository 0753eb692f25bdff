"""How often each hand class of a round goes to each bucket of the next round.

Potential-aware abstraction (thesis ch. 5, Algorithm 1) clusters these histograms: entry i of H(x) is the fraction of
chance's next moves that send x into cluster i of the next round. Rows are sparse: a flop hand has 47 successors.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from equiform.games.cards.indexing import HandIndexer
from equiform.games.cards.isomorphism import ENDS, N_ROUNDS, N_WORK, RANKS, SUITS, canonical_deal, canonical_index
from equiform.games.cards.rounds.sweep import Progress, run_in_threads
from equiform.models.common.arguments import require_count, require_kind
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit

#: Every thread keeps one counter per bucket.
MOST_BUCKETS = 10**8


@jit
def _count_successors(
    classes: IntArray,
    now: IntArray,
    following: IntArray,
    buckets: Int32Array,
    n_buckets: int,
    lengths: IntArray,
    columns: Int32Array,
    counts: Int32Array,
) -> int:
    """Write the classes' histograms one by one into ``columns`` and ``counts``; return the number of entries."""
    n_rounds, n_next = now[N_ROUNDS], following[N_ROUNDS]
    held = now[now[ENDS] + n_rounds - 1]
    size = following[following[ENDS] + n_next - 1] - held
    n_cards = now[SUITS] - now[RANKS]
    deal = np.empty(held + size, np.int64)
    work = np.empty((N_WORK, max(4, n_rounds, n_next)), np.int64)
    live = np.empty(n_cards, np.int64)
    chosen = np.empty(size, np.int64)
    seen = np.zeros(n_buckets, np.int32)
    touched = np.empty(n_buckets, np.int32)
    filled = 0
    for row in range(classes.size):
        canonical_deal(classes[row], now, deal[:held], work)
        n = 0
        for card in range(n_cards):
            free = True
            for i in range(held):
                free &= deal[i] != card
            if free:
                live[n] = card
                n += 1
        n_touched = 0
        for i in range(size):
            chosen[i] = i
        while True:
            for i in range(size):
                deal[held + i] = live[chosen[i]]
            bucket = buckets[canonical_index(deal, following, work)]
            if seen[bucket] == 0:
                touched[n_touched] = bucket
                n_touched += 1
            seen[bucket] += 1
            place = 0
            while place < size and chosen[place] + 1 == (chosen[place + 1] if place + 1 < size else n):
                chosen[place] = place
                place += 1
            if place == size:
                break
            chosen[place] += 1
        touched[:n_touched].sort()
        for i in range(n_touched):
            columns[filled] = touched[i]
            counts[filled] = seen[touched[i]]
            seen[touched[i]] = 0
            filled += 1
        lengths[row] = n_touched
    return filled


@dataclass(frozen=True)
class TransitionHistograms:
    """Rows are hand classes, columns are buckets of the next round, entries count chance's moves."""

    counts: csr_array
    total: int  # moves per class, the sum of every row

    @property
    def probabilities(self) -> csr_array:
        """Rows of total mass one."""
        return self.counts / self.total


def transition_histograms(
    current: HandIndexer,
    following: HandIndexer,
    buckets: ArrayLike,
    *,
    n_buckets: int | None = None,
    classes: ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> TransitionHistograms:
    """Return histograms over next-round buckets for the classes of ``current``'s last round.

    Parameters
    ----------
    current, following
        The hands of a round and of a later one, which deals the same cards and some more. It may group them otherwise,
        so that ``hand_indexer(2, 3)`` can be followed by ``hand_indexer(2, 4)``.
    buckets
        ``buckets[c]`` is the bucket of class c of ``following``'s last round.
    n_buckets
        How many buckets there are; by default the highest one in use decides.
    classes
        The rows to compute; all classes by default.
    threads
        How many threads share the work; one per core by default.
    progress
        Called as ``progress(stage, done, total)``.

    Raises
    ------
    ParameterError
        If the second round does not continue the first, or if a bucket or class is out of range.

    Examples
    --------
    >>> from equiform.games.cards.indexing import hand_indexer
    >>> one, two = hand_indexer(1), hand_indexer(1, 1)       # a card, then another: does it make a pair?
    >>> ranks = two.deals(1, range(two.sizes[1])) // 4
    >>> transition_histograms(one, two, ranks[:, 0] == ranks[:, 1]).counts.toarray()[0].tolist()
    [48, 3]
    """
    _require_successive(current, following)
    where = "transitions"
    if n_buckets is not None:
        require_count(n_buckets, "n_buckets", where, most=MOST_BUCKETS)
    most = (MOST_BUCKETS if n_buckets is None else n_buckets) - 1
    labels = require_integers(buckets, "buckets", where, shape=(following.sizes[-1],), least=0, most=most, flags=True)
    bucket_of = labels.astype(np.int32)
    size = int(bucket_of.max()) + 1 if n_buckets is None else n_buckets
    n_classes = current.sizes[-1]
    rows = (
        np.arange(n_classes)
        if classes is None
        else require_integers(classes, "classes", where, shape=(None,), least=0, most=n_classes - 1)
    )
    total = comb(len(current.deck) - sum(current.rounds), sum(following.rounds) - sum(current.rounds))
    counts = _successor_counts(current, following, bucket_of, size, rows, min(total, size), threads, progress)
    return TransitionHistograms(counts, total)


def _require_successive(current: HandIndexer, following: HandIndexer) -> None:
    """Refuse a later round that does not continue the earlier one."""
    require_kind(current, HandIndexer, "current", "transitions")
    require_kind(following, HandIndexer, "following", "transitions")
    held, dealt = sum(current.rounds), sum(following.rounds)
    if dealt <= held or current.deck != following.deck:
        raise ParameterError(
            "the next round must deal more cards of the same deck",
            where=f"{current.rounds} of {current.deck.name}, then {following.rounds} of {following.deck.name}",
            fix="pass the indexers in the order of play",
        )
    if not {end for end in following.ends if end < held} <= set(current.ends):
        # cards of one round have no order, so that it is undefined which of them a split would take first
        raise ParameterError(
            "the next round splits cards that came together",
            where=f"rounds {current.rounds}, then {following.rounds}",
            fix="use rounds that end where the earlier ones do, or merge them",
        )


def _successor_counts(
    current: HandIndexer,
    following: HandIndexer,
    bucket_of: Int32Array,
    n_buckets: int,
    rows: IntArray,
    widest: int,
    threads: int | None,
    progress: Progress | None,
) -> csr_array:
    """Count the rows' successors by bucket, a piece per thread; no row has more than ``widest`` entries."""
    lengths = np.zeros(len(rows), dtype=np.int64)
    pieces: dict[int, tuple[Int32Array, Int32Array]] = {}

    def work(begin: int, end: int) -> None:
        columns = np.empty((end - begin) * widest, dtype=np.int32)
        counts = np.empty((end - begin) * widest, dtype=np.int32)
        filled = _count_successors(
            rows[begin:end],
            current.tables[-1],
            following.tables[-1],
            bucket_of,
            n_buckets,
            lengths[begin:end],
            columns,
            counts,
        )
        pieces[begin] = columns[:filled].copy(), counts[:filled].copy()

    run_in_threads(work, len(rows), "transitions", threads, progress)
    ordered = [pieces[begin] for begin in sorted(pieces)]
    parts = (
        np.concatenate([counts for _, counts in ordered]) if ordered else np.empty(0, np.int32),
        np.concatenate([columns for columns, _ in ordered]) if ordered else np.empty(0, np.int32),
        np.concatenate([[0], np.cumsum(lengths)]),
    )
    return csr_array(parts, shape=(len(rows), n_buckets))
