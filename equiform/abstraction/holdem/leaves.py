r"""What the leaves of a game that is cut off after the turn pay: three ways to guess the river.

``rollout``
    Nobody bets any more: the stake times wins minus losses over the cards that are missing (GS1, Sparbot).
``simulated``
    Both players bet the river with fixed frequencies that depend on the hand's value :math:`w - l + d/2` alone
    (Gilpin and Sandholm 2007, §5). With probabilities :math:`p_t(v), q_t(v')` of the two players' moves towards the end
    t of river betting, chips :math:`e_t` put in during it, and :math:`s_t` the sign of who wins, a leaf with stake c
    pays :math:`\sum_t (c + e_t) \sum_{h h'} p_t(v_h)\, q_t(v_{h'})\, s_t(h, h')`: two matrices for all leaves.
``strategy``
    The river is played as in a solved game of four rounds: one matrix per leaf
    (:func:`equiform.models.bucketed.truncation.strategy_leaves`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from equiform.abstraction.holdem.boards import BoardHands, Sweep, flops_of, full_boards, hands_on
from equiform.abstraction.holdem.counting import add_pairs, space
from equiform.abstraction.holdem.deals import HoldemDeals
from equiform.abstraction.holdem.hand_buckets import BOARD_CARDS, HandBuckets
from equiform.games.cards.showdown import OPPONENTS, showdown
from equiform.games.poker.holdem.tree import HoldemBetting, line_of
from equiform.models.bucketed.leaves import LeafPayoffs, leaf_nodes
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.rules import CHANCE, TERMINAL
from equiform.runs.progress import Listener, Progress, silent

#: Hand values are rounded to multiples of this (the paper's 25), between −990 and 990.
STEP = 25
BINS = 2 * (OPPONENTS // STEP + 1) + 1


def rollout_leaves(tree: BettingTree, found: HoldemDeals) -> LeafPayoffs:
    """Return leaves that compare hands after the cards that are missing, without betting."""
    stakes = tree.stake[leaf_nodes(tree)][:, None]
    error = () if found.margin_error is None else (found.margin_error,)
    return LeafPayoffs((found.margin,), stakes, "showdown" if found.rounds == 4 else "rollout", error)


@dataclass(frozen=True, eq=False)
class RiverFrequencies:
    """How often each move is made on the river, by line of river betting and by value of the hand.

    ``tables[line]`` has a row per rounded value (:func:`value_bins`) and a column per move.
    """

    tables: dict[str, FloatArray] = field(repr=False)
    hands: float
    """How many hands went to the river while they were measured (a sum of probabilities)."""
    source: str


def value_bins(board: Sequence[int], on: BoardHands) -> IntArray:
    """Return the rounded value w − l + d/2 of every hand of a full board, as a row of a table of frequencies."""
    found = showdown(board)
    value = found.wins - (OPPONENTS - found.wins - found.ties) + found.ties / 2
    rounded = (np.rint(value / STEP) + (BINS - 1) // 2).astype(np.int64)
    return rounded[np.argsort(np.argsort(on.which))]


class RiverEnd(NamedTuple):
    """An end of river betting: each player's moves towards it, who wins by a fold, and bets put in by the loser."""

    moves: tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]
    """For each player the (line, which move) of the moves made."""
    winner: int
    level: int


def _river_ends(betting: HoldemBetting) -> Iterator[RiverEnd]:
    """Yield the ends of river betting; they are the same below every line of a limit game."""
    tree = HoldemBetting(4, betting.blinds, betting.bets, (0, 0, 0, betting.raises[3])).tree()
    for node in tree.terminals[3].tolist():
        moves: tuple[list[tuple[str, int]], ...] = ([], [])
        at = node
        while tree.turn[tree.parent[at]] != CHANCE:
            above = int(tree.parent[at])
            line = line_of(tree, above).rsplit("/", 1)[1]
            moves[int(tree.turn[above])].append((line, tree.children[above].index(at)))
            at = above
        level = int(tree.stake[node] - betting.blinds[1]) // betting.bets[3]
        yield RiverEnd((tuple(moves[0]), tuple(moves[1])), int(tree.winner[node]), level)


def _odds(moves: tuple[tuple[str, int], ...], frequencies: RiverFrequencies, bins: IntArray) -> FloatArray:
    """Return the probability that a player makes some moves, hand by hand."""
    found = np.ones(len(bins))
    for line, k in moves:
        found = found * frequencies.tables[line][bins, k]
    return found


