"""Sixteen numbers at a time: vector registers for compiled loops.

numba turns plain loops into vector instructions only where LLVM can show that arrays do not overlap, and then with a
test before each loop; for rows of a few dozen numbers the tests cost more than the work. These functions write the
vector instructions down. A vector is a value of its own type: it stays in a register while sums run over it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, register_model
from numpy.typing import NDArray

#: Numbers in a vector: one register of 512 bits of 32-bit numbers, or several smaller ones.
WIDTH = 16


#: Bytes of a line of the cache. A vector that straddles two lines costs twice and more.
LINE = 64


def aligned(size: int, dtype: Any) -> NDArray[Any]:
    """Return zeros that begin at a line of the cache, as numpy's own do not."""
    kind = np.dtype(dtype)
    room = np.zeros(size * kind.itemsize + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size * kind.itemsize].view(kind)


class Vector(types.Type):
    """The type of a vector of floats."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(name=f"Vector({WIDTH} x {dtype})")


@register_model(Vector)
class _VectorModel(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, _register(kind.dtype))


def _register(dtype: Any) -> ir.VectorType:
    return ir.VectorType(ir.FloatType() if dtype.bitwidth == 32 else ir.DoubleType(), WIDTH)


def _pointer(context: Any, builder: Any, kind: types.Array, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _register(kind.dtype).as_pointer())


def _is_row(array: Any, index: Any) -> bool:
    return (
        isinstance(array, types.Array)
        and array.ndim == 1
        and array.layout == "C"
        and isinstance(array.dtype, types.Float)
        and isinstance(index, types.Integer)
    )


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """Return the vector that begins at an index of a contiguous array. Nothing checks the end."""
    if not _is_row(array, index):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _pointer(context, builder, signature.args[0], *args)
        return builder.load(place, align=array.dtype.bitwidth // 8)

    return Vector(array.dtype)(array, index), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write a vector to where an index of a contiguous array says. Nothing checks the end."""
    if not _is_row(array, index) or vector != Vector(array.dtype):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, array, args[0], args[1]), align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, index, vector), generate


@intrinsic
def splat(typing: Any, number: Any) -> Any:
    """Return a vector of one number repeated."""
    if not isinstance(number, types.Float):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = _register(number)
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), args[0], cgutils.int32_t(0))
        return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))

    return Vector(number)(number), generate


def _binary(operation: str) -> Any:
    def typed(typing: Any, first: Any, second: Any) -> Any:
        if not isinstance(first, Vector) or first != second:
            return None

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(*args)

        return first(first, second), generate

    return intrinsic(typed)


add, subtract, multiply = _binary("fadd"), _binary("fsub"), _binary("fmul")


@intrinsic
def transpose(typing: Any, source: Any, index: Any, stride: Any, target: Any, place: Any, step: Any) -> Any:
    """Write a square block of ``source``, rows ``stride`` apart, transposed to ``target``, rows ``step`` apart."""
    if not _is_row(source, index) or not _is_row(target, place) or source.dtype != target.dtype:
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        align = source.dtype.bitwidth // 8
        rows, at = [], args[1]
        for _ in range(WIDTH):
            rows.append(builder.load(_pointer(context, builder, source, args[0], at), align=align))
            at = builder.add(at, args[2])
        to = args[4]
        for vector in _transposed(builder, rows):
            builder.store(vector, _pointer(context, builder, target, args[3], to), align=align)
            to = builder.add(to, args[5])
        return context.get_dummy_value()

    return types.void(source, index, stride, target, place, step), generate


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Exchange halves of blocks of 16, 8, 4 and 2 rows."""
    half = WIDTH // 2
    while half:
        first = [k for k in range(WIDTH) if not k & half]
        low = [k + (WIDTH - half if k & half else 0) for k in range(WIDTH)]
        high = [k + (WIDTH if k & half else half) for k in range(WIDTH)]
        for k in first:
            pair = rows[k], rows[k + half]
            rows[k], rows[k + half] = (
                builder.shuffle_vector(*pair, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), mask))
                for mask in (low, high)
            )
        half //= 2
    return rows
