"""Numbers without gaps for sets and multisets of integers (thesis §9.7.1 and §9.7.2).

The *colexicographic index* of a set x_1 < … < x_k of {0, …, n-1} is Σ C(x_i, i); the sets of size k get exactly the
numbers 0 … C(n,k)-1, whatever n is. A multiset x_1 <= … <= x_k gets Σ C(x_i + i - 1, i).
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.models.errors import ParameterError

MAX_MEMBER = 64
MAX_SIZE = 7
#: ``BINOMIALS[n, k]`` is C(n, k).
BINOMIALS = np.array([[comb(n, k) for k in range(MAX_SIZE + 1)] for n in range(MAX_MEMBER + 2)], dtype=np.int64)


def colex_index(sets: ArrayLike) -> NDArray[np.int64]:
    """Colexicographic indices of sets of integers, one a row; members may come in any order.

    >>> colex_index([[0, 1], [2, 0], [1, 2]]).tolist()
    [0, 1, 2]
    """
    members = np.sort(np.atleast_2d(np.asarray(sets, dtype=np.int64)), axis=1)
    if members.size and (members.min() < 0 or members.max() > 64 or members.shape[1] > 7):
        raise ParameterError("colex indices are for sets of at most 7 integers from 0 to 64")
    if (np.diff(members, axis=1) == 0).any():
        raise ParameterError("a set has a member twice", fix="use multiset_index for multisets")
    return BINOMIALS[members, np.arange(1, members.shape[1] + 1)].sum(axis=1)


def colex_unindex(indices: ArrayLike, size: int) -> NDArray[np.int64]:
    """The sets of ``size`` integers (ascending) that have the given colexicographic indices.

    >>> colex_unindex([0, 1, 2], 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    rest = np.atleast_1d(np.asarray(indices, dtype=np.int64)).copy()
    if not 0 <= size <= 7 or (rest.size and (rest.min() < 0 or rest.max() >= comb(65, size))):
        raise ParameterError("no such set", where=f"size {size}", fix="sets have at most 7 members from 0 to 64")
    sets = np.empty((len(rest), size), dtype=np.int64)
    for place in range(size, 0, -1):
        sets[:, place - 1] = np.searchsorted(BINOMIALS[:, place], rest, side="right") - 1
        rest -= BINOMIALS[sets[:, place - 1], place]
    return sets


def multiset_index(multisets: ArrayLike) -> NDArray[np.int64]:
    """Indices of multisets of integers, one a row: 0, 1, 2, … without gaps for each size.

    >>> multiset_index([[0, 0], [0, 1], [1, 1]]).tolist()
    [0, 1, 2]
    """
    members = np.sort(np.atleast_2d(np.asarray(multisets, dtype=np.int64)), axis=1)
    if members.size and members.min() < 0:
        raise ParameterError("multiset indices are for integers from 0")
    indices = np.zeros(len(members), dtype=np.int64)
    for place in range(1, members.shape[1] + 1):
        term = np.ones(len(members), dtype=np.int64)
        for factor in range(1, place + 1):  # C(x + place - 1, place), a factor at a time: every step is an integer
            term = term * (members[:, place - 1] + factor - 1) // factor
        indices += term
    return indices
