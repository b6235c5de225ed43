"""Adding weight rows, the inner loop of all scoring, written in LLVM's vector instructions.

LLVM does not keep the sums in registers by itself, which makes it three times slower. Here 64 or 32
transitions are summed over all rows at once, whatever the width of the machine's registers.
Without compilation numpy does the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from caesura.jit import compiled

__all__ = ["add_rows"]

_BYTE = ir.IntType(8)
_INT = ir.IntType(32)
_FLOAT = ir.FloatType()
_LONG = ir.IntType(64)


def _array(context: Any, builder: Any, kind: Any, value: Any) -> tuple[Any, list[Any]]:
    """The address of an array's data and its shape."""
    array = arrayobj.make_array(kind)(context, builder, value)
    return array.data, cgutils.unpack_tuple(builder, array.shape, kind.ndim)


def _everywhere(builder: Any, wide: Any, value: Any) -> Any:
    """A vector that holds one value in all its lanes."""
    nothing = ir.Constant(wide, ir.Undefined)
    first = builder.insert_element(nothing, value, _INT(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(wide, [0] * wide.count))


def _sum_block(
    builder: Any, data: Any, rows: Any, count: Any, width: Any, sums: Any, at: Any, lanes: int
) -> None:
    """Sum up row[at : at + lanes] over rows, scaled if they are bytes."""
    bytes_ = data.type.pointee == _BYTE
    wide = ir.VectorType(_INT if bytes_ else _FLOAT, lanes)
    total = cgutils.alloca_once(builder, wide)
    builder.store(ir.Constant(wide, [0] * lanes), total)
    with cgutils.for_range(builder, count, intp=_LONG) as loop:
        row = builder.load(builder.gep(rows, [loop.index]))
        start = builder.gep(data, [builder.mul(row, width)])
        kind = ir.VectorType(data.type.pointee, lanes)
        block = builder.bitcast(builder.gep(start, [at]), kind.as_pointer())
        values = builder.load(block, align=1)
        if bytes_:
            exponent = builder.load(builder.gep(start, [builder.sub(width, _LONG(1))]))
            scale = _everywhere(builder, wide, builder.sext(exponent, _INT))
            values = builder.shl(builder.sext(values, wide), scale)
            summed = builder.add(builder.load(total), values)
        else:
            summed = builder.fadd(builder.load(total), values)
        builder.store(summed, total)
    target = builder.bitcast(builder.gep(sums, [at]), wide.as_pointer())
    builder.store(builder.load(total), target, align=4)


@intrinsic
def _add_rows(typing: Any, table: Any, rows: Any, sums: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data, shape = _array(context, builder, table, args[0])
        row_data, row_shape = _array(context, builder, rows, args[1])
        out, _ = _array(context, builder, sums, args[2])
        width = shape[1]
        place = cgutils.alloca_once_value(builder, _LONG(0))
        for lanes in (64, 32):
            # As many blocks of 64 as fit, then at most one of 32.
            def fits(lanes: int = lanes) -> Any:
                end = builder.add(builder.load(place), _LONG(lanes))
                return builder.icmp_signed("<=", end, width)

            head = builder.append_basic_block(f"blocks{lanes}")
            body = builder.append_basic_block(f"block{lanes}")
            done = builder.append_basic_block(f"done{lanes}")
            builder.branch(head)
            builder.position_at_end(head)
            builder.cbranch(fits(), body, done)
            builder.position_at_end(body)
            at = builder.load(place)
            _sum_block(builder, data, row_data, row_shape[0], width, out, at, lanes)
            builder.store(builder.add(at, _LONG(lanes)), place)
            builder.branch(head)
            builder.position_at_end(done)
        return context.get_dummy_value()

    return types.void(table, rows, sums), code


def _add_plainly(table: NDArray[Any], rows: NDArray[np.uint64], sums: NDArray[Any]) -> None:
    chosen = table[rows.astype(np.int64)]
    if table.dtype == np.int8:
        integers = chosen.astype(np.int32)
        sums[:] = (integers << integers[:, -1:]).sum(axis=0, dtype=np.int32)
    else:
        sums[:] = chosen.sum(axis=0)


#: sums[:] = the sum of rows of a table; a row of bytes is shifted by its last byte first.
add_rows: Any = _add_rows if compiled() else _add_plainly
