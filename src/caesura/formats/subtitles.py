"""Transcripts: SRT, WebVTT, TTML, and lines of the form `Speaker: text`.

A line of a cue that starts with a dash, `>>`, `♪` or the label of a speaker starts a unit; other
lines are joined, and so are cues of one speaker. Labels are names in capitals, and names that
recur: `Ann:`, `[SPEAKER_00]:`, `[Maria]`. Rolling captions repeat the last line of the cue before,
which is dropped. Each line that names a speaker is a turn; `A.1:` names speaker A. A number that
falls back to 1 (of a cue of SRT, or of a turn such as `A.1`) starts a document, and so does a
comment `# newdoc` (`NOTE newdoc` in WebVTT).
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from operator import itemgetter
from typing import BinaryIO, Final, NamedTuple
from xml.etree.ElementTree import Element

from caesura.document import CUE, OTHER, TURN, Document
from caesura.errors import FormatError, UsageError
from caesura.formats.build import encoded, one_line
from caesura.formats.html import unescape
from caesura.formats.io import lines, mode_of, stem
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.registry import FORMATS
from caesura.formats.units import (
    LONGEST,
    SOUND,
    UNKNOWN,
    Said,
    Unit,
    clock,
    document,
    flow,
    is_sound,
    span,
)
from caesura.formats.xml_tree import local, parse_xml
from caesura.turns import FIELDS

_FRAMES: Final = re.compile(r"(\d+):(\d\d):(\d\d):(\d+(?:\.\d+)?)$")
_OFFSET: Final = re.compile(r"(\d{1,12}(?:\.\d+)?)(h|ms|m|s|f|t)$")
_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_METADATA: Final = "{http://www.w3.org/ns/ttml#metadata}"
_PARAMETER: Final = "{http://www.w3.org/ns/ttml#parameter}"
_BLANKS: Final = re.compile(r"\s+")


def cues_of(text: str, options: ReadOptions) -> list[Cue]:
    """The cues of a file."""
    root = parse_xml(text, options)
    if local(root) != "tt":
        raise options.error(f"this is no TTML: its root is {local(root)!r}", 1, remedy="")
    frames = _ttml_number(root.get(f"{_PARAMETER}frameRate"), 30.0)
    ticks = _ttml_number(root.get(f"{_PARAMETER}tickRate"), frames)
    names = {}
    for agent in root.iter(f"{_METADATA}agent"):
        name = next(iter(agent.itertext()), "").strip()
        name = next((n for e in agent for n in e.itertext() if n.strip()), name).strip()
        names[agent.get("{http://www.w3.org/XML/1998/namespace}id", "")] = name
    found: list[Cue] = []
    for element, shift in _paragraphs(root, 0.0, frames, ticks):
        own = [one for one in element.iter() if local(one) == "span" and one.get("begin")]
        begin = _ttml_time(element.get("begin"), frames, ticks)
        end = _ttml_time(element.get("end"), frames, ticks)
        if end != end:
            end = begin + _ttml_time(element.get("dur"), frames, ticks)
        if begin != begin and own:  # times of its words alone
            begin = _ttml_time(own[0].get("begin"), frames, ticks)
            end = _ttml_time(own[-1].get("end"), frames, ticks)
        who = element.get(f"{_METADATA}agent")
        speaker = None if who is None else names.get(who) or who
        try:
            begin, end = span(begin + shift, end + shift, None, options)
        except FormatError as error:
            options.skip(error)
            continue
        found.append(Cue("".join(_ttml_text(element)), begin, end, speaker))
    return found


def _paragraphs(
    element: Element, shift: float, frames: float, ticks: float
) -> Iterator[tuple[Element, float]]:
    """The paragraphs, each with the beginning of the elements that it is in."""
    for child in element:
        if local(child) == "p":
            yield child, shift
        elif local(child) in ("body", "div"):
            begin = _ttml_time(child.get("begin"), frames, ticks)
            yield from _paragraphs(child, shift + (begin if begin == begin else 0.0), frames, ticks)


def _ttml_text(element: Element) -> Iterator[str]:
    if element.text:
        yield _BLANKS.sub(" ", element.text)
    for child in element:
        if local(child) == "br":
            yield "\n"
        elif local(child) != "metadata":
            yield from _ttml_text(child)
        if child.tail:
            yield _BLANKS.sub(" ", child.tail)


def _ttml_number(value: str | None, default: float) -> float:
    try:
        return max(float(value or default), 1e-3)
    except ValueError:
        return default


def _ttml_time(value: str | None, frames: float, ticks: float) -> float:
    """A time expression in seconds; NaN if there is none."""
    value = (value or "").strip()
    match = _FRAMES.match(value)
    if match:
        hours, minutes, seconds = (int(match[k]) for k in (1, 2, 3))
        return round(hours * 3600 + minutes * 60 + seconds + float(match[4]) / frames, 3)
    match = _OFFSET.match(value)
    if match:
        unit = {"f": 1 / frames, "t": 1 / ticks} | _SECONDS
        return round(float(match[1]) * unit[match[2]], 3)
    found = clock(value)
    return UNKNOWN if found is None else found


_ANY_TAG: Final = re.compile(r"<(/?)([A-Za-z]*)([^<>]*)>")
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


def _shown_lines(cue: Cue) -> list[str]:
    """The lines of a cue as they are shown."""
    shown = _ANY_TAG.sub("", cue.text) if cue.kind else cue.text
    return [line.strip() for line in shown.split("\n")]


def _unrolled(cues: Sequence[Cue]) -> Iterator[Cue]:
    """The cues without what rolling captions repeat."""
    shown = [_shown_lines(cue) for cue in cues]
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
    for cue, rows, own in zip(cues, shown, said, strict=True):
        most = min(len(last), len(own))
        known = next((k for k in range(most, 0, -1) if last[-k:] == own[:k]), 0)
        last = own
        if known < len(own):
            kept = [
                line
                for line, plain in zip(cue.text.split("\n"), rows, strict=True)
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
    for match in _ANY_TAG.finditer(text, 0, text.rfind(">") + 1):
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


#: Letters of a speaker's name.
_LONGEST_NAME: Final = 60
_Lines = Iterator[tuple[int, str]]
_Written = Callable[[str, str, bool, str], str]
_TIME: Final = re.compile(r"(?:(\d{1,9}):)?([0-5]?\d):([0-5]?\d(?:[.,]\d{1,3})?)$")
_TURN: Final = re.compile(r"(?:\[([^\]]*)\]\s*)?([^\s:\[#][^:\n]{0,60}?):(?:\s+(.*))?$")
_IS_CLOCK: Final = re.compile(r"\d:\d")
_NUMBERED: Final = re.compile(r"(.+?)\.(\d+)$")
#: What would be read as a reference or a tag, or as a code of a position.
_REFERENCE: Final = re.compile(r"&(?=[#\w])")
_TAG: Final = re.compile(r"<(?=[^<>]*>)|\{(?=\\[^{}]*\})")
_NEWDOC: Final = re.compile(r"(?:#|NOTE)\s+newdoc(?:\s+id\s*=(.*))?\s*$")


def _mode(options: ReadOptions | WriteOptions) -> str:
    extensions = {".srt": "srt", ".vtt": "vtt", ".ttml": "ttml", ".dfxp": "ttml"}
    modes = ("srt", "vtt", "ttml", "speaker")
    return mode_of(options, "transcripts", modes, "speaker", extensions)


def read_transcript(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a transcript; the extension decides on the mode, else the first lines."""
    numbered = lines(stream, options)
    known = stem(options.file).lower().endswith(FORMATS["transcript"].extensions)
    if options.mode is None and not known:
        mode, numbered = _mode_of_lines(numbered)
        options = replace(options, mode=mode)
    mode = _mode(options)
    if mode == "speaker":
        return _read_speakers(numbered, options)
    if mode == "ttml":
        text = "\n".join(line for _, line in numbered)
        return iter([document(units_of(cues_of(text, options)), options)])
    return _read_cues(numbered, options, vtt=mode == "vtt")


