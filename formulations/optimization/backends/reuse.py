"""Solve one linear program repeatedly with different costs, right-hand sides and bounds.

A :class:`ReusableProgram` keeps HiGHS alive between solves, so that each solve starts from the last basis: with the
primal simplex method if only costs have changed (the point stays feasible), with the dual simplex method otherwise (the
prices stay feasible). Changes are numpy arrays passed straight to HiGHS. The matrix does not change.

    >>> r = ReusableProgram(Program.from_arrays([3.0, 1.0], [[1.0, 2.0]], row_upper=5.0, col_upper=4.0, maximize=True))
    >>> r.solve().objective
    12.5
    >>> r.set_cost([0, 1], [1.0, 3.0])
    >>> r.set_row_bounds([0], upper=3.0)
    >>> r.solve().x.tolist()
    [0.0, 1.5]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equiform.formulations.optimization.backends.base import RawAnswer, Settings, Stopwatch, assemble, run_stoppable
from equiform.formulations.optimization.backends.highs import Highs, get_basis, load, read_answer, set_basis, set_option
from equiform.formulations.optimization.backends.stopping import Stop
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.scaling import Scaled, unit_of
from equiform.formulations.optimization.solution import Basis, Solution, SolveInterrupted, TerminationCondition
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import CapabilityError, ParameterError

_DUAL, _PRIMAL = 1, 4  # HiGHS's numbers for simplex_strategy
_SETTLED = (
    TerminationCondition.OPTIMAL,
    TerminationCondition.INFEASIBLE,
    TerminationCondition.UNBOUNDED,
    TerminationCondition.TIME_LIMIT,
    TerminationCondition.ITERATION_LIMIT,
    TerminationCondition.INTERRUPTED,
)


class ReusableProgram:
    """HiGHS with one linear program loaded, ready to be changed and solved again."""

    def __init__(
        self, program: Program, *, basis: Basis | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        if not program.is_lp:
            raise CapabilityError(
                "only linear programs can be solved again from their last basis",
                where=f"program {program.name} needs {', '.join(sorted(program.needs))}",
                fix="use solve_program for each change",
            )
        self._program = program
        self._stop = Stop()
        self._backend = Highs()
        m, n = program.shape
        self._col_factors = np.ones(n) if program.column_factors is None else program.column_factors
        self._row_factors = np.ones(m) if program.row_factors is None else program.row_factors
        self._cost = 1.0 if program.scaled is None else program.scaled.cost
        in_units = program if program.scaled is None else program.scaled.program
        self._highs = load(in_units, {"solver": "simplex", "presolve": "off"}, self._stop)
        for key, value in (options or {}).items():
            set_option(self._highs, key, value)
        if basis is not None:
            set_basis(self._highs, basis)
        self._c = program.c.copy()
        self._rows = program.row_lower.copy(), program.row_upper.copy()
        self._cols = program.col_lower.copy(), program.col_upper.copy()
        self._changed = False
        self._primal = False

    @property
    def program(self) -> Program:
        """The program as it stands after the changes."""
        if self._changed:
            (row_lower, row_upper), (col_lower, col_upper) = self._rows, self._cols
            old = self._program
            self._program = replace(
                old,
                c=self._c.copy(),
                row_lower=row_lower.copy(),
                row_upper=row_upper.copy(),
                col_lower=col_lower.copy(),
                col_upper=col_upper.copy(),
            )
            # These depend on the matrix alone, so they need not be computed again.
            self._program.__dict__.update(AT=old.AT, needs=old.needs)
            self._changed = False
        return self._program

    def set_cost(self, indices: npt.ArrayLike, values: npt.ArrayLike) -> None:
        """Change objective coefficients, stated in the user's sense of optimisation.

        Parameters
        ----------
        indices
            Column numbers.
        values
            One number for all of these columns, or one each.

        Raises
        ------
        ParameterError
            If a column does not exist, or the values are not numbers or do not match the indices.
        """
        at, costs = self._entries(indices, values, self._c.size, "column")
        costs = costs * self._program.sign
        self._c[at] = costs
        largest = float(np.abs(self._c / self._col_factors).max(initial=0.0))
        if (factor := 1.0 / unit_of(largest)) != self._cost:
            self._cost, at = factor, np.arange(self._c.size, dtype=np.int32)
        self._highs.changeColsCost(at.size, at, self._c[at] / self._col_factors[at] * self._cost)
        self._primal = self._primal or not self._changed
        self._changed = True

    def set_row_bounds(
        self, indices: npt.ArrayLike, lower: npt.ArrayLike | None = None, upper: npt.ArrayLike | None = None
    ) -> None:
        """Change the bounds of rows; ``None`` keeps a side."""
        at, low, high = self._bounds(self._rows, indices, lower, upper, "row")
        factors = self._row_factors[at]
        self._highs.changeRowsBounds(at.size, at, low * factors, high * factors)

    def set_col_bounds(
        self, indices: npt.ArrayLike, lower: npt.ArrayLike | None = None, upper: npt.ArrayLike | None = None
    ) -> None:
        """Change the bounds of variables; ``None`` keeps a side."""
        at, low, high = self._bounds(self._cols, indices, lower, upper, "column")
        factors = self._col_factors[at]
        self._highs.changeColsBounds(at.size, at, low * factors, high * factors)

    def basis(self) -> Basis | None:
        """Return the basis of the last solve; solutions omit it because reading it takes longer than a small solve."""
        return get_basis(self._highs)

    def forget(self) -> None:
        """Let the next solve begin without a basis."""
        self._highs.clearSolver()
        self._primal = False

    def solve(self, time_limit: float | None = None) -> Solution:
        """Solve from the last basis."""
        clock = Stopwatch()
        highs = self._highs
        highs.setOptionValue("simplex_strategy", _PRIMAL if self._primal else _DUAL)
        highs.setOptionValue("time_limit", np.inf if time_limit is None else highs.getRunTime() + time_limit)
        program = self.program
        with clock.phase("solve"):
            settings = Settings(time_limit, stop=self._stop)
            answer = run_stoppable(self._backend, settings, lambda: self._run(program))
        self._primal = False
        in_units = Scaled(program, self._col_factors, self._row_factors, self._cost)
        solution = assemble(program, self._backend, clock.stamp(in_units.restore(answer)), 0.0)
        if solution.termination is TerminationCondition.INTERRUPTED:
            raise SolveInterrupted(solution)
        return solution

    def _run(self, program: Program) -> RawAnswer:
        self._highs.run()
        algorithm = "primal simplex" if self._primal else "dual simplex"
        answer = read_answer(self._highs, program, algorithm, basis=False)
        return answer if answer.termination in _SETTLED else self._from_scratch(program)

    def _from_scratch(self, program: Program) -> RawAnswer:
        """Solve without the basis: starting from far away can lead the simplex method astray."""
        self._highs.clearSolver()
        self._highs.setOptionValue("simplex_strategy", _DUAL)
        self._highs.run()
        return read_answer(self._highs, program, "dual simplex, from scratch", basis=False)

    def _bounds(
        self,
        sides: tuple[FloatArray, FloatArray],
        indices: npt.ArrayLike,
        lower: npt.ArrayLike | None,
        upper: npt.ArrayLike | None,
        kind: str,
    ) -> tuple[Int32Array, FloatArray, FloatArray]:
        for side, values in zip(sides, (lower, upper), strict=True):
            if values is not None:
                at, new = self._entries(indices, values, side.size, kind)
                side[at] = new
        at = np.atleast_1d(np.asarray(indices, dtype=np.int32))
        self._changed, self._primal = True, False
        return at, sides[0][at], sides[1][at]

    def _entries(
        self, indices: npt.ArrayLike, values: npt.ArrayLike, size: int, kind: str
    ) -> tuple[Int32Array, FloatArray]:
        at = np.atleast_1d(np.asarray(indices, dtype=np.int32))
        if at.size and (at.min() < 0 or at.max() >= size):
            raise ParameterError(
                f"there is no {kind} with that number",
                where=f"{int(at.min())} … {int(at.max())}",
                fix=f"the program has {size} of them, counted from 0",
            )
        new = np.asarray(values, dtype=np.float64)
        if new.ndim and new.shape != at.shape:
            raise ParameterError(
                f"{new.size} values were given for {at.size} {kind}s",
                where=f"shape {new.shape}",
                fix=f"pass one value for all {kind}s, or one each",
            )
        if np.isnan(new).any():
            raise ParameterError("a new value is not a number", where=f"{kind}s", fix="use numbers or infinities")
        return at, np.array(np.broadcast_to(new, at.shape))
