"""Vector instructions against numpy, and their place in the key of the compile cache."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import source_digest, vector_jit
from equiform.models.public import terminal_values, vectors
from equiform.models.public.vectors import (
    WIDTH,
    add,
    divide,
    item,
    load,
    load_some,
    moved,
    multiply,
    pointer,
    splat,
    store,
    store_some,
    subtract,
    transpose,
    where_greater,
)


@vector_jit
def mixed(a: FloatArray, b: FloatArray, out: FloatArray, turned: FloatArray) -> None:
    total = load(a, 1)
    for k in range(3):
        total = add(total, multiply(load(b, np.uint64(k * WIDTH)), splat(b[2])))
    store(out, 5, subtract(total, load(b, 7)))
    transpose(a, np.uint64(2), np.uint64(20), turned, np.uint64(3), np.uint64(18))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_instructions_are_those_of_numpy(dtype: str) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 9, 400).astype(dtype) for _ in range(2))
    out, turned = np.zeros(WIDTH + 8, dtype), np.zeros(18 * WIDTH + 3, dtype)
    mixed(a, b, out, turned)
    expected = a[1:17] + b[: 3 * WIDTH].reshape(3, WIDTH).sum(axis=0) * b[2] - b[7:23]
    assert np.array_equal(out[5:21], expected) and not out[:5].any() and not out[21:].any()
    block = np.array([a[2 + 20 * i : 18 + 20 * i] for i in range(WIDTH)])
    assert np.array_equal(np.array([turned[3 + 18 * i : 19 + 18 * i] for i in range(WIDTH)]), block.T)


@vector_jit
def some(a: FloatArray, b: FloatArray, out: FloatArray, count: int) -> None:
    first, second = load_some(a, 2, count), load_some(moved(pointer(b), 3), 1, count)
    chosen = where_greater(first, second, divide(first, second), splat(item(pointer(b), 5)))
    store_some(moved(pointer(out), 2), 1, chosen, count)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [0, 1, 7, 15, WIDTH])
def test_parts_of_vectors_touch_nothing_else(dtype: str, count: int) -> None:
    rng = np.random.default_rng(2)
    a, b = (rng.integers(1, 9, 40).astype(dtype) for _ in range(2))
    out = np.full(40, -1, dtype)
    some(a, b, out, count)
    first, second = a[2 : 2 + count], b[4 : 4 + count]
    expected = np.full(40, -1, dtype)
    expected[3 : 3 + count] = np.where(first > second, first / second, b[5])
    assert np.array_equal(out, expected)


def test_what_writes_instructions_is_in_the_key_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    function = terminal_values._turn_plans.py_func  # type: ignore[attr-defined]
    before = source_digest(function)
    monkeypatch.setattr(vectors, "_transposed", lambda builder, rows: rows)
    assert source_digest(function) != before
