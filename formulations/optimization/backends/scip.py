"""SCIP through PySCIPOpt: mixed-integer programs, special ordered sets, and quadratic objectives, convex or not.

A pure linear program goes straight to SCIP's LP solver SoPlex, which returns its duals (its basis is not used: after
SoPlex's presolve it need not belong to the point returned). SCIP itself would tighten bounds and drop rows, and its
duals would be those of another program. Everything else is passed as an MPS file: SCIP reads a million nonzeros from
text much faster than Python can build expressions from them.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from equiform.formulations.optimization.backends.base import (
    Backend,
    Capabilities,
    RawAnswer,
    Settings,
    Stopwatch,
    package_version,
    refused_option,
    takes_long,
)
from equiform.formulations.optimization.backends.executables.mps import write_mps
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition

TOLERANCE = 1e-9
"""SoPlex's own default is 1e-6."""

_ENDS = {
    "optimal": TerminationCondition.OPTIMAL,
    "gaplimit": TerminationCondition.OPTIMAL,
    "infeasible": TerminationCondition.INFEASIBLE,
    "unbounded": TerminationCondition.UNBOUNDED,
    "inforunbd": TerminationCondition.INFEASIBLE_OR_UNBOUNDED,
    "timelimit": TerminationCondition.TIME_LIMIT,
    "nodelimit": TerminationCondition.NODE_LIMIT,
    "totalnodelimit": TerminationCondition.NODE_LIMIT,
    "memlimit": TerminationCondition.MEMORY_LIMIT,
    "userinterrupt": TerminationCondition.INTERRUPTED,
    "restartlimit": TerminationCondition.ITERATION_LIMIT,
    "stallnodelimit": TerminationCondition.NODE_LIMIT,
}


class Scip(Backend):
    """SCIP: linear, mixed-integer and quadratic programs, special ordered sets; duals of linear programs."""

    name = "scip"
    capabilities = Capabilities(mip=True, qp=True, miqp=True, nonconvex=True, sos1=True, sos2=True, duals=True)
    install = "pip install equiform[solvers]"
    note = "PySCIPOpt (SoPlex for linear programs); options are SCIP's parameters, as in 'limits/gap'"

    def version(self) -> str | None:
        """Return the version of PySCIPOpt."""
        return package_version("pyscipopt")

    def apart(self, program: Program) -> bool:
        """SoPlex holds on to the interpreter."""
        return program.is_lp and takes_long(program)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve with SoPlex if the program is linear and has no options, otherwise with SCIP."""
        clock = Stopwatch()
        if program.is_lp and not settings.options:
            return clock.stamp(_soplex(program, settings, clock))
        return clock.stamp(_scip(program, settings, clock))


def _soplex(program: Program, settings: Settings, clock: Stopwatch) -> RawAnswer:
    from pyscipopt import LP, SCIP_LPPARAM

    n = program.shape[1]
    with clock.phase("load"):
        lp = LP()
        lp.setRealParam(SCIP_LPPARAM.FEASTOL, TOLERANCE)
        lp.setRealParam(SCIP_LPPARAM.DUALFEASTOL, TOLERANCE)
        if settings.time_limit is not None:
            lp.setRealParam(SCIP_LPPARAM.LPTILIM, float(settings.time_limit))
        infinity = lp.infinity()
        sides = [
            np.clip(bounds, -infinity, infinity).tolist()
            for bounds in (program.col_lower, program.col_upper, program.row_lower, program.row_upper)
        ]
        lp.addCols([[]] * n, objs=program.c.tolist(), lbs=sides[0], ubs=sides[1])
        entries = list(zip(program.A.indices.tolist(), program.A.data.tolist(), strict=True))
        starts = program.A.indptr.tolist()
        lp.addRows([entries[a:b] for a, b in pairwise(starts)], lhss=sides[2], rhss=sides[3])
    with clock.phase("solve"):
        failure = _attempt(lp.solve, "simplex")
        if failure is not None:
            return failure
        if lp.isOptimal():
            answer = RawAnswer(TerminationCondition.OPTIMAL, "simplex", x=np.array(lp.getPrimal()))
            answer.duals, answer.reduced_costs = np.array(lp.getDual()), np.array(lp.getRedcost())
            answer.bound = float(lp.getObjVal()) + program.c0
        elif lp.getPrimalRay() is not None:
            # a ray alone leaves open whether there is a feasible point
            for j in range(n):
                lp.chgObj(j, 0.0)
            failure = _attempt(lp.solve, "simplex")
            end = TerminationCondition.UNBOUNDED if lp.isOptimal() else TerminationCondition.INFEASIBLE
            answer = failure or RawAnswer(end, "simplex", message=f"SoPlex says {end}")
        elif lp.getDualRay() is not None:
            answer = RawAnswer(TerminationCondition.INFEASIBLE, "simplex", message="SoPlex says infeasible")
        else:
            late = settings.time_limit is not None and time.perf_counter() - clock.started >= settings.time_limit
            end = TerminationCondition.TIME_LIMIT if late else TerminationCondition.UNKNOWN
            answer = RawAnswer(end, "simplex", message="SoPlex stopped without an answer")
        answer.iterations = int(lp.getNIterations())
    return answer


def _scip(program: Program, settings: Settings, clock: Stopwatch) -> RawAnswer:
    from pyscipopt import Model

    with clock.phase("load"), tempfile.TemporaryDirectory(prefix="equiform-scip-") as name:
        path = Path(name) / "program.mps"
        write_mps(program, path)
        model = Model()
        model.hideOutput()
        model.setParam("misc/catchctrlc", False)  # it is for us to decide what Ctrl-C means
        model.readProblem(str(path))
    if settings.time_limit is not None:
        model.setParam("limits/time", float(settings.time_limit))
    for key, value in settings.options.items():
        try:
            model.setParam(key, value)
        except (LookupError, ValueError, TypeError) as error:
            raise refused_option("SCIP", key, value, error) from None
    with clock.phase("solve"):
        settings.stop.on_request(model.interruptSolve)
        failure = _attempt(model.optimizeNogil, "branch-and-cut")
        return failure or _read(program, model)


def _attempt(solve: Callable[[], object], algorithm: str) -> RawAnswer | None:
    """Run SCIP or SoPlex; treat their errors, which PySCIPOpt raises as a bare ``Exception``, as numerical failures."""
    try:
        solve()
    except MemoryError:
        raise
    except Exception as error:
        message = f"SCIP stopped with an internal error: {error}"
        return RawAnswer(TerminationCondition.NUMERICAL, algorithm, message=message)
    return None


def _read(program: Program, model: Any) -> RawAnswer:
    status = model.getStatus()
    end = _ENDS.get(status, TerminationCondition.UNKNOWN)
    answer = RawAnswer(
        end, "branch-and-cut", message="" if end is TerminationCondition.OPTIMAL else f"SCIP says {status}"
    )
    answer.nodes = int(model.getNTotalNodes())
    answer.iterations = int(model.getNLPIterations())
    if model.getNSols() and end is not TerminationCondition.UNBOUNDED:
        best = model.getBestSol()
        x = np.zeros(program.shape[1])
        for variable in model.getVars():
            if variable.name.startswith("C"):  # a quadratic objective adds a variable
                x[int(variable.name[1:])] = model.getSolVal(best, variable)
        answer.x = x
    if not abs(model.getDualbound()) >= model.infinity():
        answer.bound = float(model.getDualbound()) + program.c0
    return answer
