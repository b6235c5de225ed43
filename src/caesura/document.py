"""A `Document` is columns over one text; every stage adds columns; nothing else travels.

Surface tokens are half-open spans of code points. A syntactic word belongs to one token; a
multi-word token has several words. Every string column holds ids of a shared table of interned
strings, in which 0 is the empty string and means unknown or absent. Unknown is a value everywhere:
a sentence start may be yes, no or unknown, a head may be a word, ROOT or UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError

if TYPE_CHECKING:
    from caesura.views import Sentence, Token, Word

__all__ = [
    "MAYBE",
    "NO",
    "ROOT",
    "UNKNOWN",
    "YES",
    "Document",
    "EmptyNode",
    "Strings",
    "TagOptions",
]

#: Values of `head` that are no word.
ROOT: Final = -1
UNKNOWN: Final = -2
#: Values of `sent_start`.
YES: Final = 1
NO: Final = 0
MAYBE: Final = -1

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.int8]
Floats = NDArray[np.float32]

#: String columns of words, in the order of CoNLL-U, with FORM.
WORD_STRINGS: Final = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
#: What `Document.fixed` may name.
FIXABLE: Final = frozenset({"tokens", "sentences", "tags", "lemmas", "heads"})

#: MISC keys and JSON fields under which confidences travel.
CONFIDENCE_KEYS: Final = {"sent_conf": "SentConf", "tag_conf": "TagConf", "arc_conf": "ArcConf"}


class _Table(dict[str, int]):
    """Numbers strings as they are first asked for."""

    __slots__ = ("strings",)

    def __init__(self) -> None:
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self.strings)
        self.strings.append(string)
        return number


class Strings:
    """Interned strings: equal strings have equal ids, and id 0 is the empty string."""

    __slots__ = ("_ids", "_strings")

    def __init__(self, strings: Iterable[str] = ()) -> None:
        self._ids = _Table()
        self._strings = self._ids.strings
        self.add("")
        for string in strings:
            self.add(string)

    def add(self, string: str) -> int:
        """The id of a string, which is interned if it is new."""
        return self._ids[string]

    def find(self, string: str) -> int | None:
        """The id of a string, or None if it was never interned."""
        return self._ids.get(string)

    def ids(self, strings: Iterable[str]) -> Ints:
        """The ids of many strings, which are interned in order of first appearance."""
        return np.array(list(map(self._ids.__getitem__, strings)), dtype=np.int32)

    @property
    def numbering(self) -> Callable[[str], int]:
        """The function from a string to its id, for loops that must be fast."""
        return self._ids.__getitem__

    def __getitem__(self, number: int | np.integer[Any]) -> str:
        return self._strings[number]

    def take(self, numbers: Ints) -> list[str]:
        strings = self._strings
        return [strings[number] for number in numbers.tolist()]

    def __len__(self) -> int:
        return len(self._strings)

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings)

    def __repr__(self) -> str:
        return f"Strings({len(self)})"


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
class TagOptions:
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

    def of(self, words: Any) -> TagOptions:
        """The options of some words."""
        return TagOptions(
            self.column,
            self.ids[words],
            self.probabilities[words],
            {name: ids[words] for name, ids in self.others.items()},
            None if self.right is None else self.right[words],
        )


def _empty(dtype: Any) -> Any:
    return field(default_factory=lambda: np.zeros(0, dtype=dtype))


@dataclass(eq=False, repr=False)
class Document:
    """One text and the columns over it. See the module's docstring for the conventions."""

    text: str = ""
    id: str | None = None
    strings: Strings = field(default_factory=Strings)

    # Surface tokens: spans, sentence starts, MISC of multi-word tokens.
    token_start: Longs = _empty(np.int64)
    token_end: Longs = _empty(np.int64)
    sent_start: Bytes = _empty(np.int8)
    token_misc: Ints = _empty(np.int32)
    #: Columns LEMMA to DEPS of the lines of multi-word tokens that are not all empty.
    token_columns: dict[int, tuple[str, ...]] = field(default_factory=dict)

    # Syntactic words; `word_token` never falls.
    word_token: Ints = _empty(np.int32)
    form: Ints = _empty(np.int32)
    lemma: Ints = _empty(np.int32)
    upos: Ints = _empty(np.int32)
    xpos: Ints = _empty(np.int32)
    feats: Ints = _empty(np.int32)
    deprel: Ints = _empty(np.int32)
    deps: Ints = _empty(np.int32)
    misc: Ints = _empty(np.int32)
    #: The head of each word: the index of a word of this document, ROOT or UNKNOWN.
    head: Ints = _empty(np.int32)
    empty_nodes: list[EmptyNode] = field(default_factory=list)

    #: Comments of the sentence that starts at a token; a sentence that is not here has none of
    #: its own, and a writer makes the customary ones for it.
    comments: dict[int, tuple[str, ...]] = field(default_factory=dict)
    #: Comments after the last sentence.
    trailer: tuple[str, ...] = ()
    #: Code-point offsets at which paragraphs start, rising.
    paragraph_start: Longs = _empty(np.int64)

    # Phrase structure in preorder: a node is a phrase (leaf -1), a word (its index) or an empty
    # node (-2 - its index in `empty_nodes`).
    node_label: Ints = _empty(np.int32)
    node_parent: Ints = _empty(np.int32)
    node_leaf: Ints = _empty(np.int32)

    # Turns of a transcript: spans of the text, speaker, seconds from and to (NaN if unknown).
    turn_start: Longs = _empty(np.int64)
    turn_end: Longs = _empty(np.int64)
    turn_speaker: Ints = _empty(np.int32)
    turn_time: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 2)))

    # Inline mark-up of HTML: spans of the text and the element's name.
    markup_start: Longs = _empty(np.int64)
    markup_end: Longs = _empty(np.int64)
    markup_label: Ints = _empty(np.int32)

    # What stages may add: the tokeniser's evidence that a sentence starts at a token, k-best tags,
    # and confidences: the probability that a sentence starts at each token (`sent_conf`), and that
    # a word's tag and its head with its label are right.
    start_evidence: Floats | None = None
    tag_options: TagOptions | None = None
    sent_conf: Floats | None = None
    tag_conf: Floats | None = None
    arc_conf: Floats | None = None

    #: Columns whose known values later stages must obey (see FIXABLE).
    fixed: frozenset[str] = frozenset()
    #: True if this is a further piece of the document that came before it in a stream.
    continues: bool = False
    #: What the text before such a piece had: `paragraphs`, `turns`. A stage that would take their
    #: absence from a whole document for ignorance knows by this that there are some.
    before: frozenset[str] = frozenset()
    #: The file that it came from, for messages.
    source: str | None = None

    # ------------------------------------------------------------------ sizes

    @property
    def n_tokens(self) -> int:
        return len(self.token_start)

    @property
    def n_words(self) -> int:
        return len(self.word_token)

    @property
    def n_sentences(self) -> int:
        return len(self.sentence_bounds) - 1

    def __len__(self) -> int:
        """The number of words."""
        return self.n_words

    def __bool__(self) -> bool:
        return True

    # ------------------------------------------------------------ sentences

    @property
    def sentence_bounds(self) -> Longs:
        """Token indices at which sentences start, and n_tokens at the end."""
        if not self.n_tokens:
            return np.zeros(1, dtype=np.int64)
        starts = np.flatnonzero(self.sent_start[1:] == YES) + 1
        return np.concatenate(([0], starts, [self.n_tokens])).astype(np.int64)

    @property
    def has_sentences(self) -> bool:
        """True if it is known for every token whether it starts a sentence."""
        return bool(self.n_tokens) and bool(np.all(self.sent_start[1:] != MAYBE))

    @property
    def first_word(self) -> Longs:
        """The first word of each token, and n_words at the end."""
        return np.searchsorted(self.word_token, np.arange(self.n_tokens + 1)).astype(np.int64)

    @property
    def word_sent_start(self) -> Bytes:
        """`sent_start` by word: a word that is not the first of its token starts nothing."""
        starts = np.zeros(self.n_words, dtype=np.int8)
        if self.n_words:
            first = np.ones(self.n_words, dtype=bool)
            first[1:] = self.word_token[1:] != self.word_token[:-1]
            starts[first] = self.sent_start[self.word_token[first]]
            starts[0] = YES
        return starts

    @property
    def word_sentence(self) -> Ints:
        """The sentence number of each word."""
        if not self.n_words:
            return np.zeros(0, dtype=np.int32)
        return (np.cumsum(self.word_sent_start == YES) - 1).astype(np.int32)

    @property
    def token_paragraph_start(self) -> NDArray[np.bool_]:
        """Whether each token is the first of a paragraph."""
        marks = np.zeros(self.n_tokens, dtype=bool)
        if self.n_tokens:
            at = np.searchsorted(self.token_start, self.paragraph_start)
            marks[at[at < self.n_tokens]] = True
            marks[0] = True
        return marks

    # ---------------------------------------------------------------- views

    @property
    def sentences(self) -> Sequence[Sentence]:
        from caesura.views import SentenceList

        return SentenceList(self)

    @property
    def tokens(self) -> Sequence[Token]:
        from caesura.views import TokenList

        return TokenList(self, 0, self.n_tokens)

    @property
    def words(self) -> Sequence[Word]:
        from caesura.views import WordList

        return WordList(self, 0, self.n_words)

    def column(self, name: str) -> list[str]:
        """A string column of the words as Python strings."""
        if name not in WORD_STRINGS:
            raise KeyError(f"{name!r} is no string column; there are: {', '.join(WORD_STRINGS)}")
        return self.strings.take(getattr(self, name))

    def set_column(self, name: str, values: Iterable[str]) -> None:
        """Replace a string column of the words."""
        ids = self.strings.ids(values)
        if name not in WORD_STRINGS or len(ids) != self.n_words:
            raise ValueError(f"column {name!r}: {len(ids)} values for {self.n_words} words")
        setattr(self, name, ids)

    # ------------------------------------------------------------ building

    @classmethod
    def from_spans(
        cls,
        text: str,
        starts: Sequence[int] | Longs,
        ends: Sequence[int] | Longs,
        *,
        strings: Strings | None = None,
        **columns: Any,
    ) -> Document:
        """A document of a text and its tokens, one word a token, all else unknown."""
        doc = cls(text=text, strings=strings if strings is not None else Strings(), **columns)
        doc.token_start = np.asarray(starts, dtype=np.int64)
        doc.token_end = np.asarray(ends, dtype=np.int64)
        spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
        doc.form = doc.strings.ids(text[start:end] for start, end in spans)
        doc.sent_start = np.full(doc.n_tokens, MAYBE, dtype=np.int8)
        doc.token_misc = np.zeros(doc.n_tokens, dtype=np.int32)
        doc.word_token = np.arange(doc.n_tokens, dtype=np.int32)
        doc.blank_words()
        return doc

    def blank_words(self) -> None:
        """Give every word column that does not fit the number of words the value unknown."""
        for name in WORD_STRINGS:
            if len(getattr(self, name)) != self.n_words:
                setattr(self, name, np.zeros(self.n_words, dtype=np.int32))
        if len(self.head) != self.n_words:
            self.head = np.full(self.n_words, UNKNOWN, dtype=np.int32)

    def check(self) -> None:
        """Raise InputError if the columns contradict each other or leave the text."""
        n, m = self.n_tokens, self.n_words
        by_token = {"token_end": n, "sent_start": n, "token_misc": n}
        by_word = dict.fromkeys((*WORD_STRINGS, "head"), m)
        for name, size in (by_token | by_word).items():
            if len(getattr(self, name)) != size:
                raise InputError(f"column {name} has {len(getattr(self, name))} rows, not {size}")
        if n:
            inside = self.token_start[0] >= 0 and self.token_end[-1] <= len(self.text)
            ordered = np.all(self.token_end >= self.token_start) and np.all(
                self.token_start[1:] >= self.token_end[:-1]
            )
            if not (inside and ordered):
                raise InputError("token spans overlap, are out of order or leave the text")
        if m:
            steps = np.diff(self.word_token)
            ends = self.word_token[0] == 0 and self.word_token[-1] == n - 1
            if not (ends and np.all((steps == 0) | (steps == 1))):
                raise InputError("every token needs at least one word, in the order of the text")
            if np.any(self.head < UNKNOWN) or np.any(self.head >= m):
                raise InputError("a head is no word of the document")
        elif n:
            raise InputError("every token needs at least one word, in the order of the text")
        unknown = self.fixed - FIXABLE
        if unknown:
            raise InputError(f"cannot fix {', '.join(sorted(unknown))}")

    # ------------------------------------------------- cutting and joining

    def cut(self, first: int, last: int) -> Document:
        """Tokens first..last-1 as a document of its own; its text ends where the next one starts.

        Heads that leave the piece become UNKNOWN.
        """
        from caesura.pieces import cut

        return cut(self, first, last)

    @staticmethod
    def join(pieces: Sequence[Document]) -> Document:
        """One document of several, their texts one after the other."""
        from caesura.pieces import join

        return join(pieces)

    # ------------------------------------------------------------- equality

    def contents(self) -> dict[str, Any]:
        """Everything that it says, strings spelled out: what two equal documents share."""
        from caesura.pieces import contents

        return contents(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return self.contents() == other.contents()

    __hash__ = None  # type: ignore[assignment]

    # ---------------------------------------------------------- appearance

    def __repr__(self) -> str:
        name = f" {self.id!r}" if self.id else ""
        beginning = self.text[:40].replace("\n", " ")
        dots = "…" if len(self.text) > 40 else ""
        return (
            f"<Document{name}: {self.n_sentences if self.n_tokens else 0} sentences, "
            f"{self.n_tokens} tokens, {self.n_words} words: {beginning + dots!r}>"
        )

    def _repr_html_(self) -> str:
        from caesura.render import document_html

        return document_html(self)

    def _repr_svg_(self) -> str | None:
        """The first trees; a document without any is shown as HTML alone."""
        from caesura.render import document_svg

        return document_svg(self, shown=5) if bool((self.head >= 0).any()) else None

    def to_pandas(self) -> Any:
        """A table of the words, one a row (extra `pandas`)."""
        from caesura.render.table import word_table

        return word_table(self)


def misc_items(misc: str) -> Mapping[str, str]:
    """The attributes of a MISC or FEATS value; one without `=` has the value ''."""
    if not misc:
        return {}
    parts = (item.partition("=") for item in misc.split("|"))
    return {key: value for key, _, value in parts}
