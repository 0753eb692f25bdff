"""GLPK, by the executable ``glpsol``: an MPS file in, GLPK's raw solution file out (full precision, see its manual)."""

from __future__ import annotations

import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from equiform.formulations.backends.base import Backend, Capabilities, RawAnswer, Settings, Stopwatch
from equiform.formulations.backends.mps import write_mps
from equiform.formulations.backends.process import run_executable
from equiform.formulations.program import Program
from equiform.formulations.solution import TerminationCondition

_METHOD = {"auto": [], "simplex": ["--simplex"], "ipm": ["--interior"]}


class Glpk(Backend):
    """GLPK: linear and mixed-integer programs; duals of linear programs."""

    name = "glpk"
    capabilities = Capabilities(mip=True, duals=True)
    algorithms = ("auto", "simplex", "ipm")
    install = "install glpk-utils (Debian, Ubuntu), glpk (Homebrew, conda), or put glpsol on the PATH"
    note = "the executable glpsol; options are its long options"

    def version(self) -> str | None:
        """The version that the executable reports."""
        path = shutil.which("glpsol")
        return None if path is None else _version(path)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Write, run, read."""
        clock = Stopwatch()
        with tempfile.TemporaryDirectory(prefix="equiform-glpk-") as name:
            folder = Path(name)
            with clock.phase("load"):
                rows = write_mps(program, folder / "program.mps")
            arguments = [shutil.which("glpsol") or "glpsol", "--freemps", "program.mps", "--write", "point.txt"]
            arguments += [] if program.integer.any() else _METHOD[settings.algorithm]
            if settings.time_limit is not None:
                arguments += ["--tmlim", str(max(1, round(settings.time_limit)))]
            for key, value in settings.options.items():
                arguments += [f"--{key}"] if value is None else [f"--{key}", str(value)]
            with clock.phase("solve"):
                done = run_executable(arguments, folder, settings.time_limit)
            algorithm = "branch-and-cut" if program.integer.any() else settings.algorithm.replace("auto", "simplex")
            if done.code is None:
                answer = RawAnswer(TerminationCondition.TIME_LIMIT, algorithm, message="glpsol had to be stopped")
            elif not (folder / "point.txt").exists():
                answer = _without_point(done.output, algorithm)
            else:
                answer = read_raw(program, (folder / "point.txt").read_text(), done.output, algorithm, rows)
        return clock.stamp(answer)


@cache
def _version(path: str) -> str | None:
    done = run_executable([path, "--version"], Path(tempfile.gettempdir()), 10.0)
    found = re.search(r"(\d+\.\d+)", done.output)
    return found.group(1) if found else None


def _without_point(output: str, algorithm: str) -> RawAnswer:
    if "NO PRIMAL FEASIBLE" in output:
        return RawAnswer(TerminationCondition.INFEASIBLE, algorithm, message="glpsol says infeasible")
    if "NO DUAL FEASIBLE" in output or "UNBOUNDED" in output:
        return RawAnswer(TerminationCondition.UNBOUNDED, algorithm, message="glpsol says unbounded")
    last = " | ".join(output.strip().splitlines()[-3:])
    return RawAnswer(TerminationCondition.CRASHED, algorithm, message=f"glpsol wrote no solution: {last}")


def read_raw(program: Program, text: str, output: str, algorithm: str, rows: npt.NDArray[np.int64]) -> RawAnswer:
    """Read GLPK's solution file: a line ``s`` with the status, lines ``i`` (rows) and ``j`` (columns)."""
    head: list[str] = []
    tables: dict[str, list[list[str]]] = {"i": [], "j": []}
    for line in text.splitlines():
        fields = line.split()
        if fields and fields[0] == "s":
            head = fields
        elif fields and fields[0] in tables:
            tables[fields[0]].append(fields[2:])
    kind = head[1] if len(head) > 1 else ""
    end = _end(kind, head, output)
    answer = RawAnswer(
        end, algorithm, message="" if end is TerminationCondition.OPTIMAL else f"glpsol says {' '.join(head)}"
    )
    if (
        end not in (TerminationCondition.OPTIMAL, TerminationCondition.TIME_LIMIT)
        or len(tables["j"]) != program.shape[1]
    ):
        return answer
    # bas: status, value, dual; ipt: value, dual; mip: value. A reader may count the objective as the first row.
    at = {"bas": 1, "ipt": 0, "mip": 0}[kind]
    x = np.array([float(fields[at]) for fields in tables["j"]])
    if end is TerminationCondition.OPTIMAL or program.violation(x) <= 1e-6:
        answer.x = x
    if kind != "mip" and end is TerminationCondition.OPTIMAL:
        prices = [float(fields[at + 1]) for fields in tables["i"]]
        answer.duals = np.zeros(program.shape[0])
        answer.duals[rows] = prices[len(prices) - rows.size :]
        answer.reduced_costs = np.array([float(fields[at + 1]) for fields in tables["j"]])
    if end is TerminationCondition.OPTIMAL:
        answer.bound = program.sign * program.objective(x)
    return answer


def _end(kind: str, head: list[str], output: str) -> TerminationCondition:
    late = "TIME LIMIT" in output
    if kind == "bas":
        primal, dual = head[4], head[5]
        if primal == "f" and dual == "f":
            return TerminationCondition.OPTIMAL
        if primal == "n":
            return TerminationCondition.INFEASIBLE
        if dual == "n":
            return TerminationCondition.UNBOUNDED
    elif kind in ("mip", "ipt"):
        if head[4] == "o":
            return TerminationCondition.OPTIMAL
        if head[4] == "n":  # from the interior point: no primal-dual solution
            return TerminationCondition.INFEASIBLE if kind == "mip" else TerminationCondition.INFEASIBLE_OR_UNBOUNDED
    if late:
        return TerminationCondition.TIME_LIMIT
    if "NO PRIMAL FEASIBLE" in output:
        return TerminationCondition.INFEASIBLE
    if "NO DUAL FEASIBLE" in output:
        return TerminationCondition.UNBOUNDED
    return TerminationCondition.UNKNOWN
