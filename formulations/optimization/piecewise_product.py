r"""Products of bounded variables in a mixed-integer linear program.

Ganzfried (2015), §11.7.3, after Bisschop: with :math:`\beta_1 = \tfrac12(x + y)` and
:math:`\beta_2 = \tfrac12(x - y)` the product is :math:`xy = \beta_1^2 - \beta_2^2`, and each square is replaced by its
interpolation at equally spaced breakpoints :math:`q_0, \dots, q_k`,

.. math:: \beta = \sum_i \lambda_i q_i, \quad w = \sum_i \lambda_i q_i^2, \quad \sum_i \lambda_i = 1, \quad
          \lambda \ge 0 \text{ with at most two nonzeros, and adjacent ones (SOS2)}.

Both are enclosed by McCormick's four planes, the convex hull of :math:`xy` on the box of the factors, shifted by the
interpolation error: the squares imply them only after branching.

Lemma 2: interpolation overestimates the square by at most :math:`\bigl((b - a) / 2k\bigr)^2`, so the product is off by
at most the larger of its two squares' errors.

The SOS2 condition has three encodings, all exact:

* ``sos2`` — a native special ordered set, for backends that branch on it (SCIP, CBC);
* ``unary`` — one binary per breakpoint, incremental ("delta"):
  :math:`\beta = q_0 + \sum_i (q_i - q_{i-1}) \delta_i` with :math:`\delta_i \ge v_i \ge \delta_{i+1}`, the form that
  suits HiGHS best;
* ``log`` — :math:`\lceil \log_2 k \rceil` binaries that name the segment in a Gray code (J. P. Vielma and
  G. L. Nemhauser, *Modeling disjunctive constraints with a logarithmic number of binary variables and constraints*,
  Mathematical Programming 128, 2011).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import pyomo.core as pyo

from equiform.formulations.optimization import backends
from equiform.models.common.arguments import require_count, require_name
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError

Encoding = Literal["sos2", "unary", "log"]
ENCODINGS: tuple[Encoding, ...] = ("sos2", "unary", "log")
Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Pieces:
    """How finely and in which encoding squares are interpolated; ``breakpoints`` counts both ends."""

    breakpoints: int = 9
    encoding: Encoding = "unary"

    def __post_init__(self) -> None:
        require_count(self.breakpoints, "the number of breakpoints", "pieces of a curve", least=2, most=100_000)
        require_name(self.encoding, ENCODINGS, "encoding", "pieces of a curve")


def encoding_for(backend: str) -> Encoding:
    """Return the encoding that suits a backend: native sets if it branches on them, otherwise unary binaries."""
    return "sos2" if backends.get(backend).capabilities.sos2 else "unary"


def square(beta: Any, points: FloatArray, encoding: Encoding) -> Any:
    """Return a block whose ``value`` interpolates the square of an expression at increasing points that enclose it.

    ``error`` is the bound of Lemma 2 for the longest piece.
    """
    block = pyo.Block(concrete=True)
    if encoding == "unary":
        _incremental(block, beta, points)
    else:
        _convex_combination(block, beta, points)
        if encoding == "sos2":
            block.adjacent = pyo.SOSConstraint(var=block.weight, sos=2)
        else:
            _gray_code(block, len(points))
    block.error = float(np.diff(points).max() / 2) ** 2
    return block


def envelope(x: Any, y: Any, *, x_bounds: Interval, y_bounds: Interval, margin: float = 0.0) -> Any:
    """Return a block whose variable ``value`` is within ``margin`` of the convex hull of ``x * y`` on a box.

    G. P. McCormick, *Computability of global solutions to factorable nonconvex programs: part I* (1976).
    """
    (a, b), (c, d) = x_bounds, y_bounds
    corners = [p * q for p in x_bounds for q in y_bounds]
    block = pyo.Block(concrete=True)
    block.error, block.bounds = margin, (min(corners) - margin, max(corners) + margin)
    block.value = pyo.Var(bounds=block.bounds)
    block.hull = pyo.ConstraintList()
    for p, q in ((a, c), (b, d)):
        block.hull.add(block.value >= q * x + p * y - (p * q + margin))
    for p, q in ((a, d), (b, c)):
        block.hull.add(block.value <= q * x + p * y - (p * q - margin))
    return block


def product(x: Any, y: Any, pieces: Pieces, *, x_bounds: Interval, y_bounds: Interval) -> Any:
    """Return a block whose variable ``value`` approximates ``x * y`` to within ``error``.

    The breakpoints of the half difference are those of the half sum, shifted: then both squares have the same error
    where x or y is at its lower bound, and for factors in [0, 1] on the whole border of the unit square.
    """
    (a, b), (c, d) = x_bounds, y_bounds
    sums = np.linspace((a + c) / 2, (b + d) / 2, pieces.breakpoints)
    step = float(sums[1] - sums[0])
    below, above = (math.ceil((width / 2) / step - 1e-9) for width in (d - c, b - a))
    differences = (a - c) / 2 + step * np.arange(-below, above + 1, dtype=np.float64)
    half_sum = square(0.5 * (x + y), sums, pieces.encoding)
    half_difference = square(0.5 * (x - y), differences, pieces.encoding)
    error = max(half_sum.error, half_difference.error)
    block = envelope(x, y, x_bounds=x_bounds, y_bounds=y_bounds, margin=error)
    block.half_sum, block.half_difference = half_sum, half_difference
    block.difference = pyo.Constraint(expr=block.value == block.half_sum.value - block.half_difference.value)
    return block


@dataclass(frozen=True)
class Term:
    """A variable that stands for a monomial, its largest error and its bounds."""

    variable: Any
    error: float
    bounds: Interval


class Products:
    """Variables for monomials in given variables with values in [0, 1]; each product is made once, on ``block``.

    A monomial is a tuple of keys; longer products extend shorter ones, factor by factor. ``bounds`` are narrower
    intervals for some variables. Without pieces a product may be anything in its convex hull: a relaxation.
    """

    def __init__(
        self, variable: Callable[[Any], Any], pieces: Pieces | None, bounds: Mapping[Any, Interval] | None = None
    ) -> None:
        self.block = pyo.Block(pyo.Any)
        self.block.construct()
        self._variable = variable
        self._pieces = pieces
        self._bounds = bounds or {}
        self._made: dict[tuple[Any, ...], Term] = {}

    def __len__(self) -> int:
        return len(self._made)

    def __call__(self, monomial: tuple[Any, ...]) -> Term:
        """Return the variable of a monomial."""
        if not monomial:
            return Term(1.0, 0.0, (1.0, 1.0))
        if len(monomial) == 1:
            return Term(self._variable(monomial[0]), 0.0, self._bounds.get(monomial[0], (0.0, 1.0)))
        if monomial not in self._made:
            left, right = self(monomial[:-1]), self(monomial[-1:])
            multiply = envelope if self._pieces is None else partial(product, pieces=self._pieces)
            made = multiply(left.variable, right.variable, x_bounds=left.bounds, y_bounds=right.bounds)
            self.block[len(self._made)].transfer_attributes_from(made)
            inner = self.block[len(self._made)]
            # the last factor is at most one, so an earlier error is not magnified
            self._made[monomial] = Term(inner.value, left.error + inner.error, inner.bounds)
        return self._made[monomial]

    def linear(self, terms: Mapping[tuple[Any, ...], float]) -> tuple[Any, float]:
        """Return a polynomial as a linear expression, and the largest error this can cause."""
        parts = [(float(c), self(m)) for m, c in terms.items() if c]
        return sum((c * t.variable for c, t in parts), 0.0), sum((abs(c) * t.error for c, t in parts), 0.0)


def _convex_combination(block: Any, beta: Any, points: FloatArray) -> None:
    block.weight = pyo.Var(range(len(points)), bounds=(0, 1))
    block.value = pyo.Expression(expr=sum(float(q * q) * block.weight[i] for i, q in enumerate(points)))
    block.place = pyo.Constraint(expr=sum(float(q) * block.weight[i] for i, q in enumerate(points)) == beta)
    block.convex = pyo.Constraint(expr=sum(block.weight.values()) == 1)


def _incremental(block: Any, beta: Any, points: FloatArray) -> None:
    """Fill segment i completely before segment i + 1; the binary between them is one only if segment i is full."""
    segments = len(points) - 1
    block.filled = pyo.Var(range(segments), bounds=(0, 1))
    block.full = pyo.Var(range(segments - 1), domain=pyo.Binary)
    block.before = pyo.Constraint(range(segments - 1), rule=lambda b, i: b.filled[i] >= b.full[i])
    block.after = pyo.Constraint(range(segments - 1), rule=lambda b, i: b.filled[i + 1] <= b.full[i])
    steps, rises = np.diff(points), np.diff(points**2)
    where = sum(float(steps[i]) * block.filled[i] for i in range(segments))
    block.place = pyo.Constraint(expr=float(points[0]) + where == beta)
    block.value = pyo.Expression(
        expr=float(points[0] ** 2) + sum(float(rises[i]) * block.filled[i] for i in range(segments))
    )


def _gray_code(block: Any, breakpoints: int) -> None:
    """Let binaries encode the segment: a breakpoint may have weight only if it touches a segment with these bits."""
    segments = breakpoints - 1
    bits = max(1, math.ceil(math.log2(segments))) if segments > 1 else 0
    code = [s ^ (s >> 1) for s in range(segments)]
    block.bit = pyo.Var(range(bits), domain=pyo.Binary)
    block.one = pyo.ConstraintList()
    block.zero = pyo.ConstraintList()
    for b in range(bits):
        ones, zeros = [], []
        for v in range(breakpoints):
            digits = {code[s] >> b & 1 for s in (v - 1, v) if 0 <= s < segments}
            if digits == {1}:
                ones.append(v)
            elif digits == {0}:
                zeros.append(v)
        if ones:
            block.one.add(sum(block.weight[v] for v in ones) <= block.bit[b])
        if zeros:
            block.zero.add(sum(block.weight[v] for v in zeros) <= 1 - block.bit[b])


def required_segments(epsilon: float, *, thresholds: int, players: int, payoff_range: float) -> int:
    r"""Return the k of equation (11.3): with k + 1 breakpoints per curve the answer is an ε-equilibrium (Theorem 7).

    .. math:: k \ge \sqrt{(T + 2)^{n-1} M (n - 1) / \epsilon}
    """
    if not epsilon > 0:
        raise ParameterError("ε is not positive", where=f"epsilon={epsilon}", fix="use a number such as 0.01")
    return math.ceil(math.sqrt(_terms(thresholds, players, payoff_range) / epsilon))


def guaranteed_epsilon(segments: int, *, thresholds: int, players: int, payoff_range: float) -> float:
    """Return the ε that k segments guarantee: (11.3) solved for ε.

    >>> guaranteed_epsilon(50, thresholds=3, players=3, payoff_range=12)
    0.24
    """
    require_count(segments, "the number of segments", "equation (11.3)")
    return _terms(thresholds, players, payoff_range) / segments**2


def _terms(thresholds: int, players: int, payoff_range: float) -> float:
    return (thresholds + 2) ** (players - 1) * payoff_range * (players - 1)
