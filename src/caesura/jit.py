"""The one place that decides how kernels are compiled: flags, cache and threads.

Numba's own cache looks at the file of the compiled function only and misses a changed callee in
another file. Here every kernel is cached in a folder named after a hash of all sources of its room
and of `learn/`, from which kernels may be borrowed, so that a changed callee is noticed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import MethodType
from typing import Any, TypeVar, cast, overload

import numba
from numba.core import caching, config, cpu, runtime

__all__ = ["cache_root", "compiled", "is_cold", "kernel", "numba_version"]

#: Numba makes the attributes of its settings when it starts, so that no type checker knows them.
numba_config = cast(Any, config)

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
#: Rooms from which the kernels of every other room may borrow.
SHARED_ROOMS = ("learn",)


def numba_version() -> str:
    return str(numba.__version__)


def compiled() -> bool:
    """False where NUMBA_DISABLE_JIT=1 runs the kernels as plain Python (for coverage)."""
    return not bool(numba_config.DISABLE_JIT)


@cache
def cache_root() -> Path:
    """Where compiled kernels are kept: NUMBA_CACHE_DIR, CAESURA_HOME or the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    home = os.environ.get("CAESURA_HOME")
    if home:
        return Path(home) / "kernels"
    from platformdirs import user_cache_path

    return user_cache_path("caesura") / "kernels"


def _room(module: str) -> str:
    """`caesura.parse.search` lies in the room `parse`; `caesura.pipeline` in `pipeline.py`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "caesura" else ""


@cache
def _sources_hash(room: str) -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for name in dict.fromkeys((room, *SHARED_ROOMS)):
        folder = PACKAGE / name
        files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
        for file in files:
            if file.exists():
                digest.update(file.relative_to(PACKAGE).as_posix().encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def is_cold(*rooms: str) -> bool:
    """True if kernels of one of the rooms were never compiled here as they are now."""
    if not compiled():
        return False
    folders = (cache_root() / f"{room}-{_sources_hash(room)}" for room in rooms)
    return not all(any(folder.rglob("*.nbi")) for folder in folders)


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(**flags: Any) -> Callable[[F], F]: ...
def kernel(function: F | None = None, **flags: Any) -> F | Callable[[F], F]:
    """Compile a function to machine code, without the GIL and with the compiled code cached."""
    if function is None:
        return lambda f: _compile(f, flags)
    return _compile(function, flags)


def _compile(function: F, flags: dict[str, Any]) -> F:
    room = _room(function.__module__)
    options: dict[str, Any] = {"nogil": True, "cache": True, **flags}
    if not room:
        options["cache"] = False
        return cast(F, numba.njit(**options)(function))
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(cache_root() / f"{room.removesuffix('.py')}-{_sources_hash(room)}")
    try:
        dispatcher = numba.njit(**options)(function)
        if _LEAN and compiled() and options["cache"]:
            cache: Any = dispatcher._cache
            cache.load_overload = MethodType(_load_lean, cache)
        return cast(F, dispatcher)
    finally:
        numba_config.CACHE_DIR = before


def _load_lean(cache: Any, signature: Any, context: Any) -> Any:
    """Load a kernel from the disk without the compiler.

    Numba brings the whole compiler up before it loads compiled code: two hundred modules, 25 MB
    and a third of a second. Code that is ready needs its runtime only; the compiler comes up when
    there is something to compile.
    """
    cast(Any, runtime).rtsys.initialize(context)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)


def _as_known() -> bool:
    """Whether this version of Numba loads code as the one for which `_load_lean` was written."""
    steps = ("refresh", "_guard_against_spurious_io_errors", "_load_overload")
    try:
        load: Any = cast(Any, caching).Cache.load_overload
        bring_up: Any = cast(Any, cpu).CPUContext.load_additional_registries
        first = bring_up.__code__.co_names[:2]
        return bool(load.__code__.co_names == steps and first == ("rtsys", "initialize"))
    except AttributeError:
        return False


_LEAN = _as_known()
