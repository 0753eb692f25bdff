"""What a backend is: a name, its capabilities as data, and one function from arrays to a raw answer.

Backends see only minimisations and answer in that sense; :func:`assemble` checks the answer, restates it in the user's
sense and builds the :class:`~equiform.formulations.optimization.solution.Solution`.
"""

from __future__ import annotations

import importlib.metadata
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar

import numpy as np

from equiform.formulations.optimization.backends.stopping import GRACE, Stop, StoppedError, stoppable
from equiform.formulations.optimization.kkt import KktError, kkt_error
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import LIMITS, Basis, Seconds, Solution, TerminationCondition
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import EquiformError, ParameterError

logger = logging.getLogger(__name__)


QUICK_NONZEROS = 10_000
"""Nonzeros up to which every solver here is done with a linear program in about a second."""
OPTIMALITY_TOLERANCE = 1e-5
"""An "optimal" answer is accepted up to this relative error in feasibility, prices and duality gap."""


@dataclass(frozen=True)
class Capabilities:
    """What a backend can do. The first seven are kinds of programs, the rest are services."""

    lp: bool = True
    mip: bool = False
    qp: bool = False
    miqp: bool = False
    nonconvex: bool = False
    sos1: bool = False
    sos2: bool = False
    duals: bool = False
    basis: bool = False
    warm_start: bool = False
    time_limit: bool = True

    def names(self) -> list[str]:
        """Return the names of the capabilities present."""
        return [f.name for f in fields(self) if getattr(self, f.name)]

    def lacks(self, needs: frozenset[str]) -> list[str]:
        """Return the needs that are not met."""
        return sorted(need for need in needs if not getattr(self, need))


@dataclass(frozen=True)
class Settings:
    """How to solve: limits, the algorithm (``auto``: the backend's choice), the solver's options, a starting basis."""

    time_limit: float | None = None
    algorithm: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    basis: Basis | None = None
    stop: Stop = field(default_factory=Stop)
    """Whoever runs a solver for long looks at this, or registers what ends it."""


@dataclass
class RawAnswer:
    """A backend's answer to the minimisation, before any checks. ``None`` where the backend does not know."""

    termination: TerminationCondition
    algorithm: str
    x: FloatArray | None = None
    duals: FloatArray | None = None
    reduced_costs: FloatArray | None = None
    bound: float | None = None
    objective: float | None = None
    """The user's objective; only for nonlinear models, otherwise it is computed from the point."""
    basis: Basis | None = None
    iterations: int | None = None
    nodes: int | None = None
    message: str = ""
    load_seconds: float = 0.0
    solve_seconds: float = 0.0


class Backend(ABC):
    """A solver behind one method. Packages and executables are located on first use, never at import."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    algorithms: ClassVar[tuple[str, ...]] = ("auto",)
    install: ClassVar[str]
    """How to install it."""
    note: ClassVar[str] = ""
    keeps_time: ClassVar[bool] = True
    """Whether the solver ends by itself at the limit of time."""

    @abstractmethod
    def version(self) -> str | None:
        """Return the solver's version, or ``None`` if it is not installed."""

    @abstractmethod
    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve the minimisation."""

    def apart(self, program: Program) -> bool:
        """Return whether the library could not be stopped in this process, and the program may take long."""
        return False


def takes_long(program: Program) -> bool:
    """Return whether to reckon with more than about a second: what is smaller need not be stoppable."""
    return bool(program.A.nnz >= QUICK_NONZEROS or program.integer.any() or program.sos)


def refused_option(solver: str, key: str, value: Any, reason: object = "") -> ParameterError:
    """Return the error for an option that a solver does not know, or a value that it does not accept."""
    detail = " ".join(str(reason).split("\n")[0].split())
    return ParameterError(
        f"{solver} does not accept an option",
        where=f"{key} = {value!r}" + (f": {detail}" if detail else ""),
        fix=f"see the options in the documentation of {solver}",
    )


def set_attribute(solver: str, settings: Any, key: str, value: Any) -> None:
    """Set an option of a solver whose options are attributes of an object."""
    if not hasattr(settings, key):
        raise refused_option(solver, key, value, "there is no such setting")
    try:
        setattr(settings, key, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise refused_option(solver, key, value, error) from None


def run_guarded(backend: Backend, run: Callable[[], RawAnswer]) -> RawAnswer:
    """Run a solver and turn whatever its library raises into an answer; only our own errors pass."""
    try:
        return run()
    except EquiformError:
        raise
    except MemoryError:
        return RawAnswer(TerminationCondition.MEMORY_LIMIT, "none", message=f"{backend.name} ran out of memory")
    except Exception as error:
        logger.debug("%s failed", backend.name, exc_info=True)
        message = f"{backend.name} raised {type(error).__name__}: {error}"
        return RawAnswer(TerminationCondition.CRASHED, "none", message=message)


def run_stoppable(
    backend: Backend, settings: Settings, work: Callable[[], RawAnswer], *, here: bool = False
) -> RawAnswer:
    """Run a solver so that Ctrl-C and the time limit end it; what it reached is its answer.

    Parameters
    ----------
    backend, settings
        Whose work it is, and what it looks at to stop.
    work
        Runs the solver.
    here
        Whether the work ends by itself on Ctrl-C, and so may run in the main thread.
    """
    try:
        if here:
            return run_guarded(backend, work)
        limit = settings.time_limit
        if limit is not None and backend.keeps_time:
            limit += GRACE
        return stoppable(lambda: run_guarded(backend, work), settings.stop, limit)
    except KeyboardInterrupt:
        return RawAnswer(TerminationCondition.INTERRUPTED, "none", message=f"{backend.name} was interrupted")
    except StoppedError as ended:
        ending = "was interrupted" if ended.interrupted else "went beyond its time limit and was stopped"
        end = TerminationCondition.INTERRUPTED if ended.interrupted else TerminationCondition.TIME_LIMIT
        answer: RawAnswer = ended.answer or RawAnswer(end, "none")
        answer.termination, answer.message = end, f"{backend.name} {ending}"
        return answer


@cache
def package_version(name: str) -> str | None:
    """Return the version of an installed package, or ``None`` if it is missing, without importing it."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


