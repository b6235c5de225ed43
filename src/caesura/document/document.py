"""A `Document` is columns over one text; every stage adds columns; nothing else travels.

Surface tokens are half-open spans of code points. A syntactic word belongs to one token; a
multi-word token has several words. Every string column holds ids of a shared table of interned
strings, in which 0 is the empty string and means unknown or absent. Unknown is a value everywhere:
a sentence start may be yes, no or unknown, a head may be a word, ROOT or UNKNOWN. The columns are
declared in `schema.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.document.schema import (
    MAYBE,
    UNKNOWN,
    YES,
    Bytes,
    Columns,
    Ints,
    Longs,
    Schema,
    schema_of,
)
from caesura.document.slicing import contents, cut, join
from caesura.document.strings import Strings
from caesura.document.views import Sentence, SentenceList, Token, TokenList, Word, WordList
from caesura.errors import InputError

if TYPE_CHECKING:
    from caesura.find import Matches, Pattern

__all__ = ["Document"]


@dataclass(eq=False, repr=False)
class Document(Columns):
    """One text and the columns over it. See the module's docstring for the conventions."""

    @property
    def schema(self) -> Schema:
        """What its columns are."""
        return schema_of(type(self))

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
        return SentenceList(self)

    @property
    def tokens(self) -> Sequence[Token]:
        return TokenList(self, 0, self.n_tokens)

    @property
    def words(self) -> Sequence[Word]:
        return WordList(self, 0, self.n_words)

    def column(self, name: str) -> list[str]:
        """A string column of the words as Python strings."""
        known = self.schema.word_strings
        if name not in known:
            raise KeyError(f"{name!r} is no string column; there are: {', '.join(known)}")
        return self.strings.take(getattr(self, name))

    def set_column(self, name: str, values: Iterable[str]) -> None:
        """Replace a string column of the words."""
        ids = self.strings.ids(values)
        if name not in self.schema.word_strings or len(ids) != self.n_words:
            raise ValueError(f"column {name!r}: {len(ids)} values for {self.n_words} words")
        setattr(self, name, ids)

    def find(self, pattern: str | Pattern) -> Matches:
        """All matches of a pattern over words and arcs, such as `[upos=VERB]=v >nsubj []=s`."""
        from caesura.find import find

        return find(self, pattern)

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
        for column in doc.schema.at("token"):
            if column.unknown is not None:
                setattr(doc, column.name, column.rows(doc.n_tokens))
        doc.word_token = np.arange(doc.n_tokens, dtype=np.int32)
        doc.blank_words()
        return doc

    def blank_words(self) -> None:
        """Give every word column that does not fit the number of words the value unknown."""
        for column in self.schema.at("word"):
            if column.unknown is not None and len(getattr(self, column.name)) != self.n_words:
                setattr(self, column.name, column.rows(self.n_words))

    def check(self) -> None:
        """Raise InputError if the columns contradict each other or leave the text."""
        n, m = self.n_tokens, self.n_words
        for columns, size in ((self.schema.at("token"), n), (self.schema.at("word"), m)):
            for column in columns:
                if column.is_array and not column.optional:
                    rows = len(getattr(self, column.name))
                    if rows != size:
                        raise InputError(f"column {column.name} has {rows} rows, not {size}")
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
        unknown = self.fixed - self.schema.fixable
        if unknown:
            raise InputError(f"cannot fix {', '.join(sorted(unknown))}")

    # ------------------------------------------------- cutting and joining

    def cut(self, first: int, last: int) -> Document:
        """Tokens first..last-1 as a document of its own; its text ends where the next one starts.

        Heads that leave the piece become UNKNOWN.
        """
        return cut(self, first, last)

    @staticmethod
    def join(pieces: Sequence[Document]) -> Document:
        """One document of several, their texts one after the other."""
        return join(pieces) if pieces else Document()

    # ------------------------------------------------------------- equality

    def contents(self) -> dict[str, Any]:
        """Everything that it says, strings spelled out: what two equal documents share."""
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
