"""CBC through the executable that ships inside PuLP: an MPS file in, CBC's binary solution file out.

The usual text solution has eight digits; ``-saveSolution`` writes the doubles themselves (row activities and duals,
column values and reduced costs, in file order), which is what we read. The text only tells us how the search ended.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from equiform.formulations.optimization.backends.base import Backend, Capabilities, RawAnswer, Settings, Stopwatch
from equiform.formulations.optimization.backends.executables.mps import write_mps
from equiform.formulations.optimization.backends.executables.process import Finished, run_executable
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition
from equiform.models.common.errors import ParameterError

_ENDS = {
    "optimal": TerminationCondition.OPTIMAL,
    "infeasible": TerminationCondition.INFEASIBLE,
    "integer infeasible": TerminationCondition.INFEASIBLE,
    "unbounded": TerminationCondition.UNBOUNDED,
    "stopped on time": TerminationCondition.TIME_LIMIT,
    "stopped on iterations": TerminationCondition.ITERATION_LIMIT,
    "stopped on nodes": TerminationCondition.NODE_LIMIT,
    "stopped on difficulties": TerminationCondition.NUMERICAL,
}


_COMPLAINT = re.compile(r".*(No match for|is illegal for|valid range is|Possible options for).*")


class Cbc(Backend):
    """CBC: linear and mixed-integer programs, special ordered sets; duals of linear programs."""

    name = "cbc"
    capabilities = Capabilities(mip=True, sos1=True, sos2=True, duals=True)
    install = "pip install pulp"
    note = "the executable inside PuLP; options are CBC's own commands"

    def version(self) -> str | None:
        """Return the version that the executable reports."""
        path = executable()
        return None if path is None else _version(path)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Write the program to a file, run CBC and read its solution."""
        clock = Stopwatch()
        path = executable()
        with tempfile.TemporaryDirectory(prefix="equiform-cbc-") as name:
            folder = Path(name)
            with clock.phase("load"):
                rows = write_mps(program, folder / "program.mps")
            arguments = [str(path), "program.mps", "-ratioGap", "0", "-allowableGap", "0", "-timeMode", "elapsed"]
            if settings.time_limit is not None:
                arguments += ["-sec", repr(float(settings.time_limit))]
            for key, value in settings.options.items():
                arguments += [f"-{key}"] if value is None else [f"-{key}", str(value)]
            arguments += ["-solve", "-solution", "status.txt", "-saveSolution", "point.bin"]
            with clock.phase("solve"):
                done = run_executable(arguments, folder, settings.time_limit, settings.stop)
            complaint = _COMPLAINT.search(done.output) if settings.options else None
            if complaint:  # CBC itself would continue with its defaults
                given = ", ".join(f"{key} = {value!r}" for key, value in settings.options.items())
                raise ParameterError(
                    "CBC does not accept an option",
                    where=f"{given}: {' '.join(complaint.group().split())}",
                    fix="see CBC's own commands (`cbc -?`)",
                )
            answer = _read(program, folder, done, rows)
            if answer.termination is TerminationCondition.ITERATION_LIMIT and _by_time(settings):
                answer.termination = TerminationCondition.TIME_LIMIT
        return clock.stamp(answer)


def _by_time(settings: Settings) -> bool:
    """Return whether "stopped on iterations", which CBC says of linear programs at either limit, means the time."""
    return settings.time_limit is not None and not any(key.lower().startswith("maxit") for key in settings.options)


@cache
def executable() -> str | None:
    """Return the path of PuLP's CBC, or of one on the PATH."""
    try:
        from pulp.apis import coin_api
    except ImportError:
        return shutil.which("cbc")
    bundled = getattr(coin_api, "pulp_cbc_path", "") + (".exe" if os.name == "nt" else "")
    return os.path.normpath(bundled) if os.access(bundled, os.X_OK) else shutil.which("cbc")


@cache
def _version(path: str) -> str | None:
    done = run_executable([path, "-quit"], Path(tempfile.gettempdir()), 10.0)
    found = re.search(r"Version: *(\S+)", done.output)
    return found.group(1) if found else None


def _read(
    program: Program, folder: Path, done: Finished, rows: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> RawAnswer:
    algorithm = "simplex" if program.is_lp else "branch-and-cut"
    status, point = folder / "status.txt", folder / "point.bin"
    if done.code is None:
        return RawAnswer(TerminationCondition.TIME_LIMIT, algorithm, message="CBC had to be stopped")
    if not status.exists():
        if "is unbounded" in done.output:
            return RawAnswer(TerminationCondition.UNBOUNDED, algorithm, message="CBC says unbounded")
        if "is infeasible" in done.output:
            return RawAnswer(TerminationCondition.INFEASIBLE, algorithm, message="CBC says infeasible")
        message = f"CBC ended with code {done.code} and no solution: {done.last_lines()}"
        return RawAnswer(TerminationCondition.CRASHED, algorithm, message=message)
    first = status.read_text().partition("\n")[0]
    words = first.partition(" - objective")[0].strip().lower()
    end = next((end for text, end in _ENDS.items() if words.startswith(text)), TerminationCondition.UNKNOWN)
    answer = RawAnswer(
        end, algorithm, message="" if end is TerminationCondition.OPTIMAL else f"CBC says: {first.strip()}"
    )
    nodes, steps = (
        re.search(r"Enumerated nodes: +(\d+)", done.output),
        re.search(r"- (\d+) iterations time", done.output),
    )
    answer.nodes = int(nodes.group(1)) if nodes else None
    answer.iterations = int(steps.group(1)) if steps else None
    usable = end is TerminationCondition.OPTIMAL or (not program.is_lp and "no integer solution" not in first)
    if not usable or not point.exists():
        return answer
    raw = point.read_bytes()
    m, n = np.frombuffer(raw, dtype=np.int32, count=2).tolist()
    values = np.frombuffer(raw, dtype=np.float64, offset=8)
    if (m, n) != (rows.size, program.shape[1]) or values.size != 1 + 2 * m + 2 * n:
        answer.termination = TerminationCondition.CRASHED
        answer.message = "CBC's solution file does not match the program"
        return answer
    point_found = values[1 + 2 * m : 1 + 2 * m + n].copy()
    if end is TerminationCondition.OPTIMAL or program.violation(point_found) <= 1e-6:
        answer.x = point_found
    if program.is_lp:
        answer.duals = np.zeros(program.shape[0])
        answer.duals[rows] = values[1 + m : 1 + 2 * m]
        answer.reduced_costs = values[1 + 2 * m + n :].copy()
    if end is TerminationCondition.OPTIMAL and answer.x is not None:
        answer.bound = float(program.sign * program.objective(answer.x))
    return answer
