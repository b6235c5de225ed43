"""The columns of a document, each declared once, in `Columns`.

A declaration says what a row of a column stands for (its level), what its values are (its kind),
what is unknown, what `keep` calls it, which formats hold it, and of what it is the confidence.
Cutting, joining, comparing, JSON Lines, what a format can hold and what `keep` may name are read
off the declarations by `schema_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.document.strings import Strings

#: Values of `head` that are no word.
ROOT: Final = -1
UNKNOWN: Final = -2
#: Values of `sent_start`.
YES: Final = 1
NO: Final = 0
MAYBE: Final = -1
#: Values of `turn_kind`.
TURN: Final = 0
CUE: Final = 1
OTHER: Final = 2

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.int8]
Floats = NDArray[np.float32]

#: What a row of a column stands for. Columns of the document have one value; those of sentences
#: go by the token at which a sentence starts.
Level = Literal[
    "document", "token", "word", "sentence", "empty node", "paragraph", "node", "turn", "markup"
]
#: What the values of a column are: ids of strings; code-point offsets; numbers of tokens, of words
#: (negative where there is none) or of phrase-structure nodes; the leaves of such nodes, which are
#: words or empty nodes; a mapping from tokens; objects; or plain values, the same anywhere.
Kind = Literal[
    "strings", "offsets", "tokens", "words", "nodes", "leaves",
    "by token", "empty nodes", "k-best", "tail", "plain",
]  # fmt: skip

_DTYPES: Final[dict[str, Any]] = {
    "strings": np.int32,
    "offsets": np.int64,
    "tokens": np.int32,
    "words": np.int32,
    "nodes": np.int32,
    "leaves": np.int32,
}

# The formats that hold a column besides these, which hold all of them.
_ALL: Final = frozenset({"jsonl", "spacy"})
_TOKENS: Final = ("conllu", "conllx", "brackets", "tokens", "brat", "parquet", "spans")
_TAGS: Final = ("conllu", "conllx", "brackets", "parquet")
_TREES: Final = ("conllu", "conllx", "brat", "parquet")
_COLUMNS: Final = ("conllu", "conllx", "parquet")
_COMMENTS: Final = ("conllu", "conllx")
_CONLLU: Final = ("conllu",)
_TABLES: Final = ("conllu", "parquet")
_TURNS: Final = ("conllu", "transcript", "parquet")
_MARKUP: Final = ("html", "spans")


@dataclass(frozen=True, slots=True)
class Column:
    """What is declared of one column."""

    name: str
    level: Level
    kind: Kind
    #: The type of its values, None if it is no array.
    dtype: Any = None
    #: Numbers a row has.
    width: int = 1
    #: What a row says that says nothing; None if every row says something.
    unknown: Any = None
    #: None until a stage adds it.
    optional: bool = False
    #: What `keep` calls it; a column of words or tokens that has no such name is never kept.
    keep: str | None = None
    #: The formats that hold it.
    formats: frozenset[str] = _ALL
    #: What it is the confidence of, as `keep` calls it, and the key of MISC under which it travels.
    confidence: str | None = None
    key: str | None = None
    #: Whether two documents must agree on it to say the same.
    compared: bool = True
    #: Whether it travels in JSON Lines.
    written: bool = True

    @property
    def is_array(self) -> bool:
        return self.dtype is not None

    def rows(self, n: int) -> Any:
        """So many rows of which nothing is known."""
        value = 0 if self.kind == "strings" else self.unknown
        shape = n if self.width == 1 else (n, self.width)
        return np.full(shape, 0 if value is None else value, dtype=self.dtype)


def column(
    level: Level,
    kind: Kind = "plain",
    dtype: Any = None,
    *,
    default: Any = None,
    factory: Callable[[], Any] | None = None,
    formats: tuple[str, ...] = (),
    **facts: Any,
) -> Any:
    """Declare a column as a field of a dataclass; see `Column` for what may be said of it."""
    declared = Column(
        "", level, kind, dtype or _DTYPES.get(kind), formats=_ALL | {*formats}, **facts
    )
    if factory is None and declared.is_array and not declared.optional:
        factory = _no_rows(declared)
    if factory is None:
        return field(default=default, metadata={"column": declared})
    return field(default_factory=factory, metadata={"column": declared})


def _no_rows(declared: Column) -> Callable[[], Any]:
    # Documents share it: it has no rows that could change.
    empty = declared.rows(0)
    return lambda: empty


# -------------------------------------------------------- values that are objects


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A node without characters: an empty node of CoNLL-U, or a trace of a bracketed tree.

    `anchor` is the index of the word it follows; before the first word of a sentence (ID 0.1) it
    is -1 - w, where w is that first word.
    """

    anchor: int
    minor: int = 1
    form: str = ""
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    feats: str = ""
    deps: str = ""
    misc: str = ""

    def moved(self, by: int) -> EmptyNode:
        return replace(self, anchor=self.anchor + by if self.anchor >= 0 else self.anchor - by)

    @property
    def word(self) -> int:
        """The word that it stands next to, in whose sentence it is."""
        return self.anchor if self.anchor >= 0 else -1 - self.anchor


