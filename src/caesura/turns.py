"""Speakers in a plain text whose lines start with labels, such as `ANNA:` or `[00:01] ben:`.

A text is taken for a transcript where at least two labels recur, or two have times before them, so
that `Note:` and `Subject:` name nobody. The text stays as it is: a label is part of the first
sentence of its turn. Whether a text is a transcript is told by its first `HEAD` characters, so that
one that comes in blocks is judged as the whole is. What becomes of turns is for
`caesura.constraints` to say.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from caesura.document import OTHER, Document, Longs

__all__ = [
    "FIELDS",
    "HEAD",
    "Turn",
    "TurnReader",
    "changes",
    "find_turns",
    "label_spans",
    "speakers",
    "take_turns",
    "with_turns",
    "with_turns_of",
]

#: Characters by which a text is judged.
HEAD: Final = 8_000
#: A label and the time before it are not longer.
_LONGEST: Final = 250
#: Turns that are behind and not yet forgotten.
_MANY: Final = 1000
#: The least share of the lines, apart from blank ones, that have labels.
_SHARE: Final = 0.08
_CLOCK: Final = r"\d{1,3}:[0-5]?\d(?::[0-5]?\d)?(?:[.,]\d{1,3})?"
_LABEL: Final = re.compile(
    rf"""^[^\S\n]{{0,8}}(?:>>[ ]?)?
    (?:[\[(<]?({_CLOCK})(?:[ ]?(?:-->|[-–])[ ]?({_CLOCK}))?[\])>]?[ ]{{0,3}}(?:-[ ])?)?
    ([^\W\d_][\w.'’-]{{0,30}}(?:[ ][(\w][\w.'’)-]{{0,30}}){{0,3}})
    [^\S\n]?[:：](?=\s|$)""",
    re.VERBOSE | re.MULTILINE,
)
_COLON: Final = re.compile("[:：]")
_LINE: Final = re.compile(r"^[^\n]*\S", re.MULTILINE)
#: Labels of fields, remarks and letters, which name no speaker.
FIELDS: Final = frozenset(
    """
    abstract address agenda answers attachment attachments attn author background bcc begin
    caution cc city color colour comment comments con conclusion cons contact copyright country
    credits danger date day definition description directions disclaimer distribution due duration
    e-mail edit email enclosure end error example examples fax figure file fix format forwarded
    from fw fwd goal hint hours http https id important info ingredients input instructions isbn
    issue item items keyword keywords language length link links location mail message method name
    nb note notes number objective options organization output p.s. page part phone photo place
    postscript price priority pro problem product proof pros ps published purpose quantity rating
    re reason received recipe references regards remark reminder reply-to requirements result
    results review room section see sender sent serves servings sincerely size solution source
    sources status step steps subject subtotal summary table tags tel telephone theorem time tip
    tips title to todo topic total translation type update updated url usage use user-agent using
    value version via warning web website weight when where who why width wrote year
    """.split()  # noqa: SIM905
)


class Turn(NamedTuple):
    """A turn: its place in the text, who speaks, and from when to when (NaN: unknown)."""

    start: int
    end: int
    speaker: str
    begin: float = float("nan")
    until: float = float("nan")


class _Label(NamedTuple):
    start: int
    end: int
    name: str
    begin: float
    until: float

    @property
    def timed(self) -> bool:
        return self.begin == self.begin


def find_turns(text: str) -> list[Turn]:
    """The turns of a text; none unless it is a transcript."""
    reader = TurnReader()
    for _ in reader.blocks([text]):
        pass
    return reader.turns


def take_turns(doc: Document) -> bool:
    """Give a document that is nothing but text its turns; returns whether it has any now.

    One that has turns or mark-up comes from a format that says what there is.
    """
    if len(doc.turn_start):
        return True
    if len(doc.markup_start) or doc.continues or not _COLON.search(doc.text, 0, HEAD):
        return False
    turns = find_turns(doc.text)
    if turns:
        _set(doc, turns)
    return bool(turns)


def with_turns(doc: Document) -> Document:
    """The same document, or a copy of it that has the turns of its text."""
    if len(doc.turn_start) or len(doc.markup_start) or not _COLON.search(doc.text, 0, HEAD):
        return doc
    copy = replace(doc)
    return copy if take_turns(copy) else doc


def _set(doc: Document, turns: list[Turn]) -> None:
    doc.turn_start = np.array([turn.start for turn in turns], dtype=np.int64)
    doc.turn_end = np.array([turn.end for turn in turns], dtype=np.int64)
    doc.turn_speaker = doc.strings.ids([turn.speaker for turn in turns])
    doc.turn_time = np.array([turn[3:] for turn in turns], dtype=np.float64).reshape(-1, 2)


def with_turns_of(doc: Document, source: Document) -> None:
    """Give a document the turns of another one with the same text."""
    doc.turn_start, doc.turn_end = source.turn_start, source.turn_end
    doc.turn_speaker = doc.strings.ids(source.strings.take(source.turn_speaker))
    doc.turn_time, doc.turn_kind = source.turn_time, source.turn_kind


def changes(doc: Document) -> Longs:
    """The offsets at which another speaker begins than the one who spoke before.

    A turn without a name goes on with the one before it, as the cues of subtitles do.
    """
    if not len(doc.turn_start):
        return np.zeros(0, np.int64)
    names = doc.turn_speaker
    if doc.turn_kind is not None:  # an unknown speaker is another one
        unknown = (doc.turn_kind == OTHER) & (names == 0)
        names = np.where(unknown, -1 - np.arange(len(names), dtype=np.int32), names)
    turns = np.flatnonzero((names != 0) & (doc.turn_end > doc.turn_start))
    order = turns[np.argsort(doc.turn_start[turns], kind="stable")]
    names = names[order]
    other = np.ones(len(order), np.bool_)
    other[1:] = names[1:] != names[:-1]
    found: Longs = doc.turn_start[order][other]
    return found


def label_spans(doc: Document) -> list[tuple[int, int]]:
    """Where the text of a document has the labels of its turns; other formats took them out."""
    found = []
    for at, name in zip(doc.turn_start.tolist(), doc.turn_speaker.tolist(), strict=True):
        match = _LABEL.match(doc.text, doc.text.rfind("\n", 0, at) + 1) if name else None
        if match and match[3] == doc.strings[name]:
            found.append((at, match.end()))
    return found


def speakers(turns: Iterable[Turn]) -> list[str]:
    """Who speaks, each once, in the order of their first turns."""
    return list(dict.fromkeys(turn.speaker for turn in turns))


# ------------------------------------------------------------------ labels


def _labels(text: str) -> Iterator[_Label]:
    """What looks like the label of a speaker at the start of a line."""
    for match in _LABEL.finditer(text):
        name = match[3]
        words = name.split()
        if len(words) > 1 and not all(w[0].isupper() or not w[0].isalpha() for w in words):
            continue
        if name.casefold() in FIELDS or words[0].casefold() in FIELDS:
            continue
        start = match.end() - len(match[0].lstrip())
        yield _Label(start, match.end(), name, _seconds(match[1]), _seconds(match[2]))


def _seconds(clock: str | None) -> float:
    if clock is None:
        return float("nan")
    total = 0.0
    for part in clock.replace(",", ".").split(":"):
        total = total * 60 + float(part)
    return round(total, 3)


class _Known:
    """Which labels name speakers, judged by the first part of a text."""

    def __init__(self, head: str) -> None:
        labels = list(_labels(head))
        self._count = Counter(label.name for label in labels)
        self._names = {name for name, count in self._count.items() if count > 1}
        lines = 0
        if len(self._names) > 1 or _short(labels):
            lines = sum(1 for _ in _LINE.finditer(head))
        names = [label.name for label in labels]
        self.any = len(labels) >= _SHARE * lines > 0 and not _records(names)
        self._capitals = all(name == name.upper() for name in self._names) and bool(self._names)

    def accept(self, label: _Label, again: bool) -> bool:
        """Whether a label names a speaker; `again`: it is in the part that was judged."""
        if not again:
            self._count[label.name] += 1
        if label.name in self._names or label.timed:
            return True
        if self._capitals and label.name == label.name.upper():
            return True
        return self._count[label.name] > 1


def _short(labels: list[_Label]) -> bool:
    """Whether so few labels that no two recur name speakers: those with times do."""
    return sum(label.timed for label in labels) > 1


def _records(names: list[str]) -> bool:
    """Whether three labels or more come again and again in the same order, as fields do."""
    period = len(set(names))
    whole = period > 2 and len(names) % period == 0 and len(names) > period
    return whole and all(name == names[at % period] for at, name in enumerate(names))


# ----------------------------------------------------------------- streams


class TurnReader:
    """Finds the turns of one text that comes in blocks.

    Blocks are handed on when what they say about turns is known: see `blocks`. A piece of a
    document that was made of them gets its turns from `put`.
    """

    def __init__(self, *, head: int = HEAD, boundaries: bool = True) -> None:
        """Without `boundaries` turns are found, and sentences may run over them."""
        self._head = head
        self._boundaries = boundaries
        #: Turns that have begun; the last one has no end before the text has.
        self.turns: list[Turn] = []
        self._at: list[int] = []  # where they begin
        self._labels: list[int] = []  # where their labels end
        self._known: _Known | None = None
        self._seen = 0  # characters that have been handed on
        self._last = 0  # the end of the last of them that is no blank

    def blocks(self, blocks: Iterable[str]) -> Iterator[str]:
        """The same text in other blocks, none of which ends within a label."""
        wait: list[str] = []
        size = 0
        source = iter(blocks)
        for block in source:
            wait.append(block)
            size += len(block)
            if size >= self._head:
                break
        text = "".join(wait)
        yield from self._judged(text, source)

    def _judged(self, text: str, source: Iterator[str]) -> Iterator[str]:
        head = text[: self._head]
        if len(text) > self._head:
            head = head[: head.rfind("\n") + 1]
        known = _Known(head)
        self._known = known if known.any else None
        if self._known is None:
            yield text
            yield from source
            return
        judged = len(head)
        opens = True  # whether what waits starts a line
        for block in source:
            end = _safe(text, opens)
            self._take(text[:end], judged, opens)
            if end:
                opens = text[end - 1] == "\n"
                yield text[:end]
            text = text[end:] + block
        self._take(text, judged, opens)
        if self.turns:
            self.turns[-1] = self.turns[-1]._replace(end=self._last)
        yield text

    def _take(self, text: str, judged: int, opens: bool) -> None:
        """Note the turns that begin in the next block."""
        assert self._known is not None, "a text without speakers is not looked at again"
        if not text:
            return
        for label in _labels(text):
            if not opens and label.start < (text.find("\n") + 1 or len(text)):
                continue
            at = self._seen + label.start
            if self._known.accept(label, at < judged):
                if self.turns:
                    before = text[: label.start].rstrip()
                    end = self._seen + len(before) if before else self._last
                    self.turns[-1] = self.turns[-1]._replace(end=end)
                self.turns.append(Turn(at, -1, label.name, label.begin, label.until))
                self._at.append(at)
                self._labels.append(self._seen + label.end)
        said = len(text.rstrip())
        if said:
            self._last = self._seen + said
        self._seen += len(text)

    @property
    def decides(self) -> bool:
        """Whether this is a transcript whose turns are boundaries; known with the first block."""
        return self._boundaries and self._known is not None

    def starts(self, first: int, last: int) -> list[int]:
        """Offsets from one to another at which a sentence starts since another speaker begins."""
        if not self.decides:
            return []
        found = []
        for number in range(bisect_left(self._at, first), bisect_left(self._at, last)):
            if number == 0 or self.turns[number].speaker != self.turns[number - 1].speaker:
                found.append(self._at[number])
        return found

    def labels(self, first: int, last: int) -> list[tuple[int, int]]:
        """The labels that begin at offsets from one to another, if turns are boundaries."""
        if not self.decides:
            return []
        own = slice(bisect_left(self._at, first), bisect_left(self._at, last))
        return list(zip(self._at[own], self._labels[own], strict=True))

    def put(self, piece: Document, base: int) -> None:
        """Give a piece that begins at an offset its turns; those behind it are forgotten."""
        if not self.turns:
            return
        size = len(piece.text)
        first = max(bisect_right(self._at, base) - 1, 0)
        own = []
        for turn in self.turns[first : bisect_left(self._at, base + size)]:
            start = max(turn.start - base, 0)
            end = size if turn.end < 0 else min(turn.end - base, size)
            if end > start:
                own.append(turn._replace(start=start, end=end))
        _set(piece, own)
        if first > _MANY:  # the one before stays: `starts` asks who spoke
            del self.turns[: first - 1], self._at[: first - 1], self._labels[: first - 1]


def _safe(text: str, opens: bool) -> int:
    """How much of a text may be handed on: the last line must be long enough to have its label."""
    line = text.rfind("\n") + 1
    if len(text) - line >= _LONGEST or (line == 0 and not opens):
        return len(text)
    return line
