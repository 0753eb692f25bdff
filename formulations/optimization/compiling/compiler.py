"""Compile a Pyomo model to the arrays of a :class:`~equiform.formulations.optimization.program.Program`.

:class:`~equiform.formulations.optimization.matrix_constraint.MatrixConstraint` blocks are taken whole, with no Python
step per row or nonzero. Every other active constraint and the objective go through Pyomo's own linear and quadratic
walkers, so mutable parameters, named expressions, fixed variables and nested blocks mean what they mean everywhere in
Pyomo.

A fixed variable stays in the program as a column with equal bounds, but its coefficients are moved to the row bounds,
as Pyomo's walkers do for ordinary constraints. A variable that no active row, set or objective mentions is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp
from pyomo.common.gc_manager import PauseGC
from pyomo.network import Port
from pyomo.repn.linear import LinearRepnVisitor
from pyomo.repn.quadratic import QuadraticRepnVisitor
from pyomo.repn.util import InvalidNumber, categorize_valid_components

from equiform.formulations.optimization.compiling.collectors import Columns, Rows
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint
from equiform.formulations.optimization.program import Program, SosSet
from equiform.formulations.optimization.scaling import declared_factors
from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import ModelError

HINT_ATTRIBUTE = "algorithm_hint"
"""A formulation may name the algorithm that suits its structure: ``model.algorithm_hint = "ipm"``."""

_KNOWN = {
    pyo.Block,
    pyo.Constraint,
    pyo.Var,
    pyo.Param,
    pyo.Expression,
    pyo.Set,
    pyo.RangeSet,
    Port,
    pyo.ExternalFunction,
}


class NonlinearError(ModelError):
    """A row is not linear, or the objective is neither linear nor quadratic."""


def compile_model(model: Any) -> Program:
    """Compile an active Pyomo model (or block) to standard-form arrays.

    Parameters
    ----------
    model
        A constructed Pyomo model or block.

    Returns
    -------
    Program
        The arrays, with the Pyomo components behind their rows and columns.

    Raises
    ------
    NonlinearError
        If a row is not linear, or the objective is neither linear nor quadratic.
    ModelError
        If the model cannot be compiled for another reason: an abstract model, several objectives, unusable bounds.

    Examples
    --------
    >>> m = pyo.ConcreteModel()
    >>> m.x = pyo.Var([0, 1], bounds=(0, 4))
    >>> m.row = pyo.Constraint(expr=m.x[0] + 2 * m.x[1] + 1 <= 6)
    >>> m.gain = pyo.Objective(expr=3 * m.x[0] + m.x[1], sense=pyo.maximize)
    >>> p = compile_model(m)
    >>> p.c.tolist(), p.A.toarray().tolist(), p.row_upper.tolist(), p.sign
    ([-3.0, -1.0], [[1.0, 2.0]], [5.0], -1)
    """
    with PauseGC():
        program = _Compiler(model).compile()
    columns, rows = declared_factors(model, program)
    return program if columns is None else replace(program, column_factors=columns, row_factors=rows)


def list_variables(model: Any) -> Program:
    """Return a program that only lists a model's variables: for nonlinear models, which only Pyomo's solvers accept."""
    variables = tuple(model.component_data_objects(pyo.Var, descend_into=True))
    n = len(variables)
    return Program(
        c=np.zeros(n),
        A=sp.csr_array((0, n)),
        row_lower=np.zeros(0),
        row_upper=np.zeros(0),
        col_lower=np.full(n, -np.inf),
        col_upper=np.full(n, np.inf),
        name=model.name or "program",
        nonlinear=True,
        variables=variables,
    )


class _Compiler:
    def __init__(self, model: Any) -> None:
        if not isinstance(model, pyo.Block) and getattr(model, "ctype", None) is not pyo.Block:
            raise ModelError(
                "only a Pyomo model can be compiled", where=f"a {type(model).__name__}", fix="pass a ConcreteModel"
            )
        if not model.is_constructed():
            raise ModelError(
                "the Pyomo model is not constructed yet",
                where=f"model {model.name}",
                fix="call create_instance() on the abstract model first",
            )
        self.model = model
        self.columns = Columns()
        self.rows = Rows()
        self.linear = LinearRepnVisitor({}, var_recorder=self.columns)

    def compile(self) -> Program:
        self._refuse_unknown_components()
        for constraint in self.model.component_objects(pyo.Constraint, active=True, descend_into=True):
            if isinstance(constraint, MatrixConstraint):
                numbers, rewritten = constraint.split_rows()
                if numbers is None or numbers.size:
                    self.rows.add_block(constraint, self.columns.take_all(constraint.variables), numbers)
                for row in rewritten:
                    self._add_row(row)
            else:
                for row in constraint.values():
                    if row.active:
                        self._add_row(row)
        objective = self._objective()
        sos = tuple(self._sos_sets())
        sign, c0, linear, quadratic = objective
        n = len(self.columns.variables)
        c = np.zeros(n)
        for column, coef in linear:
            c[column] += coef
        A = self.rows.matrix(n)
        row_lower, row_upper = self.rows.row_bounds()
        col_lower, col_upper, integer, fixed, values = self._column_data()
        if fixed.any():
            shift = A @ np.where(fixed, values, 0.0)
            row_lower, row_upper = row_lower - shift, row_upper - shift
            A.data[fixed[A.indices]] = 0.0
        if not A.data.all():
            A.eliminate_zeros()
        return Program(
            c=sign * c,
            A=A,
            row_lower=row_lower,
            row_upper=row_upper,
            col_lower=col_lower,
            col_upper=col_upper,
            c0=sign * c0,
            integer=integer,
            Q=None if quadratic is None else sp.csr_array(sign * quadratic(n)),
            sos=sos,
            sign=sign,
            name=self.model.name or "program",
            hint=getattr(self.model, HINT_ATTRIBUTE, None),
            variables=tuple(self.columns.variables),
            row_blocks=tuple(self.rows.blocks),
        )

    # -- rows ------------------------------------------------------------------------------------------------------

    def _add_row(self, row: Any) -> None:
        where = f"constraint {row.name}"
        try:
            low, body, high = row.to_bounded_expression(evaluate_bounds=True)
        except ValueError as error:
            raise ModelError(
                "a constraint has bounds that are not usable numbers",
                where=f"{where}: {error}",
                fix="use fixed, finite bounds",
            ) from error
        if body is None:
            raise ModelError("a constraint has no expression", where=where, fix="set its expression, or deactivate it")
        repn = self._walk(self.linear, body, where)
        if repn.nonlinear is not None:
            raise NonlinearError(
                "a constraint is not linear",
                where=where,
                fix="rewrite it with linear rows, or use backend 'pyomo:NAME' with a nonlinear solver",
            )
        constant = self._number(repn.constant, where)
        coefs = [self._number(a, where) for a in repn.linear.values()]
        numbers = list(map(self.columns.var_order.__getitem__, repn.linear))
        low = -math.inf if low is None else float(low) - constant
        high = math.inf if high is None else float(high) - constant
        self.rows.add_row(row, numbers, coefs, low, high)

    def _walk(self, visitor: Any, expression: Any, where: str) -> Any:
        try:
            return visitor.walk_expression(expression)
        except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
            raise ModelError(
                "Pyomo cannot evaluate an expression",
                where=f"{where}: {error}",
                fix="set a value for every parameter and fixed variable",
            ) from error

    def _number(self, value: Any, where: str) -> float:
        number = math.nan if value.__class__ is InvalidNumber else float(value)
        if not math.isfinite(number):
            raise ModelError(
                "a coefficient is not a finite number",
                where=where,
                fix="check its parameters and the values of its fixed variables",
            )
        return number

    # -- objective -------------------------------------------------------------------------------------------------

    def _objective(self) -> tuple[int, float, list[tuple[int, float]], Callable[[int], sp.csr_array] | None]:
        objectives = list(self.model.component_data_objects(pyo.Objective, active=True, descend_into=True))
        if not objectives:
            return 1, 0.0, [], None
        if len(objectives) > 1:
            raise ModelError(
                f"the model has {len(objectives)} active objectives",
                where=", ".join(o.name for o in objectives[:4]),
                fix="deactivate all but one",
            )
        objective = objectives[0]
        where = f"objective {objective.name}"
        if objective.expr is None:
            raise ModelError("the objective has no expression", where=where, fix="set its expression, or deactivate it")
        repn = self._walk(QuadraticRepnVisitor({}, var_recorder=self.columns), objective.expr, where)
        if repn.nonlinear is not None:
            raise NonlinearError(
                "the objective is neither linear nor quadratic",
                where=where,
                fix="use backend 'pyomo:NAME' with a nonlinear solver",
            )
        number = self.columns.var_order
        linear = [(number[i], self._number(a, where)) for i, a in repn.linear.items()]
        sign = 1 if objective.sense == pyo.minimize else -1
        quadratic = None
        if repn.quadratic:
            pairs = np.array([(number[i], number[j]) for i, j in repn.quadratic], dtype=np.int64)
            coefs = np.array([self._number(a, where) for a in repn.quadratic.values()])

            def quadratic(n: int) -> sp.csr_array:
                # a·x_i·x_j = ½ xᵀQx with Q_ij = Q_ji = a; adding the transpose correctly doubles the diagonal.
                upper = sp.coo_array((coefs, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
                return sp.csr_array(upper + upper.T)

        return sign, self._number(repn.constant, where), linear, quadratic

    # -- sets and columns ------------------------------------------------------------------------------------------

    def _sos_sets(self) -> list[SosSet]:
        sets = []
        for sos in self.model.component_data_objects(pyo.SOSConstraint, active=True, descend_into=True):
            items = [(v, w) for v, w in sos.get_items()]
            if sos.level not in (1, 2):
                raise ModelError(
                    f"a special ordered set has level {sos.level}", where=f"set {sos.name}", fix="use level 1 or 2"
                )
            weights = np.array([float(w) for _, w in items])
            if np.unique(weights).size != weights.size:
                raise ModelError(
                    "a special ordered set has equal weights",
                    where=f"set {sos.name}",
                    fix="use strictly ordered weights",
                )
            order = np.argsort(weights)
            columns = np.array([self.columns.take(v) for v, _ in items], dtype=np.int64)
            sets.append(SosSet(int(sos.level), columns[order], weights[order]))
        return sets

    def _column_data(self) -> tuple[FloatArray, FloatArray, BoolArray, BoolArray, FloatArray]:
        variables = self.columns.variables
        n = len(variables)
        self._check_ownership(variables)
        fixed = np.fromiter([v._fixed for v in variables], dtype=bool, count=n)
        lower = self._bounds([v._lb for v in variables], -math.inf)
        upper = self._bounds([v._ub for v in variables], math.inf)
        integer = np.zeros(n, dtype=bool)
        domains = np.fromiter([id(v._domain) for v in variables], dtype=np.int64, count=n)
        kinds, first = np.unique(domains, return_index=True)
        for kind, representative in zip(kinds, first, strict=True):
            members = domains == kind if kinds.size > 1 else slice(None)
            variable = variables[representative]
            low, high = variable.domain.bounds()
            if not (variable.is_continuous() or variable.is_integer()):
                raise ModelError(
                    "a variable's domain is neither an interval nor a range of integers",
                    where=f"variable {variable.name} in {variable.domain}",
                    fix="use Reals, Integers, Binary or bounds, and model gaps with binary variables",
                )
            integer[members] = variable.is_integer()
            if low is not None:
                lower[members] = np.maximum(lower[members], low)
            if high is not None:
                upper[members] = np.minimum(upper[members], high)
        values = np.zeros(n)
        held = np.flatnonzero(fixed)
        if held.size:
            values[held] = np.array([variables[j]._value for j in held], dtype=np.float64)
            bad = held[~np.isfinite(values[held])]
            if bad.size:
                raise ModelError(
                    "a variable is fixed but has no finite value",
                    where=f"variable {variables[bad[0]].name}",
                    fix="fix it at a value, or unfix it",
                )
            lower[held] = upper[held] = values[held]
            integer[held] = False  # now a constant, which Pyomo allows to have any value
        return lower, upper, integer, fixed, values

    def _bounds(self, raw: list[Any], missing: float) -> FloatArray:
        try:
            bounds = np.array(raw, dtype=np.float64)  # None becomes nan
        except (TypeError, ValueError):  # expressions of mutable parameters
            bounds = np.array([None if b is None else pyo.value(b) for b in raw], dtype=np.float64)
        suspicious = np.flatnonzero(np.isnan(bounds) | (bounds == -missing))
        for j in suspicious.tolist():
            if raw[j] is not None:
                raise ModelError(
                    "a variable has a bound that is not usable",
                    where=f"variable {self.columns.variables[j].name}: {raw[j]}",
                    fix="use a finite bound, or none",
                )
        bounds[suspicious] = missing
        return bounds

    def _check_ownership(self, variables: list[Any]) -> None:
        # Members of a component share one weak reference, so this checks components rather than variables.
        root = self.model.model()
        for reference in {id(v._component): v for v in reversed(variables)}.values():
            owner = reference.parent_component()
            if owner is None or owner.model() is not root:
                raise ModelError(
                    "a constraint or objective uses a variable of another model",
                    where=f"variable {reference.name}",
                    fix="use this model's variables: a clone has its own",
                )

    def _refuse_unknown_components(self) -> None:
        known = _KNOWN | {pyo.Objective, pyo.SOSConstraint, pyo.Suffix}
        _, unknown = categorize_valid_components(self.model, active=True, valid=known, targets=set())
        for kind, components in unknown.items():
            raise ModelError(
                f"the model has an active {kind.__name__}, which is not an algebraic constraint",
                where=", ".join(c.name for c in components[:3]),
                fix="apply a Pyomo transformation first (gdp.bigm, core.logical_to_linear…), or deactivate it",
            )
