"""The compiler against Pyomo itself: the arrays must say what the model says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.formulations.optimization.compiling.compiler import HINT_ATTRIBUTE, compile_model, list_variables
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.program import Program


def check_against_pyomo(model: Any, program: Program, x: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    """Evaluate both sides at ``x``: objective, each row's distance to each bound, bounds of variables."""
    for j, (variable, value) in enumerate(zip(program.variables, x, strict=True)):
        if variable.fixed:
            assert program.col_lower[j] == program.col_upper[j] == variable.value
        else:
            variable.set_value(value, skip_validation=True)
    point = np.array([v.value for v in program.variables], dtype=float)
    objective = next(model.component_data_objects(pyo.Objective, active=True), None)
    if objective is not None:
        assert program.objective(point) == pytest.approx(pyo.value(objective), abs=1e-9)
    activity = program.A @ point
    rows = [r for r in model.component_data_objects(pyo.Constraint, active=True)]
    assert {id(r) for r in rows} == {id(r) for r in program.constraints()}
    for i, row in enumerate(program.constraints()):
        lslack = np.inf if row.lb is None else row.lslack()
        uslack = np.inf if row.ub is None else row.uslack()
        assert activity[i] - program.row_lower[i] == pytest.approx(lslack, abs=1e-9)
        assert program.row_upper[i] - activity[i] == pytest.approx(uslack, abs=1e-9)
    for j, variable in enumerate(program.variables):
        if not variable.fixed:
            low, high = variable.bounds
            assert program.col_lower[j] == (-np.inf if low is None else low)
            assert program.col_upper[j] == (np.inf if high is None else high)
            assert program.integer[j] == variable.is_integer()


def busy_model() -> Any:
    """A bit of everything that the compiler has to understand."""
    m = pyo.ConcreteModel("busy")
    m.price = pyo.Param([0, 1], initialize={0: 2.0, 1: -1.0}, mutable=True)
    m.cap = pyo.Param(initialize=7.0, mutable=True)
    m.x = pyo.Var([0, 1], bounds=(0, m.cap))
    m.y = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(None, 9))
    m.b = pyo.Var(["p", "q"], domain=pyo.Binary)
    m.free = pyo.Var()
    m.unused = pyo.Var(bounds=(1, 2))
    m.total = pyo.Expression(expr=m.x[0] + m.x[1] + 3)
    m.both_sides = pyo.Constraint(expr=2 * m.total + 1 <= m.y + m.cap + m.x[0])
    m.range = pyo.Constraint(expr=pyo.inequality(-m.cap, m.free - m.y, 2 * m.cap))
    m.equation = pyo.Constraint(expr=m.price[0] * m.x[0] + m.price[1] * m.b["p"] == m.free)
    m.off = pyo.Constraint(expr=m.unused >= 1.5)
    m.off.deactivate()
    m.sub = pyo.Block(["u", "v"])
    for k in ("u", "v"):
        m.sub[k].z = pyo.Var(bounds=(-1, 1))
        m.sub[k].link = pyo.Constraint(expr=m.sub[k].z >= m.x[0] - 5)
    m.list = pyo.ConstraintList()
    m.list.add(m.x[0] - m.x[0] + m.x[1] <= 6)
    m.list.add((None, m.b["q"] + m.y, 8))
    m.rows = MatrixConstraint([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]], [m.x[0], m.y, m.free], lower=-4.0, upper=[5.0, 3.0])
    m.goal = pyo.Objective(expr=m.price[0] * m.total + m.sub["u"].z - m.sub["v"].z + 4, sense=pyo.maximize)
    return m


@pytest.mark.parametrize("seed", range(3))
def test_everything_at_random_points(seed: int) -> None:
    m = busy_model()
    p = compile_model(m)
    assert p.sign == -1 and p.name == "busy" and p.needs == {"mip"}
    assert "unused" not in p.column_names()
    check_against_pyomo(m, p, np.random.default_rng(seed).normal(size=p.shape[1]))


def test_changes_of_the_model_are_seen() -> None:
    m = busy_model()
    compile_model(m)
    m.price[0] = 5.0
    m.cap = 3.0
    m.x[0].fix(1.5)
    m.y.fix(0.25)  # an integer: Pyomo lets a fixed variable hold any value
    m.sub["v"].deactivate()
    m.rows[1].deactivate()
    m.goal.expr = m.x[1] - m.x[0]
    p = compile_model(m)
    check_against_pyomo(m, p, np.random.default_rng(5).normal(size=p.shape[1]))
    y = p.column_names().index("y")
    assert p.col_lower[y] == p.col_upper[y] == 0.25 and not p.integer[y]
    assert p.col_upper[p.column_names().index("x[1]")] == 3.0


def test_quadratic_objective() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(3), bounds=(-5, 5))
    m.x[2].fix(2.0)
    m.c = pyo.Constraint(expr=m.x[0] * m.x[2] + m.x[1] <= 4)  # linear: x[2] is fixed
    m.goal = pyo.Objective(expr=(m.x[0] - 2 * m.x[1]) ** 2 + m.x[0] * m.x[1] + m.x[1] * m.x[2] + 7)
    p = compile_model(m)
    assert p.needs == {"qp"} and p.Q is not None
    assert p.Q.toarray().tolist() == [[2.0, -3.0], [-3.0, 8.0]]
    check_against_pyomo(m, p, np.array([0.3, -1.7]))  # a fixed variable in ordinary expressions is a constant
    m.goal.sense = pyo.maximize
    assert compile_model(m).needs == {"qp", "nonconvex"}


