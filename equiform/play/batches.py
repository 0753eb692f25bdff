"""The passes over a treeplex that a match makes for many opponents at once: one row per match."""

from __future__ import annotations

import numpy as np

from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.jit import jit
from equiform.models.treeplex import Treeplex


def realizations(treeplex: Treeplex, behaviors: FloatArray) -> FloatArray:
    """Turn behavioural strategies into realization plans."""
    plans = np.empty_like(behaviors)
    _realizations(treeplex.parent, treeplex.start, behaviors, plans)
    return plans


def behaviors_of(treeplex: Treeplex, plans: FloatArray) -> FloatArray:
    """Turn realization plans, or any weights of the sequences, into behavioural strategies (uniform without weight)."""
    behaviors = np.empty_like(plans)
    _behaviors(treeplex.start, plans, behaviors)
    return behaviors


def best_behaviors(treeplex: Treeplex, gradients: FloatArray) -> FloatArray:
    """Return the pure behavioural strategies that respond best at every information set (ties: the first action)."""
    behaviors = np.zeros_like(gradients)
    _best_behaviors(treeplex.parent, treeplex.start, gradients.copy(), behaviors)
    return behaviors


@jit
def _realizations(parent: Int32Array, start: Int32Array, behaviors: FloatArray, plans: FloatArray) -> None:
    for row in range(len(behaviors)):
        plans[row, 0] = 1.0
        for h in range(len(parent)):
            for s in range(start[h], start[h + 1]):
                plans[row, s] = plans[row, parent[h]] * behaviors[row, s]


@jit
def _behaviors(start: Int32Array, plans: FloatArray, behaviors: FloatArray) -> None:
    for row in range(len(plans)):
        behaviors[row, 0] = 1.0
        for h in range(len(start) - 1):
            total = 0.0
            for s in range(start[h], start[h + 1]):
                total += max(plans[row, s], 0.0)
            for s in range(start[h], start[h + 1]):
                if total > 1e-13:
                    behaviors[row, s] = max(plans[row, s], 0.0) / total
                else:
                    behaviors[row, s] = 1.0 / (start[h + 1] - start[h])


@jit
def _best_behaviors(parent: Int32Array, start: Int32Array, gradients: FloatArray, behaviors: FloatArray) -> None:
    for row in range(len(gradients)):
        value = gradients[row]
        behaviors[row, 0] = 1.0
        for h in range(len(parent) - 1, -1, -1):
            best = start[h]
            for s in range(start[h] + 1, start[h + 1]):
                if value[s] > value[best]:
                    best = s
            behaviors[row, best] = 1.0
            value[parent[h]] += value[best]
