r"""What a closed form is here: derived by sympy, proved by sympy, and compared with the exact linear program.

* :meth:`ClosedForm.derive` sets up the equations and solves them; no formula is typed in as an answer.
* :meth:`ClosedForm.prove` decides, for all parameters at once, the claims that make the formulas an equilibrium: every
  best-response inequality in symbols.
* :meth:`ClosedForm.verify` evaluates the formulas at a parameter and compares them with
  :func:`equiform.validation.exact.equilibrium.exact_equilibrium` and with best responses in rational arithmetic.

Both checks take the derivation as an argument, so the tests can also pass in wrong formulas.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import sympy

from equiform.models.common.errors import CertificateError, ParameterError
from equiform.models.common.rational import exact_text, repr_of_fields

Parameters = Mapping[str, Fraction | int]


@dataclass(frozen=True, eq=False)
class Derivation:
    """Equations and what follows from them: formulas by name."""

    equations: tuple[sympy.Eq, ...] = field(repr=False)
    formulas: Mapping[str, sympy.Expr]

    def __getitem__(self, name: str) -> sympy.Expr:
        return self.formulas[name]

    def at(self, name: str, **values: Fraction | int | str) -> Fraction:
        """Evaluate a formula at rational values of its symbols, by their names."""
        expr = sympy.sympify(self.formulas[name])
        try:
            at = {s: sympy.Rational(Fraction(values[s.name])) for s in expr.free_symbols}
        except (KeyError, ValueError) as error:
            raise ParameterError(
                f"{name} cannot be evaluated: {error} is missing or not a rational number",
                where=f"{name} = {expr}",
                fix="pass a rational value for every symbol",
            ) from None
        return rational(expr.subs(at))


@dataclass(frozen=True)
class Claim:
    """A statement about all parameters, and whether it was proved."""

    text: str
    proved: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "proved", bool(self.proved))  # sympy has truth values of its own


@dataclass(frozen=True)
class Comparison:
    """A quantity by the formula and by computation in rational arithmetic."""

    what: str
    formula: Fraction
    computed: Fraction

    __repr__ = repr_of_fields

    @property
    def agrees(self) -> bool:
        """Return whether both are the same number."""
        return self.formula == self.computed


@dataclass(frozen=True)
class Verification:
    """All comparisons at one value of the parameters."""

    name: str
    parameters: tuple[tuple[str, Fraction], ...]
    comparisons: tuple[Comparison, ...]

    __repr__ = repr_of_fields

    @property
    def agrees(self) -> bool:
        """Return whether formula and computation agree in all comparisons."""
        return all(c.agrees for c in self.comparisons)

    def require(self) -> Verification:
        """Return the verification itself, or raise with the first disagreement."""
        for c in self.comparisons:
            if not c.agrees:
                at = ", ".join(f"{k}={exact_text(v)}" for k, v in self.parameters)
                raise CertificateError(
                    f"the closed form is wrong: {c.what} is {exact_text(c.formula)} by the formula "
                    f"and {exact_text(c.computed)} in truth",
                    where=f"{self.name} at {at}",
                    fix="correct the derivation",
                )
        return self


@dataclass(frozen=True)
class Scope:
    """The parameters for which a closed form holds, in words and as a test."""

    text: str
    contains: Callable[..., bool] = field(repr=False)


class ClosedForm(ABC):
    """One closed form."""

    name: ClassVar[str]
    source: ClassVar[str]
    title: ClassVar[str]
    scope: ClassVar[Scope]

    @abstractmethod
    def _derive(self) -> Derivation:
        """Solve the equations."""

    @abstractmethod
    def _prove(self, d: Derivation) -> Sequence[Claim]:
        """Decide the claims about the formulas."""

    @abstractmethod
    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        """Compare the formulas with computation."""

    @abstractmethod
    def grid(self) -> Sequence[Parameters]:
        """Return at least twenty values of the parameters."""

    @cached_property
    def _derivation(self) -> Derivation:
        return self._derive()

    def derive(self) -> Derivation:
        """Derive the formulas (once)."""
        return self._derivation

    def prove(self, derivation: Derivation | None = None) -> tuple[Claim, ...]:
        """Decide every claim about the formulas, for all parameters."""
        return tuple(self._prove(self.derive() if derivation is None else derivation))

    def verify(self, derivation: Derivation | None = None, **parameters: Fraction | int) -> Verification:
        """Compare the formulas with exact computation at one value of the parameters."""
        expected = {k for p in self.grid()[:1] for k in p}
        if set(parameters) != expected:
            raise ParameterError(
                f"{self.name} takes the parameters {sorted(expected)}, not {sorted(parameters)}",
                fix="pass each of them once",
            )
        values = {k: Fraction(v) for k, v in parameters.items()}
        if not self.scope.contains(**values):
            given = ", ".join(f"{k}={exact_text(v)}" for k, v in values.items())
            raise ParameterError(
                f"{self.name} says nothing about {given}", where=self.title, fix=f"use {self.scope.text}"
            )
        comparisons = self._compare(self.derive() if derivation is None else derivation, **values)
        return Verification(self.name, tuple(values.items()), tuple(comparisons))

    def verify_all(self, derivation: Derivation | None = None) -> tuple[Verification, ...]:
        """Verify on the whole grid."""
        return tuple(self.verify(derivation, **p) for p in self.grid())

    def latex(self) -> str:
        """Write the formulas as LaTeX, one per line of the body of an ``align`` environment."""
        formulas = self.derive().formulas
        return " \\\\\n".join(rf"\text{{{name}}} &= {sympy.latex(f)}" for name, f in formulas.items())


def rational(expr: object) -> Fraction:
    """Turn a sympy number into a Fraction."""
    value = sympy.cancel(sympy.sympify(expr))
    if not value.is_Rational:
        raise ParameterError(f"{expr} is not a rational number", fix="pass a rational value for every symbol")
    return Fraction(int(value.p), int(value.q))


def truth(statement: bool) -> Fraction:
    """Return a truth value as a number for comparisons."""
    return Fraction(int(statement))
