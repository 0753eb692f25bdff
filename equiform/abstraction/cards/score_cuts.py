"""Buckets that are intervals of scores, parent by parent.

Parent i has ``children[i]`` buckets, and between them cuts: the lowest score of each but the first. Buckets are
numbered parent by parent, from weak to strong. With all cuts in one sorted list of keys ``parent * width + cut``, the
keys up to a hand's own are the cuts of earlier parents and those it has passed; each earlier parent has one bucket more
than cuts. So a single binary search finds the bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError

_MOST_CHILDREN = 10**9


@dataclass(frozen=True, eq=False)
class ScoreCuts:
    """Cuts of all parents, ready for looking up."""

    children: tuple[int, ...]
    cuts: IntArray = field(repr=False)  # parent after parent
    keys: IntArray = field(repr=False)
    width: int

    @property
    def n_buckets(self) -> int:
        """How many buckets there are in all."""
        return sum(self.children)

    def buckets(self, parents: ArrayLike, scores: ArrayLike) -> IntArray:
        """Return the buckets of hands, given their parents and scores.

        >>> score_cuts([10, 20, 5], [3, 2]).buckets([0, 0, 0, 1, 1], [9, 10, 30, 4, 30]).tolist()
        [0, 1, 2, 3, 4]
        """
        where = "buckets by score"
        above = require_integers(parents, "parents", where, least=0, most=len(self.children) - 1)
        score = require_integers(scores, "scores", where, shape=above.shape, least=0)
        return np.searchsorted(self.keys, above * self.width + np.minimum(score, self.width - 1), side="right") + above


def score_cuts(cuts: ArrayLike, children: Sequence[int]) -> ScoreCuts:
    """Check cuts and prepare them for looking up.

    Parameters
    ----------
    cuts
        Parent after parent, each parent's ascending.
    children
        How many buckets each parent has: one more than cuts.
    """
    where = "score cuts"
    counts = require_integers(children, "children", where, shape=(None,), empty=False, least=1, most=_MOST_CHILDREN)
    # keys are parent * width + cut: both must leave room for the other in 64 bits
    most = np.iinfo(np.int64).max // (len(counts) + 1) - 1
    line = require_integers(cuts, "cuts", where, least=0, most=most)
    if line.shape != (int((counts - 1).sum()),):
        raise ParameterError(
            "every parent has one cut fewer than children",
            where=f"{line.size} cuts, {counts.size} parents",
            fix=f"pass {int((counts - 1).sum())} cuts",
        )
    width = int(line.max(initial=0)) + 1
    keys = np.repeat(np.arange(len(counts)), counts - 1) * width + line
    if (np.diff(keys) <= 0).any():
        raise ParameterError("the cuts of a parent must ascend", where=where, fix="sort them, all different")
    return ScoreCuts(tuple(counts.tolist()), line, keys, width)