def _mode_of_lines(numbered: _Lines) -> tuple[str | None, _Lines]:
    """The mode of a transcript without an extension, and its lines."""
    first: list[tuple[int, str]] = []
    said: list[str] = []
    for number, line in numbered:
        first.append((number, line))
        said += [line.strip()] if line.strip() else []
        if len(said) == 2:
            break
    mode = None
    if said and re.match(r"WEBVTT\b", said[0]):
        mode = "vtt"
    elif any("-->" in line for line in said):
        mode = "srt"
    elif any(re.match(r"<(?:\w+:)?tt\b", line) for line in said):
        mode = "ttml"
    return mode, chain(first, numbered)


# ------------------------------------------------------------ Speaker: text


def _read_speakers(rows: _Lines, options: ReadOptions) -> Iterator[Document]:
    turns: list[Unit] = []
    more: list[list[str]] = []  # the lines of each
    id: str | None = None
    last = 0

    def made() -> Document:
        for unit, own in zip(turns, more, strict=True):
            unit.text = "\n".join(own)
        return document(turns, options, id)

    for number, line in rows:
        line = line.strip()
        new = _NEWDOC.match(line)
        if new:
            if turns:
                yield made()
            turns, more, id, last = [], [], _id(new), 0
            continue
        if not line:
            continue
        match = _TURN.match(line)
        if match is None or (match[1] is not None and not _IS_CLOCK.search(match[1])):
            if turns:
                more[-1].append(line)
                continue
            options.skip(
                options.error(
                    f"the transcript starts with {line[:40]!r}, which names no speaker",
                    number,
                    remedy="Write `Speaker: text`, or name the format with --from.",
                )
            )
            continue
        speaker, text = match[2], (match[3] or "").strip()
        numbered = _NUMBERED.match(speaker)
        if numbered:
            speaker, turn = numbered[1], int(numbered[2])
            if turn <= last and turn == 1:
                yield made()
                turns, more, id = [], [], None
            last = turn
        try:
            begin, end = _interval(match[1], number, options) if match[1] else (UNKNOWN, UNKNOWN)
        except FormatError as error:
            options.skip(error)
            continue
        turns.append(Unit("", speaker, begin, end, TURN))
        more.append([text])
    if turns:
        yield made()


