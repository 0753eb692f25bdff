"""What a backend returns: how it ended, the point, the prices, and how long each phase took.

Signs. ``duals`` and ``reduced_costs`` refer to the user's own objective, minimised or maximised: a row's dual is the
rate of change of the optimal objective with the row's right-hand side, and a reduced cost the rate of change with the
active bound of the variable. In both senses ``c = Aᵀ duals + reduced_costs`` at an optimum of a linear program, with
the user's ``c``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyomo.core as pyo
from pyomo.core.staleflag import StaleFlagManager

from equiform.formulations.optimization.program import Program
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import InfeasibleError, LimitError, SolveError, UnboundedError
from equiform.models.common.records import plain


class Status(StrEnum):
    """The short answer: can the result be used?"""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class TerminationCondition(StrEnum):
    """Why the solver stopped."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    INFEASIBLE_OR_UNBOUNDED = "infeasible_or_unbounded"
    TIME_LIMIT = "time_limit"
    ITERATION_LIMIT = "iteration_limit"
    NODE_LIMIT = "node_limit"
    MEMORY_LIMIT = "memory_limit"
    INTERRUPTED = "interrupted"
    NUMERICAL = "numerical"
    CRASHED = "crashed"
    UNKNOWN = "unknown"

    @property
    def status(self) -> Status:
        """Optimal is ok, a proof or a limit is a warning, everything else an error."""
        if self is TerminationCondition.OPTIMAL:
            return Status.OK
        broken = (TerminationCondition.NUMERICAL, TerminationCondition.CRASHED, TerminationCondition.UNKNOWN)
        return Status.ERROR if self in broken else Status.WARNING


LIMITS = (
    TerminationCondition.TIME_LIMIT,
    TerminationCondition.ITERATION_LIMIT,
    TerminationCondition.MEMORY_LIMIT,
    TerminationCondition.INTERRUPTED,
)
"""Terminations that say nothing about the program: more time or memory might."""


class BasisStatus(IntEnum):
    """The status of a variable or a row in a simplex basis."""

    LOWER = 0
    BASIC = 1
    UPPER = 2
    ZERO = 3
    """A free variable or row that is not basic."""
    NONBASIC = 4
    """Not basic, at a bound that the solver does not name."""


@dataclass(frozen=True, eq=False)
class Basis:
    """A simplex basis: a :class:`BasisStatus` for each column and row, as small integers."""

    columns: npt.NDArray[np.int8]
    rows: npt.NDArray[np.int8]


@dataclass(frozen=True)
class Seconds:
    """Wall-clock seconds: Pyomo model to arrays, arrays into the solver, the solver itself."""

    compile: float = 0.0
    load: float = 0.0
    solve: float = 0.0

    @property
    def total(self) -> float:
        """All phases together."""
        return self.compile + self.load + self.solve


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a solve. ``solution`` holds what was reached: counts, and the incumbent and bound if there are."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.summary())
        self.solution = solution


