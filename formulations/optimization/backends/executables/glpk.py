"""GLPK through the executable ``glpsol``: an MPS file in, GLPK's raw solution file (full precision) out."""

from __future__ import annotations

import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from equiform.formulations.optimization.backends.base import Backend, Capabilities, RawAnswer, Settings, Stopwatch
from equiform.formulations.optimization.backends.executables.mps import write_mps
from equiform.formulations.optimization.backends.executables.process import run_executable
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition
from equiform.models.common.array_types import IntArray

_METHOD = {"auto": [], "simplex": ["--simplex"], "ipm": ["--interior"]}


class Glpk(Backend):
    """GLPK: linear and mixed-integer programs; duals of linear programs."""

    name = "glpk"
    capabilities = Capabilities(mip=True, duals=True)
    algorithms = ("auto", "simplex", "ipm")
    install = "install glpk-utils (Debian, Ubuntu), glpk (Homebrew, conda), or put glpsol on the PATH"
    note = "the executable glpsol; options are its long options"

    def version(self) -> str | None:
        """Return the version that the executable reports."""
        path = shutil.which("glpsol")
        return None if path is None else _version(path)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Write the program to a file, run glpsol and read its solution."""
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
            answer = _attempt(program, folder, arguments, settings, clock, rows)
            if answer.termination is TerminationCondition.INFEASIBLE_OR_UNBOUNDED:  # presolve did not look further
                answer = _attempt(program, folder, [*arguments, "--nopresol"], settings, clock, rows)
        return clock.stamp(answer)


def _attempt(
    program: Program,
    folder: Path,
    arguments: list[str],
    settings: Settings,
    clock: Stopwatch,
    rows: IntArray,
) -> RawAnswer:
    with clock.phase("solve"):
        done = run_executable(arguments, folder, settings.time_limit, settings.stop)
    algorithm = "branch-and-cut" if program.integer.any() else settings.algorithm.replace("auto", "simplex")
    written = folder / "point.txt"
    if done.code is None:
        return RawAnswer(TerminationCondition.TIME_LIMIT, algorithm, message="glpsol had to be stopped")
    if not written.exists():
        end = _said(done.output) or TerminationCondition.CRASHED
        return RawAnswer(end, algorithm, message=f"glpsol wrote no solution: {done.last_lines()}")
    return read_raw(program, written.read_text(), done.output, algorithm, rows)


@cache
def _version(path: str) -> str | None:
    done = run_executable([path, "--version"], Path(tempfile.gettempdir()), 10.0)
    found = re.search(r"(\d+\.\d+)", done.output)
    return found.group(1) if found else None


def _said(output: str) -> TerminationCondition | None:
    """Return what the log says about a program decided by presolve or by the first phase."""
    for text, end in {
        "TIME LIMIT": TerminationCondition.TIME_LIMIT,
        "NO PRIMAL FEASIBLE": TerminationCondition.INFEASIBLE,
        "HAS UNBOUNDED PRIMAL": TerminationCondition.UNBOUNDED,
        "NO DUAL FEASIBLE": TerminationCondition.INFEASIBLE_OR_UNBOUNDED,
    }.items():
        if text in output:
            return end
    return None


def read_raw(program: Program, text: str, output: str, algorithm: str, rows: IntArray) -> RawAnswer:
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
    if kind == "bas":
        primal, dual = head[4], head[5]
        if primal == "f" and dual == "f":
            return TerminationCondition.OPTIMAL
        if primal == "n":
            return TerminationCondition.INFEASIBLE
        if primal == "f" and dual == "n":
            return TerminationCondition.UNBOUNDED
    elif kind in ("mip", "ipt"):
        if head[4] == "o":
            return TerminationCondition.OPTIMAL
        if head[4] == "n":  # from the interior point: no primal-dual solution
            return TerminationCondition.INFEASIBLE if kind == "mip" else TerminationCondition.INFEASIBLE_OR_UNBOUNDED
    return _said(output) or TerminationCondition.UNKNOWN
