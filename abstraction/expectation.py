r"""Expectation-based abstraction: GS2's abstraction tree.

A. Gilpin and T. Sandholm, AAMAS 2007, §4. Hands are compared by their expected hand strength. The first round's hands
are clustered on a line. In every later round each abstract state of the round before (a *parent*) splits its hands into
:math:`k_i` clusters; optimal clusterings on a line give its error :math:`c_{ik}` for all k at once, and the 0-1 program
of :mod:`equiform.formulations.abstraction_ip` divides the round's budget of children among the parents. A player with
such an abstraction never forgets: perfect recall.

Clusters are intervals of scores (twice the wins plus the ties, an integer), so that a round is stored as one sorted
list of *cuts* a parent, and no table of the 55 million turn hands is needed: each parent's distribution of turn scores
is collected by dealing all turn cards to all flop hands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.abstraction.kmeans1d import LineClusterings, kmeans_line
from equiform.formulations import abstraction_ip
from equiform.games.cards.indexing import HandIndexer
from equiform.games.cards.isomorphism import ENDS, N_ROUNDS, N_WORK, canonical_deal, canonical_index
from equiform.games.cards.one_card import OneCardGame
from equiform.games.cards.sweep import Progress, run_in_threads
from equiform.games.cards.tables import ehs_table
from equiform.models.allocation import AllocationProblem, allocation_problem
from equiform.models.errors import ParameterError
from equiform.models.jit import jit

_Masses = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]  # parents, scores, weights of hands


@dataclass(frozen=True, eq=False)
class ScoredRound:
    """A betting round: hand classes, and a score of each (twice the wins plus the ties, at most ``highest``)."""

    indexer: HandIndexer  # its last round's classes
    scores: NDArray[np.int64] = field(repr=False)
    highest: int


@dataclass(frozen=True, eq=False)
class ExpectationRound:
    """One level of the abstraction tree. Buckets are numbered parent by parent, from weak to strong."""

    cuts: tuple[NDArray[np.int64], ...] = field(repr=False)  # [parent]: lowest score of each child but the first
    children: tuple[int, ...]
    error: float
    """Expected squared difference between a hand's strength and its bucket's mean."""
    means: NDArray[np.float64] = field(repr=False)  # [bucket]: mean hand strength
    weights: NDArray[np.float64] = field(repr=False)  # [bucket]: probability
    seconds: float
    division: AllocationProblem | None = field(default=None, repr=False)
    """How the budget could be divided among the parents; None in the first round."""
    ip_seconds: float = 0.0

    @property
    def n_buckets(self) -> int:
        """How many abstract states the round has."""
        return sum(self.children)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first bucket of every parent."""
        counts = np.array(self.children)
        return np.cumsum(counts) - counts

    def buckets(self, parents: ArrayLike, scores: ArrayLike) -> NDArray[np.int64]:
        """Buckets of hands, given their parents and scores."""
        above, score = np.asarray(parents), np.asarray(scores)
        out = np.empty(above.shape, dtype=np.int64)
        order = np.argsort(above, kind="stable")
        bounds = np.searchsorted(above[order], np.arange(len(self.cuts) + 1))
        for parent, cuts in enumerate(self.cuts):
            rows = order[bounds[parent] : bounds[parent + 1]]
            out[rows] = self.first[parent] + np.searchsorted(cuts, score[rows], side="right")
        return out


@dataclass(frozen=True, eq=False)
class ExpectationAbstraction:
    """An abstraction tree, first round first."""

    rounds: tuple[ScoredRound, ...] = field(repr=False)
    levels: tuple[ExpectationRound, ...]

    def buckets(self, deals: ArrayLike) -> NDArray[np.int64]:
        """Buckets of deals (rows of cards, round after round) in the round that their number of cards tells."""
        cards = np.atleast_2d(np.asarray(deals, dtype=np.int64))
        now = np.zeros(len(cards), dtype=np.int64)
        for stage, level in zip(self.rounds, self.levels, strict=True):
            held = sum(stage.indexer.rounds)
            if held > cards.shape[1]:
                break
            now = level.buckets(now, stage.scores[stage.indexer.index(cards[:, :held])])
        return now


