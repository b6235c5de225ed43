"""Arrays without reference counts, for the time of one call.

Numba counts references whenever a kernel takes an array out of a tuple or makes a view of one, and
an atomic count costs as much as a row of weights. A kernel that starts with `x = borrowed(x)` works
on the same memory uncounted; the caller holds the arrays while it runs.
"""

from __future__ import annotations

from typing import Any

from caesura.jit import chosen

__all__ = ["borrowed"]

#: The same array, or tuple of arrays, whose references are not counted.
borrowed: Any = chosen("caesura.learn.borrow_llvm", "caesura.learn.borrow_plain").borrowed
