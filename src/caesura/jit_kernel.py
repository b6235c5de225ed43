"""Kernels as Python calls them: by code that is ready, or by Numba, which compiles it.

Numba takes a quarter of a second and 65 MB before it loads the first kernel. A kernel that was
compiled before needs none of it: which code fits a call is told by the types of its arguments, and
the code lies in an image (`caesura.jit_image`) with the other kernels of its room. Numba comes up
when there is something to compile, and keeps an image of that.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from types import NoneType
from typing import Any, Final

import numpy as np

from caesura import jit_image
from caesura.jit_version import KNOWN_NUMBA, minor_version

__all__ = ["Kernel"]


#: Of an array: how it lies (C or Fortran), and whether it is aligned and may be written to.
_C_ORDER, _FORTRAN, _FLAGS = 1, 2, 0x503
#: Integers that Numba takes for signed ones.
_MOST: Final = 1 << 63
#: Numbers of NumPy for which Python has a type that is the same to Numba.
_SAME: Final = {"<i8": int, "<f8": float, "|b1": bool}
#: What is kept of code that has no image, so that nobody tries again.
_NO_IMAGE: Final = b"no image\n"
#: What tells processors apart, in the system's words.
_CPU: Final = re.compile(
    r"^(?:vendor_id|cpu family|model|model name|stepping|flags)\s*:.*$", re.MULTILINE
)


class _UnknownKind(Exception):
    """Numba knows what this is; here nobody does."""


def _kind(value: Any) -> Any:
    """What Numba would call the type of a value, or finer."""
    kind = type(value)
    if kind is np.ndarray:
        if value.dtype.kind not in "biuf":
            raise _UnknownKind
        flags = value.flags.num & _FLAGS
        if flags & _C_ORDER:
            flags &= ~_FORTRAN
        return (value.dtype.str, value.ndim, flags)
    if kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return (kind, *map(_kind, value))
    if kind is int and not -_MOST <= value < _MOST:
        raise _UnknownKind
    if kind in (int, float, bool, NoneType):
        return kind
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return _SAME.get(value.dtype.str, (kind, value.dtype.str))
    raise _UnknownKind


def _numba() -> Any:
    import caesura.jit_numba

    return caesura.jit_numba


class Kernel:
    """A function that is compiled once for the types of its arguments."""

    def __init__(
        self, function: Callable[..., Any], flags: dict[str, Any], folder: Path | None
    ) -> None:
        """`folder` is where its code is kept; None: in this process alone."""
        update_wrapper(self, function)
        self.py_func: Any = function
        self._flags = flags
        self._folder = folder
        self._dispatcher: Any = None
        self._imaged = folder is not None and flags.get("cache", True) and _has_images()
        self._known: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the code for arguments of these types."""
        if not self._imaged or named or len(args) != self.py_func.__code__.co_argcount:
            return self.dispatcher(*args, **named)
        try:
            kinds = tuple(map(_kind, args))
        except _UnknownKind:
            return self.dispatcher(*args)
        found = self._known.get(kinds)
        if found is None:
            found = self._known[kinds] = self._find(kinds, args)
        return found(*args)

    def _find(self, kinds: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
        file = self._file(kinds)
        data = b""
        with contextlib.suppress(OSError):
            data = file.read_bytes()
        image = jit_image.unpacked(data)
        ready = image and jit_image.callable_of(image, self.py_func)
        if ready:
            return ready
        own: Callable[..., Any] = self.dispatcher
        if not image and data != _NO_IMAGE:
            with contextlib.suppress(Exception):  # the call itself says what is wrong
                _keep(own, args, file)
        return own

    def _file(self, kinds: Any) -> Path:
        assert self._folder is not None
        key = hashlib.sha256(f"{kinds!r} {_machine()}".encode()).hexdigest()[:24]
        name = re.sub(r"[^\w.-]", "-", f"{self.py_func.__module__}.{self.py_func.__qualname__}")
        return self._folder / f"{name}.{key}.image"

    @property
    def dispatcher(self) -> Any:
        """Numba's own view of it, which compiles."""
        if self._dispatcher is None:
            self._dispatcher = _numba().dispatcher(self.py_func, self._flags, self._folder)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What kernels see that call this one."""
        return self.dispatcher._numba_type_

    @property
    def signatures(self) -> list[Any]:
        """The types for which there is code in this process."""
        own = [] if self._dispatcher is None else self._dispatcher.signatures
        return [*self._known, *own]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"

    def __reduce__(self) -> str:
        return str(self.py_func.__qualname__)


def _keep(dispatcher: Any, args: tuple[Any, ...], file: Path) -> None:
    """Keep an image of what Numba compiles, for the next process."""
    told = _numba().object_code(_numba().compiled_for(dispatcher, args))
    image = told and jit_image.image_of(*told)
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError):  # a folder that cannot be written to: compiled again
        beside.write_bytes(jit_image.packed(image) if image else _NO_IMAGE)
        beside.replace(file)


@cache
def _has_images() -> bool:
    return minor_version() == KNOWN_NUMBA and jit_image.supported()


@cache
def _machine() -> str:
    """What code depends on besides its source: the processor, Python, and Numba's settings."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as stream:
            told = "\n".join(_CPU.findall(stream.read(1 << 14).split("\n\n")[0]))
    except OSError:
        told = ""
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"
    )
    return f"{told} {sys.implementation.cache_tag} {settings}"
