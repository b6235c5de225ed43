"""A `Document` is columns over one text; every stage adds columns; nothing else travels.

Surface tokens are half-open spans of code points. A syntactic word belongs to one token; a
multi-word token has several words. Every string column holds ids of a shared table of interned
strings, in which 0 is the empty string and means unknown or absent. Unknown is a value everywhere:
a sentence start may be yes, no or unknown, a head may be a word, ROOT or UNKNOWN. The columns are
declared in `schema.py`. Methods that search, show, write or convert a document import the packages
above this one when called. In examples `doc` is the first document of `examples/harbour.conllu`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

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
from caesura.document.slicing import contents, copied, cut, join
from caesura.document.strings import Strings
from caesura.document.views import SentenceList, Span, TokenList
from caesura.document.word import Word
from caesura.errors import InputError, UsageError, kind_of

if TYPE_CHECKING:
    from caesura.find import Matches, Pattern
    from caesura.find.clauses import Clause
    from caesura.find.recipes import Triple


@dataclass(eq=False, repr=False)
class Document(Columns):
    """One text and the columns over it, and a sequence of words.

    A stage adds columns, and every column is an array over all words or tokens; see `schema`.

    >>> [word.form for word in doc if word.upos == "PROPN"]
    ['Mr.', 'Okafor']
    >>> len(doc), doc[1].form, doc[-1].form, doc[1:3].text
    (73, 'harbour', '.', 'harbour wakes')
    >>> doc.sentences[1][0].head
    <Word 'argue' VERB root>
    """

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(
                f"the text of a document is a string, not {kind_of(self.text)}",
                remedy="Decode bytes first; caesura.read reads files.",
            )

    @property
    def schema(self) -> Schema:
        """What its columns are.

        >>> doc.schema.by_name["upos"].level
        'word'
        """
        return schema_of(type(self))

    # ------------------------------------------------------------------ sizes

    @property
    def n_tokens(self) -> int:
        """How many tokens it has.

        >>> doc.n_tokens
        72
        """
        return len(self.token_start)

    @property
    def n_words(self) -> int:
        """How many words it has.

        >>> doc.n_words
        73
        """
        return len(self.word_token)

    @property
    def n_sentences(self) -> int:
        """How many sentences it has.

        >>> doc.n_sentences
        6
        """
        return len(self.sentence_bounds) - 1

    def __bool__(self) -> bool:
        return True

    # ------------------------------------------------------------ sentences

    @property
    def sentence_bounds(self) -> Longs:
        """Token indices at which sentences start, and n_tokens at the end.

        >>> doc.sentence_bounds.tolist()
        [0, 8, 22, 34, 52, 67, 72]
        """
        if not self.n_tokens:
            return np.zeros(1, dtype=np.int64)
        starts = np.flatnonzero(self.sent_start[1:] == YES) + 1
        return np.concatenate(([0], starts, [self.n_tokens])).astype(np.int64)

    @property
    def has_sentences(self) -> bool:
        """True if it is known for every token whether it starts a sentence.

        >>> doc.has_sentences
        True
        """
        return bool(self.n_tokens) and bool(np.all(self.sent_start[1:] != MAYBE))

    @property
    def first_word(self) -> Longs:
        """The first word of each token, and n_words at the end.

        >>> doc.first_word[34:38].tolist()
        [34, 35, 37, 38]
        """
        return np.searchsorted(self.word_token, np.arange(self.n_tokens + 1)).astype(np.int64)

    @property
    def word_sent_start(self) -> Bytes:
        """`sent_start` by word: a word that is not the first of its token starts nothing.

        >>> doc.word_sent_start[:9].tolist()
        [1, 0, 0, 0, 0, 0, 0, 0, 1]
        """
        starts = np.zeros(self.n_words, dtype=np.int8)
        if self.n_words:
            first = np.ones(self.n_words, dtype=bool)
            first[1:] = self.word_token[1:] != self.word_token[:-1]
            starts[first] = self.sent_start[self.word_token[first]]
            starts[0] = YES
        return starts

    @property
    def word_sentence(self) -> Ints:
        """The sentence number of each word.

        >>> doc.word_sentence[:9].tolist()
        [0, 0, 0, 0, 0, 0, 0, 0, 1]
        """
        if not self.n_words:
            return np.zeros(0, dtype=np.int32)
        return (np.cumsum(self.word_sent_start == YES) - 1).astype(np.int32)

    @property
    def token_paragraph_start(self) -> NDArray[np.bool_]:
        """Whether each token is the first of a paragraph.

        >>> int(doc.token_paragraph_start.sum())
        2
        """
        marks = np.zeros(self.n_tokens, dtype=bool)
        if self.n_tokens:
            at = np.searchsorted(self.token_start, self.paragraph_start)
            marks[at[at < self.n_tokens]] = True
            marks[0] = True
        return marks

    # ---------------------------------------------------------------- views

    def __len__(self) -> int:
        """The number of words.

        >>> len(doc)
        73
        """
        return self.n_words

    def __iter__(self) -> Iterator[Word]:
        """The words.

        >>> [word.form for word in doc if word.upos == "PROPN"]
        ['Mr.', 'Okafor']
        """
        return iter(self.words)

    @overload
    def __getitem__(self, index: int) -> Word: ...
    @overload
    def __getitem__(self, index: slice) -> Span: ...
    def __getitem__(self, index: int | slice) -> Word | Span:
        """A word by its number, from the end if that is negative; a slice is a span of words.

        >>> doc[1], doc[-1], doc[1:3]
        (<Word 'harbour' NOUN nsubj>, <Word '.' PUNCT punct>, <Span 1:3 'harbour wakes'>)
        """
        return self.words[index]

    def __contains__(self, word: object) -> bool:
        return word in self.words

    @property
    def words(self) -> Span:
        """All its words.

        >>> doc.words[:3].text
        'The harbour wakes'
        """
        return Span(self, 0, self.n_words)

    @property
    def tokens(self) -> TokenList:
        """All its surface tokens.

        >>> doc.tokens[1]
        <Token 'harbour' 4:11>
        """
        return TokenList(self, 0, self.n_tokens)

    @property
    def sentences(self) -> SentenceList:
        """All its sentences.

        >>> doc.sentences[1].root
        <Word 'argue' VERB root>
        """
        return SentenceList(self)

    def column(self, name: str) -> list[str]:
        """A string column of the words as Python strings.

        >>> doc.column("upos")[:3]
        ['DET', 'NOUN', 'VERB']
        """
        self._check_column(name)
        return self.strings.take(getattr(self, name))

    def set_column(self, name: str, values: Iterable[str]) -> None:
        """Replace a string column of the words, quickly and as it is.

        >>> edited = doc.copy()
        >>> edited.set_column("lemma", [form.lower() for form in edited.column("form")])
        >>> edited[2].lemma
        'wakes'
        """
        self._check_column(name)
        ids = self.strings.ids(values)
        if len(ids) != self.n_words:
            raise ValueError(f"column {name!r}: {len(ids)} values for {self.n_words} words")
        setattr(self, name, ids)

    def _check_column(self, name: str) -> None:
        known = self.schema.word_strings
        if name not in known:
            raise KeyError(f"{name!r} is no string column; there are: {', '.join(known)}")

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
        """A document of a text and its tokens, one word a token, all else unknown.

        >>> Document.from_spans("so it goes", [0, 3, 6], [2, 5, 10])
        <Document: 1 sentences, 3 tokens, 3 words: 'so it goes'>
        """
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
        """Give every word column that does not fit the number of words the value unknown.

        >>> words = Document.from_spans("du", [0], [2])
        >>> words.word_token = np.array([0, 0], np.int32)
        >>> words.form = words.strings.ids(["de", "le"])
        >>> words.blank_words()
        >>> words.column("upos")
        ['', '']
        """
        for column in self.schema.at("word"):
            if column.unknown is not None and len(getattr(self, column.name)) != self.n_words:
                setattr(self, column.name, column.rows(self.n_words))

    def check(self) -> None:
        """Raise InputError if the columns contradict each other or leave the text.

        >>> doc.check()
        """
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

        >>> doc.cut(8, 22).text.strip()
        "Gulls argue over the night's catch, and somebody drops a crate."
        """
        return cut(self, first, last)

    @staticmethod
    def join(pieces: Sequence[Document]) -> Document:
        """One document of several, their texts one after the other.

        >>> Document.join([doc.cut(0, 8), doc.cut(8, 72)]) == doc
        True
        """
        if isinstance(pieces, Document) or not all(isinstance(one, Document) for one in pieces):
            raise UsageError("what is joined is a list of documents")
        return join(pieces) if pieces else Document()

    def copy(self) -> Document:
        """The same document, which can be changed while this one stays as it is.

        >>> edited = doc.copy()
        >>> edited[0].lemma = "a"
        >>> edited == doc, doc[0].lemma
        (False, 'the')
        """
        return copied(self)

    def __copy__(self) -> Document:
        # Columns and strings are shared; what is set through a word is set in one of them alone.
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Document:
        return copied(self)

    def __getstate__(self) -> dict[str, Any]:
        # Documents of a batch share strings, which would all travel with each.
        return copied(self).__dict__

    # ------------------------------------------------------------- equality

    def contents(self) -> dict[str, Any]:
        """Everything that it says, strings spelled out: what two equal documents share.

        >>> doc.contents()["id"]
        'harbour-morning'
        """
        return contents(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return self.contents() == other.contents()

    __hash__ = None  # type: ignore[assignment]

    # ----------------------------------------------- other representations

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

    def find(self, pattern: str | Pattern) -> Matches:
        """All matches of a pattern over words and arcs: see `caesura.find`.

        >>> for match in doc.find("[upos=VERB]=v >nsubj []=s >obj []=o"):
        ...     print(match["s"], match["v"], match["o"])
        somebody drops crate
        Okafor sells coffee
        pilots drink theirs
        """
        from caesura.find import find

        return find(self, pattern)

    @property
    def noun_phrases(self) -> list[Span]:
        """The base noun phrases, each a noun and what belongs to it before it; none is in another.

        >>> [phrase.text for phrase in doc.noun_phrases][2:5]
        ['Gulls', "the night's catch", 'somebody']
        """
        from caesura.find.recipes import noun_phrases

        return noun_phrases(self)

    @property
    def triples(self) -> list[Triple]:
        """Who does what to whom: `subject`, `verb` and `object` of each clause that has all three.

        >>> [triple.object.form for triple in doc.triples]
        ['crate', 'coffee', 'theirs']
        """
        from caesura.find.recipes import triples

        return triples(self)

    @property
    def clauses(self) -> list[Clause]:
        """The clauses: spans, each with its `type`, the clause that it depends on and its `parts`.

        >>> for clause in doc.cut(8, 22).clauses:
        ...     print(f"{clause.type}: {clause}")
        main: Gulls argue over the night's catch, and somebody drops a crate.
        coordinated: and somebody drops a crate
        """
        from caesura.find.clauses import clauses

        return clauses(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything that it holds as plain values: the fields of a line of JSON Lines.

        >>> doc.cut(0, 2).to_dict()["upos"]
        ['DET', 'NOUN']
        """
        from caesura.formats import jsonl

        return jsonl.to_dict(self)

    @staticmethod
    def from_dict(said: Mapping[str, Any]) -> Document:
        """A document of such values, which are checked.

        >>> Document.from_dict(doc.to_dict()) == doc
        True
        """
        from caesura.formats import jsonl

        return jsonl.from_dict(said)

    def to_conllu(self) -> str:
        """The document as CoNLL-U.

        >>> print(doc.to_conllu()[:56])
        # newdoc id = harbour-morning
        # newpar
        # sent_id = harbo
        """
        from caesura.formats import to_text

        return to_text(self, "conllu")

    @staticmethod
    def from_conllu(text: str) -> Document:
        """The one document of some CoNLL-U.

        >>> Document.from_conllu(doc.to_conllu()) == doc
        True
        """
        from caesura.formats import from_text

        return from_text(text, "conllu")

    def to_spacy(self, vocab: Any = None) -> Any:
        """A Doc of spaCy with these words (extra `spacy`); without a vocabulary it has a new one.

        >>> doc.to_spacy()[2].dep_
        'root'
        """
        from caesura.formats.spacy import to_spacy

        return to_spacy(self, vocab)

    @staticmethod
    def from_spacy(made: Any) -> Document:
        """A document of a Doc; what it was made of comes back, less what was changed since.

        >>> Document.from_spacy(doc.to_spacy()) == doc
        True
        """
        from caesura.formats.spacy import from_spacy

        return from_spacy(made)

    def to_networkx(self) -> Any:
        """A directed graph of the words, from head to dependent (extra `networkx`).

        >>> graph = doc.to_networkx()
        >>> graph.nodes[1]["form"], graph.edges[2, 1]["deprel"]
        ('harbour', 'nsubj')
        """
        from caesura.render.tables import word_graph

        return word_graph(self)

    def to_pandas(self) -> Any:
        """A table of the words, one a row (extra `pandas`).

        >>> list(doc.to_pandas().columns[:3])
        ['sentence', 'id', 'token']
        """
        from caesura.render.tables import word_table

        return word_table(self)
