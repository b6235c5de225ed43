"""Units of speech, turns and cues with speakers and times, and the documents made of them.

A cue is a time interval, not a line: cues of one speaker are joined by a space, or by nothing in
scripts without spaces, and a change of speaker begins a line. Words of a speech recogniser become
tokens with times. Descriptions of sounds, such as `[Music]` or `(DOOR SLAMS)`, are mark-up with
the label `sound`; a unit of nothing else has no speaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from caesura.document import CUE, OTHER, TURN, Document
from caesura.errors import FormatError
from caesura.formats.build import set_markup, set_turns
from caesura.formats.options import ReadOptions

UNKNOWN: Final = float("nan")
#: More seconds than any recording has: such a time is unknown.
LONGEST: Final = 3.6e9
#: Words of a recogniser without segments form units that end at a pause of so many seconds.
PAUSE: Final = 0.5
#: A word of a recogniser may follow the one before at this distance in the text of its unit.
_SLACK: Final = 12
SOUND: Final = "sound"
SKIP: Final = "Fix it, or pass --skip-bad to leave the segment out."
# Scripts that put no spaces between words.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u31f0-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uffef\U00020000-\U0003ffff"
)
_GLUED: Final = re.compile(f"[{_UNSPACED}]\n|\n[{_UNSPACED}]")
_BREAK: Final = re.compile(r"[^\S\n]*\n\s*")
_NAMES: Final = (
    "applau|beep|bell|breath|buzz|cheer|chuckl|clap|clear|cough|crosstalk|cry|exhal|gasp|giggl|"
    "groan|grunt|inaudible|indistinct|inhal|laugh|mumbl|music|nois|pause|phone|ring|scoff|scream|"
    "shout|sigh|silen|singing|snif|sob|speaking|static|unclear|unintelligible|whisper|whistl|yawn"
)
_SOUNDS: Final = re.compile(
    r"\[(?![\s_]*\])[^\[\]\n]{1,60}\]|【[^【】\n]{1,40}】|［[^［］\n]{1,40}］|[♪♫]+"
    r"|\((?=[^()a-z]*[A-Z]{2})[^()a-z\n]{2,60}\)"
    rf"|\((?i:(?:[a-z]+ )?(?:{_NAMES}))[^()\n]{{0,30}}\)"
)
_IS_SOUND: Final = re.compile(rf"(?i:(?:[a-z]+ )?(?:{_NAMES}))")
_CLOCK: Final = re.compile(r"(?:(\d{1,9}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,9})?)$")


class Said(NamedTuple):
    """A word of a speech recogniser: text, seconds from and to, confidence (NaN: unknown)."""

    text: str
    begin: float = UNKNOWN
    end: float = UNKNOWN
    confidence: float = UNKNOWN


@dataclass(slots=True)
class Unit:
    """A turn or a cue; the text of a cue may have spaces at its ends and line ends inside.

    `speaker` is None where it continues: the one before speaks.
    """

    text: str
    speaker: str | None = None
    begin: float = UNKNOWN
    end: float = UNKNOWN
    kind: int = CUE
    words: Sequence[Said] = ()
    markup: list[tuple[int, int, str]] = field(default_factory=list)


def glue(before: str, after: str) -> str:
    """What joins two pieces of running text: a space, or nothing in scripts without spaces."""
    return "" if _GLUED.search(f"{before[-1:]}\n{after[:1]}") else " "


def flow(text: str) -> str:
    """Wrapped lines as one line."""
    if "\n" not in text:
        return text
    return _BREAK.sub(
        lambda at: glue(text[max(0, at.start() - 1) : at.start()], text[at.end() : at.end() + 1]),
        text,
    )


def is_sound(name: str) -> bool:
    """Whether a text in brackets is known to describe a sound."""
    return bool(_IS_SOUND.match(name))


def seconds(value: Any, scale: float = 1.0) -> float:
    """A number, or a text that holds a number or a clock time, as seconds; NaN if it is no time."""
    if isinstance(value, str):
        found = clock(value.strip())
        if found is not None:
            return found
        try:
            value = float(value.strip().removesuffix("s"))
        except ValueError:
            return UNKNOWN
    if isinstance(value, bool) or not isinstance(value, int | float):
        return UNKNOWN
    found = float(value) * scale if abs(value) < LONGEST * 1000 else UNKNOWN
    return round(found, 4) if 0 <= found < LONGEST else UNKNOWN


def clock(text: str) -> float | None:
    """Hours:minutes:seconds,fraction as seconds; None if it is something else."""
    match = _CLOCK.match(text)
    if match is None or int(match[2]) > 59 or float(match[3].replace(",", ".")) >= 60:
        return None
    whole = int(match[1] or 0) * 3600 + int(match[2]) * 60
    return round(whole + float(match[3].replace(",", ".")), 3)


def span(begin: float, end: float, line: int | None, options: ReadOptions) -> tuple[float, float]:
    """Two times; a unit that ends before it begins is an error."""
    if end < begin:
        raise FormatError(
            f"a segment ends at {end:g} s, before it begins ({begin:g} s)",
            file=options.file,
            line=line,
            remedy=SKIP,
        )
    return begin, end


# ------------------------------------------------------------------ documents


def document(units: Iterable[Unit], options: ReadOptions, id: str | None = None) -> Document:
    """A document of units in their order; cues without a text are left out."""
    kept = list(settled(units))
    parts: list[str] = []
    starts: list[int] = []
    size, before = 0, ""
    speaker = ""
    for unit in kept:
        if starts:
            turn = unit.kind != CUE or unit.speaker not in ("", speaker)
            between = "\n" if turn else glue(before, unit.text)
            parts.append(between)
            size += len(between)
        starts.append(size)
        parts.append(unit.text)
        size += len(unit.text)
        before = unit.text or before
        speaker = unit.speaker or ("" if unit.kind == OTHER else speaker)
    text = "".join(parts)
    has_words = any(unit.words for unit in kept)
    doc = _with_words(text, kept, starts) if has_words else Document(text=text)
    doc.id, doc.source = id, options.file
    placed = list(zip(starts, kept, strict=True))
    set_turns(
        doc,
        (
            (at, at + len(unit.text), unit.speaker or "", unit.begin, unit.end, unit.kind)
            for at, unit in placed
        ),
    )
    markup = [
        (a + base, b + base, label)
        for base, unit in placed
        for a, b, label in unit.markup
        if b <= len(unit.text)
    ]
    set_markup(doc, sorted(markup, key=lambda one: (one[0], -one[1])))
    return doc


def settled(units: Iterable[Unit]) -> Iterator[Unit]:
    """Units with texts of one line, known speakers and marks of sounds."""
    speaker = ""
    for unit in units:
        if unit.kind != TURN:
            body = unit.text.strip()
            if not body:
                continue
            if unit.markup and (body != unit.text or "\n" in unit.text):
                unit.markup = _moved(unit)
            unit.text = flow(body)
        sounds = [match.span() for match in _SOUNDS.finditer(unit.text)]
        unit.markup += [(a, b, SOUND) for a, b in sounds]
        if sounds and not re.search(r"[^\W_]", _SOUNDS.sub("", unit.text)):
            unit.speaker, unit.kind = "", TURN if unit.kind == TURN else CUE
            yield unit
            continue
        if unit.speaker is None and unit.kind == CUE:
            unit.speaker = speaker
        speaker = unit.speaker = unit.speaker or ""
        yield unit


def _moved(unit: Unit) -> list[tuple[int, int, str]]:
    """The mark-up of a unit after its text was stripped and its lines were joined."""
    lead = len(unit.text) - len(unit.text.lstrip())
    body = unit.text.strip()

    def place(offset: int) -> int:
        inside = body[: max(0, offset - lead)]
        return len(flow(inside + "x")) - 1 if offset - lead <= len(body) else len(flow(body))

    return [(place(a), place(b), label) for a, b, label in unit.markup if place(a) < place(b)]


def _with_words(whole: str, units: Sequence[Unit], starts: Sequence[int]) -> Document:
    """A text with words of a recogniser as tokens; what none of them covers is cut at spaces."""
    spans: list[tuple[int, int]] = []
    times: list[tuple[float, float]] = []
    confidences: list[float] = []
    bare = (UNKNOWN, UNKNOWN)
    last = -1.0
    for unit, base in zip(units, starts, strict=True):
        at, text = 0, unit.text
        lower = text.lower()
        folds = len(lower) == len(text)
        for word in (*unit.words, None):
            to, own = len(text), ""
            if word is not None:
                own = word.text.strip()
                key, within = (own.lower(), lower) if folds else (own, text)
                to = within.find(key, at, at + len(own) + _SLACK) if own else -1
                if to < 0 or len(key) != len(own):
                    continue
            for match in re.compile(r"\S+").finditer(text, at, to):
                spans.append((base + match.start(), base + match.end()))
                times.append(bare)
                confidences.append(UNKNOWN)
            if word is None:
                continue
            begin, end = word.begin, word.end
            if begin < last:  # times that go back are unknown
                begin, end = bare
            elif end < begin:
                end = UNKNOWN
            last = max(last, begin) if begin == begin else last
            spans.append((base + to, base + to + len(own)))
            times.append((begin, end))
            confidences.append(word.confidence)
            at = to + len(own)
        last = -1.0
    doc = Document.from_spans(whole, [a for a, _ in spans], [b for _, b in spans])
    doc.token_language = None  # not known to be of no language
    doc.token_time = np.array(times, dtype=np.float64).reshape(-1, 2)
    doc.token_time_conf = np.array(confidences, dtype=np.float32)
    doc.token_time_guessed = np.zeros(len(spans), dtype=np.int8)
    return doc


def of_words(words: Iterable[tuple[Said, str | None]]) -> Iterator[Unit]:
    """Units of words with their speakers: one ends at a change of speaker and at a pause.

    A word without times that is punctuation belongs to the word before.
    """
    found: list[Said] = []
    text = ""
    speaker: str | None = None
    until = UNKNOWN

    def unit() -> Unit:
        begins = [word.begin for word in found if word.begin == word.begin]
        ends = [word.end for word in found if word.end == word.end]
        return Unit(
            text, speaker, min(begins, default=UNKNOWN), max(ends, default=UNKNOWN), words=found
        )

    for word, who in words:
        mark = not re.search(r"\w", word.text) and word.begin != word.begin
        if found and not mark and (who not in (None, speaker) or word.begin - until > PAUSE):
            yield unit()
            found, text = [], ""
        own = word.text.strip()
        text += own if mark or not text else glue(text, own) + own
        found.append(word)
        speaker = who if who is not None else speaker
        until = word.end if word.end == word.end else until
    if found:
        yield unit()
