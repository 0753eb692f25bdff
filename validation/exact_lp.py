r"""Exact linear programming: a float solver proposes a basis, integers prove it.

If a basis fails its exact check, the program is *refined* (Gleixner, Steffy and Wolter 2016): shifted by the exact
point :math:`x^*` and prices :math:`y^*, d^*` of the basis and magnified by :math:`2^p` and :math:`2^q`,

.. math:: \min\; 2^q (d^{*\top} x' + y^{*\top} s') \quad\text{s.t.}\quad Ax' - s' = 0,\;
    2^p(\ell - x^*) \le x' \le 2^p(u - x^*),\; 2^p(r^- - Ax^*) \le s' \le 2^p(r^+ - Ax^*),

it is solved again in floats from the old basis. It has the same bases as the program itself, and violations that the
float solver's tolerances hid are now of order one.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from equiform.formulations.backends import get, solve_program
from equiform.formulations.program import Program
from equiform.formulations.solution import Basis, BasisStatus, Seconds, Solution, TerminationCondition
from equiform.models.errors import ExactError
from equiform.validation.basic_point import BasicPoint, basic_point, check_basis
from equiform.validation.exact_program import ExactProgram, check_optimal
from equiform.validation.rational_linalg import SingularError
from equiform.validation.rational_vector import FloatArray, RationalVector, as_object, difference, exponent

logger = logging.getLogger(__name__)

MAX_REPAIRS = 20
#: The float solver: bases are wanted, and a start from them.
BACKEND = "highs"
_FAR = 1e9  # bounds and costs further off than this are brought here: a float solver would take them for infinite
_TIGHT = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9, "small_matrix_value": 1e-12}


@dataclass(frozen=True, eq=False)
class ExactSolution:
    """An exact optimum. Signs as everywhere: ``c = Aᵀ duals + reduced_costs``."""

    program: ExactProgram = field(repr=False)
    objective: Fraction
    x: RationalVector = field(repr=False)
    duals: RationalVector = field(repr=False)
    reduced_costs: RationalVector = field(repr=False)
    basis: Basis = field(repr=False)
    repairs: int = 0
    """Bases that were replaced before one was exactly optimal."""
    algorithm: str = "given basis"
    """The float solver's algorithm that proposed the first basis."""
    float_seconds: float = 0.0
    exact_seconds: float = 0.0

    def rounded(self) -> Solution:
        """Give the optimum in floats, as an answer to ``program.floats()``."""
        objective = float(self.program.cost_units(RationalVector.of([self.objective])).floats()[0])
        return Solution(
            TerminationCondition.OPTIMAL,
            self.program.floats(),
            backend=BACKEND,
            version=get(BACKEND).version() or "",
            algorithm=self.algorithm,
            x=self.x.floats(),
            duals=self.program.price_units(self.duals).floats(),
            reduced_costs=self.program.cost_units(self.reduced_costs).floats(),
            objective=objective,
            bound=objective,
            basis=self.basis,
            seconds=Seconds(solve=self.float_seconds),
        )


def exact_lp(
    program: ExactProgram,
    basis: Basis | None = None,
    *,
    algorithm: str | None = None,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
    max_repairs: int = MAX_REPAIRS,
) -> ExactSolution:
    """Solve a rational linear program exactly, from a basis if one is given, else from HiGHS's own.

    ``algorithm`` and ``options`` are for the solve that proposes the first basis; ``time_limit`` holds for each float
    solve. Raises :class:`ExactError` where no exactly optimal basis is found; never returns a rounded number.

    >>> from equiform.validation.integer_matrix import IntegerMatrix
    >>> zero, none = RationalVector.full(2, 0), RationalVector.full(2, None)
    >>> p = ExactProgram(RationalVector.of([-1, -1]), IntegerMatrix.from_dense([[1, 3], [3, 1]]),
    ...                  none, RationalVector.of([1, 1]), zero, none)
    >>> s = exact_lp(p)
    >>> print(s.objective, [str(v) for v in s.x.fractions], [str(v) for v in s.duals.fractions])
    -1/2 ['1/4', '1/4'] ['-1/4', '-1/4']
    """
    started = time.perf_counter()
    in_floats = 0.0
    chosen = "given basis"
    if basis is None:
        basis, chosen = _propose(program.floats(), algorithm=algorithm, time_limit=time_limit, options=options)
        in_floats = time.perf_counter() - started
    else:
        check_basis(program, basis)
    repairs, singular = 0, False
    while True:
        try:
            point = basic_point(program, basis)
        except SingularError as error:
            if singular or repairs == max_repairs:
                raise
            logger.info("%s: %s", program.name, error)
            singular = True
        else:
            logger.info("%s: basis with %s", program.name, point.violations)
            singular = False
            if point.is_optimal:
                break
            if repairs == max_repairs:
                raise ExactError(
                    f"no exactly optimal basis was found in {max_repairs} rounds of refinement",
                    where=f"{program.name}: {point.violations}",
                    fix="raise max_repairs, or try another algorithm; numbers whose sizes differ by hundreds of digits "
                    "are beyond the float solver that proposes the bases: bring them closer together",
                )
        repairs += 1
        clock = time.perf_counter()
        # a singular basis has no point to refine at
        basis = _completed(program, basis, time_limit) if singular else _refine(program, point, basis, time_limit)
        in_floats += time.perf_counter() - clock
    return ExactSolution(
        program,
        objective=check_optimal(program, point.x, point.duals),
        x=point.x,
        duals=point.duals,
        reduced_costs=point.reduced_costs,
        basis=basis,
        repairs=repairs,
        algorithm=chosen,
        float_seconds=in_floats,
        exact_seconds=time.perf_counter() - started - in_floats,
    )


