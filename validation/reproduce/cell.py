"""One number from a paper, our own number, and the verdict on the pair.

A cell stores what was computed (:class:`Evidence`), not what to think of it: the verdict is worked out from that, also
when a cell is read from a file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from equiform.models.common.errors import FormatError

Span = tuple[float, float]


class Verdict(StrEnum):
    """The outcome of a comparison."""

    MATCH = "match"
    """Ours rounds to the printed number, or lies in the joint confidence interval, whatever a solver picks."""
    ATTAINED = "attained"
    """One of many equilibria attains what is printed: we have it, or two that it must lie between."""
    NOT_EXCLUDED = "not excluded"
    """Within a bound, or right under another convention than ours: nothing contradicts it, nothing confirms it."""
    MISMATCH = "mismatch"
    """The printed number is out of reach; the note says why, as far as we know."""
    OURS = "ours"
    """The paper prints no number here; ours is new."""


class Rule(StrEnum):
    """How a cell is judged."""

    DIGITS = "digits"
    CONFIDENCE = "confidence"
    EQUILIBRIA = "equilibria"
    CLAIM = "claim"
    """A yes or no, or a word: settled where it was computed."""
    NEW = "new"


@dataclass(frozen=True)
class Evidence:
    """What the verdict rests on."""

    rule: Rule
    scale: float = 1.0
    """Digits: the printed number is ours times this."""
    joint: float = 0.0
    """Confidence: half the width of the joint interval."""
    span: Span | None = None
    """Equilibria: the lowest and the highest number among them, under the convention that the paper states."""
    selected: tuple[float, ...] = ()
    """Equilibria: numbers of equilibria that were named in advance, the least exploitable one for instance."""
    others: tuple[Span, ...] = ()
    """Equilibria: the same spans under other conventions."""
    attained: bool = False
    """Equilibria: whether every number of the span is attained, together with the other figures that belong to it."""
    holds: bool = True
    """Claims, and checks of our own numbers."""

    def document(self) -> dict[str, Any]:
        """Return plain values for JSON, without what says nothing."""
        content: dict[str, Any] = {"rule": self.rule.value}
        if self.scale != 1.0:
            content["scale"] = self.scale
        if self.rule is Rule.CONFIDENCE:
            content["joint"] = _short(self.joint)
        if self.span is not None:
            content |= {"span": [_short(s) for s in self.span], "attained": self.attained}
        if self.selected:
            content["selected"] = [_short(s) for s in self.selected]
        if self.others:
            content["others"] = [[_short(s) for s in span] for span in self.others]
        if self.rule is Rule.CLAIM or not self.holds:
            content["holds"] = self.holds
        return content

    @staticmethod
    def from_document(content: Mapping[str, Any]) -> Evidence:
        """Read it back; a :class:`Cell` turns what goes wrong here into a ``FormatError``."""
        span = content.get("span")
        holds, attained = content.get("holds", True), content.get("attained", False)
        if not isinstance(holds, bool) or not isinstance(attained, bool):
            raise TypeError("neither true nor false")
        return Evidence(
            Rule(content["rule"]),
            _finite(content.get("scale", 1.0)),
            _finite(content.get("joint", 0.0)),
            None if span is None else _span(span),
            tuple(_finite(s) for s in content.get("selected", ())),
            tuple(_span(s) for s in content.get("others", ())),
            attained,
            holds,
        )


@dataclass(frozen=True)
class Cell:
    """One cell of a table."""

    row: str
    column: str
    printed: str
    """The number as printed, with all its digits; empty if the paper prints none."""
    ours: float
    evidence: Evidence = field(repr=False)
    low: float | None = None
    high: float | None = None
    """What is shown beside ours: a range, or ours with its confidence interval."""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """The outcome of the comparison, from the evidence."""
        return judge(self.printed, self.ours, self.evidence)

    @property
    def yes_no(self) -> bool:
        """Whether the paper says yes or no here (or jam or fold), and not a number."""
        return self.evidence.rule is Rule.CLAIM

    def document(self) -> dict[str, Any]:
        """Return plain values for JSON, rounded to what a reader and a diff can use."""
        content: dict[str, Any] = {"row": self.row, "column": self.column, "printed": self.printed}
        content |= {"ours": _short(self.ours), "verdict": self.verdict.value, "evidence": self.evidence.document()}
        if self.low is not None and self.high is not None:
            content["interval"] = [_short(self.low), _short(self.high)]
        if self.note:
            content["note"] = self.note
        return content

    @staticmethod
    def from_document(content: Mapping[str, Any]) -> Cell:
        """Read a cell back. The stored verdict is for readers: it is worked out again from the numbers."""
        try:
            low, high = _span(content["interval"]) if "interval" in content else (None, None)
            evidence = Evidence.from_document(content["evidence"])
            texts = [content[name] for name in ("row", "column", "printed")] + [content.get("note", "")]
            if not all(isinstance(text, str) for text in texts):
                raise TypeError("not a text")
            cell = Cell(texts[0], texts[1], texts[2], _finite(content["ours"]), evidence, low, high, texts[3])
            assert isinstance(cell.verdict, Verdict)
            return cell
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, ArithmeticError) as error:
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


# -- verdicts ----------------------------------------------------------------------------------------------------------


def judge(printed: str, ours: float, evidence: Evidence) -> Verdict:
    """Work out the verdict."""
    match evidence.rule:
        case Rule.NEW:
            return Verdict.OURS if evidence.holds else Verdict.MISMATCH
        case Rule.CLAIM:
            fits = evidence.holds
        case Rule.DIGITS:
            fits = rounds_to(evidence.scale * ours, printed)
        case Rule.CONFIDENCE:
            fits = abs(ours - float(printed)) <= evidence.joint
        case Rule.EQUILIBRIA:
            return _among_equilibria(printed, evidence)
    return Verdict.MATCH if fits else Verdict.MISMATCH


def _among_equilibria(printed: str, evidence: Evidence) -> Verdict:
    slack, number = half_unit(printed), float(printed)
    own = () if evidence.span is None else (evidence.span,)
    if any(all(rounds_to(end, printed) for end in span) for span in own):
        return Verdict.MATCH
    if any(rounds_to(chosen, printed) for chosen in evidence.selected):
        return Verdict.MATCH
    if evidence.attained and any(low - slack <= number <= high + slack for low, high in own):
        return Verdict.ATTAINED
    if any(low - slack <= number <= high + slack for low, high in (*own, *evidence.others)):
        return Verdict.NOT_EXCLUDED
    return Verdict.MISMATCH


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


# -- cells -------------------------------------------------------------------------------------------------------------


def by_digits(row: str, column: str, printed: str, ours: float, *, scale: float = 1.0, note: str = "") -> Cell:
    """Judge by the printed digits; ``scale`` turns our unit into the printed one."""
    return Cell(row, column, printed, ours, Evidence(Rule.DIGITS, scale=scale), note=note)


def by_equilibria(
    row: str,
    column: str,
    printed: str,
    ours: float,
    span: Span | None,
    *,
    attained: bool,
    selected: Iterable[float] = (),
    others: Iterable[Span] = (),
    note: str = "",
) -> Cell:
    """Judge a number that depends on which of many equilibria was picked.

    *match*: the whole span rounds to the printed number, or an equilibrium named in advance (``selected``) does. So no
    verdict depends on which equilibrium our solver happens to return; ``ours`` is shown but not judged.
    *attained*: the number lies in the span, and ``attained`` says that the span consists of equilibria: one of them was
    found that attains the figures that belong together, or both ends are attained and the set is connected.
    *not excluded*: the span is only a bound, or it takes another convention than the paper's (``others``).
    """
    evidence = Evidence(
        Rule.EQUILIBRIA, span=span, selected=tuple(selected), others=tuple(others), attained=attained
    )  # fmt: skip
    spans = [*([] if span is None else [span]), *evidence.others]
    low, high = (min(s[0] for s in spans), max(s[1] for s in spans)) if spans else (None, None)
    return Cell(row, column, printed, ours, evidence, low, high, note)


def by_confidence(
    row: str, column: str, printed: str, spread: float, ours: float, ours_spread: float, *, note: str = ""
) -> Cell:
    """Judge two estimates with 95% intervals by their joint interval."""
    evidence = Evidence(Rule.CONFIDENCE, joint=math.hypot(spread, ours_spread))
    return Cell(row, column, printed, ours, evidence, ours - ours_spread, ours + ours_spread, note)


def by_claim(row: str, column: str, printed: str, ours: float, holds: bool, *, note: str = "") -> Cell:
    """Judge a yes or no, or a word: ``holds`` says whether our number agrees."""
    return Cell(row, column, printed, ours, Evidence(Rule.CLAIM, holds=holds), note=note)


def new(
    row: str,
    column: str,
    ours: float,
    low: float | None = None,
    high: float | None = None,
    *,
    holds: bool = True,
    note: str = "",
) -> Cell:
    """Show a number that no paper prints; one that fails a check of our own is a mismatch."""
    return Cell(row, column, "", ours, Evidence(Rule.NEW, holds=holds), low, high, note)


def _short(value: float) -> float:
    """Round to nine digits, and to zero below a billionth, where solvers differ by rounding."""
    return 0.0 if abs(value) < 1e-9 else float(f"{value:.9g}")


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number) or isinstance(value, str):
        raise ValueError(f"{value!r} is not a finite number")
    return number


def _span(value: Any) -> Span:
    low, high = value
    return _finite(low), _finite(high)
