r"""Exact linear programming: a floating-point solver proposes a basis, integers prove it.

If a basis fails its exact check, the program is *refined* (Gleixner, Steffy and Wolter 2016): shifted by the exact
point :math:`x^*` and prices :math:`y^*, d^*` of the basis and magnified by :math:`2^p` and :math:`2^q`,

.. math:: \min\; 2^q (d^{*\top} x' + y^{*\top} s') \quad\text{s.t.}\quad Ax' - s' = 0,\;
    2^p(\ell - x^*) \le x' \le 2^p(u - x^*),\; 2^p(r^- - Ax^*) \le s' \le 2^p(r^+ - Ax^*),

it is solved again in floating point from the old basis. It has the same bases as the program itself, and violations
hidden by the solver's tolerances are now of order one.

Where refinement fails, because the sizes of the numbers differ by more than floats can represent, the simplex method
continues in exact arithmetic (:mod:`equiform.validation.exact.linear.pivots`).
"""

from __future__ import annotations

import dataclasses
import logging
import math
import time
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.backends import get, solve_program
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import (
    LIMITS,
    Basis,
    BasisStatus,
    Seconds,
    Solution,
    TerminationCondition,
)
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ExactError
from equiform.models.common.rational import repr_of_fields
from equiform.models.common.rational_vector import RationalVector, as_object, difference, exponent
from equiform.validation.exact.linear.basic_point import BasicPoint, basic_point, check_basis
from equiform.validation.exact.linear.pivots import pivot_to_optimum, slack_basis
from equiform.validation.exact.linear.program import ExactProgram, check_optimal
from equiform.validation.exact.linear.rational_linalg import SingularError

logger = logging.getLogger(__name__)

MAX_REPAIRS = 20
MAX_PIVOTS = 2_000
#: The floating-point solver: it must return bases and start from them.
BACKEND = "highs"
_SLOW_ROWS = 200  # with more rows than this, exact pivots take long
_FAR = 1e9  # larger bounds and costs are clipped to this: a floating-point solver would treat them as infinite
_TIGHT = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9, "small_matrix_value": 1e-12}


@dataclass(frozen=True, eq=False)
class ExactSolution:
    """An exact optimum, with the usual signs: ``c = Aᵀ duals + reduced_costs``."""

    program: ExactProgram = field(repr=False)
    objective: Fraction
    x: RationalVector = field(repr=False)
    duals: RationalVector = field(repr=False)
    reduced_costs: RationalVector = field(repr=False)
    basis: Basis = field(repr=False)
    repairs: int = 0
    """The number of bases that the floating-point solver replaced before one was exactly optimal."""
    pivots: int = 0
    """The number of steps of the simplex method in exact arithmetic after that."""
    algorithm: str = "given basis"
    """The floating-point algorithm that proposed the first basis."""
    float_seconds: float = 0.0
    exact_seconds: float = 0.0

    __repr__ = repr_of_fields

    def rounded(self) -> Solution:
        """Return the optimum in floats, as an answer to ``program.floats()``."""
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
    solver: SolverOptions = DEFAULT,
    max_repairs: int = MAX_REPAIRS,
    max_pivots: int = MAX_PIVOTS,
) -> ExactSolution:
    """Solve a rational linear program exactly; never return a rounded number.

    Parameters
    ----------
    program, basis
        The program, and the basis to start from; HiGHS proposes one if omitted.
    solver
        How HiGHS proposes a basis (``backend`` is ignored); each solve and the exact pivots have its time limit.
    max_repairs, max_pivots
        Limits on replaced bases and on exact pivots.

    Raises
    ------
    ExactError, InfeasibleError, UnboundedError
        If no exactly optimal basis is found, or exact pivots prove that there is no optimum.

    >>> from equiform.models.common.integer_matrix import IntegerMatrix
    >>> zero, none = RationalVector.full(2, 0), RationalVector.full(2, None)
    >>> p = ExactProgram(RationalVector.of([-1, -1]), IntegerMatrix.from_dense([[1, 3], [3, 1]]),
    ...                  none, RationalVector.of([1, 1]), zero, none)
    >>> s = exact_lp(p)
    >>> print(s.objective, [str(v) for v in s.x.fractions], [str(v) for v in s.duals.fractions])
    -1/2 ['1/4', '1/4'] ['-1/4', '-1/4']
    """
    started = time.perf_counter()
    chosen, in_floats = "given basis", 0.0
    if basis is None:
        basis, chosen = _first_basis(program, solver)
        in_floats = time.perf_counter() - started
    else:
        check_basis(program, basis)
    repaired = _repair(program, basis, SolverOptions(time_limit=solver.time_limit), max_repairs)
    basis, point, pivots = repaired.basis, repaired.point, 0
    in_floats += repaired.float_seconds
    if point is None or not point.is_optimal:
        if program.A.shape[0] > _SLOW_ROWS:
            logger.warning("%s: floats find no basis; exact pivots may take hours without a time limit", program.name)
        basis, pivots = pivot_to_optimum(program, basis, max_pivots=max_pivots, time_limit=solver.time_limit)
        point = basic_point(program, basis)
    return ExactSolution(
        program,
        objective=check_optimal(program, point.x, point.duals),
        x=point.x,
        duals=point.duals,
        reduced_costs=point.reduced_costs,
        basis=basis,
        repairs=repaired.repairs,
        pivots=pivots,
        algorithm=chosen,
        float_seconds=in_floats,
        exact_seconds=time.perf_counter() - started - in_floats,
    )


