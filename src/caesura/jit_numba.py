"""How Numba compiles kernels and keeps them: its flags, its cache, and what it links.

This goes deeper into Numba than its documentation; where a Numba behaves otherwise its own ways are
taken. Whoever imports this imports Numba, so `caesura.jit_kernel` does when it must.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import MethodType
from typing import Any, cast

import numba
from llvmlite import binding
from numba.core import caching, config, cpu, runtime, types

from caesura import jit_callees, jit_thrift
from caesura.jit_image import preloaded
from caesura.jit_version import KNOWN_NUMBA, minor_version

__all__ = ["compiled_for", "dispatcher", "object_code"]

#: Numba makes the attributes of its settings when it starts, so that no type checker knows them.
numba_config = cast(Any, config)

preloaded()


def dispatcher(function: Callable[..., Any], options: dict[str, Any], folder: Path | None) -> Any:
    """A function that Numba compiles and keeps in a folder; None: in this process alone."""
    if folder is None:
        return _for_all_numbers(numba.njit(**{**options, "cache": False})(function))
    before = getattr(numba_config, "CACHE_DIR", None)
    numba_config.CACHE_DIR = str(folder)
    try:
        made = numba.njit(**options)(function)
        if options["cache"] and not _is_kept_in(made, folder):
            # Numba's own place may hold what was compiled with another callee.
            made = numba.njit(**{**options, "cache": False})(function)
        elif options["cache"]:
            cache: Any = made._cache
            if _PLACED:
                _place(cache, function, folder)
            cache.load_overload = MethodType(_load_sound, cache)
            if _LINKED:
                cache.save_overload = MethodType(_save_alone, cache)
        return _for_all_numbers(made)
    finally:
        numba_config.CACHE_DIR = before


def compiled_for(own: Any, args: tuple[Any, ...]) -> Any:
    """What Numba compiles for arguments of these types; of what it has kept it forgets the code."""
    kinds = tuple(map(own.typeof_pyval, args))
    load = own._cache.load_overload
    own._cache.load_overload = lambda *told: None
    try:
        own.compile(kinds)
    finally:
        own._cache.load_overload = load
    return own.overloads[kinds]


def object_code(made: Any) -> tuple[bytes, str, str] | None:
    """The object file of a kernel and its symbols for Python; None if it needs more than that."""
    environments = [made.environment, *made._find_referenced_environments()]
    if made.reload_init or made.objectmode or any(one.consts for one in environments):
        return None
    told = made.fndesc
    return (
        made.library._get_compiled_object(),
        told.llvm_cpython_wrapper_name,
        made.target_context.get_env_name(told),
    )


def _place(cache: Any, function: Callable[..., Any], folder: Path) -> None:
    """Keep a kernel under its name, wherever and whenever its file was written.

    Numba's own place is named after the folder and the line of the source, and forgets what is in
    it when the date of the file changes; here the name of the folder says what the code is.
    """
    name = re.sub(r"[^\w.-]", "-", f"{function.__module__}.{function.__qualname__}")
    version = "".join(map(str, sys.version_info[:2]))
    cache._cache_path = str(folder)
    cache._impl.locator._cache_path = str(folder)
    cache._cache_file = cast(Any, caching).IndexDataCacheFile(
        cache_path=str(folder), filename_base=f"{name}.py{version}", source_stamp="code"
    )


def _is_kept_in(dispatcher: Any, folder: Path) -> bool:
    """Whether Numba keeps a kernel where it was told to."""
    place = getattr(getattr(dispatcher, "_cache", None), "cache_path", None)
    return place is not None and Path(place).is_relative_to(folder)


def _for_all_numbers(dispatcher: Any) -> Any:
    """Numba compiles a kernel for each number with which others call it; here once for all."""
    if hasattr(dispatcher, "get_call_template"):
        if _LINKED:
            jit_callees.link_callees(dispatcher)
            own = dispatcher._compiler
            own.compile = partial(_compile_calmly, own.compile)
        ask = dispatcher.get_call_template
        dispatcher.get_call_template = partial(_call_with_any_number, ask)
    return dispatcher


def _call_with_any_number(ask: Callable[..., Any], args: Any, keywords: Any) -> Any:
    def any_number(kind: Any) -> Any:
        return types.unliteral(kind) if isinstance(kind, types.IntegerLiteral) else kind

    return ask(
        tuple(map(any_number, args)), {name: any_number(kind) for name, kind in keywords.items()}
    )


def _compile_calmly(compile_: Callable[..., Any], args: Any, return_type: Any) -> Any:
    with jit_thrift.thriftily():
        return compile_(args, return_type)


def _save_alone(cache: Any, signature: Any, result: Any) -> None:
    """Keep a kernel for calls from Python, to which nothing is linked."""
    jit_callees.not_for_linking(result)
    type(cache).save_overload(cache, signature, result)


def _load_sound(cache: Any, signature: Any, context: Any) -> Any:
    """Load a kernel from the disk; one that cannot be read is compiled anew."""
    try:
        if _LEAN:
            return _load_lean(cache, signature, context)
        return type(cache).load_overload(cache, signature, context)
    except Exception:  # unpickling half a file may raise anything
        with contextlib.suppress(Exception):
            cache._cache_file.flush()
        return None


def _load_lean(cache: Any, signature: Any, context: Any) -> Any:
    """Load a kernel from the disk without the compiler.

    Numba brings the whole compiler up before it loads compiled code: two hundred modules, 25 MB
    and a third of a second. Code that is ready needs its runtime only; the compiler comes up when
    there is something to compile.
    """
    _register_runtime()
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)


@cache
def _register_runtime() -> None:
    """Tell LLVM where the functions of Numba's runtime are, as `Runtime.initialize` does.

    That compiles some more, which kernels that are ready have in their own code: 29 MB.
    """
    for name, address in cast(Any, runtime)._nrt_python.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def _as_known() -> bool:
    """Whether this version of Numba loads code as the one for which `_load_lean` was written."""
    steps = ("refresh", "_guard_against_spurious_io_errors", "_load_overload")
    try:
        load: Any = cast(Any, caching).Cache.load_overload
        bring_up: Any = cast(Any, cpu).CPUContext.load_additional_registries
        first = bring_up.__code__.co_names[:2]
        helpers = cast(Any, runtime)._nrt_python.c_helpers
        known = load.__code__.co_names == steps and first == ("rtsys", "initialize")
        return bool(known and helpers)
    except AttributeError:
        return False


_LEAN = _as_known()
#: Whether Numba keeps kernels in files that can be named.
_PLACED = minor_version() == KNOWN_NUMBA and hasattr(caching, "IndexDataCacheFile")
#: Whether kernels that others call are compiled by `jit_callees`.
_LINKED = minor_version() == KNOWN_NUMBA and jit_callees.as_known() and jit_thrift.as_known()
