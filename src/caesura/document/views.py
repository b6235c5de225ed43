"""Light views of a document: `doc.sentences[3].words[2].head.form`.

A view holds the document and an index and reads the columns when asked; making one costs nothing
and keeping one keeps the document alive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from caesura.document.schema import ROOT, UNKNOWN, Longs
from caesura.document.strings import misc_items

if TYPE_CHECKING:
    from caesura.document.document import Document

__all__ = ["Sentence", "SentenceList", "Token", "TokenList", "Word", "WordList"]

V = TypeVar("V")


class Word:
    """A syntactic word."""

    __slots__ = ("doc", "index")

    def __init__(self, doc: Document, index: int) -> None:
        self.doc = doc
        #: Its number in the document, from 0.
        self.index = index

    def _string(self, column: str) -> str:
        return self.doc.strings[getattr(self.doc, column)[self.index]]

    @property
    def form(self) -> str:
        return self._string("form")

    @property
    def lemma(self) -> str:
        return self._string("lemma")

    @property
    def upos(self) -> str:
        return self._string("upos")

    @property
    def xpos(self) -> str:
        return self._string("xpos")

    @property
    def feats(self) -> Mapping[str, str]:
        """Morphological features by name."""
        return misc_items(self._string("feats"))

    @property
    def deprel(self) -> str:
        return self._string("deprel")

    @property
    def misc(self) -> Mapping[str, str]:
        return misc_items(self._string("misc"))

    @property
    def head_index(self) -> int:
        """The head's number in the document, ROOT (-1) or UNKNOWN (-2)."""
        return int(self.doc.head[self.index])

    @property
    def head(self) -> Word | None:
        """The head, or None for a root and for a word whose head is unknown."""
        head = self.head_index
        return Word(self.doc, head) if head >= 0 else None

    @property
    def is_root(self) -> bool:
        return self.head_index == ROOT

    @property
    def has_head(self) -> bool:
        """False if the head is unknown."""
        return self.head_index != UNKNOWN

    @property
    def children(self) -> list[Word]:
        sentence = self.sentence
        heads = self.doc.head[sentence.first_word : sentence.last_word]
        first = sentence.first_word
        return [Word(self.doc, first + i) for i, head in enumerate(heads) if head == self.index]

    @property
    def token(self) -> Token:
        return Token(self.doc, int(self.doc.word_token[self.index]))

    @property
    def sentence(self) -> Sentence:
        return self.token.sentence

    @property
    def id(self) -> int:
        """Its number in the sentence, from 1, as in CoNLL-U."""
        return self.index - self.sentence.first_word + 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and (self.doc is other.doc) and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self.doc), self.index))

    def __str__(self) -> str:
        return self.form

    def __repr__(self) -> str:
        return f"<Word {self.form!r} {self.upos or '_'} {self.deprel or '_'}>"


class Token:
    """A surface token: a span of the text."""

    __slots__ = ("doc", "index")

    def __init__(self, doc: Document, index: int) -> None:
        self.doc = doc
        self.index = index

    @property
    def start(self) -> int:
        return int(self.doc.token_start[self.index])

    @property
    def end(self) -> int:
        return int(self.doc.token_end[self.index])

    @property
    def text(self) -> str:
        return self.doc.text[self.start : self.end]

    @property
    def words(self) -> Sequence[Word]:
        first, last = self.doc.word_token.searchsorted([self.index, self.index + 1])
        return WordList(self.doc, int(first), int(last))

    @property
    def is_multiword(self) -> bool:
        return len(self.words) > 1

    @property
    def sentence(self) -> Sentence:
        bounds = self.doc.sentence_bounds
        return Sentence(self.doc, int(bounds.searchsorted(self.index, side="right")) - 1)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Token {self.text!r} {self.start}:{self.end}>"


class Sentence:
    """A run of tokens between two boundaries."""

    __slots__ = ("doc", "first_token", "index", "last_token")

    def __init__(self, doc: Document, index: int, bounds: Longs | None = None) -> None:
        self.doc = doc
        self.index = index
        if bounds is None:
            bounds = doc.sentence_bounds
        self.first_token = int(bounds[index])
        #: One past the last token.
        self.last_token = int(bounds[index + 1])

    @property
    def first_word(self) -> int:
        return int(self.doc.word_token.searchsorted(self.first_token))

    @property
    def last_word(self) -> int:
        """One past the last word."""
        return int(self.doc.word_token.searchsorted(self.last_token))

    @property
    def start(self) -> int:
        return int(self.doc.token_start[self.first_token])

    @property
    def end(self) -> int:
        return int(self.doc.token_end[self.last_token - 1])

    @property
    def text(self) -> str:
        return self.doc.text[self.start : self.end]

    @property
    def tokens(self) -> Sequence[Token]:
        return TokenList(self.doc, self.first_token, self.last_token)

    @property
    def words(self) -> Sequence[Word]:
        return WordList(self.doc, self.first_word, self.last_word)

    @property
    def root(self) -> Word | None:
        """Its first root."""
        return next((word for word in self.words if word.is_root), None)

    @property
    def comments(self) -> tuple[str, ...]:
        return self.doc.comments.get(self.first_token, ())

    @property
    def id(self) -> str | None:
        """The value of its `sent_id` comment."""
        for comment in self.comments:
            key, _, value = comment.lstrip("# ").partition("=")
            if key.strip() == "sent_id":
                return value.strip()
        return None

    def __len__(self) -> int:
        return self.last_word - self.first_word

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Sentence {self.index}: {self.text!r}>"

    def _repr_html_(self) -> str:
        from caesura.render import sentence_html

        return sentence_html(self)

    def _repr_svg_(self) -> str:
        from caesura.render import sentence_svg

        return sentence_svg(self)


class _Views(Sequence[V], Generic[V]):
    """A range of views, made when asked for."""

    __slots__ = ("_doc", "_first", "_last")

    def __init__(self, doc: Document, first: int, last: int) -> None:
        self._doc = doc
        self._first = first
        self._last = last

    def _view(self, index: int) -> V:
        raise NotImplementedError

    def __len__(self) -> int:
        return self._last - self._first

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> list[V]: ...
    def __getitem__(self, index: int | slice) -> V | list[V]:
        positions = range(self._first, self._last)[index]
        if isinstance(positions, range):
            return [self._view(position) for position in positions]
        return self._view(positions)

    def __repr__(self) -> str:
        return repr(list(self))


class WordList(_Views[Word]):
    def _view(self, index: int) -> Word:
        return Word(self._doc, index)


class TokenList(_Views[Token]):
    def _view(self, index: int) -> Token:
        return Token(self._doc, index)


class SentenceList(_Views[Sentence]):
    __slots__ = ("_bounds",)

    def __init__(self, doc: Document) -> None:
        # Kept, since to find them takes a pass over all tokens.
        self._bounds = doc.sentence_bounds
        super().__init__(doc, 0, len(self._bounds) - 1)

    def _view(self, index: int) -> Sentence:
        return Sentence(self._doc, index, self._bounds)
