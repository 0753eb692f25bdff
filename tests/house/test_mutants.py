"""The mutation run: which mutants are made, that they keep their names, and which tests reach compiled code."""

from __future__ import annotations

from pathlib import Path

import pytest

SOURCE = '''"""A text with 1 + 1."""

from __future__ import annotations

import numba


@numba.njit(nogil=True)
def inner(x: float) -> float:
    return x * 2.0 if x > 0 else 1.0


def outer(x: float, y: int = 3) -> float:
    if x < 0:
        raise ValueError(f"{x + 1} is negative")
    return sum([inner(x), 4], start=y)
'''


def test_mutants_change_results_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("mutmut")
    from benchmarks.mutants.mutations import mutants_of, mutated_source

    file = Path("toy.py")
    (tmp_path / file).write_text(SOURCE)
    found = mutants_of(tmp_path, file)
    changed = {(m.before, m.after) for m in found}
    assert {("< 0", "<= 0"), ("x * 2.0", "x / 2.0"), ("4", "5"), ("3", "4"), ("2.0", "3.0")} <= changed
    assert any(m.operator == "option" and "start" not in m.after for m in found)
    assert not any("nogil" in m.before or "negative" in m.before or m.before == "x + 1" for m in found)
    assert len({m.key for m in found}) == len(found)
    chosen = next(m for m in found if m.before == "x * 2.0")
    assert "return x / 2.0 if x > 0" in (mutated_source(tmp_path, file, chosen.key) or "")
    (tmp_path / file).write_text("# a line more\n" + SOURCE.replace("y: int = 3", "y: int = 7"))
    again = {m.key for m in mutants_of(tmp_path, file)}
    assert chosen.key in again and len({m.key for m in found} - again) == 1  # edits elsewhere leave the names alone


def test_a_compiled_function_is_reached_through_those_who_name_it(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    from benchmarks.mutants.reach import CompiledCallers

    (tmp_path / "formulations").mkdir()
    (tmp_path / "formulations" / "toy.py").write_text(SOURCE)
    callers = CompiledCallers(tmp_path)
    lines = SOURCE.splitlines()
    inside, call = lines.index("def inner(x: float) -> float:") + 2, len(lines)
    assert callers.around("formulations/toy.py", inside) == "inner"
    assert callers.callers("formulations/toy.py", inside) == [("formulations/toy.py", call, call)]
    assert callers.callers("formulations/toy.py", call) == []
