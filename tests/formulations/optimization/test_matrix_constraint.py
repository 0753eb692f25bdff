"""A matrix block must be indistinguishable from ordinary Pyomo rows, for every consumer of a model."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
import scipy.sparse as sp

from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.models.common.errors import ModelError

M = np.array([[1.0, 2.0, 0.0, -1.0], [0.0, 1.0, 1.0, 0.0], [3.0, 0.0, -2.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
LOWER = [-np.inf, 1.0, -2.0, 0.5]
UPPER = [4.0, 1.0, 5.0, np.inf]
COST = [1.0, -2.0, 0.5, 1.0]


def matrix_model() -> Any:
    m = pyo.ConcreteModel()
    m.x = vector_var(4, lower=[0.0, 0.0, -1.0, -1.0], upper=[3.0, 3.0, 3.0, np.inf])
    m.rows = MatrixConstraint(M, m.x, lower=LOWER, upper=UPPER)
    m.objective = pyo.Objective(expr=dot(COST, m.x))
    return m


def ordinary_model() -> Any:
    """The same program, row by row."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(4), bounds={0: (0, 3), 1: (0, 3), 2: (-1, 3), 3: (-1, None)})
    m.rows = pyo.Constraint(range(4))
    for i in range(4):
        body = sum(M[i, j] * m.x[j] for j in range(4) if M[i, j])
        low, high = LOWER[i], UPPER[i]
        if low == high:
            m.rows[i] = body == high
        elif low == -np.inf:
            m.rows[i] = body <= high
        elif high == np.inf:
            m.rows[i] = body >= low
        else:
            m.rows[i] = pyo.inequality(low, body, high)
    m.objective = pyo.Objective(expr=sum(COST[j] * m.x[j] for j in range(4)))
    return m


def words(path: Path) -> list[str | float]:
    """The words of a file, with ``1`` and ``1.0`` taken for the same."""
    found: list[str | float] = []
    for word in path.read_text().split():
        try:
            found.append(float(word))
        except ValueError:
            found.append(word)
    return found


def as_written(model: Any, folder: Path, extension: str = "lp") -> list[str | float]:
    path = folder / f"model.{extension}"
    model.write(str(path), io_options={} if extension == "nl" else {"symbolic_solver_labels": True})
    return words(path)


@pytest.mark.parametrize("extension", ["lp", "mps", "nl"])
def test_writers_see_ordinary_rows(extension: str, tmp_path: Path) -> None:
    assert as_written(matrix_model(), tmp_path, extension) == as_written(ordinary_model(), tmp_path, extension)


@pytest.mark.parametrize("solver", ["appsi_highs", "highs"])
def test_pyomo_interfaces_solve_it(solver: str) -> None:
    ours, theirs = matrix_model(), ordinary_model()
    for model in (ours, theirs):
        model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        pyo.SolverFactory(solver).solve(model)
    assert pyo.value(ours.objective) == pytest.approx(pyo.value(theirs.objective), abs=1e-9)
    for i in range(4):
        assert ours.dual[ours.rows[i]] == pytest.approx(theirs.dual[theirs.rows[i]], abs=1e-9)


def test_rows_appear_only_when_asked_for() -> None:
    m = matrix_model()
    assert len(m.rows) == 4 and not m.rows.has_rows
    compile_model(m)
    assert not m.rows.has_rows
    assert str(m.rows[1].expr) == "x[1] + x[2]  ==  1.0"
    assert m.rows.has_rows


def test_row_interface() -> None:
    m = matrix_model()
    for j, v in enumerate(m.x.values()):
        v.set_value(float(j + 1))
    row = m.rows[2]
    assert (row.lb, row.ub, row.equality) == (-2.0, 5.0, False)
    assert m.rows[1].equality and m.rows[0].lb is None and m.rows[3].ub is None
    assert pyo.value(row.body) == M[2] @ [1, 2, 3, 4]
    assert row.lslack() == 1.0 + 2.0 and row.uslack() == 5.0 - 1.0
    assert row.name == "rows[2]" and row.index() == 2
    assert [i for i in m.rows] == [0, 1, 2, 3] and list(m.rows.keys()) == [0, 1, 2, 3]
    assert 3 in m.rows and 4 not in m.rows
    assert list(m.component_data_objects(pyo.Constraint, active=True)) == [m.rows[i] for i in range(4)]


def test_free_row_has_no_bounds(tmp_path: Path) -> None:
    m = pyo.ConcreteModel()
    m.x = vector_var(2, lower=0.0)
    m.rows = MatrixConstraint([[1.0, 1.0], [1.0, 0.0]], m.x, lower=[-np.inf, 1.0])
    m.objective = pyo.Objective(expr=m.x[0] + m.x[1])
    assert m.rows[0].lb is None and m.rows[0].ub is None
    written = as_written(m, tmp_path)
    assert "c_l_rows(1)_:" in written and not any("rows(0)" in str(word) for word in written)


