"""Machine code that needs no compiler: laid out when it is compiled, put into memory when called.

Numba keeps a kernel as an object file, which LLVM links: 45 MB of library and 20 MB of modules for
the sake of a few hundred addresses. Here the sections of an object file are laid out once, as an
image; to load it is to copy it and to write those addresses into it (System V ABI for x86-64,
section 4.4). Whatever is not as known here has no image, and goes Numba's way.
"""

from __future__ import annotations

import builtins
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import marshal
import mmap
import os
import struct
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple

__all__ = ["Image", "callable_of", "image_of", "packed", "preloaded", "supported", "unpacked"]

#: Modules of Numba's in C that code calls, which need nothing else of Numba.
_IN_C: Final = ("numba._dynfunc", "numba._helperlib", "numba.core.runtime._nrt_python")
_MAGIC: Final = b"caesura image 1\n"
#: Of object files: 64 bits, little-endian, to be linked, for x86-64.
_ELF: Final = b"\x7fELF\x02\x01"
_KIND: Final = (1, 62)
_SYMBOLS, _RELOCATIONS, _ZEROS = 2, 4, 8
_WRITE, _ALLOCATE, _EXECUTE = 1, 2, 4
#: Sections that are laid out: with bytes, or of zeros; all others that would be in memory are
#: unknown here, but for those by which exceptions of C++ find their way.
_BYTES: Final = 1
_UNWIND: Final = 0x70000001
_UNDEFINED, _COMMON = 0, 0xFFF2
_ADDRESS: Final = 1  # R_X86_64_64
_PAGE: Final = mmap.PAGESIZE


class Image(NamedTuple):
    """Code and data in their places, and the addresses that are written into them."""

    #: Code and constants, then from a page of its own on what code may write to.
    body: bytes
    writable: int
    #: Where the function is that Python calls, and where it looks for its environment.
    entry: int
    environment: int
    #: Places, the names of what lies elsewhere (-1: the image itself), and what is added.
    places: list[tuple[int, int, int]]
    names: list[str]


def supported() -> bool:
    """Whether images run on this system; others link by LLVM."""
    about = os.uname() if hasattr(os, "uname") else None
    known = about is not None and (about.sysname, about.machine) == ("Linux", "x86_64")
    return known and sys.maxsize > 1 << 32


# ----------------------------------------------------------------- laying out


def image_of(code: bytes, entry: str, environment: str) -> Image | None:
    """The image of an object file with these two symbols; None if it has something unknown."""
    try:
        return _laid_out(code, entry.encode(), environment.encode())
    except (KeyError, IndexError, struct.error, ValueError):
        return None


def _laid_out(code: bytes, entry: bytes, environment: bytes) -> Image:
    if code[:6] != _ELF or struct.unpack_from("<HH", code, 16) != _KIND:
        raise ValueError("no object file for this processor")
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, table + n * size) for n in range(count)]
    body = bytearray()
    offsets: dict[int, int] = {}
    writable = 0
    for want in (0, _WRITE):
        if want:
            body.extend(bytes(-len(body) % _PAGE))
            writable = len(body)
        for number, (_, kind, flags, _, at, length, _, _, align, _) in enumerate(sections):
            if not flags & _ALLOCATE or flags & _WRITE != want or kind == _UNWIND:
                continue
            if kind not in (_BYTES, _ZEROS) or flags & 0x400:  # or it is one for each thread
                raise ValueError("a kind of section that is not known")
            if not length:
                continue
            body.extend(bytes(-len(body) % max(align, 16)))
            offsets[number] = len(body)
            body.extend(bytes(length) if kind == _ZEROS else code[at : at + length])
    symbols, where = _symbols(code, sections, offsets, body)
    names: list[str] = []
    places = []
    for _, kind, _, _, at, length, _, target, _, _ in sections:
        if kind != _RELOCATIONS or target not in offsets:
            continue
        for begin in range(at, at + length, 24):
            offset, about, plus = struct.unpack_from("<QQq", code, begin)
            if about & 0xFFFFFFFF != _ADDRESS:
                raise ValueError("a kind of address that is not known")
            found = symbols[about >> 32]
            if found == "":
                raise ValueError("an address in a section that is not there")
            if isinstance(found, str):
                if found not in names:
                    names.append(found)
                places.append((offsets[target] + offset, names.index(found), plus))
            else:
                places.append((offsets[target] + offset, -1, found + plus))
    return Image(bytes(body), writable, where[entry], where[environment], places, names)


