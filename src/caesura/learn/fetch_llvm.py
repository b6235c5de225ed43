"""The LLVM of `fetch`: the instruction by which a processor asks for a cache line."""

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

__all__ = ["agrees", "fetch"]

_BYTE = ir.IntType(8)
_INT = ir.IntType(32)
_LONG = ir.IntType(64)
_LINE = 64


@intrinsic
def _fetch(typing: Any, array: Any, place: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        own = arrayobj.make_array(array)(context, builder, args[0])
        at, lines = args[1], 1
        if array.ndim == 2:
            at = builder.mul(at, cgutils.unpack_tuple(builder, own.shape, 2)[1])
            lines = 2 if array.dtype.bitwidth == 8 else 1
        start = builder.bitcast(builder.gep(own.data, [at]), _BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _INT, _INT, _INT])
        ask = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        for line in range(lines):
            # To read, to keep in all caches, data.
            address = builder.gep(start, [_LONG(_LINE * line)])
            builder.call(ask, [address, _INT(0), _INT(3), _INT(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), code


fetch: Any = _fetch


@kernel(cache=False)
def _fetched(rows: NDArray[np.int8], numbers: NDArray[np.int64]) -> int:
    """Ask for all of it, and for what lies behind it, then read it."""
    for place in range(len(numbers) + 3):
        fetch(rows, place)
        fetch(numbers, place)
    return int(rows.sum() + numbers.sum())


def agrees() -> bool:
    """Whether what is asked for can be read as it was."""
    rows, numbers = np.ones((4, 128), np.int8), np.arange(5)
    return _fetched(rows, numbers) == 522 and bool(rows.all())