@dataclass(frozen=True, eq=False)
class _Repaired:
    """The last basis that refinement led to, its point (``None`` if singular), and the effort."""

    basis: Basis
    point: BasicPoint | None
    repairs: int
    float_seconds: float


def _repair(program: ExactProgram, basis: Basis, solver: SolverOptions, max_repairs: int) -> _Repaired:
    """Replace the basis by refinement until it is exactly optimal, fails to change, or the limit is reached."""
    repairs, seconds = 0, 0.0
    tried: set[bytes] = set()
    while (point := _point_of(program, basis)) is None or not point.is_optimal:
        name = basis.columns.tobytes() + basis.rows.tobytes()
        if repairs == max_repairs or name in tried:
            break  # a basis that recurs once would recur forever
        tried.add(name)
        clock = time.perf_counter()
        try:  # a singular basis has no point to refine
            basis = _completed(program, basis, solver) if point is None else _refine(program, point, basis, solver)
        except ExactError as error:
            logger.info("%s: no basis by refinement: %s", program.name, error.where)
            break
        finally:
            seconds += time.perf_counter() - clock
        repairs += 1
    return _Repaired(basis, point, repairs, seconds)


def _point_of(program: ExactProgram, basis: Basis) -> BasicPoint | None:
    """Solve for the point of a basis; ``None`` if it is singular."""
    try:
        point = basic_point(program, basis)
    except SingularError as error:
        logger.info("%s: %s", program.name, error)
        return None
    logger.info("%s: basis with %s", program.name, point.violations)
    return point


def _first_basis(program: ExactProgram, solver: SolverOptions) -> tuple[Basis, str]:
    """Ask the floating-point solver for a basis: an optimal one, or its last if it could not represent all numbers."""
    in_floats = program.floats()
    solution = _solve_in_floats(in_floats, None, solver)
    if not solution.optimal and _in_sight(in_floats):
        raise ExactError(
            "no basis to certify: the floating-point solver did not end with an optimal one",
            where=solution.summary(),
            fix="check that the program has an optimum, or name another algorithm",
        )
    return solution.basis or slack_basis(program), solution.algorithm


def _in_sight(program: Program) -> bool:
    """Return whether no number is so small or large that a floating-point solver treats it as zero or infinite."""
    numbers = (program.c, program.row_lower, program.row_upper, program.col_lower, program.col_upper)
    sizes = np.concatenate([abs(v[np.isfinite(v) & (v != 0)]) for v in numbers] + [abs(program.A.data)])
    return bool(((sizes >= _TIGHT["small_matrix_value"]) & (sizes <= _FAR)).all())


def _completed(program: ExactProgram, basis: Basis, solver: SolverOptions) -> Basis:
    """Solve in floating point from what is not quite a basis."""
    basic = np.count_nonzero(basis.rows == BasisStatus.BASIC) + np.count_nonzero(basis.columns == BasisStatus.BASIC)
    start = basis if basic == len(basis.rows) else None
    return _optimal_basis(program.floats(), start, solver)


def _optimal_basis(program: Program, start: Basis | None, solver: SolverOptions) -> Basis:
    """Ask the floating-point solver for an optimal basis, starting from another one."""
    solution = _solve_in_floats(program, start, solver)
    if not solution.optimal or solution.basis is None:
        raise ExactError("the floating-point solver did not end with an optimal basis", where=solution.summary())
    return solution.basis


def _solve_in_floats(program: Program, start: Basis | None, solver: SolverOptions) -> Solution:
    settings = {**_TIGHT, **({} if start is None else {"presolve": "off"})}
    careful = dataclasses.replace(solver, backend=BACKEND).with_options(**settings)
    solution = solve_program(program, careful, basis=start, symmetry=False)
    if solution.termination in LIMITS:
        solution.require_optimal()  # raises: a higher limit helps, another basis does not
    return solution


def _refine(program: ExactProgram, point: BasicPoint, basis: Basis, solver: SolverOptions) -> Basis:
    """Replace a basis by one of the refined program, magnified as much as the floating-point solver can handle."""
    p, q = _power(point.primal_violation), _power(point.dual_violation)
    while True:
        try:
            return _refined_basis(program, point, basis, p, q, solver)
        except ExactError as error:
            if p == 0 == q:
                raise
            logger.info("%s: magnified too much by 2^%d and 2^%d: %s", program.name, p, q, error.where)
            p, q = p // 2, q // 2


def _power(violation: Fraction) -> int:
    """Return the power of two that brings a violation to order one."""
    return max(0, -exponent(violation))


def _refined_basis(
    program: ExactProgram, point: BasicPoint, basis: Basis, p: int, q: int, solver: SolverOptions
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
    found = _optimal_basis(refined, start, solver)
    rows = found.columns[n:].copy()
    # the logical of an equation and its slack span the same direction: one basic is as good as the other
    rows[found.rows == BasisStatus.BASIC] = BasisStatus.BASIC
    return Basis(found.columns[:n], rows)


def _magnified(values: RationalVector, power: int, absent: float = math.nan) -> FloatArray:
    magnified = RationalVector(as_object(values.numerators) << power, values.denominator, values.finite)
    near = np.clip(magnified.floats(), -_FAR, _FAR)
    return near if values.finite is None else np.where(values.finite, near, absent)
