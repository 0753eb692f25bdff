r"""Action translation: read an opponent's bet that the abstraction does not contain (Ganzfried 2015, §7.4–7.5).

Let :math:`A < B` be the two sizes of the abstraction around an observed bet :math:`x`, all in units of the pot. A
mapping is a function :math:`f_{A,B}(x)`: the probability of answering as if the bet had been :math:`A` (otherwise
:math:`B`). Every deterministic mapping is a threshold, the *median* at which its randomised counterpart equals one
half:

==================  ===========================================================  =================================
arithmetic          :math:`(B-x)/(B-A)`                                          :math:`(A+B)/2`
geometric 1         :math:`A(B-x) \,/\, (A(B-x) + x(x-A))`                       :math:`\sqrt{AB}`
geometric 2         :math:`A(B+x)(B-x) \,/\, ((B-A)(x^2+AB))`                    :math:`\sqrt{AB}`
pseudo-harmonic     :math:`(B-x)(1+A) \,/\, ((B-A)(1+x))`                        :math:`(A+B+2AB)/(A+B+2)`
==================  ===========================================================  =================================

For :math:`A = 0` the geometric mappings are the constant 0 (§7.7). At its median a deterministic mapping may go either
way; the thesis's text maps it up, its tables sometimes down, so that :class:`Ties` is an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from equiform.models.common.arguments import near_names, require_callable, require_kind, require_name
from equiform.models.common.array_arguments import LARGEST, require_numbers
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError

#: A formula in A, B and x that uses arithmetic only, so that numbers, arrays and sympy symbols can all be put in.
Formula = Callable[[Any, Any, Any], Any]

# Sizes such as 0.1 · k carry rounding errors of this order; closer than this to a size or a median is "at" it.
_AT = 1e-9


class Ties(StrEnum):
    """Where a deterministic mapping sends a bet exactly at its median."""

    LOWER = "lower"
    UPPER = "upper"


def arithmetic(A: Any, B: Any, x: Any) -> Any:
    """Return the randomised arithmetic mapping (§7.4.2)."""
    return (B - x) / (B - A)


def geometric_1(A: Any, B: Any, x: Any) -> Any:
    """Return the first randomised geometric mapping (§7.4.4)."""
    return A * (B - x) / (A * (B - x) + x * (x - A))


def geometric_2(A: Any, B: Any, x: Any) -> Any:
    """Return the second randomised geometric mapping (§7.4.5)."""
    return A * (B + x) * (B - x) / ((B - A) * (x * x + A * B))


def pseudo_harmonic(A: Any, B: Any, x: Any) -> Any:
    """Return the pseudo-harmonic mapping (§7.5)."""
    return (B - x) * (1 + A) / ((B - A) * (1 + x))


def arithmetic_median(A: Any, B: Any) -> Any:
    """Return the arithmetic mean."""
    return (A + B) / 2


def geometric_median(A: Any, B: Any) -> Any:
    """Return the geometric mean."""
    return (A * B) ** 0.5


def pseudo_harmonic_median(A: Any, B: Any) -> Any:
    """Return the bet that the pseudo-harmonic mapping sends either way with equal probability."""
    return (A + B + 2 * A * B) / (A + B + 2)


@dataclass(frozen=True)
class TranslationMapping:
    """One mapping: a randomised formula, or the median of a deterministic one."""

    name: str
    """The name in the thesis's tables."""
    formula: Formula = field(repr=False)
    """The randomised mapping; for a deterministic one, its randomised counterpart."""
    median: Callable[[Any, Any], Any] = field(repr=False)
    deterministic: bool

    def __post_init__(self) -> None:
        require_kind(self.name, str, "name", "action translation")
        require_callable(self.formula, "formula", self.name)
        require_callable(self.median, "median", self.name)

    def probability(
        self,
        A: npt.ArrayLike,
        B: npt.ArrayLike,
        x: npt.ArrayLike,
        *,
        pot: npt.ArrayLike = 1.0,
        ties: Ties = Ties.UPPER,
    ) -> FloatArray:
        """Return the probability of reading x as A rather than B.

        This is the bare mapping :math:`f_{A,B}`: it does not treat a bet that *is* A or B apart (:func:`read_bets`
        does).

        Parameters
        ----------
        A, B
            The sizes of the abstraction around the bet.
        x
            The bet; arrays broadcast.
        pot
            What the amounts are divided by.
        ties
            Where a deterministic mapping sends a bet at its median.

        Raises
        ------
        ParameterError
            Unless 0 ≤ A ≤ x ≤ B, A < B and the pot is positive.

        Examples
        --------
        >>> by_name("Rand-psHar").probability(0, 1, [0.25, 0.5]).round(3).tolist()
        [0.6, 0.333]
        """
        lower, upper, bet = _in_pots(A, B, x, pot)
        _require_order(lower, upper, bet)
        down_at_median = require_ties(ties) is Ties.LOWER
        if self.deterministic:
            middle = np.asarray(self.median(lower, upper), dtype=np.float64)
            at = np.abs(bet - middle) <= _AT * np.maximum(1.0, middle)
            down = np.where(at, down_at_median, bet < middle)
            return down.astype(np.float64)
        with np.errstate(invalid="ignore"):
            value = np.asarray(self.formula(lower, upper, bet), dtype=np.float64)
        # 0/0 arises for the geometric mappings at A = x = 0 only; all their other values at A = 0 are 0
        return np.nan_to_num(value, nan=0.0)


