"""Payoff operators that withhold what the solvers would like to know."""

from __future__ import annotations

from equiform.models.common.array_types import FloatArray
from equiform.models.payoffs.matrix import Payoff


class BarePayoff:
    """An operator that only multiplies."""

    def __init__(self, payoff: Payoff) -> None:
        self._payoff = payoff
        self.shape = payoff.shape

    def times(self, y: FloatArray) -> FloatArray:
        return self._payoff.times(y)

    def transpose_times(self, x: FloatArray) -> FloatArray:
        return self._payoff.transpose_times(x)
