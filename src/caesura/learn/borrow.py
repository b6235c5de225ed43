"""Arrays without reference counts, for the time of one call.

Numba counts references whenever a kernel takes an array out of a tuple or makes a view of one, and
an atomic count costs as much as a row of weights. A kernel that starts with `x = borrowed(x)` works
on the same memory uncounted; the caller holds the arrays while it runs.
"""

from __future__ import annotations

from typing import Any, cast

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from caesura.jit import compiled

__all__ = ["borrowed"]


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


def _as_it_is(value: Any) -> Any:
    return value


#: The same array, or tuple of arrays, whose references are not counted.
borrowed: Any = _borrowed if compiled() else _as_it_is
