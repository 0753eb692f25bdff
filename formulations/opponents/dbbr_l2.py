r"""Opponent model nearest to equilibrium in weighted L2 distance, as a quadratic program.

S. Ganzfried, PhD thesis (CMU 2015), (12.7). With the prior behaviour :math:`\sigma^*` and the bucket weights β,

.. math:: \min_x\; \sum_{b, a} \beta_b\, (x_{ba} - \sigma^*_{ba})^2 \quad \text{s.t.} \quad x \text{ consistent}
          \quad (\text{frequency, distribution}).

The objective is strictly convex on buckets of positive weight, so the model is unique, unlike the L1 model. HiGHS's
active-set method is good enough for small games but sometimes gives up on a few hundred entries, so the interior-point
solvers are preferred where they are installed.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.opponents.consistent_behavior import FittedBehavior, consistent_behavior, fit
from equiform.formulations.opponents.opponent_model import FrequencyProblem
from equiform.formulations.optimization.backends import available
from equiform.formulations.optimization.options import SolverOptions
from equiform.models.common.array_types import BoolArray, FloatArray

PREFERRED = ("clarabel", "piqp", "highs")

#: Probabilities below this are treated as zero when the answer is polished.
SUPPORT = 1e-6
ROUNDS = 5


def build(problem: FrequencyProblem) -> pyo.ConcreteModel:
    """Build the program for one level of public histories.

    Parameters
    ----------
    problem
        Buckets with their weights and prior behaviour, and the frequencies to match.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the block ``behavior`` (x, frequency, distribution) and the quadratic ``objective``.
    """
    model = pyo.ConcreteModel(name="opponent model, L2")
    model.behavior = consistent_behavior(problem)
    weights, prior = problem.entry_weights.tolist(), problem.prior.tolist()
    distance = pyo.quicksum(w * (x - p) ** 2 for w, x, p in zip(weights, model.behavior.x.values(), prior, strict=True))
    model.objective = pyo.Objective(expr=distance, sense=pyo.minimize)
    return model


def solve(
    problem: FrequencyProblem,
    *,
    solver: SolverOptions | None = None,
) -> FittedBehavior:
    """Find the consistent behaviour nearest to the prior in L2 distance.

    Parameters
    ----------
    problem
        Buckets with their weights and prior behaviour, and the frequencies to match.
    solver
        A backend that accepts quadratic programs, and how to run it; by default the first of ``PREFERRED`` that is
        installed.

    Returns
    -------
    FittedBehavior
        The behaviour, its distance and its residual.

    Raises
    ------
    SolveError
        If the solver stops before it proves optimality.
    """
    if solver is None:
        solver = SolverOptions(next(name for name in PREFERRED if name in available()))
    found = fit(problem, build(problem), solver)
    x = polish(problem, found.x)
    return dataclasses.replace(found, x=x, distance=problem.l2(x), residual=problem.residual(x))


def polish(problem: FrequencyProblem, x: FloatArray) -> FloatArray:
    """Solve the optimality conditions on the support of a nearly optimal x, where they are linear equations.

    With prices λ of the moves and ν of the buckets, :math:`x = \\sigma^* + \\lambda_a + \\nu_b` on the support and 0
    elsewhere; eliminating ν leaves one small system per public history. An interior point is off by about the square
    root of its objective's error, which later levels would mistake for weight; the polished point is exact. If the
    support was wrong, x is returned unchanged.
    """
    played = x > SUPPORT
    for _ in range(ROUNDS):
        polished = _on_support(problem, played)
        if polished.min() >= -1e-12:
            break
        played &= polished > 0
    better = problem.residual(polished) < 1e-9 and problem.l2(polished) <= problem.l2(x) + 1e-9
    return np.maximum(polished, 0.0) if better else x


def _on_support(problem: FrequencyProblem, played: BoolArray) -> FloatArray:
    """Solve for the prices, history by history, and return the resulting behaviour."""
    bucket, slot, weight = problem.bucket, problem.slot, problem.entry_weights
    buckets, size = len(problem.weights), len(problem.target)
    count = np.maximum(np.bincount(bucket, weights=played, minlength=buckets), 1.0)
    missing = (1 - np.bincount(bucket, weights=problem.prior * played, minlength=buckets)) / count
    start = np.where(played, problem.prior + missing[bucket], 0.0)
    rhs = problem.target - np.bincount(slot, weights=weight * start, minlength=size)
    plays = sp.csr_array((played.astype(float), (bucket, slot)), shape=(buckets, size))
    shared = sp.csr_array(plays.T @ sp.diags_array(problem.weights / count) @ plays)
    system = sp.csr_array(sp.diags_array(np.bincount(slot, weights=weight * played, minlength=size)) - shared)
    price = np.zeros(size)
    first_slot = slot[problem.start[problem.first_bucket[:-1]]]
    for low, high in pairwise(np.append(first_slot, size).tolist()):  # the slots of a history are contiguous
        price[low:high] = np.linalg.lstsq(system[low:high, low:high].toarray(), rhs[low:high], rcond=None)[0]
    spread = np.bincount(bucket, weights=price[slot] * played, minlength=buckets) / count
    return np.where(played, start + price[slot] - spread[bucket], 0.0)


def behavior(problem: FrequencyProblem) -> FloatArray:
    """Return only the behaviour, as :func:`equiform.formulations.opponents.opponent_model.fit_opponent` expects it."""
    return solve(problem).x