def _symbols(
    code: bytes, sections: list[tuple[int, ...]], offsets: dict[int, int], body: bytearray
) -> tuple[list[int | str], dict[bytes, int]]:
    """What each symbol is: a place in the image or a name; and the places by name."""
    (table,) = (section for section in sections if section[1] == _SYMBOLS)
    strings = sections[table[6]]
    found: list[int | str] = []
    where: dict[bytes, int] = {}
    for begin in range(table[4], table[4] + table[5], 24):
        name_at, _, _, section, value, size = struct.unpack_from("<IBBHQQ", code, begin)
        start = strings[4] + name_at
        name = code[start : code.index(b"\0", start)]
        if section == _UNDEFINED:
            found.append(name.decode("ascii"))
        elif section == _COMMON:  # zeros, of which `value` is the alignment
            body.extend(bytes(-len(body) % max(value, 1)))
            where[name] = len(body)
            found.append(len(body))
            body.extend(bytes(size))
        elif section in offsets:
            where[name] = offsets[section] + value
            found.append(where[name])
        else:  # of an empty section, or the name of a file
            found.append("")
    return found, where


# -------------------------------------------------------------------- on disk


def packed(image: Image) -> bytes:
    """An image as a file."""
    data = marshal.dumps(tuple(image))
    return _MAGIC + hashlib.sha256(data).digest() + data


def unpacked(file: bytes) -> Image | None:
    """The image in a file; None for half of one, or another."""
    start = len(_MAGIC) + 32
    data = file[start:]
    whole = file[:start] == _MAGIC + hashlib.sha256(data).digest()
    return Image(*marshal.loads(data)) if whole else None


# ------------------------------------------------------------------ in memory


def callable_of(image: Image, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """What Python calls: the code of an image in memory; None where that cannot be."""
    helpers = _helpers()
    addresses = [helpers.get(name) or _address(name) for name in image.names]
    if not all(addresses):
        return None
    room = mmap.mmap(-1, max(len(image.body), 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    base = ctypes.addressof(ctypes.c_char.from_buffer(room))
    room[: len(image.body)] = image.body
    for place, name, plus in image.places:
        value = plus + (base if name < 0 else addresses[name])
        struct.pack_into("<Q", room, place, value & 0xFFFFFFFFFFFFFFFF)
    dynamic = _in_c()[0]
    environment = dynamic.Environment(function.__globals__)
    struct.pack_into("<Q", room, image.environment, id(environment))
    protect = _process().mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if image.writable and protect(base, image.writable, mmap.PROT_READ | mmap.PROT_EXEC):
        return None  # a system on which no memory becomes code
    made: Callable[..., Any] = dynamic.make_function(
        sys.modules.get(function.__module__, builtins),
        function.__name__,
        function.__doc__ or "",
        base + image.entry,
        environment,
        (room, environment),
    )
    return made


@cache
def _process() -> Any:
    return ctypes.CDLL(None)


def _address(name: str) -> int:
    """Where a function of Python or of C is in this process; 0: nowhere."""
    try:
        return ctypes.cast(getattr(_process(), name), ctypes.c_void_p).value or 0
    except AttributeError:
        return 0


@cache
def _helpers() -> dict[str, int]:
    """What Numba tells LLVM of its own functions and of objects of Python, by name."""
    dynamic, helping, runtime = _in_c()
    found = dict(helping.c_helpers)  # functions of C's own library by their own names
    for module in (helping, dynamic):
        found.update({f"numba_{name}": at for name, at in module.c_helpers.items()})
    for name, at in runtime.c_helpers.items():
        found[name if name.startswith("_") else f"NRT_{name}"] = at
    for kind in vars(builtins).values():
        if isinstance(kind, type) and issubclass(kind, BaseException):
            found[f"PyExc_{kind.__name__}"] = id(kind)
    found["_Py_NoneStruct"] = id(None)
    return found


@cache
def _in_c() -> tuple[ModuleType, ...]:
    """The modules of Numba's in C, of which it takes these when it is imported itself."""
    return tuple(map(_module, _IN_C))


def _module(name: str) -> ModuleType:
    if name in sys.modules or "numba" in sys.modules:
        return importlib.import_module(name)
    package = importlib.util.find_spec("numba")
    if package is None or package.origin is None:
        raise ImportError("there is no Numba")
    path = os.path.join(os.path.dirname(package.origin), *name.split(".")[1:])
    file = path + importlib.machinery.EXTENSION_SUFFIXES[0]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no {file}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module


def preloaded() -> None:
    """Give the packages of Numba, now that it is imported, the modules that were there before."""
    for name in _IN_C:
        package, _, own = name.rpartition(".")
        if name in sys.modules and package in sys.modules:
            setattr(sys.modules[package], own, sys.modules[name])
