"""Solution files of HiGHS, CBC, Gurobi and SCIP: values by name, and prices where there are any."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from equiform.models.common.errors import FormatError
from equiform.models.common.files import read_text


@dataclass(frozen=True)
class SolutionFile:
    """What a solver wrote. Names that the file leaves out have the value zero, as SCIP and CBC mean it."""

    solver: str
    status: str
    objective: float | None
    values: dict[str, float] = field(repr=False)
    """By the names of columns; CBC may list rows as well."""
    duals: dict[str, float] = field(default_factory=dict, repr=False)
    """By the names of rows; empty if the solver wrote none."""


def read_solution_file(path: str | Path) -> SolutionFile:
    """Read a solution file; its first lines tell whose it is.

    Raises
    ------
    FormatError
        If the file is none of the four, holds no solution, or a line cannot be read.
    """
    text = read_text(path, "the solution file")
    lines = text.splitlines()
    first = next((line.strip() for line in lines if line.strip()), "")
    for pattern, reader in _READERS:
        if re.match(pattern, first):
            return reader(lines, str(path))
    raise FormatError(
        "not a solution file of HiGHS, CBC, Gurobi or SCIP",
        where=f"{path}, line 1: {first[:60]!r}",
        fix="write one with the solver's own command, such as HiGHS's --solution_file",
    )


def _highs(lines: list[str], source: str) -> SolutionFile:
    status = lines[1].strip() if len(lines) > 1 else ""
    objective: float | None = None
    sections: dict[tuple[str, str], dict[str, float]] = {}
    part, left, names = "", 0, {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if line.startswith("# Primal"):
            part = "primal"
        elif line.startswith("# Dual"):
            part = "dual"
        elif line.startswith("# Basis"):
            break
        elif line.startswith(("# Columns", "# Rows")):
            left = _count(words[-1], source, number)
            names = sections.setdefault((part, words[1]), {})
        elif words and words[0] == "Objective" and part == "primal" and len(words) == 2:
            objective = _value(words[1], source, number)
        elif left and words:
            _enter(names, words, source, number)
            left -= 1
    if left:
        raise FormatError(f"the file ends {left} lines early", where=source, fix="write the solution again")
    values = sections.get(("primal", "Columns"), {})
    return _checked(SolutionFile("HiGHS", status, objective, values, sections.get(("dual", "Rows"), {})), source)


def _cbc(lines: list[str], source: str) -> SolutionFile:
    first = lines[0]
    found = re.search(r"objective value\s+(\S+)", first)
    objective = None if found is None else _value(found.group(1), source, 1)
    values: dict[str, float] = {}
    prices: dict[str, float] = {}
    for number, line in enumerate(lines[1:], 2):
        words = line.replace("**", " ").split()
        if not words:
            continue
        if not words[0].isdecimal():
            raise FormatError("a line without a number in front", where=f"{source}, line {number}", fix=_AGAIN)
        _enter(values, words[1:3], source, number)
        _enter(prices, [*words[1:2], *words[3:4]], source, number)
    return _checked(SolutionFile("CBC", first.split(" - ")[0].strip(), objective, values, prices), source)


def _gurobi(lines: list[str], source: str) -> SolutionFile:
    objective: float | None = None
    values: dict[str, float] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            found = re.match(r"#\s*Objective value\s*=\s*(\S+)", line)
            objective = objective if found is None else _value(found.group(1), source, number)
            continue
        words = line.split()
        if words:
            _enter(values, words, source, number)
    return _checked(SolutionFile("Gurobi", "solution", objective, values), source)


def _scip(lines: list[str], source: str) -> SolutionFile:
    status, objective = "", None
    values: dict[str, float] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("solution status:"):
            status = line.partition(":")[2].strip()
        elif line.startswith("objective value:"):
            objective = _value(line.partition(":")[2].strip(), source, number)
        elif line.strip() and line.strip() != "no solution available":
            words = line.split()
            _enter(values, words, source, number)
    return _checked(SolutionFile("SCIP", status, objective, values), source)


_AGAIN = "write the solution again"
_READERS: tuple[tuple[str, Callable[[list[str], str], SolutionFile]], ...] = (
    (r"Model status", _highs),
    (r"# (Solution for model|Objective value)", _gurobi),
    (r"(solution status|objective value):", _scip),
    (r"(?i)(optimal|infeasible|integer infeasible|unbounded|stopped on .*|unknown)( \(.*\))? - objective value", _cbc),
)


def _enter(values: dict[str, float], words: list[str], source: str, number: int) -> None:
    """Note the value that follows a name."""
    if len(words) < 2:
        raise FormatError("a line has too few words", where=f"{source}, line {number}", fix=_AGAIN)
    values[words[0]] = _value(words[1], source, number)


def _value(text: str, source: str, number: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise FormatError(f"{text!r} is not a number", where=f"{source}, line {number}", fix=_AGAIN)
    return value


def _count(text: str, source: str, number: int) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise FormatError(f"{text[:40]!r} is not a number of entries", where=f"{source}, line {number}", fix=_AGAIN)
    return int(text)


def _checked(found: SolutionFile, source: str) -> SolutionFile:
    if not found.values or re.search("infeasible|unbounded", found.status, re.IGNORECASE):
        raise FormatError(
            f"the file holds no solution: {found.status or 'no status'}", where=source, fix="solve the model first"
        )
    return found
