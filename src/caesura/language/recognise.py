"""Which of many languages a text is in: hashed character n-grams, one weight a language each.

    recogniser = Recogniser.from_part(model.part("language"))
    recogniser.of("Båden kommer ikke i dag.").language   # "da"

N-grams of one to four letters with the ends of words, and whole words, are summed and divided by
the root of their number, so that the chances hold for short and long texts alike (Cavnar & Trenkle,
1994, count them; here the weights are learned: see `learning`). Of a text in several scripts only
the words in the one that most of its letters have are judged: the others are names. One more class
stands for text that is in none of the languages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document.characters import LETTERS, MARGIN, N_CLASSES, classify, code_points
from caesura.errors import ModelError, UsageError
from caesura.language.guess import plain_code, windows
from caesura.language.scripts import COMMON, main_script, scripts_of
from caesura.models.file import Part

__all__ = ["KIND", "NONE", "Guess", "Recogniser", "Region", "features", "sparse"]

KIND: Final = "language"
#: The class of texts in none of the languages.
NONE: Final = ""
#: Letters that a paragraph must have to be judged by itself, and how sure that must be.
_LETTERS: Final = 40
_SURE: Final = 0.8
#: How sure if the text as a whole is in no language; and how much less likely than its best one the
#: language of the text may be for a paragraph that is not sure.
_LIKELY: Final = 0.5
_UNLIKELY: Final = 0.01
#: Characters by which a text is judged, and a paragraph; of a longer one than that it is handed on
#: in parts.
_HEAD: Final = 8000
_JUDGED: Final = 2000
_LONG: Final = 1 << 16
_LINE: Final = re.compile(r"\n\s*(?=\S)")
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n\s*(?=\S)")
#: How many languages are named beside the best.
_NEAREST: Final = 3
#: From so many weights of a row on it is quicker to add those that are zero, too.
_MANY: Final = 16
#: A text of fewer features is not judged.
_ENOUGH: Final = 6

_IS_LETTER: Final = np.isin(np.arange(N_CLASSES), LETTERS)


def features(text: str, bits: int, *, in_main_script: bool = False) -> NDArray[np.int32]:
    """The rows of a text's n-grams in a table of 2**bits rows; perhaps of its main script alone."""
    codes = code_points(text)
    classes, folded = classify(codes)
    letters = _IS_LETTER[classes]
    if in_main_script and not text.isascii():
        inner = letters[MARGIN : MARGIN + len(codes)]
        scripts = scripts_of(codes)
        main = main_script(scripts[inner])
        if main is not None:
            inner &= (scripts == main) | (scripts == COMMON)
    return _core.ngram_rows(folded.astype(np.uint32), letters, (1 << bits) - 1)


class Rows(NamedTuple):
    """The weights that are not zero, of 100 about three: those of row r from begin[r] on."""

    begin: NDArray[np.int64]
    label: NDArray[np.uint16]
    value: NDArray[np.int8]


class Full(NamedTuple):
    """The rows of common n-grams, which most languages know, once more with their zeros."""

    #: Which row of the table a row of `Rows` is, where that has enough weights.
    place: NDArray[np.int16]
    table: NDArray[np.int8]

    @classmethod
    def of(cls, weights: Rows, languages: int) -> Self:
        begin, label, value = weights
        sizes = np.diff(begin)
        full = np.flatnonzero(sizes >= _MANY)[: np.iinfo(np.int16).max]
        place = np.zeros(len(sizes), np.int16)
        place[full] = np.arange(1, len(full) + 1)
        owner = np.repeat(place, sizes)
        there = owner > 0
        table = np.zeros((len(full) + 1, languages), np.int8)
        table[owner[there], label[there]] = value[there]
        return cls(place, table)


def sparse(weights: NDArray[np.int8]) -> Rows:
    """The rows of a table of weights."""
    rows, labels = np.nonzero(weights)
    sizes = np.bincount(rows, minlength=len(weights))
    return _rows_of(sizes, labels.astype(np.uint16), weights[rows, labels])


