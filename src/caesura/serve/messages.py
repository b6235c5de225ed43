"""What travels between the page and the server: requests, sentences, and how they become documents.

Offsets are code points of the text that was parsed. `head` counts from 1 within the sentence, 0 is
the root, null is unknown, as in CoNLL-U.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from caesura.document import NO, ROOT, UNKNOWN, YES, Document, Strings

__all__ = [
    "VERSION",
    "ConvertRequest",
    "DrawRequest",
    "EvaluateRequest",
    "ParseRequest",
    "SentenceData",
    "TokenData",
    "WordData",
    "document_of",
    "sentences_of",
]

#: The version of the API, which is part of its address.
VERSION = 1

Offset = Annotated[int, Meta(ge=0, le=1 << 31)]
Name = Annotated[str, Meta(max_length=300)]
Chance = Annotated[float, Meta(ge=0, le=1)]


class ParseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text to parse, and how."""

    text: str
    model: Name | None = None
    #: Offsets at which a sentence must start, and must not.
    starts: list[Offset] = []
    joins: list[Offset] = []
    #: Take case and punctuation away first.
    strip: bool = False
    #: Answer line by line as sentences are decided.
    stream: bool = False
    confidence: bool = True
    #: So many analyses, the best first.
    k: Annotated[int, Meta(ge=1, le=64)] = 1


class WordData(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A word of a sentence."""

    form: str
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    feats: str = ""
    head: int | None = None
    deprel: str = ""
    tag_conf: Chance | None = None
    arc_conf: Chance | None = None


class TokenData(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A token: its text, the gap after it, how many words it has, how likely a start it is."""

    text: str
    start: Offset
    end: Offset
    after: str = ""
    words: Annotated[int, Meta(ge=1, le=1000)] = 1
    start_conf: Chance | None = None


class SentenceData(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A sentence; `before` is what stands before it at the beginning of a text."""

    start: Offset
    end: Offset
    tokens: list[TokenData]
    words: list[WordData]
    before: str = ""


class DrawRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences to draw, each as a picture of its own."""

    sentences: Annotated[list[SentenceData], Meta(max_length=100)]
    width: Annotated[int, Meta(ge=150, le=20_000)] = 940
    #: Another analysis of the same text; what differs from it is marked.
    other: Annotated[list[SentenceData], Meta(max_length=100)] | None = None


class ConvertRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences to write as a file."""

    sentences: list[SentenceData]
    to: Literal["conllu", "jsonl", "svg", "html", "text"]
    width: Annotated[int, Meta(ge=150, le=20_000)] = 940


class EvaluateRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two annotated files as text."""

    gold: str
    system: str
    format: Literal["conllu", "conllx", "brackets", "jsonl", "tokens"] = "conllu"
    html: bool = False


def sentences_of(doc: Document, offset: int = 0) -> Iterator[SentenceData]:
    """The sentences of a document; `offset` is where its text begins in a longer one."""
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    first_word = doc.first_word.tolist()
    names = ("form", "lemma", "upos", "xpos", "feats", "deprel")
    form, lemma, upos, xpos, feats, deprel = (doc.column(name) for name in names)
    heads = doc.head.tolist()
    edge, tag, arc = (_floats(getattr(doc, f"{name}_conf")) for name in ("sent", "tag", "arc"))
    for sentence in doc.sentences:
        tokens = []
        for token in range(sentence.first_token, sentence.last_token):
            after = starts[token + 1] if token + 1 < doc.n_tokens else len(doc.text)
            tokens.append(
                TokenData(
                    doc.text[starts[token] : ends[token]],
                    starts[token] + offset,
                    ends[token] + offset,
                    doc.text[ends[token] : after],
                    first_word[token + 1] - first_word[token],
                    None if edge is None else edge[token],
                )
            )
        first, last = first_word[sentence.first_token], first_word[sentence.last_token]
        words = [
            WordData(
                form=form[word],
                lemma=lemma[word],
                upos=upos[word],
                xpos=xpos[word],
                feats=feats[word],
                head=_local(heads[word], first, last),
                deprel=deprel[word],
                tag_conf=None if tag is None else tag[word],
                arc_conf=None if arc is None else arc[word],
            )
            for word in range(first, last)
        ]
        before = doc.text[: sentence.start] if sentence.index == 0 else ""
        yield SentenceData(sentence.start + offset, sentence.end + offset, tokens, words, before)


def _floats(column: Any) -> list[float | None] | None:
    if column is None:
        return None
    return [None if value != value else round(value, 4) for value in column.tolist()]


def _local(head: int, first: int, last: int) -> int | None:
    if head == ROOT:
        return 0
    return head - first + 1 if first <= head < last else None


def document_of(sentences: Sequence[SentenceData]) -> Document:
    """A document of sentences; offsets are counted anew, heads that are none are unknown."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    firsts: list[int] = []
    word_token: list[int] = []
    heads: list[int] = []
    words: list[WordData] = []
    at = 0
    for sentence in sentences:
        number = len(words)
        size = sum(token.words for token in sentence.tokens)
        if size != len(sentence.words):
            raise ValueError(f"a sentence has {len(sentence.words)} words, its tokens {size}")
        parts.append(sentence.before)
        at += len(sentence.before)
        for place, token in enumerate(sentence.tokens):
            word_token += [len(starts)] * token.words
            starts.append(at)
            ends.append(at + len(token.text))
            firsts.append(YES if place == 0 else NO)
            parts += [token.text, token.after]
            at += len(token.text) + len(token.after)
        for word in sentence.words:
            if word.head == 0:
                heads.append(ROOT)
            elif word.head is not None and 0 < word.head <= size:
                heads.append(number + word.head - 1)
            else:
                heads.append(UNKNOWN)
        words += sentence.words
    doc = Document(text="".join(parts), strings=Strings())
    doc.token_start, doc.token_end = np.array(starts, np.int64), np.array(ends, np.int64)
    doc.sent_start = np.array(firsts, np.int8)
    doc.token_misc = np.zeros(len(starts), np.int32)
    doc.word_token = np.array(word_token, np.int32)
    for name in ("form", "lemma", "upos", "xpos", "feats", "deprel"):
        setattr(doc, name, doc.strings.ids([getattr(word, name) for word in words]))
    doc.head = np.array(heads, np.int32)
    doc.blank_words()
    for name in ("tag_conf", "arc_conf"):
        values = [getattr(word, name) for word in words]
        if any(value is not None for value in values):
            column = [np.nan if value is None else value for value in values]
            setattr(doc, name, np.array(column, np.float32))
    if doc.arc_conf is not None:
        edges = [token.start_conf for sentence in sentences for token in sentence.tokens]
        column = [np.nan if value is None else value for value in edges]
        doc.sent_conf = np.array(column, np.float32)
    return doc