DET_ARITH = TranslationMapping("Det-Arith", arithmetic, arithmetic_median, True)
RAND_ARITH = TranslationMapping("Rand-Arith", arithmetic, arithmetic_median, False)
DET_GEO = TranslationMapping("Det-Geo", geometric_1, geometric_median, True)
RAND_GEO_1 = TranslationMapping("Rand-Geo-1", geometric_1, geometric_median, False)
RAND_GEO_2 = TranslationMapping("Rand-Geo-2", geometric_2, geometric_median, False)
DET_PSHAR = TranslationMapping("Det-psHar", pseudo_harmonic, pseudo_harmonic_median, True)
RAND_PSHAR = TranslationMapping("Rand-psHar", pseudo_harmonic, pseudo_harmonic_median, False)

#: The seven mappings in the order of the thesis's tables.
MAPPINGS = (DET_ARITH, RAND_ARITH, DET_GEO, RAND_GEO_1, RAND_GEO_2, DET_PSHAR, RAND_PSHAR)


def by_name(name: str) -> TranslationMapping:
    """Find a mapping by its name in the thesis's tables, ignoring case.

    Raises
    ------
    ParameterError
        If there is no such mapping; the error lists all.
    """
    for mapping in MAPPINGS:
        if isinstance(name, str) and mapping.name.lower() == name.lower():
            return mapping
    names = [m.name for m in MAPPINGS]
    fix = f"{near_names(name, names)}use one of {', '.join(names)}"
    raise ParameterError(f"there is no action translation mapping {name!r}", fix=fix)


