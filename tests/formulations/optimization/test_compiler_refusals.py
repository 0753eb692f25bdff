"""What the compiler refuses, and what its messages say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.gdp import Disjunction

from equiform.formulations.optimization.compiling.compiler import NonlinearError, compile_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint
from equiform.models.common.errors import ModelError


def _square(m: Any) -> None:
    m.bad = pyo.Constraint(expr=m.x[0] ** 2 <= 1)


def _cubic(m: Any) -> None:
    m.goal.deactivate()
    m.bad = pyo.Objective(expr=m.x[0] ** 3)


def _two_goals(m: Any) -> None:
    m.bad = pyo.Objective(expr=m.x[0])


def _gaps(m: Any) -> None:
    m.bad = pyo.Var(domain=[1, 3, 4])
    m.c = pyo.Constraint(expr=m.bad >= 0)


def _fixed_at_nothing(m: Any) -> None:
    m.x[1].fix()


def _fixed_at_nothing_in_matrix(m: Any) -> None:
    m.rows = MatrixConstraint([[1.0, 1.0]], m.x, upper=1.0)
    m.x[1].fix()
    m.row.deactivate()
    m.goal.deactivate()


def _foreign(m: Any) -> None:
    m.row2 = pyo.Constraint(expr=m.clone().x[0] + m.x[0] <= 1)


def _foreign_matrix(m: Any) -> None:
    other = m.clone()
    m.keep = [other]
    m.rows = MatrixConstraint([[1.0, 1.0]], other.x, upper=1.0)


def _disjunction(m: Any) -> None:
    m.bad = Disjunction(expr=[[m.x[0] <= 1], [m.x[0] >= 3]])


def _logic(m: Any) -> None:
    m.y = pyo.BooleanVar()
    m.bad = pyo.LogicalConstraint(expr=m.y)


def _param_without_value(m: Any) -> None:
    m.p = pyo.Param(mutable=True)
    m.bad = pyo.Constraint(expr=m.p * m.x[0] <= 1)


def _variable_bound(m: Any) -> None:
    m.bad = pyo.Constraint(expr=pyo.inequality(m.x[0], m.x[1], 3))


def _infinite_row_bound(m: Any) -> None:
    m.p = pyo.Param(initialize=np.inf, mutable=True)
    m.bad = pyo.Constraint(expr=m.x[0] >= m.p)


def _infinite_variable_bound(m: Any) -> None:
    m.x[0].setlb(np.inf)


def _nan_variable_bound(m: Any) -> None:
    m.x[0].setub(np.nan)


def _nan_coefficient(m: Any) -> None:
    m.p = pyo.Param(initialize=np.nan, mutable=True)
    m.bad = pyo.Constraint(expr=m.p * m.x[0] + m.x[1] <= 1)


def _equal_weights(m: Any) -> None:
    m.bad = pyo.SOSConstraint(rule=lambda m: ([m.x[0], m.x[1]], [1.0, 1.0]), sos=2)


def _level_three(m: Any) -> None:
    m.bad = pyo.SOSConstraint(var=m.x, sos=3)


REFUSED: dict[Callable[[Any], None], str] = {
    _square: "a constraint is not linear. Where: constraint bad",
    _cubic: "neither linear nor quadratic. Where: objective bad",
    _two_goals: "2 active objectives. Where: goal, bad",
    _gaps: "neither an interval nor a range of integers. Where: variable bad",
    _fixed_at_nothing: "not a finite number|fixed but has no finite value|cannot evaluate",
    _fixed_at_nothing_in_matrix: r"fixed but has no finite value. Where: variable x\[1\]",
    _foreign: r"a variable of another model|Where: variable x\[0\]",
    _foreign_matrix: r"uses a variable of another model. Where: variable x\[0\]",
    _disjunction: "active Disjunct",
    _logic: "active LogicalConstraint",
    _param_without_value: "cannot evaluate an expression. Where: constraint bad",
    _variable_bound: "bounds that are not usable numbers. Where: constraint bad",
    _infinite_row_bound: "bounds that are not usable numbers. Where: constraint bad",
    _infinite_variable_bound: r"bound that is not usable. Where: variable x\[0\]: inf",
    _nan_variable_bound: r"bound that is not usable. Where: variable x\[0\]: nan",
    _nan_coefficient: "coefficient is not a finite number. Where: constraint bad",
    _equal_weights: "equal weights. Where: set bad",
    _level_three: "has level 3. Where: set bad",
}


@pytest.mark.parametrize("spoil", REFUSED, ids=lambda f: f.__name__.strip("_"))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_refused(spoil: Callable[[Any], None]) -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var([0, 1], bounds=(0, 4))
    m.row = pyo.Constraint(expr=m.x[0] + m.x[1] <= 5)
    m.goal = pyo.Objective(expr=m.x[0])
    compile_model(m)
    spoil(m)
    with pytest.raises(ModelError, match=REFUSED[spoil]) as caught:
        compile_model(m)
    assert caught.value.fix and caught.value.where


def test_what_is_not_a_model() -> None:
    with pytest.raises(ModelError, match="only a Pyomo model"):
        compile_model([1, 2])
    abstract = pyo.AbstractModel()
    abstract.x = pyo.Var()
    with pytest.raises(ModelError, match="not constructed"):
        compile_model(abstract)
    nonlinear = pyo.ConcreteModel()
    nonlinear.x = pyo.Var()
    nonlinear.c = pyo.Constraint(expr=pyo.exp(nonlinear.x) <= 1)
    with pytest.raises(NonlinearError, match="constraint c"):
        compile_model(nonlinear)
