r"""Exact rational solution of a sparse integer system :math:`Bz = b`.

*Numeric lifting* (Wan 2006; compared with p-adic lifting in Cook and Steffy 2011): factorise B once in floats. From the
residual :math:`r_0 = b` repeat

.. math:: d_k = \operatorname{round}(2^s \tilde B^{-1} r_k), \qquad r_{k+1} = 2^s r_k - B d_k ,

the second of which is exact. Each step gives s more bits of the solution,

.. math:: z = \sum_{k<K} 2^{-s(k+1)} d_k + 2^{-sK} B^{-1} r_K ,

and the residuals stay as small as the rows of B, so that they live in 64-bit integers (computed modulo :math:`2^{64}`,
which is enough once a float bound shows that the true residual fits). A right-hand side of more bits than floats can
take is first brought down by steps with s = 0, in units of a power of two. Continued fractions then guess the common
denominator, and the guess counts only if :math:`B \cdot num = den \cdot b` holds in integers.

Where floats cannot factorise B, a small system goes to FLINT's exact dense solver, and a large one raises
:class:`ExactError`.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ExactError, ParameterError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational_vector import Integers, RationalVector, as_object, reduced, scaled_floats

logger = logging.getLogger(__name__)

DENSE_LIMIT = 1500
"""The largest order for which the dense exact solver is used."""

_MIN_BITS_PER_STEP = 4  # floating-point factors that yield fewer bits are mere noise
_MAX_BITS_A_STEP = 40
_GUARD_BITS = 24  # a guessed denominator must beat chance by this many bits before the full check is tried
_INT64_LIMIT = 2.0**62
_FLOAT_BITS = 512  # right-hand sides of more bits come near the end of the floats, at 1024


class SingularError(ExactError):
    """The matrix has no inverse, or none was found."""


class _ConditionError(Exception):
    """The floating-point factors are missing or too inaccurate for lifting."""


@dataclass(frozen=True, eq=False)
class IntegerSystem:
    """A square sparse integer matrix, factorised at most once, to be solved for several right-hand sides."""

    matrix: IntegerMatrix
    dense_limit: int = field(default=DENSE_LIMIT)

    def __post_init__(self) -> None:
        m, n = self.matrix.shape
        if m != n:
            raise ParameterError(f"a {m} × {n} system is not square", fix="choose as many rows as columns")

    def solve(self, rhs: Integers) -> RationalVector:
        """Solve ``B z = rhs`` (the solution for a zero right-hand side is zero, invertible or not)."""
        return self._solve(rhs, transposed=False)

    def solve_transposed(self, rhs: Integers) -> RationalVector:
        """Solve ``Bᵀ z = rhs`` with the same factors."""
        return self._solve(rhs, transposed=True)

    def _solve(self, rhs: Integers, *, transposed: bool) -> RationalVector:
        order = self.matrix.shape[0]
        if len(rhs) != order:
            raise ParameterError(f"{len(rhs)} right-hand sides do not fit {order} rows", fix="pass one per row")
        if not rhs.any():
            return RationalVector(np.zeros(order, dtype=object))
        matrix = self.matrix.T if transposed else self.matrix
        try:
            return self._lift(matrix, rhs, transposed)
        except _ConditionError as reason:
            logger.info("numeric lifting failed (%s); order %d", reason, order)
            if order > self.dense_limit:
                raise self._singular(str(reason)) from None
            return self._solve_dense(matrix, rhs)

    @cached_property
    def _factors(self) -> Any:
        """Floating-point LU factors of the matrix, scaled to entries near one, and its columns' powers of two."""
        scaled = self.matrix.scaled_floats
        largest = abs(scaled).max(axis=0).toarray().ravel()
        columns = np.frexp(np.where(largest > 0, largest, 1.0))[1].astype(np.int64)
        try:
            return splu(sp.csc_array(scaled @ sp.diags_array(np.ldexp(1.0, -columns)))), columns
        except RuntimeError as error:  # "Factor is exactly singular"
            raise _ConditionError(str(error)) from None

    def _float_solve(self, rhs: Integers, transposed: bool, shift: int) -> FloatArray:
        """Solve in floating point, in units of ``2^shift``."""
        factors, columns = self._factors
        rows = self.matrix.row_exponents
        with np.errstate(over="ignore"):  # who lifts looks for infinities
            if transposed:
                return np.ldexp(factors.solve(scaled_floats(rhs, columns + shift), trans="T"), -rows)
            return np.ldexp(factors.solve(scaled_floats(rhs, rows + shift)), -columns)

    # -- lifting ----------------------------------------------------------------------------------------------------

    def _lift(self, matrix: IntegerMatrix, rhs: Integers, transposed: bool) -> RationalVector:
        limit = _bit_limit(matrix, rhs)
        product = _Residual(matrix, rhs)
        residual = rhs if product.wraps else as_object(rhs)
        numerators = np.zeros(len(rhs), dtype=object)
        done, attempt_at, step = 0, 60, _MAX_BITS_A_STEP
        while True:
            shift = max(0, _largest(residual).bit_length() - _FLOAT_BITS)
            correction = self._float_solve(residual, transposed, shift)
            largest = float(np.abs(correction).max())
            if not math.isfinite(largest):
                raise _ConditionError("the float solution is not finite")
            if shift:
                residual, digits = product.reduce(residual, correction, shift)
                numerators = numerators + digits
                continue
            magnitude = max(0, math.frexp(largest)[1])  # |B⁻¹ r| < 2^magnitude, up to the factors' error
            settled = not residual.any()
            if done >= attempt_at or settled:
                found = _dyadic(numerators, done) if settled else reconstruct(numerators, done, done - magnitude - 2)
                if found is not None and _holds(matrix, found, rhs):
                    return found
                if settled or done > limit:
                    raise _ConditionError(f"no solution within the Hadamard bound of {limit} bits")
                attempt_at = done * 3 // 2
            step = min(step + 4, _MAX_BITS_A_STEP, max(0, 52 - magnitude))
            residual, digits, step = product.advance(residual, correction, step)
            numerators = (numerators << step) + digits
            done += step

    # -- dense ------------------------------------------------------------------------------------------------------

    def _solve_dense(self, matrix: IntegerMatrix, rhs: Integers) -> RationalVector:
        try:  # here and not above, as most systems never get here
            import flint
        except ModuleNotFoundError as error:
            raise ExactError(
                "an ill-conditioned system needs FLINT, which is not installed",
                where=f"order {matrix.shape[0]}",
                fix="pip install python-flint",
            ) from error
        order = matrix.shape[0]
        cells = np.zeros((order, order), dtype=object)
        where = matrix.csr.tocoo()
        cells[where.row, where.col] = as_object(matrix.entries)
        try:
            dense = flint.fmpz_mat(order, order, cells.ravel().tolist())
            numerators, denominator = dense.solve(flint.fmpz_mat(order, 1, as_object(rhs).tolist())).numer_denom()
        except ZeroDivisionError:
            raise self._singular() from None
        result = np.empty(order, dtype=object)
        result[:] = [int(k) for k in numerators.entries()]
        found = RationalVector(result, int(denominator))
        if not _holds(matrix, found, rhs):
            raise ExactError("the dense exact solver returned a wrong solution", where=f"order {order}")
        return found

    def _singular(self, reason: str = "the matrix is singular") -> SingularError:
        order = self.matrix.shape[0]
        return SingularError(
            f"no exact solution of a linear system: {reason}",
            where=f"order {order}",
            fix="use another basis, or rescale the data" if order > self.dense_limit else "use another basis",
        )


