"""Pyomo model to arrays, arrays to a solver."""

from equiform.formulations.backends.base import Backend, Capabilities
from equiform.formulations.backends.registry import (
    BackendInfo,
    available,
    get,
    list_backends,
    solve_model,
    solve_program,
)
from equiform.formulations.backends.resolve import Resolver

__all__ = [
    "Backend",
    "BackendInfo",
    "Capabilities",
    "Resolver",
    "available",
    "get",
    "list_backends",
    "solve_model",
    "solve_program",
]
