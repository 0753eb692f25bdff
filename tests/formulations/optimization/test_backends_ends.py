"""How a solve can end other than well: infeasible, unbounded, at a limit, in a crash, or with a claim not believed."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyscipopt
import pytest
import scipy.sparse as sp

from equiform.formulations.optimization.backends import registry, solve_program
from equiform.formulations.optimization.backends.executables.glpk import read_raw
from equiform.formulations.optimization.backends.executables.process import run_executable
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import Status, TerminationCondition
from equiform.models.common.errors import InfeasibleError, LimitError, ParameterError, SolveError, UnboundedError
from tests.helpers.backend_programs import INFEASIBLE, LP, MIP, Fake, check_optimal, knapsack, random_program
from tests.helpers.long_programs import hard_knapsack

UNBOUNDED = {
    "ray": Program.from_arrays([-1.0, 0.0], [[1.0, -1.0]], row_upper=2.0),
    "free column": Program.from_arrays([1.0, 1.0], [[1.0, 2.0]], row_upper=4.0, col_lower=-np.inf),
    "maximum": Program.from_arrays([1.0, 2.0], [[1.0, -1.0]], row_lower=-2.0, maximize=True),
}


@pytest.mark.parametrize("case", INFEASIBLE)
@pytest.mark.parametrize("backend", LP)
def test_infeasible(backend: str, case: str) -> None:
    solution = solve_program(INFEASIBLE[case], SolverOptions(backend))
    assert solution.termination is TerminationCondition.INFEASIBLE and solution.status is Status.WARNING
    assert solution.x is None and solution.objective is None
    with pytest.raises(InfeasibleError, match=r"no feasible point.*2 columns.*Fix: deactivate"):
        solution.require_optimal()
    with pytest.raises(SolveError, match="has no values"):
        solution.values([])


@pytest.mark.parametrize("case", UNBOUNDED)
@pytest.mark.parametrize("backend", LP)
def test_unbounded(backend: str, case: str) -> None:
    solution = solve_program(UNBOUNDED[case], SolverOptions(backend))
    assert solution.termination is TerminationCondition.UNBOUNDED
    with pytest.raises(UnboundedError, match="improves without limit"):
        solution.require_optimal()


@pytest.mark.parametrize("backend", LP)
def test_infeasible_with_an_improving_ray(backend: str) -> None:
    """Infeasible and dual infeasible at once: "infeasible" and "either" are right, "unbounded" is wrong."""
    program = Program.from_arrays(
        [-1.0, 0.0], [[0.0, 1.0], [0.0, 1.0]], row_lower=[2.0, -np.inf], row_upper=[np.inf, 1.0]
    )
    solution = solve_program(program, SolverOptions(backend))
    right = (TerminationCondition.INFEASIBLE, TerminationCondition.INFEASIBLE_OR_UNBOUNDED)
    if backend in ("clarabel", "piqp"):  # they stop at the first certificate found, and say so in their documentation
        right += (TerminationCondition.UNBOUNDED,)  # type: ignore[assignment]
    assert solution.termination in right


@pytest.mark.parametrize("backend", LP)
def test_degenerate_program(backend: str) -> None:
    """Beale's example, on which textbook simplex cycles."""
    rows = [[0.25, -60.0, -1 / 25, 9.0], [0.5, -90.0, -1 / 50, 3.0], [0.0, 0.0, 1.0, 0.0]]
    program = Program.from_arrays([-0.75, 150.0, -0.02, 6.0], rows, row_upper=[0.0, 0.0, 1.0])
    solution = solve_program(program, SolverOptions(backend))
    check_optimal(program, solution, 1e-7)
    assert solution.objective == pytest.approx(-1 / 20, abs=1e-8)