def river_frequencies(
    buckets: HandBuckets,
    profile: tuple[BucketStrategy, BucketStrategy],
    *,
    boards: int = 100,
    hands: int = 300,
    seed: int = 0,
    progress: Listener = silent,
) -> RiverFrequencies:
    """Let a four-round strategy play itself, and count what it does on the river by the value of the hand.

    On each of ``boards`` random boards ``hands`` random pairs of hands are dealt; instead of one line every line is
    followed, weighted by its probability. Frequencies are smoothed over neighbouring values, as in the paper.
    """
    tree = profile[0].betting
    if tree.num_streets != 4 or buckets.rounds != 4:
        raise ParameterError("river frequencies need a strategy of four rounds", where="simulated leaves")
    rng = np.random.default_rng([seed, 7])
    counts: dict[str, FloatArray] = {}
    arrived = 0.0
    for done in range(1, boards + 1):
        board = tuple(rng.choice(52, size=5, replace=False).tolist())
        on = hands_on(board, ranked=True)
        pairs = rng.integers(0, len(on.which), size=(2 * hands, 2))
        shared = (on.hands[pairs[:, 0]][:, :, None] == on.hands[pairs[:, 1]][:, None, :]).any(axis=(1, 2))
        pairs = pairs[~shared][:hands]
        arrived += _count_moves(tree, profile, buckets.path(board), on, pairs, value_bins(board, on), counts)
        progress(Progress("self-play", done, boards, 0.0))
    tables = {line: _smoothed(found) for line, found in counts.items()}
    return RiverFrequencies(tables, arrived, f"self-play on {boards} boards, {hands} deals each")


def _count_moves(
    tree: BettingTree,
    profile: tuple[BucketStrategy, BucketStrategy],
    path: tuple[Int32Array, ...],
    on: BoardHands,
    pairs: IntArray,
    bins: IntArray,
    counts: dict[str, FloatArray],
) -> float:
    """Follow all lines for some pairs of hands; return the probability of a river, added up."""
    reach: dict[int, FloatArray] = {0: np.ones(len(pairs))}
    arrived = 0.0
    for node in range(len(tree)):
        who = int(tree.turn[node])
        if who == TERMINAL:
            continue
        if who == CHANCE:
            reach[tree.children[node][0]] = reach[node]
            arrived += float(reach[node].sum()) if tree.street[node] == 2 else 0.0
            continue
        street = int(tree.street[node])
        odds = profile[who].at(node)[path[street][on.which[pairs[:, who]]]]
        weighted = reach.pop(node)[:, None] * odds
        for k, child in enumerate(tree.children[node]):
            reach[child] = weighted[:, k]
        if street == 3:
            line = line_of(tree, node).rsplit("/", 1)[1]
            table = counts.setdefault(line, np.zeros((BINS, odds.shape[1])))
            np.add.at(table, bins[pairs[:, who]], weighted)
    return arrived


def _smoothed(counts: FloatArray) -> FloatArray:
    """Turn counts into frequencies, each the average of its own and both neighbours'; values never seen copy these."""
    total = counts.sum(axis=1, keepdims=True)
    seen = np.flatnonzero(total[:, 0] > 0)
    rates = counts[seen] / total[seen]
    nearest = seen[np.abs(seen[None, :] - np.arange(len(counts))[:, None]).argmin(axis=1)]
    every = rates[np.searchsorted(seen, nearest)]
    padded = np.vstack([every[:1], every, every[-1:]])
    found: FloatArray = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    return found


def simulated_leaves(
    betting: HoldemBetting,
    buckets: HandBuckets,
    found: HoldemDeals,
    frequencies: RiverFrequencies,
    sweep: Sweep,
    *,
    progress: Listener = silent,
) -> LeafPayoffs:
    """Return leaves at which the river is bet with given frequencies.

    ``sweep`` says which boards are drawn for that; ``found`` has the counts of the pairs of turn buckets.
    """
    if buckets.rounds != 3 or not buckets.perfect_recall or not betting.bets:
        raise ParameterError(
            "simulated leaves follow a limit game of three rounds whose buckets remember", where="simulated leaves"
        )
    n, bet = found.deals.counts.shape[0], betting.bets[3]
    levels = betting.raises[3] + 1
    paid, drawn = np.zeros((levels, n, n)), np.zeros((n, n))
    room, spare = space(n), np.zeros((1, 1))
    ends = list(_river_ends(betting))
    flops = list(flops_of(sweep))
    for done, (flop, of_flop, _) in enumerate(flops, 1):
        for board, times, _ in full_boards(flop, sweep):
            weight = of_flop * times
            on = hands_on(board, ranked=True)
            histories = buckets.on(board[: BOARD_CARDS[2]])[on.which].astype(np.int64)
            bins, one = value_bins(board, on), np.ones(len(on.ranks))
            given = (on.hands, histories, on.ranks)
            add_pairs(*given, one, one, (weight, 0.0), room, drawn, spare)
            for end in ends:
                x, y = (_odds(end.moves[p], frequencies, bins) for p in range(2))
                sign = weight if end.winner == 0 else -weight
                factors = (0.0, weight) if end.winner == SHOWDOWN else (sign, 0.0)
                add_pairs(*given, x, y, factors, room, paid[end.level], paid[end.level])
        progress(Progress("river boards", done, len(flops), 0.0))
    parts = (paid.sum(axis=0), bet * np.tensordot(np.arange(levels), paid, axes=1))
    scale = np.divide(found.deals.counts, drawn, out=np.zeros_like(drawn), where=drawn > 0)
    tree = betting.tree()
    weights = np.stack([tree.stake[leaf_nodes(tree)], np.ones(len(leaf_nodes(tree)))], axis=1)
    return LeafPayoffs(tuple(p * scale for p in parts), weights, "simulated")
