"""The output of speech recognisers: JSON of several tools, and CTM.

Each tool is a line of `DIALECTS`: the array that holds its segments or words, and the fields of
an element. A field is a path (`offsets.from`, `alternatives.0.content`); `a|b` is the first of two
that exists. Segments are cues; words without segments form cues that end at pauses. JSON is read
incrementally, one wanted array element at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Any, BinaryIO, Final

from caesura.document import Document
from caesura.errors import FormatError, UsageError, kind_of
from caesura.formats.io import blocks, lines, mode_of
from caesura.formats.options import ReadOptions
from caesura.formats.units import SKIP, UNKNOWN, Said, Unit, document, of_words, seconds, span

#: Stands for the beginning of an array.
OPEN: Final = object()
#: Values within more arrays and objects than that are decoded at once.
_DEPTH: Final = 16
_BLANKS: Final = " \t\n\r"
Found = tuple[str, tuple[int, ...], Any]


class JsonStream:
    """The values of a file of JSON."""

    def __init__(self, stream: BinaryIO, options: ReadOptions) -> None:
        self._blocks = blocks(stream, options, size=1 << 16, whole_lines=False)
        self._options = options
        self._decode = json.JSONDecoder(strict=False).raw_decode
        self._text, self._at, self._line = "", 0, 1

    def values(self, wanted: Callable[[str], bool]) -> Iterator[Found]:
        """For each array its path with OPEN; its elements, and values of keys, if wanted.

        Each comes with the numbers of the elements in which it is. Several values in a row are
        read one after the other.
        """
        while self._next():
            yield from self._value("", (), wanted)

    @property
    def line(self) -> int:
        """The line that is read."""
        return self._line + self._text.count("\n", 0, self._at)

    def error(self, what: str) -> FormatError:
        return self._options.error(what, self.line, remedy="Get the whole file again.")

    def _fill(self) -> bool:
        """Read on, and forget what was read."""
        more = next(self._blocks, None)
        if more is None:
            return False
        self._line = self.line
        self._text, self._at = self._text[self._at :] + more[0], 0
        return True

    def _next(self) -> str:
        """The next character that is no blank, which stays; nothing at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _BLANKS:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._fill():
                return ""

    def _take(self, allowed: str) -> str:
        found = self._next()
        if not found or found not in allowed:
            shown = repr(self._text[self._at : self._at + 20]) if found else "its end"
            raise self.error(f"this is no JSON: {' or '.join(allowed)} is missing before {shown}")
        self._at += 1
        return found

    def _whole(self) -> Any:
        """The value that comes next, decoded at once."""
        while True:
            self._next()
            try:
                value, end = self._decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                # What a block cuts off cannot be decoded; it doubles before it is tried again.
                size = len(self._text) - self._at
                if not self._fill():
                    what = "it is nested too deeply" if isinstance(error, RecursionError) else ""
                    what = what or getattr(error, "msg", "") or "a value is damaged"
                    raise self.error(f"this is no JSON: {what}") from None
                while len(self._text) - self._at < 2 * size and self._fill():
                    pass
                continue
            if end < len(self._text) or not self._fill():
                self._at = end
                return value

    def _value(
        self, path: str, numbers: tuple[int, ...], wanted: Callable[[str], bool]
    ) -> Iterator[Found]:
        mark = self._next()
        deep = len(numbers) + path.count(".") > _DEPTH
        if deep or mark not in ("{", "[") or wanted(path):
            yield path, numbers, self._whole()
            return
        self._at += 1
        in_array, end = mark == "[", "]" if mark == "[" else "}"
        if in_array:
            path = f"{path}[]"
            yield path, numbers, OPEN
        if self._next() == end:
            self._at += 1
            return
        for number in count():
            if in_array:
                yield from self._value(path, (*numbers, number), wanted)
            else:
                if self._next() != '"':
                    raise self.error("this is no JSON: a key is missing")
                key = self._whole()
                self._take(":")
                yield from self._value(f"{path}.{key}" if path else key, numbers, wanted)
            if self._take(f",{end}") == end:
                return


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where a tool keeps what: fields of segments, or of words if it has no `text`."""

    title: str
    #: The array whose elements are segments, or words.
    array: str
    text: str = ""
    begin: str = "start"
    end: str = "end"
    #: Instead of an end.
    length: str = ""
    speaker: str = "speaker"
    #: Words of a segment, and fields of a word.
    words: str = ""
    word: str = ""
    word_begin: str = "start"
    word_end: str = "end"
    #: Instead of the beginning of a word: its distance to that of the segment.
    offset: str = ""
    confidence: str = ""
    #: Seconds of a unit of its times; the highest confidence.
    scale: float = 1.0
    certain: float = 1.0
    #: Words are sub-words: one that starts with a space starts a word.
    pieces: bool = False


_WHISPER: Final = Dialect(
    "Whisper (openai-whisper, WhisperX, faster-whisper)",
    "segments[]",
    text="text",
    words="words",
    word="word|text",
    confidence="probability|score|confidence",
)
DIALECTS: Final = (
    _WHISPER,
    replace(_WHISPER, title="Whisper (a list of segments)", array="[]"),
    Dialect(
        "Whisper (Transformers)", "chunks[]", text="text", begin="timestamp.0", end="timestamp.1"
    ),
    Dialect(
        "whisper.cpp",
        "transcription[]",
        text="text",
        begin="offsets.from",
        end="offsets.to",
        words="tokens",
        word="text",
        word_begin="offsets.from",
        word_end="offsets.to",
        confidence="p",
        scale=0.001,
        pieces=True,
    ),
    Dialect(
        "YouTube json3",
        "events[]",
        text="segs",
        begin="tStartMs",
        length="dDurationMs",
        words="segs",
        word="utf8",
        offset="tOffsetMs",
        confidence="acAsrConf",
        scale=0.001,
        certain=255.0,
    ),
    Dialect(
        "AWS Transcribe",
        "results.items[]",
        word="alternatives.0.content",
        word_begin="start_time",
        word_end="end_time",
        speaker="speaker_label",
        confidence="alternatives.0.confidence",
    ),
    Dialect(
        "Deepgram",
        "results.channels[].alternatives[].words[]",
        word="punctuated_word|word",
        confidence="confidence",
    ),
    Dialect("AssemblyAI", "words[]", word="text", confidence="confidence", scale=0.001),
)
#: Words that the Whisper API writes beside its segments.
_LOOSE: Final = Dialect("Whisper (API)", "words[]", word="word")
#: Who speaks when, by older versions of AWS Transcribe.
_LABELS: Final = "results.speaker_labels.segments[]"
_BY_ARRAY: Final = {dialect.array: dialect for dialect in DIALECTS}
_SPECIAL: Final = re.compile(r"\[_.*\]$|<\|.*\|>$")


def _titles() -> str:
    return ", ".join(dict.fromkeys(dialect.title for dialect in DIALECTS))


def field_of(record: Any, path: str) -> Any:
    """The value at a path, or at the first of several separated by `|`; None if there is none."""
    for one in path.split("|"):
        found = record
        for key in one.split("."):
            if isinstance(found, dict):
                found = found.get(key)
            elif isinstance(found, list | tuple) and key.isdigit() and int(key) < len(found):
                found = found[int(key)]
            else:
                found = None
        if found is not None:
            return found
    return None


def read_asr(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a file: one of JSON, those of CTM."""
    if mode_of(options, "asr", ("json", "ctm"), "json", {".ctm": "ctm"}) == "ctm":
        yield from _read_ctm(stream, options)
        return
    yield document(_units(stream, options), options)


