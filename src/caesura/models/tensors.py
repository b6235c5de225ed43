"""Reading the arrays of a model file one by one from a stream, each once.

The layout is that of safetensors: the length of a header in eight bytes, the header in JSON (for
each array its type, its shape and where its bytes lie), then the bytes. Read this way, the file is
never held as a whole.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from io import BufferedIOBase
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["BadTensors", "pages", "read_tensors"]

_TYPES: Final = {
    "BOOL": "?",
    "U8": "<u1",
    "I8": "<i1",
    "U16": "<u2",
    "I16": "<i2",
    "F16": "<f2",
    "U32": "<u4",
    "I32": "<i4",
    "F32": "<f4",
    "U64": "<u8",
    "I64": "<i8",
    "F64": "<f8",
}
_MOST_HEADER: Final = 1 << 24
_CHUNK: Final = 1 << 18
#: Larger arrays get pages of their own, which go back to the system when the array goes.
_PAGES: Final = 1 << 16
_LARGE_PAGE: Final = 1 << 21


class BadTensors(ValueError):
    """What was read is no list of arrays."""


def read_tensors(stream: BufferedIOBase, size: int) -> tuple[dict[str, NDArray[Any]], str]:
    """The arrays by name, and the SHA-256 of all `size` bytes of the stream."""
    digest = hashlib.sha256()

    def take(count: int) -> bytearray | mmap.mmap:
        found = pages(count) if count >= _PAGES else bytearray(count)
        if count >= _LARGE_PAGE and isinstance(found, mmap.mmap) and hasattr(mmap, "MADV_HUGEPAGE"):
            found.madvise(mmap.MADV_HUGEPAGE)
        room = memoryview(found)
        while len(room):
            read = stream.readinto(room[:_CHUNK])
            if not read:
                raise BadTensors("the arrays end too early")
            digest.update(room[:read])
            room = room[read:]
        return found

    if size < 8:
        raise BadTensors("there is no header")
    length = int.from_bytes(take(8), "little")
    if length > min(_MOST_HEADER, size - 8):
        raise BadTensors("the header is too long")
    arrays = {}
    for name, dtype, shape, count in _layout(bytes(take(length)), size - 8 - length):
        room: Any = take(count)
        arrays[name] = np.frombuffer(room, dtype, count // dtype.itemsize).reshape(shape)
    if stream.readinto(bytearray(1)):
        raise BadTensors("there is more than the header says")
    return arrays, digest.hexdigest()


def pages(count: int) -> mmap.mmap:
    """Zero bytes in pages of their own, which are taken when they are first touched."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, count)
    return mmap.mmap(-1, count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _layout(header: bytes, size: int) -> list[tuple[str, np.dtype[Any], tuple[int, ...], int]]:
    """Name, type, shape and bytes of each array, in the order of their bytes, without a gap."""
    entries = json.loads(header)
    entries.pop("__metadata__", None)
    found = []
    for name, entry in entries.items():
        begin, end = entry["data_offsets"]
        shape = tuple(entry["shape"])
        if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
            raise BadTensors("a size is no number")
        dtype = np.dtype(_TYPES[entry["dtype"]])
        count = dtype.itemsize
        for n in shape:
            count *= n
        if end - begin != count:
            raise BadTensors(f"array {name} has not the size that it says")
        found.append((begin, end, name, dtype, shape))
    found.sort(key=lambda entry: entry[:2])
    at = 0
    for begin, end, *_ in found:
        if begin != at:
            raise BadTensors("the arrays overlap or leave a gap")
        at = end
    if at != size:
        raise BadTensors("the arrays do not fill the file")
    return [(name, dtype, shape, end - begin) for begin, end, name, dtype, shape in found]
