"""Transcripts: SRT, WebVTT, and lines of the form `Speaker: text`.

The text of a document is that of its turns, one a line (a cue of several lines keeps them); turns
keep speaker and times. `A.1:` names speaker A. A number that falls back to 1 (of a cue of SRT, or
of a turn such as `A.1`) starts a document, and so does a comment `# newdoc` (`NOTE newdoc` in
WebVTT).
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import BinaryIO, Final

import numpy as np

from caesura.document import Document
from caesura.errors import FormatError, UsageError
from caesura.formats.build import encoded, one_line
from caesura.formats.html_tokens import unescape
from caesura.formats.io import lines, stem
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.registry import FORMATS

__all__ = ["read", "write"]

_UNKNOWN: Final = float("nan")
#: More seconds than any recording has: such a time is not known. And letters of a speaker's name.
_LONGEST: Final = 3.6e9
_LONGEST_NAME: Final = 60
_Lines = Iterator[tuple[int, str]]
_TIME: Final = re.compile(r"(?:(\d{1,9}):)?([0-5]?\d):([0-5]?\d(?:[.,]\d{1,3})?)$")
_TAG: Final = re.compile(r"<(/?)([A-Za-z]*)([^>]*)>")
_SHOUTED: Final = re.compile(r"(?:>> ?)?([A-Z][A-Z0-9 .'-]{0,40}):\s+(?=\S)")
_TURN: Final = re.compile(r"(?:\[([^\]]*)\]\s*)?([^\s:\[#][^:\n]{0,60}?):(?:\s+(.*))?$")
_CLOCK: Final = re.compile(r"\d:\d")
_NUMBERED: Final = re.compile(r"(.+?)\.(\d+)$")
_NEWDOC: Final = re.compile(r"(?:#|NOTE)\s+newdoc(?:\s+id\s*=(.*))?\s*$")


@dataclass
class _Turns:
    """The turns of one document as they are gathered."""

    id: str | None = None
    parts: list[str] = field(default_factory=list)
    size: int = 0
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    speakers: list[str] = field(default_factory=list)
    times: list[tuple[float, float]] = field(default_factory=list)
    markup: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, text: str, speaker: str, begin: float, end: float) -> None:
        if self.parts:
            self._append("\n")
        self.starts.append(self.size)
        self._append(text)
        self.ends.append(self.size)
        self.speakers.append(speaker)
        self.times.append((begin, end))

    def go_on(self, text: str) -> None:
        """Add a line to the last turn."""
        self._append("\n" + text)
        self.ends[-1] = self.size

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def document(self, options: ReadOptions) -> Document:
        doc = Document(text="".join(self.parts), id=self.id, source=options.file)
        doc.turn_start = np.array(self.starts, dtype=np.int64)
        doc.turn_end = np.array(self.ends, dtype=np.int64)
        doc.turn_speaker = doc.strings.ids(self.speakers)
        doc.turn_time = np.array(self.times, dtype=np.float64).reshape(-1, 2)
        self.markup.sort(key=lambda span: (span[0], -span[1]))
        doc.markup_start = np.array([span[0] for span in self.markup], dtype=np.int64)
        doc.markup_end = np.array([span[1] for span in self.markup], dtype=np.int64)
        doc.markup_label = doc.strings.ids([span[2] for span in self.markup])
        return doc


def _mode(mode: str | None, file: str) -> str:
    if mode is None:
        name = stem(file).lower()
        mode = "srt" if name.endswith(".srt") else "vtt" if name.endswith(".vtt") else "speaker"
    if mode not in ("srt", "vtt", "speaker"):
        raise UsageError(
            f"there is no mode {mode!r} of transcripts", remedy="Modes are: srt, vtt, speaker."
        )
    return mode


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a transcript; the mode is told by the extension, else by the first lines."""
    numbered = lines(stream, options)
    mode = options.mode
    if mode is None and not stem(options.file).lower().endswith(FORMATS["transcript"].extensions):
        mode, numbered = _told_by_lines(numbered)
    mode = _mode(mode, options.file)
    if mode == "speaker":
        return _read_speakers(numbered, options)
    return _read_cues(numbered, options, vtt=mode == "vtt")


def _told_by_lines(numbered: _Lines) -> tuple[str | None, _Lines]:
    """What a transcript without an extension is, and its lines."""
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
    return mode, chain(first, numbered)


# ------------------------------------------------------------ Speaker: text


def _read_speakers(rows: _Lines, options: ReadOptions) -> Iterator[Document]:
    turns, last = _Turns(), 0
    for number, line in rows:
        line = line.strip()
        new = _NEWDOC.match(line)
        if new:
            if turns.starts:
                yield turns.document(options)
            turns, last = _Turns(id=_id(new)), 0
            continue
        if not line:
            continue
        match = _TURN.match(line)
        if match is None or (match[1] is not None and not _CLOCK.search(match[1])):
            if turns.starts:
                turns.go_on(line)
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
                yield turns.document(options)
                turns = _Turns()
            last = turn
        try:
            begin, end = _interval(match[1], number, options) if match[1] else (_UNKNOWN, _UNKNOWN)
        except FormatError as error:
            options.skip(error)
            continue
        turns.add(text, speaker, begin, end)
    if turns.starts:
        yield turns.document(options)


def _id(new: re.Match[str]) -> str | None:
    return (new[1] or "").strip() or None


