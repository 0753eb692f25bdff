"""How to solve: which backend, which algorithm, for how long, with which raw options. One object for all programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

from equiform.models.common.errors import ParameterError


@dataclass(frozen=True)
class SolverOptions:
    """The choice of a solver, made once and passed on unchanged to every program that an answer needs.

    Parameters
    ----------
    backend
        A name from ``equiform backends``, or a solver that Pyomo knows (``gurobi``, ``pyomo:NAME``).
    algorithm
        One of the backend's algorithms; ``None`` lets the structure of the program decide.
    time_limit
        Seconds for each program; ``None`` for no limit.
    options
        The solver's own options by name, passed on as they are.

    >>> SolverOptions("cbc", time_limit=10).with_options(presolve="off").options
    {'presolve': 'off'}
    """

    backend: str = "highs"
    algorithm: str | None = None
    time_limit: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, Real) and not isinstance(limit, bool) and limit > 0):
            raise ParameterError(
                "the time limit is not a positive number", where=repr(limit), fix="pass seconds, or None"
            )
        if self.options is None:
            object.__setattr__(self, "options", {})
        elif not isinstance(self.options, Mapping):
            raise ParameterError(
                "the options are not a mapping", where=repr(self.options), fix="pass names and values, or None"
            )

    def with_options(self, **more: Any) -> Self:
        """Return a copy with raw options added; those that are set already win."""
        return dataclasses.replace(self, options={**more, **self.options})


DEFAULT = SolverOptions()
"""HiGHS, by the algorithm that suits the program, without a limit."""