def from_segments(segments: Iterable[Any], *, source: str | None = None) -> Document:
    """A document of the segments of faster-whisper, or of objects or mappings like them.

    >>> segments = [{"start": 0.0, "end": 1.5, "text": " Hello there."}]
    >>> from_segments(segments).turn_time.tolist()
    [[0.0, 1.5]]
    """
    options = ReadOptions(file=source or "<segments>")
    doc = document(_of_segments(segments, options), options)
    doc.source = source
    return doc


def _of_segments(segments: Iterable[Any], options: ReadOptions) -> Iterator[Unit]:
    for number, segment in enumerate(segments, 1):
        record = _mapping(segment)
        if not isinstance(record.get("text"), str):
            raise UsageError(
                f"segment {number} is {kind_of(segment)} without a text",
                remedy="Give the segments of faster-whisper, or mappings with text, start and end.",
            )
        record["words"] = [_mapping(word) for word in record.get("words") or ()]
        yield from _segment(record, _WHISPER, None, options)


def _mapping(value: Any) -> dict[str, Any]:
    """The fields of a mapping, a named tuple or another object."""
    if isinstance(value, dict):
        return dict(value)
    names = getattr(value, "_fields", None) or getattr(value, "__dataclass_fields__", None)
    if names is None and not hasattr(value, "__dict__"):
        return {}
    return {name: getattr(value, name) for name in names or vars(value)}


