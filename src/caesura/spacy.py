"""Caesura inside spaCy: `nlp.add_pipe("caesura")`, and a tokenizer that keeps our tokens.

The component sets sentence starts, tags, features, lemmas and trees on a Doc. With the tokenizer
`caesura.Tokenizer.v1` the Doc has our own words; with any other, its tokens are obeyed and each is
one word. spaCy's tokens have no several words, so a multi-word token becomes its words, and the
surface is kept in `doc._.mwt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from caesura.document import ROOT, UNKNOWN, YES, Document
from caesura.errors import MissingExtra
from caesura.formats import jsonl
from caesura.formats.spacy import chunks_of, from_spacy, noun_chunks, to_spacy, turns_of
from caesura.pipeline.loading import load_once

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

try:
    from spacy.language import Language
    from spacy.util import registry
except ImportError:
    raise MissingExtra("spacy", "spacy", "the spaCy component") from None

__all__ = ["Component", "Tokenizer", "make_component", "make_tokenizer"]

_UPOS: Final = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()  # noqa: SIM905
)
_ASSIGNS: Final = ["token.is_sent_start", "token.tag", "token.pos", "token.morph", "token.lemma",
                   "token.dep", "token.head", "doc.sents"]  # fmt: skip


class _Lazy:
    """A pipeline that is loaded when it is first used, so that a config can be read without it."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._pipeline: Pipeline | None = None

    @property
    def pipeline(self) -> Pipeline:
        if self._pipeline is None:
            self._pipeline = load_once(self.model)
        return self._pipeline

    # What spaCy calls when a pipeline is saved and loaded: the model's name is in the config.
    def to_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> None:
        """Nothing to write."""

    def from_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> Any:
        """Nothing to read."""
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Nothing to write."""
        return b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Any:
        """Nothing to read."""
        return self


class Component(_Lazy):
    """Sets sentence starts, tags, lemmas and trees on Docs, whose tokens it keeps."""

    def __init__(self, model: str, *, name: str = "caesura", keep: bool = False) -> None:
        super().__init__(model)
        self.name = name
        #: Obey sentence starts that are set already.
        self.keep = keep

    def __call__(self, doc: Any) -> Any:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 64) -> Iterator[Any]:
        """Annotate many Docs, some of them in one call of the core."""
        batch: list[Any] = []
        for doc in stream:
            batch.append(doc)
            if len(batch) >= batch_size:
                yield from self._batch(batch)
                batch = []
        yield from self._batch(batch)

    def _batch(self, docs: list[Any]) -> list[Any]:
        full = [doc for doc in docs if any(not token.is_space for token in doc)]
        sources = [_words_of(doc, self.keep) for doc in full]
        keep = ("tokens", "sentences") if self.keep else ("tokens",)
        for doc, found in zip(full, self.pipeline.batch(sources, keep=keep), strict=True):
            _annotate(doc, found)
            doc.noun_chunks_iterator = noun_chunks
            # The whole analysis goes along, so that `from_spacy` gives all of it back.
            doc._.caesura = jsonl.encode(found).decode("utf-8")
            doc._.turns = turns_of(found, [token.i for token in doc if not token.is_space])
        return docs


class Tokenizer(_Lazy):
    """A tokenizer of spaCy that gives our words: texts in, Docs out."""

    def __init__(self, vocab: Any, model: str) -> None:
        super().__init__(model)
        self.vocab = vocab

    def __call__(self, text: str) -> Any:
        return to_spacy(self.pipeline.tokenizer.tokens_of(text), self.vocab)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Any]:
        for text in texts:
            yield self(text)


def _words_of(doc: Any, keep: bool) -> Document:
    """The tokens of a Doc as a document of ours, multi-word tokens as they were."""
    found = from_spacy(doc)
    if found.n_words != sum(not token.is_space for token in doc):
        # Somebody merged or split tokens since: take them as they are.
        doc._.caesura = None
        found = from_spacy(doc)
    found.continues = False
    if not keep:
        found.comments = {}
    return found


def _annotate(doc: Any, found: Document) -> None:
    """Write an analysis of ours on a Doc; white space hangs on the token before it."""
    words = [token.i for token in doc if not token.is_space]
    names = ("lemma", "upos", "xpos", "feats", "deprel")
    lemma, upos, xpos, feats, deprel = (found.column(name) for name in names)
    starts = found.word_sent_start == YES
    heads: list[int] = []
    deps: list[str] = []
    root_of = _roots(found.head.tolist(), starts)
    word = -1
    for token in doc:
        if token.is_space:
            heads.append(words[0] if word < 0 else token.i - 1)
            deps.append("dep")
            continue
        word += 1
        token.lemma_ = lemma[word]
        token.pos_ = upos[word] if upos[word] in _UPOS else ""
        token.tag_ = xpos[word] or upos[word]
        if all("=" in item for item in feats[word].split("|")):
            token.set_morph(feats[word])
        head = int(found.head[word])
        if head >= 0:
            heads.append(words[head])
            deps.append(deprel[word] or "dep")
        else:
            # spaCy knows no sentence with two roots: the others hang on the first.
            first = root_of[word]
            heads.append(words[first])
            deps.append("ROOT" if first == word else deprel[word] or "dep")
    # Set at once: from heads spaCy makes sentences, each the tokens under one root.
    _set_heads(doc, heads, deps)


def _roots(heads: list[int], starts: np.ndarray[Any, np.dtype[np.bool_]]) -> list[int]:
    """The first root of the sentence of each word."""
    found: list[int] = []
    n = len(heads)
    at = 0
    for end in [*np.flatnonzero(starts[1:]) + 1, n] if n else []:
        inside = range(at, int(end))
        root = next((w for w in inside if heads[w] == ROOT), None)
        if root is None:
            root = next((w for w in inside if heads[w] == UNKNOWN), at)
        found += [root] * len(inside)
        at = int(end)
    return found


def _set_heads(doc: Any, heads: list[int], deps: list[str]) -> None:
    from spacy.attrs import DEP, HEAD

    strings = doc.vocab.strings
    relative = np.array([head - at for at, head in enumerate(heads)], dtype=np.int64)
    labels = np.array([strings.add(dep) for dep in deps], dtype=np.uint64)
    rows = np.stack([relative.astype(np.uint64), labels], axis=1)
    doc.from_array([HEAD, DEP], rows)


@Language.factory(
    "caesura", assigns=_ASSIGNS, default_config={"model": "en", "keep_sentences": False}
)
def make_component(nlp: Any, name: str, model: str, keep_sentences: bool) -> Component:
    """What `nlp.add_pipe("caesura", config={"model": …})` makes."""
    # Of the vocabulary, so that Docs from other processes and from files have it too.
    others = nlp.vocab.get_noun_chunks
    if getattr(others, "func", None) is not chunks_of:
        nlp.vocab.get_noun_chunks = partial(chunks_of, others=others)
    return Component(model, name=name, keep=keep_sentences)


def make_tokenizer(model: str = "en") -> Callable[[Any], Tokenizer]:
    """What `[nlp.tokenizer] @tokenizers = "caesura.Tokenizer.v1"` makes."""

    def create(nlp: Any) -> Tokenizer:
        return Tokenizer(nlp.vocab, model)

    return create


registry.tokenizers.register("caesura.Tokenizer.v1", func=make_tokenizer)
