"""Backends by name: what is listed, what is missing, calls that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from equiform.formulations.optimization.backends import get, list_backends, registry, solve_model, solve_program
from equiform.formulations.optimization.backends.pyomo_solver import PyomoSolver
from equiform.formulations.optimization.options import SolverOptions
from equiform.models.common.errors import BackendMissingError, EquiformError, ParameterError
from tests.helpers.backend_programs import HERE, OURS, Fake, random_program, small_model


def test_backends_are_listed_with_their_capabilities() -> None:
    infos = list_backends()
    assert [info.name for info in infos] == OURS
    for info in infos:
        assert info.capabilities.lp and info.note
        assert info.available == (info.version is not None) == (info.name in HERE)
    assert {"highs", "scipy", "cbc", "scip"} <= set(HERE)
    assert "sos2" in get("cbc").capabilities.names() and "sos2" not in get("highs").capabilities.names()


def test_a_solver_that_only_pyomo_knows_is_not_refused_anything_beforehand() -> None:
    """Nobody knows what it can do but itself; only what needs its own library (a basis, a start) is out of reach."""
    capabilities = PyomoSolver("glpk").capabilities
    asked = frozenset({"lp", "mip", "qp", "miqp", "nonconvex", "sos1", "sos2", "duals", "time_limit"})
    assert capabilities.lacks(asked | {"basis", "warm_start"}) == ["basis", "warm_start"]


def test_arrays_that_nobody_compiled_took_no_time_to_compile() -> None:
    assert solve_program(random_program(0), SolverOptions(), symmetry=False).seconds.compile == 0.0
    assert solve_program(random_program(0), SolverOptions(), symmetry=False, compile_seconds=2.5).seconds.compile == 2.5


def test_missing_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._BACKENDS, "fake", Fake(here=False))
    with pytest.raises(BackendMissingError, match=r"fake is not installed.*pip install fake.*use one of highs"):
        get("fake")
    with pytest.raises(BackendMissingError, match=r"neither equiform nor Pyomo.*'nosuch'.*use one of highs"):
        get("nosuch")
    with pytest.raises(BackendMissingError, match="'pyomo:nosuch'"):
        solve_model(small_model(), SolverOptions("pyomo:nosuch"))


BAD_CALLS: dict[str, tuple[dict[str, Any], type[EquiformError], str]] = {
    "algorithm": ({"algorithm": "magic"}, ParameterError, "no algorithm of that name. Where: 'magic'.*simplex"),
    "time limit": ({"time_limit": 0.0}, ParameterError, "time limit is not a positive number"),
    "time limit nan": ({"time_limit": float("nan")}, ParameterError, "time limit is not a positive number"),
    "option name": ({"options": {"no_such": 1}}, ParameterError, "HiGHS does not accept an option. Where: no_such"),
    "option value": ({"options": {"presolve": "maybe"}}, ParameterError, "presolve = 'maybe'"),
    "scip option": ({"backend": "scip", "options": {"no/such": 1}}, ParameterError, "SCIP does not accept"),
    "clarabel option": (
        {"backend": "clarabel", "options": {"no_such": 1}},
        ParameterError,
        "Clarabel does not accept.*no such setting",
    ),
    "piqp option": (
        {"backend": "piqp", "options": {"no_such": 1}},
        ParameterError,
        "PIQP does not accept.*no such setting",
    ),
    "highs list": ({"options": {"mip_rel_gap": [1]}}, ParameterError, r"mip_rel_gap = \[1\]"),
    "clarabel value": ({"backend": "clarabel", "options": {"max_iter": -1}}, ParameterError, "max_iter = -1: out of"),
    "piqp value": ({"backend": "piqp", "options": {"max_iter": "many"}}, ParameterError, "max_iter = 'many'"),
    "scipy option": ({"backend": "scipy", "options": {"no_such": 1}}, ParameterError, "SciPy does not accept.*no_such"),
    "scipy value": ({"backend": "scipy", "options": {"time_limit": "x"}}, ParameterError, "SciPy does not accept"),
    "cbc option": ({"backend": "cbc", "options": {"no_such": 1}}, ParameterError, "CBC does not.*No match for no_such"),
    "cbc value": ({"backend": "cbc", "options": {"cuts": "banana"}}, ParameterError, "banana.*Possible options"),
    "cbc range": ({"backend": "cbc", "options": {"ratioGap": -3}}, ParameterError, "valid range"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls(case: str) -> None:
    arguments, error, message = BAD_CALLS[case]
    if arguments.get("backend", "highs") not in HERE:
        pytest.skip("not installed")
    with pytest.raises(error, match=message):
        solve_program(random_program(0), SolverOptions(**arguments))
