"""Pyomo model to arrays, arrays to a solver."""

from equiform.formulations.optimization.backends.base import Backend, Capabilities
from equiform.formulations.optimization.backends.registry import (
    BackendInfo,
    available,
    get,
    list_backends,
    solve_model,
    solve_program,
)
from equiform.formulations.optimization.backends.reuse import ReusableProgram

__all__ = [
    "Backend",
    "BackendInfo",
    "Capabilities",
    "ReusableProgram",
    "available",
    "get",
    "list_backends",
    "solve_model",
    "solve_program",
]
