"""JSON Lines: a document a line, with everything that a document holds.

Fields have the names of the document's columns; strings are spelled out, and what is unknown
everywhere is left out. Numbers that are unknown are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

import msgspec
import numpy as np

from caesura.document import FIXABLE, MAYBE, UNKNOWN, Document, EmptyNode, TagOptions
from caesura.errors import FormatError, InputError
from caesura.formats.io import lines
from caesura.formats.options import ReadOptions, WriteOptions

__all__ = ["EXTENSIONS", "decode", "encode", "read", "write"]

EXTENSIONS = (".jsonl", ".ndjson")
_FLOATS: Final = ("start_evidence", "sent_conf", "tag_conf", "arc_conf")
_WORD_STRINGS: Final = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
_STRINGS: Final = ("token_misc", *_WORD_STRINGS, "node_label", "turn_speaker", "markup_label")
_NUMBERS: Final = (
    "token_start", "token_end", "sent_start", "word_token", "head", "paragraph_start",
    "node_parent", "node_leaf", "turn_start", "turn_end", "markup_start", "markup_end",
)  # fmt: skip
#: Columns whose values, if all unknown, need not be written: their size and what unknown is.
_UNKNOWN: Final[dict[str, Any]] = {
    "token_misc": "", "lemma": "", "upos": "", "xpos": "", "feats": "", "deprel": "", "deps": "",
    "misc": "", "head": UNKNOWN, "sent_start": MAYBE,
}  # fmt: skip


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


class _Line(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    text: str
    id: str | None = None
    token_start: list[int] = []
    token_end: list[int] = []
    sent_start: list[int] = []
    token_misc: list[str] = []
    token_columns: dict[int, list[str]] = {}
    word_token: list[int] = []
    form: list[str] = []
    lemma: list[str] = []
    upos: list[str] = []
    xpos: list[str] = []
    feats: list[str] = []
    deprel: list[str] = []
    deps: list[str] = []
    misc: list[str] = []
    head: list[int] = []
    empty_nodes: list[_Node] = []
    comments: dict[int, list[str]] = {}
    trailer: list[str] = []
    paragraph_start: list[int] = []
    node_label: list[str] = []
    node_parent: list[int] = []
    node_leaf: list[int] = []
    turn_start: list[int] = []
    turn_end: list[int] = []
    turn_speaker: list[str] = []
    turn_time: list[tuple[float | None, float | None]] = []
    markup_start: list[int] = []
    markup_end: list[int] = []
    markup_label: list[str] = []
    start_evidence: list[float | None] | None = None
    sent_conf: list[float | None] | None = None
    tag_conf: list[float | None] | None = None
    arc_conf: list[float | None] | None = None
    tag_options: _Options | None = None
    fixed: list[str] = []
    continues: bool = False


_DECODER: Final = msgspec.json.Decoder(_Line)
_ENCODER: Final = msgspec.json.Encoder()


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
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


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents, one a line."""
    for doc in documents:
        stream.write(encode(doc) + b"\n")


def encode(doc: Document) -> bytes:
    """A document as JSON."""
    fields: dict[str, Any] = {}
    for name in _STRINGS:
        fields[name] = doc.strings.take(getattr(doc, name))
    for name in _NUMBERS:
        fields[name] = getattr(doc, name).tolist()
    for name, unknown in _UNKNOWN.items():
        if all(value == unknown for value in fields[name]):
            fields[name] = []
    if fields["word_token"] == list(range(doc.n_tokens)):
        fields["word_token"] = []
        if fields["form"] == [doc.text[a:b] for a, b in _spans(doc)]:
            fields["form"] = []
    for name in _FLOATS:
        values = getattr(doc, name)
        fields[name] = None if values is None else _nulls(values)
    fields["turn_time"] = [tuple(_nulls(row)) for row in doc.turn_time]
    fields["empty_nodes"] = [
        _Node(*(getattr(node, name) for name in _Node.__struct_fields__))
        for node in doc.empty_nodes
    ]
    if doc.tag_options is not None:
        options = doc.tag_options
        named = {
            name: [doc.strings.take(row) for row in ids] for name, ids in options.columns.items()
        }
        fields["tag_options"] = _Options(
            options.column,
            named.pop(options.column),
            options.probabilities.astype(float).tolist(),
            named,
            None if options.right is None else options.right.tolist(),
        )
    line = _Line(
        text=doc.text,
        id=doc.id,
        token_columns={token: list(rest) for token, rest in doc.token_columns.items()},
        comments={token: list(own) for token, own in doc.comments.items()},
        trailer=list(doc.trailer),
        fixed=sorted(doc.fixed),
        continues=doc.continues,
        **fields,
    )
    return _ENCODER.encode(line)


def _spans(doc: Document) -> Iterator[tuple[int, int]]:
    return zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)


