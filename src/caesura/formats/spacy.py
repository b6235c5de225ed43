"""spaCy's DocBin (an extra): syntactic words become spaCy's tokens, gaps become its whitespace.

spaCy has no multi-word tokens: their ranges are kept in the extension attribute `doc._.mwt`, as
triples of first word, last word (exclusive) and surface form. The whole document is kept in
`doc._.caesura`, so that what spaCy cannot hold comes back too; what was changed in spaCy wins. The
turns of a transcript are in `doc._.turns`: first token, last token (exclusive), speaker, seconds
from and to (None if unknown). `speaker`, `start_time` and `end_time` of tokens and spans follow
from them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Any, BinaryIO, Final

import numpy as np

from caesura.document import MAYBE, NO, ROOT, UNKNOWN, YES, Document, token_turn
from caesura.document.trees import in_cycles
from caesura.errors import InputError, MissingExtra, UsageError, kind_of
from caesura.formats import jsonl
from caesura.formats.io import read_bytes
from caesura.formats.options import ReadOptions, WriteOptions

_UPOS: Final = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()  # noqa: SIM905
)
#: Labels of Universal Dependencies that no model of spaCy with labels of its own gives.
_UNIVERSAL: Final = frozenset({"obj", "iobj", "obl", "cop"})


#: Columns of words, and how to read them from a token of spaCy.
_ATTRIBUTES: Final[dict[str, Callable[[Any], str]]] = {
    "lemma": attrgetter("lemma_"),
    "upos": attrgetter("pos_"),
    "xpos": attrgetter("tag_"),
    "feats": lambda token: str(token.morph),
    "deprel": attrgetter("dep_"),
}


def _spacy() -> Any:
    try:
        import spacy
        from spacy.tokens import Doc, Span, Token
    except ImportError:
        raise MissingExtra("spacy", "spacy", "a DocBin") from None
    for name in ("caesura", "mwt", "turns"):
        if not Doc.has_extension(name):
            Doc.set_extension(name, default=None)
    for at, name in enumerate(("speaker", "start_time", "end_time"), 2):
        for kind, first in ((Token, "i"), (Span, "start")):
            if not kind.has_extension(name):
                kind.set_extension(name, getter=partial(_of_turn, first=first, at=at))
    return spacy


def _of_turn(part: Any, *, first: str, at: int) -> Any:
    """Something of the turn in which a token is, or a span begins; None if it is in none."""
    turns = part.doc._.turns or ()
    place = getattr(part, first)
    found = bisect_right(turns, place, key=lambda turn: turn[0]) - 1
    return turns[found][at] if found >= 0 and place < turns[found][1] else None


def turns_of(doc: Document, place: Sequence[int]) -> list[list[Any]] | None:
    """The turns of a document by the places of its words among spaCy's tokens; None without any."""
    if not len(doc.turn_start):
        return None
    turn = token_turn(doc)[doc.word_token]
    edges = np.flatnonzero(np.diff(turn, prepend=-2))
    speakers = doc.strings.take(doc.turn_speaker)
    found = []
    for first, last in pairwise([*edges.tolist(), doc.n_words]):
        if turn[first] >= 0:
            times = [None if time != time else time for time in doc.turn_time[turn[first]].tolist()]
            found.append([place[first], place[last - 1] + 1, speakers[turn[first]], *times])
    return found


