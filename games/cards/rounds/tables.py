"""Equities and equity histograms of all hand classes of a round, computed once and kept on disk.

The first call of :func:`ehs_table` sweeps all river boards (:mod:`~equiform.games.cards.rounds.sweep`) and writes the
tables of all rounds; later calls map the files. River equities need no table:
:func:`~equiform.games.cards.showdown.showdown` computes those of a whole board in microseconds.

Rounds are ``"preflop"`` (169 classes), ``"flop"`` (1,286,792), ``"turn"`` (55,190,538) and ``"turn-unordered"``: turn
hands where it is forgotten which public card came last (13,960,050). Equities do not depend on that order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from equiform.games.cards.card import CardsLike, hand_and_board
from equiform.games.cards.equity import DEFAULT_BINS, MAX_SCORE, Equity
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.rank_tables import fingerprint, rank_tables
from equiform.games.cards.rounds.cache import cache_dir, cached_array, new_array, require_writable
from equiform.games.cards.rounds.histograms import fill_histograms, preflop_histograms
from equiform.games.cards.rounds.sweep import (
    Progress,
    earlier_table,
    preflop_table,
    river_table,
    spread_table,
    thread_count,
)
from equiform.games.cards.showdown import OPPONENTS
from equiform.models.common.arguments import require_count, require_name
from equiform.models.common.array_arguments import require_array, require_integers
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError

#: Raise it when the layout of a table or the numbering of hands changes.
VERSION = 1
ROUNDS: dict[str, tuple[int, ...]] = {
    "preflop": (2,),
    "flop": (2, 3),
    "turn": (2, 3, 1),
    "turn-unordered": (2, 4),
}
_EHS_DTYPES: dict[str, DTypeLike] = {
    "preflop": np.uint32,
    "flop": np.uint32,
    "turn": np.uint16,
    "turn-unordered": np.uint16,
}
_HISTOGRAM_DTYPES: dict[str, DTypeLike] = {"preflop": np.int64, "flop": np.uint16, "turn-unordered": np.uint8}


def _indexer(round_: str) -> HandIndexer:
    return hand_indexer(*ROUNDS[require_name(round_, ROUNDS, "round", "tables of hands")])


def _completions(round_: str) -> int:
    board = sum(ROUNDS[round_]) - 2
    return comb(50 - board, 5 - board)


def _path(name: str, folder: Path | None) -> Path:
    """Name the file by version and evaluator, so that a table from another release is never read."""
    if folder is not None and not isinstance(folder, str | Path):
        raise ParameterError(f"folder is {folder!r}"[:200], where=f"table {name}", fix="pass a path, or None")
    return (
        (cache_dir() if folder is None else Path(folder))
        / "cards"
        / f"{name}-v{VERSION}-{fingerprint(rank_tables())[:12]}.npy"
    )


def _rows(table: NDArray[Any], classes: ArrayLike | slice, round_: str) -> NDArray[Any]:
    """Return the rows of the given classes."""
    if isinstance(classes, slice):
        return table[classes]
    if isinstance(classes, np.ndarray) and classes.dtype == bool:  # a mask, not the classes 0 and 1
        return table[require_array(classes, "classes", f"{round_} hands", shape=(len(table),))]
    return table[require_integers(classes, "classes", f"{round_} hands", least=0, most=len(table) - 1)]


@dataclass(frozen=True)
class EhsTable:
    """Wins and ties of every hand class of a round against a uniformly random opponent."""

    round: str
    outcomes: NDArray[Any]  # [class, (wins, ties)], memory-mapped
    total: int  # completions of the board times opponent hands

    @property
    def indexer(self) -> HandIndexer:
        """What numbers the classes; they are those of its last round."""
        return _indexer(self.round)

    def ehs(self, classes: ArrayLike | slice = slice(None)) -> FloatArray:
        """Return the expected hand strength of the given classes, by default of all."""
        chosen = _rows(self.outcomes, classes, self.round)
        return (2.0 * chosen[..., 0] + chosen[..., 1]) / (2.0 * self.total)

    def equity(self, hand: CardsLike, board: CardsLike = ()) -> Equity:
        """Return the record of one hand."""
        private, public = hand_and_board(hand, board, sizes=(sum(ROUNDS[self.round]) - 2,))
        wins, ties = self.outcomes[self.indexer.index([private + public])[0]]
        return Equity(int(wins), int(ties), self.total)


def ehs_table(
    round_: str, *, threads: int | None = None, progress: Progress | None = None, folder: Path | None = None
) -> EhsTable:
    """Return the equities of all hand classes of a round; sweeps all river boards if they are not cached yet.

    ``threads`` defaults to the number of processors, ``folder`` to
    :func:`~equiform.games.cards.rounds.cache.cache_dir`.
    """
    shape = (_indexer(round_).sizes[-1], 2)
    thread_count(threads, "table of equities")
    path = _path(f"ehs-{round_}", folder)

    def build() -> None:
        build_ehs_tables(threads=threads, progress=progress, folder=folder)

    outcomes = cached_array(path, shape, _EHS_DTYPES[round_], build)
    return EhsTable(round_, outcomes, _completions(round_) * OPPONENTS)


def build_ehs_tables(
    *, threads: int | None = None, progress: Progress | None = None, folder: Path | None = None
) -> None:
    """Sweep all river boards and write the tables of all rounds, replacing any that exist."""
    thread_count(threads, "tables of equities")
    require_writable(_path("ehs-preflop", folder))
    turns = earlier_table(river_table(threads=threads, progress=progress), 4, threads=threads, progress=progress)
    flops = earlier_table(turns, 3, threads=threads, progress=progress)
    for round_, boards, size in (("flop", flops, 3), ("turn-unordered", turns, 4), ("turn", turns, 4)):
        shape = (_indexer(round_).sizes[-1], 2)
        with new_array(_path(f"ehs-{round_}", folder), shape, _EHS_DTYPES[round_]) as out:
            spread_table(boards, size, ROUNDS[round_], out, threads=threads, progress=progress)
    starting = preflop_table(flops)
    with new_array(_path("ehs-preflop", folder), starting.shape, starting.dtype) as out:
        out[:] = starting


@dataclass(frozen=True)
class HistogramTable:
    """River equity histograms of every hand class of a round."""

    round: str
    counts: NDArray[Any]  # [class, interval], memory-mapped; every row adds up to total
    total: int

    @property
    def indexer(self) -> HandIndexer:
        """What numbers the classes; they are those of its last round."""
        return _indexer(self.round)

    def masses(self, classes: ArrayLike | slice = slice(None)) -> FloatArray:
        """Return the histograms of total mass one."""
        chosen = _rows(self.counts, classes, self.round)
        return chosen / float(self.total)


def histogram_table(
    round_: str,
    bins: int = DEFAULT_BINS,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> HistogramTable:
    """Return the river equity histograms of all classes of ``"preflop"``, ``"flop"`` or ``"turn-unordered"``."""
    require_name(round_, _HISTOGRAM_DTYPES, "round", "tables of histograms")
    require_count(bins, "bins", "table of histograms", most=MAX_SCORE + 1)
    thread_count(threads, "table of histograms")
    shape, dtype = (_indexer(round_).sizes[-1], bins), _HISTOGRAM_DTYPES[round_]
    path = _path(f"histograms-{round_}-{bins}", folder)

    def build() -> None:
        with new_array(path, shape, dtype) as out:
            river = river_table(threads=threads, progress=progress)
            if round_ == "preflop":
                out[:] = preflop_histograms(river, bins)
            else:
                fill_histograms(river, (2, sum(ROUNDS[round_]) - 2), out, threads=threads, progress=progress)

    counts = cached_array(path, shape, dtype, build)
    return HistogramTable(round_, counts, _completions(round_))
