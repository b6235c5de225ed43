"""Choosing the columns of a document: what is dropped becomes unknown.

Also the columns and comments that other transforms carry along when rows are selected or the text
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from caesura.document import MAYBE, NO, UNKNOWN, Document, Longs
from caesura.document.schema import Level
from caesura.errors import UsageError


def moved_offsets(doc: Document, move: Callable[[Longs], Longs]) -> dict[str, Any]:
    """The columns of offsets, but for those of tokens, each offset moved."""
    return {
        column.name: move(getattr(doc, column.name))
        for column in doc.schema.columns
        if column.kind == "offsets" and column.level != "token"
    }


def rows_of(doc: Document, level: Level, numbers: Any, but: Collection[str]) -> dict[str, Any]:
    """The columns of a level that there are, but for those named, with the rows of some numbers."""
    found = {}
    for column in doc.schema.at(level):
        value = getattr(doc, column.name)
        if column.name in but or value is None:
            continue
        if column.is_array:
            found[column.name] = value[numbers]
        elif column.kind == "k-best":
            found[column.name] = value.of(numbers)
    return found


#: Comments that hold whatever happens to the text.
_KEPT = ("newdoc", "sent_id", "speaker", "global.columns")
#: Those that belong to a document or file rather than to a sentence.
_OF_DOCUMENT = ("newdoc", "global.columns")


def _key(comment: str) -> str:
    return comment.lstrip("#").strip()


def is_text(comment: str) -> bool:
    """Whether it is the comment `# text = …`."""
    key, equals, _ = _key(comment).partition("=")
    return bool(equals) and key.strip() == "text"


def without_text(doc: Document) -> dict[int, tuple[str, ...]]:
    """The comments of a document, but for those that hold the text."""
    return {
        token: tuple(c for c in comments if not is_text(c))
        for token, comments in doc.comments.items()
    }


def document_comments(comments: Iterable[str]) -> tuple[str, ...]:
    """The comments that move on to the next sentence when theirs disappears."""
    return tuple(c for c in comments if _key(c).startswith(_OF_DOCUMENT))


def spoken_comments(comments: Iterable[str], text: str) -> tuple[str, ...]:
    """The comments that a sentence keeps when it is made to look like speech."""
    return (*(c for c in comments if _key(c).startswith(_KEPT)), f"# text = {text}")


def laid_out(
    gaps: Iterable[str], surfaces: Sequence[str], tail: str = ""
) -> tuple[str, Longs, Longs]:
    """A text of tokens with what stands before each and behind all; where tokens start and end."""
    parts = [part for pair in zip(gaps, surfaces, strict=True) for part in pair]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))[1::2]
    lengths = np.fromiter(map(len, surfaces), np.int64, len(surfaces))
    return "".join([*parts, tail]), ends - lengths, ends


def mover(doc: Document, starts: Longs, ends: Longs, size: int) -> Callable[[Longs], Longs]:
    """Moves offsets along with the token or gap that they are in.

    `starts` and `ends` are those of the tokens of `doc` in a text of `size` characters.
    """
    old = np.concatenate(([0], np.stack((doc.token_start, doc.token_end), 1).ravel()))
    new = np.concatenate(([0], np.stack((starts, ends), 1).ravel(), [size]))

    def move(offsets: Longs) -> Longs:
        at = np.searchsorted(old, offsets, side="right") - 1
        return np.minimum(new[at] + offsets - old[at], new[at + 1])

    return move


def split_multiword(doc: Document) -> Document:
    """The document with one token a word; `don't` of the words `do` and `n't` reads `do n't`."""
    first = doc.first_word
    begins = np.zeros(doc.n_words, bool)
    begins[first[:-1]] = True
    surfaces = doc.column("form")
    gaps, at = [" "] * doc.n_words, 0
    spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
    for (start, end), word, after in zip(spans, first.tolist(), first[1:].tolist(), strict=False):
        gaps[word] = doc.text[at:start]
        if after - word == 1:
            surfaces[word] = doc.text[start:end]
        at = end
    text, starts, ends = laid_out(gaps, surfaces, doc.text[at:])
    move = mover(doc, starts[first[:-1]], ends[first[1:] - 1], len(text))
    made_anew = ("token_start", "token_end", "sent_start", "token_misc")
    return replace(
        doc,
        text=text,
        token_start=starts,
        token_end=ends,
        sent_start=np.where(begins, doc.sent_start[doc.word_token], NO).astype(np.int8),
        token_misc=np.zeros(doc.n_words, dtype=np.int32),
        token_columns={},
        word_token=np.arange(doc.n_words, dtype=np.int32),
        comments={int(first[token]): own for token, own in without_text(doc).items()},
        **rows_of(doc, "token", doc.word_token, but=made_anew),
        **moved_offsets(doc, move),
    )


def _blank(name: str) -> Callable[[Document], Document]:
    def blank(doc: Document) -> Document:
        nothing: dict[str, Any] = {name: doc.schema.by_name[name].rows(doc.n_words)}
        return replace(doc, **nothing)

    return blank


def _heads(doc: Document) -> Document:
    return replace(doc, head=np.full(doc.n_words, UNKNOWN, dtype=np.int32), arc_conf=None)


def _misc(doc: Document) -> Document:
    return replace(
        doc,
        misc=np.zeros(doc.n_words, dtype=np.int32),
        token_misc=np.zeros(doc.n_tokens, dtype=np.int32),
    )


def _sentences(doc: Document) -> Document:
    return replace(
        doc,
        sent_start=np.full(doc.n_tokens, MAYBE, dtype=np.int8),
        comments={},
        sent_conf=None,
    )


def _phrases(doc: Document) -> Document:
    none = np.zeros(0, dtype=np.int32)
    return replace(doc, node_label=none, node_parent=none, node_leaf=none)


def _empty_nodes(doc: Document) -> Document:
    if np.any(doc.node_leaf <= -2):
        doc = _phrases(doc)
    return replace(doc, empty_nodes=[])


def _multiword(doc: Document) -> Document:
    """Every word its own token; the words of a multi-word token are set apart by spaces."""
    if doc.n_words == doc.n_tokens:
        return doc
    return split_multiword(doc)


#: What can be dropped, and how.
COLUMNS: Final[dict[str, Callable[[Document], Document]]] = {
    "lemma": _blank("lemma"),
    "upos": lambda doc: replace(_blank("upos")(doc), tag_options=None, tag_conf=None),
    "xpos": lambda doc: replace(_blank("xpos")(doc), tag_options=None, tag_conf=None),
    "feats": _blank("feats"),
    "head": _heads,
    "deprel": _blank("deprel"),
    "deps": _blank("deps"),
    "misc": _misc,
    "comments": lambda doc: replace(doc, comments={}, trailer=()),
    "empty-nodes": _empty_nodes,
    "multiword": _multiword,
    "sentences": _sentences,
    "paragraphs": lambda doc: replace(doc, paragraph_start=np.zeros(0, dtype=np.int64)),
    "phrases": _phrases,
}


def _check(names: Iterable[str]) -> list[str]:
    names = list(names)
    for name in names:
        if name not in COLUMNS:
            raise UsageError(
                f"there is no column {name}", remedy=f"Columns are: {', '.join(COLUMNS)}."
            )
    return names


def drop(doc: Document, names: Iterable[str]) -> Document:
    """The document without the columns named."""
    for name in _check(names):
        doc = COLUMNS[name](doc)
    return doc


def keep(doc: Document, names: Iterable[str]) -> Document:
    """The document with its words, its sentences and tokens, and of the rest what is named."""
    kept = {*_check(names), "sentences", "multiword", "paragraphs"}
    return drop(doc, [name for name in COLUMNS if name not in kept])
