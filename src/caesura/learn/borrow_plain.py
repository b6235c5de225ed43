"""Arrays as they are, with their references counted: the twin of `borrow_llvm`."""

from __future__ import annotations

from typing import Any

from caesura.jit import kernel

__all__ = ["borrowed"]


@kernel
def borrowed(value: Any) -> Any:
    return value