def _id(new: re.Match[str]) -> str | None:
    return (new[1] or "").strip() or None


def _interval(text: str, number: int, options: ReadOptions) -> tuple[float, float]:
    first, _, last = (part.strip() for part in re.sub(r"-->|–", "-", text).partition("-"))
    begin = _seconds(first, number, options)
    return begin, (_seconds(last, number, options) if last else UNKNOWN)


def _seconds(text: str, number: int, options: ReadOptions) -> float:
    match = _TIME.match(text)
    if match is None:
        raise options.error(
            f"the time {text!r} is not of the form hours:minutes:seconds,milliseconds",
            number,
            remedy="Fix the line, or pass --skip-bad to leave the turn out.",
        )
    hours, minutes, seconds = match.groups()
    whole = int(hours or 0) * 3600 + int(minutes) * 60
    return round(whole + float(seconds.replace(",", ".")), 3)


# ------------------------------------------------------------- SRT, WebVTT


def _read_cues(numbered: _Lines, options: ReadOptions, *, vtt: bool) -> Iterator[Document]:
    cues: list[Cue] = []
    id: str | None = None
    kind = "vtt" if vtt else "srt"
    for number, block in _blocks_of_lines(numbered):
        if vtt:
            new = _NEWDOC.match(block[0])
            if new:
                if cues:
                    yield document(units_of(cues), options, id)
                cues, id = [], _id(new)
                continue
            if re.match(r"(?:WEBVTT|NOTE|STYLE|REGION)\b", block[0]):
                continue
        at = 0 if "-->" in block[0] else 1
        if at >= len(block) or "-->" not in block[at]:
            options.skip(
                options.error(
                    f"a cue starts with {block[0][:40]!r} and has no line of times (begin --> end)",
                    number,
                    remedy="Fix the cue, or pass --skip-bad to leave it out.",
                )
            )
            continue
        if not vtt and at == 1 and block[0].strip() == "1" and cues:
            yield document(units_of(cues), options)
            cues = []
        try:
            begin, end = _cue_times(block[at], number + at, options)
        except FormatError as error:
            options.skip(error)
            continue
        text = "\n".join(line.strip() for line in block[at + 1 :])
        cues.append(Cue(text, begin, end, kind=kind))
    if cues:
        yield document(units_of(cues), options, id)


