"""What a proof comes to: proved, proved on a region, refuted by a counterexample, or open."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

import sympy

from equiform.models.common.errors import CertificateError
from equiform.models.common.rational import exact_text
from equiform.validation.closed_forms.base import Comparison
from equiform.validation.closed_forms.proving.parameters import Parameters
from equiform.validation.closed_forms.proving.signs import Relation


class Status(StrEnum):
    """The four verdicts."""

    PROVED = "proved"
    ON_A_REGION = "proved on a region"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, eq=False)
class Obligation:
    """One relation that must hold for all parameters, and that together with the others makes the claim true."""

    text: str
    expression: sympy.Expr
    relation: Relation
    parameters: Parameters
    """Where it must hold: the family's parameters, and further variables of this obligation alone."""


@dataclass(frozen=True)
class Decided:
    """An obligation with what became of it: true, false, or ``None`` for undecided."""

    text: str
    relation: str
    """The relation in full, such as ``t - 1 >= 0``."""
    holds: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"text": self.text, "relation": self.relation, "holds": self.holds}


@dataclass(frozen=True)
class Deviation:
    """A better response: who gains how much, and by which move."""

    player: str
    move: str
    gain: Fraction

    def __str__(self) -> str:
        return f"{self.player} gains {exact_text(self.gain)} by {self.move}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"player": self.player, "move": self.move, "gain": exact_text(self.gain)}


@dataclass(frozen=True)
class Check:
    """The claim at one point, computed again by code that knows nothing of the proof."""

    point: tuple[tuple[str, Fraction], ...]
    comparisons: tuple[Comparison, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    problem: str = ""
    """Why the claim means nothing there, such as a negative probability."""

    @property
    def agrees(self) -> bool:
        """Whether the claim holds at this point."""
        return not self.problem and not self.deviations and all(c.agrees for c in self.comparisons)

    @property
    def place(self) -> str:
        """The point in words."""
        return ", ".join(f"{k} = {exact_text(v)}" for k, v in self.point) or "the game itself"

    def __str__(self) -> str:
        parts = [self.problem] if self.problem else []
        parts += [str(d) for d in self.deviations]
        parts += [
            f"{c.what} is {exact_text(c.computed)}, not {exact_text(c.formula)}"
            for c in self.comparisons
            if not c.agrees
        ]
        return f"at {self.place}: {'; '.join(parts) or 'holds'}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "point": {k: exact_text(v) for k, v in self.point},
            "agrees": self.agrees,
            "problem": self.problem,
            "deviations": [d.to_dict() for d in self.deviations],
            "comparisons": [
                {"what": c.what, "formula": exact_text(c.formula), "computed": exact_text(c.computed)}
                for c in self.comparisons
            ],
        }


@dataclass(frozen=True)
class Verdict:
    """What was found out about a claim.

    ``status`` is about the symbolic proof. ``checks`` are the exact checks at single points: beside a proof all of
    them agree, or :func:`~equiform.validation.closed_forms.proving.prove.prove` raises.
    """

    name: str
    status: Status
    domain: str
    obligations: tuple[Decided, ...] = field(repr=False)
    region: tuple[str, ...] = ()
    """Conditions that together make the claim true, where it is true on a region."""
    counterexample: Check | None = None
    """The simplest point at which the claim fails."""
    checks: tuple[Check, ...] = field(default=(), repr=False)

    @property
    def proved(self) -> bool:
        """Whether the claim is true for all parameters."""
        return self.status is Status.PROVED

    @property
    def resisting(self) -> tuple[Decided, ...]:
        """The obligations that were not proved."""
        return tuple(o for o in self.obligations if o.holds is not True)

    def __str__(self) -> str:
        count = f"{sum(o.holds is True for o in self.obligations)} of {len(self.obligations)} relations proved"
        lines = [f"{self.name}: {self.status} ({self.domain}; {count})"]
        if self.region:
            lines.append("  where " + " and ".join(self.region))
        if self.counterexample is not None:
            lines.append(f"  {self.counterexample}")
        lines += [f"  not proved: {o.text}: {o.relation}" for o in self.resisting[:5]]
        return "\n".join(lines)

    def require(self) -> Verdict:
        """Return the verdict itself if it is a proof for all parameters; else raise :class:`CertificateError`."""
        if not self.proved:
            raise CertificateError(
                f"the claim is {self.status}", where=str(self), fix="correct the claim, or its domain"
            )
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "status": str(self.status),
            "domain": self.domain,
            "region": list(self.region),
            "counterexample": None if self.counterexample is None else self.counterexample.to_dict(),
            "obligations": [o.to_dict() for o in self.obligations],
            "checks": [c.to_dict() for c in self.checks],
        }
