"""Products of matrices on one thread.

NumPy comes with OpenBLAS, which shares out a product of a few megabytes among all cores: there it
waits for them longer than it computes, and takes cores from those who parse other documents. Who
wants threads asks for them (`--threads`), so none are started here. The numbers are the same, but
for their last digits on some processors.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

__all__ = ["one_thread"]

#: What the functions are called in the wheels of NumPy, and in OpenBLAS.
_NAMES = (
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),
    ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),
)


class _Threads(NamedTuple):
    get: Callable[[], int]
    set: Callable[[int], None]


@cache
def _threads() -> _Threads | None:
    """How OpenBLAS is asked for its threads; None where NumPy comes with something else."""
    place = Path(np.__file__).parent
    folders = (place.parent / "numpy.libs", place / ".dylibs")
    for file in sorted(file for folder in folders for file in folder.glob("*openblas*")):
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(str(file))
            for get, change in _NAMES:
                if hasattr(library, get) and hasattr(library, change):
                    return _Threads(getattr(library, get), getattr(library, change))
    return None


class _Users:
    """How many threads of ours compute now, and how many threads there were before."""

    lock: ClassVar[threading.Lock] = threading.Lock()
    count: ClassVar[int] = 0
    before: ClassVar[int] = 1


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread; the last one to leave puts things back."""
    threads = _threads()
    if threads is None:
        yield
        return
    with _Users.lock:
        if not _Users.count:
            _Users.before = threads.get()
            threads.set(1)
        _Users.count += 1
    try:
        yield
    finally:
        with _Users.lock:
            _Users.count -= 1
            if not _Users.count:
                threads.set(_Users.before)
