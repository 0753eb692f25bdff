r"""From numbers to a theorem: guess supports at a few points, solve for the formula, prove it, and go on elsewhere.

At the simplest point that no formula covers yet, the optimal basis of the exact linear program gives a conjecture
(:mod:`equiform.validation.closed_forms.deriving.parametric_basis`). The proof says where it is true: everywhere, or on
a region. That repeats until every point tried lies in a region, so that a family whose supports change with its
parameters comes out as a formula by cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError
from equiform.validation.closed_forms.deriving.parametric_basis import conjecture
from equiform.validation.closed_forms.families import Equilibrium, Family, TableFamily, TreeFamily
from equiform.validation.closed_forms.proving.prove import prove
from equiform.validation.closed_forms.proving.verdict import Check, Status, Verdict

POINTS = 12


@dataclass(frozen=True, eq=False)
class Case:
    """A formula, and where it was proved."""

    claim: Equilibrium
    verdict: Verdict

    @property
    def value(self) -> sympy.Expr:
        """Player 1's payoff."""
        return self.claim.values[0]

    @property
    def where(self) -> str:
        """The region in words."""
        return " and ".join(self.verdict.region) or self.verdict.domain

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        strategies = [
            {k: [str(p) for p in ps] for k, ps in s.items()} if isinstance(s, dict) else [str(p) for p in s]
            for s in self.claim.strategies
        ]
        return {
            "where": self.where,
            "status": str(self.verdict.status),
            "value": str(self.value),
            "strategies": strategies,
        }


@dataclass(frozen=True, eq=False)
class Derived:
    """What was found about a family: formulas by cases, and the points that none of them covers."""

    name: str
    domain: str
    cases: tuple[Case, ...]
    uncovered: tuple[Check, ...]

    @property
    def complete(self) -> bool:
        """Whether every point tried lies in a case."""
        return bool(self.cases) and not self.uncovered

    def __str__(self) -> str:
        lines = [f"{self.name} ({self.domain})"]
        lines += [f"  value {case.value} where {case.where}: {case.verdict.status}" for case in self.cases]
        lines += [f"  nothing found at {check.place}" for check in self.uncovered]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "domain": self.domain,
            "complete": self.complete,
            "cases": [case.to_dict() for case in self.cases],
            "uncovered": [check.place for check in self.uncovered],
        }


def derive(family: Family[Any], *, points: int = POINTS) -> Derived:
    """Find equilibrium formulas of a two-player zero-sum family, and prove them.

    Parameters
    ----------
    family
        A table or a tree with symbolic payoffs.
    points
        How many of the domain's simplest points must be covered.

    Examples
    --------
    >>> from equiform.validation.closed_forms.families import matrix_game
    >>> print(derive(matrix_game("pennies", "HT", "HT", [["t", -1], [-1, 1]], {"t": "t > 0"})))
    pennies (0 < t)
      value (t - 1)/(t + 3) where 0 < t: proved
    """
    require_count(points, "points", "derive", most=1_000)
    if not isinstance(family, TableFamily | TreeFamily) or len(family.players) != 2:
        raise ParameterError(
            f"{type(family).__name__} cannot be derived",
            where=family.name,
            fix="pass a two-player zero-sum table or tree",
        )
    cases: list[Case] = []
    uncovered: list[Check] = []
    for point in family.parameters.points(points):
        if any(family.check(family.read(case.claim), point).agrees for case in cases):
            continue
        case = _case(family, point)
        if case is None:
            uncovered.append(Check(tuple(point.items()), problem="no formula found"))
        else:
            cases.append(case)
    return Derived(family.name, str(family.parameters), tuple(cases), _still(family, cases, uncovered))


def _case(family: TableFamily | TreeFamily, point: Any) -> Case | None:
    claim = conjecture(family, point)
    if claim is None:
        return None
    verdict = prove(family, claim, points=POINTS)
    return Case(claim, verdict) if verdict.status in (Status.PROVED, Status.ON_A_REGION) else None


def _still(family: Any, cases: Sequence[Case], uncovered: Sequence[Check]) -> tuple[Check, ...]:
    """Leave out points that a later case covers."""
    return tuple(
        check
        for check in uncovered
        if not any(family.check(family.read(case.claim), dict(check.point)).agrees for case in cases)
    )
