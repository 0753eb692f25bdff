r"""Opponent model nearest to equilibrium in weighted L2 distance, as a quadratic program.

S. Ganzfried, PhD thesis (CMU 2015), (12.7). With the prior behaviour :math:`\sigma^*` and the bucket weights β,

.. math:: \min_x\; \sum_{b, a} \beta_b\, (x_{ba} - \sigma^*_{ba})^2 \quad \text{s.t.} \quad x \text{ consistent}
          \quad (\text{frequency, distribution}).

The objective is strictly convex on buckets of positive weight, so that the model is unique, which the L1 one is not.
HiGHS's active-set method does for small games; on thousands of entries ``clarabel`` or ``piqp`` are far faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyomo.environ as pyo

from equiform.formulations.consistent_behavior import FittedBehavior, consistent_behavior, fit
from equiform.models.opponent_model import FrequencyProblem
from equiform.models.treeplex import FloatArray


def build(problem: FrequencyProblem) -> pyo.ConcreteModel:
    """Build the program: block ``behavior`` (x, frequency, distribution) and the quadratic ``objective``."""
    model = pyo.ConcreteModel(name="opponent model, L2")
    model.behavior = consistent_behavior(problem)
    weights, prior = problem.entry_weights.tolist(), problem.prior.tolist()
    distance = pyo.quicksum(w * (x - p) ** 2 for w, x, p in zip(weights, model.behavior.x.values(), prior, strict=True))
    model.objective = pyo.Objective(expr=distance, sense=pyo.minimize)
    return model


def solve(
    problem: FrequencyProblem,
    *,
    backend: str = "highs",
    algorithm: str | None = None,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> FittedBehavior:
    """Find the consistent behaviour of least L2 distance; needs a backend for quadratic programs."""
    return fit(problem, build(problem), backend=backend, algorithm=algorithm, time_limit=time_limit, options=options)


def behavior(problem: FrequencyProblem) -> FloatArray:
    """Give the behaviour alone: a variant for :func:`equiform.models.opponent_model.fit_opponent`."""
    return solve(problem).x
