r"""Payoffs that are never written out: sums of Kronecker products of a betting part and a card part.

Where cards are dealt independently of the betting, the payoff of a pair of sequences factors into the stakes and the
probability and strength of the cards. With the rows and columns of round r ordered as (betting, cards),

.. math:: A_r = F_r \otimes B_r \;(+\; S \otimes W \text{ in the last round}),

F for betting that ends in a fold, S for showdowns, B for the probabilities of pairs of hands and W for probabilities
times win, loss or draw (Gilpin, Hoda, Peña and Sandholm 2007). A product needs the small factors only:

.. math:: (F \otimes B)\,\mathrm{vec}(Y) = \mathrm{vec}(F \, Y B^\top).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import PayoffError
from equiform.models.payoffs.matrix import Payoff


@runtime_checkable
class BoundedPayoff(Payoff, Protocol):
    """An operator that also knows how large its entries are; smoothing methods derive their step sizes from that."""

    def magnitude(self) -> Payoff:
        """Return an operator whose entries are at least the absolute values of this one's."""


@dataclass(frozen=True, eq=False)
class KroneckerTerm:
    """``left ⊗ right``, placed: entry (i, j) × (k, l) goes to row ``rows[i, j]`` and column ``cols[k, l]``.

    A place of −1 marks a pair that is not a sequence of the game.
    """

    left: sp.csr_array
    right: sp.csr_array | FloatArray
    rows: IntArray = field(repr=False)
    cols: IntArray = field(repr=False)

    def __post_init__(self) -> None:
        if self.rows.shape != (self.left.shape[0], self.right.shape[0]) or self.cols.shape != (
            self.left.shape[1],
            self.right.shape[1],
        ):
            raise PayoffError(
                "the places of a Kronecker term do not fit its factors",
                where=f"rows {self.rows.shape}, columns {self.cols.shape}, "
                f"factors {self.left.shape} and {self.right.shape}",
                fix="rows are (left rows, right rows) and columns (left columns, right columns)",
            )
        for places in (self.rows, self.cols):
            used = places[places >= 0]
            if len(np.unique(used)) != len(used):
                raise PayoffError(
                    "a sequence has two places in one Kronecker term",
                    fix="split the term so that each sequence has one place",
                )

    @cached_property
    def left_transpose(self) -> sp.csr_array:
        """The transposed left factor, row-major."""
        return sp.csr_array(self.left.T.tocsr())

    @cached_property
    def right_transpose(self) -> Any:
        """The transposed right factor, row-major."""
        if isinstance(self.right, np.ndarray):
            return np.ascontiguousarray(self.right.T)
        return sp.csr_array(self.right.T.tocsr())


@dataclass(frozen=True, eq=False)
class KroneckerPayoff:
    """A payoff operator ``A = Σ left ⊗ right``."""

    shape: tuple[int, int]
    terms: Sequence[KroneckerTerm]

    def times(self, y: FloatArray) -> FloatArray:
        """Return ``A y``."""
        padded = np.append(y, 0.0)  # place -1 reads this zero
        out = np.zeros(self.shape[0] + 1)
        for term in self.terms:
            # left @ Y @ right.T, computed as (right @ (left @ Y).T).T
            out[term.rows] += (term.right @ (term.left @ padded[term.cols]).T).T
        return out[:-1]

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x``."""
        padded = np.append(x, 0.0)
        out = np.zeros(self.shape[1] + 1)
        for term in self.terms:
            out[term.cols] += (term.right_transpose @ (term.left_transpose @ padded[term.rows]).T).T
        return out[:-1]

    def magnitude(self) -> KroneckerPayoff:
        """Return ``Σ |left| ⊗ |right|``, entry by entry at least as large as ``|A|``."""
        return KroneckerPayoff(
            self.shape, [KroneckerTerm(abs(t.left), abs(t.right), t.rows, t.cols) for t in self.terms]
        )