class Stopwatch:
    """Add up wall-clock seconds by phase."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body of a ``with`` statement."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def stamp(self, answer: RawAnswer) -> RawAnswer:
        """Write the phases ``load`` and ``solve`` into the answer."""
        answer.load_seconds = self.seconds.get("load", 0.0)
        answer.solve_seconds = self.seconds.get("solve", 0.0)
        return answer


def assemble(program: Program, backend: Backend, answer: RawAnswer, compile_seconds: float) -> Solution:
    """Check a raw answer and restate it in the user's sense of optimisation."""
    end, message = answer.termination, answer.message
    x = answer.x
    if x is not None and not np.isfinite(x).all():
        x, end = None, TerminationCondition.NUMERICAL
        message = "the solver returned values that are not finite"
    if end is TerminationCondition.OPTIMAL and x is None and not message:
        end, message = TerminationCondition.NUMERICAL, "the solver claims an optimum but returned no point"
    duals, reduced = _prices(answer.duals, program.sign), _prices(answer.reduced_costs, program.sign)
    if end is TerminationCondition.OPTIMAL and x is not None:
        doubt = _doubt(program, x, duals)
        if doubt:
            end, message = TerminationCondition.NUMERICAL, doubt
    objective = answer.objective if program.nonlinear else None if x is None else program.objective(x)
    if end in LIMITS and x is not None and program.is_lp and program.violation(x) > OPTIMALITY_TOLERANCE:
        objective = None  # of a point on the way, which is not feasible yet
    bound = answer.bound
    if bound is not None and not np.isfinite(bound):
        bound = None
    return Solution(
        termination=end,
        program=program,
        backend=backend.name,
        version=backend.version() or "unknown",
        algorithm=answer.algorithm,
        x=x,
        duals=duals if x is not None else None,
        reduced_costs=reduced if x is not None else None,
        objective=objective,
        bound=None if bound is None else program.sign * bound,
        basis=answer.basis,
        iterations=answer.iterations,
        nodes=answer.nodes,
        seconds=Seconds(compile_seconds, answer.load_seconds, answer.solve_seconds),
        message=message,
    )


def _prices(prices: FloatArray | None, sign: int) -> FloatArray | None:
    if prices is None or not np.isfinite(prices).all():
        return None
    return prices if sign == 1 else -prices


def _doubt(program: Program, x: FloatArray, duals: FloatArray | None) -> str:
    """Return why an answer that a solver calls optimal is not accepted (empty: it is).

    The check costs two products with the matrix. It is needed: HiGHS's quadratic solver has been seen to stop at a
    feasible point with all duals zero and call it optimal.
    """
    units = program.scaled
    if units is not None:
        x, duals, program = units.point(x), None if duals is None else units.duals(duals), units.program
    scale = _largest(program.row_lower, program.row_upper, program.col_lower, program.col_upper)
    priced = duals is not None and program.needs <= {"lp", "qp"}
    error = kkt_error(program, x, duals) if duals is not None and priced else KktError(program.violation(x), 0.0, 0.0)
    if error.primal > OPTIMALITY_TOLERANCE * scale:
        return f"the point called optimal breaks a row or bound by {error.primal:.3g}"
    if error.dual > OPTIMALITY_TOLERANCE * _largest(program.c):
        return f"the prices called optimal break dual feasibility by {error.dual:.3g}"
    if error.gap > OPTIMALITY_TOLERANCE * scale:
        return f"the pair called optimal has a relative duality gap of {error.gap:.3g}"
    return ""


def _largest(*arrays: FloatArray) -> float:
    """Return the largest finite absolute value, at least one."""
    return max([1.0, *(float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) for a in arrays)])
