r"""The block that both opponent-model programs share: behaviour that explains the observed public frequencies.

.. math::

    \sum_{b \in B_n} \beta_{n,b}\, x_{n,b,a} = \alpha_{n,a} \quad (\text{frequency}), \qquad
    \sum_{a \in A_n} x_{n,b,a} = 1 \quad (\text{distribution}), \qquad 0 \le x \le 1 ,

for all public histories n of one level, buckets b and moves a (Ganzfried, PhD thesis, CMU 2015, §12.2.4). It always has
a solution: every bucket may play :math:`\alpha_n`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.opponents.opponent_model import FrequencyProblem
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.models.common.array_types import FloatArray
from equiform.models.common.records import Record


@dataclass(frozen=True, eq=False)
class FittedBehavior(Record):
    """The behaviour in every bucket, its distance from the prior, and the solver's report."""

    x: FloatArray = field(repr=False)
    """One probability per entry of the problem, with the solver's rounding removed."""
    distance: float
    residual: float
    """The largest violation of a frequency, a distribution or a sign."""
    solution: Solution = field(repr=False)


def consistent_behavior(problem: FrequencyProblem) -> Any:
    """Return a block with behaviour ``x`` (one variable per entry) and its ``frequency`` and ``distribution`` rows."""
    n = len(problem.prior)
    columns = np.arange(n)
    frequency = sp.csr_array((problem.entry_weights, (problem.slot, columns)), shape=(len(problem.target), n))
    distribution = sp.csr_array((np.ones(n), (problem.bucket, columns)), shape=(len(problem.weights), n))
    block = pyo.Block(concrete=True)
    block.x = vector_var(n, lower=0.0, upper=1.0)
    block.frequency = MatrixConstraint(frequency, block.x, lower=problem.target, upper=problem.target)
    block.distribution = MatrixConstraint(distribution, block.x, lower=1.0, upper=1.0)
    return block


def fit(problem: FrequencyProblem, model: pyo.ConcreteModel, solver: SolverOptions) -> FittedBehavior:
    """Solve a model with a ``behavior`` block and read the behaviour off the solution."""
    solution = solve_model(  # many models may be equally near: take a vertex, as the stored matches did
        model, solver=solver, symmetry=False
    ).require_optimal()
    x = np.maximum(solution.values(model.behavior.x), 0.0)
    sums = np.bincount(problem.bucket, weights=x, minlength=len(problem.weights))
    x /= sums[problem.bucket]
    return FittedBehavior(x, solution.objective_value, problem.residual(x), solution)
