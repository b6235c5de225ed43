"""Cues of subtitles as units of speech: tags, rolling captions, speakers.

A line that starts with a dash, `>>`, `♪` or the label of a speaker starts a unit; other lines of a
cue are joined. Labels are names in capitals, and names that recur: `Ann:`, `[SPEAKER_00]:`,
`[Maria]`. Rolling captions repeat the last line of the cue before, which is dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from caesura.document import CUE, OTHER
from caesura.formats.html_tokens import unescape
from caesura.formats.units import UNKNOWN, Said, Unit, clock, is_sound
from caesura.turns import FIELDS

__all__ = ["Cue", "units_of"]

_TAG: Final = re.compile(r"<(/?)([A-Za-z]*)([^<>]*)>")
_TAGS: Final = frozenset({"b", "i", "u", "s", "c", "v", "font", "span", "lang", "ruby", "rt", "br"})
_CODE: Final = re.compile(r"\{\\[^{}\n]*\}")
_SHOUTED: Final = re.compile(r"([A-Z][A-Z0-9 .'-]{0,40}):\s+(?=\S)")
_NAMED: Final = re.compile(r"([^\W\d_][^:：\n]{0,60})[:：]\s*(?=\S)")
_BRACKET: Final = re.compile(r"[\[(]([^\W\d_][\w .'’-]{0,38})[\])](:?)\s*(?=\S)")
_DIARISED: Final = re.compile(r"(?i:speaker)[ _]?\d+$|S\d+$")
_DASH: Final = re.compile(r"(?:[-–—‐]\s*(?=[^\W\d_]|[\"“„«¿¡'‘(\[♪…])|>{2,3}\s*)")
_DASHES: Final = tuple("-–—‐")
_NOTE: Final = re.compile(r"[♪♫#]\s*(?=[^\W_])")
#: Captions roll where so many of the cues repeat a line of the one before, which ends then.
_ROLLING: Final = 0.3
_MEETS: Final = 0.1
#: So many lines that start with dashes are turns.
_MANY: Final = 3
#: The words of a label at most, and the share of lines that have labels before colons at least.
_WORDS: Final = 4
_SHARE: Final = 0.05


@dataclass(slots=True)
class Cue:
    """The text of a cue, its tags and references as they are in its format, and its times."""

    text: str
    begin: float = UNKNOWN
    end: float = UNKNOWN
    speaker: str | None = None
    #: What has tags and references: "srt", "vtt" or "" for neither.
    kind: str = ""


class _Plain(NamedTuple):
    """Text without tags, spans of mark-up, where voices start, and inline times."""

    text: str
    spans: list[tuple[int, int, str]]
    voices: list[tuple[int, str]]
    stamps: list[tuple[int, float]]


def units_of(cues: Sequence[Cue]) -> Iterator[Unit]:
    """The units of the cues of a document."""
    cues = list(_unrolled(cues))
    plain = [_untagged(cue.text, cue.kind) for cue in cues]
    names = _names(one.text for one in plain)
    dashes = _dashes(plain)
    for cue, one in zip(cues, plain, strict=True):
        yield from _units(cue, one, names, dashes)


def _lines(cue: Cue) -> list[str]:
    """The lines of a cue as they are shown."""
    shown = _TAG.sub("", cue.text) if cue.kind else cue.text
    return [line.strip() for line in shown.split("\n")]


def _unrolled(cues: Sequence[Cue]) -> Iterator[Cue]:
    """The cues without what rolling captions repeat."""
    shown = [_lines(cue) for cue in cues]
    said = [[line for line in lines if line] for lines in shown]
    repeats = sum(
        bool(own and last and own[0] == last[-1]) and cue.begin - before.end <= _MEETS
        for last, own, before, cue in zip(said, said[1:], cues, cues[1:], strict=False)
    )
    grows = any(last and own[1:] and own[0] == last[-1] for last, own in pairwise(said))
    if not grows or repeats < max(2, _ROLLING * (len(cues) - 1)):
        yield from cues
        return
    last: list[str] = []
    for cue, lines, own in zip(cues, shown, said, strict=True):
        most = min(len(last), len(own))
        known = next((k for k in range(most, 0, -1) if last[-k:] == own[:k]), 0)
        last = own
        if known < len(own):
            kept = [
                line
                for line, plain in zip(cue.text.split("\n"), lines, strict=True)
                if plain and (known := known - 1) < 0
            ]
            cue.text = "\n".join(kept)
            yield cue


def _dashes(plain: Sequence[_Plain]) -> bool:
    """Whether dashes start turns: in a cue of two, or in several cues. A single one may be text."""
    counts = [
        sum(line.lstrip()[:1] in _DASHES and bool(_DASH.match(line.lstrip())) for line in lines)
        for lines in (one.text.split("\n") for one in plain)
    ]
    return max(counts, default=0) > 1 or sum(counts) >= _MANY


def _names(texts: Iterator[str]) -> frozenset[str]:
    """Labels that recur: those before colons, and those in brackets with their brackets."""
    colons: Counter[str] = Counter()
    brackets: Counter[str] = Counter()
    n_lines = 0
    for row in (line.strip() for text in texts for line in text.split("\n")):
        n_lines += bool(row)
        match = _NAMED.match(row, _begin(row))
        if match and len(match[1].split()) <= _WORDS and match[1].casefold() not in FIELDS:
            colons[match[1]] += all(not w[0].isalpha() or w[0].isupper() for w in match[1].split())
        match = _BRACKET.match(row)
        marked = match is not None and (match[2] or row[0] == "[")
        if match and marked and not is_sound(match[1]) and match[1].istitle():
            brackets[match[1]] += 1
    found = {name for name, count in colons.items() if count > 1}
    if sum(colons[name] for name in found) < _SHARE * n_lines:
        found = set()
    return frozenset(found | {f"[{name}]" for name, count in brackets.items() if count > 1})


def _begin(row: str) -> int:
    dash = _DASH.match(row)
    return dash.end() if dash else 0


def _label(text: str, at: int, names: frozenset[str]) -> tuple[str, int] | None:
    """The speaker that a line names at its beginning, and where what is said begins."""
    bracket = _BRACKET.match(text, at)
    if bracket and (f"[{bracket[1]}]" in names or _DIARISED.match(bracket[1])):
        return bracket[1], bracket.end()
    match = _SHOUTED.match(text, at)
    if match is None or match[1].casefold() in FIELDS:
        match = _NAMED.match(text, at)
        if match and match[1] not in names and not _DIARISED.match(match[1]):
            match = None
    return (match[1], match.end()) if match else None


class _Piece(NamedTuple):
    """Where a unit of a cue begins, where its text begins, who speaks."""

    at: int
    text: int
    speaker: str | None
    kind: int


def _pieces(cue: Cue, plain: _Plain, names: frozenset[str], dashes: bool) -> list[_Piece]:
    text = plain.text
    found = [_Piece(0, 0, cue.speaker, CUE)]
    found += [_Piece(at, at, name, CUE) for at, name in plain.voices]
    at = 0
    while at < len(text):
        at += len(text[at:]) - len(text[at:].lstrip()) if text[at].isspace() else 0
        dash = _DASH.match(text, at) if dashes or text[at : at + 1] == ">" else None
        begin = dash.end() if dash else at
        label = _label(text, begin, names)
        voice = any(place == at for place, _ in plain.voices)
        if label:
            found.append(_Piece(at, label[1], label[0], OTHER if dash else CUE))
        elif dash and not voice:
            found.append(_Piece(at, begin, "", OTHER))
        elif _NOTE.match(text, at) and not voice:
            found.append(_Piece(at, at, "", OTHER))
        end = text.find("\n", at)
        at = len(text) if end < 0 else end + 1
    found.sort(key=itemgetter(0))
    return found


def _units(cue: Cue, plain: _Plain, names: frozenset[str], dashes: bool) -> Iterator[Unit]:
    pieces = _pieces(cue, plain, names, dashes)
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        to = len(plain.text) if after is None else after.at
        text = plain.text[piece.text : to]
        if not text.strip():
            continue
        markup = []
        spans = plain.spans
        for k in range(bisect_left(spans, piece.text, key=itemgetter(0)), len(spans)):
            begin, end, label = spans[k]
            if begin >= to:
                break
            if begin < end <= to:
                markup.append((begin - piece.text, end - piece.text, label))
        words = tuple(_words(plain, piece.text, to, cue)) if plain.stamps else ()
        yield Unit(text, piece.speaker, cue.begin, cue.end, piece.kind, words, markup)


def _words(plain: _Plain, begin: int, end: int, cue: Cue) -> Iterator[Said]:
    """The words of a piece of a cue with inline times."""
    stamps = [(0, cue.begin), *plain.stamps]
    for k, (at, time) in enumerate(stamps):
        to, until = stamps[k + 1] if k + 1 < len(stamps) else (len(plain.text), cue.end)
        words = plain.text[max(at, begin) : min(to, end)].split()
        for number, word in enumerate(words):
            yield Said(
                word,
                time if number == 0 else UNKNOWN,
                until if number == len(words) - 1 else UNKNOWN,
            )


def _untagged(text: str, kind: str) -> _Plain:
    """Text without tags and codes of positions, with its references resolved."""
    if not kind:
        return _Plain(text, [], [], [])
    parts: list[str] = []
    size = at = 0
    spans: list[tuple[int, int, str]] = []
    open_tags: list[tuple[int, str]] = []
    voices: list[tuple[int, str]] = []
    stamps: list[tuple[int, float]] = []

    def append(piece: str) -> None:
        nonlocal size
        piece = unescape(_CODE.sub("", piece) if "{" in piece else piece)
        parts.append(piece)
        size += len(piece)

    # Behind the last `>` nothing ends, so that no tag is looked for there again and again.
    for match in _TAG.finditer(text, 0, text.rfind(">") + 1):
        closing, name, rest = match.groups()
        time = clock(rest) if not name and not closing else None
        if time is None and not (name.lower() in _TAGS and rest[:1] in ("", ".", " ", "/")):
            continue  # an address, for example
        append(text[at : match.start()])
        at = match.end()
        if time is not None:
            stamps.append((size, time))
        elif name == "v" and not closing:
            voices.append((size, unescape(re.sub(r"^\.\S+", "", rest).strip())))
        elif name in ("b", "i", "u") and not closing:
            open_tags.append((size, name))
        elif closing and open_tags and open_tags[-1][1] == name:
            begin, label = open_tags.pop()
            spans.append((begin, size, label))
    append(text[at:])
    spans.sort()
    return _Plain("".join(parts), spans, voices, stamps)
