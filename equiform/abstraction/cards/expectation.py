r"""Expectation-based abstraction: GS2's abstraction tree.

A. Gilpin and T. Sandholm, AAMAS 2007, §4. Hands are compared by their expected hand strength. The first round's hands
are clustered on a line. In every later round each abstract state of the round before (a *parent*) splits its hands into
:math:`k_i` clusters; optimal clusterings on a line give its error :math:`c_{ik}` for all k at once, and the 0-1 program
of :mod:`equiform.formulations.abstraction.abstraction_ip` divides the round's budget of children among the parents. A
player with such an abstraction never forgets: perfect recall.

Clusters are intervals of scores (twice the wins plus the ties, an integer), so that a round is stored as one sorted
list of *cuts* per parent, and no table of the 55 million turn hands is needed: each parent's distribution of turn
scores is collected by dealing all turn cards to all flop hands, and that of river scores by a sweep of all boards
(:mod:`equiform.abstraction.cards.river`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.abstraction.cards.river import RiverRound, river_masses
from equiform.abstraction.cards.score_cuts import ScoreCuts, score_cuts
from equiform.abstraction.cards.scored_rounds import ScoredRound, Stage
from equiform.abstraction.clustering.kmeans1d import LineClusterings, kmeans_line
from equiform.formulations.abstraction import abstraction_ip
from equiform.formulations.abstraction.allocation import AllocationProblem, allocation_problem
from equiform.formulations.optimization import backends
from equiform.formulations.optimization.options import SolverOptions
from equiform.games.cards.card import CardError
from equiform.games.cards.isomorphism import ENDS, N_ROUNDS, N_WORK, canonical_deal, canonical_index
from equiform.games.cards.rounds.river_scores import HIGHEST, river_score_counts
from equiform.games.cards.rounds.sweep import Progress, run_in_threads, thread_count
from equiform.models.common.arguments import require_count, require_counts, require_kind, require_sequence
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import InfeasibleError, ParameterError
from equiform.models.common.jit import jit

_MOST_BUCKETS = 10**7
_Masses = tuple[IntArray, IntArray, FloatArray]  # parents, scores, weights of hands


@dataclass(frozen=True, eq=False)
class ExpectationRound:
    """One level of the abstraction tree. Buckets are numbered parent by parent, from weak to strong."""

    cuts: ScoreCuts = field(repr=False)
    error: float
    """Expected squared difference between a hand's strength and its bucket's mean."""
    means: FloatArray = field(repr=False)  # [bucket]: mean hand strength
    weights: FloatArray = field(repr=False)  # [bucket]: probability
    seconds: float
    division: AllocationProblem | None = field(default=None, repr=False)
    """How the budget could be divided among the parents; None in the first round."""
    ip_seconds: float = 0.0

    @property
    def children(self) -> tuple[int, ...]:
        """How many buckets each parent has."""
        return self.cuts.children

    @property
    def n_buckets(self) -> int:
        """How many abstract states the round has."""
        return self.cuts.n_buckets


@dataclass(frozen=True, eq=False)
class ExpectationAbstraction:
    """An abstraction tree, first round first."""

    rounds: tuple[Stage, ...] = field(repr=False)
    levels: tuple[ExpectationRound, ...]

    def buckets(self, deals: ArrayLike) -> IntArray:
        """Return the buckets of deals (rows of cards, round after round); the number of cards determines the round."""
        cards = require_deals(deals, [sum(stage.deals) for stage in self.rounds])
        now = np.zeros(len(cards), dtype=np.int64)
        for stage, level in zip(self.rounds, self.levels, strict=True):
            held = sum(stage.deals)
            if held > cards.shape[1]:
                break
            now = level.cuts.buckets(now, stage.score(cards[:, :held]))
        return now


def require_deals(deals: ArrayLike, sizes: Sequence[int]) -> IntArray:
    """Check that deals have as many cards as some round; one deal may come without its brackets."""
    cards = np.atleast_2d(require_integers(deals, "deals", "abstracted hands", error=CardError))
    if cards.ndim != 2 or (sizes and cards.shape[1] not in sizes):
        raise CardError(
            "this is not a hand of an abstracted round",
            where=f"{cards.shape[-1]} cards",
            fix=f"deal {' or '.join(map(str, sizes))}",
        )
    return cards


@jit
def _add_successors(
    classes: IntArray,
    orbits: IntArray,
    parents: IntArray,
    now: IntArray,
    following: IntArray,
    n_cards: int,
    scores: IntArray,
    masses: FloatArray,
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


def _masses_by_enumeration(stage: ScoredRound, tree: ExpectationAbstraction) -> _Masses:
    """Return the weights of a round's classes, their parents and scores."""
    deals = stage.representatives
    held = sum(tree.rounds[-1].deals) if tree.rounds else 0
    above = tree.buckets(deals[:, :held]) if held else np.zeros(len(deals), dtype=np.int64)
    return above, stage.scores, stage.indexer.orbits(deals).astype(np.float64)


def _masses_by_dealing(
    before: ScoredRound,
    tree: ExpectationAbstraction,
    stage: ScoredRound,
    threads: int | None,
    progress: Progress | None,
) -> _Masses:
    """Return the same by dealing one more card to all classes of the previous round, merging equal scores at once."""
    classes = np.arange(before.indexer.sizes[-1])
    orbits, buckets = before.indexer.orbits(before.representatives), tree.buckets(before.representatives)
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
    return _merged(masses)