def read_spacy(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a DocBin."""
    spacy = _spacy()
    from spacy.tokens import DocBin

    data = read_bytes(stream, -1, options.file)
    try:
        docs = list(DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
    except Exception as error:
        raise options.error(
            f"this is no DocBin ({type(error).__name__}: {error})",
            remedy="Write it with DocBin.to_disk.",
        ) from None
    for doc in docs:
        yield from_spacy(doc, source=options.file)


def write_spacy(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents as a DocBin."""
    spacy = _spacy()
    from spacy.tokens import DocBin

    vocab = spacy.blank("xx").vocab
    store = DocBin(store_user_data=True)
    for doc in documents:
        try:
            made = to_spacy(doc, vocab)
        except UnicodeEncodeError:  # JSON Lines leaves lone surrogates out, which spaCy cannot hold
            made = to_spacy(jsonl.decode(jsonl.encode(doc)), vocab)
        store.add(made)
    stream.write(store.to_bytes())


@dataclass
class _Columns:
    """A document as spaCy sees it."""

    words: list[str] = field(default_factory=list)
    spaces: list[bool] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    pos: list[str] = field(default_factory=list)
    morphs: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    deps: list[str] = field(default_factory=list)
    sent_starts: list[bool | int | None] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    #: The place of each word of the document among spaCy's tokens.
    place: list[int] = field(default_factory=list)
    mwt: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, word: str, start: bool | None = False) -> None:
        self.words.append(word)
        self.spaces.append(False)
        for column in (self.tags, self.pos, self.morphs, self.lemmas, self.deps):
            column.append("")
        self.sent_starts.append(start)
        self.heads.append(max(0, len(self.words) - 2))

    def gap(self, text: str) -> None:
        """Whitespace after the last token: a space is a flag of it, the rest a token."""
        if text.startswith(" ") and self.words:
            self.spaces[-1], text = True, text[1:]
        if text:
            self.add(text)


def _columns(doc: Document) -> _Columns:
    found = _Columns()
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    first = doc.first_word.tolist()
    names = ("form", "lemma", "upos", "xpos", "feats", "deprel")
    form, lemma, upos, xpos, feats, deprel = (doc.column(name) for name in names)
    sentence = {YES: True, NO: False, MAYBE: None}
    at = 0
    for token in range(doc.n_tokens):
        found.gap(doc.text[at : starts[token]])
        at = ends[token]
        surface = doc.text[starts[token] : at]
        a, b = first[token], first[token + 1]
        if b - a > 1:
            found.mwt.append((len(found.words), len(found.words) + b - a, surface))
        for word in range(a, b):
            start = sentence[int(doc.sent_start[token])] if word == a else False
            found.place.append(len(found.words))
            found.add(surface if b - a == 1 else (form[word] or "_"), start)
            found.lemmas[-1], found.morphs[-1] = lemma[word], feats[word]
            found.pos[-1] = upos[word] if upos[word] in _UPOS else ""
            found.tags[-1] = xpos[word] or ("" if found.pos[-1] else upos[word])
            found.deps[-1] = deprel[word]
    found.gap(doc.text[at:])
    for word, head in enumerate(doc.head.tolist()):
        place = found.place[word]
        found.heads[place] = found.place[head] if head >= 0 else place
        if head == ROOT and not found.deps[place]:
            found.deps[place] = "ROOT"
    if found.place and found.place[0] > 0:
        found.heads[0] = found.place[0]
    return found


def to_spacy(doc: Document, vocab: Any = None) -> Any:
    """A document as a spaCy Doc; heads are given only if all are known and there is no cycle."""
    spacy = _spacy()
    from spacy.tokens import Doc

    if vocab is None:
        vocab = spacy.blank("xx").vocab

    columns = _columns(doc)
    parsed = _parsed(doc)
    made: Any = Doc(
        vocab,
        words=columns.words,
        spaces=columns.spaces,
        tags=columns.tags,
        pos=columns.pos,
        morphs=[_morph(value) for value in columns.morphs],
        lemmas=columns.lemmas,
        heads=columns.heads if parsed else None,
        deps=columns.deps if parsed else None,
        sent_starts=None if parsed else columns.sent_starts,
    )
    made._.caesura = jsonl.encode(doc).decode("utf-8")
    made._.mwt = [list(span) for span in columns.mwt]
    made._.turns = turns_of(doc, columns.place)
    made.noun_chunks_iterator = noun_chunks
    return made


def noun_chunks(doclike: Any) -> Iterator[tuple[int, int, int]]:
    """The noun phrases of a Doc, for `doc.noun_chunks`.

    The iterators of spaCy read the labels of its own models, of which `dobj` and `pobj` are none of
    Universal Dependencies; objects have others here, and prepositions hang on their nouns.
    """
    made = doclike.doc
    if not made.has_annotation("DEP"):
        raise UsageError("noun chunks need a tree", remedy="Parse the Doc first.")
    label = made.vocab.strings.add("NP")
    place = [token.i for token in made if not token.is_space]
    for phrase in _plain(made).noun_phrases:
        yield place[phrase.first_word], place[phrase.last_word - 1] + 1, label


