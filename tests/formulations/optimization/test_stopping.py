"""Ctrl-C and limits of time end every backend, whatever its library does; what was reached comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from equiform.formulations.optimization.backends import base, solve_program, stopping
from equiform.formulations.optimization.backends.stopping import Stop, StoppedError, stoppable
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import TerminationCondition
from tests.helpers.backend_programs import HERE, MIP
from tests.helpers.long_programs import LONG

ALGORITHMS = {"highs": ("simplex", "ipm")}
RUNS = [("lp", name, algorithm) for name in HERE for algorithm in ALGORITHMS.get(name, ("",))]
RUNS += [("mip", name, "") for name in MIP] + [("mip", "pyomo:appsi_highs", ""), ("mip", "pyomo:scip_direct", "")]

CHILD = """
import signal
import sys
import pyomo.environ  # now, so that Ctrl-C finds the solvers at work and not Pyomo at loading them
from equiform.formulations.optimization.backends import solve_program
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import SolveInterrupted
from tests.helpers.long_programs import LONG
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
for line in sys.argv[1:]:
    kind, backend, algorithm = line.split(",")
    program = LONG[kind]()
    print("ready", flush=True)
    try:
        solution = solve_program(program, SolverOptions(backend, algorithm or None), symmetry=False)
        print("ended by itself:", solution.summary(), flush=True)
    except SolveInterrupted as reached:
        print("interrupted", reached.solution.termination, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal for one process")
def test_an_interrupt_ends_a_running_solve_on_every_backend() -> None:
    """One process solves programs that would take every solver minutes, and gets Ctrl-C in each of them."""
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    runs = [",".join(run) for run in RUNS]
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, *runs], stdout=subprocess.PIPE, text=True, env=environment, cwd=root
    ) as child:
        assert child.stdout is not None
        guard = threading.Timer(240.0, child.kill)  # a solver that does not hear must not stop the tests
        guard.start()
        ended = {}
        for run in runs:
            assert child.stdout.readline() == "ready\n", run
            time.sleep(0.8)
            child.send_signal(signal.SIGINT)
            ended[run] = child.stdout.readline().strip()
        guard.cancel()
        child.kill()  # some library may be busy to the end of its iteration
    assert {run: said for run, said in ended.items() if not said.startswith("interrupted interrupted")} == {}


@pytest.mark.parametrize(("kind", "backend", "algorithm"), [run for run in RUNS if run[0] == "lp"])
def test_a_limit_of_time(monkeypatch: pytest.MonkeyPatch, kind: str, backend: str, algorithm: str) -> None:
    monkeypatch.setattr(base, "GRACE", 0.2)  # Clarabel looks at its limit between factorisations
    solver = SolverOptions(backend, algorithm or None, time_limit=0.3)
    solution = solve_program(LONG[kind](), solver, symmetry=False)
    assert solution.termination is TerminationCondition.TIME_LIMIT, solution.summary()


def test_a_solver_that_disregards_its_limit_is_left_behind() -> None:
    release = threading.Event()
    with pytest.raises(StoppedError, match="beyond its time limit") as ended:
        stoppable(release.wait, Stop(), 0.05)
    assert ended.value.answer is None and stopping.left_behind()
    release.set()
    assert stoppable(lambda: "next", Stop()) == "next"


def test_a_solver_that_is_asked_hands_over_what_it_has() -> None:
    stop, asked = Stop(), threading.Event()
    stop.on_request(asked.set)
    with pytest.raises(StoppedError) as ended:
        stoppable(lambda: asked.wait() and "half", stop, 0.05)
    assert ended.value.answer == "half" and bool(stop)
    late = threading.Event()
    stop.on_request(late.set)
    assert late.is_set(), "who registers after the request is asked at once"


def test_errors_come_through() -> None:
    with pytest.raises(ZeroDivisionError):
        stoppable(lambda: 1 / 0, Stop())