def _rows_of(sizes: NDArray[Any], label: NDArray[np.uint16], value: NDArray[np.int8]) -> Rows:
    begin = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    return Rows(begin, np.ascontiguousarray(label), np.ascontiguousarray(value))


class Guess(NamedTuple):
    """A language (None: none of those that are known), how sure, and the likeliest ones."""

    language: str | None
    confidence: float
    nearest: tuple[tuple[str, float], ...] = ()


class Region(NamedTuple):
    """Some paragraphs in one language, by offset."""

    start: int
    end: int
    guess: Guess


@dataclass(frozen=True)
class Recogniser:
    """Tells languages apart. It does not change in use, so threads may share one."""

    #: Codes, in the order of the columns; the last one is `NONE`.
    languages: tuple[str, ...]
    #: A row an n-gram.
    weights: Rows
    #: What a step of the weights is worth, which also makes the chances hold.
    scale: float

    @property
    def bits(self) -> int:
        return (len(self.weights.begin) - 1).bit_length() - 1

    @cached_property
    def _full(self) -> Full:
        return Full.of(self.weights, len(self.languages))

    def only(self, languages: Sequence[str]) -> Self:
        """The same for some of the languages."""
        for code in languages:
            if code not in self.languages:
                raise UsageError(
                    f"{code} is no language that is told",
                    remedy=f"Languages: {', '.join(self.languages[:-1])}.",
                )
        keep = [n for n, code in enumerate(self.languages) if code in languages or code == NONE]
        names = tuple(self.languages[n] for n in keep)
        begin, label, value = self.weights
        place = np.full(len(self.languages), -1)
        place[keep] = np.arange(len(keep))
        there = place[label] >= 0
        owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin))[there]
        sizes = np.bincount(owner, minlength=len(begin) - 1)
        rows = _rows_of(sizes, place[label[there]].astype(np.uint16), value[there])
        return type(self)(names, rows, self.scale)

    # ------------------------------------------------------------------- use

    def scores(self, text: str) -> tuple[NDArray[np.float64], int]:
        """The score of each language for a text or three windows of it, and its features."""
        total = np.zeros(len(self.languages), np.int64)
        n = 0
        for window in windows(text):
            rows = features(window, self.bits, in_main_script=True)
            _core.add_language_rows(rows, *self.weights, *self._full, total)
            n += len(rows)
        scores: NDArray[np.float64] = total.astype(np.float64)
        scores *= self.scale / math.sqrt(max(n, 1))
        return scores, n

    def of(self, text: str) -> Guess:
        """The language of a text, as a whole."""
        return self._guess(*self.scores(text))

    def _guess(self, scores: NDArray[np.float64], n: int) -> Guess:
        if n < _ENOUGH:
            return Guess(None, 0.0)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        order = np.argsort(-chances, kind="stable")[: _NEAREST + 1].tolist()
        told = [(self.languages[i], float(chances[i])) for i in order]
        named = tuple(one for one in told if one[0] != NONE)[:_NEAREST]
        return Guess(told[0][0] or None, told[0][1], named)

    def is_plainly_other(self, text: str, language: str) -> str | None:
        """The language of a text that is surely not the one that was named."""
        found = self.of(text)
        expected = plain_code(language)
        known = {plain_code(code) for code in self.languages}
        if found.language is None or expected not in known or found.confidence < _SURE:
            return None
        return None if plain_code(found.language) == expected else found.language

    def runs(self, blocks: Iterable[str]) -> Iterator[tuple[Guess, str]]:
        """The paragraphs of a text that comes in blocks, each with its language; they add up to it.

        A paragraph is what lies between blank lines, or a line where the beginning of the text has
        no blank ones. It is in the language of that beginning unless it is long enough to be judged
        by itself, and surely in another one or at least not in that. How the text was cut into
        blocks has no say.
        """
        rest = iter(blocks)
        head = ""
        for block in rest:
            head += block
            if len(head) >= _HEAD:
                break
        whole = last = self.of(head[:_HEAD])
        gap = _BLANK_LINE if _BLANK_LINE.search(head[:_HEAD].rstrip()) else _LINE
        inside: Guess | None = None  # of a long paragraph that is handed on in parts
        buffer = ""
        for block in chain([head], rest):
            buffer += block
            at = 0
            # Blanks at the end begin nothing, and would be looked at again and again.
            end = len(buffer.rstrip())
            for match in gap.finditer(buffer, 0, end):
                part = buffer[at : match.end()]
                last = inside or self._paragraph(part, whole)
                yield last, part
                inside, at = None, match.end()
            # What may yet belong to a gap stays, unless there is nothing else for long.
            if end - at >= _LONG:
                last = inside = inside or self._paragraph(buffer[at:], whole)
                yield last, buffer[at:end]
                at = end
            elif len(buffer) - end >= _LONG:
                if end > at:
                    last = inside or self._paragraph(buffer[at:end], whole)
                yield last, buffer[at:]
                inside, at = None, len(buffer)
            buffer = buffer[at:]
        if buffer:
            yield inside or self._paragraph(buffer, whole), buffer

    def _paragraph(self, text: str, whole: Guess) -> Guess:
        """The language of a paragraph by its beginning, or that of the text."""
        beginning = text[:_JUDGED]
        if sum(map(str.isalpha, beginning)) < _LETTERS:
            return whole
        scores, n = self.scores(beginning)
        own = self._guess(scores, n)
        if own.language is None:
            return whole
        if whole.language is None:  # a text in several languages may look like none of them
            return own if own.confidence >= _LIKELY else whole
        if own.confidence >= _SURE:
            return own
        # Between close languages it may be unsure, and yet sure that it is not in that of the text.
        best, expected = scores.max(), scores[self.languages.index(whole.language)]
        return own if math.exp(expected - best) < _UNLIKELY else whole

    def regions(self, text: str) -> list[Region]:
        """The paragraphs of a text, neighbours in one language together; they cover the text."""
        found: list[Region] = []
        end = 0
        for guess, part in self.runs([text]):
            start, end = end, end + len(part)
            if found and found[-1].guess.language == guess.language:
                found[-1] = found[-1]._replace(end=end)
            else:
                found.append(Region(start, end, guess))
        return found

    # -------------------------------------------------------------- storing

    def to_part(self) -> Part:
        config = {"scale": self.scale}
        begin, label, value = self.weights
        sizes: NDArray[Any] = np.diff(begin).astype(np.uint16)
        arrays: dict[str, NDArray[Any]] = {"sizes": sizes, "labels": label, "values": value}
        return Part(KIND, config, {"languages": list(self.languages)}, arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        if part.kind != KIND:
            raise ModelError(f"this is a {part.kind}, not a recogniser of languages")
        languages = part.labels.get("languages") or []
        if "weights" in part.arrays:  # older files have all of them, zeros too
            weights = sparse(part.array("weights", np.int8, (None, len(languages))))
        else:
            sizes = part.array("sizes", np.uint16, (None,))
            n = int(sizes.sum(dtype=np.int64))
            weights = _rows_of(
                sizes, part.array("labels", np.uint16, (n,)), part.array("values", np.int8, (n,))
            )
        rows = len(weights.begin) - 1
        scale = float(part.option("scale", (int, float), 0.0))
        if len(languages) < 2 or languages[-1] != NONE or len(set(languages)) != len(languages):
            raise ModelError("the model's recogniser names no languages")
        if rows & (rows - 1) or rows < 2 or not 0 < scale < math.inf:
            raise ModelError("the model's recogniser has weights that do not fit")
        if len(weights.label) and int(weights.label.max()) >= len(languages):
            raise ModelError("the model's recogniser has weights that do not fit")
        return cls(tuple(languages), weights, scale)


def quantised(weights: NDArray[np.float32], scale: float, least: float) -> Mapping[str, Any]:
    """Weights as bytes, without those below `least`."""
    small = np.where(np.abs(weights) < least, 0.0, weights)
    step = float(np.abs(small).max()) / 127 or 1.0
    return {"weights": sparse(np.rint(small / step).astype(np.int8)), "scale": step * scale}
