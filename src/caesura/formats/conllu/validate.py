"""Errors and warnings for sentences of ten columns.

The fast reader only notices that something is wrong somewhere; this module looks at one sentence at
a time, line by line, and says what, where, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caesura.document import Strings
from caesura.document.schema import CONLLU
from caesura.document.trees import in_cycles
from caesura.errors import FormatError
from caesura.formats.conllu.attributes import NEWDOC, NEWPAR, TEXT, newdoc_id, sent_id
from caesura.formats.conllu.columns import Malformed, SentenceRun, parse
from caesura.formats.options import ReadOptions

_COLUMNS: Final = ("ID", *map(str.upper, CONLLU))
_COLUMNS_X: Final = (*_COLUMNS[:3], "CPOSTAG", "POSTAG", *_COLUMNS[5:8], "PHEAD", "PDEPREL")


def leave_out_bad(
    sentences: list[str], numbers: list[int], options: ReadOptions, x: bool
) -> tuple[list[str], list[int], tuple[str, ...]]:
    """The sentences that can be read; the first bad one is fatal unless bad ones are skipped.

    The last value is the comments that start a document or paragraph whose first sentence was
    left out at the end of the run.
    """
    good, good_numbers = [], []
    boundary: list[str] = []
    for sentence, number in zip(sentences, numbers, strict=True):
        try:
            parse([sentence], (), Strings(), options, x)
        except Malformed:
            options.skip(diagnose(sentence, number, options, x))
            # A document or paragraph that starts with a sentence left out starts with the next.
            boundary += [
                line
                for line in sentence.split("\n")
                if line.startswith("#") and (NEWDOC.match(line) or NEWPAR.match(line))
            ]
            continue
        if boundary:
            own = [] if newdoc_id(sentence.split("\n"))[0] else boundary
            sentence = "\n".join([*own, sentence])
            number -= len(own)
            boundary = []
        good.append(sentence)
        good_numbers.append(number)
    return good, good_numbers, tuple(boundary)


def diagnose(sentence: str, first: int, options: ReadOptions, x: bool) -> FormatError:
    """The first thing that is wrong with a sentence, as an error that says where."""
    lines = sentence.split("\n")
    line, what, column = next(_faults(lines, x))
    return options.error(what, first + line, column, sent_id=sent_id(lines))


def _faults(lines: list[str], x: bool) -> Iterator[tuple[int, str, int | None]]:
    """What is wrong, with line and column, of which only the first holds."""
    n_words = sum(1 for line in lines if line.partition("\t")[0].isdecimal())
    names = _COLUMNS_X if x else _COLUMNS
    words, covered, minor, began = 0, 0, 0, False
    last_range = -1  # the line of the latest range
    for number, line in enumerate(lines):
        if line.startswith("#"):
            if began:
                yield number, "a comment stands between the words of a sentence", None
            continue
        began = True
        fields = line.split("\t")
        if len(fields) != 10:
            what = f"the line has {len(fields)} columns, not 10"
            if len(fields) == 1 and not line.strip():
                what = "the line has only blanks, where a blank line or a word must be"
            elif len(fields) == 1 and len(line.split()) >= 10:
                what = "columns are separated by spaces, not by tabs"
            yield number, what, None
        for k, value in enumerate(fields):
            if not value:
                what = f"{names[k]} is empty (an unknown value is written _)"
                yield number, what, _column(fields, k)
        identifier, shown = fields[0], _shown(fields[0])
        if identifier.isdecimal():
            if identifier != str(words + 1):
                late = _int(identifier) <= words
                what = "is repeated or out of order" if late else "skips ids"
                yield number, f"ID is {shown} but {words + 1} was expected: it {what}", None
            words, minor = words + 1, 0
            for what in _head_faults(fields[6], n_words):
                yield number, what, _column(fields, 6)
        elif "-" in identifier and not x:
            if last_range == number - 1 >= 0:
                yield number, f"ID is {shown}, right after another range", None
            for what in _range_faults(identifier, words, covered, n_words):
                yield number, what, None
            covered, last_range = int(identifier.partition("-")[2]), number
        elif "." in identifier and not x:
            minor += 1
            if identifier != f"{words}.{minor}":
                what = f"ID is {shown!r} but an empty node here must be {words}.{minor}"
                yield number, what, None
            for k in (6, 7):
                if fields[k] != "_":
                    what = f"{names[k]} of an empty node is {_shown(fields[k])!r}, not _"
                    yield number, what, _column(fields, k)
        else:
            yield number, f"ID is {shown!r}, which is no number", None
    if not words:
        yield 0, "the sentence has no words", None
    yield 0, "the sentence cannot be read: a range or an empty node is out of place", None


def _int(text: str) -> int:
    """A number; one with very many digits, which Python refuses to read, is just large."""
    return int(text) if len(text) < 19 else 10**18


def _shown(value: str) -> str:
    return value if len(value) <= 40 else value[:40] + "…"


def _column(fields: list[str], number: int) -> int:
    return sum(map(len, fields[:number])) + number + 1


def _head_faults(head: str, n_words: int) -> Iterator[str]:
    if head != "_":
        if not head.isdecimal() or str(_int(head)) != head:
            yield f"HEAD is {_shown(head)!r}, which is no number"
        elif _int(head) > n_words:
            yield f"HEAD is {head} but the sentence has {n_words} words"


def _range_faults(identifier: str, words: int, covered: int, n_words: int) -> Iterator[str]:
    first, _, last = identifier.partition("-")
    shown = _shown(identifier)
    if not (first.isdecimal() and last.isdecimal()):
        yield f"ID is {shown!r}, which is no range of words"
    a, b = _int(first), _int(last)
    if a >= b:
        yield f"the range {shown} must rise"
    if a <= covered:
        yield f"the range {shown} overlaps the one that ends at {covered}"
    if b > n_words:
        yield f"the range {shown} ends after the last word, {n_words}"
    if a != words + 1 or str(a) != first or str(b) != last:
        yield f"the range {shown} must stand before word {a}"


def warn(
    found: SentenceRun, sentences: list[str], numbers: list[int], options: ReadOptions
) -> None:
    """Warn of invalid trees and of `# text` that differs from the tokens."""
    lines = [
        number
        for sentence, number in zip(sentences, numbers, strict=True)
        if not sentence.startswith("#") or not _only_comments(sentence)
    ]
    head = found.columns["head"]
    bounds = found.word_bounds
    counts = np.diff(bounds)
    sentence_of = np.repeat(np.arange(len(counts)), counts)
    roots = np.bincount(sentence_of[head == -1], minlength=len(counts))
    selfs = np.bincount(sentence_of[head == np.arange(len(head))], minlength=len(counts))
    cyclic = np.bincount(sentence_of[in_cycles(head)], minlength=len(counts))
    for s in np.flatnonzero((roots > 1) | (selfs > 0) | (cyclic > 0)).tolist():
        comments = found.comments[s]
        base, name = lines[s] + len(comments), sent_id(comments)
        words = head[bounds[s] : bounds[s + 1]]
        if selfs[s]:
            w = int(np.flatnonzero(words == np.arange(bounds[s], bounds[s + 1]))[0])
            options.warning(f"word {w + 1} is its own head", base, sent_id=name)
        elif cyclic[s]:
            options.warning("heads form a cycle", base, sent_id=name)
        if roots[s] > 1:
            options.warning(f"the sentence has {roots[s]} roots", base, sent_id=name)
    _warn_text(found, lines, options)


def _only_comments(sentence: str) -> bool:
    return all(line.startswith("#") for line in sentence.split("\n"))


def _warn_text(found: SentenceRun, lines: list[int], options: ReadOptions) -> None:
    bounds = found.token_bounds.tolist()
    space = " " if options.space else ""
    for s, comments in enumerate(found.comments):
        for k, comment in enumerate(comments):
            if not comment.startswith("# text"):
                continue
            match = TEXT.match(comment)
            if not match:
                continue
            a, b = bounds[s], bounds[s + 1]
            parts = []
            for t in range(a, b):
                after = found.after[t]
                parts += [found.surfaces[t], space if after is None else after]
            if "".join(parts).split() != match[1].split():
                options.warning(
                    "# text is not what the tokens give", lines[s] + k, sent_id=sent_id(comments)
                )
            break
