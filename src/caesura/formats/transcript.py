"""Transcripts: SRT, WebVTT, TTML, and lines of the form `Speaker: text`.

Cues of one speaker are joined to running text, and each line that names a speaker is a line; see
`units` and `cues`. `A.1:` names speaker A. A number that falls back to 1 (of a cue of SRT, or of a
turn such as `A.1`) starts a document, and so does a comment `# newdoc` (`NOTE newdoc` in WebVTT).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO, Final

from caesura.document import OTHER, TURN, Document
from caesura.errors import FormatError, UsageError
from caesura.formats.build import encoded, one_line
from caesura.formats.cues import Cue, units_of
from caesura.formats.io import lines, stem
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.registry import FORMATS
from caesura.formats.ttml import cues_of
from caesura.formats.units import LONGEST, SOUND, UNKNOWN, Unit, document, flow

__all__ = ["read", "write"]

#: Letters of a speaker's name.
_LONGEST_NAME: Final = 60
_Lines = Iterator[tuple[int, str]]
_Written = Callable[[str, str, bool, str], str]
_TIME: Final = re.compile(r"(?:(\d{1,9}):)?([0-5]?\d):([0-5]?\d(?:[.,]\d{1,3})?)$")
_TURN: Final = re.compile(r"(?:\[([^\]]*)\]\s*)?([^\s:\[#][^:\n]{0,60}?):(?:\s+(.*))?$")
_CLOCK: Final = re.compile(r"\d:\d")
_NUMBERED: Final = re.compile(r"(.+?)\.(\d+)$")
#: What would be read as a reference or a tag, or as a code of a position.
_REFERENCE: Final = re.compile(r"&(?=[#\w])")
_TAG: Final = re.compile(r"<(?=[^<>]*>)|\{(?=\\[^{}]*\})")
_NEWDOC: Final = re.compile(r"(?:#|NOTE)\s+newdoc(?:\s+id\s*=(.*))?\s*$")


def _mode(mode: str | None, file: str, *, writing: bool = False) -> str:
    if mode is None:
        name = stem(file).lower()
        known = {".srt": "srt", ".vtt": "vtt", ".ttml": "ttml", ".dfxp": "ttml"}
        mode = next((mode for end, mode in known.items() if name.endswith(end)), "speaker")
    if mode == "ttml" and writing:
        raise UsageError("TTML can be read, not written", remedy="Write .vtt or .srt.")
    if mode not in ("srt", "vtt", "ttml", "speaker"):
        raise UsageError(
            f"there is no mode {mode!r} of transcripts",
            remedy="Modes are: srt, vtt, ttml, speaker.",
        )
    return mode


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a transcript; the extension decides on the mode, else the first lines."""
    numbered = lines(stream, options)
    mode = options.mode
    if mode is None and not stem(options.file).lower().endswith(FORMATS["transcript"].extensions):
        mode, numbered = _mode_of_lines(numbered)
    mode = _mode(mode, options.file)
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
        if match is None or (match[1] is not None and not _CLOCK.search(match[1])):
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


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write the turns of documents; a document without turns is one turn."""
    mode = _mode(options.mode, options.file, writing=True)
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
