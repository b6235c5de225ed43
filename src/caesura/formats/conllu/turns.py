"""Speech in CoNLL-U: turns with speakers and times, and times of tokens.

MISC of the first token of a turn says `NewTurn=Yes` and, where they are known, `Speaker`,
`StartTime` and `EndTime` (seconds); a token behind a turn that is in none says `NewTurn=No`.
`TurnKind` is `Cue` or `Other` if it is no plain turn. This is what is read. Sentences without
comments of their own also get `# speaker`, `# start_time` and `# end_time`.

Times of tokens are `AlignBegin` and `AlignEnd` (milliseconds), as in treebanks of speech, with
`AlignConf` and, if they are interpolated, `AlignGuessed=Yes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from caesura.document import CUE, OTHER, TURN, Document, token_turn
from caesura.formats.conllu.spacing import escape, unescape

__all__ = ["ALIGNED", "MARK", "Aligned", "Turn", "TurnWriter", "align_items", "aligned_of"]
__all__ += ["mark_of", "set_turns"]

MARK: Final = "NewTurn="
_KEYS: Final = ("NewTurn", "TurnKind", "Speaker", "StartTime", "EndTime")
_KINDS: Final = {"Cue": CUE, "Other": OTHER}
ALIGNED: Final = "AlignBegin="
_ALIGN: Final = ("AlignBegin", "AlignEnd", "AlignConf", "AlignGuessed")


class Turn(NamedTuple):
    """A turn without its words; -1 is a time that is not known."""

    speaker: str
    begin: float
    end: float
    kind: int = TURN


class Aligned(NamedTuple):
    """The times of a token in milliseconds, their confidence, and whether they are interpolated."""

    begin: int
    end: int
    confidence: float | None = None
    guessed: bool = False


def mark_of(misc: str) -> Turn | None:
    """What a MISC value that holds MARK says: a turn, or None for no turn any more."""
    items = dict(item.partition("=")[::2] for item in misc.split("|"))
    if items.get("NewTurn") != "Yes":
        return None
    begin, end = _seconds(items.get("StartTime", "")), _seconds(items.get("EndTime", ""))
    kind = _KINDS.get(items.get("TurnKind", ""), TURN)
    return Turn(unescape(items.get("Speaker", "")), begin, end, kind)


def aligned_of(misc: str) -> Aligned | None:
    """The times that a MISC value says."""
    items = dict(item.partition("=")[::2] for item in misc.split("|"))
    begin, end = items.get("AlignBegin", ""), items.get("AlignEnd", "")
    if not all(one.isascii() and one.isdigit() and len(one) < 13 for one in (begin, end)):
        return None
    sure = _seconds(items.get("AlignConf", ""))
    known = sure if 0 <= sure <= 1 else None
    return Aligned(int(begin), int(end), known, items.get("AlignGuessed") == "Yes")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return -1.0
    return value if 0 <= value < float("inf") else -1.0


def _written(seconds: float) -> str:
    return repr(float(seconds)).removesuffix(".0")


# ----------------------------------------------------------------- reading


def set_turns(
    doc: Document, marks: Sequence[tuple[int, Turn | None]], going: Turn | None, more: bool
) -> Turn | None:
    """Give a document, or a piece of one, the turns that are marked at some of its tokens.

    `going` is the turn that the piece before left open, and `more` says that the last turn goes on
    in the next piece: it then reaches to the end of the text, and is returned.
    """
    starts: list[tuple[int, Turn | None]] = list(marks)
    if going is not None and (not starts or starts[0][0] > 0):
        starts.insert(0, (0, going))
    spans = []
    for k, (token, turn) in enumerate(starts):
        last = starts[k + 1][0] if k + 1 < len(starts) else doc.n_tokens
        if turn is not None and last > token:
            spans.append((turn, int(doc.token_start[token]), int(doc.token_end[last - 1])))
    opened = starts[-1][1] if starts and more else None
    if opened is not None:
        spans[-1] = (opened, spans[-1][1], len(doc.text))
    doc.turn_start = np.array([start for _, start, _ in spans], dtype=np.int64)
    doc.turn_end = np.array([end for _, _, end in spans], dtype=np.int64)
    doc.turn_speaker = doc.strings.ids([turn.speaker for turn, _, _ in spans])
    times = np.array([turn[1:3] for turn, _, _ in spans], dtype=np.float64).reshape(-1, 2)
    kinds = np.array([turn.kind for turn, _, _ in spans], dtype=np.int8)
    doc.turn_kind = kinds if kinds.any() else None
    doc.turn_time = np.where(times < 0, np.nan, times)
    return opened


# ----------------------------------------------------------------- writing


class TurnWriter:
    """Says where turns start, over the pieces of a document."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._of_token = np.zeros(0, np.int64)
        self._times: list[list[float]] = []
        #: The turn that the piece before left open, and whether its last token was in one.
        self._going: Turn | None = None
        self._inside = False

    def begin(self, doc: Document) -> None:
        """Look at a document or the next piece of it."""
        if not doc.continues:
            self._going, self._inside = None, False
        known = np.zeros((0, 2)) if doc.token_time is None else doc.token_time
        self._times = np.nan_to_num(known, nan=-1.0).tolist()
        if not len(doc.turn_start):
            self._turns, self._of_token = [], np.full(doc.n_tokens, -1)
            return
        times = np.nan_to_num(doc.turn_time, nan=-1.0).tolist()
        speakers = doc.strings.take(doc.turn_speaker)
        kinds = [TURN] * len(times) if doc.turn_kind is None else doc.turn_kind.tolist()
        self._turns = [
            Turn(name, begin, end, kind)
            for name, (begin, end), kind in zip(speakers, times, kinds, strict=True)
        ]
        self._of_token = token_turn(doc)

    def marks(
        self, doc: Document, of_token: np.ndarray
    ) -> dict[int, tuple[tuple[str, ...], list[str]]]:
        """Attributes to drop and to add, for tokens whose MISC does not say what turns say."""
        wanted = self._wanted(doc)
        strings = doc.strings
        said = {i for i in set(of_token[of_token > 0].tolist()) if MARK in strings[i]}
        if not wanted and not said:
            return {}
        changed: dict[int, tuple[tuple[str, ...], list[str]]] = {}
        for token, i in enumerate(of_token.tolist()):
            if token not in wanted and i not in said:
                continue
            old = strings[i]
            if token not in wanted:
                changed[token] = (_KEYS, [])
            elif i not in said or mark_of(old) != wanted[token]:
                changed[token] = (_KEYS, _items(wanted[token]))
        return changed

    def _wanted(self, doc: Document) -> dict[int, Turn | None]:
        """The tokens at which a turn starts, or None where one ends and no other starts."""
        wanted: dict[int, Turn | None] = {}
        if not self._turns and not self._inside:
            return wanted
        before = -1
        for token, turn in enumerate(self._of_token.tolist()):
            if token == 0 and turn >= 0 and self._goes_on(doc, turn):
                before = turn
            elif turn >= 0 and turn != before:
                wanted[token] = self._turns[turn]
            elif turn < 0 and (before >= 0 or (token == 0 and self._inside)):
                wanted[token] = None
            before = turn
        self._inside = before >= 0
        reaches = before >= 0 and int(doc.turn_end[before]) == len(doc.text)
        self._going = self._turns[before] if reaches else None
        return wanted

    def _goes_on(self, doc: Document, turn: int) -> bool:
        return int(doc.turn_start[turn]) == 0 and self._turns[turn] == self._going

    def comments(self, first: int, last: int) -> list[str]:
        """What a sentence of these tokens is told about who says it, and when."""
        found = []
        begin = end = -1.0
        if self._turns:
            here, there = int(self._of_token[first]), int(self._of_token[last - 1])
            if here >= 0:
                begin = self._turns[here].begin
                speaker = " ".join(self._turns[here].speaker.split())
                found += [f"# speaker = {speaker}"] if speaker else []
            end = self._turns[there].end if there >= 0 else -1.0
        if self._times:
            begin = self._times[first][0] if self._times[first][0] >= 0 else begin
            end = self._times[last - 1][1] if self._times[last - 1][1] >= 0 else end
        found += [f"# start_time = {_written(begin)}"] if begin >= 0 else []
        return found + ([f"# end_time = {_written(end)}"] if end >= 0 else [])


