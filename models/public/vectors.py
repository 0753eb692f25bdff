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
from numba.core.types.misc import CPointer
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


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = array if isinstance(kind, CPointer) else context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _register(kind.dtype).as_pointer())


def _is_row(array: Any, index: Any) -> bool:
    row = isinstance(array, CPointer) or (isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C")
    return row and isinstance(array.dtype, types.Float) and isinstance(index, types.Integer)


@intrinsic
def pointer(typing: Any, array: Any) -> Any:
    """Return where a contiguous array begins, for use in place of it.

    numba counts the references to every array that is read from a tuple or given to an inlined function, even in the
    innermost loop. Pointers are plain numbers; whoever takes one sees to it that the array lives on.
    """
    if not isinstance(array, types.Array) or array.layout != "C":
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return CPointer(array.dtype)(array), generate


@intrinsic
def item(typing: Any, place: Any, index: Any) -> Any:
    """Return a number by its index from a pointer on. Nothing checks the end."""
    if not isinstance(place, CPointer) or not isinstance(index, types.Integer):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.gep(args[0], [args[1]]))

    return place.dtype(place, index), generate


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


def _first(builder: Any, count: Any) -> Any:
    """Return a mask of the first ``count`` places."""
    kind = ir.VectorType(count.type, WIDTH)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), count, cgutils.int32_t(0))
    most = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))
    return builder.icmp_unsigned("<", ir.Constant(kind, list(range(WIDTH))), most)


def _masked(builder: Any, operation: str, kind: Any, result: Any, arguments: list[Any]) -> Any:
    """Call LLVM's masked load or store of vectors of a kind."""
    letter = "f32" if kind.element == ir.FloatType() else "f64"
    name = f"llvm.masked.{operation}.v{WIDTH}{letter}.p0"
    kinds = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kinds, name), arguments)


@intrinsic
def load_some(typing: Any, array: Any, index: Any, count: Any) -> Any:
    """Return the vector of the first ``count`` numbers from an index on, with zeros after them."""
    if not _is_row(array, index) or not isinstance(count, types.Integer):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, align = _register(array.dtype), cgutils.int32_t(array.dtype.bitwidth // 8)
        place = _pointer(context, builder, signature.args[0], *args[:2])
        rest = ir.Constant(kind, [0.0] * WIDTH)
        return _masked(builder, "load", kind, kind, [place, align, _first(builder, args[2]), rest])

    return Vector(array.dtype)(array, index, count), generate


@intrinsic
def store_some(typing: Any, array: Any, index: Any, vector: Any, count: Any) -> Any:
    """Write the first ``count`` numbers of a vector to where an index says."""
    if not _is_row(array, index) or vector != Vector(array.dtype) or not isinstance(count, types.Integer):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, align = _register(array.dtype), cgutils.int32_t(array.dtype.bitwidth // 8)
        place = _pointer(context, builder, array, *args[:2])
        _masked(builder, "store", kind, ir.VoidType(), [args[2], place, align, _first(builder, args[3])])
        return context.get_dummy_value()

    return types.void(array, index, vector, count), generate


@intrinsic
def moved(typing: Any, place: Any, steps: Any) -> Any:
    """Return a pointer some numbers further on."""
    if not isinstance(place, CPointer) or not isinstance(steps, types.Integer):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return place(place, steps), generate


def _binary(operation: str) -> Any:
    def typed(typing: Any, first: Any, second: Any) -> Any:
        if not isinstance(first, Vector) or first != second:
            return None

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(*args)

        return first(first, second), generate

    return intrinsic(typed)


add, subtract, multiply, divide = (_binary(f"f{name}") for name in ("add", "sub", "mul", "div"))


@intrinsic
def where_greater(typing: Any, first: Any, second: Any, chosen: Any, otherwise: Any) -> Any:
    """Return ``chosen`` where ``first`` is greater than ``second``, and ``otherwise`` elsewhere."""
    if not isinstance(first, Vector) or any(v != first for v in (second, chosen, otherwise)):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args[:2]), *args[2:])

    return first(first, second, chosen, otherwise), generate


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
