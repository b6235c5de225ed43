"""The one place that decides how kernels are compiled: flags, cache and threads.

Numba's own cache looks at the file of the compiled function only and misses a changed callee or
constant in another file. Here every kernel is cached in a folder named after a hash of all sources
of its room and of all that they import from other rooms, directly or not: what a kernel is compiled
from is in its key. Comments, docstrings, numbers of lines and dates of files are not: an upgrade
that changes no code finds the kernels again.

Some of this goes deeper into Numba than its documentation, and two modules are written in LLVM.
All of it has a plain twin, which is taken when a Numba that is not known here behaves otherwise:
then kernels get slower, not wrong.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import re
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any, TypeVar, cast, overload

import numba
import numpy as np
from llvmlite import binding
from numba.core import caching, config, cpu, runtime, types
from platformdirs import user_cache_path

from caesura import jit_callees, jit_thrift
from caesura.jit_code import code_hash

__all__ = [
    "cache_root",
    "chosen",
    "compiled",
    "is_cold",
    "kernel",
    "numba_version",
    "sources",
    "trusted",
]

#: Numba makes the attributes of its settings when it starts, so that no type checker knows them.
numba_config = cast(Any, config)

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
#: A folder beside `src/`, not in the wheel, whose kernels borrow from every room.
RESEARCH = "research"
#: What a module of ours imports when it is loaded. Indented imports are for type checkers or for
#: functions, of which no kernel is compiled; a test compares this with what Python's parser finds.
_IMPORT = re.compile(
    rb"\n(?:from (caesura(?:\.\w+)*) import (\([^)]*\)|[^\n]*)|import (caesura(?:\.\w+)*))"
)
#: And the modules that it chooses between.
_CHOSEN = re.compile(rb'\bchosen\(\s*"caesura\.([\w.]+)",\s*"caesura\.([\w.]+)",?\s*\)')
_NAME = re.compile(r"\w+")
_NOT_A_NAME = re.compile(r"#.*| as \w+")
#: The minor version of Numba with which the LLVM written by hand is known to work.
KNOWN_NUMBA = (0, 68)
#: Set in the process that tries LLVM out, which itself may not trust any.
TRYING = "CAESURA_TRYING_LLVM"


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
    return user_cache_path("caesura") / "kernels"


def _room(module: str) -> str:
    """`caesura.parse.search.beam` lies in the room `parse`; `caesura.pipeline` in `pipeline.py`."""
    parts = module.split(".")
    if parts[0] == RESEARCH:
        return RESEARCH
    return parts[1] if len(parts) > 1 and parts[0] == "caesura" else ""


@cache
def _exists(file: str) -> bool:
    return os.path.exists(file)


@cache
def _below(folder: str) -> tuple[str, ...]:
    return tuple(
        f"{where}{os.sep}{name}"
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(".py")
    )


@cache
def _imported(file: str, package: str) -> frozenset[str]:
    """The files of ours that a file imports when it is loaded."""
    with open(file, "rb") as stream:
        source = stream.read()
    found: set[str] = set()
    for base, names, plain in _IMPORT.findall(b"\n" + source):
        module = os.path.join(package, *(base or plain).decode().split(".")[1:])
        start = os.path.join(module, "__init__.py")
        if not _exists(start):
            found.add(f"{module}.py")
            continue
        if module != package:  # which holds the version and no code
            found.add(start)
        for name in _NAME.findall(_NOT_A_NAME.sub("", names.decode())):
            inside = os.path.join(module, name)
            known = [path for path in (f"{inside}.py", f"{inside}/__init__.py") if _exists(path)]
            # A name that is no module may come from any file of the package.
            if known or not name.startswith("__"):
                found.update(known or _below(module))
    for names in _CHOSEN.findall(source):
        found.update(f"{os.path.join(package, *name.decode().split('.'))}.py" for name in names)
    return frozenset(found)


@cache
def sources(room: str, package: str = str(PACKAGE)) -> tuple[str, ...]:
    """The files that the kernels of a room are compiled from: theirs, and all that these import.

    All of a room that have kernels, since a kernel calls some of its neighbours by the types of its
    arguments and does not import them.
    """
    above = os.path.join(package, os.pardir, os.pardir) if room == RESEARCH else package
    folder = os.path.join(above, room)
    jit = os.path.join(package, "jit.py")
    own = _below(folder) or (f"{folder}.py",)
    wait = [file for file in own if _exists(file) and jit in _imported(file, package)]
    found: set[str] = set()
    while wait:
        file = wait.pop()
        if file not in found and _exists(file):
            found.add(file)
            wait += _imported(file, package)
    return tuple(sorted(found))


@cache
def _sources_hash(room: str, package: str = str(PACKAGE)) -> str:
    # Numba's own cache does not tell code with checks of bounds from code without.
    checks = bool(numba_config.BOUNDSCHECK)
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {checks}".encode())
    digest.update(_known_hash(room, package).encode())
    return digest.hexdigest()[:16]


def _hash_of_sources(room: str, package: str) -> str:
    digest = hashlib.sha256()
    for file in sources(room, package):
        digest.update(os.path.relpath(file, package).encode())
        digest.update(code_hash(file))
    return digest.hexdigest()


def _known_hash(room: str, package: str) -> str:
    """The hash of a room's sources, noted beside the kernels while no file of ours has changed.

    To read and hash them takes 40 ms of every start; to look at their dates takes 5.
    """
    place = cache_root() / "sources"
    if room == RESEARCH or package != str(PACKAGE) or not _private(str(place)):
        return _hash_of_sources(room, package)
    stamp = _stamp(package)
    file = place / f"{stamp}-{room}"
    try:
        known = file.read_text(encoding="ascii")
        if len(known) == 64:
            return known
    except (OSError, UnicodeDecodeError):
        pass
    found = _hash_of_sources(room, package)
    if _stamp.__wrapped__(package) != stamp:  # somebody is writing them
        return found
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        beside.write_text(found, encoding="ascii")
        beside.replace(file)
    except OSError:
        pass  # a folder that cannot be written to: they are hashed again next time
    return found


@cache
def _stamp(package: str) -> str:
    """What changes when any file of the package is written, moved or put in the place of another.

    The time at which a file became what it is cannot be set back by those who unpack or copy it.
    """
    digest = hashlib.sha256(package.encode())
    folders = [package]
    while folders:
        folder = folders.pop()
        found = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith(".py"):
                    seen = entry.stat()
                    times = (seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino)
                    found.append(f"{entry.path} {times}")
        folders.sort()
        digest.update("\n".join(sorted(found)).encode())
    return digest.hexdigest()[:32]


def _folder(room: str) -> Path:
    """Where the compiled kernels of a room are kept."""
    return cache_root() / f"{room}-{_sources_hash(room)}"


def is_cold(*rooms: str) -> bool:
    """True if kernels of one of the rooms were never compiled here as they are now."""
    if not compiled():
        return False
    return not all(any(_folder(room).rglob("*.nbi")) for room in rooms)


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(**flags: Any) -> Callable[[F], F]: ...
def kernel(function: F | None = None, **flags: Any) -> F | Callable[[F], F]:
    """Compile a function to machine code, without the GIL and with the compiled code cached.

    With `counted=False` it counts no references to arrays, which Numba does whenever an array is
    taken out of a tuple, by calls that cost as much as the work of a small kernel. Such a kernel
    makes no arrays and gives none back; its caller holds those that it works on.
    """
    if function is None:
        return lambda f: _compile(f, flags)
    return _compile(function, flags)


@cache
def _private(folder: str) -> bool:
    """Whether nobody but us (or root) can write into a folder of compiled code, which we run.

    It is made for us alone. One of somebody else's is not used; kernels are then compiled for
    this process only.
    """
    if os.name != "posix":
        return True
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
        if stat.S_ISLNK(found.st_mode):
            found = os.stat(folder)
        if found.st_uid == os.geteuid() and found.st_mode & 0o077:
            os.chmod(folder, 0o700)
            found = os.stat(folder)
    except OSError:
        return True  # nothing can be kept there, and Numba says so
    mine = found.st_uid in (os.geteuid(), 0) and not found.st_mode & 0o022
    if not mine:
        warnings.warn(
            f"{folder} belongs to somebody else, or others may write there; compiled kernels are "
            "code, so none are taken from it. Set NUMBA_CACHE_DIR to a folder of your own.",
            RuntimeWarning,
            stacklevel=2,
        )
    return mine


def _compile(function: F, flags: dict[str, Any]) -> F:
    if not compiled():
        # Machine words wrap around, in hashes on purpose; plain Python would warn of it.
        return np.errstate(over="ignore")(function)
    room = _room(function.__module__)
    options: dict[str, Any] = {"nogil": True, "cache": True, **flags}
    if not options.pop("counted", True) and _minor_version() == KNOWN_NUMBA:
        options["_nrt"] = False
    if not room or not _private(str(_folder(room))):
        options["cache"] = False
        return cast(F, _for_all_numbers(numba.njit(**options)(function)))
    before = getattr(numba_config, "CACHE_DIR", None)
    numba_config.CACHE_DIR = str(_folder(room))
    try:
        dispatcher = numba.njit(**options)(function)
        if options["cache"] and not _is_kept_in(dispatcher, _folder(room)):
            # Numba's own place may hold what was compiled with another callee.
            dispatcher = numba.njit(**{**options, "cache": False})(function)
        elif options["cache"]:
            cache: Any = dispatcher._cache
            if _PLACED:
                _place(cache, function, _folder(room))
            cache.load_overload = MethodType(_load_sound, cache)
            if _LINKED:
                cache.save_overload = MethodType(_save_alone, cache)
        return cast(F, _for_all_numbers(dispatcher))
    finally:
        numba_config.CACHE_DIR = before


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


# ------------------------------------------------- what goes deeper into Numba


def chosen(llvm: str, plain: str) -> ModuleType:
    """The module whose kernels are written in LLVM if it works here, else its plain twin.

    Both are named as strings, which `sources` finds: kernels are compiled anew when either changes.
    """
    return importlib.import_module(llvm if trusted(llvm) else plain)


@cache
def trusted(module: str) -> bool:
    """Whether the LLVM in a module may be used.

    The module has a function `agrees`, which compares the LLVM with the twin. Under a Numba that
    is not known here it is asked in a process of its own, since wrong LLVM may crash; the answer
    is kept with the kernels.
    """
    if not compiled() or os.environ.get(TRYING):
        return False
    if _minor_version() == KNOWN_NUMBA:
        return True
    file = _folder(_room(module)) / f"{module}.trusted"
    try:
        answer = file.read_text(encoding="ascii") == "yes"
    except OSError:
        answer = _try_out(module)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("yes" if answer else "no", encoding="ascii")
        except OSError:
            pass  # a folder that cannot be written to: the module is tried again next time
    if not answer:
        warnings.warn(
            f"the LLVM of {module} does not work with Numba {numba.__version__}; its plain twin is "
            f"used, which is slower. Install Numba {'.'.join(map(str, KNOWN_NUMBA))}.",
            RuntimeWarning,
            stacklevel=2,
        )
    return answer


def _minor_version() -> tuple[int, ...]:
    return tuple(numba.version_info.short)


def _try_out(module: str) -> bool:
    """Ask a module in a process of its own whether its LLVM agrees with the plain twin."""
    code = f"import sys; from {module} import agrees; sys.exit(0 if agrees() else 3)"
    path = os.pathsep.join([str(PACKAGE.parent), *filter(None, sys.path)])
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path, TRYING: "1"},
            capture_output=True,
            timeout=600,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


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
_PLACED = _minor_version() == KNOWN_NUMBA and hasattr(caching, "IndexDataCacheFile")
#: Whether kernels that others call are compiled by `jit_callees`.
_LINKED = _minor_version() == KNOWN_NUMBA and jit_callees.as_known() and jit_thrift.as_known()