@pytest.mark.parametrize("touch", [False, True])
def test_clone_is_independent(touch: bool) -> None:
    m = matrix_model()
    if touch:
        m.rows[0].deactivate()
    twin = m.clone()
    assert twin.rows.variables[0] is twin.x[0]
    assert twin.rows.has_rows == touch
    assert twin.rows.matrix is m.rows.matrix  # the data is shared, it never changes
    twin.rows[3].deactivate()
    twin.rows.set_row_bounds(upper=7.0)
    assert m.rows[3].active and m.rows[2].ub == 5.0 and twin.rows[2].ub == 7.0
    assert twin.rows[3].parent_component() is twin.rows and twin.rows[3].model() is twin
    assert twin.rows[0].active is not touch
    assert compile_model(twin).shape == (3 - touch, 4)


@pytest.mark.parametrize("touch", [False, True])
def test_pickle_round_trip(touch: bool, tmp_path: Path) -> None:
    m = matrix_model()
    if touch:
        m.rows[2].deactivate()
    twin = pickle.loads(pickle.dumps(m))
    assert twin.rows.has_rows == touch
    assert as_written(twin, tmp_path) == as_written(m, tmp_path)
    a, b = compile_model(m), compile_model(twin)
    assert (a.A.toarray() == b.A.toarray()).all() and (a.row_upper == b.row_upper).all()
    assert twin.rows.variables[1] is twin.x[1]


def test_fixed_variable_moves_to_the_bounds(tmp_path: Path) -> None:
    ours, theirs = matrix_model(), ordinary_model()
    for model in (ours, theirs):
        model.x[1].fix(0.5)
    assert as_written(ours, tmp_path) == as_written(theirs, tmp_path)
    p = compile_model(ours)
    assert p.A.toarray()[:, 1].tolist() == [0.0] * 4
    assert p.row_upper.tolist() == [3.0, 0.5, 5.0, np.inf]
    assert (p.col_lower[1], p.col_upper[1]) == (0.5, 0.5)
    assert p.c0 == -1.0
    ours.x[1].unfix()
    assert (compile_model(ours).A.toarray() == M).all()


def test_deactivate_one_row_and_the_whole_block(tmp_path: Path) -> None:
    ours, theirs = matrix_model(), ordinary_model()
    for model in (ours, theirs):
        model.rows[1].deactivate()
    assert as_written(ours, tmp_path) == as_written(theirs, tmp_path)
    p = compile_model(ours)
    assert (p.A.toarray() == M[[0, 2, 3]]).all()
    assert p.rows(ours.rows).tolist() == [0, -1, 1, 2]
    ours.rows.deactivate()
    assert not ours.rows[0].active
    assert compile_model(ours).shape == (0, 4)
    ours.rows.activate()
    assert ours.rows[1].active and compile_model(ours).shape == (4, 4)


def test_deactivate_before_any_row_exists() -> None:
    m = matrix_model()
    m.rows.deactivate()
    assert not m.rows.has_rows and not m.rows.active
    assert not m.rows[0].active  # rows made later know it
    m.rows[2].activate()  # Pyomo activates the container with it
    p = compile_model(m)
    assert (p.A.toarray() == M[[2]]).all() and p.rows(m.rows).tolist() == [-1, -1, 0, -1]


def test_rewrite_and_delete_single_rows(tmp_path: Path) -> None:
    ours, theirs = matrix_model(), ordinary_model()
    for model in (ours, theirs):
        model.rows[0] = model.x[0] + 5 * model.x[2] <= 2
        del model.rows[3]
    assert as_written(ours, tmp_path) == as_written(theirs, tmp_path)
    a, b = compile_model(ours), compile_model(theirs)
    assert sorted(map(tuple, a.A.toarray().tolist())) == sorted(map(tuple, b.A[:, a_columns(a, b)].toarray().tolist()))
    assert ours.rows[0].expr is ours.rows[0].expr and not ours.rows[0].from_matrix
    assert a.rows(ours.rows).tolist() == [2, 0, 1, -1]
    assert a.row_names() == ["rows[1]", "rows[2]", "rows[0]"]


def a_columns(a: Any, b: Any) -> list[int]:
    """Columns of ``b`` in the order of ``a``: both models have the same names."""
    names = b.column_names()
    return [names.index(name) for name in a.column_names()]


def test_user_adds_a_constraint_of_their_own() -> None:
    m = matrix_model()
    m.cap = pyo.Constraint(expr=m.x[0] + m.x[3] <= 1)
    p = compile_model(m)
    assert p.shape == (5, 4)
    assert p.A.toarray()[4].tolist() == [1.0, 0.0, 0.0, 1.0] and p.row_upper[4] == 1.0
    assert p.rows(m.cap).tolist() == [4]


def test_named_rows() -> None:
    m = pyo.ConcreteModel()
    m.x = vector_var(["fold", "call"], lower=0.0)
    m.flow = MatrixConstraint([[1.0, 1.0], [1.0, 0.0]], m.x, lower=[1.0, 0.2], index=["root", ("Q", "cb")])
    assert m.flow["Q", "cb"].lb == 0.2 and m.flow["root"].name == "flow[root]"
    m.flow["root"].deactivate()
    p = compile_model(m)
    assert p.A.toarray().tolist() == [[1.0, 0.0]] and p.rows(m.flow).tolist() == [-1, 0]
    assert p.column_names() == ["x[fold]", "x[call]"]


