"""A whole block of linear rows ``lower <= M x <= upper`` as one Pyomo component.

Pyomo's expression system makes one object for each nonzero, which costs more than solving the LP once a program has
a million of them. :class:`MatrixConstraint` keeps the block as a CSR matrix beside the variables that its columns stand
for. To the rest of Pyomo it is an ordinary indexed constraint: a row becomes a constraint object when it is accessed,
and builds its expression from the matrix each time it is read. Writers, solver interfaces, ``clone``, pickling,
``fix``, ``deactivate``, ``del`` and assigning a new expression to a single row all work, and
:func:`~equiform.formulations.optimization.compiling.compiler.compile_model` reads the block without making any rows.

(Pyomo 6.10 has a class of the same name, but its rows have no expression: none of the current writers accept it.)

    >>> import numpy as np, pyomo.environ as pyo, scipy.sparse as sp
    >>> m = pyo.ConcreteModel()
    >>> m.x = vector_var(3, lower=0.0)
    >>> M = sp.csr_array([[1.0, 1.0, 0.0], [0.0, 1.0, -2.0]])
    >>> m.flow = MatrixConstraint(M, m.x, lower=[1.0, 0.0], upper=[1.0, np.inf])
    >>> print(m.flow[1].expr)
    0.0  <=  x[1] - 2.0*x[2]
    >>> len(m.flow)
    2
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any
from weakref import ref as weakref_ref

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp
from pyomo.core.base.constraint import ConstraintData, IndexedConstraint
from pyomo.core.expr.numeric_expr import LinearExpression
from pyomo.core.expr.relational_expr import EqualityExpression, InequalityExpression, RangedExpression

from equiform.formulations.optimization.compiling.checks import Bounds, as_bounds, as_csr, finite_or_none, is_variable
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ModelError


class _Shared:
    """The matrix, never changed after construction, so that clones may share its arrays."""

    __slots__ = ("matrix",)

    def __init__(self, matrix: sp.csr_array) -> None:
        self.matrix = matrix

    def __deepcopy__(self, memo: dict[int, object]) -> _Shared:
        return self

    def __getstate__(self) -> object:
        return self.matrix

    def __setstate__(self, state: Any) -> None:
        self.matrix = state


class MatrixRow(ConstraintData):  # type: ignore[misc]
    """One row of a :class:`MatrixConstraint`; its expression is built from the matrix when it is read.

    ``_expr`` is ``None`` as long as the row belongs to the matrix; assigning an expression makes it an ordinary
    constraint.
    """

    __slots__ = ()

    @property
    def from_matrix(self) -> bool:
        """Whether the row is still the one in the matrix (no other expression has been assigned to it)."""
        return self._expr is None

    @property
    def expr(self) -> Any:
        """The row as a Pyomo relational expression."""
        if self._expr is not None:
            return self._expr
        return self.parent_component()._row_expression(self._index)

    def to_bounded_expression(self, evaluate_bounds: bool = False) -> tuple[Any, Any, Any]:
        """Return ``(lower, body, upper)``, with ``None`` for an infinite side."""
        if self._expr is not None:
            return super().to_bounded_expression(evaluate_bounds)
        return self.parent_component()._row_parts(self._index)


class MatrixConstraint(IndexedConstraint):  # type: ignore[misc]
    """The rows ``lower <= M x <= upper`` as a Pyomo constraint indexed by row number (or by ``index``).

    Parameters
    ----------
    matrix
        ``M``; anything that scipy can turn into a CSR matrix. One that is already in CSR form with float64 entries is
        shared, not copied: do not change it afterwards.
    variables
        The columns: an indexed Var (in the order of its index set) or a sequence of scalar variables.
    lower, upper
        A number for all rows or one per row; ``None`` and infinities mean no bound. Equal bounds make an equation.
    index
        Names for the rows (distinct and hashable) that appear in files and reports; row numbers by default.

    Raises
    ------
    ModelError
        If a coefficient or bound is not usable, or the shapes do not match.
    """

    _constructed: bool

    def __init__(
        self,
        matrix: Any,
        variables: Any,
        lower: Bounds = None,
        upper: Bounds = None,
        *,
        index: Iterable[Hashable] | None = None,
        name: str | None = None,
        doc: str | None = None,
    ) -> None:
        csr = as_csr(matrix)
        m, n = csr.shape
        if not np.isfinite(csr.data).all():
            row = int(np.searchsorted(csr.indptr, np.flatnonzero(~np.isfinite(csr.data))[0], side="right")) - 1
            raise ModelError(
                "a matrix constraint has a coefficient that is not finite",
                where=f"row {row}",
                fix="check the payoffs or data from which the matrix was made",
            )
        columns = tuple(variables.values()) if hasattr(variables, "index_set") else tuple(variables)
        if len(columns) != n:
            raise ModelError(
                f"a matrix constraint has {n} columns but {len(columns)} variables",
                where=f"matrix of shape {csr.shape}",
                fix="pass one variable per column, in the order of the columns",
            )
        for column, variable in enumerate(columns):
            if not is_variable(variable):
                raise ModelError(
                    "a column of a matrix constraint is not a Pyomo variable",
                    where=f"column {column}: {variable!r}",
                    fix="pass an indexed Var, or a list of its members",
                )
        labels = None if index is None else list(index)
        if labels is not None and len(set(labels)) != m:
            raise ModelError(
                f"a matrix constraint has {m} rows but {len(set(labels))} distinct row names",
                where="the argument index",
                fix="name every row once, in the order of the rows",
            )
        self._csr = _Shared(csr)
        self._columns = columns
        self._lower = as_bounds(lower, m, -np.inf, "lower")
        self._upper = as_bounds(upper, m, np.inf, "upper")
        self._number: dict[Hashable, int] | None = None
        self._rows: dict[Hashable, MatrixRow] | None = None
        index_set = pyo.RangeSet(0, m - 1) if labels is None else pyo.Set(initialize=labels, ordered=True, dimen=None)
        super().__init__(index_set, name=name, doc=doc)
        self._rows = None  # the base class sets an empty dictionary: discard it, so that rows are made on demand

    # -- the block as a whole --------------------------------------------------------------------------------------

    @property
    def matrix(self) -> sp.csr_array:
        """``M`` in CSR form. Treat it as read-only."""
        return self._csr.matrix

    @property
    def variables(self) -> tuple[Any, ...]:
        """The Pyomo variables that the columns stand for."""
        return self._columns

    @property
    def lower_bounds(self) -> FloatArray:
        """Lower bound of each matrix row (``-inf`` for none)."""
        return self._lower

    @property
    def upper_bounds(self) -> FloatArray:
        """Upper bound of each matrix row (``inf`` for none)."""
        return self._upper

    def set_row_bounds(self, lower: Bounds = None, upper: Bounds = None) -> None:
        """Replace the bounds of all rows; ``None`` leaves a side as it is (use infinities to remove bounds)."""
        m = self._csr.matrix.shape[0]
        if lower is not None:
            self._lower = as_bounds(lower, m, -np.inf, "lower")
        if upper is not None:
            self._upper = as_bounds(upper, m, np.inf, "upper")

    @property
    def has_rows(self) -> bool:
        """Whether row objects exist. Until then all rows are active and come from the matrix."""
        return self._rows is not None

    def row_number(self, index: Hashable) -> int:
        """Return the matrix row behind a row name."""
        return int(index) if self._number is None else self._number[index]  # type: ignore[call-overload]

    def split_rows(self) -> tuple[IntArray | None, list[MatrixRow]]:
        """Return the active rows: the numbers of those in the matrix (``None``: all), and the rewritten ones."""
        if self._rows is None:
            return None, []
        active = [row for row in self._rows.values() if row._active]
        ours = [self.row_number(row._index) for row in active if row._expr is None]
        rewritten = [row for row in active if row._expr is not None]
        if len(ours) == self._csr.matrix.shape[0]:
            return None, []
        return np.array(ours, dtype=np.int64), rewritten

    # -- what Pyomo calls ------------------------------------------------------------------------------------------

    @property
    def _data(self) -> dict[Hashable, MatrixRow]:
        if self._rows is None:
            self._rows = self._make_rows() if self._constructed else {}
        return self._rows

    @_data.setter
    def _data(self, rows: dict[Hashable, MatrixRow]) -> None:
        self._rows = rows

    def _make_rows(self) -> dict[Hashable, MatrixRow]:
        rows: dict[Hashable, MatrixRow] = {}
        me = weakref_ref(self)
        for key in self._index_set:
            row = MatrixRow.__new__(MatrixRow)
            row._component = me
            row._active = self._active
            row._index = key
            row._expr = None
            rows[key] = row
        return rows

    def construct(self, data: Any = None) -> None:
        """Mark the component as constructed; rows are made later, on demand."""
        if self._constructed:
            return
        if self._anonymous_sets is not None:
            for anonymous in self._anonymous_sets:
                anonymous.construct()
        if not isinstance(self._index_set, pyo.RangeSet):
            # Pyomo flattens nested tuples, so its keys need not be the names that were given.
            self._number = {key: i for i, key in enumerate(self._index_set)}
        self._rows = None
        self._constructed = True

    def _create_objects_for_deepcopy(self, memo: dict[int, Any], component_list: list[Any]) -> Any:
        if self._rows is not None:
            return super()._create_objects_for_deepcopy(memo, component_list)
        twin = self.__class__.__new__(self.__class__)
        answer = memo.setdefault(id(self), twin)
        if answer is twin:
            component_list.append((self, twin))
        return answer

    def __len__(self) -> int:
        return int(self._csr.matrix.shape[0]) if self._rows is None and self._constructed else len(self._data)

    def activate(self) -> None:
        """Activate the block and all its rows."""
        self._set_active(True)

    def deactivate(self) -> None:
        """Deactivate the block and all its rows."""
        self._set_active(False)

    def _set_active(self, active: bool) -> None:
        self._active = active
        for row in (self._rows or {}).values():
            row._active = active

    def _row_parts(self, index: Hashable) -> tuple[float | None, Any, float | None]:
        i = self.row_number(index)
        matrix = self._csr.matrix
        span = slice(int(matrix.indptr[i]), int(matrix.indptr[i + 1]))
        body = LinearExpression(
            constant=0,
            linear_coefs=matrix.data[span].tolist(),
            linear_vars=[self._columns[j] for j in matrix.indices[span].tolist()],
        )
        lower, upper = float(self._lower[i]), float(self._upper[i])
        return (None if lower == -np.inf else lower), body, (None if upper == np.inf else upper)

    def _row_expression(self, index: Hashable) -> Any:
        lower, body, upper = self._row_parts(index)
        if lower is not None and lower == upper:
            return EqualityExpression((body, upper))
        if lower is None:
            return InequalityExpression((body, np.inf if upper is None else upper), False)
        if upper is None:
            return InequalityExpression((lower, body), False)
        return RangedExpression((lower, body, upper), False)


def vector_var(
    size: int | Iterable[Hashable],
    *,
    lower: Bounds = None,
    upper: Bounds = None,
    domain: Any = pyo.Reals,
    doc: str | None = None,
) -> Any:
    """Return a Pyomo Var over ``0 … size-1`` (or over the given names), with bounds as numbers or arrays.

    Parameters
    ----------
    size
        The number of variables, or their names.
    lower, upper
        A number for all variables or one per variable; ``None`` and infinities mean no bound.
    domain
        A Pyomo domain, such as ``pyomo.environ.Binary``.
    doc
        A description for reports.

    Returns
    -------
    pyomo.environ.Var
        The indexed variable.

    Examples
    --------
    >>> m = pyo.ConcreteModel()
    >>> m.x = vector_var(3, lower=0.0, upper=[1.0, 2.0, np.inf])
    >>> [v.bounds for v in m.x.values()]
    [(0.0, 1.0), (0.0, 2.0), (0.0, None)]
    """
    names: Any = range(size) if isinstance(size, int) else list(size)
    index_set = pyo.RangeSet(0, size - 1) if isinstance(size, int) else names
    n = len(names)
    low, high = as_bounds(lower, n, -np.inf, "lower"), as_bounds(upper, n, np.inf, "upper")
    if n == 0:
        return pyo.Var(index_set, domain=domain, doc=doc)
    if (low == low[0]).all() and (high == high[0]).all():
        return pyo.Var(
            index_set, domain=domain, bounds=(finite_or_none(low[:1])[0], finite_or_none(high[:1])[0]), doc=doc
        )
    bounds = dict(zip(names, zip(finite_or_none(low), finite_or_none(high), strict=True), strict=True))
    return pyo.Var(index_set, domain=domain, bounds=bounds, doc=doc)


def dot(coefficients: Sequence[float] | FloatArray, variables: Any) -> Any:
    """Return the linear expression ``Σ coefficients[i] · variables[i]``, without its zero terms.

    Parameters
    ----------
    coefficients
        One number per variable.
    variables
        An indexed Var or a sequence of variables.

    Returns
    -------
    pyomo.core.expr.numeric_expr.LinearExpression
        The expression.

    Raises
    ------
    ModelError
        If the lengths differ.

    Examples
    --------
    >>> m = pyo.ConcreteModel()
    >>> m.x = vector_var(3)
    >>> print(dot([2.0, 0.0, -1.0], m.x))
    2.0*x[0] - x[2]
    """
    coefs = np.asarray(coefficients, dtype=np.float64)
    columns = list(variables.values()) if hasattr(variables, "index_set") else list(variables)
    if coefs.shape != (len(columns),):
        raise ModelError(
            f"a linear expression has {coefs.size} coefficients for {len(columns)} variables",
            where=f"coefficients of shape {coefs.shape}",
            fix="pass one coefficient per variable",
        )
    used = np.flatnonzero(coefs)
    return LinearExpression(
        constant=0, linear_coefs=coefs[used].tolist(), linear_vars=[columns[j] for j in used.tolist()]
    )
