"""One entry point for all methods of card abstraction: from a game, a method and numbers of buckets to a result.

Games are ``texas`` (preflop, flop, turn, river) and those with one private card: ``rhode-island`` and ``leduc``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction
from equiform.abstraction.cards.expectation import ExpectationRound, expectation_abstraction, river_by_strength
from equiform.abstraction.cards.hierarchical import (
    by_strength,
    cluster_public,
    hierarchical,
    public_distances,
    transition_table,
)
from equiform.abstraction.cards.lossless.one_card_shrink import counted_shrink, mutual_shrink
from equiform.abstraction.cards.potential_aware import (
    by_distribution,
    by_equity,
    class_weights,
    one_card_potential_aware,
    texas_potential_aware,
)
from equiform.abstraction.cards.river import RiverRound
from equiform.abstraction.cards.scored_rounds import METRICS, ScoredRound, one_card_rounds, texas_rounds
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.one_card import LEDUC, RHODE_ISLAND, OneCardGame
from equiform.games.cards.rounds.sweep import Progress, thread_count
from equiform.games.cards.rounds.tables import ehs_table, histogram_table
from equiform.models.common.arguments import (
    require_all,
    require_callable,
    require_count,
    require_counts,
    require_name,
    require_seed,
)
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import ParameterError

ONE_CARD: dict[str, OneCardGame] = {"rhode-island": RHODE_ISLAND, "leduc": LEDUC}
#: Buckets of the base abstraction that public clusters are found by (the thesis's number).
BASE = 5000
ROUNDS: dict[str, tuple[str, ...]] = {
    "texas": ("preflop", "flop", "turn", "river"),
    "rhode-island": ("private", "flop", "turn"),
    "leduc": ("private", "public"),
}


@dataclass(frozen=True)
class _Task:
    game: str
    names: tuple[str, ...]
    buckets: tuple[int, ...]
    sample: int | None
    seed: int
    threads: int | None
    progress: Progress | None
    public: int
    metric: str


def build_abstraction(
    game: str,
    method: str,
    buckets: Sequence[int] = (),
    *,
    rounds: int | Sequence[str] | None = None,
    sample: int | None = 50_000,
    seed: int = 0,
    public: int = 60,
    metric: str = "equity",
    threads: int | None = None,
    progress: Progress | None = None,
) -> CardAbstraction:
    """Abstract rounds of a game, by default the first ones, as many as there are numbers of buckets.

    Parameters
    ----------
    game
        ``texas``, ``rhode-island`` or ``leduc``.
    method
        ``expectation`` (GS2, perfect recall), ``distribution`` or ``potential`` (imperfect recall), ``hierarchical``,
        ``gameshrink`` (by counts of wins and ties) or ``lossless``.
    buckets
        A number per round, for ``hierarchical`` in each of the ``public`` clusters of flops; the last two methods find
        their own.
    rounds
        How many rounds, or their names: ``distribution`` can abstract any of them alone.
    sample
        How many hands the means of the large rounds of Texas hold'em are learned from; all if None.
    metric
        What ``expectation`` compares hands by: ``equity`` (a tie is half a win), or ``gs2``, the value w − l + d/2 of
        GS2's paper (a tie is three quarters of one); the river of Texas hold'em is known by equity only.
    seed, threads, progress
        Of the random numbers; how many share the work; called as ``progress(stage, done, total)``.

    Examples
    --------
    >>> [r.n_buckets for r in build_abstraction("leduc", "lossless").rounds]
    [3, 9]
    """
    require_name(game, ROUNDS, "card abstraction for")
    require_name(method, METHODS, "method", "card abstraction")
    numbers = require_counts(buckets, "buckets", f"{method} of {game}")
    if sample is not None:
        require_count(sample, "sample", "card abstraction")
    require_seed(seed, "card abstraction")
    require_count(public, "public", "card abstraction")
    thread_count(threads, "card abstraction")
    if progress is not None:
        require_callable(progress, "progress", "card abstraction")
    names = _rounds_of(game, method, numbers, rounds)
    _require_metric(method, metric, names)
    started = time.perf_counter()
    found = METHODS[method](_Task(game, names, numbers, sample, seed, threads, progress, public, metric))
    return CardAbstraction(game, method, found, time.perf_counter() - started, metric)


def _require_metric(method: str, metric: str, names: Sequence[str]) -> None:
    """Refuse a metric that is not known, or not known to a method."""
    require_name(metric, METRICS, "metric", "card abstraction")
    if metric != "equity" and (method != "expectation" or "river" in names):
        raise ParameterError(
            "only the expectation method has a metric other than equity, and not on the river",
            where=f"{metric} for {method} of {', '.join(names)}",
            fix="use --method expectation without the river, or leave the metric out",
        )


def _rounds_of(game: str, method: str, numbers: Sequence[int], rounds: int | Sequence[str] | None) -> tuple[str, ...]:
    """Return the rounds that a method abstracts, one per number of buckets."""
    if method in ("gameshrink", "lossless"):
        if numbers or rounds is not None:
            raise ParameterError(f"{method} finds its own number of buckets", fix="leave buckets and rounds out")
        return ROUNDS[game]
    names = _chosen_rounds(game, len(numbers) if rounds is None else rounds)
    if len(numbers) != len(names) or not numbers:
        raise ParameterError(
            f"{len(names)} rounds need one positive number of buckets each",
            where=f"{list(numbers)} for {', '.join(names) or 'no round'}",
            fix=f"{game} has the rounds {', '.join(ROUNDS[game])}",
        )
    if method != "distribution" and names != ROUNDS[game][: len(names)]:
        raise ParameterError(f"{method} abstracts the first rounds and leaves none out", where=", ".join(names))
    return names


def _chosen_rounds(game: str, rounds: int | Sequence[str]) -> tuple[str, ...]:
    """Return the names of rounds, in the order of play."""
    there = ROUNDS[game]
    if isinstance(rounds, int | np.integer):
        return there[: require_count(rounds, "rounds", game, least=0)]
    named = require_all(rounds, str, "rounds", game)
    if not set(named) <= set(there) or len(set(named)) < len(named):
        raise ParameterError(f"{game} has the rounds {', '.join(there)}", where=", ".join(named), fix="name each once")
    return tuple(name for name in there if name in named)


def _expectation(task: _Task) -> tuple[BucketRound, ...]:
    stages = (
        texas_rounds(metric=task.metric, threads=task.threads, progress=task.progress)
        if task.game == "texas"
        else one_card_rounds(ONE_CARD[task.game], metric=task.metric)
    )
    tree = expectation_abstraction(stages, task.buckets, threads=task.threads, progress=task.progress)
    found = []
    for name, stage, level in zip(task.names, tree.rounds, tree.levels, strict=True):
        # the turn of Texas hold'em is scored without the order of its cards: a class there has no bucket of its own
        labels = None
        if isinstance(stage, ScoredRound) and stage.deals != (2, 4):
            labels = tree.buckets(stage.representatives).astype(np.int32)
        found.append(_cut(name, stage.deals, level, labels))
    return tuple(found)


def _cut(name: str, deals: tuple[int, ...], level: ExpectationRound, labels: Int32Array | None = None) -> BucketRound:
    """Return a round whose buckets are intervals of scores."""
    return BucketRound(
        name,
        deals,
        level.weights,
        np.empty(0, dtype=np.int32) if labels is None else labels,
        level.means,
        level.cuts.cuts,
        np.array(level.children),
    )


def _river(task: _Task) -> BucketRound:
    level = river_by_strength(task.buckets[-1], threads=task.threads, progress=task.progress)
    return _cut("river", RiverRound().deals, level)


def _potential(task: _Task) -> tuple[BucketRound, ...]:
    """Run Algorithm 1 from the turn of Texas hold'em (by its river equities), or from the last round of other games."""
    needed = 3 if task.game == "texas" else len(ROUNDS[task.game])
    if len(task.names) < needed:
        raise ParameterError(
            "potential-aware abstraction begins with the last round",
            where=", ".join(task.names),
            fix=f"abstract at least {', '.join(ROUNDS[task.game][:needed])}",
        )
    if task.game == "texas":
        levels = texas_potential_aware(
            task.buckets[:3], sample=task.sample, seed=task.seed, threads=task.threads, progress=task.progress
        )
    else:
        levels = one_card_potential_aware(ONE_CARD[task.game], task.buckets, seed=task.seed)
    found = tuple(
        _round(task, name, level.indexer, level.labels, level.n_buckets)
        for name, level in zip(task.names, levels, strict=False)
    )
    return (*found, _river(task)) if "river" in task.names else found