# ----------------------------------------------------------------------- JSON


def _units(stream: BinaryIO, options: ReadOptions) -> Iterator[Unit]:
    """The units of a file, by time where several channels have words of their own."""
    source = JsonStream(stream, options)
    dialect: Dialect | None = None
    units: list[Unit] = []
    words: list[tuple[Said, str | None]] = []
    by_channel: dict[int, list[tuple[Said, str | None]]] = {}
    labels: dict[str, str] = {}
    fits, seen = False, False

    def wanted(path: str) -> bool:
        return path in _ELEMENTS or path == f"{_LABELS}[]" or path == _LABELS

    for path, numbers, value in source.values(wanted):
        known = _BY_ARRAY.get(path)
        if value is OPEN:
            if known is not None and (dialect is None or dialect.array == "words[]"):
                dialect = known
            continue
        if known is not None:
            seen = True
            fits = fits or any(
                field_of(value, path) is not None
                for path in (known.text, known.begin, known.word, known.word_begin)
            )
        if path == _LABELS:
            labels |= {str(at): str(who) for at, who in _labels(value)}
        elif known is None or not isinstance(value, dict):
            continue
        elif path == "words[]":
            kind = known if "text" in value else _LOOSE
            by_channel.setdefault(0, []).append(_word(value, kind, labels))
        elif known.text:
            if field_of(value, known.text) is not None:
                units += _segment(value, known, source.line, options)
            elif path != "events[]" and fits:  # which also place windows
                what = f"a segment of {known.title} has no text"
                options.skip(options.error(what, source.line, remedy=SKIP))
        elif not (len(numbers) > 2 and numbers[-2]):  # the best alternative
            channel = numbers[0] if len(numbers) > 2 else 0
            by_channel.setdefault(channel, []).append(_word(value, known, labels))
    if dialect is None or (seen and not fits):
        raise FormatError(
            "this JSON is not of a known speech recogniser",
            file=options.file,
            remedy=f"Known are: {_titles()}. For others name the fields: --text-field, "
            "--speaker-field, --start-field, --end-field.",
        )
    if units and 0 in by_channel:
        _attach(units, [word for word, _ in by_channel[0]])
        by_channel = {}
    for channel, words in by_channel.items():
        many = len(by_channel) > 1
        units += of_words((w, s or (f"Channel {channel}" if many else None)) for w, s in words)
    if len(by_channel) > 1:
        units.sort(key=lambda unit: (unit.begin != unit.begin, unit.begin))
    if dialect.length:  # a line is displayed until the one after the next
        for unit, after in pairwise(units):
            if unit.begin < after.begin < unit.end:
                unit.end = after.begin
                unit.words = [w._replace(end=min(w.end, unit.end)) for w in unit.words]
    yield from units


#: Paths whose values are decoded as a whole.
_ELEMENTS: Final = frozenset(dialect.array for dialect in DIALECTS)


def _labels(segment: Any) -> Iterator[tuple[Any, Any]]:
    """Beginnings of words with their speakers."""
    for item in field_of(segment, "items") or ():
        if isinstance(item, dict):
            yield item.get("start_time"), item.get("speaker_label")


def speaker_of(value: Any) -> str | None:
    """The name of a speaker; numbers get a word before them."""
    if value is None or value == "" or isinstance(value, bool | dict | list):
        return None
    return f"Speaker {value:g}" if isinstance(value, int | float) else str(value).strip()


def _confidence(value: Any, dialect: Dialect) -> float:
    found = field_of(value, dialect.confidence) if dialect.confidence else None
    try:
        number = float(found) / dialect.certain if found is not None else UNKNOWN
    except (TypeError, ValueError):
        return UNKNOWN
    return number if 0 <= number <= 1 else UNKNOWN


def _word(value: Any, dialect: Dialect, labels: dict[str, str]) -> tuple[Said, str | None]:
    begin = seconds(field_of(value, dialect.word_begin), dialect.scale)
    end = seconds(field_of(value, dialect.word_end), dialect.scale)
    text = field_of(value, dialect.word)
    who = speaker_of(field_of(value, dialect.speaker))
    if who is None and labels:
        who = labels.get(str(value.get(dialect.word_begin)))
    sure = _confidence(value, dialect) if begin == begin or dialect.offset else UNKNOWN
    return Said(text if isinstance(text, str) else "", begin, end, sure), who


