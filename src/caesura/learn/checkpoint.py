"""Training state for a checkpoint, exact and without the zeros that most of a table is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack_state", "unpack_state"]


def pack_state(name: str, *tables: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """The cells at which any of the tables is not zero, and their values in each."""
    touched = np.zeros(tables[0].size, bool)
    for table in tables:
        touched |= table.ravel() != 0
    narrow = touched.size < 1 << 32
    at = np.flatnonzero(touched).astype(np.uint32 if narrow else np.int64)
    state: dict[str, NDArray[Any]] = {f"{name}:at": at}
    for number, table in enumerate(tables):
        state[f"{name}:{number}"] = table.ravel()[at]
    return state


def unpack_state(
    state: Mapping[str, NDArray[Any]], name: str, *tables: NDArray[np.float32]
) -> None:
    """Put the cells back; all others become zero."""
    at = state[f"{name}:at"]
    for number, table in enumerate(tables):
        flat = table.reshape(-1)
        flat[:] = 0
        flat[at] = state[f"{name}:{number}"]