def _nulls(values: np.ndarray) -> list[float | None]:
    return [None if value != value else value for value in values.astype(float).tolist()]


def decode(line: bytes) -> Document:
    """A document from JSON; InputError says what is wrong, without a place."""
    try:
        said = _DECODER.decode(line)
    except msgspec.DecodeError as error:
        raise InputError(f"this is no document: {_plain(str(error))}") from None
    try:
        doc = _document(said)
        doc.check()
        _check(doc)
    except FormatError:
        raise
    except (ValueError, OverflowError, IndexError) as error:
        raise InputError(f"this is no document: {error}") from None
    return doc


def _plain(message: str) -> str:
    return message.replace(" - at `$", " in the field `").replace("field `.", "field `")


def _document(said: _Line) -> Document:
    doc = Document(text=said.text, id=said.id)
    for name in _NUMBERS:
        dtype = getattr(doc, name).dtype
        setattr(doc, name, np.array(getattr(said, name), dtype=dtype))
    n = doc.n_tokens
    if not said.sent_start:
        doc.sent_start = np.full(n, MAYBE, dtype=np.int8)
    if not said.word_token:
        doc.word_token = np.arange(n, dtype=np.int32)
    for name in _STRINGS:
        setattr(doc, name, doc.strings.ids(getattr(said, name)))
    if not said.token_misc:
        doc.token_misc = np.zeros(n, dtype=np.int32)
    if not said.form and not said.word_token and len(doc.token_end) == n:
        doc.form = doc.strings.ids([doc.text[a:b] for a, b in _spans(doc)])
    for name in _WORD_STRINGS:
        if not getattr(said, name) and len(getattr(doc, name)) == 0:
            setattr(doc, name, np.zeros(doc.n_words, dtype=np.int32))
    if not said.head:
        doc.head = np.full(doc.n_words, UNKNOWN, dtype=np.int32)
    for name in _FLOATS:
        values = getattr(said, name)
        if values is not None:
            setattr(doc, name, np.array(values, dtype=np.float32))
    doc.turn_time = np.array(said.turn_time, dtype=np.float64).reshape(-1, 2)
    doc.empty_nodes = [EmptyNode(**msgspec.structs.asdict(node)) for node in said.empty_nodes]
    doc.token_columns = {token: tuple(rest) for token, rest in said.token_columns.items()}
    doc.comments = {token: tuple(own) for token, own in said.comments.items()}
    doc.trailer, doc.continues = tuple(said.trailer), said.continues
    doc.fixed = frozenset(said.fixed)
    if said.tag_options is not None:
        doc.tag_options = _options(doc, said.tag_options)
    return doc


def _options(doc: Document, said: _Options) -> TagOptions:
    k = max((len(row) for row in said.tags), default=0)

    def ids(rows: list[list[str]]) -> Any:
        flat = [tag for row in rows for tag in row]
        return doc.strings.ids(flat).reshape(-1, k) if k else np.zeros((0, 0), dtype=np.int32)

    probabilities = np.array(said.probabilities, dtype=np.float32)
    return TagOptions(
        said.column,
        ids(said.tags),
        probabilities.reshape(-1, k) if k else np.zeros((0, 0), dtype=np.float32),
        {name: ids(rows) for name, rows in said.others.items()},
        None if said.right is None else np.array(said.right, dtype=np.int32),
    )


def _check(doc: Document) -> None:
    """What `Document.check` leaves to the readers: columns over turns, mark-up, trees, floats."""
    groups = (
        ("turn_start", "turn_end", "turn_speaker", "turn_time"),
        ("markup_start", "markup_end", "markup_label"),
        ("node_label", "node_parent", "node_leaf"),
    )
    for group in groups:
        sizes = {name: len(getattr(doc, name)) for name in group}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise InputError(f"columns differ in length: {told}")
    wanted = {"start_evidence": doc.n_tokens, "sent_conf": doc.n_tokens}
    wanted |= {"tag_conf": doc.n_words, "arc_conf": doc.n_words}
    for name, size in wanted.items():
        column = getattr(doc, name)
        if column is not None and len(column) != size:
            raise InputError(f"column {name} has {len(column)} rows, not {size}")
    for node in doc.empty_nodes:
        if not 0 <= node.word < max(1, doc.n_words):
            raise InputError(f"the anchor {node.anchor} of an empty node is no word")
    leaves, parents = doc.node_leaf, doc.node_parent
    if len(leaves) and (
        leaves.max() >= doc.n_words
        or -2 - leaves.min() >= max(1, len(doc.empty_nodes))
        or np.any(parents >= np.arange(len(parents)))
    ):
        raise InputError("a phrase-structure node has a parent or a leaf that does not exist")
    if doc.fixed - FIXABLE:
        raise InputError(f"cannot fix {', '.join(sorted(doc.fixed - FIXABLE))}")
