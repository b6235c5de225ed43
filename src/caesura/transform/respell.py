"""Copies in which tokens are spelled differently: the one maker of copies with other characters.

A token may become another one, several, or none, with other white space before it. Offsets are
counted anew, so that the slice law holds in the copy as in the document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document import NO, Document, Longs
from caesura.transform.comments import is_text
from caesura.transform.follow import moved_offsets


class Spelled(NamedTuple):
    """A token of a copy: how it is written, its words (itself, if none), and what is before it."""

    surface: str
    words: tuple[str, ...] = ()
    gap: str = ""


class Copy(NamedTuple):
    """A copy of a document, and which of its tokens are not as they were."""

    doc: Document
    changed: NDArray[np.bool_]


def respelled(doc: Document, tokens: Mapping[int, Sequence[Spelled]]) -> Copy:
    """The document with some tokens spelled otherwise.

    Where every token stays one token of as many words, the copy keeps all its columns, but for
    comments that hold the text. Else it has text, tokens, words, sentences, paragraphs and turns:
    what was said about the words is not true of others. The first token of a sentence may not go.
    """
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    first = doc.first_word.tolist()
    forms = doc.column("form")
    parts: list[str] = []
    words: list[str] = []
    sizes: list[int] = []
    sources: list[int] = []  # the token that each new one stands for, -1 for those behind the first
    begins: list[int] = []
    lengths: list[int] = []
    changed: list[bool] = []
    old, new = [0], [0]  # offsets that correspond
    at = length = 0
    for token, (start, end) in enumerate(zip(starts, ends, strict=True)):
        own = tokens.get(token)
        if own is None:
            gap = doc.text[at:start]
            own = (
                Spelled(doc.text[start:end], tuple(forms[first[token] : first[token + 1]]), gap),
            )
        source = token
        for spelled in own:
            parts += [spelled.gap, spelled.surface]
            length += len(spelled.gap)
            if source == token:
                old.append(start)
                new.append(length)
            begins.append(length)
            lengths.append(len(spelled.surface))
            length += len(spelled.surface)
            said = spelled.words or (spelled.surface,)
            words += said
            sizes.append(len(said))
            sources.append(source)
            changed.append(token in tokens)
            source = -1
        old.append(end)
        new.append(length)
        at = end
    parts.append(doc.text[at:])
    old.append(len(doc.text))
    new.append(length + len(doc.text) - at)

    def move(offsets: Longs) -> Longs:
        before = np.clip(np.searchsorted(old, offsets, side="right") - 1, 0, len(old) - 1)
        limit = np.array(new)[np.minimum(before + 1, len(new) - 1)]
        moved: Longs = np.minimum(np.array(new)[before] + offsets - np.array(old)[before], limit)
        return moved

    text = "".join(parts)
    token_start = np.array(begins, dtype=np.int64)
    columns: dict[str, Any] = {
        "text": text,
        "token_start": token_start,
        "token_end": token_start + np.array(lengths, dtype=np.int64),
        "token_break": None,
        **moved_offsets(doc, move),
    }
    if sources == list(range(doc.n_tokens)) and sizes == np.diff(doc.first_word).tolist():
        comments = {
            token: tuple(c for c in said if not is_text(c)) for token, said in doc.comments.items()
        }
        same = replace(doc, form=doc.strings.ids(words), comments=comments, **columns)
        return Copy(same, np.array(changed, dtype=bool))
    kept = np.array(sources, dtype=np.int64)
    marks = np.where(kept >= 0, doc.sent_start[np.maximum(kept, 0)], NO).astype(np.int8)
    for name in ("id", "source", "strings", "continues", "turn_speaker", "turn_time"):
        columns[name] = getattr(doc, name)
    for name in [name for name in columns if name.startswith("markup")]:
        del columns[name]
    copy = type(doc)(**columns)
    copy.sent_start = marks
    copy.token_misc = np.zeros(len(kept), dtype=np.int32)
    copy.word_token = np.repeat(np.arange(len(kept), dtype=np.int32), sizes)
    copy.form = doc.strings.ids(words)
    copy.blank_words()
    return Copy(copy, np.array(changed, dtype=bool))
