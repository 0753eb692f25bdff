r"""Percentile hand strength: hands whose equities lie in one interval share a bucket (Algorithm 17).

With k buckets asked for and the threshold α of the top one, a hand of equity E goes to

.. math:: \Bigl\lfloor \frac{E}{\alpha / (k - 1)} \Bigr\rfloor \text{ if } E < \alpha, \qquad k - 1 \text{ otherwise;}

intervals without hands are left out, so that there may be fewer. k-means would separate equities such as .772 and
.775 where many hands lie, and merge .2 and .3 where few do (§10.3). The other way here cuts the hands, sorted by
equity, into k parts of about the same weight.
"""

from __future__ import annotations

import numpy as np

from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray, IntArray

#: Equities are sums of many numbers: this close to the border of an interval they lie on it.
_SLACK = 1e-12


def interval_buckets(equity: FloatArray, count: int, top: float) -> IntArray:
    """Return the bucket of each hand, from the weakest up without gaps; −1 for hands that are never held (NaN).

    Parameters
    ----------
    equity
        From 0 to 1, or NaN.
    count
        How many buckets to make at most.
    top
        Hands of this equity or more have a bucket of their own.
    """
    require_count(count, "count", "buckets")
    require_number(top, "top", "buckets", least=0, most=1)
    labels = np.full(len(equity), -1, dtype=np.int64)
    held = np.flatnonzero(~np.isnan(equity))
    width = top / max(count - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        interval = np.floor((equity[held] + _SLACK) / width) if width > 0 else np.zeros(len(held))
    strong = equity[held] >= top - _SLACK
    bucket = np.where(strong, count - 1, np.minimum(interval, max(count - 2, 0))).astype(np.int64)
    labels[held] = np.unique(bucket, return_inverse=True)[1]
    return labels


def weight_buckets(equity: FloatArray, weight: FloatArray, count: int) -> IntArray:
    """Cut the hands, sorted by equity, into parts of about equal weight; hands of equal equity stay together."""
    require_count(count, "buckets", "buckets", most=1326)
    labels = np.full(len(equity), -1, dtype=np.int64)
    held = np.flatnonzero(~np.isnan(equity))
    rounded = np.round(equity[held], 12)
    order = np.argsort(rounded, kind="stable")
    sorted_equity, own = rounded[order], weight[held][order]
    middle = (np.cumsum(own) - own / 2) / own.sum()
    cut = np.minimum((middle * count).astype(np.int64), count - 1)
    first = np.searchsorted(sorted_equity, sorted_equity)  # equal hands go where the first of them goes
    labels[held[order]] = np.unique(cut[first], return_inverse=True)[1]
    return labels