def _blocks_of_lines(numbered: _Lines) -> Iterator[tuple[int, list[str]]]:
    """Cues: runs of lines, each with the number of its first line.

    An empty line ends a cue. A line of spaces does so only if another cue follows: YouTube writes
    one for an empty line within a cue.
    """
    block: list[str] = []
    begin = 1
    for number, line in numbered:
        if line.strip() and "-->" in line:
            # The line of a number or a name before it, behind a line of spaces, begins this cue.
            for k in (-1, -2):
                if len(block) >= -k and not block[k].strip():
                    head = block[len(block) + k + 1 :]
                    yield begin, block[: len(block) + k]
                    block, begin = head, number - len(head)
                    break
        if line:
            if not block:
                if not line.strip():
                    continue
                begin = number
            block.append(line)
        elif block:
            yield begin, block
            block = []
    if block:
        yield begin, block


def _cue_times(line: str, number: int, options: ReadOptions) -> tuple[float, float]:
    first, _, rest = line.partition("-->")
    last = rest.split()[0] if rest.split() else ""
    begin = _seconds(first.strip(), number, options)
    end = _seconds(last, number, options)
    if end < begin:
        raise options.error(f"the cue ends at {last}, before it begins", number)
    return begin, end


# ------------------------------------------------------------------ writing


def write_transcript(
    documents: Iterable[Document], stream: BinaryIO, options: WriteOptions
) -> None:
    """Write the turns of documents; a document without turns is one turn."""
    mode = _mode(options)
    if mode == "ttml":
        raise UsageError("TTML can be read, not written", remedy="Write .vtt or .srt.")
    if mode == "vtt":
        stream.write(b"WEBVTT\n\n")
    for number, doc in enumerate(documents):
        if mode == "srt":
            body = _srt(doc)
        elif mode == "vtt":
            body = _newdoc("NOTE", doc, number) + _vtt(doc)
        else:
            body = _newdoc("#", doc, number) + _speaker(doc)
        stream.write(encoded(body))


def _newdoc(mark: str, doc: Document, number: int) -> str:
    if doc.continues or (number == 0 and not doc.id):
        return ""
    end = "\n\n" if mark == "NOTE" else "\n"
    name = one_line(doc.id or "").strip().replace("-->", "-- >")
    return f"{mark} newdoc id = {name}{end}" if name else f"{mark} newdoc{end}"


def _turns(doc: Document) -> Iterator[tuple[str, str, float, float]]:
    if not len(doc.turn_start):
        yield _no_blank_lines(doc.text), "", UNKNOWN, UNKNOWN
        return
    speakers = doc.strings.take(doc.turn_speaker)
    spans = zip(doc.turn_start.tolist(), doc.turn_end.tolist(), strict=True)
    times = doc.turn_time.tolist()
    for (start, end), speaker, (begin, to) in zip(spans, speakers, times, strict=True):
        yield _no_blank_lines(doc.text[start:end]), speaker, begin, to


