"""The words of a document as the parser sees them: hashed columns, and what is before each word.

Strings are hashed once for each distinct string, so that a step of the search only mixes integers.
The shapes of words show whether a text was edited, that is, has capitals and punctuation: scorers
are surer of boundaries there than in transcripts, so that the same bias needs another bonus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document, Strings
from caesura.document.slicing import runs
from caesura.layout import NAMES, ODDS, START, learned
from caesura.layout import breaks as layout_breaks
from caesura.stages.joint_features import COLUMNS, N_COLUMNS
from caesura.stages.templates import string_hashes

#: Word shapes; 0 is kept for "not to be seen" (text without case and punctuation).
SHAPES: Final = tuple(
    "unseen lower Title UPPER mIxed X digits d1gits . , !? quote bracket dash symbol other".split()  # noqa: SIM905
)
_MARKS: Final = (
    dict.fromkeys((".", "...", "…"), 8)
    | dict.fromkeys((",", ";", ":"), 9)
    | dict.fromkeys(("!", "?"), 10)
    | dict.fromkeys(("'", '"', "``", "''", "“", "”", "‘", "’", "«", "»"), 11)
    | dict.fromkeys("()[]{}<>", 12)
    | dict.fromkeys(("-", "--", "–", "—"), 13)
)
#: Shapes that an unedited text does not have, and the share of them that makes no difference.
_EDITED: Final = np.isin(np.arange(len(SHAPES)), (2, 3, 4, 5, 8, 9, 10, 11, 12))
_FEW: Final = 0.01
#: Words of a paragraph that is judged by itself.
_ALONE: Final = 12
_MOST_KEPT: Final = 1 << 15


def shape(form: str) -> int:
    """The number of a word's shape in SHAPES."""
    known = _MARKS.get(form)
    if known is not None:
        return known
    if form.isalpha():
        if form.islower():
            return 1
        if len(form) == 1:
            return 5
        if form.isupper():
            return 3
        return 2 if form[1:].islower() else 4
    if form.isdigit():
        return 6
    if any(c.isdigit() for c in form):
        return 7
    if any(c.isalpha() for c in form):
        return 2 if form[0].isupper() else 1
    return 10 if form[0] in "!?" else (14 if not form[0].isspace() else 15)


class _Shapes(dict[str, int]):
    """A bounded cache of the shapes of words."""

    def __missing__(self, form: str) -> int:
        if len(self) >= _MOST_KEPT:
            self.clear()
        number = self[form] = shape(form or " ")
        return number


_shapes: Final = _Shapes()


def shapes_of(docs: Sequence[Document]) -> NDArray[np.int64]:
    """The shape of each word of documents, one behind another."""
    found = [np.zeros(0, np.int64)]
    for run in runs(docs):
        forms, strings = np.concatenate([doc.form for doc in run]), run[0].strings
        if len(forms) < len(strings):  # as of short texts that share their strings with many others
            shapes = map(_shapes.__getitem__, strings.take(forms))
            found.append(np.fromiter(shapes, np.int64, len(forms)))
            continue
        numbers = np.full(len(strings), -1)
        numbers[forms] = 0
        kinds = np.flatnonzero(numbers == 0)
        numbers[kinds] = list(map(_shapes.__getitem__, strings.take(kinds.astype(np.int32))))
        found.append(numbers[forms])
    return np.concatenate(found)


def is_edited(doc: Document) -> bool:
    """Whether a text has capitals and punctuation to speak of, as a transcript has not."""
    return bool(_enough(_EDITED[shapes_of([doc])].sum(), doc.n_words))


