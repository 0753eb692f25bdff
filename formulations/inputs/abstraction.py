"""Inputs of the program that shares a budget of children among abstract states."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiform.formulations.abstraction import abstraction_ip
from equiform.formulations.abstraction.abstraction_ip import ChildAllocation
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import FormatError
from equiform.models.common.files import read_json


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """What each parent's error is with one child, two children, and so on, and how much each parent weighs."""

    errors: FloatArray
    weights: FloatArray


def read_error_table(path: str | Path) -> ErrorTable:
    """Read a JSON object with ``errors`` (a row per parent) and ``weights`` (one per parent)."""
    document = read_json(path, "the table of errors", fix='expected {"errors": [[…], …], "weights": […]}')
    if not isinstance(document, dict) or {"errors", "weights"} - set(document):
        raise FormatError("not a table of errors", where=str(path), fix='expected "errors" and "weights"')
    where = str(path)
    weights = require_numbers(document["weights"], "weights", where, shape=(None,))
    errors = require_numbers(document["errors"], "errors", where, shape=(len(weights), None))
    return ErrorTable(errors, weights)


def build_children(table: ErrorTable, *, budget: int) -> Any:
    """Build the 0-1 program."""
    return abstraction_ip.build(table.errors, table.weights, budget)


def solve_children(table: ErrorTable, *, budget: int, solver: SolverOptions = DEFAULT) -> ChildAllocation:
    """Share the budget."""
    return abstraction_ip.solve(table.errors, table.weights, budget, solver=solver)