def _masses_of_river(tree: ExpectationAbstraction, threads: int | None, progress: Progress | None) -> _Masses:
    """Return the same for the river, by a sweep of all boards."""
    if [sum(stage.deals) for stage in tree.rounds] != [2, 5, 6]:
        raise ParameterError(
            "the river comes after preflop, flop and turn", where=f"{len(tree.rounds)} rounds", fix="use texas_rounds()"
        )
    _, flop, turn = tree.rounds
    assert isinstance(flop, ScoredRound) and isinstance(turn, ScoredRound)
    masses = river_masses(
        tree.buckets(flop.representatives), turn.scores, tree.levels[2].cuts, threads=threads, progress=progress
    )
    return _merged(masses)


def _merged(masses: NDArray[Any]) -> _Masses:
    """Return parents, scores and weights from a table ``[parent, score]``."""
    parents, scores = np.nonzero(masses)
    return parents, scores, masses[parents, scores].astype(np.float64)


def split_level(
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
    """Cluster the hands of every parent on a line, and divide the budget of children.

    ``masses`` lists parents, scores up to ``highest``, and weights; a parent has at most ``most`` children.
    """
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
        allocation = abstraction_ip.solve(division.errors, division.weights, budget, solver=SolverOptions(backend))
        children, ip_seconds = allocation.children, allocation.seconds
    cuts = [np.rint(f.points[f.starts(k)[1:]] * highest) for f, k in zip(found, children, strict=True)]
    return ExpectationRound(
        cuts=score_cuts(np.concatenate(cuts), children),
        error=float(sum(f.errors[k - 1] for f, k in zip(found, children, strict=True)) / mass.sum()),
        means=np.concatenate([f.means(k) for f, k in zip(found, children, strict=True)]),
        weights=np.concatenate([np.add.reduceat(f.weights, f.starts(k)) for f, k in zip(found, children, strict=True)])
        / mass.sum(),
        seconds=time.perf_counter() - started,
        division=division,
        ip_seconds=ip_seconds,
    )


def expectation_abstraction(
    rounds: Sequence[Stage],
    buckets: Sequence[int],
    *,
    most_children: int = 30,
    backend: str = "highs",
    threads: int | None = None,
    progress: Progress | None = None,
) -> ExpectationAbstraction:
    """Build the abstraction tree round by round.

    Parameters
    ----------
    rounds
        The rounds of the game with their hands' scores, in the order of play.
    buckets
        At most ``buckets[r]`` buckets in round r; the numbers must not decrease below the first.
    most_children
        How many children a parent may have (the paper's 30); errors are convex in the number of children, so that a
        bound which no parent reaches costs nothing.
    backend
        The solver of the integer program that divides the children among the parents.
    threads, progress
        How many threads share the work, and a function that is called as ``progress(stage, done, total)``.

    Raises
    ------
    ParameterError
        If an argument is out of range.
    InfeasibleError
        If a round has fewer buckets than the first has parents.
    """
    where = "abstraction tree"
    stages = [_require_stage(stage) for stage in require_sequence(rounds, "rounds", where)]
    budgets = require_counts(buckets, "buckets", where, most=_MOST_BUCKETS)
    require_count(most_children, "most_children", where)
    thread_count(threads, where)
    backends.get(backend)
    _require_budgets(stages, budgets)
    tree = ExpectationAbstraction((), ())
    for stage, budget in zip(stages, budgets, strict=False):
        started = time.perf_counter()
        before = tree.rounds[-1] if tree.rounds else None
        if isinstance(stage, RiverRound):
            masses = _masses_of_river(tree, threads, progress)
        elif isinstance(before, ScoredRound) and sum(stage.deals) == sum(before.deals) + 1:
            masses = _masses_by_dealing(before, tree, stage, threads, progress)
        else:
            masses = _masses_by_enumeration(stage, tree)
        n_parents = tree.levels[-1].n_buckets if tree.levels else 1
        most = min(most_children, budget) if tree.levels else budget
        size = (stage.highest, n_parents, budget, most)
        level = split_level(masses, *size, backend=backend, threads=threads, started=started)
        tree = ExpectationAbstraction((*tree.rounds, stage), (*tree.levels, level))
    return tree


def _require_budgets(stages: Sequence[Stage], budgets: Sequence[int]) -> None:
    """Refuse numbers of buckets that do not fit the rounds."""
    if not budgets or len(budgets) > len(stages):
        raise ParameterError(
            "every round needs a number of buckets",
            where=f"{len(stages)} rounds, buckets {list(budgets)}",
            fix="pass one number per round from the first on, and no more than there are rounds",
        )
    first = stages[0]
    roots = min(budgets[0], len(np.unique(first.scores))) if isinstance(first, ScoredRound) else 1
    if min(budgets) < roots:
        raise InfeasibleError(
            f"a budget of {min(budgets):,} children cannot serve {roots:,} parents",
            where=f"buckets {list(budgets)}",
            fix="every bucket has a child in the next round: use numbers that do not decrease",
        )


def _require_stage(stage: Stage) -> Stage:
    if isinstance(stage, RiverRound):
        return stage
    return require_kind(stage, ScoredRound, "a round", "abstraction tree")


def river_by_strength(k: int, *, threads: int | None = None, progress: Progress | None = None) -> ExpectationRound:
    """Cut all river hands, on one line of strengths, optimally into k buckets for a player who may forget.

    A river hand's strength is certain, so the earth mover's distance of two hands is the difference of their strengths:
    these are the distribution-aware buckets of the last round, too.

    Parameters
    ----------
    k
        The number of buckets.
    threads, progress
        How many threads share the work, and a function that is called as ``progress(stage, done, total)``.
    """
    started = time.perf_counter()
    require_count(k, "k", "river buckets", most=HIGHEST + 1)
    masses = _merged(river_score_counts(threads=threads, progress=progress)[None, :])
    return split_level(masses, HIGHEST, 1, k, k, backend="highs", threads=threads, started=started)
