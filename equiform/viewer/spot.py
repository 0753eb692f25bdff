"""The page of a hold'em spot: every decision on one board, hand by hand, as the results' own tables have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from equiform.models.common.errors import ParameterError
from equiform.models.common.records import plain
from equiform.viewer.document import packed
from equiform.viewer.page import Page

FORMAT = "equiform-explorer-spot"
VERSION = 1
_COLUMNS = ("weight", "probabilities", "ev_of_moves", "ev", "equity")


@dataclass(frozen=True, eq=False)
class SpotExplorer(Page):
    """A page about a solved spot.

    Parameters
    ----------
    name
        What the spot is called.
    tables
        The decisions, the first one first, each as plain data: player, history, board, moves, frequencies, value,
        equity and a row per hand.
    proof
        What is known about the answer, as plain data.
    unproved
        Sentences that say what the proof does not cover.
    note
        What is left out of the page.
    course
        How the answer was reached, as :func:`equiform.viewer.convergence.course` returns it.
    """

    name: str
    tables: Sequence[Mapping[str, Any]] = field(repr=False)
    proof: Mapping[str, Any] = field(repr=False)
    unproved: tuple[str, ...] = ()
    note: str = ""
    course: Mapping[str, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.tables:
            raise ParameterError("there is no decision to show", where=self.name, fix="solve a spot with a decision")

    @cached_property
    def document(self) -> dict[str, Any]:
        """The data of the page."""
        lists: dict[str, int] = {}
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.name,
            "note": self.note,
            "tables": [_table(t, lists) for t in self.tables],
            "hands": list(lists),
            "course": self.course,
            "profiles": [{"title": self.name, "proof": plain(dict(self.proof)), "unproved": list(self.unproved)}],
        }


def packed_size(hands: int, moves: int) -> int:
    """Return about how many bytes a decision takes in the page: two columns per move and three more, as base64."""
    return hands * (3 + 2 * moves) * 4 * 4 // 3


def _table(table: Mapping[str, Any], lists: dict[str, int]) -> dict[str, Any]:
    """Pack a decision; players see the same hands at all of their decisions on a board, so lists are shared."""
    rows = table["hands"]
    names = "".join(row["hand"] for row in rows)
    columns = {name: np.array([row[name] for row in rows], dtype=np.float32) for name in _COLUMNS}
    return {
        **{name: table[name] for name in ("player", "history", "board", "moves", "frequencies", "ev", "equity")},
        "hands": lists.setdefault(names, len(lists)),
        "weight": packed(columns["weight"]),
        "probabilities": packed(columns["probabilities"].ravel()),
        "evOfMoves": packed(columns["ev_of_moves"].ravel()),
        "handEv": packed(columns["ev"]),
        "handEquity": packed(columns["equity"]),
    }
