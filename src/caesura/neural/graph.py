"""What a network in a model file may be: looked at before ONNX Runtime gets it, and once it has it.

A graph is data of others. Of its protocol buffer only what matters here is read: the kinds of its
operators, and whether some tensor lies in another file. A network of ours goes through its layers
once, so operators that hold further graphs (loops, branches) are refused: a loop need not end.
What it promises to give out is then compared with the labels that the model file has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from caesura.errors import ModelError

__all__ = ["check_graph", "check_promises", "read_number", "unlike"]

_AGAIN: Final = "The file was made by another program or version; train or fetch it again."
#: Operators that run graphs of their own.
_CONTROL: Final = frozenset({b"If", b"Loop", b"Scan", b"SequenceMap"})
#: Numbers of the fields that are followed (onnx.proto): of a model, a graph, a node, a tensor.
_GRAPH, _FUNCTIONS = 7, 25
_NODE, _TENSOR, _SPARSE = 1, 5, 15
_KIND, _ATTRIBUTE, _VALUE = 4, 5, 5
_ELSEWHERE, _WHERE = 13, 14
#: Kinds of values: a number of any length, 8 bytes, bytes with their length, 4 bytes.
_NUMBER, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


def read_number(data: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a number without an end")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: their numbers and values."""
    at = 0
    while at < len(data):
        key, at = read_number(data, at)
        kind = key & 7
        if kind == _NUMBER:
            value, at = read_number(data, at)
            yield key >> 3, value
        elif kind == _BYTES:
            size, at = read_number(data, at)
            if at + size > len(data):
                raise ValueError("a field that goes beyond its message")
            yield key >> 3, data[at : at + size]
            at += size
        elif kind in (_EIGHT, _FOUR):
            at += 8 if kind == _EIGHT else 4
        else:
            raise ValueError("a kind of field that nobody writes")


def _inside(data: memoryview, *numbers: int) -> Iterator[tuple[int, memoryview]]:
    for number, value in _fields(data):
        if number in numbers and isinstance(value, memoryview):
            yield number, value


def check_graph(graph: bytes | memoryview) -> None:
    """Refuse a graph that may go on without end or that reads other files."""
    try:
        for part, body in _inside(memoryview(graph), _GRAPH, _FUNCTIONS):
            if part == _FUNCTIONS:
                raise ModelError("its network has functions of its own", remedy=_AGAIN)
            for number, value in _inside(body, _NODE, _TENSOR, _SPARSE):
                if number == _NODE:
                    _check_node(value)
                elif number == _SPARSE:
                    raise ModelError("its network has sparse tensors", remedy=_AGAIN)
                else:
                    _check_tensor(value)
    except (IndexError, ValueError) as error:
        raise ModelError("its network cannot be read by onnxruntime", remedy=_AGAIN) from error


def _check_node(node: memoryview) -> None:
    for number, value in _inside(node, _KIND, _ATTRIBUTE):
        if number == _KIND and bytes(value) in _CONTROL:
            what = f"its network has the operator {bytes(value).decode()}, which need not end"
            raise ModelError(what, remedy=_AGAIN)
        if number == _ATTRIBUTE:
            for _, tensor in _inside(value, _VALUE):
                _check_tensor(tensor)


def _check_tensor(tensor: memoryview) -> None:
    for number, value in _fields(tensor):
        if number == _ELSEWHERE or (number == _WHERE and value):
            raise ModelError("its network keeps numbers in another file", remedy=_AGAIN)


def check_promises(session: Any, widths: Mapping[str, int]) -> None:
    """Compare what the network gives out with the width that each output should have.

    A width of 0 stands for an output without one: a score for each word. Dimensions that the graph
    leaves open are looked at when it has run.
    """
    for entry in session.get_outputs():
        width = widths.get(entry.name)
        if width is None:
            continue
        shape = entry.shape
        if entry.type != "tensor(float)" or len(shape) != (3 if width else 2):
            what = f"its network gives {entry.type} of {len(shape)} dimensions for {entry.name}"
            raise ModelError(what, remedy=_AGAIN)
        if width > 0 and isinstance(shape[-1], int) and shape[-1] != width:
            raise unlike(entry.name, shape[-1], width)


def unlike(name: str, found: int, wanted: int) -> ModelError:
    """What to say of an output that does not fit its labels."""
    what = f"its network gives {found:,} numbers a word for {name}, of which there are {wanted:,}"
    return ModelError(what, remedy="The file is damaged; train or fetch it again.")
