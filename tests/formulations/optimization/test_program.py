"""Programs as arrays: evaluation, shapes and convexity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest

from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.program import Program, is_convex
from equiform.models.common.errors import ParameterError


def test_program_from_arrays() -> None:
    p = Program.from_arrays([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], row_lower=[0.0, 1.0], c0=3.0, maximize=True)
    assert p.objective(np.array([1.0, 1.0])) == 6.0
    assert p.column_names() == ["x0", "x1"] and p.row_names() == ["r0", "r1"]
    assert p.violation(np.array([-0.5, 0.25])) == 0.75


def test_violation_of_integrality_and_sets() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(4), bounds=(0, 1))
    m.n = pyo.Var(domain=pyo.Integers)
    m.s = pyo.SOSConstraint(var=m.x, sos=2)
    m.goal = pyo.Objective(expr=m.n)
    p = compile_model(m)
    at = {name: j for j, name in enumerate(p.column_names())}

    def violation(**values: float) -> float:
        x = np.zeros(5)
        for name, value in values.items():
            x[at["n" if name == "n" else f"x[{name[1:]}]"]] = value
        return p.violation(x)

    assert violation(x1=0.5, x2=0.5) == 0.0
    assert violation(x0=0.5, x2=0.25) == 0.25
    assert violation(n=2.0) == 0.0 and violation(n=2.25) == 0.25


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"c": [1.0, 2.0, 3.0]}, "do not fit together"),
        ({"row_upper": [1.0, 2.0]}, "do not fit together"),
        ({"Q": np.eye(3)}, "Q has shape"),
    ],
)
def test_program_of_arrays_that_do_not_fit(change: dict[str, Any], message: str) -> None:
    arrays: dict[str, Any] = {"c": [1.0, 1.0], "A": [[1.0, 1.0]]} | change
    with pytest.raises(ParameterError, match=message):
        Program.from_arrays(arrays.pop("c"), arrays.pop("A"), **arrays)


@pytest.mark.parametrize("size", [3, 700])
def test_convexity(size: int) -> None:
    """Dense eigenvalues and sparse elimination agree on where definiteness ends."""
    import scipy.sparse as sp

    ring = sp.csr_array(2.0 * sp.eye_array(size) - sp.eye_array(size, k=1) - sp.eye_array(size, k=-1))
    smallest = 2.0 - 2.0 * np.cos(np.pi / (size + 1))  # of the second-difference matrix
    assert is_convex(ring)
    assert is_convex(ring - 0.5 * smallest * sp.eye_array(size))
    assert not is_convex(ring - 2.0 * smallest * sp.eye_array(size))
    assert is_convex(sp.csr_array((size, size)))