@pytest.mark.parametrize("backend", LP)
def test_programs_at_the_edge(backend: str) -> None:
    nothing = Program.from_arrays(np.zeros(0), np.zeros((0, 0)), c0=2.5)
    assert solve_program(nothing, SolverOptions(backend)).objective == 2.5
    no_rows = Program.from_arrays([1.0, -1.0, 0.0], np.zeros((0, 3)), col_lower=[1.0, 0.0, 0.0], col_upper=4.0)
    assert solve_program(no_rows, SolverOptions(backend)).objective == pytest.approx(-3.0, abs=1e-7)
    no_cost = Program.from_arrays([0.0, 0.0], [[1.0, 1.0]], row_lower=1.0, row_upper=1.0, c0=-1.0)
    check_optimal(no_cost, solve_program(no_cost, SolverOptions(backend)), 1e-7)
    empty_row = Program.from_arrays([1.0], [[0.0], [1.0]], row_lower=[-1.0, 2.0], row_upper=[0.0, 3.0])
    check_optimal(empty_row, solve_program(empty_row, SolverOptions(backend)), 1e-7)
    broken = Program.from_arrays([1.0], [[0.0], [1.0]], row_lower=[1.0, 2.0])
    assert solve_program(broken, SolverOptions(backend)).termination is TerminationCondition.INFEASIBLE
    crossed = Program.from_arrays([1.0], [[1.0]], row_lower=2.0, row_upper=1.0)
    solution = solve_program(crossed, SolverOptions(backend))
    assert solution.termination is TerminationCondition.INFEASIBLE and "row 0 has lower bound 2" in solution.message


@pytest.mark.parametrize("backend", [name for name in MIP if name != "glpk"])
def test_time_limit(backend: str) -> None:
    start = time.perf_counter()
    solution = solve_program(hard_knapsack(), SolverOptions(backend, time_limit=1.0))
    assert time.perf_counter() - start < 6.0
    assert solution.termination is TerminationCondition.TIME_LIMIT, solution.summary()
    if solution.x is not None:
        assert solution.program.violation(solution.x) <= 1e-6 and solution.objective is not None
    with pytest.raises(LimitError, match="reached its time limit"):
        solution.require_optimal()


def test_time_limit_on_a_large_linear_program() -> None:
    rng = np.random.default_rng(1)
    A = sp.random_array((1500, 1500), density=0.1, rng=rng)
    program = Program.from_arrays(-np.ones(1500), A, row_upper=1.0, col_upper=1e4)
    for algorithm in ("simplex", "ipm"):
        solution = solve_program(program, SolverOptions(algorithm=algorithm, time_limit=0.02))
        assert solution.termination is TerminationCondition.TIME_LIMIT and solution.seconds.total < 5.0


@pytest.mark.parametrize(
    ("backend", "options"),
    [
        ("highs", {"simplex_iteration_limit": 2, "presolve": "off"}),
        ("scipy", {"maxiter": 2, "presolve": False}),
    ],
)
def test_iteration_limit(backend: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    program = Program.from_arrays(-np.ones(60), rng.random((60, 60)), row_upper=1.0)
    solution = solve_program(program, SolverOptions(backend, algorithm="simplex", options=options))
    assert solution.termination is TerminationCondition.ITERATION_LIMIT
    with pytest.raises(LimitError, match="iteration limit"):
        solution.require_optimal()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"x": np.array([np.nan, 0.0])}, "not finite"),
        ({}, "returned no point"),
        ({"x": np.array([5.0, 5.0])}, "breaks a row or bound by 6"),
        ({"x": np.array([0.0, 4.0]), "duals": np.array([-1.0])}, "dual feasibility by 1"),
        ({"x": np.array([4.0, 0.0]), "duals": np.array([-2.0])}, "relative duality gap of 0.8"),
    ],
)
def test_unbelievable_answers(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], message: str) -> None:
    """A claim of optimality that does not stand is not passed on."""
    program = Program.from_arrays([-1.0, -2.0], [[1.0, 1.0]], row_upper=4.0)
    monkeypatch.setitem(registry._BACKENDS, "fake", Fake(**answer))
    solution = solve_program(program, SolverOptions("fake"))
    assert solution.termination is TerminationCondition.NUMERICAL and message in solution.message
    with pytest.raises(SolveError, match="was not solved"):
        solution.require_optimal()