def _completed(program: ExactProgram, basis: Basis, time_limit: float | None) -> Basis:
    """Solve in floats from what is not quite a basis."""
    basic = np.count_nonzero(basis.rows == BasisStatus.BASIC) + np.count_nonzero(basis.columns == BasisStatus.BASIC)
    start = basis if basic == len(basis.rows) else None
    return _propose(program.floats(), start, time_limit=time_limit)[0]


def _propose(
    program: Program,
    start: Basis | None = None,
    *,
    algorithm: str | None = None,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> tuple[Basis, str]:
    """Ask the float solver for an optimal basis; say by which algorithm it was found."""
    settings = {**_TIGHT, **({} if start is None else {"presolve": "off"}), **(options or {})}
    solution = solve_program(
        program, backend=BACKEND, algorithm=algorithm, time_limit=time_limit, basis=start, options=settings
    )
    if solution.termination is TerminationCondition.TIME_LIMIT:
        solution.require_optimal()  # raises: more time helps, another basis does not
    if not solution.optimal or solution.basis is None:
        raise ExactError(
            "no basis to certify: the float solver did not end with an optimal one",
            where=solution.summary(),
            fix="check that the program has an optimum, or name another algorithm",
        )
    return solution.basis, solution.algorithm


def _refine(program: ExactProgram, point: BasicPoint, basis: Basis, time_limit: float | None) -> Basis:
    """Replace a basis by one of the refined program, as much magnified as the float solver can take."""
    p, q = _power(point.primal_violation), _power(point.dual_violation)
    while True:
        try:
            return _refined_basis(program, point, basis, p, q, time_limit)
        except ExactError as error:
            if p == 0 == q:
                raise
            logger.info("%s: magnified too much by 2^%d and 2^%d: %s", program.name, p, q, error.where)
            p, q = p // 2, q // 2


def _power(violation: Fraction) -> int:
    """Choose the power of two that brings a violation to order one."""
    return max(0, -exponent(violation))


def _refined_basis(
    program: ExactProgram, point: BasicPoint, basis: Basis, p: int, q: int, time_limit: float | None
) -> Basis:
    """Solve the shifted and magnified program from the basis; its slack columns are the program's rows."""
    m, n = program.A.shape
    low_x, low_s = difference(program.col_lower, point.x), difference(program.row_lower, point.activity)
    high_x, high_s = difference(program.col_upper, point.x), difference(program.row_upper, point.activity)
    costs = program.cost_units(point.reduced_costs)
    refined = Program(
        c=np.concatenate([_magnified(v, q) for v in (costs, program.price_units(point.duals))]),
        A=sp.csr_array(sp.hstack([program.A.scaled_floats, -sp.eye_array(m)])),
        row_lower=np.zeros(m),
        row_upper=np.zeros(m),
        col_lower=np.concatenate([_magnified(v, p, -math.inf) for v in (low_x, program.row_units(low_s))]),
        col_upper=np.concatenate([_magnified(v, p, math.inf) for v in (high_x, program.row_units(high_s))]),
        name=f"{program.name}, refined",
    )
    start = Basis(np.concatenate([basis.columns, basis.rows]), np.full(m, BasisStatus.LOWER, dtype=np.int8))
    found, _ = _propose(refined, start, time_limit=time_limit)
    rows = found.columns[n:].copy()
    # the logical of an equation and its slack span the same direction: one basic is as good as the other
    rows[found.rows == BasisStatus.BASIC] = BasisStatus.BASIC
    return Basis(found.columns[:n], rows)


def _magnified(values: RationalVector, power: int, absent: float = math.nan) -> FloatArray:
    magnified = RationalVector(as_object(values.numerators) << power, values.denominator, values.finite)
    near = np.clip(magnified.floats(), -_FAR, _FAR)
    return near if values.finite is None else np.where(values.finite, near, absent)
