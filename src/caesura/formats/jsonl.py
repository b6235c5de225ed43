"""JSON Lines: a document a line, with everything that a document holds.

Fields have the names of the document's columns; strings are spelled out, and what is unknown
everywhere is left out. Numbers that are unknown are null. `said` and `take` are one column of it,
of which the messages of `serve` are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import GenericAlias
from typing import Any, BinaryIO, Final, TypeVar, get_type_hints

import msgspec
import numpy as np

from caesura.document import Document, EmptyNode, KBestTags
from caesura.document.schema import Column, schema_of
from caesura.errors import FormatError, InputError, UsageError, kind_of
from caesura.formats.build import SURROGATES
from caesura.formats.io import lines
from caesura.formats.options import ReadOptions, WriteOptions

D = TypeVar("D", bound=Document)


class _Node(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    anchor: int
    minor: int = 1
    form: str = ""
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    feats: str = ""
    deps: str = ""
    misc: str = ""


class _Options(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    column: str
    tags: list[list[str]]
    probabilities: list[list[float]]
    others: dict[str, list[list[str]]] = {}
    right: list[int] | None = None


class _Line:
    """The fields of a line of one class of documents, as its schema declares them."""

    def __init__(self, kind: type[Document]) -> None:
        hints = get_type_hints(kind)
        fields = [_field(kind, column, hints[column.name]) for column in schema_of(kind).written]
        self.struct: Any = msgspec.defstruct(
            "Line", fields, omit_defaults=True, forbid_unknown_fields=True
        )
        self.decoder = msgspec.json.Decoder(self.struct)


_LINES: Final[dict[Any, _Line]] = {}


def _line(kind: type[Document]) -> _Line:
    if kind not in _LINES:
        _LINES[kind] = _Line(kind)
    return _LINES[kind]


def _field(kind: type[Document], column: Column, hint: Any) -> Any:
    """The name, the type and what is left out of one field."""
    if column.name == "text":
        return ("text", str)
    if column.kind == "by token":
        return (column.name, dict[int, list[str]], {})
    if column.kind == "empty nodes":
        return (column.name, list[_Node], [])
    if column.kind == "k-best":
        return (column.name, _Options | None, None)
    if not column.is_array:
        default = getattr(kind, column.name)
        if isinstance(default, tuple | frozenset):
            return (column.name, list[str], [])
        return (column.name, hint, default)
    value: Any = str if column.kind == "strings" else int
    if np.dtype(column.dtype).kind == "f":
        value = float | None
    if column.width > 1:
        value = GenericAlias(tuple, (value,) * column.width)
    if column.optional:
        return (column.name, list[value] | None, None)
    return (column.name, list[value], [])


_ENCODER: Final = msgspec.json.Encoder()


def read_jsonl(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a file, one a line."""
    for number, line in lines(stream, options):
        if not line.strip():
            continue
        try:
            doc = decode(line.encode("utf-8"))
        except InputError as error:
            options.skip(
                options.error(
                    error.what,
                    number,
                    remedy="Fix the line, or pass --skip-bad to leave the document out.",
                )
            )
            continue
        doc.source = options.file
        yield doc


