"""The LLVM of `borrowed`: an array, or a tuple of arrays, without the counter of its memory."""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["agrees", "borrowed"]


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = arrayobj.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        kinds: list[Any] = list(cast(Any, kind))
        items = cgutils.unpack_tuple(builder, value, len(kinds))
        parts = [_uncounted(context, builder, k, v) for k, v in zip(kinds, items, strict=True)]
        return context.make_tuple(builder, kind, parts)
    return value


@intrinsic
def _borrowed(typing: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _uncounted(context, builder, value, args[0])

    return value(value), code


borrowed: Any = _borrowed


@kernel(cache=False)
def _changed(arrays: tuple[NDArray[np.int64], NDArray[np.float32]], n: int) -> float:
    """Write to borrowed arrays and to views of them, and read them again."""
    whole, parts = borrowed(arrays)
    total = 0.0
    for i in range(n):
        row = parts[i]
        row[0] += 1
        whole[i] += 2
        total += float(row.sum()) + whole[i]
    return total


def agrees() -> bool:
    """Whether borrowed arrays are the same memory, whose references are counted as before."""
    whole, parts = np.arange(6), np.ones((6, 3), dtype=np.float32)
    counts = sys.getrefcount(whole), sys.getrefcount(parts)
    total = _changed((whole, parts), len(whole))
    return bool(
        total == 51.0
        and (whole == np.arange(6) + 2).all()
        and (parts == [2, 1, 1]).all()
        and (sys.getrefcount(whole), sys.getrefcount(parts)) == counts
    )
