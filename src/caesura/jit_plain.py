"""Kernels that have little to do, run as Python.

Compiling the kernels of a room takes seconds, and loading what was compiled takes milliseconds;
some read a page in less as Python. Their twins here are the same functions, which call each other
instead of the compiled ones. `NUMBA_DISABLE_JIT=1` runs all kernels so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

__all__ = ["Tiers", "compile_all", "plain"]

F = TypeVar("F", bound=Callable[..., Any])


def plain(kernel: F) -> F:
    """A kernel as Python, with all kernels that it calls."""
    function = getattr(kernel, "py_func", None)
    if function is None:
        return kernel
    return cast(F, np.errstate(over="ignore")(_twin(function)))


@cache
def _twin(function: FunctionType) -> FunctionType:
    names = dict(function.__globals__)
    twin = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    for name in function.__code__.co_names:
        called = getattr(names.get(name), "py_func", None)
        if called is not None:
            names[name] = twin if called is function else _twin(called)
    return twin


class Tiers:
    """A kernel that stays Python until it has had so much to do in this process."""

    #: Whether all kernels are compiled at once: see `compile_all`.
    all_compiled: ClassVar[bool] = False

    def __init__(self, kernel: Callable[..., Any], most: int) -> None:
        self.kernel = kernel
        self.left = most

    def __call__(self, work: int) -> Callable[..., Any]:
        """The way to go for a call that has so much to do."""
        self.left -= work
        compiled: Any = getattr(self.kernel, "signatures", None)
        if self.left < 0 or self.all_compiled or compiled:
            return self.kernel
        return plain(self.kernel)


def compile_all() -> None:
    """Compile whatever is called from now on: in a process that goes on for long."""
    Tiers.all_compiled = True