def chunks_of(doclike: Any, *, others: Any = None) -> Iterator[tuple[int, int, int]]:
    """The same for a vocabulary, whose Docs need not all be ours: `others` knows those."""
    _spacy()
    labels = {token.dep_.partition(":")[0] for token in doclike.doc}
    if others is None or doclike.doc._.caesura is not None or labels & _UNIVERSAL:
        return noun_chunks(doclike)
    found: Iterator[tuple[int, int, int]] = others(doclike)
    return found


def _morph(feats: str) -> str:
    """FEATS as spaCy accepts it: attributes with values."""
    return feats if all("=" in item for item in feats.split("|")) else ""


def from_spacy(made: Any, *, source: str | None = None) -> Document:
    """A document of a spaCy Doc."""
    _spacy()
    from spacy.tokens import Doc

    if not isinstance(made, Doc):
        raise UsageError(
            f"a Doc of spaCy is wanted, not {kind_of(made)}",
            remedy="Of a span make one with span.as_doc().",
        )
    base = _base(made)
    doc = _plain(made) if base is None else base
    doc.source = source
    return doc


def _parsed(doc: Document) -> bool:
    return doc.n_words > 0 and bool(np.all(doc.head != UNKNOWN)) and not in_cycles(doc.head).any()


def _base(made: Any) -> Document | None:
    """The document that the Doc was made of, with what was changed since; None if there is none."""
    if not made._.caesura:
        return None
    try:
        doc = jsonl.decode(str(made._.caesura).encode("utf-8"))
    except InputError:
        return None
    columns = _columns(doc)
    if columns.words != [token.text for token in made]:
        return None
    # What spaCy makes of the document now, after a journey through a DocBin like that of `made`.
    before, now = _view(_stored(to_spacy(doc, made.vocab))), _view(made)
    for name in _ATTRIBUTES:
        kept = doc.column(name)
        for word, place in enumerate(columns.place):
            if now[name][place] != before[name][place]:
                kept[word] = now[name][place]
        doc.set_column(name, kept)
    word_at = {place: word for word, place in enumerate(columns.place)}
    for word, place in enumerate(columns.place):
        head = now["head"][place]
        if head != before["head"][place]:
            doc.head[word] = ROOT if head == place else word_at.get(head, UNKNOWN)
    return doc


def _stored(made: Any) -> Any:
    from spacy.tokens import DocBin

    data = DocBin(docs=[made]).to_bytes()
    return next(iter(DocBin().from_bytes(data).get_docs(made.vocab)))


def _view(made: Any) -> dict[str, list[Any]]:
    found = {name: [get(token) for token in made] for name, get in _ATTRIBUTES.items()}
    return found | {"head": [token.head.i for token in made]}


def _plain(made: Any) -> Document:
    """A document of a Doc that spaCy made."""
    tokens = [token for token in made if not token.is_space]
    doc = Document.from_spans(
        made.text,
        [token.idx for token in tokens],
        [token.idx + len(token.text) for token in tokens],
    )
    parsed = made.has_annotation("DEP")
    for name, get in _ATTRIBUTES.items():
        if parsed or name != "deprel":
            doc.set_column(name, list(map(get, tokens)))
    number = {token.i: word for word, token in enumerate(tokens)}
    if parsed:
        heads = [
            ROOT if token.head.i == token.i else number.get(token.head.i, UNKNOWN)
            for token in tokens
        ]
        doc.head = np.array(heads, dtype=np.int32)
    if made.has_annotation("SENT_START"):
        known = {True: YES, False: NO, None: MAYBE}
        doc.sent_start = np.array([known[token.is_sent_start] for token in tokens], dtype=np.int8)
        _keep_starts_after_space(doc, made, number)
    return doc


def _keep_starts_after_space(doc: Document, made: Any, number: dict[int, int]) -> None:
    """A sentence that starts with whitespace starts with the first token after it."""
    starting = False
    for token in made:
        if token.is_space:
            starting = starting or bool(token.is_sent_start)
        elif starting:
            doc.sent_start[number[token.i]] = YES
            starting = False