@pytest.mark.parametrize("kind", ["MIP", "LP"])
def test_an_error_inside_scip_is_a_numerical_end(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """PySCIPOpt raises what SCIP returns as a bare exception; seen as "error in LP solver" on large products."""

    def fail(*_: object) -> None:
        raise Exception("SCIP: error in LP solver!")

    name, method = ("Model", "optimizeNogil") if kind == "MIP" else ("LP", "solve")
    broken = type(name, (getattr(pyscipopt, name),), {method: fail})
    monkeypatch.setattr(pyscipopt, name, broken)
    solution = solve_program(knapsack() if kind == "MIP" else random_program(0), SolverOptions("scip"))
    assert solution.termination is TerminationCondition.NUMERICAL and solution.x is None
    assert "SCIP stopped with an internal error: SCIP: error in LP solver!" in solution.message
    with pytest.raises(SolveError, match="error in LP solver"):
        solution.require_optimal()


@pytest.mark.parametrize(
    ("raised", "end", "message"),
    [
        (RuntimeError("no luck"), TerminationCondition.CRASHED, "fake raised RuntimeError: no luck"),
        (MemoryError(), TerminationCondition.MEMORY_LIMIT, "fake ran out of memory"),
    ],
)
def test_what_a_library_raises_is_an_end(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, end: TerminationCondition, message: str
) -> None:
    fake = Fake()
    monkeypatch.setattr(fake, "run", lambda *_: (_ for _ in ()).throw(raised))
    monkeypatch.setitem(registry._BACKENDS, "fake", fake)
    solution = solve_program(random_program(0), SolverOptions("fake"))
    assert solution.termination is end and solution.message == message
    monkeypatch.setattr(fake, "run", lambda *_: (_ for _ in ()).throw(ParameterError("ours")))
    with pytest.raises(ParameterError, match="ours"):
        solve_program(random_program(0), SolverOptions("fake"))


def _script(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys, time\n{body}\n")
    path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="needs executable scripts")
def test_executables_that_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("equiform.formulations.optimization.backends.executables.process.GRACE", 0.2)
    _script(tmp_path, "glpsol", "print('GLPK 5.0'); sys.exit(0 if '--version' in sys.argv else 3)")
    solution = solve_program(random_program(1), SolverOptions("glpk"))
    assert solution.termination is TerminationCondition.CRASHED and "GLPK 5.0" in solution.message
    _script(tmp_path, "glpsol", "time.sleep(0 if '--version' in sys.argv else 60)")
    solution = solve_program(random_program(1), SolverOptions("glpk", time_limit=0.2))
    assert solution.termination is TerminationCondition.TIME_LIMIT and "had to be stopped" in solution.message
    monkeypatch.setattr(
        "equiform.formulations.optimization.backends.executables.cbc.executable", lambda: str(tmp_path / "glpsol")
    )
    _script(tmp_path, "glpsol", "print('Segmentation fault'); sys.exit(139)")
    monkeypatch.setattr("equiform.formulations.optimization.backends.executables.cbc._version", lambda path: "2.10")
    solution = solve_program(random_program(1), SolverOptions("cbc"))
    assert solution.termination is TerminationCondition.CRASHED and "code 139" in solution.message
    assert run_executable([str(tmp_path / "absent")], tmp_path, None).code == -1


GLPK_FILE = """c Problem:    equiform
s bas 2 2 f f -9
i 1 u 4 -1
i 2 b 1 0
j 1 b 1 0
j 2 u 3 -2
e o f
"""


def test_reading_the_solution_file_of_glpk() -> None:
    program = Program.from_arrays([-1.0, -3.0], [[1.0, 1.0], [1.0, 0.0]], row_upper=[4.0, 9.0], col_upper=[9.0, 3.0])
    answer = read_raw(program, GLPK_FILE, "", "simplex", np.arange(2))
    assert answer.termination is TerminationCondition.OPTIMAL and answer.x is not None and answer.duals is not None
    assert answer.x.tolist() == [1.0, 3.0] and answer.duals.tolist() == [-1.0, 0.0]
    assert answer.reduced_costs is not None and answer.reduced_costs.tolist() == [0.0, -2.0]
    for line, end in {
        "s bas 2 2 n f 0": TerminationCondition.INFEASIBLE,
        "s bas 2 2 f n 0": TerminationCondition.UNBOUNDED,
        "s bas 2 2 u u 0": TerminationCondition.UNKNOWN,
        "s mip 2 2 n 0": TerminationCondition.INFEASIBLE,
        "s ipt 2 2 n 0": TerminationCondition.INFEASIBLE_OR_UNBOUNDED,
    }.items():
        assert read_raw(program, line, "", "simplex", np.arange(2)).termination is end
    late = read_raw(program, "s mip 2 2 u 0", "TIME LIMIT EXCEEDED; SEARCH TERMINATED", "", np.arange(2))
    assert late.termination is TerminationCondition.TIME_LIMIT
