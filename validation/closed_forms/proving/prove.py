r"""From a family of games and a claim to a verdict.

The family turns the claim into *obligations*, relations between expressions that together say "this is an equilibrium
of that value" for all parameters. Each is decided (:mod:`equiform.validation.closed_forms.proving.signs`). Where one is
not proved, the simplest points of the domain are searched for a counterexample; it counts only if the family's own
check at that point, in rational arithmetic and without the obligations, finds a player who gains or a number that is
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from equiform.models.common.arguments import require_count
from equiform.models.common.errors import CertificateError, ParameterError
from equiform.validation.closed_forms.base import ClosedForm
from equiform.validation.closed_forms.proving.parameters import Parameters, height
from equiform.validation.closed_forms.proving.signs import Interval, Relation, decide, holds_at, intersection, region
from equiform.validation.closed_forms.proving.verdict import Check, Decided, Deviation, Obligation, Status, Verdict

if TYPE_CHECKING:
    from equiform.validation.closed_forms.families.base import Family

#: Exact checks beside a proof.
POINTS = 20
_SEARCHED = 80


def prove(family: Family[Any] | ClosedForm, claim: Any = None, *, points: int = POINTS) -> Verdict:
    """Decide whether a claimed equilibrium is one, for all parameters of a family of games.

    Parameters
    ----------
    family
        A family of games (:mod:`equiform.validation.closed_forms.families`), or one of our closed forms, which bring
        their own claims.
    claim
        The claimed equilibrium, of the class that the family asks for.
    points
        How many of the domain's simplest points to check exactly in addition.

    Returns
    -------
    Verdict
        Proved, proved on a region, refuted with the simplest counterexample found, or open with what resists.

    Raises
    ------
    CertificateError
        If an exact check contradicts a proof: that would be our mistake.

    Examples
    --------
    >>> from equiform.validation.closed_forms.families import Equilibrium, matrix_game
    >>> pennies = matrix_game("pennies", "HT", "HT", [["t", -1], [-1, 1]], {"t": "t > 0"})
    >>> half = Equilibrium([["2/(t+3)", "(t+1)/(t+3)"]] * 2, values=["(t-1)/(t+3)"])
    >>> print(prove(pennies, half).status)
    proved
    """
    require_count(points, "points", "prove", most=10_000)
    if isinstance(family, ClosedForm):
        return _verdict_of_form(family, points)
    claim = family.read(claim)
    obligations = list(family.obligations(claim))
    decided = [decide(o.expression, o.relation, o.parameters) for o in obligations]
    listed = tuple(
        Decided(o.text, f"{sympy.factor(o.expression) if d is not True else o.expression} {o.relation}", d)
        for o, d in zip(obligations, decided, strict=True)
    )
    checks = tuple(family.check(claim, point) for point in family.parameters.points(points))
    status = Status.PROVED
    where: tuple[str, ...] = ()
    counterexample: Check | None = None
    if not all(d is True for d in decided):
        failing = [o for o, d in zip(obligations, decided, strict=True) if d is not True]
        status, where, counterexample = _settle(family, claim, failing, checks)
    elif not all(c.agrees for c in checks):
        raise CertificateError(
            "an exact check contradicts the proof",
            where=str(next(c for c in checks if not c.agrees)),
            fix="report this family and claim: obligations and check do not describe the same game",
        )
    return Verdict(family.name, status, str(family.parameters), listed, where, counterexample, checks)


def _settle(
    family: Family[Any], claim: Any, failing: Sequence[Obligation], checks: Sequence[Check]
) -> tuple[Status, tuple[str, ...], Check | None]:
    """Look for a counterexample, and for a region on which the claim is true all the same."""
    counterexample = _smallest(checks, _counterexample(family, claim, failing))
    if counterexample is None:
        return Status.OPEN, (), None
    where = _region(family.parameters, failing)
    if where and any(c.agrees and _inside(family.parameters, failing, c) for c in checks):
        return Status.ON_A_REGION, where, counterexample
    return Status.REFUTED, (), counterexample


def _smallest(checks: Sequence[Check], other: Check | None) -> Check | None:
    found = [c for c in (*checks, other) if c is not None and not c.agrees]
    return min(found, key=lambda c: sum(height(v) for _, v in c.point), default=None)


def _counterexample(family: Family[Any], claim: Any, failing: Sequence[Obligation]) -> Check | None:
    """Try points at which an obligation is violated, simplest first."""
    candidates: dict[tuple[tuple[str, Fraction], ...], None] = {}
    names = [p.name for p in family.parameters]
    for obligation in failing:
        tried = [*obligation.parameters.points(_SEARCHED), *_beyond(obligation)]
        for point in tried:
            if holds_at(obligation.expression, obligation.relation, obligation.parameters, point) is False:
                candidates[tuple((name, point[name]) for name in names)] = None
    ordered = sorted(candidates, key=lambda point: sum(height(v) for _, v in point))
    return next((c for c in (family.check(claim, dict(point)) for point in ordered[:12]) if not c.agrees), None)


def _beyond(obligation: Obligation) -> Iterable[dict[str, Fraction]]:
    """Return a point in each gap of the region where an obligation in one parameter holds."""
    if len(obligation.parameters) != 1 or obligation.relation is not Relation.NONNEGATIVE:
        return
    (p,) = obligation.parameters
    pieces = region(obligation.expression, p)
    for piece in pieces or ():
        for end, step in ((piece.low, -1), (piece.high, 1)):
            if end.is_finite:
                value = sympy.floor(end * 1000 + step) / sympy.Integer(1000) if not p.integer else sympy.floor(end)
                point = {p.name: Fraction(int(value.p), int(value.q)) + (step if p.integer else 0)}
                if obligation.parameters.contains(point):
                    yield point


def _region(parameters: Parameters, failing: Sequence[Obligation]) -> tuple[str, ...]:
    """Return conditions under which everything that was not proved holds; none if an equation fails."""
    own = {p.symbol: p for p in parameters}
    if any(o.relation is Relation.ZERO or len(o.parameters) != len(parameters) for o in failing):
        return ()
    conditions: dict[str, None] = {}
    alone: dict[sympy.Symbol, list[Interval]] = {}
    for o in failing:
        used = o.expression.free_symbols & set(own)
        pieces = region(o.expression, own[min(used, key=str)]) if len(used) == 1 else None
        if pieces is not None and o.relation is Relation.NONNEGATIVE:
            (symbol,) = used
            alone[symbol] = pieces if symbol not in alone else intersection(alone[symbol], pieces)
        else:
            conditions[f"{sympy.factor(o.expression)} {o.relation}"] = None
    if not all(alone.values()):
        return ()
    return (*(" or ".join(p.text(s.name) for p in pieces) for s, pieces in alone.items()), *conditions)


def _inside(parameters: Parameters, failing: Sequence[Obligation], check: Check) -> bool:
    return all(holds_at(o.expression, Relation.POSITIVE, parameters, dict(check.point)) for o in failing)


# -- closed forms with claims of their own -----------------------------------------------------------------------------


def _verdict_of_form(form: ClosedForm, points: int) -> Verdict:
    """Judge a closed form by its own claims, and by its comparisons on its grid."""
    claims = form.prove()
    listed = tuple(Decided(c.text, "", c.proved or None) for c in claims)
    grid = list(form.grid())[:points]
    checks = tuple(check_of(form.verify(None, **p)) for p in grid)
    failed = next((c for c in checks if not c.agrees), None)
    proved = all(c.proved for c in claims)
    if proved and failed is not None:
        raise CertificateError("an exact check contradicts the proof", where=str(failed), fix="report this closed form")
    status = Status.PROVED if proved else Status.REFUTED if failed is not None else Status.OPEN
    return Verdict(form.name, status, form.scope.text, listed, (), failed, checks)


def check_of(verification: Any) -> Check:
    """Write a closed form's verification as a check."""
    return Check(verification.parameters, verification.comparisons)


def require_claim(claim: Any, kind: type, family: str) -> Any:
    """Check that a claim is of the class that a family asks for."""
    if not isinstance(claim, kind):
        raise ParameterError(
            f"a {type(claim).__name__} is not a claim about this family",
            where=family,
            fix=f"pass an object of class {kind.__name__}",
        )
    return claim


__all__ = ["POINTS", "Check", "Decided", "Deviation", "Obligation", "Status", "Verdict", "prove"]