def _interval(text: str, number: int, options: ReadOptions) -> tuple[float, float]:
    first, _, last = (part.strip() for part in re.sub(r"-->|–", "-", text).partition("-"))
    begin = _seconds(first, number, options)
    return begin, (_seconds(last, number, options) if last else _UNKNOWN)


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
    turns = _Turns()
    for number, block in _blocks_of_lines(numbered):
        if vtt:
            new = _NEWDOC.match(block[0])
            if new:
                if turns.starts:
                    yield turns.document(options)
                turns = _Turns(id=_id(new))
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
        if not vtt and at == 1 and block[0].strip() == "1" and turns.starts:
            yield turns.document(options)
            turns = _Turns()
        try:
            begin, end = _cue_times(block[at], number + at, options)
        except FormatError as error:
            options.skip(error)
            continue
        _cue(turns, "\n".join(line.strip() for line in block[at + 1 :]), begin, end, vtt)
    if turns.starts:
        yield turns.document(options)


def _blocks_of_lines(numbered: _Lines) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines that are not blank, each with the number of its first line."""
    block: list[str] = []
    begin = 1
    for number, line in numbered:
        if line.strip():
            if not block:
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


def _cue(turns: _Turns, text: str, begin: float, end: float, vtt: bool) -> None:
    """Add the turns of one cue; a voice tag `<v Name>` starts one."""
    plain, spans, voices = _untagged(text, vtt)
    if not voices:
        speaker = ""
        shouted = _SHOUTED.match(plain) if not vtt else None
        cut = 0
        if shouted:
            speaker, cut = shouted[1], shouted.end()
        voices = [(cut, speaker)]
    elif voices[0][0] > 0 and plain[: voices[0][0]].strip():
        voices.insert(0, (0, ""))
    ends = [at for at, _ in voices[1:]] + [len(plain)]
    spans.sort()
    for (at, speaker), to in zip(voices, ends, strict=True):
        piece = plain[at:to]
        kept = piece.strip()
        shift = at + len(piece) - len(piece.lstrip())
        turns.add(kept, speaker, begin, end)
        base = turns.starts[-1] - shift
        for k in range(bisect_left(spans, shift, key=itemgetter(0)), len(spans)):
            a, b, label = spans[k]
            if a >= shift + len(kept):
                break
            if a < b <= shift + len(kept):
                turns.markup.append((a + base, b + base, label))


def _untagged(
    text: str, vtt: bool
) -> tuple[str, list[tuple[int, int, str]], list[tuple[int, str]]]:
    """Text without tags, the spans of those that are mark-up, and where voices start."""
    parts: list[str] = []
    size = at = 0
    spans: list[tuple[int, int, str]] = []
    open_tags: list[tuple[int, str]] = []
    voices: list[tuple[int, str]] = []

    def append(piece: str) -> None:
        nonlocal size
        piece = unescape(piece) if vtt else piece
        parts.append(piece)
        size += len(piece)

    # Behind the last `>` nothing ends, so that no tag is looked for there again and again.
    for match in _TAG.finditer(text, 0, text.rfind(">") + 1):
        append(text[at : match.start()])
        at = match.end()
        closing, name, rest = match.groups()
        if name == "v" and not closing:
            voices.append((size, unescape(re.sub(r"^\.\S+", "", rest).strip())))
        elif name in ("b", "i", "u") and not closing:
            open_tags.append((size, name))
        elif closing and open_tags and open_tags[-1][1] == name:
            begin, label = open_tags.pop()
            spans.append((begin, size, label))
    append(text[at:])
    return "".join(parts), spans, voices


# ------------------------------------------------------------------ writing


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write the turns of documents; a document without turns is one turn."""
    mode = _mode(options.mode, options.file)
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
        yield _no_blank_lines(doc.text), "", _UNKNOWN, _UNKNOWN
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
    millis = round(seconds * 1000) if 0 <= seconds < _LONGEST else 0
    hours, millis = divmod(millis, 3_600_000)
    minutes, millis = divmod(millis, 60_000)
    return f"{hours:02}:{minutes:02}:{millis // 1000:02}{mark}{millis % 1000:03}"


def _interval_of(begin: float, end: float, mark: str) -> str:
    """The times of a cue, which does not end before it begins even if its end is not known."""
    return f"{_clock(begin, mark)} --> {max(_clock(begin, mark), _clock(end, mark), key=_order)}"


def _order(clock: str) -> tuple[int, str]:
    return len(clock), clock


def _srt(doc: Document) -> str:
    out = []
    for number, (text, speaker, begin, end) in enumerate(_turns(doc), 1):
        name = f"{one_line(speaker)}: " if speaker else ""
        out.append(f"{number}\n{_interval_of(begin, end, ',')}\n{name}{text}\n\n")
    return "".join(out)


def _vtt(doc: Document) -> str:
    out = []
    for text, speaker, begin, end in _turns(doc):
        text = html.escape(text, quote=False)
        if speaker:
            text = f"<v {html.escape(one_line(speaker), quote=False)}>{text}"
        out.append(f"{_interval_of(begin, end, '.')}\n{text}\n\n")
    return "".join(out)


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
        if 0 <= begin < _LONGEST:
            until = f" - {_clock(end, '.')}" if 0 <= end < _LONGEST else ""
            time = f"[{_clock(begin, '.')}{until}] "
        out.append(f"{time}{_speaker_name(speaker)}: {_one_turn(text)}\n")
    return "".join(out)