@dataclass(frozen=True, slots=True)
class KBestTags:
    """The k best tags of each word with their probabilities, best first.

    `others` are columns whose values go with each tag, such as its lemma; `right` says which of the
    tags is the right one, -1 where that is not known.
    """

    column: str
    ids: Ints
    probabilities: Floats
    others: dict[str, Ints] = field(default_factory=dict)
    right: Ints | None = None

    @property
    def columns(self) -> dict[str, Ints]:
        """All columns that have options."""
        return {self.column: self.ids, **self.others}

    def of(self, words: Any) -> KBestTags:
        """The options of some words."""
        return KBestTags(
            self.column,
            self.ids[words],
            self.probabilities[words],
            {name: ids[words] for name, ids in self.others.items()},
            None if self.right is None else self.right[words],
        )


# ------------------------------------------------------------------- the table


@dataclass(eq=False, repr=False)
class Columns:
    """The table. Fields of JSON Lines have this order."""

    text: str = column("document", default="")
    id: str | None = column("document", formats=(*_COLUMNS, "html"))
    strings: Strings = column("document", factory=Strings, compared=False, written=False)

    # Surface tokens: spans, sentence starts, MISC of multi-word tokens.
    token_start: Longs = column("token", "offsets", keep="tokens", formats=_TOKENS)
    token_end: Longs = column("token", "offsets", keep="tokens", formats=_TOKENS)
    sent_start: Bytes = column(
        "token", dtype=np.int8, unknown=MAYBE, keep="sentences", formats=_TOKENS
    )
    token_misc: Ints = column("token", "strings", unknown="", keep="tokens", formats=_CONLLU)
    #: Columns LEMMA to DEPS of the lines of multi-word tokens that are not all empty.
    token_columns: dict[int, tuple[str, ...]] = column(
        "token", "by token", factory=dict, formats=_CONLLU
    )

    # Syntactic words; `word_token` never falls.
    word_token: Ints = column("word", "tokens", keep="tokens", formats=_TABLES)
    form: Ints = column("word", "strings", unknown="", keep="tokens", formats=_TOKENS)
    lemma: Ints = column("word", "strings", unknown="", keep="lemmas", formats=_COLUMNS)
    upos: Ints = column("word", "strings", unknown="", keep="tags", formats=_TREES)
    xpos: Ints = column("word", "strings", unknown="", keep="tags", formats=_TAGS)
    feats: Ints = column("word", "strings", unknown="", keep="tags", formats=_COLUMNS)
    deprel: Ints = column("word", "strings", unknown="", keep="heads", formats=_TREES)
    deps: Ints = column("word", "strings", unknown="", formats=_TABLES)
    misc: Ints = column("word", "strings", unknown="", keep="tokens", formats=_TABLES)
    #: The head of each word: the index of a word of this document, ROOT or UNKNOWN.
    head: Ints = column("word", "words", unknown=UNKNOWN, keep="heads", formats=_TREES)
    empty_nodes: list[EmptyNode] = column(
        "empty node", "empty nodes", factory=list, formats=_CONLLU
    )

    #: Comments of the sentence that starts at a token; a sentence that is not here has none of
    #: its own, and a writer makes the customary ones for it.
    comments: dict[int, tuple[str, ...]] = column(
        "sentence", "by token", factory=dict, keep="sentences", formats=_COMMENTS
    )
    #: The line of the file on which the first word of the sentence that starts at a token stands,
    #: if the reader records lines.
    sent_line: dict[int, int] = column(
        "sentence", "by token", factory=dict, compared=False, written=False
    )
    #: Comments after the last sentence.
    trailer: tuple[str, ...] = column("document", "tail", default=(), formats=_COMMENTS)
    #: Code-point offsets at which paragraphs start, rising.
    paragraph_start: Longs = column(
        "paragraph", "offsets", formats=(*_COLUMNS, "text", "tokens", *_MARKUP)
    )

    # Phrase structure in preorder: a node is a phrase (leaf -1), a word (its index) or an empty
    # node (-2 - its index in `empty_nodes`).
    node_label: Ints = column("node", "strings", formats=("brackets",))
    node_parent: Ints = column("node", "nodes", formats=("brackets",))
    node_leaf: Ints = column("node", "leaves", formats=("brackets",))

    # Turns of a transcript: spans of the text, speaker, seconds from and to (NaN if unknown).
    turn_start: Longs = column("turn", "offsets", formats=_TURNS)
    turn_end: Longs = column("turn", "offsets", formats=_TURNS)
    turn_speaker: Ints = column("turn", "strings", formats=_TURNS)
    turn_time: NDArray[np.float64] = column("turn", dtype=np.float64, width=2, formats=_TURNS)
    #: What each of them is: TURN, CUE (a time interval of a turn; a cue of the same speaker goes on
    #: with the one before) or OTHER (a turn of another, possibly unknown speaker). None: turns.
    turn_kind: Bytes | None = column("turn", dtype=np.int8, optional=True, formats=_TABLES)

    # Inline mark-up of HTML: spans of the text and the element's name.
    markup_start: Longs = column("markup", "offsets", formats=_MARKUP)
    markup_end: Longs = column("markup", "offsets", formats=_MARKUP)
    markup_label: Ints = column("markup", "strings", formats=_MARKUP)

    # What the layout says about the gap before each token: a code of `caesura.layout`. It follows
    # from the text, but a piece of a document does not hold all of the lines that have a say.
    token_break: NDArray[np.uint8] | None = column(
        "token", dtype=np.uint8, optional=True, compared=False, written=False
    )

    # Times of speech: seconds from and to (NaN if unknown), the recogniser's confidence (NaN if
    # unknown), and whether the times are interpolated between known ones.
    token_time: NDArray[np.float64] | None = column(
        "token", dtype=np.float64, width=2, optional=True, keep="tokens", formats=_TABLES
    )
    token_time_conf: Floats | None = column(
        "token", dtype=np.float32, optional=True, keep="tokens", formats=_TABLES
    )
    token_time_guessed: Bytes | None = column(
        "token", dtype=np.int8, optional=True, keep="tokens", formats=_TABLES
    )

    # The language of each token, where the tokeniser knows several.
    token_language: Ints | None = column(
        "token", "strings", unknown="", optional=True, compared=False, written=False
    )

    # What stages may add: the tokeniser's evidence that a sentence starts at a token; confidences:
    # the probability that a sentence starts at each token, and that a word's tag and its head with
    # its label are right; and k-best tags.
    start_evidence: Floats | None = column("token", dtype=np.float32, optional=True)
    sent_conf: Floats | None = column(
        "token",
        dtype=np.float32,
        optional=True,
        confidence="sentences",
        key="SentConf",
        formats=_TABLES,
    )
    tag_conf: Floats | None = column(
        "word", dtype=np.float32, optional=True, confidence="tags", key="TagConf", formats=_TABLES
    )
    arc_conf: Floats | None = column(
        "word", dtype=np.float32, optional=True, confidence="heads", key="ArcConf", formats=_TABLES
    )
    tag_options: KBestTags | None = column("word", "k-best", optional=True)

    #: What later stages must obey where it is known (see FIXABLE).
    fixed: frozenset[str] = column("document", default=frozenset(), compared=False)
    #: True if this is a further piece of the document that came before it in a stream.
    continues: bool = column("document", default=False, compared=False)
    #: What the text before such a piece had: `paragraphs`, `turns`. A stage that would take their
    #: absence from a whole document for ignorance knows by this that there are some.
    before: frozenset[str] = column("document", default=frozenset(), compared=False, written=False)
    #: The file that it came from, for messages.
    source: str | None = column("document", compared=False, written=False)