@jit
def _add_successors(
    classes: NDArray[np.int64],
    orbits: NDArray[np.int64],
    parents: NDArray[np.int64],
    now: NDArray[np.int64],
    following: NDArray[np.int64],
    n_cards: int,
    scores: NDArray[np.int64],
    masses: NDArray[np.float64],
) -> None:
    """Add to ``masses[parent, score]`` the weight of every hand one card after the given classes."""
    held = now[now[ENDS] + now[N_ROUNDS] - 1]
    deal = np.empty(held + 1, np.int64)
    work = np.empty((N_WORK, 8), np.int64)
    for row in range(classes.size):
        canonical_deal(classes[row], now, deal[:held], work)
        for card in range(n_cards):
            free = True
            for i in range(held):
                free &= deal[i] != card
            if free:
                deal[held] = card
                masses[parents[row], scores[canonical_index(deal, following, work)]] += orbits[row]


def _masses_by_enumeration(stage: ScoredRound, parent_of: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> _Masses:
    """Weights of a round's classes, their parents and scores."""
    classes = np.arange(stage.indexer.sizes[-1])
    deals = stage.indexer.deals(len(stage.indexer.rounds) - 1, classes)
    return parent_of(deals), stage.scores, stage.indexer.orbits(deals).astype(np.float64)


def _masses_by_dealing(
    before: ScoredRound,
    buckets: NDArray[np.int64],
    stage: ScoredRound,
    threads: int | None,
    progress: Progress | None,
) -> _Masses:
    """The same, by dealing one more card to all classes of the round before: hands of one score are merged at once."""
    classes = np.arange(before.indexer.sizes[-1])
    orbits = before.indexer.orbits(before.indexer.deals(len(before.indexer.rounds) - 1, classes))
    n_parents = int(buckets.max()) + 1
    masses = np.zeros((n_parents, stage.highest + 1))
    # Each thread works on parents of its own: sorted by parent, no two threads write to one row.
    order = np.argsort(buckets, kind="stable")
    bounds = np.searchsorted(buckets[order], np.arange(n_parents + 1))

    def work(begin: int, end: int) -> None:
        rows = order[bounds[begin] : bounds[end]]
        _add_successors(
            classes[rows],
            orbits[rows],
            buckets[rows],
            before.indexer.tables[-1],
            stage.indexer.tables[-1],
            len(stage.indexer.deck),
            stage.scores,
            masses,
        )

    run_in_threads(work, n_parents, "hands of the next round", threads, progress)
    parents, scores = np.nonzero(masses)
    return parents, scores, masses[parents, scores]


def _level(
    masses: _Masses,
    highest: int,
    n_parents: int,
    budget: int,
    most: int,
    *,
    backend: str,
    threads: int | None,
    started: float,
) -> ExpectationRound:
    """Cluster the hands of every parent, and divide the budget of children."""
    parents, scores, weights = masses
    order = np.argsort(parents, kind="stable")
    bounds = np.searchsorted(parents[order], np.arange(n_parents + 1))

    def cluster(parent: int) -> LineClusterings:
        rows = order[bounds[parent] : bounds[parent + 1]]
        return kmeans_line(scores[rows] / highest, most, weights[rows])

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(cluster, range(n_parents)))
    mass = np.array([f.weights.sum() for f in found])
    ip_seconds, division = 0.0, None
    if n_parents == 1:
        children: tuple[int, ...] = (min(budget, found[0].most),)
    else:
        errors = np.full((n_parents, most), np.inf)
        for row, (clusterings, total) in enumerate(zip(found, mass, strict=True)):
            errors[row, : clusterings.most] = clusterings.errors / total
        division = allocation_problem(errors, mass / mass.sum(), budget)
        allocation = abstraction_ip.solve(division.errors, division.weights, budget, backend=backend)
        children, ip_seconds = allocation.children, allocation.seconds
    cuts = tuple(
        np.rint(f.points[f.starts(k)[1:]] * highest).astype(np.int64) for f, k in zip(found, children, strict=True)
    )
    return ExpectationRound(
        cuts=cuts,
        children=children,
        error=float(sum(f.errors[k - 1] for f, k in zip(found, children, strict=True)) / mass.sum()),
        means=np.concatenate([f.means(k) for f, k in zip(found, children, strict=True)]),
        weights=np.concatenate([np.add.reduceat(f.weights, f.starts(k)) for f, k in zip(found, children, strict=True)])
        / mass.sum(),
        seconds=time.perf_counter() - started,
        division=division,
        ip_seconds=ip_seconds,
    )