def edited_words(
    doc: Document, *, breaks: bool = True, bounds: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """Which words are of text with capitals and punctuation, paragraph by paragraph.

    A short paragraph (a heading, a line of a list) is as the whole document is; without `breaks`
    all words are. `bounds` are those of the documents that were joined to this one, in words.
    """
    own = _EDITED[shapes_of([doc])]
    found = _edited_texts(own, np.diff([0, len(own)] if bounds is None else bounds))
    if not breaks or not len(own) or (bounds is None and _is_one_paragraph(doc)):
        return found
    return _edited_paragraphs(doc, own, found)


def edited_words_of(docs: Sequence[Document], *, breaks: bool = True) -> NDArray[np.bool_]:
    """The same of documents, one behind another."""
    own = _EDITED[shapes_of(docs)]
    sizes = np.array([doc.n_words for doc in docs])
    found = _edited_texts(own, sizes)
    for doc, end in zip(docs, np.cumsum(sizes).tolist(), strict=True):
        if breaks and doc.n_words and not _is_one_paragraph(doc):
            words = slice(end - doc.n_words, end)
            found[words] = _edited_paragraphs(doc, own[words], found[words])
    return found


def _is_one_paragraph(doc: Document) -> bool:
    starts = doc.paragraph_start
    return not len(starts) or bool(starts[-1] <= doc.token_start[:1].sum())


def _edited_texts(own: NDArray[np.bool_], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The same of texts of these sizes as wholes."""
    marks = np.concatenate([[0], np.cumsum(own)])[np.concatenate([[0], np.cumsum(sizes)])]
    found: NDArray[np.bool_] = np.repeat(_enough(np.diff(marks), sizes), sizes)
    return found


def _edited_paragraphs(
    doc: Document, own: NDArray[np.bool_], whole: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    first = np.ones(len(own), bool)
    first[1:] = doc.word_token[1:] != doc.word_token[:-1]
    begins = np.flatnonzero(first & doc.token_paragraph_start[doc.word_token])
    if not len(begins) or begins[0]:
        begins = np.concatenate([[0], begins])
    sizes = np.diff(begins, append=len(own))
    edited = _enough(np.add.reduceat(own, begins, dtype=np.int64), sizes)
    return np.where(np.repeat(sizes < _ALONE, sizes), whole, np.repeat(edited, sizes))


def edited_tokens(doc: Document) -> NDArray[np.bool_]:
    """The same of tokens."""
    found = np.ones(doc.n_tokens, bool)
    found[doc.word_token[::-1]] = edited_words(doc)[::-1]
    return found


def _enough(marks: Any, words: Any) -> Any:
    return marks > _FEW * words


#: Rows of the word table before word 0: an absent word and the artificial root.
FIRST_WORD: Final = 2
_ABSENT_SEED: Final = 0x8CB92BA72F3D8DD7
_ROOT_SEED: Final = 0xA24BAED4963EE407
_FIRST_ROWS: Final = np.array([[_ABSENT_SEED], [_ROOT_SEED]], np.uint64) * (
    np.arange(N_COLUMNS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
)
_JOIN: Final = np.uint64(0x9FB21C651E98DF25)
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
#: Upper ends of the buckets of the tokeniser's evidence for a sentence start; bucket 0: none given.
EVIDENCE: Final = np.array([0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99])
#: The log-odds of a start in the middle of each bucket.
EVIDENCE_ODDS: Final = np.array([0.0, -5.0, -3.5, -2.0, -0.6, 0.6, 2.0, 3.5, 5.0], dtype=np.float32)
#: What is known of the gap before a word: paragraph, speaker, evidence, layout as it is learned
#: from, all that the layout says, and whether the word's text has no capitals and punctuation.
N_CONTEXT: Final = 6
EVIDENCE_COLUMN: Final = 2
LAYOUT_COLUMN: Final = 3
TOLD_COLUMN: Final = 4
PLAIN_COLUMN: Final = 5
#: The log-odds of a start by what the layout says, and how much more the tokeniser's evidence
#: counts where a line begins, of which it has seen more than the parser.
LAYOUT_ODDS: Final = np.array([ODDS.get(code, 0.0) for code in range(len(NAMES))], np.float32)
AT_LINES: Final = 4.0
#: Words whose hashes are kept.
_MOST_HASHES: Final = 1 << 15
#: Columns of a document that may hold tags, and the atoms that they become.
TAG_COLUMNS: Final = {"upos": "p", "xpos": "x", "feats": "m"}


class Words(NamedTuple):
    """The word table, which has two rows of its own before word 0, and the context of each word.

    `types` is what the guidelines see of each word; empty if there are none.
    """

    table: NDArray[np.uint64]
    context: NDArray[np.int32]
    types: NDArray[np.uint8] = np.zeros(0, np.uint8)


class Hasher:
    """Hashes of interned strings, computed once for each string of a table.

    Hashes of words are kept from one table to the next, as most words of a text are frequent.
    `classes` gives word classes by form, or by lower-cased form.
    """

    def __init__(self, classes: Mapping[str, int] | None = None) -> None:
        self.classes = classes or {}
        self._tables: dict[int, tuple[Strings, dict[str, NDArray[np.uint64]]]] = {}
        self._kept: dict[str, dict[str, int]] = {}

    def take(
        self, strings: Strings, ids: NDArray[np.int32], form: str = "plain"
    ) -> NDArray[np.uint64]:
        kept = self._tables.get(id(strings))
        if kept is None or kept[0] is not strings:
            if len(self._tables) >= 4:
                self._tables.clear()
            kept = self._tables[id(strings)] = (strings, {})
        done = kept[1].get(form, np.zeros(0, np.uint64))
        if len(done) < len(strings):
            done = kept[1][form] = np.concatenate(
                [done, self._hashes(strings.since(len(done)), form)]
            )
        taken: NDArray[np.uint64] = done[ids]
        return taken

    def _hashes(self, strings: list[str], form: str) -> NDArray[np.uint64]:
        known = self._kept.get(form)
        if known is None or len(known) > _MOST_HASHES:
            known = self._kept[form] = {}
        missing = [string for string in strings if string not in known]
        if missing:
            plain = missing
            if form == "lower":
                plain = [_normal(s) for s in missing]
            elif form == "suffix":
                plain = [s[-3:].lower() for s in missing]
            elif form == "class":
                plain = [self._class_of(s) for s in missing]
            known.update(zip(missing, string_hashes(plain).tolist(), strict=True))
        return np.fromiter(map(known.__getitem__, strings), np.uint64, len(strings))

    def _class_of(self, string: str) -> str:
        number = self.classes.get(string, self.classes.get(string.lower()))
        return "" if number is None else str(number)


def _normal(string: str) -> str:
    """Lower-cased, every digit a zero."""
    lower = string.lower()
    if any(c.isdigit() for c in lower):
        return "".join("0" if c.isdigit() else c for c in lower)
    return lower


def words_of(
    doc: Document, hasher: Hasher, *, tags: Sequence[str] = tuple(TAG_COLUMNS), breaks: bool = True
) -> Words:
    """The word table of a document; columns that it does not have are 0."""
    return batch_of([doc], hasher, tags=tags, breaks=breaks)[0]


def batch_of(
    docs: Sequence[Document],
    hasher: Hasher,
    *,
    tags: Sequence[str] = tuple(TAG_COLUMNS),
    breaks: bool = True,
) -> tuple[Words, NDArray[np.int64]]:
    """The word tables of documents, one behind another, and where their words begin and end."""
    bounds = np.zeros(len(docs) + 1, np.int64)
    np.cumsum([doc.n_words for doc in docs], out=bounds[1:])
    n = int(bounds[-1])
    table = np.zeros((n + FIRST_WORD * len(docs), N_COLUMNS), np.uint64)
    firsts = bounds[:-1] + FIRST_WORD * np.arange(len(docs))
    table[firsts], table[firsts + 1] = _FIRST_ROWS
    inside = np.ones(len(table), np.bool_)
    inside[firsts] = inside[firsts + 1] = False
    body = np.zeros((n, N_COLUMNS), np.uint64)
    column = {name: body[:, c] for c, name in enumerate(COLUMNS)}
    done = 0
    for run in runs(docs):
        forms = _joined([doc.form for doc in run])
        rows = slice(done, done := done + len(forms))
        strings = run[0].strings
        column["w"][rows] = hasher.take(strings, forms)
        column["n"][rows] = hasher.take(strings, forms, "lower")
        column["e"][rows] = hasher.take(strings, forms, "suffix")
        for name in tags:
            ids = _joined([getattr(doc, name) for doc in run])
            column[TAG_COLUMNS[name]][rows] = hasher.take(strings, ids)
        if hasher.classes:
            column["c"][rows] = hasher.take(strings, forms, "class")
    if "upos" not in tags and "xpos" in tags:
        column["p"][:] = column["x"]
    column["wp"][:] = (column["w"] * _JOIN) ^ (column["p"] * _GOLDEN)
    table[inside] = body
    context = context_of(docs, bounds, breaks=breaks)
    return Words(table, context), bounds


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(arrays) if len(arrays) != 1 else arrays[0]


def pieces(words: Words, bounds: NDArray[np.int64]) -> list[Words]:
    """The words of each document of a batch."""
    return [
        Words(
            words.table[a + FIRST_WORD * k : b + FIRST_WORD * (k + 1)],
            words.context[a:b],
            words.types[a:b],
        )
        for k, (a, b) in enumerate(pairwise(bounds.tolist()))
    ]


def context_of(
    docs: Sequence[Document], bounds: NDArray[np.int64], *, breaks: bool
) -> NDArray[np.int32]:
    """Paragraph break, change of speaker, evidence of a start and layout before each word, and
    whether its text has no capitals and punctuation.

    0 is not known, or that the layout says nothing. A piece of a longer document knows whether
    there were paragraphs and turns before it.
    """
    n = int(bounds[-1])
    context = np.zeros((n, N_CONTEXT), np.int32)
    if not n:
        return context
    tokens = np.zeros(len(docs) + 1, np.int64)
    np.cumsum([doc.n_tokens for doc in docs], out=tokens[1:])
    token = _joined([doc.word_token for doc in docs])
    if len(docs) > 1:
        token = token + np.repeat(tokens[:-1], np.diff(bounds))
    first = np.ones(n, dtype=bool)
    first[1:] = token[1:] != token[:-1]
    if breaks:
        context[:, 0] = _paragraphs(docs, bounds, tokens, first, token)
        for k, doc in enumerate(docs):
            if "turns" in doc.before or len(doc.turn_start):
                rows = slice(bounds[k], bounds[k + 1])
                context[rows, 1] = _turns(doc, first[rows])
        told = _joined([layout_breaks(doc) for doc in docs])
        for column, codes in ((LAYOUT_COLUMN, learned(told)), (TOLD_COLUMN, told)):
            context[:, column] = np.where(first & (codes != START)[token], codes[token], 0)
    known = [doc.start_evidence for doc in docs]
    if any(evidence is not None for evidence in known):
        given = [
            np.zeros(doc.n_tokens, np.float32) if evidence is None else evidence
            for doc, evidence in zip(docs, known, strict=True)
        ]
        bucket = np.searchsorted(EVIDENCE, _joined(given)).astype(np.int32) + 1
        context[:, EVIDENCE_COLUMN] = np.where(first, bucket[token], 1)
        for k, evidence in enumerate(known):
            if evidence is None:
                context[bounds[k] : bounds[k + 1], EVIDENCE_COLUMN] = 0
    context[:, PLAIN_COLUMN] = ~edited_words_of(docs, breaks=breaks)
    return context


def _paragraphs(
    docs: Sequence[Document],
    bounds: NDArray[np.int64],
    tokens: NDArray[np.int64],
    first: NDArray[np.bool_],
    token: NDArray[np.int64],
) -> NDArray[np.int64]:
    """By word, 2 for the first of a paragraph and 1 for others, 0 where nothing is known."""
    known = [len(doc.paragraph_start) > 0 or "paragraphs" in doc.before for doc in docs]
    offsets = np.cumsum([0, *(len(doc.text) + 1 for doc in docs[:-1])])
    begins = _joined([doc.token_start for doc in docs]) + np.repeat(offsets, np.diff(tokens))
    counts = [len(doc.paragraph_start) for doc in docs]
    starts = _joined([doc.paragraph_start for doc in docs]) + np.repeat(offsets, counts)
    at = np.searchsorted(begins, starts)
    marks = np.zeros(tokens[-1], bool)
    marks[at[at < np.repeat(tokens[1:], counts)]] = True
    marks[tokens[:-1][np.diff(tokens) > 0]] = True
    for k, doc in enumerate(docs):
        if doc.continues and doc.n_tokens:
            marks[tokens[k]] = bool(np.any(doc.paragraph_start == doc.token_start[0]))
    return np.where(first & marks[token], 2, 1) * np.repeat(known, np.diff(bounds))


def _turns(doc: Document, first: NDArray[np.bool_]) -> NDArray[np.int32]:
    change = np.ones(doc.n_tokens, np.int32)
    if len(change):
        turn = np.searchsorted(doc.turn_start, doc.token_start, side="right") - 1
        speaker = doc.turn_speaker[np.maximum(turn, 0)] if len(doc.turn_start) else turn
        change[1:] += (turn[1:] != turn[:-1]).astype(np.int32) + (speaker[1:] != speaker[:-1])
        if not doc.continues:
            change[0] = 3
        elif len(doc.turn_start) and doc.turn_start[0] == doc.token_start[0]:
            change[0] = 2
    return np.where(first, change[doc.word_token], 1).astype(np.int32)


def cut(words: Words, bounds: NDArray[np.int64]) -> Words:
    """The word table of the pieces that lie between bounds."""
    context = words.context[bounds[0] : bounds[-1]].copy()
    lengths = np.diff(bounds)
    piece = np.repeat(np.arange(len(lengths)), lengths)
    table = np.empty(
        (int(bounds[-1] - bounds[0]) + FIRST_WORD * len(lengths), N_COLUMNS), np.uint64
    )
    firsts = bounds[:-1] - bounds[0] + FIRST_WORD * np.arange(len(lengths))
    for row in range(FIRST_WORD):
        table[firsts + row] = words.table[row]
    into = np.arange(len(piece)) + FIRST_WORD * (piece + 1)
    table[into] = words.table[bounds[0] + FIRST_WORD : bounds[-1] + FIRST_WORD]
    return Words(table, context, words.types[bounds[0] : bounds[-1]])
