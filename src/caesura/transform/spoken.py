"""Written text made to look like speech: no punctuation, lower case, single spaces.

A word that hung on a punctuation mark is attached to its closest ancestor that is kept. Where a
mark was the root, the first word without a head becomes the root and the others are attached to it.
What described the layout of the written text (MISC, enhanced dependencies, empty nodes, multi-word
tokens, paragraphs, most comments) is dropped.

The lower case of a character may be longer than itself (İ), and that of a word may depend on its
end (Σ), so `lower` folds each token on its own and counts the offsets again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import (
    MAYBE,
    ROOT,
    UNKNOWN,
    YES,
    Document,
    Ints,
    Strings,
)
from caesura.document.punctuation import Marks, parse_marks
from caesura.document.schema import Level
from caesura.transform.columns import (
    document_comments,
    is_text,
    laid_out,
    moved_offsets,
    mover,
    rows_of,
    spoken_comments,
)

Mask = NDArray[np.bool_]

#: Columns of words and of tokens that are computed again, or no longer hold.
_OF_WORDS: Final = ("word_token", "form", "lemma", "deps", "misc", "head")
_OF_TOKENS: Final = ("token_start", "token_end", "sent_start", "token_misc", "token_break")


def speech(doc: Document, *, marks: str | Marks = "auto", whole_tokens: bool = False) -> Document:
    """The document as speech: lower case, no punctuation, one space between words.

    `marks` is the definition of punctuation: `auto`, `unicode`, `upos`, `xpos`, or tags. Sentences
    of punctuation alone disappear; a document of nothing else comes back without tokens.

    With `whole_tokens`, as a tokeniser learns from it, multi-word tokens stay as they are written
    and go only if all their words are punctuation; a token without tags goes if it has neither a
    letter nor a digit.
    """
    return _spoken(doc, marks, fold=True, whole_tokens=whole_tokens)


def drop_punct(doc: Document, *, marks: str | Marks = "auto") -> Document:
    """The document without its punctuation, case kept; else as `speech`."""
    return _spoken(doc, marks, fold=False, whole_tokens=False)


def _spoken(doc: Document, marks: str | Marks, *, fold: bool, whole_tokens: bool) -> Document:
    definition = parse_marks(marks) if isinstance(marks, str) else marks
    punctuation = definition.mask(doc)
    kept = ~(_of_whole_tokens(doc, punctuation) if whole_tokens else punctuation)
    heads, promoted = reattach(doc.head, kept, doc.word_sentence)
    words = np.flatnonzero(kept)
    renumber = np.full(doc.n_words, UNKNOWN, dtype=np.int32)
    renumber[words] = np.arange(len(words), dtype=np.int32)

    new = type(doc)(
        id=doc.id,
        strings=doc.strings,
        source=doc.source,
        fixed=doc.fixed,
        continues=doc.continues,
    )
    #: The words, in the old numbering, with which the new tokens start.
    firsts = words
    new.word_token = np.arange(len(words), dtype=np.int32)
    if whole_tokens:
        old, new.word_token = _numbered(doc.word_token[words])
        firsts = words[old]
    for name in ("form", "lemma"):
        ids = getattr(doc, name)[words]
        setattr(new, name, lower_ids(doc.strings, ids) if fold else ids)
    _carry(doc, new, "word", words, but=_OF_WORDS)
    new.deprel[promoted[words]] = doc.strings.add("root")
    for column in doc.schema.at("word", "words"):
        to = (heads if column.name == "head" else getattr(doc, column.name))[words]
        setattr(new, column.name, np.where(to >= 0, renumber[to], to).astype(np.int32))
    new.token_misc = np.zeros(len(firsts), dtype=np.int32)
    new.blank_words()

    tokens = _surfaces(doc, firsts, fold) if whole_tokens else new.strings.take(new.form)
    gaps = ["", *[" "] * (len(tokens) - 1)][: len(tokens)]
    new.text, new.token_start, new.token_end = laid_out(gaps, tokens)

    _carry(doc, new, "token", doc.word_token[firsts], but=_OF_TOKENS)
    _carry_sentences(doc, new, firsts, tokens)
    _carry_turns(doc, new, firsts)
    _carry_phrases(doc, new, renumber)
    return new


def _carry(doc: Document, new: Document, level: Level, rows: Any, but: Collection[str]) -> None:
    for name, value in rows_of(doc, level, rows, but).items():
        setattr(new, name, value)


def _of_whole_tokens(doc: Document, punctuation: Mask) -> Mask:
    """Which words belong to tokens of punctuation alone, by their characters without tags."""
    token = doc.word_token
    other = np.bincount(token[~punctuation], minlength=doc.n_tokens) > 0
    for at in np.flatnonzero(
        np.bincount(token[(doc.upos != 0) | (doc.xpos != 0)], minlength=doc.n_tokens) == 0
    ).tolist():
        other[at] = any(map(_wordlike, doc.text[doc.token_start[at] : doc.token_end[at]].lower()))
    mask: Mask = ~other[token]
    return mask


def _wordlike(character: str) -> bool:
    """Whether words and numbers have such characters; to Unicode one apostrophe is a letter."""
    return unicodedata.category(character)[0] in "LMN" and character != "\u02bc"


def _numbered(old: Ints) -> tuple[NDArray[np.int64], Ints]:
    """Where a rising column changes, and the same column numbered from 0 without gaps."""
    first = np.ones(len(old), dtype=bool)
    first[1:] = old[1:] != old[:-1]
    return np.flatnonzero(first), (np.cumsum(first) - 1).astype(np.int32)


def _surfaces(doc: Document, firsts: NDArray[Any], fold: bool) -> list[str]:
    tokens = doc.word_token[firsts]
    spans = zip(doc.token_start[tokens].tolist(), doc.token_end[tokens].tolist(), strict=True)
    surfaces = [doc.text[start:end] for start, end in spans]
    return [surface.lower() for surface in surfaces] if fold else surfaces


def reattach(heads: Ints, kept: Mask, sentence: Ints) -> tuple[Ints, Mask]:
    """New heads of the kept words, in the old numbering, and which words became roots.

    The values for words that are not kept mean nothing. A cycle of dropped words has no kept
    ancestor: the head below it is unknown.
    """
    new = heads.copy()
    lost = kept & (heads >= 0)
    lost[lost] = ~kept[heads[lost]]
    climbing = np.flatnonzero(lost)
    for _ in range(int((~kept).sum()) + 1):
        if not len(climbing):
            break
        new[climbing] = heads[new[climbing]]
        above = new[climbing]
        climbing = climbing[(above >= 0) & ~kept[above]]
    new[climbing] = UNKNOWN

    promoted = np.zeros(len(heads), dtype=bool)
    orphans = np.flatnonzero(lost & (new == ROOT))
    if len(orphans):
        root = np.full(int(sentence[-1]) + 1, -1, dtype=np.int64)
        # Written backwards, so that the first one stays: orphans, then the roots there were.
        root[sentence[orphans[::-1]]] = orphans[::-1]
        roots = np.flatnonzero(kept & (heads == ROOT))
        root[sentence[roots[::-1]]] = roots[::-1]
        chosen = root[sentence[orphans]]
        promoted[orphans[chosen == orphans]] = True
        new[orphans] = np.where(chosen == orphans, ROOT, chosen)
    return new, promoted


def lower_ids(strings: Strings, ids: Ints) -> Ints:
    """The ids of the strings in lower case."""
    distinct, inverse = np.unique(ids, return_inverse=True)
    lowered = strings.ids(string.lower() for string in strings.take(distinct))
    return lowered[inverse].astype(np.int32, copy=False)


def _carry_sentences(
    doc: Document, new: Document, firsts: NDArray[Any], surfaces: list[str]
) -> None:
    """Sentence starts, and the comments that speech keeps, on what is left of each sentence."""
    starts = doc.word_sent_start[firsts]
    number = doc.word_sentence[firsts]
    first = np.ones(len(firsts), dtype=bool)
    first[1:] = number[1:] != number[:-1]
    starts[first] = YES
    if len(firsts) and doc.sent_start[0] == MAYBE:
        starts[0] = MAYBE
    new.sent_start = starts

    bounds = [*np.flatnonzero(first).tolist(), len(firsts)]
    place = dict(zip(number[first].tolist(), pairwise(bounds), strict=True))
    waiting: tuple[str, ...] = ()
    for sentence, token in enumerate(doc.sentence_bounds[:-1].tolist()):
        comments = doc.comments.get(token)
        at = place.get(sentence)
        if at is None:
            waiting += document_comments(comments or ())
        elif comments is not None or waiting:
            text = " ".join(surfaces[slice(*at)])
            new.comments[at[0]] = waiting + spoken_comments(comments or (), text)
            waiting = ()


def _carry_turns(doc: Document, new: Document, firsts: NDArray[Any]) -> None:
    if not len(doc.turn_start):
        return
    at = doc.token_start[doc.word_token[firsts]]
    first = np.searchsorted(at, doc.turn_start)
    last = np.searchsorted(at, doc.turn_end)
    full = np.flatnonzero(last > first)
    new.turn_start = new.token_start[first[full]]
    new.turn_end = new.token_end[last[full] - 1]
    _carry(doc, new, "turn", full, but=("turn_start", "turn_end"))


def _carry_phrases(doc: Document, new: Document, renumber: Ints) -> None:
    """Phrase structure without the leaves that are gone and the phrases left empty by that."""
    n = len(doc.node_label)
    if not n:
        return
    leaf, parent = doc.node_leaf.tolist(), doc.node_parent.tolist()
    alive = [word >= 0 and int(renumber[word]) >= 0 for word in leaf]
    for node in range(n - 1, -1, -1):
        if alive[node] and parent[node] >= 0:
            alive[parent[node]] = True
    nodes = np.flatnonzero(alive)
    number = np.full(n, -1, dtype=np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    new.node_label = doc.node_label[nodes]
    parents, leaves = doc.node_parent[nodes], doc.node_leaf[nodes]
    new.node_parent = np.where(parents >= 0, number[parents], -1).astype(np.int32)
    new.node_leaf = np.where(leaves >= 0, renumber[leaves], -1).astype(np.int32)


def lower(doc: Document) -> Document:
    """The document with its text, forms and lemmas in lower case."""
    new = replace(
        doc,
        form=lower_ids(doc.strings, doc.form),
        lemma=lower_ids(doc.strings, doc.lemma),
        token_break=None,
        comments={
            token: tuple(c.lower() if is_text(c) else c for c in comments)
            for token, comments in doc.comments.items()
        },
    )
    text = doc.text
    if text.isascii():
        return replace(new, text=text.lower())
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    edges = [0, *ends, len(text)]
    gaps = [_same_length(text[a:b]) for a, b in zip(edges, [*starts, len(text)], strict=False)]
    surfaces = [text[a:b].lower() for a, b in zip(starts, ends, strict=True)]
    text, begins, finishes = laid_out(gaps[:-1], surfaces, gaps[-1])
    move = mover(doc, begins, finishes, len(text))
    moved = moved_offsets(doc, move)
    return replace(new, text=text, token_start=begins, token_end=finishes, **moved)


def _same_length(text: str) -> str:
    """Lower case, but for characters that would grow."""
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)