def test_bounds_can_be_replaced() -> None:
    m = matrix_model()
    m.rows.set_row_bounds(lower=[0.0, 0.5, -1.0, 0.0])
    assert compile_model(m).row_lower.tolist() == [0.0, 0.5, -1.0, 0.0]
    assert compile_model(m).row_upper.tolist() == UPPER
    with pytest.raises(ValueError, match="read-only"):
        m.rows.lower_bounds[0] = 3.0


def test_inside_nested_and_indexed_blocks() -> None:
    m = pyo.ConcreteModel()
    m.x = vector_var(2)

    def fill(block: Any, k: int) -> None:
        block.inner = pyo.Block()
        block.inner.rows = MatrixConstraint([[1.0, float(k)]], m.x, upper=float(k))

    m.part = pyo.Block([1, 2, 3], rule=fill)
    m.part[2].deactivate()
    p = compile_model(m)
    assert p.A.toarray().tolist() == [[1.0, 1.0], [1.0, 3.0]]
    assert p.row_names() == ["part[1].inner.rows[0]", "part[3].inner.rows[0]"]


def test_repeated_variable_and_explicit_zero() -> None:
    m = pyo.ConcreteModel()
    m.x = vector_var(2)
    matrix = sp.csr_array((np.array([1.0, 2.0, 0.0]), np.array([0, 1, 2]), np.array([0, 3])), shape=(1, 3))
    m.rows = MatrixConstraint(matrix, [m.x[0], m.x[0], m.x[1]], upper=6.0)
    p = compile_model(m)
    assert p.A.toarray().tolist() == [[3.0, 0.0]] and p.A.nnz == 1


def test_empty_block() -> None:
    m = pyo.ConcreteModel()
    m.x = vector_var(3)
    m.rows = MatrixConstraint(sp.csr_array((0, 3)), m.x)
    assert len(m.rows) == 0 and list(m.rows.values()) == []
    assert compile_model(m).shape == (0, 3)


MALFORMED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "too few variables": (lambda m: MatrixConstraint(M, list(m.x.values())[:3]), "4 columns but 3 variables"),
    "no variable": (lambda m: MatrixConstraint([[1.0]], [3.0]), "column 0: 3.0"),
    "an indexed member": (lambda m: MatrixConstraint([[1.0]], [m.x]), "is not a Pyomo variable"),
    "nan": (lambda m: MatrixConstraint([[1.0, 0, 0, 0], [0, np.nan, 0, 0]], m.x), "Where: row 1"),
    "infinite": (lambda m: MatrixConstraint([[np.inf, 0, 0, 0]], m.x), "not finite"),
    "words": (lambda m: MatrixConstraint([["a", "b", "c", "d"]], m.x), "cannot be read as numbers"),
    "one-dimensional": (lambda m: MatrixConstraint(np.ones(4), m.x), "not two-dimensional"),
    "bounds of another length": (lambda m: MatrixConstraint(M, m.x, lower=[1.0, 2.0]), "2 lower bounds"),
    "nan bound": (lambda m: MatrixConstraint(M, m.x, upper=[1.0, np.nan, 1.0, 1.0]), "position 1"),
    "lower bound +inf": (lambda m: MatrixConstraint(M, m.x, lower=np.inf), "lower bound is not usable"),
    "row names repeat": (lambda m: MatrixConstraint(M, m.x, index=["a", "b", "b", "c"]), "3 distinct row names"),
    "coefficients of another length": (lambda m: dot([1.0], m.x), "1 coefficients for 4 variables"),
    "bounds of a vector": (lambda m: vector_var(3, lower=[0.0, 0.0]), "2 lower bounds were given for 3"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(case: str) -> None:
    make, message = MALFORMED[case]
    with pytest.raises(ModelError, match=message) as caught:
        make(matrix_model())
    assert caught.value.fix


def test_none_among_bounds_means_no_bound() -> None:
    m = pyo.ConcreteModel()
    m.x = vector_var(2, lower=[None, 1.0])
    m.rows = MatrixConstraint([[1.0, 1.0], [1.0, -1.0]], m.x, upper=[None, 3.0])
    p = compile_model(m)
    assert p.row_upper.tolist() == [np.inf, 3.0] and p.col_lower.tolist() == [-np.inf, 1.0]


def test_a_million_nonzeros_build_and_compile_fast() -> None:
    size = 1_000
    dense = np.arange(1.0, size * size * 1.25 + 1).reshape(size, -1)
    matrix = sp.csr_array(dense)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        m = pyo.ConcreteModel()
        m.x = vector_var(matrix.shape[1], lower=0.0)
        m.rows = MatrixConstraint(matrix, m.x, upper=1.0)
        m.objective = pyo.Objective(expr=dot(np.ones(matrix.shape[1]), m.x))
        p = compile_model(m)
        seconds.append(time.process_time() - start)
    assert p.A.nnz == 1_250_000 and (p.A.data == dense.ravel()).all()
    assert min(seconds) < 0.3