def solve_integer_system(matrix: IntegerMatrix, rhs: Integers) -> RationalVector:
    """Solve one square system exactly.

    >>> z = solve_integer_system(IntegerMatrix.from_dense([[2, 1], [1, 3]]), np.array([1, 1]))
    >>> [str(f) for f in z.fractions]
    ['2/5', '1/5']
    """
    return IntegerSystem(matrix).solve(rhs)


def reconstruct(numerators: NDArray[Any], bits: int, accuracy: int) -> RationalVector | None:
    """Find rationals near ``numerators / 2^bits``, each within ``2^-accuracy``, with a small common denominator.

    The denominator grows a factor at a time: of the first entry that it does not make an integer, a continued fraction
    gives the missing factor. ``None`` if the accuracy does not single out a denominator.

    >>> near = np.array([2**60 // 3, -(2**60 // 7) * 2], dtype=object)
    >>> [str(f) for f in reconstruct(near, 60, 57).fractions]
    ['1/3', '-2/7']
    """
    denominator, half = 1, 1 << max(bits - 1, 0)
    tolerance = 1 << max(bits - accuracy, 0)  # of denominator * entry, in units of 2^-bits; grows with the denominator
    rest = numerators
    while True:
        if (denominator * tolerance) << _GUARD_BITS > 1 << bits:
            return None
        scaled = rest * denominator
        offset = ((scaled + half) & ((1 << bits) - 1)) - half  # distance to the nearest integer
        missed = np.flatnonzero(np.abs(offset) > denominator * tolerance)
        if len(missed) == 0:
            break
        rest = rest[missed[0] :]
        factor = _denominator_near(int(offset[missed[0]]), bits, denominator * tolerance)
        if factor is None:
            return None
        denominator *= factor
    return RationalVector((numerators * denominator + half) >> bits, denominator)


