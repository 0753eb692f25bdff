"""Numbers without gaps for sets and multisets of integers (thesis §9.7.1 and §9.7.2).

The *colexicographic index* of a set x_1 < … < x_k of {0, …, n-1} is Σ C(x_i, i); the sets of size k get exactly the
numbers 0 … C(n,k)-1, whatever n is. A multiset x_1 <= … <= x_k gets Σ C(x_i + i - 1, i).
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike

from equiform.models.common.arguments import require_count
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError

MAX_MEMBER = 64
MAX_SIZE = 7
_MOST_FACTORS = 64  # a multiset of more integers than bits has no 64-bit index, unless all are alike
#: ``BINOMIALS[n, k]`` is C(n, k).
BINOMIALS = np.array([[comb(n, k) for k in range(MAX_SIZE + 1)] for n in range(MAX_MEMBER + 2)], dtype=np.int64)


def colex_index(sets: ArrayLike) -> IntArray:
    """Return the colexicographic indices of sets of integers, one per row; members may come in any order.

    >>> colex_index([[0, 1], [2, 0], [1, 2]]).tolist()
    [0, 1, 2]
    """
    members = np.sort(_rows(sets, "sets", MAX_MEMBER), axis=1)
    if members.shape[1] > MAX_SIZE:
        raise ParameterError(
            f"sets of {members.shape[1]} members", where="colex index", fix=f"use at most {MAX_SIZE} members"
        )
    if (np.diff(members, axis=1) == 0).any():
        raise ParameterError("a set has a member twice", where="colex index", fix="use multiset_index for multisets")
    return BINOMIALS[members, np.arange(1, members.shape[1] + 1)].sum(axis=1)


def colex_unindex(indices: ArrayLike, size: int) -> IntArray:
    """Return the sets of ``size`` integers (ascending) that have the given colexicographic indices.

    >>> colex_unindex([0, 1, 2], 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    require_count(size, "size", "colex sets", least=0, most=MAX_SIZE)
    most = comb(MAX_MEMBER + 1, size) - 1
    numbers = require_integers(indices, "indices", f"sets of {size} members", least=0, most=most)
    if numbers.ndim > 1:
        raise ParameterError(f"indices of shape {numbers.shape}", where="colex sets", fix="pass them in one dimension")
    rest = np.atleast_1d(numbers).copy()
    sets = np.empty((len(rest), size), dtype=np.int64)
    for place in range(size, 0, -1):
        sets[:, place - 1] = np.searchsorted(BINOMIALS[:, place], rest, side="right") - 1
        rest -= BINOMIALS[sets[:, place - 1], place]
    return sets


def multiset_index(multisets: ArrayLike) -> IntArray:
    """Return the indices of multisets of integers, one per row: 0, 1, 2, … without gaps for each size.

    >>> multiset_index([[0, 0], [0, 1], [1, 1]]).tolist()
    [0, 1, 2]
    """
    members = np.sort(_rows(multisets, "multisets"), axis=1)
    size, largest = members.shape[1], int(members.max(initial=0))
    # the largest product on the way must fit into 64 bits
    if size > _MOST_FACTORS or size * comb(largest + size, size) > np.iinfo(np.int64).max:
        raise ParameterError(
            f"multisets of {size} integers up to {largest:,} have no 64-bit index",
            where="multiset index",
            fix="use fewer or smaller integers",
        )
    indices = np.zeros(len(members), dtype=np.int64)
    for place in range(1, members.shape[1] + 1):
        term = np.ones(len(members), dtype=np.int64)
        for factor in range(1, place + 1):  # C(x + place - 1, place), one factor at a time: every step is an integer
            term = term * (members[:, place - 1] + factor - 1) // factor
        indices += term
    return indices


def _rows(sets: ArrayLike, name: str, most: int | None = None) -> IntArray:
    """Check sets given as rows of integers from 0; a single set may come without its brackets."""
    rows = np.atleast_2d(require_integers(sets, name, "index", least=0, most=most))
    if rows.ndim > 2:
        raise ParameterError(f"{name} of shape {rows.shape}", where="index", fix="pass one per row")
    return rows
