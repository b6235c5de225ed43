"""The one place that decides how kernels are compiled: flags, cache and threads.

Numba's own cache looks at the file of the compiled function only and misses a changed callee or
constant in another file. Here every kernel is cached in a folder named after a hash of all sources
of its room and of all that they import from other rooms, directly or not: what a kernel is compiled
from is in its key. Comments, docstrings, numbers of lines and dates of files are not: an upgrade
that changes no code finds the kernels again.

Some of this goes deeper into Numba than its documentation; a Numba that is not known here does
without: then kernels load more slowly, and are not wrong.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast
from typing import overload as of_types

import numpy as np
from platformdirs import user_cache_path

from caesura.jit_code import code_hash
from caesura.jit_kernel import Kernel
from caesura.jit_version import KNOWN_NUMBA, minor_version, numba_version

__all__ = [
    "cache_root",
    "compiled",
    "is_cold",
    "kernel",
    "numba_version",
    "sources",
]

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
#: A folder beside `src/`, not in the wheel, whose kernels borrow from every room.
RESEARCH = "research"
#: What a module of ours imports when it is loaded. Indented imports are for type checkers or for
#: functions, of which no kernel is compiled; a test compares this with what Python's parser finds.
_IMPORT = re.compile(
    rb"\n(?:from (caesura(?:\.\w+)*) import (\([^)]*\)|[^\n]*)|import (caesura(?:\.\w+)*))"
)
_NAME = re.compile(r"\w+")
_NOT_A_NAME = re.compile(r"#.*| as \w+")


def compiled() -> bool:
    """False where NUMBA_DISABLE_JIT=1 runs the kernels as plain Python (for coverage)."""
    return not _is_set("DISABLE_JIT")


def _is_set(name: str) -> bool:
    """Whether a setting of Numba is on, which is asked itself where it alone can tell."""
    if "numba" in sys.modules or os.path.exists(".numba_config.yaml"):
        from numba.core import config

        return bool(getattr(config, name))
    try:
        return bool(int(os.environ.get(f"NUMBA_{name}") or 0))
    except ValueError:
        return False  # which is what Numba takes it for, with a warning


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
    if wait:
        wait.append(os.path.join(package, "jit_numba.py"))
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
    checks = _is_set("BOUNDSCHECK")
    digest = hashlib.sha256(f"{numba_version()} {sys.version_info[:2]} {checks}".encode())
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


@of_types
def kernel(function: F) -> F: ...
@of_types
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
    if not options.pop("counted", True) and minor_version() == KNOWN_NUMBA:
        options["_nrt"] = False
    folder = _folder(room) if room and _private(str(_folder(room))) else None
    return cast(F, Kernel(function, options, folder))
