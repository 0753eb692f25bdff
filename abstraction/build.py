"""One front for all methods of card abstraction: a game, a method, numbers of buckets, and the result to store.

Games are ``texas`` (preflop, flop, turn) and those with one private card: ``rhode-island`` and ``leduc``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiform.abstraction.bucket_file import BucketFile, BucketRound
from equiform.abstraction.expectation import expectation_abstraction, one_card_rounds, texas_rounds
from equiform.abstraction.one_card_shrink import counted_shrink, mutual_shrink
from equiform.abstraction.potential_aware import (
    RoundBuckets,
    by_distribution,
    class_weights,
    one_card_potential_aware,
    texas_potential_aware,
)
from equiform.games.cards.indexing import HandIndexer
from equiform.games.cards.one_card import LEDUC, RHODE_ISLAND, OneCardGame
from equiform.games.cards.sweep import Progress
from equiform.games.cards.tables import histogram_table
from equiform.models.errors import ParameterError

ONE_CARD: dict[str, OneCardGame] = {"rhode-island": RHODE_ISLAND, "leduc": LEDUC}
ROUNDS: dict[str, tuple[str, ...]] = {
    "texas": ("preflop", "flop", "turn"),
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


def build_abstraction(
    game: str,
    method: str,
    buckets: Sequence[int] = (),
    *,
    rounds: int | None = None,
    sample: int | None = 50_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BucketFile:
    """Abstract the first rounds of a game.

    ``expectation`` (GS2, perfect recall), ``distribution`` and ``potential`` (imperfect recall) take a number of
    buckets a round; ``gameshrink`` (win and tie counts) and ``lossless`` find theirs. ``sample`` is how many hands the
    means of the large rounds of Texas hold'em are learned from.

    >>> [r.n_buckets for r in build_abstraction("leduc", "lossless").rounds]
    [3, 9]
    """
    if game not in ROUNDS:
        raise ParameterError(f"there is no card abstraction for {game!r}", fix=f"use one of {', '.join(ROUNDS)}")
    if method not in METHODS:
        raise ParameterError(f"there is no method {method!r}", fix=f"use one of {', '.join(METHODS)}")
    names = ROUNDS[game][:rounds]
    if method in ("gameshrink", "lossless"):
        if buckets or rounds is not None:
            raise ParameterError(f"{method} finds its own number of buckets", fix="leave buckets and rounds out")
    elif len(buckets) != len(names) or min(buckets) < 1:
        raise ParameterError(
            f"{game} needs {len(names)} numbers of buckets", where=f"{list(buckets)}", fix=f"for {', '.join(names)}"
        )
    started = time.perf_counter()
    found = METHODS[method](_Task(game, names, tuple(buckets), sample, seed, threads, progress))
    return BucketFile(game, method, found, time.perf_counter() - started)


def _expectation(task: _Task) -> tuple[BucketRound, ...]:
    stages = (
        texas_rounds(threads=task.threads, progress=task.progress)
        if task.game == "texas"
        else one_card_rounds(ONE_CARD[task.game])
    )
    tree = expectation_abstraction(stages, task.buckets, threads=task.threads, progress=task.progress)
    found = []
    for name, stage, level in zip(task.names, tree.rounds, tree.levels, strict=True):
        # the turn of Texas hold'em is scored without the order of its cards: a class there has no bucket of its own
        labels = np.empty(0, dtype=np.int32)
        if stage.indexer.rounds != (2, 4):
            deals = stage.indexer.deals(len(stage.indexer.rounds) - 1, np.arange(stage.indexer.sizes[-1]))
            labels = tree.buckets(deals).astype(np.int32)
        cuts = np.concatenate(level.cuts) if level.cuts else np.empty(0, dtype=np.int64)
        found.append(
            BucketRound(name, stage.indexer.rounds, level.weights, labels, level.means, cuts, np.array(level.children))
        )
    return tuple(found)


def _potential(task: _Task) -> tuple[BucketRound, ...]:
    if len(task.buckets) < len(ROUNDS[task.game]):
        raise ParameterError("potential-aware abstraction begins with the last round", fix="abstract all rounds")
    if task.game == "texas":
        levels = texas_potential_aware(
            task.buckets, sample=task.sample, seed=task.seed, threads=task.threads, progress=task.progress
        )
    else:
        levels = one_card_potential_aware(ONE_CARD[task.game], task.buckets, seed=task.seed)
    return tuple(_stored(name, level) for name, level in zip(task.names, levels, strict=True))


def _distribution(task: _Task) -> tuple[BucketRound, ...]:
    if task.game != "texas":
        raise ParameterError("equity histograms are kept for Texas hold'em", fix="use potential or expectation")
    found = []
    for name, k in zip(task.names, task.buckets, strict=True):
        table = histogram_table(
            "turn-unordered" if name == "turn" else name, threads=task.threads, progress=task.progress
        )
        level = by_distribution(
            table.indexer, table.counts, k, sample=task.sample, seed=task.seed, threads=task.threads
        )
        found.append(_stored(name, level))
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
        found.append(_round(name, hands, labels.astype(np.int32), cards.equities[r].ehs))
    return tuple(found)


def _stored(name: str, level: RoundBuckets) -> BucketRound:
    return _round(name, level.indexer, level.labels, None, level.n_buckets)


def _round(
    name: str,
    hands: HandIndexer,
    labels: NDArray[np.int32],
    ehs: NDArray[np.float64] | None,
    n_buckets: int | None = None,
) -> BucketRound:
    weights = class_weights(hands)
    size = n_buckets or int(labels.max()) + 1
    mass = np.bincount(labels, weights=weights, minlength=size)
    means = np.empty(0) if ehs is None else np.bincount(labels, weights=weights * ehs, minlength=size) / mass
    return BucketRound(name, hands.rounds, mass / mass.sum(), labels, means)


#: Methods by name.
METHODS: dict[str, Callable[[_Task], tuple[BucketRound, ...]]] = {
    "expectation": _expectation,
    "distribution": _distribution,
    "potential": _potential,
    "gameshrink": _gameshrink,
    "lossless": _lossless,
}
