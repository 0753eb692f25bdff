r"""A mathematical program as arrays: what a Pyomo model is compiled to and what every backend accepts.

.. math::

    \min_x\; c_0 + c^\top x + \tfrac12 x^\top Q x \quad\text{s.t.}\quad
    r^- \le A x \le r^+,\; \ell \le x \le u,\; x_j \in \mathbb Z\ (j \in I),\; \text{SOS sets}

It is always a minimisation: HiGHS without crossover reports good points of maximisations as "Unknown". ``sign`` is +1
if the user minimises and −1 if they maximise; the user's objective is ``sign`` times ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from equiform.formulations.optimization.matrix_constraint import MatrixConstraint
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import ParameterError


@dataclass(frozen=True, eq=False)
class SosSet:
    """A special ordered set: at most ``level`` of the columns are nonzero, adjacent ones if ``level`` is 2."""

    level: int
    columns: IntArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Program rows ``start:stop`` and the Pyomo component they come from.

    ``component`` is one constraint, or a :class:`MatrixConstraint` with ``rows`` of its matrix (``None``: all).
    """

    start: int
    stop: int
    component: Any
    rows: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Program:
    """Standard-form arrays, and the Pyomo components from which they were read."""

    c: FloatArray
    A: sp.csr_array
    row_lower: FloatArray
    row_upper: FloatArray
    col_lower: FloatArray
    col_upper: FloatArray
    c0: float = 0.0
    integer: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    Q: sp.csr_array | None = None
    sos: tuple[SosSet, ...] = ()
    sign: int = 1
    name: str = "program"
    hint: str | None = None
    nonlinear: bool = False
    """Whether only Pyomo's own solvers accept the model: then the arrays list its variables and nothing else."""
    column_factors: FloatArray | None = field(default=None, repr=False)
    row_factors: FloatArray | None = field(default=None, repr=False)
    """In which units solvers should see the program (:mod:`equiform.formulations.optimization.scaling`)."""
    variables: tuple[Any, ...] = field(default=(), repr=False)
    row_blocks: tuple[RowBlock, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        m, n = self.A.shape
        if self.integer.size == 0:
            object.__setattr__(self, "integer", np.zeros(n, dtype=bool))
        shapes = {
            "c": (self.c, n),
            "col_lower": (self.col_lower, n),
            "col_upper": (self.col_upper, n),
            "integer": (self.integer, n),
            "row_lower": (self.row_lower, m),
            "row_upper": (self.row_upper, m),
        }
        for key, (array, size) in shapes.items():
            if array.shape != (size,):
                raise ParameterError(
                    f"{key} has shape {array.shape} where the matrix requires ({size},)",
                    where=f"program {self.name}",
                    fix="pass one entry per column (c, bounds) or per row (row bounds)",
                )
        if self.Q is not None and self.Q.shape != (n, n):
            raise ParameterError(
                f"Q has shape {self.Q.shape} for {n} variables",
                where=f"program {self.name}",
                fix="make Q square, n by n",
            )

    @classmethod
    def from_arrays(
        cls,
        c: npt.ArrayLike,
        A: Any,
        *,
        row_lower: npt.ArrayLike = -np.inf,
        row_upper: npt.ArrayLike = np.inf,
        col_lower: npt.ArrayLike = 0.0,
        col_upper: npt.ArrayLike = np.inf,
        c0: float = 0.0,
        integer: npt.ArrayLike = False,
        Q: Any = None,
        sos: Iterable[SosSet] = (),
        maximize: bool = False,
        name: str = "program",
        hint: str | None = None,
    ) -> Program:
        """Return a program without a Pyomo model.

        Parameters
        ----------
        c, c0, Q
            The objective in the user's sense: its linear, constant and quadratic parts.
        A, row_lower, row_upper, col_lower, col_upper
            The matrix, dense or sparse, and the bounds; a single number applies to all rows or columns.
        integer, sos
            The integer columns and the special ordered sets.
        maximize, name, hint
            Whether the user maximises; a name for reports; the algorithm that suits the structure of the program.

        >>> p = Program.from_arrays([1.0, 2.0], [[1.0, 1.0]], row_upper=4.0, maximize=True)
        >>> p.c.tolist(), p.sign, p.row_upper.tolist()
        ([-1.0, -2.0], -1, [4.0])
        """
        matrix = sp.csr_array(A, dtype=np.float64)
        m, n = matrix.shape
        sign = -1 if maximize else 1
        try:
            return cls(
                c=sign * _full(c, n),
                A=matrix,
                row_lower=_full(row_lower, m),
                row_upper=_full(row_upper, m),
                col_lower=_full(col_lower, n),
                col_upper=_full(col_upper, n),
                c0=sign * float(c0),
                integer=np.array(np.broadcast_to(np.asarray(integer, dtype=bool), (n,))),
                Q=None if Q is None else sp.csr_array(sign * sp.csr_array(Q, dtype=np.float64)),
                sos=tuple(sos),
                sign=sign,
                name=name,
                hint=hint,
            )
        except ValueError as error:
            raise ParameterError(
                "the arrays of a program do not fit together",
                where=f"{error}",
                fix=f"the matrix has {m} rows and {n} columns",
            ) from error

    @cached_property
    def AT(self) -> sp.csc_array:
        """``A`` transposed; shares the arrays of ``A``."""
        return self.A.T

    @cached_property
    def scaled(self) -> Any:
        """The program in the units that suit a solver, or ``None`` if those are its own."""
        from equiform.formulations.optimization.scaling import scaled  # which knows programs

        return scaled(self)

    # -- what kind of program it is --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        m, n = self.A.shape
        return int(m), int(n)

    @cached_property
    def needs(self) -> frozenset[str]:
        """The capabilities required: ``lp``, ``mip``, ``qp``, ``miqp``, ``nonconvex``, ``sos1``, ``sos2``."""
        quadratic = self.Q is not None and self.Q.nnz > 0
        integer = bool(self.integer.any())
        kind = {(False, False): "lp", (False, True): "mip", (True, False): "qp", (True, True): "miqp"}
        needs = {kind[quadratic, integer]} | {f"sos{s.level}" for s in self.sos}
        if quadratic and not is_convex(self.Q):
            needs.add("nonconvex")
        return frozenset(needs)

    @property
    def is_lp(self) -> bool:
        """Whether it is a linear program: no integers, no sets, no quadratic part."""
        return self.needs == {"lp"}

    # -- evaluation ------------------------------------------------------------------------------------------------

    def objective(self, x: FloatArray) -> float:
        """Return the user's objective at ``x``."""
        value = self.c0 + float(self.c @ x)
        if self.Q is not None:
            value += 0.5 * float(x @ (self.Q @ x))
        return self.sign * value

    def violation(self, x: FloatArray) -> float:
        """Return the largest violation of a row, a bound, integrality or a special ordered set by ``x``."""
        activity = self.A @ x
        gaps = [self.row_lower - activity, activity - self.row_upper, self.col_lower - x, x - self.col_upper]
        gaps.append(np.abs(x - np.round(x))[self.integer])
        for sos in self.sos:
            # what remains outside the best window of `level` neighbours
            sizes = np.abs(x[sos.columns])
            windows = np.convolve(sizes, np.ones(sos.level), mode="valid") if sizes.size >= sos.level else sizes.sum()
            gaps.append(np.atleast_1d(sizes.sum() - np.max(windows)))
        return max((float(gap.max()) for gap in gaps if gap.size), default=0.0)

    # -- back to Pyomo ---------------------------------------------------------------------------------------------

    @cached_property
    def _column_of(self) -> dict[int, int]:
        return {id(v): j for j, v in enumerate(self.variables)}

    @cached_property
    def _blocks_of(self) -> dict[int, list[RowBlock]]:
        blocks: dict[int, list[RowBlock]] = {}
        for block in self.row_blocks:
            keys = {id(block.component), id(block.component.parent_component())}
            for key in keys:
                blocks.setdefault(key, []).append(block)
        return blocks

    def columns(self, variables: Any) -> IntArray:
        """Return the column numbers of an indexed Var or a sequence of variables; −1 for those not in the program."""
        members = variables.values() if hasattr(variables, "values") and hasattr(variables, "index_set") else variables
        of = self._column_of
        return np.array([of.get(id(v), -1) for v in members], dtype=np.int64)

    def rows(self, constraint: Any) -> IntArray:
        """Return the row numbers of a constraint component or of one constraint; −1 for inactive matrix rows."""
        if isinstance(constraint, MatrixConstraint):
            numbers = np.full(constraint.matrix.shape[0], -1, dtype=np.int64)
            for block in self._blocks_of.get(id(constraint), ()):
                if block.component is constraint:
                    numbers[slice(None) if block.rows is None else block.rows] = np.arange(block.start, block.stop)
                else:
                    numbers[constraint.row_number(block.component.index())] = block.start
            return numbers
        parent = constraint.parent_component()
        if isinstance(parent, MatrixConstraint):
            return self.rows(parent)[[parent.row_number(constraint.index())]]
        return np.array([block.start for block in self._blocks_of.get(id(constraint), ())], dtype=np.int64)

    def constraints(self) -> list[Any]:
        """Return the Pyomo constraint behind each row. Slow for matrix blocks, whose row objects it creates."""
        found: list[Any] = []
        for block in self.row_blocks:
            if isinstance(block.component, MatrixConstraint):
                rows = list(block.component.values())
                # Rows may have been deleted: find them by number.
                by_number = {block.component.row_number(r.index()): r for r in rows}
                numbers: Sequence[int] = range(len(rows)) if block.rows is None else block.rows.tolist()
                found.extend(by_number[i] for i in numbers)
            else:
                found.append(block.component)
        return found

    def column_names(self) -> list[str]:
        """Return the names of the columns (``x0``, ``x1``… without a Pyomo model)."""
        return [v.name for v in self.variables] or [f"x{j}" for j in range(self.shape[1])]

    def row_names(self) -> list[str]:
        """Return the names of the rows (``r0``, ``r1``… without a Pyomo model)."""
        return [r.name for r in self.constraints()] or [f"r{i}" for i in range(self.shape[0])]


def is_convex(Q: Any, tolerance: float = 1e-9) -> bool:
    """Return whether a symmetric matrix is positive semidefinite, up to ``tolerance`` times its largest entry.

    >>> is_convex(sp.csr_array([[2.0, 0.0], [0.0, 0.0]])), is_convex(sp.csr_array([[0.0, 1.0], [1.0, 0.0]]))
    (True, False)
    """
    used = np.flatnonzero(np.diff(sp.csr_array(Q).indptr))
    if used.size == 0:
        return True
    block = sp.csc_array(sp.csr_array(Q)[used][:, used])
    shift = tolerance * float(abs(block).max())
    diagonal = block.diagonal()
    if block.nnz == np.count_nonzero(diagonal) or (diagonal < -shift).any():
        return bool((diagonal >= -shift).all())
    if used.size <= 500:
        return bool(np.linalg.eigvalsh(block.toarray())[0] >= -shift * used.size)
    # too large for eigenvalues: elimination with diagonal pivots meets only positive ones iff Q + shift·I is definite
    shifted = sp.csc_array(block + shift * sp.eye_array(used.size))
    from scipy.sparse.linalg import splu  # takes long to load, and no linear program needs it

    try:
        lu = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return False
    return bool((lu.perm_r == lu.perm_c).all() and (lu.U.diagonal() > 0).all())


def _full(values: npt.ArrayLike, size: int) -> FloatArray:
    return np.array(np.broadcast_to(np.asarray(values, dtype=np.float64), (size,)))