def _denominator_near(offset: int, bits: int, tolerance: int) -> int | None:
    """Return the first convergent of ``offset / 2^bits`` within the tolerance; ``None`` if it may be a coincidence."""
    upper, lower = 1 << bits, abs(offset)
    before, denominator = 0, 1
    limit = upper >> _GUARD_BITS
    # Euclid's remainder is |denominator · offset − numerator · 2^bits|
    while lower > tolerance * denominator:
        quotient, remainder = divmod(upper, lower)
        before, denominator = denominator, quotient * denominator + before
        upper, lower = lower, remainder
        if denominator * denominator * tolerance > limit:
            return None
    return denominator


class _Residual:
    """The exact step ``r ← 2^s r − B d``, in 64-bit integers as long as everything fits."""

    def __init__(self, matrix: IntegerMatrix, rhs: Integers) -> None:
        self.matrix = matrix
        self.norm = matrix.norm
        self.wraps = matrix.big is None and rhs.dtype != object and _largest(rhs) < _INT64_LIMIT
        if self.wraps:
            self.modular = matrix.csr.astype(np.uint64)
            self.floats = matrix.csr.astype(np.float64)
            self.sizes = abs(self.floats)
            self.roundoff = (int(np.diff(matrix.csr.indptr).max()) + 4) * 2.0**-52

    def advance(self, residual: Integers, correction: FloatArray, step: int) -> tuple[Integers, Integers, int]:
        """Take as many bits (at most ``step``) as the correction is good for; give residual, digits and bits.

        Residuals may not grow beyond what rounding the digits to integers leaves. Zero bits are taken only while that
        still shrinks the residual of a large right-hand side.
        """
        before = _largest(residual)
        while True:
            digits = np.rint(np.ldexp(correction, step))
            after = self._after(residual, digits, step)
            if after is not None and _largest(after) <= (max(self.norm, before) if step else before // 16):
                return after, digits.astype(np.int64) if self.wraps else _integers(digits), step
            if step == 0:
                raise _ConditionError("the float factors are too inaccurate")
            step = step // 2 if step // 2 >= _MIN_BITS_PER_STEP else 0

    def reduce(self, residual: Integers, correction: FloatArray, shift: int) -> tuple[Integers, Integers]:
        """Shrink a residual too large for floats by a correction in units of ``2^shift``; return it and the digits."""
        digits = _integers(np.rint(correction)) << shift
        after = residual - self.matrix.times(digits)
        if _largest(after) > _largest(residual) // 16:
            raise _ConditionError("the float factors are too inaccurate")
        return after, digits

    def _after(self, residual: Integers, digits: FloatArray, step: int) -> Integers | None:
        if not self.wraps:
            return (residual << step) - self.matrix.times(_integers(digits))
        # A float bound proves that the true residual fits; then arithmetic modulo 2^64 gives it exactly.
        shifted = np.ldexp(residual.astype(np.float64), step)
        estimate = np.abs(shifted - self.floats @ digits)
        doubt = self.roundoff * (np.abs(shifted) + self.sizes @ np.abs(digits))
        if not (estimate + doubt).max() < _INT64_LIMIT or not np.abs(digits).max() < _INT64_LIMIT:
            return None
        product = self.modular @ digits.astype(np.int64).view(np.uint64)
        return ((residual.view(np.uint64) << np.uint64(step)) - product).view(np.int64)


def _integers(floats: FloatArray) -> NDArray[Any]:
    """Turn whole floats of any size into Python integers."""
    result = np.empty(len(floats), dtype=object)
    result[:] = [int(v) for v in floats.tolist()]
    return result


def _largest(values: Integers) -> int:
    return max(int(values.max()), -int(values.min()))


def _dyadic(numerators: NDArray[Any], bits: int) -> RationalVector:
    """Lifting has ended: the solution is ``numerators / 2^bits``."""
    return reduced(numerators, 1 << bits)


def _holds(matrix: IntegerMatrix, candidate: RationalVector, rhs: Integers) -> bool:
    """The proof: ``B · num = den · b`` in integers."""
    return bool((matrix.times(candidate.numerators) == as_object(rhs) * candidate.denominator).all())


def _bit_limit(matrix: IntegerMatrix, rhs: Integers) -> int:
    """Bits that suffice for any solution: twice Hadamard's bound on the determinants of Cramer's rule."""
    counts = np.maximum(np.diff(matrix.csr.indptr), 1)
    bound = int(matrix.row_exponents.sum()) + float(np.log2(counts).sum()) / 2  # of the Euclidean norms of the rows
    return int(2 * (bound + _largest(rhs).bit_length())) + 2 * _GUARD_BITS + 64
