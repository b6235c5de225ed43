"""A network cut down to what a use of it needs, in the bytes of its ONNX file.

Windows are read one by one, so nothing is padded and nothing need be masked: without the mask that
is added to its scores, attention is computed in one go and not through a matrix of all pairs. Where
only some outputs are asked for, what leads to the others is left out. A network of many languages
has thousands of lemma rules and hundreds of values of features, of which a text needs those of its
language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from caesura.errors import ModelError
from caesura.neural.graph import read_number

__all__ = ["COLUMNS", "WIDTHS", "inner", "only", "with_columns", "without_mask"]

#: Numbers of the fields that are followed (onnx.proto): of a model, a graph, a node, a value.
_GRAPH: Final = 7
_NODE, _WEIGHT, _INPUT, _OUTPUT = 1, 5, 11, 12
_TAKES, _GIVES, _KIND = 1, 2, 4
_NAME, _WEIGHT_NAME = 1, 8
_DATA: Final = 9
_FLOAT, _LONG = 1, 7
#: Kinds of values: a number of any length, 8 bytes, bytes with their length, 4 bytes.
_NUMBER, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_FIXED: Final = {_EIGHT: 8, _FOUR: 4}
#: Of the inputs of attention: query, key and value; what is added to its scores.
_VECTORS, _BIAS = 3, 5
#: The product whose columns can be chosen takes vectors, weights, their scales, no zero, and a
#: bias; what the inputs are called that choose, and tell how many columns are of each tag.
_FAST: Final = "DynamicQuantizeMatMul"
_BY_COLUMN: Final = (2, 4)
COLUMNS: Final = "columns"
WIDTHS: Final = "widths"


class _Field(NamedTuple):
    """A field of a message: its number, all its bytes, and those of its value."""

    number: int
    whole: memoryview
    value: memoryview


class _Node(NamedTuple):
    kind: str
    takes: list[str]
    gives: list[str]


def without_mask(graph: bytes | memoryview) -> bytes:
    """The network for windows that are not padded; as it is where more than a mask is added."""
    nodes = [_node(field.value) for field in _graph(graph) if field.number == _NODE]
    maker = {name: node for node in nodes for name in node.gives}
    weights = {_name(f.value, _WEIGHT_NAME) for f in _graph(graph) if f.number == _WEIGHT}

    def is_mask(name: str) -> bool:
        wait, seen = [name], set()
        while wait:
            one = wait.pop()
            if one in maker:
                wait += [n for n in maker[one].takes if n and n not in seen]
                seen.update(maker[one].takes)
            elif one not in weights and one != "mask":
                return False
        return True

    def shortened(field: _Field) -> bytes | memoryview:
        node = _node(field.value) if field.number == _NODE else None
        if node is None or node.kind != "MultiHeadAttention" or len(node.takes) != _BIAS + 1:
            return field.whole
        if any(node.takes[_VECTORS:_BIAS]) or not is_mask(node.takes[_BIAS]):
            return field.whole
        rest = [one.whole for one in _fields(field.value) if one.number != _TAKES]
        own = [_packed(_TAKES, name.encode()) for name in node.takes[:_VECTORS]]
        return _packed(_NODE, b"".join([*own, *rest]))

    return _changed(graph, shortened)


def only(graph: bytes | memoryview, outputs: Iterable[str]) -> bytes:
    """The network that gives these outputs and no others."""
    wanted = set(outputs)
    nodes = [_node(field.value) for field in _graph(graph) if field.number == _NODE]
    needed, wait = set(wanted), list(wanted)
    maker = {name: node for node in nodes for name in node.gives}
    while wait:
        node = maker.get(wait.pop())
        fresh = [name for name in node.takes if name not in needed] if node else []
        needed.update(fresh)
        wait += fresh

    def kept(field: _Field) -> bytes | memoryview:
        if field.number == _NODE and needed.isdisjoint(_node(field.value).gives):
            return b""
        if field.number == _WEIGHT and _name(field.value, _WEIGHT_NAME) not in needed:
            return b""
        if field.number == _OUTPUT and _name(field.value, _NAME) not in wanted:
            return b""
        return field.whole

    return _changed(graph, kept)


def with_columns(graph: bytes | memoryview, widths: Sequence[int], tags: Sequence[str]) -> bytes:
    """The network that computes those columns of the scores of tags that one more input names.

    `tags` lie one behind the other, `widths` wide; another input tells how many columns of each are
    named. What is said of a column is what the whole network says. Unchanged where tags are not
    computed by one fast product.
    """
    nodes = [_node(field.value) for field in _graph(graph) if field.number == _NODE]
    maker = {name: node for node in nodes for name in node.gives}
    split = maker.get(tags[-1])
    product = maker.get(split.takes[0]) if split is not None and split.takes else None
    if split is None or product is None or split.gives != list(tags) or len(split.takes) != 2:
        return bytes(graph)
    if product.kind != _FAST or len(product.takes) != _BY_COLUMN[-1] + 1:
        return bytes(graph)
    if _longs(graph, split.takes[1]) != list(widths):
        return bytes(graph)
    takes = list(product.takes)
    before = []
    # Columns of weights are rows when they are picked, which is quicker by far.
    turned, picked = f"{COLUMNS}.turned", f"{COLUMNS}.picked"
    before.append(_made("Transpose", [takes[1]], turned))
    before.append(_made("Gather", [turned, COLUMNS], picked, 0))
    takes[1] = f"{COLUMNS}.1"
    before.append(_made("Transpose", [picked], takes[1]))
    for place in _BY_COLUMN:
        takes[place] = f"{COLUMNS}.{place}"
        before.append(_made("Gather", [product.takes[place], COLUMNS], takes[place], 0))

    def changed(field: _Field) -> bytes | memoryview:
        name = _name(field.value, _NAME) if field.number == _OUTPUT else ""
        if name in tags:
            return _packed(_OUTPUT, _value(name, _FLOAT, 3))
        node = _node(field.value) if field.number == _NODE else None
        if node is None or node.gives not in (split.gives, product.gives):
            return field.whole
        mine = takes if node.gives == product.gives else [node.takes[0], WIDTHS]
        rest = [one.whole for one in _fields(field.value) if one.number != _TAKES]
        own = [_packed(_TAKES, name.encode()) for name in mine]
        made = _packed(_NODE, b"".join([*own, *rest]))
        if node.gives == split.gives:
            return made
        asked = [_packed(_INPUT, _value(name, _LONG, 1)) for name in (COLUMNS, WIDTHS)]
        return b"".join([*asked, *before, made])

    return _changed(graph, changed)


def inner(graph: bytes | memoryview, layer: int) -> bytes:
    """The network up to the vectors that a layer of the encoder gives, from 1 on."""
    nodes = (_node(field.value) for field in _graph(graph) if field.number == _NODE)
    # The embeddings are normalised, too, and in a layer first attention and then the whole.
    norms = [node.gives[0] for node in nodes if node.kind == "LayerNormalization"]
    if not 1 <= layer <= (len(norms) - 1) // 2:
        raise ModelError(f"its network has no layer {layer}")
    name = norms[2 * layer]
    more = _packed(_OUTPUT, _packed(_NAME, name.encode()))
    last = [field for field in _graph(graph) if field.number == _OUTPUT][-1].whole

    def added(field: _Field) -> bytes | memoryview:
        return b"".join((field.whole, more)) if field.whole == last else field.whole

    def taken(field: _Field) -> bytes | memoryview:
        unused = field.number == _INPUT and _name(field.value, _NAME) not in used
        return b"" if unused else field.whole

    cut = only(_changed(graph, added), [name])
    left = (_node(field.value) for field in _graph(cut) if field.number == _NODE)
    used = {given for node in left for given in node.takes}
    return _changed(cut, taken)


def _longs(graph: bytes | memoryview, name: str) -> list[int]:
    """The numbers of a constant; none if it is not one of whole numbers."""
    for field in _graph(graph):
        if field.number == _WEIGHT and _name(field.value, _WEIGHT_NAME) == name:
            data = [one.value for one in _fields(field.value) if one.number == _DATA]
            whole = data and len(data[0]) % 8 == 0
            return np.frombuffer(data[0], "<i8").tolist() if whole else []
    return []


def _made(kind: str, takes: Sequence[str], gives: str, axis: int | None = None) -> bytes:
    """A node, perhaps with an axis (its attributes: a name, a number, and that it is one)."""
    parts = [_packed(_TAKES, name.encode()) for name in takes]
    parts += [_packed(_GIVES, gives.encode()), _packed(_KIND, kind.encode())]
    if axis is not None:
        number = [_number(3 << 3), _number(axis), _number(20 << 3), _number(2)]
        parts.append(_packed(5, b"".join([_packed(_NAME, b"axis"), *number])))
    return _packed(_NODE, b"".join(parts))


def _value(name: str, kind: int, dimensions: int) -> bytes:
    """What an input or output is: a tensor whose sizes are open."""
    open_ = b"".join(_packed(1, _packed(2, f"{name}.{n}".encode())) for n in range(dimensions))
    tensor = b"".join([_number(1 << 3), _number(kind), _packed(2, open_)])
    return _packed(_NAME, name.encode()) + _packed(2, _packed(1, tensor))


def _changed(graph: bytes | memoryview, change: Callable[[_Field], bytes | memoryview]) -> bytes:
    """The model with every field of its graph changed."""
    parts: list[bytes | memoryview] = []
    for field in _fields(memoryview(graph)):
        if field.number != _GRAPH:
            parts.append(field.whole)
            continue
        inner = [change(one) for one in _fields(field.value)]
        parts += [_number(_GRAPH << 3 | _BYTES), _number(sum(map(len, inner))), *inner]
    return b"".join(parts)


def _graph(graph: bytes | memoryview) -> Iterator[_Field]:
    for field in _fields(memoryview(graph)):
        if field.number == _GRAPH:
            yield from _fields(field.value)


def _node(data: memoryview) -> _Node:
    kind, takes, gives = "", [], []
    for field in _fields(data):
        if field.number == _TAKES:
            takes.append(str(field.value, "utf-8"))
        elif field.number == _GIVES:
            gives.append(str(field.value, "utf-8"))
        elif field.number == _KIND:
            kind = str(field.value, "utf-8")
    return _Node(kind, takes, gives)


def _name(data: memoryview, number: int) -> str:
    return next((str(f.value, "utf-8") for f in _fields(data) if f.number == number), "")


def _fields(data: memoryview) -> Iterator[_Field]:
    """The fields of a message."""
    at = 0
    while at < len(data):
        begin = at
        key, at = read_number(data, at)
        kind = key & 7
        if kind == _NUMBER:
            value = at
            _, at = read_number(data, at)
        elif kind == _BYTES:
            size, value = read_number(data, at)
            at = value + size
        else:
            value, at = at, at + _FIXED[kind]
        yield _Field(key >> 3, data[begin:at], data[value:at])


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def _packed(number: int, value: bytes) -> bytes:
    return _number(number << 3 | _BYTES) + _number(len(value)) + value
