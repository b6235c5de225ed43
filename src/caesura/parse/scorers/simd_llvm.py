"""Sums of weight rows in LLVM's vector instructions.

LLVM does not keep the sums in registers by itself, which makes it three times slower. Here 64 or 32
transitions are summed over all rows at once, or 128 if 16 bits are enough for a sum, whatever the
width of the machine's registers.
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

from caesura.jit import kernel
from caesura.parse.scorers import simd_plain as plain

__all__ = [
    "add_low_rows",
    "add_rows",
    "add_up",
    "agrees",
    "at_least",
    "highest",
    "join",
    "lowest_bit",
]

_BYTE = ir.IntType(8)
_NARROW = ir.IntType(16)
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
    mask = ir.Constant(ir.VectorType(_INT, wide.count), [0] * wide.count)
    return builder.shuffle_vector(first, nothing, mask)


def _sum_block(
    builder: Any,
    data: Any,
    rows: Any,
    count: Any,
    width: Any,
    sums: Any,
    at: Any,
    lanes: int,
    integer: Any = _INT,
) -> None:
    """Sum up row[at : at + lanes] over rows, scaled if they are bytes, in integers of a kind."""
    bytes_ = data.type.pointee == _BYTE
    wide = ir.VectorType(integer if bytes_ else _FLOAT, lanes)
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
            scale = _everywhere(builder, wide, builder.sext(exponent, integer))
            values = builder.shl(builder.sext(values, wide), scale)
            summed = builder.add(builder.load(total), values)
        else:
            summed = builder.fadd(builder.load(total), values)
        builder.store(summed, total)
    summed = builder.load(total)
    if wide.element == _NARROW:
        wide = ir.VectorType(_INT, lanes)
        summed = builder.sext(summed, wide)
    target = builder.bitcast(builder.gep(sums, [at]), wide.as_pointer())
    builder.store(summed, target, align=4)


def _in_blocks(builder: Any, width: Any, block: Any, sizes: tuple[int, ...] = (64, 32)) -> None:
    """As many blocks of the first size as fit into the width, then of the next."""
    place = cgutils.alloca_once_value(builder, _LONG(0))
    for lanes in sizes:
        head = builder.append_basic_block(f"blocks{lanes}")
        body = builder.append_basic_block(f"block{lanes}")
        done = builder.append_basic_block(f"done{lanes}")
        builder.branch(head)
        builder.position_at_end(head)
        end = builder.add(builder.load(place), _LONG(lanes))
        builder.cbranch(builder.icmp_signed("<=", end, width), body, done)
        builder.position_at_end(body)
        at = builder.load(place)
        block(at, lanes)
        builder.store(builder.add(at, _LONG(lanes)), place)
        builder.branch(head)
        builder.position_at_end(done)


def _adding(table: Any, rows: Any, sums: Any, integer: Any, sizes: tuple[int, ...]) -> Any:
    """The type and the code of a function that adds rows."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data, shape = _array(context, builder, table, args[0])
        row_data, _ = _array(context, builder, rows, args[1])
        out, _ = _array(context, builder, sums, args[4])
        width = shape[1]
        row_data = builder.gep(row_data, [args[2]])
        out = builder.gep(out, [builder.mul(args[5], width)])
        count = builder.sub(args[3], args[2])

        def block(at: Any, lanes: int) -> None:
            _sum_block(builder, data, row_data, count, width, out, at, lanes, integer)

        _in_blocks(builder, width, block, sizes)
        return context.get_dummy_value()

    longs = types.int64
    return types.void(table, rows, longs, longs, sums, longs), code


@intrinsic
def _add_rows(
    typing: Any, table: Any, rows: Any, first: Any, last: Any, sums: Any, place: Any
) -> Any:
    return _adding(table, rows, sums, _INT, (64, 32))


@intrinsic
def _add_low_rows(
    typing: Any, table: Any, rows: Any, first: Any, last: Any, sums: Any, place: Any
) -> Any:
    return _adding(table, rows, sums, _NARROW, (128, 32))


