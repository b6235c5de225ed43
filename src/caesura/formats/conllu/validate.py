"""What is wrong with a sentence of ten columns, and what is merely odd about it.

The fast reader only notices that something is wrong somewhere; this module looks at one sentence at
a time, line by line, and says what, where, and what to do about it.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from caesura.document import Strings
from caesura.document.trees import in_cycles
from caesura.errors import FormatError
from caesura.formats.conllu.attributes import NEWDOC, NEWPAR, TEXT, newdoc_id, sent_id
from caesura.formats.conllu.columns import Malformed, Rows, parse
from caesura.formats.options import ReadOptions

_COLUMNS: Final = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_COLUMNS_X: Final = (
    "ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"
)  # fmt: skip


class _Wrong(Protocol):
    def __call__(self, what: str, line: int, column: int | None = None) -> FormatError: ...


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
    name = sent_id(lines)

    def wrong(what: str, line: int, column: int | None = None) -> FormatError:
        return options.error(what, line, column, sent_id=name)

    n_words = sum(1 for line in lines if line.partition("\t")[0].isdecimal())
    words, covered, minor, began = 0, 0, 0, False
    open_range: tuple[int, int] | None = None  # line and last word of the latest range
    for number, line in enumerate(lines, first):
        if line.startswith("#"):
            if began:
                return wrong("a comment stands between the words of a sentence", number)
            continue
        began = True
        error = _columns(line, number, wrong, x)
        if error:
            return error
        fields = line.split("\t")
        identifier = fields[0]
        if identifier.isdecimal():
            if identifier != str(words + 1):
                late = _int(identifier) <= words
                what = "is repeated or out of order" if late else "skips ids"
                shown = _shown(identifier)
                return wrong(f"ID is {shown} but {words + 1} was expected: it {what}", number)
            words, minor = words + 1, 0
            error = _head(fields, number, n_words, wrong)
        elif "-" in identifier and not x:
            if open_range and open_range[0] == number - 1:
                return wrong(f"ID is {_shown(identifier)}, right after another range", number)
            error = _range(identifier, number, words, covered, n_words, wrong)
            if error is None:
                covered = int(identifier.partition("-")[2])
                open_range = (number, covered)
        elif "." in identifier and not x:
            error = _empty(fields, number, words, minor, wrong)
            minor += 1
        else:
            return wrong(f"ID is {_shown(identifier)!r}, which is no number", number)
        if error:
            return error
    if not words:
        return wrong("the sentence has no words", first)
    return wrong("the sentence cannot be read: a range or an empty node is out of place", first)


def _int(text: str) -> int:
    """A number; one with very many digits, which Python refuses to read, is just large."""
    return int(text) if len(text) < 19 else 10**18


def _shown(value: str) -> str:
    return value if len(value) <= 40 else value[:40] + "…"


def _columns(line: str, number: int, wrong: _Wrong, x: bool) -> FormatError | None:
    fields = line.split("\t")
    names = _COLUMNS_X if x else _COLUMNS
    if len(fields) != 10:
        if len(fields) == 1 and not line.strip():
            return wrong("the line has only blanks, where a blank line or a word must be", number)
        if len(fields) == 1 and len(line.split()) >= 10:
            return wrong("columns are separated by spaces, not by tabs", number)
        return wrong(f"the line has {len(fields)} columns, not 10", number)
    for k, value in enumerate(fields):
        if not value:
            column = sum(map(len, fields[:k])) + k + 1
            return wrong(f"{names[k]} is empty (an unknown value is written _)", number, column)
    return None


def _head(fields: list[str], number: int, n_words: int, wrong: _Wrong) -> FormatError | None:
    head = fields[6]
    column = sum(map(len, fields[:6])) + 7
    if head == "_":
        return None
    if not head.isdecimal() or str(_int(head)) != head:
        return wrong(f"HEAD is {_shown(head)!r}, which is no number", number, column)
    if _int(head) > n_words:
        return wrong(f"HEAD is {head} but the sentence has {n_words} words", number, column)
    return None


def _range(
    identifier: str, number: int, words: int, covered: int, n_words: int, wrong: _Wrong
) -> FormatError | None:
    first, _, last = identifier.partition("-")
    if not (first.isdecimal() and last.isdecimal()):
        return wrong(f"ID is {_shown(identifier)!r}, which is no range of words", number)
    a, b = _int(first), _int(last)
    identifier = _shown(identifier)
    if a >= b:
        return wrong(f"the range {identifier} must rise", number)
    if a <= covered:
        return wrong(f"the range {identifier} overlaps the one that ends at {covered}", number)
    if b > n_words:
        return wrong(f"the range {identifier} ends after the last word, {n_words}", number)
    if a != words + 1 or str(a) != first or str(b) != last:
        return wrong(f"the range {identifier} must stand before word {a}", number)
    return None


def _empty(
    fields: list[str], number: int, words: int, minor: int, wrong: _Wrong
) -> FormatError | None:
    expected = f"{words}.{minor + 1}"
    if fields[0] != expected:
        return wrong(
            f"ID is {_shown(fields[0])!r} but an empty node here must be {expected}", number
        )
    for k, name in ((6, "HEAD"), (7, "DEPREL")):
        if fields[k] != "_":
            column = sum(map(len, fields[:k])) + k + 1
            return wrong(f"{name} of an empty node is {_shown(fields[k])!r}, not _", number, column)
    return None


def warn(found: Rows, sentences: list[str], numbers: list[int], options: ReadOptions) -> None:
    """Tell of what is odd in a run of sentences: trees that are none, text that differs."""
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


def _warn_text(found: Rows, lines: list[int], options: ReadOptions) -> None:
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