def expectation_abstraction(
    rounds: Sequence[ScoredRound],
    buckets: Sequence[int],
    *,
    most_children: int = 30,
    backend: str = "highs",
    threads: int | None = None,
    progress: Progress | None = None,
) -> ExpectationAbstraction:
    """Build the abstraction tree round by round with at most ``buckets[r]`` states in round r.

    ``most_children`` is how many children a parent may have (the paper's 30); errors are convex in the number of
    children, so that a bound which no parent reaches costs nothing.
    """
    if not buckets or len(buckets) > len(rounds) or min(buckets) < 1:
        raise ParameterError(
            "every round needs a number of buckets", where=f"{len(rounds)} rounds, buckets {list(buckets)}"
        )
    levels: list[ExpectationRound] = []
    stages = tuple(rounds[: len(buckets)])
    for r, (stage, budget) in enumerate(zip(stages, buckets, strict=True)):
        started = time.perf_counter()
        tree = ExpectationAbstraction(stages[:r], tuple(levels))
        if r == 0 or not _deals_one_card(stages[r - 1], stage):
            masses = _masses_by_enumeration(stage, _parents_in(tree, stages[r - 1] if r else None))
        else:
            before = stages[r - 1]
            deals = before.indexer.deals(len(before.indexer.rounds) - 1, np.arange(before.indexer.sizes[-1]))
            masses = _masses_by_dealing(before, tree.buckets(deals), stage, threads, progress)
        n_parents = levels[-1].n_buckets if levels else 1
        most = budget if r == 0 else min(most_children, budget)
        size = (stage.highest, n_parents, budget, most)
        levels.append(_level(masses, *size, backend=backend, threads=threads, started=started))
    return ExpectationAbstraction(stages, tuple(levels))


def _deals_one_card(before: ScoredRound, stage: ScoredRound) -> bool:
    return sum(stage.indexer.rounds) == sum(before.indexer.rounds) + 1


def _parents_in(
    tree: ExpectationAbstraction, before: ScoredRound | None
) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    if before is None:
        return lambda deals: np.zeros(len(deals), dtype=np.int64)
    held = sum(before.indexer.rounds)
    return lambda deals: tree.buckets(deals[:, :held])


def texas_rounds(*, threads: int | None = None, progress: Progress | None = None) -> tuple[ScoredRound, ...]:
    """The first three rounds of Texas hold'em; sweeps all river boards if the tables are not cached yet.

    Turn hands are scored without regard to which public card came last.
    """
    stages = []
    for name in ("preflop", "flop", "turn-unordered"):
        table = ehs_table(name, threads=threads, progress=progress)
        scores = 2 * table.outcomes[:, 0].astype(np.int64) + table.outcomes[:, 1]
        stages.append(ScoredRound(table.indexer, scores, 2 * table.total))
    return tuple(stages)


def one_card_rounds(game: OneCardGame) -> tuple[ScoredRound, ...]:
    """All rounds of a game with one private card."""
    return tuple(
        ScoredRound(
            HandIndexer((1,) * (r + 1), game.deck),
            2 * equities.outcomes[:, 0] + equities.outcomes[:, 1],
            2 * equities.total,
        )
        for r, equities in enumerate(game.equities)
    )