def test_sense_is_minimisation_whatever_the_user_says() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(bounds=(0, 3))
    m.goal = pyo.Objective(expr=2 * m.x + 1, sense=pyo.maximize)
    p = compile_model(m)
    assert (p.c.tolist(), p.c0, p.sign, p.objective(np.array([3.0]))) == ([-2.0], -1.0, -1, 7.0)


def test_without_objective_or_rows() -> None:
    m = pyo.ConcreteModel()
    p = compile_model(m)
    assert p.shape == (0, 0) and p.sign == 1 and p.is_lp
    m.x = pyo.Var()
    m.c = pyo.Constraint(expr=m.x >= 1)
    p = compile_model(m)
    assert p.c.tolist() == [0.0] and p.row_lower.tolist() == [1.0]


def test_trivial_rows_are_kept() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(bounds=(0, 1))
    m.x.fix(0.5)
    m.holds = pyo.Constraint(expr=m.x <= 1)
    m.fails = pyo.Constraint(expr=m.x >= 2)
    p = compile_model(m)
    assert p.A.nnz == 0 and p.row_upper[0] == 0.5 and p.row_lower[1] == 1.5


def test_special_ordered_sets() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(3), bounds=(0, 1))
    m.s = pyo.SOSConstraint(rule=lambda m: ([m.x[2], m.x[0], m.x[1]], [3.0, 1.0, 2.0]), sos=2)
    m.goal = pyo.Objective(expr=m.x[0])
    p = compile_model(m)
    (sos,) = p.sos
    names = p.column_names()
    assert sos.level == 2 and [names[j] for j in sos.columns] == ["x[0]", "x[1]", "x[2]"]
    assert sos.weights.tolist() == [1.0, 2.0, 3.0] and p.needs == {"lp", "sos2"}
    m.s.deactivate()
    assert compile_model(m).is_lp


def test_a_block_can_be_compiled_alone() -> None:
    m = busy_model()
    p = compile_model(m.sub["u"])
    assert p.row_names() == ["sub[u].link"]
    assert set(p.column_names()) == {"sub[u].z", "x[0]"}


def test_hint_is_passed_on() -> None:
    m = busy_model()
    assert compile_model(m).hint is None
    setattr(m, HINT_ATTRIBUTE, "ipm")
    assert compile_model(m).hint == compile_model(m.clone()).hint == "ipm"


def test_variables_that_are_only_in_the_objective_or_a_block() -> None:
    m = pyo.ConcreteModel()
    m.x = vector_var(3)
    m.y = pyo.Var()
    m.rows = MatrixConstraint([[1.0, 0.0, 0.0]], m.x, upper=1.0)
    m.goal = pyo.Objective(expr=m.y)
    p = compile_model(m)
    assert p.column_names() == ["x[0]", "x[1]", "x[2]", "y"]
    assert p.columns(m.x).tolist() == [0, 1, 2] and p.columns([m.y]).tolist() == [3]


def test_blocks_that_share_variables() -> None:
    m = pyo.ConcreteModel()
    m.x, m.y = vector_var(2), vector_var(2)
    m.a = MatrixConstraint(np.array([[1.0, 2.0]]), m.y, upper=1.0)
    m.b = MatrixConstraint(np.array([[3.0, 4.0, 5.0]]), [m.x[1], m.y[0], m.x[0]], upper=2.0)
    p = compile_model(m)
    assert p.column_names() == ["y[0]", "y[1]", "x[1]", "x[0]"]
    assert p.A.toarray().tolist() == [[1.0, 2.0, 0.0, 0.0], [4.0, 0.0, 3.0, 5.0]]
    assert p.rows(m.b).tolist() == [1]


def test_list_variables_of_a_nonlinear_model() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var([0, 1])
    m.c = pyo.Constraint(expr=m.x[0] * m.x[1] >= 1)
    p = list_variables(m)
    assert p.nonlinear and p.column_names() == ["x[0]", "x[1]"]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_random_models(seed: int) -> None:
    """Ordinary rows and matrix rows of one random program compile to the same arrays."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    matrix = rng.integers(-2, 3, (m, n)).astype(float)
    low = np.where(rng.random(m) < 0.3, -np.inf, rng.integers(-5, 0, m))
    high = np.where((rng.random(m) < 0.3) & np.isfinite(low), np.inf, rng.integers(0, 5, m))
    fixed = {int(j): float(rng.integers(-2, 3)) for j in np.flatnonzero(rng.random(n) < 0.3)}
    cost = rng.integers(-3, 4, n).astype(float)
    programs = []
    for whole in (True, False):
        model = pyo.ConcreteModel()
        model.x = vector_var(n, lower=-3.0)
        for j, value in fixed.items():
            model.x[j].fix(value)
        if whole:
            model.rows = MatrixConstraint(matrix, model.x, lower=low, upper=high)
        else:
            model.touch = pyo.Constraint(expr=sum(model.x.values()) >= -1e9)  # meets the columns in the same order
            model.rows = pyo.Constraint(range(m))
            for i in range(m):
                bounds = (None if low[i] == -np.inf else low[i], None if high[i] == np.inf else high[i])
                model.rows[i] = (bounds[0], dot(matrix[i], model.x), bounds[1])
        model.goal = pyo.Objective(expr=dot(cost, model.x))
        programs.append((model, compile_model(model)))
    (one, p), (other, q) = programs
    for model, program in programs:
        check_against_pyomo(model, program, rng.normal(size=program.shape[1]))
    of, to = p.columns(one.x), q.columns(other.x)
    seen = to >= 0
    A, B = p.A.toarray()[:, of[seen]], q.A.toarray()[q.rows(other.rows)][:, to[seen]]
    assert (A == B).all()
    assert (p.row_lower == q.row_lower[q.rows(other.rows)]).all()
    assert (p.row_upper == q.row_upper[q.rows(other.rows)]).all()