# ------------------------------------------------------------ what follows from it


class Schema:
    """The columns of a class of documents, sorted by what is done with them."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self.columns = columns
        self._at: dict[tuple[Level, Kind | None], tuple[Column, ...]] = {}
        self.by_name = {column.name: column for column in columns}
        self.arrays = tuple(column for column in columns if column.is_array)
        self.compared = tuple(column for column in columns if column.compared)
        self.written = tuple(column for column in columns if column.written)
        # For cutting and joining, which are called for every sentence of a stream.
        self.sliced = tuple(
            (column.name, column.level, column.kind)
            for column in columns
            if column.level != "node" and (column.is_array or column.kind == "k-best")
        )
        self.joined = tuple((c.name, c.kind, c.optional) for c in self.arrays)
        self.by_token = tuple(c.name for c in columns if c.kind == "by token")
        #: What has one value: that of the whole, which its pieces share.
        self.whole = tuple((c.name, c.kind) for c in columns if c.level == "document")
        #: What `keep` and `Document.fixed` may name.
        self.fixable = frozenset(column.keep for column in columns if column.keep)
        #: String columns of words.
        self.word_strings = tuple(column.name for column in self.at("word", "strings"))
        #: The keys of MISC under which confidences travel.
        self.confidence_keys = {column.name: column.key for column in columns if column.key}

    def at(self, level: Level, kind: Kind | None = None) -> tuple[Column, ...]:
        """The columns of a level, or those of one kind."""
        found = self._at.get((level, kind))
        if found is None:
            found = self._at[level, kind] = tuple(
                c for c in self.columns if c.level == level and kind in (None, c.kind)
            )
        return found

    def holds(self, format_name: str) -> frozenset[str]:
        """What a format can hold, in the words of `keep`."""
        return frozenset(c.keep for c in self.columns if c.keep and format_name in c.formats)


def schema_of(kind: type[Columns]) -> Schema:
    """The schema of a class of documents."""
    schema = _SCHEMAS.get(kind)
    if schema is None:
        schema = _SCHEMAS[kind] = _read_off(kind)
    return schema


def _read_off(kind: type[Columns]) -> Schema:
    found = []
    for declared in fields(kind):
        if "column" not in declared.metadata:
            raise TypeError(f"{kind.__name__}.{declared.name} is not declared with column(...)")
        found.append(replace(declared.metadata["column"], name=declared.name))
    return Schema(tuple(found))


_SCHEMAS: Final[dict[Any, Schema]] = {}
_SCHEMA: Final = schema_of(Columns)
#: String columns of words, in the order of CoNLL-U, with FORM.
WORD_STRINGS: Final = _SCHEMA.word_strings
#: The columns of CoNLL-U behind ID.
CONLLU: Final = (*WORD_STRINGS[:5], "head", *WORD_STRINGS[5:])
#: What `keep` and `Document.fixed` may name.
FIXABLE: Final = _SCHEMA.fixable
#: MISC keys under which confidences travel, by column.
CONFIDENCE_KEYS: Final = _SCHEMA.confidence_keys


def holds(format_name: str) -> frozenset[str]:
    """What a format can hold besides the text, in the words of `keep`."""
    return _SCHEMA.holds(format_name)