def _no_blank_lines(text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _clock(seconds: float, mark: str) -> str:
    millis = round(seconds * 1000) if 0 <= seconds < LONGEST else 0
    hours, millis = divmod(millis, 3_600_000)
    minutes, millis = divmod(millis, 60_000)
    return f"{hours:02}:{minutes:02}:{millis // 1000:02}{mark}{millis % 1000:03}"


def _interval_of(begin: float, end: float, mark: str) -> str:
    """The times of a cue, which does not end before it begins even if its end is not known."""
    return f"{_clock(begin, mark)} --> {max(_clock(begin, mark), _clock(end, mark), key=_order)}"


def _order(clock: str) -> tuple[int, str]:
    return len(clock), clock


def _cues(doc: Document, mark: str, written: _Written) -> Iterator[str]:
    """The times and lines of cues. Units of one interval are a cue, as they were in the file.

    `written` is called with the text of a line, its speaker, whether another one spoke before, and
    the dash of another speaker.
    """
    kinds = doc.turn_kind
    is_sound = doc.markup_label == (doc.strings.find(SOUND) or -1)
    sounds = set(doc.markup_start[is_sound].tolist())
    found: list[str] = []
    last, times = "", (UNKNOWN, UNKNOWN)
    for number, (text, speaker, *own) in enumerate(_turns(doc)):
        other = kinds is not None and bool(kinds[number] == OTHER)
        changes = other or speaker != last
        cue = kinds is not None and kinds[number] != TURN and times == (own[0], own[1])
        if found and not (cue and changes):
            yield "\n".join([_interval_of(*times, mark), *found])
            found = []
        times = (own[0], own[1])
        dash = "- " if other and not text.startswith(("♪", "♫", "#")) else ""
        found.append(written(flow(text), speaker, changes, dash))
        silent = not speaker and not other and len(doc.turn_start)
        if not (silent and int(doc.turn_start[number]) in sounds):
            last = speaker
    if found:
        yield "\n".join([_interval_of(*times, mark), *found])


def _srt_line(text: str, speaker: str, changes: bool, dash: str) -> str:
    name = f"{one_line(speaker)}: " if speaker and changes else ""
    text = _REFERENCE.sub("&amp;", name + text)
    return dash + _TAG.sub(lambda at: html.escape(at[0]).replace("{", "&#123;"), text)


def _srt(doc: Document) -> str:
    cues = enumerate(_cues(doc, ",", _srt_line), 1)
    return "".join(f"{number}\n{cue}\n\n" for number, cue in cues)


def _vtt_line(text: str, speaker: str, changes: bool, dash: str) -> str:
    text = html.escape(text, quote=False)
    return f"<v {html.escape(one_line(speaker), quote=False)}>{text}" if speaker else dash + text


def _vtt(doc: Document) -> str:
    return "".join(f"{cue}\n\n" for cue in _cues(doc, ".", _vtt_line))


def _speaker_name(speaker: str) -> str:
    """A speaker as one can be named: no colon, no number that would count turns, not too long."""
    name = re.sub(r"[:\s]+", " ", speaker).lstrip(" [#")
    return re.sub(r"\.(?=\d+$)", " ", name[:_LONGEST_NAME].strip()) or "Speaker"


def _one_turn(text: str) -> str:
    """Text whose lines all go on with the turn; one that would start another follows a space."""
    first, *others = text.split("\n")
    lines = [[first]]
    for line in others:
        lines.append([line])
        # What was joined may itself look like the start of a turn, by its first words.
        while len(lines) > 1 and _starts(" ".join(lines[-1][:_LONGEST_NAME])):
            last = lines.pop()
            lines[-1] += last
    return "\n".join(" ".join(parts) for parts in lines)


def _starts(line: str) -> bool:
    """Whether a line would be read as the start of a turn or a document; to be sure, a bit more."""
    head = line[: 4 * _LONGEST_NAME]
    return head.startswith("[") or bool(_TURN.match(head) or _NEWDOC.match(head))


def _speaker(doc: Document) -> str:
    out = []
    for text, speaker, begin, end in _turns(doc):
        time = ""
        if 0 <= begin < LONGEST:
            until = f" - {_clock(end, '.')}" if 0 <= end < LONGEST else ""
            time = f"[{_clock(begin, '.')}{until}] "
        out.append(f"{time}{_speaker_name(speaker)}: {_one_turn(text)}\n")
    return "".join(out)