def _segment(
    value: dict[str, Any], dialect: Dialect, line: int | None, options: ReadOptions
) -> Iterator[Unit]:
    """The units of one segment: WhisperX may change the speaker within it."""
    begin = seconds(field_of(value, dialect.begin), dialect.scale)
    if dialect.length:
        end = round(begin + seconds(field_of(value, dialect.length), dialect.scale), 4)
    else:
        end = seconds(field_of(value, dialect.end), dialect.scale)
    try:
        begin, end = span(begin, end, line, options)
    except FormatError as error:
        options.skip(error)
        return
    text = field_of(value, dialect.text)
    found = field_of(value, dialect.words) if dialect.words else None
    records = [one for one in found or () if isinstance(one, dict)] if found else []
    words = [said for said in _words(records, dialect, begin) if said[0].text]
    if not isinstance(text, str):
        text = "".join(said.text for said, _ in words)
    who = speaker_of(field_of(value, dialect.speaker))
    speakers = [speaker or who for _, speaker in words]
    if len(set(speakers)) < 2:
        yield Unit(text, who, begin, end, words=_timed(words, end))
        return
    named = zip(words, speakers, strict=True)
    yield from of_words((said, speaker) for (said, _), speaker in named)


def _words(
    records: list[dict[str, Any]], dialect: Dialect, begin: float
) -> Iterator[tuple[Said, str | None]]:
    """The words of a segment, of which sub-words are joined."""
    wait: Said | None = None
    for record in records:
        said, who = _word(record, dialect, {})
        if dialect.offset:
            shift = seconds(record.get(dialect.offset, 0), dialect.scale)
            said = said._replace(begin=round(begin + shift, 4))
        if not dialect.pieces:
            yield said, who
            continue
        if _SPECIAL.match(said.text.strip()):
            continue
        if wait is not None and re.match(r"[a-zA-Z'’]|[^\w\s]", said.text):
            sure = min(wait.confidence, said.confidence)
            wait = Said(wait.text + said.text, wait.begin, said.end, sure)
            continue
        if wait is not None:
            yield wait, None
        wait = said
    if wait is not None:
        yield wait, None


def _timed(words: list[tuple[Said, str | None]], end: float) -> list[Said]:
    """Words; one without an end ends where the next one begins."""
    found = [said for said, _ in words]
    for k, said in enumerate(found):
        if said.end != said.end and said.begin == said.begin:
            found[k] = said._replace(end=found[k + 1].begin if k + 1 < len(found) else end)
    return found


def _attach(units: list[Unit], words: list[Said]) -> None:
    """Give segments the words within their times."""
    at = 0
    for unit in units:
        own = []
        while at < len(words) and not words[at].begin >= unit.end:
            own.append(words[at])
            at += 1
        unit.words = unit.words or own


# ------------------------------------------------------------------------ CTM


def _read_ctm(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """CTM: file, channel, beginning, length, word and confidence on a line."""
    name: str | None = None
    channels: dict[str, list[tuple[Said, str | None]]] = {}

    def made() -> Document:
        units: list[Unit] = []
        for channel, words in channels.items():
            who = f"Channel {channel}" if len(channels) > 1 else None
            units += of_words((said, who) for said, _ in words)
        units.sort(key=lambda unit: unit.begin)
        return document(units, options, name)

    for number, line in lines(stream, options):
        fields = line.split()
        if not fields or line.startswith((";;", "#")):
            continue
        begin = length = UNKNOWN
        if len(fields) >= 5:
            begin, length = seconds(fields[2]), seconds(fields[3])
        if not (begin >= 0 and length >= 0):
            what = f"{line[:60]!r} is no line of CTM (file, channel, beginning, length, word)"
            options.skip(options.error(what, number))
            continue
        if fields[0] != name:
            if channels:
                yield made()
            name, channels = fields[0], {}
        sure = seconds(fields[5]) if len(fields) > 5 else UNKNOWN
        sure = sure if sure <= 1 else UNKNOWN
        said = Said(fields[4], begin, round(begin + length, 4), sure)
        channels.setdefault(fields[1], []).append((said, None))
    if channels:
        yield made()