def write_jsonl(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents, one a line."""
    for doc in documents:
        stream.write(encode(doc) + b"\n")


def encode(doc: Document) -> bytes:
    """A document as JSON."""
    made = _struct(doc)
    try:
        return _ENCODER.encode(made)
    except UnicodeEncodeError:  # lone surrogates, as names of files may hold them
        return _ENCODER.encode(_without_surrogates(msgspec.to_builtins(made, str_keys=True)))


def to_dict(doc: Document) -> dict[str, Any]:
    """A document as the values that JSON has."""
    found: dict[str, Any] = msgspec.to_builtins(_struct(doc), str_keys=True)
    return found


def _struct(doc: Document) -> Any:
    """The line of a document, before it is written."""
    fields: dict[str, Any] = {}
    for column in doc.schema.written:
        value = getattr(doc, column.name)
        fields[column.name] = None if value is None else _said(doc, column, value)
    if fields["word_token"] == list(range(doc.n_tokens)):
        fields["word_token"] = []
        if fields["form"] == [doc.text[a:b] for a, b in _spans(doc)]:
            fields["form"] = []
    return _line(type(doc)).struct(**fields)


def _without_surrogates(value: Any) -> Any:
    """The same value with U+FFFD for each of them."""
    if isinstance(value, str):
        return SURROGATES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(one) for one in value]
    return value


def said(doc: Document, name: str) -> list[Any] | None:
    """A column row by row, unknown values too; None if no stage has added it."""
    value = getattr(doc, name)
    return None if value is None else _rows(doc, doc.schema.by_name[name], value)


def take(doc: Document, name: str, rows: list[Any]) -> None:
    """Set a column to rows as a line says them."""
    setattr(doc, name, _value(doc, doc.schema.by_name[name], rows))


def _rows(doc: Document, column: Column, value: Any) -> list[Any]:
    if column.kind == "strings":
        return doc.strings.take(value)
    if column.width > 1:
        return [tuple(_nulls(row)) for row in value]
    return _nulls(value) if value.dtype.kind == "f" else value.tolist()


def _said(doc: Document, column: Column, value: Any) -> Any:
    """What a line says of a column; nothing if all of it is unknown."""
    if column.kind == "by token":
        return {token: list(own) for token, own in value.items()}
    if column.kind == "empty nodes":
        names = _Node.__struct_fields__
        return [_Node(*(getattr(node, name) for name in names)) for node in value]
    if column.kind == "k-best":
        return _options_said(doc, value)
    if not column.is_array:
        if isinstance(value, frozenset):
            return sorted(value)
        return list(value) if isinstance(value, tuple) else value
    rows = _rows(doc, column, value)
    # A form says something even where it is empty: it is not the text of its token.
    if column.unknown is not None and column.name != "form":
        unknown = column.unknown
        if all(one == unknown for one in rows):
            return []
    return rows


def _options_said(doc: Document, options: KBestTags) -> _Options:
    named = {name: [doc.strings.take(row) for row in ids] for name, ids in options.columns.items()}
    return _Options(
        options.column,
        named.pop(options.column),
        options.probabilities.astype(float).tolist(),
        named,
        None if options.right is None else options.right.tolist(),
    )


def _spans(doc: Document) -> Iterator[tuple[int, int]]:
    return zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)


def _nulls(values: np.ndarray) -> list[float | None]:
    return [None if value != value else value for value in values.astype(float).tolist()]


def decode(line: bytes) -> Document:
    """A document from JSON; InputError says what is wrong, without a place."""
    return decode_as(line, Document)


def decode_as(line: bytes, kind: type[D]) -> D:
    """A document of some class, with its columns, from JSON."""
    try:
        return _made(_line(kind).decoder.decode(line), kind)
    except msgspec.DecodeError as error:
        raise InputError(f"this is no document: {_plain(str(error))}") from None


def from_dict(said: Mapping[str, Any]) -> Document:
    """A document from the values that JSON has."""
    if not isinstance(said, Mapping):
        raise UsageError(
            f"a document is made of a mapping, not of {kind_of(said)}",
            remedy="Read JSON with json.loads first.",
        )
    try:
        return _made(msgspec.convert(dict(said), _line(Document).struct, str_keys=True), Document)
    except msgspec.ValidationError as error:
        raise InputError(f"this is no document: {_plain(str(error))}") from None


def _made(said: Any, kind: type[D]) -> D:
    """A document of what a line says, which is checked."""
    try:
        doc = _document(said, kind)
        doc.check()
        _check(doc)
    except FormatError:
        raise
    except (ValueError, OverflowError, IndexError) as error:
        raise InputError(f"this is no document: {error}") from None
    return doc


def _plain(message: str) -> str:
    return message.replace(" - at `$", " in the field `").replace("field `.", "field `")


def _document(said: Any, kind: type[D]) -> D:
    doc = kind(text=said.text)
    columns = doc.schema.written
    for column in columns:
        value = getattr(said, column.name)
        if value is not None:
            setattr(doc, column.name, _value(doc, column, value))
    n = doc.n_tokens
    if not said.word_token:
        doc.word_token = np.arange(n, dtype=np.int32)
        if not said.form and len(doc.token_end) == n:
            doc.form = doc.strings.ids([doc.text[a:b] for a, b in _spans(doc)])
    for column in columns:
        if column.unknown is not None and not len(getattr(doc, column.name)):
            setattr(doc, column.name, column.rows(n if column.level == "token" else doc.n_words))
    return doc


def _value(doc: Document, column: Column, said: Any) -> Any:
    """The value of a column of which a line says something."""
    if column.kind == "by token":
        return {token: tuple(own) for token, own in said.items()}
    if column.kind == "empty nodes":
        return [EmptyNode(**msgspec.structs.asdict(node)) for node in said]
    if column.kind == "k-best":
        return _options(doc, said)
    if column.kind == "strings":
        return doc.strings.ids(said)
    if column.is_array:
        shape = -1 if column.width == 1 else (-1, column.width)
        return np.array(said, dtype=column.dtype).reshape(shape)
    return type(getattr(doc, column.name))(said) if isinstance(said, list) else said


def _options(doc: Document, said: _Options) -> KBestTags:
    k = max((len(row) for row in said.tags), default=0)

    def ids(rows: list[list[str]]) -> Any:
        flat = [tag for row in rows for tag in row]
        return doc.strings.ids(flat).reshape(-1, k) if k else np.zeros((0, 0), dtype=np.int32)

    probabilities = np.array(said.probabilities, dtype=np.float32)
    return KBestTags(
        said.column,
        ids(said.tags),
        probabilities.reshape(-1, k) if k else np.zeros((0, 0), dtype=np.float32),
        {name: ids(rows) for name, rows in said.others.items()},
        None if said.right is None else np.array(said.right, dtype=np.int32),
    )


def _check(doc: Document) -> None:
    """What `Document.check` leaves to the readers: columns over turns, mark-up, trees, floats."""
    at = doc.schema.at
    for columns in (at("turn"), at("markup"), at("node")):
        values = {column.name: getattr(doc, column.name) for column in columns}
        sizes = {name: len(value) for name, value in values.items() if value is not None}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise InputError(f"columns differ in length: {told}")
    for columns, size in ((at("token"), doc.n_tokens), (at("word"), doc.n_words)):
        for column in columns:
            rows = getattr(doc, column.name) if column.is_array and column.optional else None
            if rows is not None and len(rows) != size:
                raise InputError(f"column {column.name} has {len(rows)} rows, not {size}")
    for token, own in doc.token_columns.items():
        if not 0 <= token < doc.n_tokens or len(own) != 7:
            raise InputError("the columns of a multi-word token are seven, from LEMMA to DEPS")
    for node in doc.empty_nodes:
        if node.minor < 1:
            raise InputError(f"an empty node has the number {node.minor}; they count from 1")
        if not 0 <= node.word < max(1, doc.n_words):
            raise InputError(f"the anchor {node.anchor} of an empty node is no word")
    leaves, parents = doc.node_leaf, doc.node_parent
    if len(leaves) and (
        leaves.max() >= doc.n_words
        or -2 - leaves.min() >= max(1, len(doc.empty_nodes))
        or np.any(parents >= np.arange(len(parents)))
    ):
        raise InputError("a phrase-structure node has a parent or a leaf that does not exist")
