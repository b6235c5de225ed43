"""Nothing is asked for before it is needed: the twin of `fetch_llvm`."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["fetch"]


@kernel
def fetch(array: NDArray[Any], place: int) -> None:
    pass