@dataclass(frozen=True, eq=False)
class Solution:
    """The outcome of one solve. Arrays are in the order of ``program``; objective and prices in the user's sense."""

    termination: TerminationCondition
    program: Program = field(repr=False)
    backend: str
    version: str
    algorithm: str
    x: FloatArray | None = field(default=None, repr=False)
    duals: FloatArray | None = field(default=None, repr=False)
    reduced_costs: FloatArray | None = field(default=None, repr=False)
    objective: float | None = None
    bound: float | None = None
    basis: Basis | None = field(default=None, repr=False)
    iterations: int | None = None
    nodes: int | None = None
    seconds: Seconds = Seconds()
    message: str = ""

    @property
    def status(self) -> Status:
        """Whether the result can be used."""
        return self.termination.status

    @property
    def optimal(self) -> bool:
        """Whether the solver claims an optimum."""
        return self.termination is TerminationCondition.OPTIMAL

    @property
    def objective_value(self) -> float:
        """The objective as a number: NaN if the solver returned none."""
        return math.nan if self.objective is None else self.objective

    @property
    def gap(self) -> float | None:
        """The absolute distance between objective and bound."""
        if self.objective is None or self.bound is None:
            return None
        return abs(self.objective - self.bound)

    def to_dict(self) -> dict[str, Any]:
        """Return who solved what and how it ended, as plain data; the arrays stay here."""
        m, n = self.program.shape
        document: dict[str, Any] = plain(
            {
                "program": self.program.name,
                "rows": m,
                "columns": n,
                "nonzeros": int(self.program.A.nnz),
                "backend": self.backend,
                "backend_version": self.version,
                "algorithm": self.algorithm,
                "status": str(self.status),
                "termination": str(self.termination),
                "objective": self.objective,
                "bound": self.bound,
                "seconds": {"compile": self.seconds.compile, "load": self.seconds.load, "solve": self.seconds.solve},
            }
        )
        return document

    def summary(self) -> str:
        """Return one line for people: how it ended, which solver, the objective and the time."""
        m, n = self.program.shape
        parts = [
            f"{self.termination} after {self.seconds.total:.3g} s by {self.backend} {self.version} ({self.algorithm})"
        ]
        parts.append(f"program {self.program.name}: {m} rows, {n} columns, {self.program.A.nnz} nonzeros")
        if self.objective is not None:
            parts.append(f"objective {self.objective:.12g}")
        if self.iterations:
            parts.append(f"{self.iterations:,} iterations")
        if self.bound is not None:
            parts.append(f"bound {self.bound:.12g}")
        if self.message:
            parts.append(self.message)
        return "; ".join(parts)

    def require_optimal(self) -> Self:
        """Return the solution itself if it is optimal; otherwise raise an error that says what to do next."""
        end = self.termination
        if self.optimal:
            return self
        if end is TerminationCondition.INFEASIBLE:
            raise InfeasibleError(
                "the program has no feasible point",
                where=self.summary(),
                fix="deactivate your own constraints one at a time to find those in conflict",
            )
        if end is TerminationCondition.UNBOUNDED:
            raise UnboundedError(
                "the objective improves without limit",
                where=self.summary(),
                fix="bound the variables of the objective, or check its sense",
            )
        if end is TerminationCondition.INFEASIBLE_OR_UNBOUNDED:
            raise SolveError(
                "the program is infeasible or unbounded; the solver did not determine which",
                where=self.summary(),
                fix="solve again without presolve, or without the objective",
            )
        if end.value.endswith("_limit"):
            error = LimitError(
                f"the solver reached its {end.value.replace('_', ' ')}",
                where=self.summary(),
                fix="raise the limit, or choose another algorithm or backend",
            )
            error.solution = self
            raise error
        raise SolveError(
            "the program was not solved",
            where=self.summary(),
            fix="try another backend or algorithm, or rescale the data",
        )

    # -- by Pyomo component ----------------------------------------------------------------------------------------

    def values(self, variables: Any) -> FloatArray:
        """Return the values of an indexed Var or a sequence of variables.

        Variables that are not in the program keep their Pyomo value.
        """
        x = self._array(self.x, "values")
        columns = self.program.columns(variables)
        taken = np.append(x, np.nan)[columns]
        missing = np.flatnonzero(columns < 0)
        if missing.size:
            members = list(variables.values()) if hasattr(variables, "index_set") else list(variables)
            taken[missing] = [np.nan if members[i].value is None else members[i].value for i in missing]
        return taken

    def dual_values(self, constraint: Any) -> FloatArray:
        """Return the duals of a constraint component, in the order of its rows (0 for inactive rows)."""
        duals = np.append(self._array(self.duals, "duals"), 0.0)
        return duals[self.program.rows(constraint)]

    def _array(self, array: FloatArray | None, what: str) -> FloatArray:
        if array is None:
            raise SolveError(
                f"the solution has no {what}",
                where=self.summary(),
                fix="check `termination`, or use a backend whose capabilities include them",
            )
        return array

    def load_into(self, model: Any) -> None:
        """Write the point into the Pyomo variables, and the prices into its import suffixes ``dual`` and ``rc``."""
        x = self._array(self.x, "values")
        StaleFlagManager.mark_all_as_stale()
        flag = StaleFlagManager.get_flag(0)
        for variable, value in zip(self.program.variables, x.tolist(), strict=True):
            if not variable._fixed:
                variable._value = value
                variable._stale = flag
        StaleFlagManager.mark_all_as_stale(delayed=True)
        for suffix in model.component_objects(pyo.Suffix, active=True, descend_into=False):
            if not suffix.import_enabled():
                continue
            if suffix.local_name == "dual" and self.duals is not None:
                suffix.clear()
                suffix.update(zip(self.program.constraints(), self.duals.tolist(), strict=True))
            elif suffix.local_name == "rc" and self.reduced_costs is not None:
                suffix.clear()
                suffix.update(zip(self.program.variables, self.reduced_costs.tolist(), strict=True))


__all__ = ["Basis", "BasisStatus", "Seconds", "Solution", "Status", "TerminationCondition"]
