"""Betting rounds whose hands lie on a line: a score for every hand, from weak to strong.

A score counts wins and ties against all opponents and completions of the board, an integer. There are two ways to weigh
them (:data:`METRICS`). By *equity* a tie is half a win: :math:`2w + d`. GS2's paper (Gilpin & Sandholm, AAMAS 2007)
values a hand at :math:`w - l + d/2`; with :math:`w + l + d = N` that is :math:`(4w + 3d)/2 - N`, so that a tie is worth
three quarters of a win. Early rounds keep a score for every hand class; the river computes it, by equity
(:mod:`equiform.abstraction.cards.river`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.abstraction.cards.river import RiverRound
from equiform.games.cards.indexing import HandIndexer
from equiform.games.cards.one_card import OneCardGame
from equiform.games.cards.rounds.sweep import Progress
from equiform.games.cards.rounds.tables import ehs_table
from equiform.models.common.arguments import require_count, require_kind, require_name
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import IntArray

#: What a win and what a tie adds to a score.
METRICS: dict[str, tuple[int, int]] = {"equity": (2, 1), "gs2": (4, 3)}


@dataclass(frozen=True, eq=False)
class ScoredRound:
    """A betting round: hand classes, and a score of each (at most ``highest``, if every hand is won)."""

    indexer: HandIndexer  # its last round's classes
    scores: IntArray = field(repr=False)
    highest: int

    def __post_init__(self) -> None:
        require_kind(self.indexer, HandIndexer, "indexer", "scored round")
        where = f"scored round {self.indexer.rounds}"
        require_count(self.highest, "highest", where, most=2**53)  # scores are divided by it
        require_kind(self.scores, np.ndarray, "scores", where)
        require_integers(self.scores, "scores", where, shape=(self.indexer.sizes[-1],), least=0, most=self.highest)

    @property
    def deals(self) -> tuple[int, ...]:
        """Cards dealt, group by group: what the classes are classes of."""
        return self.indexer.rounds

    def score(self, deals: ArrayLike) -> IntArray:
        """Return the scores of deals (rows of cards)."""
        return self.scores[self.indexer.index(deals)]

    @cached_property
    def representatives(self) -> IntArray:
        """A deal of every class."""
        return self.indexer.deals(len(self.indexer.rounds) - 1, np.arange(self.indexer.sizes[-1]))


#: What a tree is built of: rounds with a score for every class, and a river that is scored on demand.
Stage: TypeAlias = ScoredRound | RiverRound


def texas_rounds(
    *, metric: str = "equity", threads: int | None = None, progress: Progress | None = None
) -> tuple[Stage, ...]:
    """Return the rounds of Texas hold'em; sweeps all river boards if the tables are not cached yet.

    Turn hands are scored without regard to which public card came last. River hands are scored by equity alone, so that
    the river is left out under another metric.
    """
    require_name(metric, METRICS, "metric", "scored rounds")
    stages: list[Stage] = []
    for name in ("preflop", "flop", "turn-unordered"):
        table = ehs_table(name, threads=threads, progress=progress)
        stages.append(_scored(table.indexer, table.outcomes, table.total, metric))
    return (*stages, RiverRound(threads=threads)) if metric == "equity" else tuple(stages)


def one_card_rounds(game: OneCardGame, *, metric: str = "equity") -> tuple[ScoredRound, ...]:
    """Return all rounds of a game with one private card.

    >>> from equiform.games.cards.one_card import LEDUC
    >>> [one_card_rounds(LEDUC, metric=m)[0].scores.tolist() for m in METRICS]  # a jack wins 4 of 20 and ties 4
    [[12, 20, 28], [28, 44, 60]]
    """
    require_kind(game, OneCardGame, "game", "scored rounds")
    require_name(metric, METRICS, "metric", "scored rounds")
    return tuple(
        _scored(HandIndexer((1,) * (r + 1), game.deck), equities.outcomes, equities.total, metric)
        for r, equities in enumerate(game.equities)
    )


def _scored(indexer: HandIndexer, outcomes: NDArray[Any], total: int, metric: str) -> ScoredRound:
    """Score classes by their wins and ties."""
    win, tie = METRICS[metric]
    return ScoredRound(indexer, win * outcomes[:, 0].astype(np.int64) + tie * outcomes[:, 1], win * total)
