"""One number from a paper, our own number, and the verdict on the pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from equiform.models.common.errors import FormatError


class Verdict(StrEnum):
    """The outcome of a comparison."""

    MATCH = "match"
    """Ours rounds to the printed number, or lies in the joint confidence interval, whatever a solver picks."""
    INSIDE = "inside interval"
    """The printed number depends on which of many equilibria was picked, and some equilibrium attains it."""
    MISMATCH = "mismatch"
    """The printed number is out of reach; the note says why, as far as we know."""
    OURS = "ours"
    """The paper prints no number here; ours is new."""


@dataclass(frozen=True)
class Cell:
    """One cell of a table."""

    row: str
    column: str
    printed: str
    """The number as printed, with all its digits; empty if the paper prints none."""
    ours: float
    verdict: Verdict
    low: float | None = None
    high: float | None = None
    """The attainable interval, or ours with its confidence interval."""
    note: str = ""

    def document(self) -> dict[str, Any]:
        """Return plain values for JSON, rounded to what a reader and a diff can use."""
        content: dict[str, Any] = {"row": self.row, "column": self.column, "printed": self.printed}
        content |= {"ours": _short(self.ours), "verdict": self.verdict.value}
        if self.low is not None and self.high is not None:
            content["interval"] = [_short(self.low), _short(self.high)]
        if self.note:
            content["note"] = self.note
        return content

    @staticmethod
    def from_document(content: Mapping[str, Any]) -> Cell:
        """Read a cell back."""
        try:
            interval = content.get("interval") or (None, None)
            return Cell(
                content["row"],
                content["column"],
                content["printed"],
                float(content["ours"]),
                Verdict(content["verdict"]),
                interval[0],
                interval[1],
                content.get("note", ""),
            )
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            raise FormatError(
                f"not a cell of a reproduction: {error!r}", where=str(content)[:80], fix="delete the file and run again"
            ) from None


def cells_of(content: object) -> list[Cell]:
    """Read a list of cells back."""
    if not isinstance(content, list):
        raise FormatError(
            "not the cells of a reproduction", where=str(content)[:80], fix="delete the file and run again"
        )
    return [Cell.from_document(c) for c in content]


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed digit.

    >>> half_unit("0.205"), half_unit("-119.46"), half_unit("12")
    (0.0005, 0.005, 0.5)
    """
    exponent = Decimal(printed).as_tuple().exponent
    return 0.5 * 10.0 ** int(exponent)


def rounds_to(ours: float, printed: str) -> bool:
    """Return whether our number rounds to the printed one, in either direction at a tie.

    >>> rounds_to(0.0125, "0.012"), rounds_to(0.0125, "0.013"), rounds_to(0.0126, "0.012")
    (True, True, False)
    """
    return abs(ours - float(printed)) <= half_unit(printed) * (1 + 1e-6)


def by_digits(row: str, column: str, printed: str, ours: float, *, note: str = "") -> Cell:
    """Judge by the printed digits."""
    verdict = Verdict.MATCH if rounds_to(ours, printed) else Verdict.MISMATCH
    return Cell(row, column, printed, ours, verdict, note=note)


def by_interval(
    row: str,
    column: str,
    printed: str,
    ours: float,
    *spans: tuple[float, float],
    selected: Iterable[float] = (),
    note: str = "",
) -> Cell:
    """Judge by intervals of attainable numbers, one per convention that the paper leaves open.

    The convention (how ties are broken, for instance) is the paper's choice, so one that fits is enough. Within a
    convention the interval contains what its equilibria attain. The verdict is *match* only if the whole interval
    rounds to the printed number, or if a number from a documented selection among the equilibria (``selected``) does.
    So no verdict depends on which equilibrium our solver happens to return; ``ours`` is shown but not judged.
    """
    slack = half_unit(printed)
    unique = any(rounds_to(low, printed) and rounds_to(high, printed) for low, high in spans)
    if unique or any(rounds_to(number, printed) for number in selected):
        verdict = Verdict.MATCH
    elif any(low - slack <= float(printed) <= high + slack for low, high in spans):
        verdict = Verdict.INSIDE
    else:
        verdict = Verdict.MISMATCH
    return Cell(row, column, printed, ours, verdict, min(s[0] for s in spans), max(s[1] for s in spans), note)


def by_confidence(
    row: str, column: str, printed: str, spread: float, ours: float, ours_spread: float, *, note: str = ""
) -> Cell:
    """Judge two estimates with 95% intervals by their joint interval."""
    joint = math.hypot(spread, ours_spread)
    verdict = Verdict.MATCH if abs(ours - float(printed)) <= joint else Verdict.MISMATCH
    return Cell(row, column, printed, ours, verdict, ours - ours_spread, ours + ours_spread, note)


def _short(value: float) -> float:
    """Round to nine digits, and to zero below a billionth, where solvers differ by rounding."""
    return 0.0 if abs(value) < 1e-9 else float(f"{value:.9g}")