@intrinsic
def _add_up(typing: Any, sums: Any, a: Any, b: Any, c: Any, d: Any, unit: Any, out: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data, shape = _array(context, builder, sums, args[0])
        target, _ = _array(context, builder, out, args[6])
        width = shape[1]
        whole = data.type.pointee == _INT

        def block(at: Any, lanes: int) -> None:
            wide = ir.VectorType(data.type.pointee, lanes)
            floats = ir.VectorType(_FLOAT, lanes)
            total = None
            for place in args[1:5]:
                start = builder.gep(data, [builder.add(builder.mul(place, width), at)])
                values = builder.load(builder.bitcast(start, wide.as_pointer()), align=4)
                if total is None:
                    total = values
                else:
                    total = builder.add(total, values) if whole else builder.fadd(total, values)
            scores = builder.sitofp(total, floats) if whole else total
            scores = builder.fmul(scores, _everywhere(builder, floats, args[5]))
            to = builder.bitcast(builder.gep(target, [at]), floats.as_pointer())
            builder.store(scores, to, align=4)

        _in_blocks(builder, width, block)
        return context.get_dummy_value()

    longs = types.int64
    return types.void(sums, longs, longs, longs, longs, types.float32, out), code


@intrinsic
def _join(typing: Any, sums: Any, places: Any, count: Any, unit: Any, target: Any, out: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data, shape = _array(context, builder, sums, args[0])
        each, _ = _array(context, builder, places, args[1])
        scores, _ = _array(context, builder, out, args[5])
        width = shape[1]
        kept = builder.gep(data, [builder.mul(args[4], width)])

        def block(at: Any, lanes: int) -> None:
            wide, floats = ir.VectorType(_INT, lanes), ir.VectorType(_FLOAT, lanes)
            total = cgutils.alloca_once(builder, wide)
            builder.store(ir.Constant(wide, [0] * lanes), total)
            with cgutils.for_range(builder, args[2], intp=_LONG) as loop:
                place = builder.load(builder.gep(each, [loop.index]))
                start = builder.gep(data, [builder.add(builder.mul(place, width), at)])
                values = builder.load(builder.bitcast(start, wide.as_pointer()), align=4)
                builder.store(builder.add(builder.load(total), values), total)
            summed = builder.load(total)
            to = builder.bitcast(builder.gep(kept, [at]), wide.as_pointer())
            builder.store(summed, to, align=4)
            scaled = builder.sitofp(summed, floats)
            scaled = builder.fmul(scaled, _everywhere(builder, floats, args[3]))
            to = builder.bitcast(builder.gep(scores, [at]), floats.as_pointer())
            builder.store(scaled, to, align=4)

        _in_blocks(builder, width, block)
        return context.get_dummy_value()

    longs = types.int64
    return types.void(sums, places, longs, types.float32, longs, out), code


@intrinsic
def _highest(typing: Any, scores: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data, shape = _array(context, builder, scores, args[0])
        wide = ir.VectorType(_FLOAT, 32)
        least = ir.Constant(wide, [-3e38] * 32)
        best = cgutils.alloca_once_value(builder, least)
        with cgutils.for_range(builder, builder.lshr(shape[0], _LONG(5)), intp=_LONG) as loop:
            start = builder.gep(data, [builder.shl(loop.index, _LONG(5))])
            values = builder.load(builder.bitcast(start, wide.as_pointer()), align=4)
            old = builder.load(best)
            builder.store(builder.select(builder.fcmp_ordered(">", values, old), values, old), best)
        # Halves are compared until one lane is left.
        top, lanes = builder.load(best), 32
        while lanes > 1:
            lanes //= 2
            nothing = ir.Constant(top.type, ir.Undefined)
            low, high = (
                builder.shuffle_vector(
                    top,
                    nothing,
                    ir.Constant(ir.VectorType(_INT, lanes), list(range(at, at + lanes))),
                )
                for at in (0, lanes)
            )
            top = builder.select(builder.fcmp_ordered(">", high, low), high, low)
        return builder.extract_element(top, _INT(0))

    return types.float32(scores), code


@intrinsic
def _at_least(typing: Any, scores: Any, first: Any, floor: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data, _ = _array(context, builder, scores, args[0])
        wide = ir.VectorType(_FLOAT, 32)
        start = builder.bitcast(builder.gep(data, [args[1]]), wide.as_pointer())
        values = builder.load(start, align=4)
        bits = builder.fcmp_ordered(">=", values, _everywhere(builder, wide, args[2]))
        return builder.zext(builder.bitcast(bits, _INT), _LONG)

    return types.int64(scores, types.int64, types.float32), code


@intrinsic
def _lowest_bit(typing: Any, bits: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


add_rows: Any = _add_rows
add_low_rows: Any = _add_low_rows
add_up: Any = _add_up
join: Any = _join
highest: Any = _highest
at_least: Any = _at_least
lowest_bit: Any = _lowest_bit


@kernel(cache=False)
def _joined(sums: NDArray[Any], places: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    """What is for whole numbers alone."""
    join(sums, places, len(places), np.float32(0.5), 2, out)


@kernel(cache=False)
def _added(table: NDArray[Any], rows: NDArray[np.uint64], sums: NDArray[Any]) -> None:
    """The same, for bytes."""
    add_low_rows(table, rows, 0, len(rows), sums, 3)


@kernel(cache=False)
def _all_of_it(
    table: NDArray[Any], rows: NDArray[np.uint64], sums: NDArray[Any], out: NDArray[np.float32]
) -> tuple[np.float32, int, int]:
    """Every function of this module once."""
    for place in range(4):
        add_rows(table, rows, place, len(rows) - place, sums, place)
    add_up(sums, 3, 1, 0, 2, np.float32(0.25), out)
    best = highest(out)
    bits = at_least(out, 32, np.float32(best * 0.25))
    return best, bits, lowest_bit(bits | 1 << 40)


def agrees() -> bool:
    """Whether all of it gives what the plain twins give, with rows of bytes and of floats."""
    random = np.random.default_rng(7)
    rows = random.integers(0, 50, 9).astype(np.uint64)
    for dtype, kept in ((np.int8, np.int32), (np.float32, np.float32)):
        table = random.integers(-100, 100, (50, 160)).astype(dtype)
        table[:, -1] = random.integers(0, 6, 50)
        sums, out = np.zeros((4, 160), dtype=kept), np.zeros(160, dtype=np.float32)
        found = _all_of_it(table, rows, sums, out)
        same_sums, same_out = np.zeros_like(sums), np.zeros_like(out)
        for place in range(4):
            plain.add_rows(table, rows, place, len(rows) - place, same_sums, place)
        plain.add_up(same_sums, 3, 1, 0, 2, np.float32(0.25), same_out)
        best = plain.highest(same_out)
        bits = plain.at_least(same_out, 32, np.float32(best * 0.25))
        if found != (best, bits, plain.lowest_bit(bits | 1 << 40)):
            return False
        if kept == np.int32:
            places = np.array([0, 3, 1], dtype=np.int64)
            _joined(sums, places, out)
            plain.join(same_sums, places, len(places), np.float32(0.5), 2, same_out)
            _added(table, rows, sums)
            plain.add_low_rows(table, rows, 0, len(rows), same_sums, 3)
        if not (np.array_equal(sums, same_sums) and np.array_equal(out, same_out)):
            return False
    return True