def _items(turn: Turn | None) -> list[str]:
    if turn is None:
        return ["NewTurn=No"]
    items = ["NewTurn=Yes"]
    items += [f"TurnKind={name}" for name, kind in _KINDS.items() if kind == turn.kind]
    if turn.speaker:
        items.append(f"Speaker={escape(turn.speaker)}")
    if turn.begin >= 0:
        items.append(f"StartTime={_written(turn.begin)}")
    if turn.end >= 0:
        items.append(f"EndTime={_written(turn.end)}")
    return items


def align_items(
    doc: Document, of_token: np.ndarray, confidences: bool
) -> Iterator[tuple[int, tuple[str, ...], list[str]]]:
    """Tokens whose MISC does not say their times, with the attributes to drop and to add."""
    if doc.token_time is None:
        return
    strings = doc.strings
    said = {i: aligned_of(strings[i]) for i in set(of_token.tolist()) if ALIGNED in strings[i]}
    guessed = doc.token_time_guessed
    sure = doc.token_time_conf if confidences else None
    known = np.isfinite(np.asarray(doc.token_time).sum(axis=1))
    for token, i in enumerate(of_token.tolist()):
        if not known[token]:
            if said.get(i) is not None:
                yield token, _ALIGN, []
            continue
        begin, end = np.round(doc.token_time[token] * 1000).astype(int).tolist()
        own = None if sure is None or np.isnan(sure[token]) else float(str(sure[token]))
        wanted = Aligned(begin, end, own, guessed is not None and bool(guessed[token]))
        if said.get(i) == wanted:
            continue
        items = [f"AlignBegin={begin}", f"AlignEnd={end}"]
        items += [] if own is None else [f"AlignConf={own}"]
        yield token, _ALIGN, items + ["AlignGuessed=Yes"] * wanted.guessed
