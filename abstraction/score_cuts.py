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
from numpy.typing import ArrayLike, NDArray

from equiform.models.errors import ParameterError


@dataclass(frozen=True, eq=False)
class ScoreCuts:
    """Cuts of all parents, ready for looking up."""

    children: tuple[int, ...]
    cuts: NDArray[np.int64] = field(repr=False)  # parent after parent
    keys: NDArray[np.int64] = field(repr=False)
    width: int

    @property
    def n_buckets(self) -> int:
        """How many buckets there are in all."""
        return sum(self.children)

    def buckets(self, parents: ArrayLike, scores: ArrayLike) -> NDArray[np.int64]:
        """Buckets of hands, given their parents and scores.

        >>> score_cuts([10, 20, 5], [3, 2]).buckets([0, 0, 0, 1, 1], [9, 10, 30, 4, 30]).tolist()
        [0, 1, 2, 3, 4]
        """
        above, score = np.asarray(parents, dtype=np.int64), np.asarray(scores, dtype=np.int64)
        return np.searchsorted(self.keys, above * self.width + np.minimum(score, self.width - 1), side="right") + above


def score_cuts(cuts: ArrayLike, children: Sequence[int]) -> ScoreCuts:
    """Check cuts, given parent after parent: each parent's ascend and are one fewer than its children."""
    line, counts = np.asarray(cuts, dtype=np.int64), np.asarray(children, dtype=np.int64)
    if counts.ndim != 1 or not counts.size or counts.min() < 1 or line.shape != (int((counts - 1).sum()),):
        raise ParameterError(
            "every parent has one cut fewer than children", where=f"{line.size} cuts, {counts.size} parents"
        )
    width = int(line.max(initial=0)) + 1
    keys = np.repeat(np.arange(len(counts)), counts - 1) * width + line
    if (line < 0).any() or (np.diff(keys) <= 0).any():
        raise ParameterError("the cuts of a parent must ascend, from 0 at least")
    return ScoreCuts(tuple(counts.tolist()), line, keys, width)