def _distribution(task: _Task) -> tuple[BucketRound, ...]:
    if task.game != "texas":
        raise ParameterError("equity histograms are kept for Texas hold'em", fix="use potential or expectation")
    found = []
    for name, k in zip(task.names, task.buckets, strict=True):
        if name == "river":
            found.append(_river(task))
            continue
        table = histogram_table(
            "turn-unordered" if name == "turn" else name, threads=task.threads, progress=task.progress
        )
        level = by_distribution(
            table.indexer, table.counts, k, sample=task.sample, seed=task.seed, threads=task.threads
        )
        found.append(_round(task, name, level.indexer, level.labels, level.n_buckets))
    return tuple(found)


def _hierarchical(task: _Task) -> tuple[BucketRound, ...]:
    """Find public clusters by a base abstraction of equal shares of strength, then private buckets by strength."""
    if task.game == "texas":
        rounds, boards = [hand_indexer(2), hand_indexer(2, 3)], hand_indexer(3)
    else:
        deck = ONE_CARD[task.game].deck
        rounds, boards = [HandIndexer((1,) * (r + 1), deck) for r in range(len(task.names))], HandIndexer((1,), deck)
    if not 2 <= len(task.names) <= len(rounds):
        raise ParameterError(
            "public clusters are made of flops",
            where=", ".join(task.names),
            fix=f"abstract {', '.join(ROUNDS[task.game][: len(rounds)])}",
        )
    require_count(task.public, "public", f"clusters of public states of {task.game}", most=boards.sizes[-1])
    strengths = [_strengths(task, name) for name in task.names]
    base = np.searchsorted(np.quantile(strengths[1], np.arange(1, BASE) / BASE), strengths[1])
    distances = public_distances(transition_table(rounds[1], boards, base), threads=task.threads)
    clusters = cluster_public(distances, task.public, seed=task.seed)
    first = by_equity(rounds[0], strengths[0], task.buckets[0])
    found = [_round(task, task.names[0], rounds[0], first.labels, first.n_buckets)]
    levels = hierarchical(rounds[1:], boards, clusters, task.buckets[1:], by_strength(rounds[1:], strengths[1:]))
    for name, level in zip(task.names[1:], levels, strict=True):
        begins = np.cumsum(level.sizes) - level.sizes  # a cluster's buckets lie side by side
        found.append(_round(task, name, level.indexer, (begins[level.public] + level.labels).astype(np.int32)))
    return tuple(found)


