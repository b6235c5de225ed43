"""Ten tab-separated columns to arrays: the common part of CoNLL-U and CoNLL-X.

A run of sentences is parsed at once, column by column, with as little work for each line as Python
allows. Identifiers must count up from 1 in every sentence; ranges and decimals stand where they
belong. A bad line raises `Malformed` without an explanation: `validate.diagnose` then looks at the
sentences one by one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Final, TypeVar

import numpy as np

from caesura.document import CONFIDENCE_KEYS, UNKNOWN, EmptyNode, Strings
from caesura.document.schema import CONLLU
from caesura.formats.conllu.attributes import (
    ALIGNED,
    MARK,
    NEWPAR,
    Aligned,
    Spacing,
    Turn,
    aligned_of,
    mark_of,
    newdoc_id,
    spacing,
    with_attributes,
)
from caesura.formats.options import ReadOptions

#: The numbers from 1 as text, and the value of a HEAD.
_NUMBERS: list[str] = []
VALUES: dict[str, int] = {"_": UNKNOWN}


class Malformed(Exception):
    """Some line of a run of sentences does not follow the format."""


def count_to(n: int) -> None:
    """Know the numbers up to n at least."""
    if n >= len(_NUMBERS):
        for number in range(len(_NUMBERS), 2 * n + 64):
            _NUMBERS.append(str(number + 1))
            VALUES[str(number)] = number


@dataclass
class Layout:
    """Which row is what."""

    word_rows: np.ndarray
    token_rows: np.ndarray
    word_token: np.ndarray
    word_bounds: np.ndarray
    token_bounds: np.ndarray
    #: Rows of multi-word tokens with their token, and of empty nodes with anchor and minor number.
    multiword: list[tuple[int, int]] = field(default_factory=list)
    empty: list[tuple[int, int, int]] = field(default_factory=list)


def layout(ids: list[str], counts: list[int], *, allow_special: bool) -> Layout:
    n = len(ids)
    bounds = np.cumsum([0, *counts], dtype=np.int64)
    special: list[int] = []
    at = 0
    for count in counts:
        if ids[at : at + count] != _NUMBERS[:count]:
            here = [i for i in range(at, at + count) if not ids[i].isdecimal()]
            left = [ids[i] for i in range(at, at + count) if ids[i].isdecimal()]
            if not left or left != _NUMBERS[: len(left)]:
                raise Malformed
            special += here
        at += count
    if not special:
        everything = np.arange(n, dtype=np.int64)
        return Layout(everything, everything, everything, bounds, bounds)
    if not allow_special:
        raise Malformed
    is_word = np.ones(n, dtype=bool)
    is_word[special] = False
    sentence = np.searchsorted(bounds, special, side="right") - 1
    word_counts = np.diff(bounds) - np.bincount(sentence, minlength=len(counts))
    word_rows = np.flatnonzero(is_word)
    word_bounds = np.concatenate(([0], np.cumsum(word_counts)))
    words_before = np.cumsum(is_word) - is_word
    multiword, empty = _special(ids, special, sentence, is_word, words_before, word_bounds)
    is_token = is_word.copy()
    first = np.ones(len(word_rows), dtype=bool)
    for row, a, b in multiword:
        first[a + 1 : b + 1] = False
        is_token[row] = True
        is_token[word_rows[a : b + 1]] = False
    word_token = np.cumsum(first) - 1
    token_rows = np.flatnonzero(is_token)
    starts = word_token[word_bounds[:-1]]
    token_bounds = np.concatenate((starts, [len(token_rows)]))
    return Layout(
        word_rows,
        token_rows,
        word_token,
        word_bounds,
        token_bounds,
        [(row, int(word_token[a])) for row, a, _ in multiword],
        empty,
    )


def _special(
    ids: list[str],
    special: list[int],
    sentences: np.ndarray,
    is_word: np.ndarray,
    words_before: np.ndarray,
    word_bounds: np.ndarray,
) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]:
    """Rows of multi-word tokens (row, first and last word) and empty nodes (row, anchor, minor)."""
    multiword: list[tuple[int, int, int]] = []
    empty: list[tuple[int, int, int]] = []
    covered = -1
    for row, s in zip(special, sentences.tolist(), strict=True):
        base, here = int(word_bounds[s]), int(words_before[row])
        first, dash, last = ids[row].partition("-")
        if dash:
            if not (first in VALUES and last in VALUES) or "_" in (first, last):
                raise Malformed
            a, b = base + VALUES[first] - 1, base + VALUES[last] - 1
            if a != here or b <= a or b >= word_bounds[s + 1] or a <= covered:
                raise Malformed
            if row + 1 >= len(ids) or not is_word[row + 1]:
                raise Malformed
            covered = b
            multiword.append((row, a, b))
            continue
        major, dot, minor_text = ids[row].partition(".")
        if not dot or major not in VALUES or not re.fullmatch(r"[1-9][0-9]{0,8}", minor_text):
            raise Malformed
        if major == "_" or base + VALUES[major] != here:
            raise Malformed
        minor = int(minor_text)
        anchor = here - 1 if here > base else -1 - base
        follows = bool(empty) and empty[-1][1] == anchor and empty[-1][0] == row - 1
        if minor != (empty[-1][2] + 1 if follows else 1):
            raise Malformed
        empty.append((row, anchor, minor))
    return multiword, empty


T = TypeVar("T")

_RANGE: Final = re.compile(r"TokenRange=(\d{1,18}):(\d{1,18})(?!\d)")


@dataclass
class SentenceRun:
    """A run of sentences as columns; indices count from the start of the run."""

    strings: Strings
    comments: list[tuple[str, ...]]
    #: Sentences that start a document, with its id.
    newdoc: dict[int, str | None]
    #: Comments after the last sentence, which belong to what comes next; those that were carried
    #: into the run come before them if it had no sentence at all.
    carry: list[str]
    #: First token and first word of each sentence, and the ends.
    token_bounds: np.ndarray
    word_bounds: np.ndarray
    surfaces: list[str] = field(default_factory=list)
    #: The text after each token as far as its MISC says (None: it does not).
    after: list[str | None] = field(default_factory=list)
    before: dict[int, str] = field(default_factory=dict)
    #: Tokens that start a paragraph.
    paragraphs: list[int] = field(default_factory=list)
    #: The line of the first word of each sentence, if the reader records lines.
    lines: list[int] = field(default_factory=list)
    ranges: list[tuple[int, int] | None] | None = None
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    token_columns: dict[int, tuple[str, ...]] = field(default_factory=dict)
    empty_nodes: list[EmptyNode] = field(default_factory=list)
    #: Tokens at which a turn starts, or ends without another (None).
    turns: dict[int, Turn | None] = field(default_factory=dict)

    def gap(self, token: int, after: str | None, space: str) -> str:
        """What stands before a token when the MISC of the token before it says `after`."""
        if after is None:
            at = bisect_left(self.paragraphs, token)
            starts = at < len(self.paragraphs) and self.paragraphs[at] == token
            after = "\n\n" if starts else space
        return after + self.before.get(token, "")


def within(table: dict[int, T], first: int, last: int) -> list[tuple[int, T]]:
    """The entries for tokens first..last-1, at a cost of no more than so many tokens."""
    if last - first < len(table):
        return [(token, table[token]) for token in range(first, last) if token in table]
    return [(token, value) for token, value in table.items() if first <= token < last]


def parse(
    sentences: list[str], carry: Sequence[str], strings: Strings, options: ReadOptions, x: bool
) -> SentenceRun:
    """The columns of a run of sentences; `x` for CoNLL-X.

    `carry` is the comments that stand before the run.
    """
    held: list[str] = []
    words: list[str] = []
    comments: list[tuple[str, ...]] = []
    newdoc: dict[int, str | None] = {}
    newpar: list[int] = []
    counts: list[int] = []
    for sentence in sentences:
        own: tuple[str, ...] = ()
        if sentence[0] == "#":
            own, sentence = _cut_comments(sentence)
        if not sentence:
            held += own
            continue
        if held or (carry and not comments):
            own = (*(() if comments else carry), *held, *own)
            held = []
        for comment in own:
            if "new" in comment[:6]:
                starts, name = newdoc_id((comment,))
                if starts:
                    newdoc[len(comments)] = name
                elif NEWPAR.match(comment):
                    newpar.append(len(comments))
        comments.append(own)
        counts.append(sentence.count("\n") + 1)
        words.append(sentence)
    count_to(max(counts, default=0))
    values = _values(words, counts, strings, x)
    places = layout(values.ids, counts, allow_special=not x)
    found = SentenceRun(strings, comments, newdoc, held, places.token_bounds, places.word_bounds)
    _fill(found, values, places, options)
    starts_at = places.token_bounds[newpar].tolist()
    found.paragraphs = sorted({*found.paragraphs, *starts_at})
    return found


def _cut_comments(sentence: str) -> tuple[tuple[str, ...], str]:
    """The comments of a sentence, and its words."""
    comments: list[str] = []
    at = 0
    while sentence.startswith("#", at):
        end = sentence.find("\n", at)
        if end < 0:
            return (*comments, sentence[at:]), ""
        comments.append(sentence[at:end])
        at = end + 1
    return tuple(comments), sentence[at:]


#: The columns that hold strings, by number.
STRING_COLUMNS: Final = {k: name for k, name in enumerate(CONLLU, 1) if name != "head"}
#: The columns of a multi-word token's own line that `Document.token_columns` keeps.
_TO_DEPS: Final = CONLLU[1:-1]


@dataclass
class _Values:
    """The columns of all lines: identifiers and forms as strings, heads as numbers."""

    ids: list[str]
    forms: list[str]
    heads: np.ndarray
    interned: dict[str, np.ndarray]
    #: Whether there may be confidences in MISC.
    confident: bool

    def text(self, strings: Strings, name: str, row: int) -> str:
        """A value as it was written."""
        if name == "head":
            head = int(self.heads[row])
            return "_" if head < 0 else str(head)
        return strings[self.interned[name][row]]


#: Lines that are split at a time: few enough for their strings to stay in the processor's caches.
_AT_ONCE: Final = 400


def _values(words: list[str], counts: list[int], strings: Strings, x: bool) -> _Values:
    """Split lines into columns, and intern them.

    A line end becomes a value of its own, so that it is in every eleventh place if, and only if,
    each line has ten columns.
    """
    ids: list[str] = []
    forms: list[str] = []
    heads: list[int] = []
    parts: dict[str, list[int]] = {name: [] for name in STRING_COLUMNS.values()}
    number_of = strings.numbering
    begin = n = 0
    for end, count in enumerate(counts, 1):
        n += count
        if n < _AT_ONCE and end < len(counts):
            continue
        values = "\n".join(words[begin:end]).replace("\n", "\t\n\t").split("\t")
        if len(values) != 11 * n - 1 or values[10::11].count("\n") != n - 1:
            raise Malformed
        ids += values[0::11]
        forms += values[1::11]
        try:
            heads += map(VALUES.__getitem__, values[6::11])
        except KeyError:
            raise Malformed from None
        for number, name in STRING_COLUMNS.items():
            if x and number == 8:
                parts[name] += [number_of("_")] * n
            else:
                own = _projected(values) if x and number == 9 else values[number::11]
                parts[name] += map(number_of, own)
        begin, n = end, 0
    confident = any("Conf=" in sentence for sentence in words)
    interned = {name: np.array(column, dtype=np.int32) for name, column in parts.items()}
    if any(len(column) and column.min() == 0 for column in interned.values()):
        raise Malformed
    return _Values(ids, forms, np.array(heads, dtype=np.int64), interned, confident)


def _fill(found: SentenceRun, values: _Values, at: Layout, options: ReadOptions) -> None:
    strings = found.strings
    blank = strings.add("_")
    columns = found.columns
    columns["word_token"] = at.word_token.astype(np.int32)
    columns["head"] = _heads(values.heads, at)
    form = values.interned["form"]
    _empty_nodes(found, values, at)
    for row, token in at.multiword:
        rest = tuple(values.text(strings, name, row) for name in _TO_DEPS)
        if rest != ("_",) * 7:
            found.token_columns[token] = rest
    for name, ids in values.interned.items():
        if name != "form":
            nothing = ids == blank
            if name == "lemma":
                nothing &= form != blank
            ids[nothing] = 0
        columns[name] = ids
    misc = _confidences(found, values, at)
    token_misc = misc[at.token_rows]
    forms = values.forms
    found.surfaces = forms
    if len(token_misc) != len(forms):
        is_token = np.zeros(len(forms), dtype=bool)
        is_token[at.token_rows] = True
        found.surfaces = list(compress(forms, is_token.tolist()))
    _spaces(found, token_misc, options)
    of_token = np.zeros(len(token_misc), dtype=np.int32)
    for row, token in at.multiword:
        of_token[token] = misc[row]
    columns["token_misc"] = of_token
    columns["misc"] = misc
    if len(at.word_rows) != len(forms):
        for name in STRING_COLUMNS.values():
            columns[name] = columns[name][at.word_rows]


def _projected(fields: list[str]) -> list[str]:
    """PHEAD and PDEPREL of CoNLL-X as attributes of MISC."""
    pairs = list(zip(fields[8::11], fields[9::11], strict=True))
    values = {}
    for head, deprel in dict.fromkeys(pairs):
        if not head or not deprel:
            raise Malformed
        items = [f"PHead={head}"] if head != "_" else []
        if deprel != "_":
            items.append(f"PDeprel={deprel}")
        values[head, deprel] = "|".join(items) or "_"
    return [values[pair] for pair in pairs]


def _heads(heads: np.ndarray, at: Layout) -> np.ndarray:
    heads = heads[at.word_rows]
    counts = np.diff(at.word_bounds)
    if np.any(heads > np.repeat(counts, counts)):
        raise Malformed
    # 0, the artificial root, becomes ROOT; UNKNOWN stays.
    moved = heads - 1 + np.repeat(at.word_bounds[:-1], counts)
    return np.where(heads > 0, moved, np.where(heads == 0, -1, heads)).astype(np.int32)


def _empty_nodes(found: SentenceRun, values: _Values, at: Layout) -> None:
    for row, anchor, minor in at.empty:
        texts = {
            name: values.text(found.strings, name, row)
            for name in ("head", *STRING_COLUMNS.values())
        }
        if texts.pop("head") != "_" or texts.pop("deprel") != "_":
            raise Malformed
        kept = {name: "" if text == "_" else text for name, text in texts.items()}
        found.empty_nodes.append(EmptyNode(anchor, minor, **kept))


def _confidences(found: SentenceRun, values: _Values, at: Layout) -> np.ndarray:
    """MISC without confidences, which become columns."""
    misc: np.ndarray = found.columns["misc"]
    strings = found.strings
    if not values.confident:
        return misc
    hits = [i for i in set(misc.tolist()) if "Conf=" in strings[i]]
    if not hits:
        return misc
    keys = tuple(CONFIDENCE_KEYS.values())
    listed = misc.tolist()
    for name, key in CONFIDENCE_KEYS.items():
        numbers = {i: _number(strings[i], key) for i in hits}
        known = {i: number for i, number in numbers.items() if number is not None}
        rows = at.token_rows if name == "sent_conf" else at.word_rows
        column = np.array([known.get(i, np.nan) for i in listed], dtype=np.float32)[rows]
        if not np.all(np.isnan(column)):
            found.columns[name] = column
    cleaned = {
        i: strings.add(with_attributes(strings[i], keys, []))
        for i in hits
        if all(_number(strings[i], key) is not None or f"{key}=" not in strings[i] for key in keys)
    }
    return np.array([cleaned.get(i, i) for i in listed], dtype=np.int32)


def _number(misc: str, key: str) -> float | None:
    for item in misc.split("|"):
        if item.startswith(key + "="):
            try:
                return float(item[len(key) + 1 :])
            except ValueError:
                return None
    return None


def _spaces(found: SentenceRun, token_misc: np.ndarray, options: ReadOptions) -> None:
    """What MISC says about the text between tokens, about turns and about times."""
    strings = found.strings
    distinct = {i: strings[i] for i in np.unique(token_misc).tolist()}
    said = {i: spacing(text) for i, text in distinct.items() if "Space" in text or "NewPar" in text}
    after = {i: it.after for i, it in said.items() if it.after is not None}
    found.after = [None] * len(token_misc)
    for token, text in _at_tokens(token_misc, after):
        found.after[token] = text
    odd = {i: it for i, it in said.items() if it != Spacing(after=it.after)}
    if odd:
        found.surfaces = list(found.surfaces)
    for token, it in _at_tokens(token_misc, odd):
        if it.before:
            found.before[token] = it.before
        if it.surface is not None:
            found.surfaces[token] = it.surface
        if it.new_paragraph:
            found.paragraphs.append(token)
    marks = {i: mark_of(text) for i, text in distinct.items() if MARK in text}
    found.turns.update(_at_tokens(token_misc, marks))
    aligned = {i: aligned_of(text) for i, text in distinct.items() if ALIGNED in text}
    _times(found, token_misc, {i: one for i, one in aligned.items() if one is not None})
    if options.token_range:
        matches = {i: _RANGE.search(text) for i, text in distinct.items()}
        spans = {i: (int(m[1]), int(m[2])) for i, m in matches.items() if m}
        found.ranges = [spans.get(i) for i in token_misc.tolist()]


def _at_tokens(token_misc: np.ndarray, said: dict[int, T]) -> Iterator[tuple[int, T]]:
    """The tokens with some values of MISC, and what these say."""
    for token in np.flatnonzero(np.isin(token_misc, list(said))).tolist() if said else ():
        yield token, said[int(token_misc[token])]


def _times(found: SentenceRun, token_misc: np.ndarray, said: dict[int, Aligned]) -> None:
    if not said:
        return
    n = len(token_misc)
    times = np.full((n, 2), np.nan)
    sure, guessed = np.full(n, np.nan, np.float32), np.zeros(n, np.int8)
    for token, one in _at_tokens(token_misc, said):
        times[token] = one.begin / 1000, one.end / 1000
        sure[token] = np.nan if one.confidence is None else one.confidence
        guessed[token] = one.guessed
    columns = found.columns
    columns["token_time"], columns["token_time_conf"] = times, sure
    columns["token_time_guessed"] = guessed
