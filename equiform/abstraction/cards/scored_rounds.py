"""Betting rounds whose hands lie on a line: a score for every hand, from weak to strong.

A score is twice the wins plus the ties against all opponents and completions of the board, an integer. Early rounds
keep one for every hand class; the river computes it (:mod:`equiform.abstraction.cards.river`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from equiform.abstraction.cards.river import RiverRound
from equiform.games.cards.indexing import HandIndexer
from equiform.games.cards.one_card import OneCardGame
from equiform.games.cards.rounds.sweep import Progress
from equiform.games.cards.rounds.tables import ehs_table
from equiform.models.common.arguments import require_count, require_kind
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import IntArray


@dataclass(frozen=True, eq=False)
class ScoredRound:
    """A betting round: hand classes, and a score of each (twice the wins plus the ties, at most ``highest``)."""

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


def texas_rounds(*, threads: int | None = None, progress: Progress | None = None) -> tuple[Stage, ...]:
    """Return the four rounds of Texas hold'em; sweeps all river boards if the tables are not cached yet.

    Turn hands are scored without regard to which public card came last.
    """
    stages: list[Stage] = []
    for name in ("preflop", "flop", "turn-unordered"):
        table = ehs_table(name, threads=threads, progress=progress)
        scores = 2 * table.outcomes[:, 0].astype(np.int64) + table.outcomes[:, 1]
        stages.append(ScoredRound(table.indexer, scores, 2 * table.total))
    return *stages, RiverRound(threads=threads)


def one_card_rounds(game: OneCardGame) -> tuple[ScoredRound, ...]:
    """Return all rounds of a game with one private card."""
    require_kind(game, OneCardGame, "game", "scored rounds")
    return tuple(
        ScoredRound(
            HandIndexer((1,) * (r + 1), game.deck),
            2 * equities.outcomes[:, 0] + equities.outcomes[:, 1],
            2 * equities.total,
        )
        for r, equities in enumerate(game.equities)
    )
