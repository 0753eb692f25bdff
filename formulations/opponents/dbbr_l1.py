r"""Opponent model nearest to equilibrium in weighted L1 distance, as a linear program.

S. Ganzfried, PhD thesis (CMU 2015), (12.4). With the prior behaviour :math:`\sigma^*` and the bucket weights β,

.. math::

    \min_{x, u, w}\; \sum_{b, a} \beta_b\, (u_{ba} + w_{ba}) \quad \text{s.t.} \quad x - u + w = \sigma^*,\;
    u, w \ge 0 \quad (\text{deviation}), \qquad x \text{ consistent} \quad (\text{frequency, distribution}),

where :math:`u + w = |x - \sigma^*|` at an optimum. All public histories of one level form a single program; they share
nothing, so its optimum consists of theirs.
"""

from __future__ import annotations

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.opponents.consistent_behavior import FittedBehavior, consistent_behavior, fit
from equiform.formulations.opponents.opponent_model import FrequencyProblem
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.array_types import FloatArray


def build(problem: FrequencyProblem) -> pyo.ConcreteModel:
    """Build the program for one level of public histories.

    Parameters
    ----------
    problem
        Buckets with their weights and prior behaviour, and the frequencies to match.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the block ``behavior`` (x), the variables ``up`` and ``down`` with their ``deviation`` rows, and
        the ``objective``.
    """
    n = len(problem.prior)
    model = pyo.ConcreteModel(name="opponent model, L1")
    model.behavior = consistent_behavior(problem)
    model.up = vector_var(n, lower=0.0)
    model.down = vector_var(n, lower=0.0)
    moved = [*model.up.values(), *model.down.values()]
    one = sp.eye_array(n)
    model.deviation = MatrixConstraint(
        sp.hstack([one, -one, one]), [*model.behavior.x.values(), *moved], lower=problem.prior, upper=problem.prior
    )
    model.objective = pyo.Objective(expr=dot(np.tile(problem.entry_weights, 2), moved), sense=pyo.minimize)
    return model


def solve(
    problem: FrequencyProblem,
    *,
    solver: SolverOptions = DEFAULT,
) -> FittedBehavior:
    """Find the consistent behaviour nearest to the prior in L1 distance.

    Parameters
    ----------
    problem
        Buckets with their weights and prior behaviour, and the frequencies to match.
    solver
        The backend and how to run it.

    Returns
    -------
    FittedBehavior
        The behaviour, its distance and its residual.

    Raises
    ------
    SolveError
        If the solver stops before it proves optimality.
    """
    return fit(problem, build(problem), solver)


def behavior(problem: FrequencyProblem) -> FloatArray:
    """Return only the behaviour, as :func:`equiform.formulations.opponents.opponent_model.fit_opponent` expects it."""
    return solve(problem).x
