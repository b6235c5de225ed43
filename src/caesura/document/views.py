"""Light views of a document: `doc.sentences[3][2].head.form`.

A view holds the document and a number or two and reads the columns on access; making one costs
nothing and keeping one keeps the document alive. What is set through a view goes through `editing`,
which refuses what would make the document wrong. Examples speak of `doc`, the first document of
`examples/harbour.conllu`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index as as_index
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from caesura.document import editing
from caesura.document.schema import ROOT, UNKNOWN, YES, Bytes, Ints
from caesura.document.trees import nonprojective
from caesura.document.word import View, Word
from caesura.errors import UsageError, kind_of

if TYPE_CHECKING:
    from caesura.document.document import Document


V = TypeVar("V")


class Token(View):
    """A surface token: a span of the text.

    >>> doc.tokens[1]
    <Token 'harbour' 4:11>
    """

    __slots__ = ()

    @property
    def start(self) -> int:
        """The offset of its first character in the text.

        >>> doc.tokens[1].start
        4
        """
        return int(self.doc.token_start[self.index])

    @property
    def end(self) -> int:
        """The offset behind its last character.

        >>> doc.tokens[1].end
        11
        """
        return int(self.doc.token_end[self.index])

    @property
    def text(self) -> str:
        """What the text says there.

        >>> doc.tokens[1].text
        'harbour'
        """
        return self.doc.text[self.start : self.end]

    @property
    def words(self) -> Span:
        """Its words: several if it is a multi-word token.

        >>> [word.form for word in doc.tokens[35].words]
        ['does', "n't"]
        """
        return Span(self.doc, *_words(self.doc, self.index, self.index + 1))

    @property
    def is_multiword(self) -> bool:
        """Whether it has several words.

        >>> doc.tokens[35].is_multiword
        True
        """
        return len(self.words) > 1

    @property
    def sentence(self) -> Sentence:
        """The sentence that it is in.

        >>> doc.tokens[8].sentence.index
        1
        """
        first, last = _around(self.doc.sent_start, self.index)
        return Sentence(self.doc, first, last)

    @property
    def is_sent_start(self) -> bool | None:
        """Whether a sentence starts with it, None if that is unknown.

        True parts the sentence here: heads over the new boundary become unknown. False joins two
        sentences, and the head of the second root becomes unknown. `nlp(doc, keep=["tokens",
        "sentences", "heads"])` finds what is unknown.

        >>> edited = doc.copy()
        >>> edited.tokens[8].is_sent_start = False
        >>> edited.n_sentences == doc.n_sentences - 1
        True
        >>> edited.sentences[0].root.form, edited[9].has_head
        ('wakes', False)
        """
        value = int(self.doc.sent_start[self.index]) if self.index else YES
        return None if value < 0 else value == YES

    @is_sent_start.setter
    def is_sent_start(self, value: bool | None) -> None:
        editing.set_start(self.doc, self.index, value)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Token {self.text!r} {self.start}:{self.end}>"


def _words(doc: Document, first_token: int, last_token: int) -> tuple[int, int]:
    """The first word of a row of tokens, and one past its last."""
    of = doc.word_token
    # Numbers of another type would make numpy copy the whole column.
    kind = of.dtype.type
    return int(of.searchsorted(kind(first_token))), int(of.searchsorted(kind(last_token)))


def _around(starts: Bytes, token: int) -> tuple[int, int]:
    """The first token of the sentence of a token, and one past its last.

    Only what is near is looked at, so that a loop over words is no pass over the document each.
    """
    n = len(starts)
    first, high, reach = 0, token + 1, 64
    while high > 1:
        low = max(1, high - reach)
        found = np.flatnonzero(starts[low:high] == YES)
        if len(found):
            first = low + int(found[-1])
            break
        high, reach = low, 4 * reach
    low, reach = token + 1, 64
    while low < n:
        found = np.flatnonzero(starts[low : low + reach] == YES)
        if len(found):
            return first, low + int(found[0])
        low, reach = low + reach, 4 * reach
    return first, n


class _Views(Generic[V]):
    """A range of views, which are made on access.

    It is a sequence but for `index` and `count`: a sentence has an index of its own.
    """

    __slots__ = ()

    def _range(self) -> range:
        """The numbers of its views in the document."""
        raise NotImplementedError

    def _view(self, index: int) -> V:
        raise NotImplementedError

    def _slice(self, part: range) -> Any:
        return [self._view(index) for index in part]

    def __len__(self) -> int:
        return len(self._range())

    def __iter__(self) -> Iterator[V]:
        return map(self._view, self._range())

    def __reversed__(self) -> Iterator[V]:
        return map(self._view, reversed(self._range()))

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> Any: ...
    def __getitem__(self, index: int | slice) -> V | Any:
        numbers = self._range()
        if isinstance(index, slice):
            return self._slice(numbers[index])
        try:
            number = as_index(index)
        except TypeError:
            raise TypeError(f"an index is a number or a slice, not {kind_of(index)}") from None
        if not -len(numbers) <= number < len(numbers):
            raise IndexError(f"there is no number {number}: there are {len(numbers)}, from 0")
        return self._view(numbers[number])


Sequence.register(_Views)


class Span(_Views[Word]):
    """Some words in a row: what a slice of a document, of a sentence or of a span gives.

    >>> doc[1:3]
    <Span 1:3 'harbour wakes'>
    >>> doc[1:3][0].form
    'harbour'
    """

    __slots__ = ("doc", "first_word", "last_word")

    def __init__(self, doc: Document, first_word: int, last_word: int) -> None:
        self.doc = doc
        #: The number of its first word in the document.
        self.first_word = first_word
        #: One past the number of its last word.
        self.last_word = last_word

    def _range(self) -> range:
        return range(self.first_word, self.last_word)

    def _view(self, index: int) -> Word:
        return Word(self.doc, index)

    def _slice(self, part: range) -> Span:
        if part.step != 1:
            raise UsageError(
                "the words of a span stand side by side; a slice of it has no step",
                remedy="Take list(words)[…] for every other word.",
            )
        return Span(self.doc, part.start, max(part.start, part.stop))

    if TYPE_CHECKING:  # what a slice of words is

        @overload
        def __getitem__(self, index: int) -> Word: ...
        @overload
        def __getitem__(self, index: slice) -> Span: ...
        def __getitem__(self, index: int | slice) -> Word | Span: ...

    @property
    def words(self) -> Span:
        """Its words, without what else it is.

        >>> len(doc.sentences[0].words)
        8
        """
        return Span(self.doc, self.first_word, self.last_word)

    @property
    def tokens(self) -> TokenList:
        """The surface tokens that its words are in.

        >>> doc[1:3].tokens[0]
        <Token 'harbour' 4:11>
        """
        first, last = self._tokens()
        return TokenList(self.doc, first, last)

    def _tokens(self) -> tuple[int, int]:
        if self.first_word >= self.last_word:
            return 0, 0
        of = self.doc.word_token
        return int(of[self.first_word]), int(of[self.last_word - 1]) + 1

    @property
    def start(self) -> int:
        """The offset of its first character; 0 if it has no words.

        >>> doc[1:3].start
        4
        """
        first, last = self._tokens()
        return int(self.doc.token_start[first]) if first < last else 0

    @property
    def end(self) -> int:
        """The offset behind its last character.

        >>> doc[1:3].end
        17
        """
        first, last = self._tokens()
        return int(self.doc.token_end[last - 1]) if first < last else 0

    @property
    def text(self) -> str:
        """What the text says from its first token to its last.

        >>> doc[1:3].text
        'harbour wakes'
        """
        return self.doc.text[self.start : self.end]

    @property
    def root(self) -> Word | None:
        """The word that is nearest to the root, the first of several; None if no head is known.

        >>> doc[3:7].root.form
        'does'
        """
        nearest, found = -1, None
        for word in self:
            head = word.head_index
            if head == UNKNOWN or self.first_word <= head < self.last_word:
                continue
            depth = len(word.ancestors)
            if found is None or depth < nearest:
                nearest, found = depth, word
        return found

    def __contains__(self, word: object) -> bool:
        return isinstance(word, Word) and word.doc is self.doc and word.index in self._range()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Span)
            and self.doc is other.doc
            and (self.first_word, self.last_word) == (other.first_word, other.last_word)
        )

    def __hash__(self) -> int:
        return hash((id(self.doc), self.first_word, self.last_word))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Span {self.first_word}:{self.last_word} {self.text!r}>"


class Sentence(Span):
    """A run of tokens between two boundaries, and a span of their words.

    Its boundaries are those at the time of its creation.

    >>> doc.sentences[0][1]
    <Word 'harbour' NOUN nsubj>
    """

    __slots__ = ("_index", "first_token", "last_token")

    def __init__(
        self, doc: Document, first_token: int, last_token: int, index: int | None = None
    ) -> None:
        super().__init__(doc, *_words(doc, first_token, last_token))
        #: The number of its first token in the document.
        self.first_token = first_token
        #: One past its last token.
        self.last_token = last_token
        self._index = index

    def _tokens(self) -> tuple[int, int]:
        return self.first_token, self.last_token

    @property
    def index(self) -> int:
        """Its number in the document, from 0.

        >>> doc.sentences[-1].index == doc.n_sentences - 1
        True
        """
        if self._index is None:
            before = self.doc.sent_start[1 : self.first_token + 1]
            self._index = int(np.count_nonzero(before == YES))
        return self._index

    @property
    def heads(self) -> Ints:
        """The heads of its words as an array: numbers in the sentence from 0, ROOT or UNKNOWN.

        >>> doc.sentences[0].heads.tolist()
        [1, 2, -1, 6, 5, 6, 2, 2]
        """
        heads = self.doc.head[self.first_word : self.last_word]
        inside = (heads >= self.first_word) & (heads < self.last_word)
        # A head outside of the sentence, written directly into the column, is not part of the tree.
        local = np.where(inside, heads - self.first_word, np.where(heads == ROOT, ROOT, UNKNOWN))
        return local.astype(np.int32)

    @property
    def root(self) -> Word | None:
        """Its first root. Another word can be set: the root before hangs on it, by no relation yet.

        >>> doc.sentences[0].root.form
        'wakes'
        >>> edited = doc.copy()
        >>> edited.sentences[0].root = edited[6]
        >>> edited[6].deprel, edited[2].head.form, edited[2].deprel
        ('root', 'does', '')
        """
        found = np.flatnonzero(self.doc.head[self.first_word : self.last_word] == ROOT)
        return Word(self.doc, self.first_word + int(found[0])) if len(found) else None

    @root.setter
    def root(self, value: Word) -> None:
        if not isinstance(value, Word) or value not in self:
            raise UsageError(
                f"the root of a sentence is one of its words, not {value!r}",
                remedy="Take one of sentence.words.",
            )
        now = value.sentence  # a boundary may have been set since this view was made
        editing.set_root(self.doc, value.index, now.first_word, now.last_word)

    @property
    def is_projective(self) -> bool:
        """Whether no two arcs of its tree cross.

        >>> doc.sentences[0].is_projective
        True
        """
        return not nonprojective(self.heads)

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments before it, as in CoNLL-U.

        >>> doc.sentences[1].comments[0]
        '# sent_id = harbour-morning-2'
        """
        return self.doc.comments.get(self.first_token, ())

    @property
    def id(self) -> str | None:
        """The value of its `sent_id` comment.

        >>> doc.sentences[1].id
        'harbour-morning-2'
        """
        return editing.value_of(self.comments, "sent_id")

    def __repr__(self) -> str:
        return f"<Sentence {self.index}: {self.text!r}>"

    def _repr_html_(self) -> str:
        from caesura.render import sentence_html

        return sentence_html(self)

    def _repr_svg_(self) -> str:
        from caesura.render import sentence_svg

        return sentence_svg(self)


class TokenList(_Views[Token]):
    """The tokens of a document or a span."""

    __slots__ = ("_doc", "_first", "_last")

    def __init__(self, doc: Document, first: int, last: int) -> None:
        self._doc = doc
        self._first = first
        self._last = last

    def _range(self) -> range:
        return range(self._first, self._last)

    def _view(self, index: int) -> Token:
        return Token(self._doc, index)

    def __repr__(self) -> str:
        return repr(list(self))


class SentenceList(_Views[Sentence]):
    """The sentences of a document."""

    __slots__ = ("_bounds", "_doc")

    def __init__(self, doc: Document) -> None:
        self._doc = doc
        # Kept, since to find them takes a pass over all tokens.
        self._bounds = doc.sentence_bounds

    def _range(self) -> range:
        return range(len(self._bounds) - 1)

    def _view(self, index: int) -> Sentence:
        bounds = self._bounds
        return Sentence(self._doc, int(bounds[index]), int(bounds[index + 1]), index)

    def __repr__(self) -> str:
        return repr(list(self))