@dataclass(frozen=True, eq=False)
class Reading:
    """How bets are read: as size ``lower`` of the abstraction with ``probability``, else as size ``upper``."""

    lower: IntArray
    upper: IntArray
    probability: FloatArray

    def expected(self, values: npt.ArrayLike) -> FloatArray:
        """Average what is known for each size of the abstraction over the readings of each bet."""
        v = require_numbers(values, "values", "sizes of the abstraction", shape=(None,))
        if self.upper.size and len(v) <= self.upper.max():
            raise ParameterError(
                f"there are {len(v)} values",
                where="sizes of the abstraction",
                fix="pass one value per size, in the order of the sizes",
            )
        return self.probability * v[self.lower] + (1.0 - self.probability) * v[self.upper]

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Draw one size of the abstraction for each bet."""
        require_kind(rng, np.random.Generator, "rng", "readings of bets")
        return np.where(rng.random(self.probability.shape) < self.probability, self.lower, self.upper)


def read_bets(
    mapping: TranslationMapping, sizes: npt.ArrayLike, bets: npt.ArrayLike, *, ties: Ties = Ties.UPPER
) -> Reading:
    """Read bets with an abstraction's sizes.

    A bet in the abstraction is read as itself, one outside its range as the nearest end (§7.1).

    Parameters
    ----------
    mapping
        How a bet between two sizes is read.
    sizes
        The abstraction's sizes in pots, increasing; 0 is a check or call.
    bets
        The bets, in pots.
    ties
        Where a deterministic mapping sends a bet at its median.

    Returns
    -------
    Reading
        For each bet the sizes around it and the probability of the lower one.

    Raises
    ------
    ParameterError
        If the sizes do not increase, or if an amount is negative or not a number.

    Examples
    --------
    >>> r = read_bets(RAND_PSHAR, [0, 1, 10], [0.25, 1, 4, 12])
    >>> r.lower.tolist(), r.upper.tolist(), r.probability.round(3).tolist()
    ([0, 1, 1, 2], [1, 1, 2, 2], [0.6, 1.0, 0.267, 1.0])
    """
    require_kind(mapping, TranslationMapping, "mapping", "readings of bets")
    grid = require_numbers(sizes, "sizes", "abstraction", shape=(None,), empty=False, least=0, most=LARGEST)
    bet = require_numbers(bets, "bets", "readings of bets", least=0, most=LARGEST)
    if (np.diff(grid) <= 0).any():
        raise ParameterError(
            "the sizes of an abstraction must increase", where=str(grid)[:200], fix="sort them, all different"
        )
    require_ties(ties)
    slack = _AT * np.maximum(1.0, bet)
    below = np.clip(np.searchsorted(grid, bet + slack, side="right") - 1, 0, len(grid) - 1)
    above = np.clip(np.searchsorted(grid, bet - slack, side="left"), 0, len(grid) - 1)
    probability = np.ones(bet.shape)
    between = below < above
    probability[between] = mapping.probability(grid[below[between]], grid[above[between]], bet[between], ties=ties)
    return Reading(below.astype(np.int64), above.astype(np.int64), probability)


def require_ties(ties: Ties) -> Ties:
    """Check where ties go; a plain string will do."""
    return Ties(require_name(ties, Ties, "way to break ties", "action translation"))


def _in_pots(A: npt.ArrayLike, B: npt.ArrayLike, x: npt.ArrayLike, pot: npt.ArrayLike) -> list[FloatArray]:
    """Return the amounts divided by the pot, in arrays of one shape."""
    where = "action translation"
    unit = require_numbers(pot, "pots", where, least=0)
    if not (unit > 0).all():
        raise ParameterError("a pot is 0", where=where, fix="amounts are measured in pots, so the pot must be positive")
    amounts = [require_numbers(v, f"amounts {name}", where) for name, v in (("A", A), ("B", B), ("x", x))]
    try:
        return list(np.broadcast_arrays(*(amount / unit for amount in amounts)))
    except ValueError:
        shapes = ", ".join(str(v.shape) for v in (*amounts, unit))
        raise ParameterError(
            "the shapes of A, B, x and pot do not match",
            where=f"shapes {shapes}",
            fix="pass equally many of each, or a single value",
        ) from None


def _require_order(A: FloatArray, B: FloatArray, x: FloatArray) -> None:
    good = np.isfinite(A) & (B <= LARGEST) & (A >= 0) & (A < B) & (x >= A - _AT) & (x <= B + _AT)
    if not good.all():
        k = int(np.argmin(good))
        raise ParameterError(
            "a mapping needs 0 <= A <= x <= B with A < B",
            where=f"A={A.flat[k]:g}, x={x.flat[k]:g}, B={B.flat[k]:g}",
            fix="let A and B be the sizes of the abstraction around the bet x",
        )
