"""What comments and MISC of CoNLL-U say: boundaries, spaces between tokens, turns and times.

SpaceAfter=No, SpacesAfter, SpacesBefore and SpacesInToken are spelled as UDPipe does: `\\s` is a
space, `\\t`, `\\n` and `\\r` are what they are in C, `\\p` is the bar that separates attributes and
`\\\\` a backslash. A MISC value that agrees with the text is left alone, so that a treebank is
written as it was read; other values are written anew.

MISC of the first token of a turn says `NewTurn=Yes` and, where they are known, `Speaker`,
`StartTime` and `EndTime` (seconds); a token behind a turn that is in none says `NewTurn=No`.
`TurnKind` is `Cue` or `Other` if it is no plain turn. Sentences without comments of their own also
get `# speaker`, `# start_time` and `# end_time`, which are not read. Times of tokens are
`AlignBegin` and `AlignEnd` (milliseconds), as in treebanks of speech, with `AlignConf` and, if they
are interpolated, `AlignGuessed=Yes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from caesura.document import CUE, OTHER, TURN, YES, Document, token_turn
from caesura.document.characters import code_points
from caesura.formats.build import one_line, set_turns

#: `# newdoc`, `# newdoc id = x`, `# newdoc_id = x`; not `# newpar_block`.
#: Values are stripped behind the match: a pattern that does it tries every blank as their end.
NEWDOC: Final = re.compile(r"#\s*newdoc(?:[ _]id)?\s*(?:=(.*))?$")
NEWPAR: Final = re.compile(r"#\s*newpar(?:[\s=]|$|_id\b)")
TEXT: Final = re.compile(r"#\s*text\s*=\s*(.*)")
_SENT_ID: Final = re.compile(r"#\s*sent_id\s*=(.*)")


def newdoc_id(comments: Iterable[str]) -> tuple[bool, str | None]:
    """Whether comments start a document, and its id."""
    for comment in comments:
        if "newdoc" in comment:
            match = NEWDOC.match(comment)
            if match:
                return True, (match[1] or "").strip() or None
    return False, None


def starts_paragraph(comments: Iterable[str]) -> bool:
    return any("newpar" in comment and NEWPAR.match(comment) for comment in comments)


def sent_id(comments: Iterable[str]) -> str | None:
    """The name of a sentence."""
    for comment in comments:
        match = _SENT_ID.match(comment)
        if match and match[1].strip():
            return match[1].strip()
    return None


_DECODED = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
_ENCODED = {ord(char): "\\" + letter for letter, char in _DECODED.items()}
_ESCAPE = re.compile(r"\\([stnrp\\])")
_SPACING = ("SpaceAfter", "SpacesAfter", "SpacesBefore", "SpacesInToken")


class Spacing(NamedTuple):
    """What MISC says; None where it says nothing."""

    before: str | None = None
    after: str | None = None
    surface: str | None = None
    new_paragraph: bool = False


def escape(text: str) -> str:
    return text.translate(_ENCODED)


def unescape(value: str) -> str:
    if "\\" not in value:
        return value
    return _ESCAPE.sub(lambda match: _DECODED[match[1]], value)


@lru_cache(maxsize=4096)
def spacing(misc: str) -> Spacing:
    """What a MISC value says about spaces."""
    before = after = surface = None
    paragraph = False
    for item in misc.split("|"):
        key, equals, value = item.partition("=")
        if not equals:
            continue
        if key == "SpaceAfter" and value == "No" and after is None:
            after = ""
        elif key == "SpacesAfter":
            after = unescape(value)
        elif key == "SpacesBefore":
            before = unescape(value)
        elif key == "SpacesInToken":
            surface = unescape(value)
        elif key == "NewPar" and value == "Yes":
            paragraph = True
    return Spacing(before, after, surface, paragraph)


def with_attributes(misc: str, drop: tuple[str, ...], add: list[str]) -> str:
    """A MISC value without some attributes and with others at its end."""
    kept = [item for item in misc.split("|") if item and item.partition("=")[0] not in drop]
    return "|".join(kept + add)


@lru_cache(maxsize=4096)
def with_spacing(misc: str, wanted: Spacing) -> str:
    """A MISC value that says exactly this about spaces; what else it says is kept."""
    add = []
    if wanted.before:
        add.append(f"SpacesBefore={escape(wanted.before)}")
    if wanted.surface is not None:
        add.append(f"SpacesInToken={escape(wanted.surface)}")
    if wanted.after == "":
        add.append("SpaceAfter=No")
    elif wanted.after is not None:
        add.append(f"SpacesAfter={escape(wanted.after)}")
    if wanted.new_paragraph:
        add.append("NewPar=Yes")
    return with_attributes(misc, (*_SPACING, "NewPar"), add)


def opens_paragraph(doc: Document) -> bool:
    """Whether the first token of a document or piece is said to start a paragraph."""
    starts = doc.paragraph_start
    return len(starts) > 0 and bool(starts[0] <= doc.token_start[0])


def respaced(
    doc: Document,
    token_misc: np.ndarray,
    first_word: np.ndarray,
    more: Document | None,
    carried: str,
    spacing_of: Callable[..., tuple[np.ndarray, np.ndarray]],
) -> tuple[dict[int, str], str]:
    """MISC values of the tokens whose own do not say what the text says.

    `token_misc` is the MISC of each token (that of its word, if it has one), `more` the piece that
    follows, and `carried` what the piece before left for SpacesBefore of the first token; the same
    for the next piece is returned. `spacing_of` is the method of the core's writer that finds the
    tokens without a following space and those that need a closer look, which are few.
    """
    if not doc.continues:
        carried = doc.text[: int(doc.token_start[0])]
    gaps = _Gaps(doc, token_misc, more, carried)
    glued, unclear = spacing_of(
        code_points(doc.text),
        np.ascontiguousarray(doc.token_start, np.int64),
        np.ascontiguousarray(doc.token_end, np.int64),
        token_misc,
        first_word,
        np.ascontiguousarray(doc.form, np.int32),
        gaps.paragraphs,
        np.ascontiguousarray(doc.sent_start, np.int8),
        bool(carried),
    )
    changed = dict.fromkeys(glued.tolist(), "SpaceAfter=No")
    for token in unclear.tolist():
        surface = gaps.surface(token)
        word = first_word[token]
        form = surface if first_word[token + 1] - word > 1 else doc.strings[doc.form[word]]
        inside = bool(gaps.paragraphs[token]) and token > 0 and doc.sent_start[token] != YES
        value = gaps.misc(token, form, surface, inside)
        if value is not None:
            changed[token] = value
    return changed, gaps.left(doc.n_tokens - 1)


class _Gaps:
    """What stands between the tokens of a document, and what its MISC says of it."""

    def __init__(
        self, doc: Document, token_misc: np.ndarray, more: Document | None, carried: str
    ) -> None:
        self._doc = doc
        self._misc = token_misc
        self._carried = carried
        self._last = doc.n_tokens - 1
        self._tail, self._tail_usual, self._tail_before = _tail(
            doc.text[int(doc.token_end[-1]) :], more
        )
        #: Whether each token starts a paragraph.
        self.paragraphs = doc.token_paragraph_start
        self.paragraphs[0] = opens_paragraph(doc)

    def surface(self, token: int) -> str:
        """A token as it is written."""
        return self._doc.text[int(self._doc.token_start[token]) : int(self._doc.token_end[token])]

    def misc(self, token: int, form: str, surface: str, new_paragraph: bool) -> str | None:
        """What MISC of a token must be to say what the text says; None if it does."""
        it = self._said(token)
        carried = self._carried if token == 0 else self.left(token - 1)
        left = self.left(token)
        same = (
            self._agrees(token)
            and (form if it.surface is None else it.surface) == surface
            and (it.before or "") == carried
            and it.new_paragraph == new_paragraph
        )
        if same:
            return None
        gap = self._gap(token)
        rest = gap[: len(gap) - len(left)]
        wanted = Spacing(
            before=carried or None,
            after=None if rest == self._usual(token) else rest,
            surface=surface if one_line(form) != surface else None,
            new_paragraph=new_paragraph,
        )
        return with_spacing(self._doc.strings[self._misc[token]], wanted)

    def left(self, token: int) -> str:
        """What the token leaves to be said by SpacesBefore of the next one."""
        before = self._before(token)
        return before if before and self._agrees(token) else ""

    def _agrees(self, token: int) -> bool:
        after = self._said(token).after
        said = (self._usual(token) if after is None else after) + self._before(token)
        return said == self._gap(token)

    def _said(self, token: int) -> Spacing:
        return spacing(self._doc.strings[self._misc[token]])

    def _before(self, token: int) -> str:
        """What the next token says stands before it."""
        return self._tail_before if token == self._last else self._said(token + 1).before or ""

    def _gap(self, token: int) -> str:
        if token == self._last:
            return self._tail
        doc = self._doc
        return doc.text[int(doc.token_end[token]) : int(doc.token_start[token + 1])]

    def _usual(self, token: int) -> str:
        if token == self._last:
            return self._tail_usual
        return "\n\n" if self.paragraphs[token + 1] else " "


def _tail(gap: str, more: Document | None) -> tuple[str, str, str]:
    """What follows the last token, what would be usual, and SpacesBefore of the next piece."""
    if more is None or not more.n_tokens:
        return gap, "", ""
    usual = "\n\n" if opens_paragraph(more) else " "
    single = len(more.word_token) < 2 or more.word_token[1] != 0
    misc = more.misc if single else more.token_misc
    before = spacing(more.strings[misc[0]]).before or ""
    return gap + more.text[: int(more.token_start[0])], usual, before


MARK: Final = "NewTurn="
_KEYS: Final = ("NewTurn", "TurnKind", "Speaker", "StartTime", "EndTime")
_KINDS: Final = {"Cue": CUE, "Other": OTHER}
ALIGNED: Final = "AlignBegin="
_ALIGN: Final = ("AlignBegin", "AlignEnd", "AlignConf", "AlignGuessed")


#: A token or word, and the attributes to drop from its MISC and to add.
MiscChange = tuple[int, tuple[str, ...], list[str]]


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


def set_marked_turns(
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
    set_turns(doc, ((start, end, *turn) for turn, start, end in spans))
    doc.turn_time[doc.turn_time < 0] = np.nan
    return opened


# ----------------------------------------------------------------- writing


class TurnWriter:
    """Writes where turns start, over the pieces of a document."""

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

    def marks(self, doc: Document, of_token: np.ndarray) -> Iterator[MiscChange]:
        """Changes of tokens whose MISC does not say what turns say."""
        wanted = self._wanted(doc)
        strings = doc.strings
        said = {i for i in set(of_token[of_token > 0].tolist()) if MARK in strings[i]}
        if not wanted and not said:
            return
        for token, i in enumerate(of_token.tolist()):
            if token in wanted:
                if i not in said or mark_of(strings[i]) != wanted[token]:
                    yield token, _KEYS, _items(wanted[token])
            elif i in said:
                yield token, _KEYS, []

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
        """Comments on the speaker and the times of a sentence of these tokens."""
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


def align_items(doc: Document, of_token: np.ndarray, confidences: bool) -> Iterator[MiscChange]:
    """Changes of tokens whose MISC does not say their times."""
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