def _gameshrink(task: _Task) -> tuple[BucketRound, ...]:
    return _shrunk(task, mutual=False)


def _lossless(task: _Task) -> tuple[BucketRound, ...]:
    return _shrunk(task, mutual=True)


def _shrunk(task: _Task, *, mutual: bool) -> tuple[BucketRound, ...]:
    if task.game not in ONE_CARD:
        raise ParameterError("GameShrink enumerates every showdown", where=task.game, fix=f"use {', '.join(ONE_CARD)}")
    cards = ONE_CARD[task.game]
    shrunk = mutual_shrink(cards) if mutual else counted_shrink(cards)
    found = []
    for r, (name, labels) in enumerate(zip(task.names, shrunk.classes, strict=True)):
        hands = HandIndexer((1,) * (r + 1), cards.deck)
        found.append(_round(task, name, hands, labels.astype(np.int32)))
    return tuple(found)


def _strengths(task: _Task, name: str) -> FloatArray:
    """Return every class's expected hand strength in a round; Texas turn hands are unordered."""
    if task.game != "texas":
        return ONE_CARD[task.game].equities[ROUNDS[task.game].index(name)].ehs
    table = ehs_table("turn-unordered" if name == "turn" else name, threads=task.threads, progress=task.progress)
    return table.ehs()


def _round(task: _Task, name: str, hands: HandIndexer, labels: Int32Array, n_buckets: int | None = None) -> BucketRound:
    """Return a round with a bucket for every class."""
    weights = class_weights(hands)
    size = n_buckets or int(labels.max()) + 1
    mass = np.bincount(labels, weights=weights, minlength=size)
    strength = np.bincount(labels, weights=weights * _strengths(task, name), minlength=size)
    means = strength / np.maximum(mass, 1.0)  # k-means may leave a bucket empty
    return BucketRound(name, hands.rounds, mass / mass.sum(), labels, means)


#: Methods by name.
METHODS: dict[str, Callable[[_Task], tuple[BucketRound, ...]]] = {
    "expectation": _expectation,
    "distribution": _distribution,
    "potential": _potential,
    "hierarchical": _hierarchical,
    "gameshrink": _gameshrink,
    "lossless": _lossless,
}
