"""Read the nodes and constants of an ONNX file: the networks of older model files.

Only the fields that matter are followed (onnx.proto). The graph is never run: `weights` takes the
arrays out of it. Files written today hold the arrays themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError

__all__ = ["Graph", "Node", "read_graph"]

#: Numbers of fields: of a model; of a graph; of a node; of an attribute; of a tensor.
_GRAPH, _FUNCTIONS = 7, 25
_NODE, _TENSOR, _SPARSE = 1, 5, 15
_TAKES, _GIVES, _KIND, _ATTRIBUTE = 1, 2, 4, 5
_NAME, _FLOAT, _INTEGER = 1, 2, 3
_DIMS, _TYPE, _LABEL, _RAW, _ELSEWHERE, _WHERE = 1, 2, 8, 9, 13, 14
_TYPES: Final = {1: "<f4", 2: "<u1", 3: "<i1", 6: "<i4", 7: "<i8", 10: "<f2"}
#: Kinds of values: an integer of any length, 8 bytes, bytes with their length, 4 bytes.
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
#: The most dimensions of a constant.
_DEEP: Final = 8


@dataclass(frozen=True)
class Node:
    """An operator: its kind, the names of its inputs and outputs, its numeric attributes."""

    kind: str
    takes: list[str]
    gives: list[str]
    numbers: Mapping[str, float]


@dataclass(frozen=True)
class Graph:
    """The operators in order, and the constants by name."""

    nodes: list[Node]
    constants: Mapping[str, NDArray[Any]]


def read_graph(data: bytes | memoryview) -> Graph:
    """The graph of an ONNX file. Raises ValueError or IndexError where the file is damaged."""
    nodes: list[Node] = []
    constants: dict[str, NDArray[Any]] = {}
    for part, body in _fields(memoryview(data)):
        if part == _FUNCTIONS:
            raise ModelError("its network has functions of its own")
        if part != _GRAPH or not isinstance(body, memoryview):
            continue
        for number, value in _fields(body):
            if number == _SPARSE:
                raise ModelError("its network has sparse tensors")
            if number == _NODE and isinstance(value, memoryview):
                nodes.append(_node(value))
            elif number == _TENSOR and isinstance(value, memoryview):
                name, array = _tensor(value)
                constants[name] = array
    return Graph(nodes, constants)


def _node(data: memoryview) -> Node:
    kind = ""
    takes: list[str] = []
    gives: list[str] = []
    numbers: dict[str, float] = {}
    for number, value in _fields(data):
        if not isinstance(value, memoryview):
            continue
        if number == _TAKES:
            takes.append(str(value, "utf-8"))
        elif number == _GIVES:
            gives.append(str(value, "utf-8"))
        elif number == _KIND:
            kind = str(value, "utf-8")
        elif number == _ATTRIBUTE:
            own = dict(_fields(value))
            name = str(own[_NAME], "utf-8")  # type: ignore[arg-type]
            if _FLOAT in own:
                numbers[name] = struct.unpack("<f", own[_FLOAT])[0]  # type: ignore[arg-type]
            elif isinstance(own.get(_INTEGER), int):
                numbers[name] = float(own[_INTEGER])  # type: ignore[arg-type]
    return Node(kind, takes, gives, numbers)


def _tensor(data: memoryview) -> tuple[str, NDArray[Any]]:
    name, kind = "", 0
    shape: list[int] = []
    raw = memoryview(b"")
    for number, value in _fields(data):
        if number == _ELSEWHERE or (number == _WHERE and value):
            raise ModelError("its network keeps numbers in another file")
        if isinstance(value, int):
            if number == _DIMS:
                shape.append(value)
            elif number == _TYPE:
                kind = value
        elif number == _DIMS:
            at = 0
            while at < len(value):
                size, at = _varint(value, at)
                shape.append(size)
        elif number == _LABEL:
            name = str(value, "utf-8")
        elif number == _RAW:
            raw = value
    if kind not in _TYPES or len(shape) > _DEEP:
        raise ValueError("a constant of an unknown type")
    dtype = np.dtype(_TYPES[kind])
    if prod(shape) * dtype.itemsize != len(raw):
        raise ValueError("a constant that has not the size that it says")
    return name, np.frombuffer(raw, dtype).reshape(shape)


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """An integer of seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("an integer without an end")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: their numbers and values."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in (_EIGHT, _FOUR):
            size = 8 if kind == _EIGHT else 4
        else:
            raise ValueError("a field of an unknown kind")
        if at + size > len(data):
            raise ValueError("a field that goes beyond its message")
        yield key >> 3, data[at : at + size]
        at += size
