"""Pyomo models through the backends, and programs as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
import scipy.sparse as sp

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.backends.executables.mps import write_mps
from equiform.formulations.optimization.backends.pyomo_solver import as_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program, SosSet
from tests.helpers.backend_programs import HERE, LP, check_optimal, random_program, small_model


@pytest.mark.parametrize("backend", LP)
def test_model_gets_values_and_duals_back(backend: str) -> None:
    m = small_model()
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    m.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    solution = solve_model(m, SolverOptions(backend)).require_optimal()
    check_optimal(solution.program, solution, 1e-7)
    assert solution.x is not None
    assert pyo.value(m.goal) == pytest.approx(solution.objective, abs=1e-9)
    assert [v.value for v in m.x.values()] == pytest.approx(solution.values(m.x), abs=0)
    assert not any(v.stale for v in m.x.values())
    assert [m.dual[m.rows[i]] for i in range(2)] == pytest.approx(solution.dual_values(m.rows), abs=1e-9)
    assert m.dual[m.own] == pytest.approx(solution.dual_values(m.own)[0], abs=1e-9)
    # The oracle: Pyomo's own interface on the same model.
    other = small_model()
    other.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    pyo.SolverFactory("appsi_highs").solve(other)
    assert pyo.value(other.goal) == pytest.approx(solution.objective, abs=1e-7)
    assert [other.dual[other.rows[i]] for i in range(2)] == pytest.approx(solution.dual_values(m.rows), abs=1e-6)


def test_model_is_untouched_if_asked() -> None:
    m = small_model()
    solve_model(m, load=False)
    assert m.x[0].value is None


def test_fixed_and_absent_variables_keep_their_values() -> None:
    m = small_model()
    m.aside = pyo.Var(initialize=5.0)
    m.x[1].fix(1.0)
    solution = solve_model(m).require_optimal()
    assert solution.values(m.x)[1] == 1.0 and m.x[1].value == 1.0
    assert solution.values([m.aside]).tolist() == [5.0]
    assert solution.objective == pytest.approx(pyo.value(m.goal), abs=1e-12)


def test_pyomo_name_without_prefix_and_time_limit() -> None:
    solution = solve_model(small_model(), SolverOptions("appsi_highs", time_limit=20))
    assert solution.optimal and solution.backend == "pyomo:appsi_highs"


def test_pyomo_backend_leaves_no_suffix_behind() -> None:
    m = small_model()
    assert solve_model(m, SolverOptions("pyomo:highs")).duals is not None
    assert m.component("dual") is None


@pytest.mark.skipif("scip" not in HERE, reason="needs pyscipopt")
def test_nonlinear_model_by_a_solver_of_pyomo() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var([0, 1], bounds=(0, 4))
    m.c = pyo.Constraint(expr=m.x[0] * m.x[1] >= 4)
    m.goal = pyo.Objective(expr=m.x[0] + m.x[1])
    solution = solve_model(m, SolverOptions("pyomo:scip_direct")).require_optimal()
    assert solution.program.nonlinear and solution.objective == pytest.approx(4.0, abs=1e-4)
    assert solution.values(m.x) == pytest.approx([2.0, 2.0], abs=1e-2)


def test_mps_file_reads_back_exactly(tmp_path: Path) -> None:
    """HiGHS's own reader is the judge; ranges are stored as differences, so their far end may move by an ulp."""
    import highspy

    for seed in range(25):
        program = random_program(seed, quadratic=seed % 2 == 1)
        rng = np.random.default_rng(seed)
        program.A.data *= rng.random(program.A.nnz)  # digits that need all 17 places
        path = tmp_path / "program.mps"
        rows = write_mps(program, path)
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
        lp = highs.getLp()
        assert np.array(lp.col_cost_).tolist() == program.c.tolist()
        assert np.array(lp.col_lower_).tolist() == program.col_lower.tolist()
        assert np.array(lp.col_upper_).tolist() == program.col_upper.tolist()
        assert np.array(lp.row_lower_) == pytest.approx(program.row_lower[rows], abs=1e-14)
        assert np.array(lp.row_upper_).tolist() == program.row_upper[rows].tolist()
        matrix = lp.a_matrix_
        read = sp.csc_array((matrix.value_, matrix.index_, matrix.start_), shape=(rows.size, program.shape[1]))
        assert (read.toarray() == program.A[rows].toarray()).all()


@pytest.mark.parametrize("maximize", [False, True])
def test_a_program_written_as_a_model_is_the_same_program(maximize: bool) -> None:
    """Costs, squares and products, rows and bounds, integers and sets, each found again by evaluating the model."""
    rng = np.random.default_rng(4)
    B = rng.integers(-2, 3, (4, 4))
    program = Program.from_arrays(
        rng.integers(-5, 6, 4),
        [[1, 2, 0, 0], [0, 0, 0, 0], [0, 1, -1, 3]],
        row_lower=[-np.inf, -1, -2],
        row_upper=[4, 1, np.inf],
        col_upper=[3, 2, 5, 1],
        c0=2.5,
        integer=[False, True, False, False],
        Q=B.T @ B,
        sos=[SosSet(2, np.array([0, 2, 3]), np.array([1.0, 2.0, 4.0]))],
        maximize=maximize,
    )
    model, kept = as_model(program)
    assert kept.tolist() == [0, 2]
    assert [model.x[j].is_integer() for j in range(4)] == [False, True, False, False]
    assert [model.x[j].bounds for j in range(4)] == [(0, 3), (0, 2), (0, 5), (0, 1)]
    for x in rng.integers(0, 9, (10, 4)) / 4:
        for j, value in enumerate(x.tolist()):
            model.x[j].set_value(value, skip_validation=True)
        assert program.sign * pyo.value(model.objective) == pytest.approx(program.objective(x))
    members = model.sos0
    assert members.level == 2
    assert [(v.index(), w) for v, w in members.get_items()] == [(0, 1.0), (2, 2.0), (3, 4.0)]
