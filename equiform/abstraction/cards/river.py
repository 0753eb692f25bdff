"""The river of Texas hold'em as a round of an abstraction: scored on the fly, no table of its 2.4 billion hands.

With *perfect recall* a river hand belongs to the turn bucket it came from, and every turn bucket needs the distribution
of its hands' river scores. :func:`river_masses` collects all of them exactly in one sweep: canonical flop by canonical
flop, each turn card, each river card, all hands at once. A player who may *forget* needs one distribution for all, that
of :func:`~equiform.games.cards.rounds.river_scores.river_score_counts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.abstraction.cards.score_cuts import ScoreCuts
from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.isomorphism import N_WORK, ORDER, canonical_deal, canonical_index
from equiform.games.cards.rounds.river_scores import HIGHEST, river_scores
from equiform.games.cards.rounds.sweep import (
    Progress,
    board_rows,
    renamed_cards,
    renamed_hand,
    river_table,
    run_in_threads,
    thread_count,
)
from equiform.models.common.arguments import require_kind
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import Int32Array, IntArray
from equiform.models.common.jit import jit


@dataclass(frozen=True)
class RiverRound:
    """Two private cards and a full board."""

    deals: tuple[int, ...] = (2, 3, 1, 1)
    highest: int = HIGHEST
    threads: int | None = None

    def score(self, deals: ArrayLike) -> IntArray:
        """Return the scores of deals (rows of seven cards)."""
        return river_scores(deals, threads=self.threads)


@jit
def _add_rivers(
    which: IntArray,
    weights: IntArray,
    tables: tuple[IntArray, ...],
    flop_buckets: Int32Array,
    turn_scores: IntArray,
    keys: IntArray,
    width: int,
    rivers: NDArray[Any],
    masses: IntArray,
) -> None:
    """Add to ``masses[turn bucket, river score]`` the weight of every hand on every board over the given flops."""
    flops, boards, flop_hands, turn_hands = tables
    board = np.empty(5, np.int64)
    deal = np.empty(6, np.int64)
    work = np.empty((N_WORK, 4), np.int64)
    renamed = np.empty(N_CARDS, np.int64)
    on_flop = np.empty(N_HANDS, np.int64)
    on_turn = np.empty(N_HANDS, np.int64)
    live = np.empty(N_CARDS, np.int64)
    for b in which:
        canonical_deal(b, flops, board[:3], work)
        deal[2:5] = board[:3]
        n = 0
        for card in range(N_CARDS):
            if card != board[0] and card != board[1] and card != board[2]:
                live[n] = card
                n += 1
        for i in range(1, n):
            for j in range(i):
                deal[0], deal[1] = live[j], live[i]
                hand = live[i] * (live[i] - 1) // 2 + live[j]
                on_flop[hand] = flop_buckets[canonical_index(deal[:5], flop_hands, work)]
        for turn in live[:n]:
            board[3] = turn
            deal[5] = turn
            for i in range(1, n):
                for j in range(i):
                    if live[i] != turn and live[j] != turn:
                        deal[0], deal[1] = live[j], live[i]
                        hand = live[i] * (live[i] - 1) // 2 + live[j]
                        parent = on_flop[hand]
                        score = min(turn_scores[canonical_index(deal, turn_hands, work)], width - 1)
                        on_turn[hand] = np.searchsorted(keys, parent * width + score, side="right") + parent
            for river in live[:n]:
                if river == turn:
                    continue
                board[4] = river
                row = rivers[canonical_index(board, boards, work)]
                renamed_cards(work[ORDER], renamed)
                for i in range(1, n):
                    high = live[i]
                    if high in (turn, river):
                        continue
                    for j in range(i):
                        low = live[j]
                        if low != turn and low != river:
                            hand = renamed_hand(low, high, renamed)
                            score = 2 * row[hand, 0] + row[hand, 1]
                            masses[on_turn[high * (high - 1) // 2 + low], score] += weights[b]


def river_masses(
    flop_buckets: ArrayLike,
    turn_scores: IntArray,
    cuts: ScoreCuts,
    flops: ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Count all 56 billion deals by turn bucket and river score.

    Parameters
    ----------
    flop_buckets
        A bucket per class of flop hands.
    turn_scores
        A score per class of turn hands, whichever public card came last.
    cuts
        Where the turn's scores are cut, parent by parent.
    flops
        Count deals on these canonical flops only.
    threads, progress
        How many threads share the work, and a function that is called as ``progress(stage, done, total)``.

    Returns
    -------
    IntArray
        A row per turn bucket, a column per river score.
    """
    which, indexer = board_rows(flops, 3), hand_indexer(3)
    where = "rivers of the turn buckets"
    require_kind(cuts, ScoreCuts, "cuts", where)
    thread_count(threads, where)
    # the compiled loop does not check bounds
    shape, most = (hand_indexer(2, 3).sizes[1],), len(cuts.children) - 1
    flop_labels = require_integers(flop_buckets, "flop_buckets", where, shape=shape, least=0, most=most)
    scores = require_integers(turn_scores, "turn_scores", where, shape=(hand_indexer(2, 4).sizes[1],), least=0)
    boards = None if flops is None else _completions(indexer.deals(0, which))
    fixed = (
        indexer.orbits(indexer.deals(0, np.arange(indexer.sizes[0]))),
        tuple(hand_indexer(*rounds).tables[-1] for rounds in ((3,), (5,), (2, 3), (2, 4))),
        flop_labels.astype(np.int32),
        scores,
        cuts.keys,
        cuts.width,
        river_table(boards, threads=threads, progress=progress),
    )
    total, lock = np.zeros((cuts.n_buckets, HIGHEST + 1), dtype=np.int64), Lock()

    def work(begin: int, end: int) -> None:
        masses = np.zeros_like(total)
        _add_rivers(which[begin:end], *fixed, masses)
        with lock:
            np.add(total, masses, out=total)

    run_in_threads(work, len(which), "rivers of the turn buckets", threads, progress)
    return total


def _completions(flops: IntArray) -> IntArray:
    """Return the canonical river boards over the given flops."""
    found = []
    for flop in flops:
        rest = np.setdiff1d(np.arange(N_CARDS), flop)
        two = rest[np.stack(np.triu_indices(len(rest), 1), axis=1)]
        found.append(hand_indexer(5).index(np.hstack([np.tile(flop, (len(two), 1)), two])))
    return np.unique(np.concatenate(found))
