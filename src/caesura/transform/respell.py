"""Copies in which tokens are spelled differently, as training data.

A token may become another one, several, or none, with other white space before it (`respelled`).
Offsets are counted again, so that the slice law holds in the copy as in the document.

`roughened` writes a document in one manner: typographic or plain marks, odd white space, capitals
or none. Every token stays one token, so the copy keeps all columns.

`exchanged` puts rare items (*Sgt.*, *Pty. Ltd.*, `p<0.05`, `#hiking`) where such items occur, so
that a tokeniser sees them as often as frequent ones. Items are written as in a language file:
tokens with a space or, if they are glued, `|` between them, words of one token with `¦`, and fields
in braces, which are filled at random.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document import NO, YES, Document
from caesura.transform.columns import laid_out, moved_offsets, mover, without_text


class Spelled(NamedTuple):
    """A token of a copy: how it is written, its words (itself, if none), and what is before it."""

    surface: str
    words: tuple[str, ...] = ()
    gap: str = ""


class Copy(NamedTuple):
    """A copy of a document, and which of its tokens are not as they were."""

    doc: Document
    changed: NDArray[np.bool_]


def respelled(doc: Document, tokens: Mapping[int, Sequence[Spelled]]) -> Copy:
    """The document with some tokens spelled otherwise.

    Where every token stays one token of as many words, the copy keeps all its columns, but for
    comments that hold the text. Else it has text, tokens, words, sentences, paragraphs and turns:
    what was said about the words is not true of others. The first token of a sentence may not go.
    """
    first = doc.first_word.tolist()
    forms = doc.column("form")
    written: list[Spelled] = []
    sources: list[int] = []  # the token that each new one stands for, -1 for those behind the first
    changed: list[bool] = []
    edges = [0]  # how many new tokens stand for the tokens up to each
    at = 0
    spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
    for token, (start, end) in enumerate(spans):
        own = tokens.get(token)
        if own is None:
            words = tuple(forms[first[token] : first[token + 1]])
            own = (Spelled(doc.text[start:end], words, doc.text[at:start]),)
        written += own
        sources += [token, *[-1] * (len(own) - 1)][: len(own)]
        changed += [token in tokens] * len(own)
        edges.append(len(written))
        at = end
    gaps, surfaces = [one.gap for one in written], [one.surface for one in written]
    text, starts, ends = laid_out(gaps, surfaces, doc.text[at:])
    # A token that is gone stands at the end of the one before.
    limits = np.append(0, ends)[edges]
    empty = np.diff(edges) == 0
    begins = np.where(empty, limits[1:], np.append(starts, 0)[edges[:-1]])
    all_words = [one.words or (one.surface,) for one in written]
    sizes = [len(words) for words in all_words]
    columns: dict[str, Any] = {
        "text": text,
        "token_start": starts,
        "token_end": ends,
        "token_break": None,
        "form": doc.strings.ids(word for words in all_words for word in words),
        **moved_offsets(doc, mover(doc, begins, limits[1:], len(text))),
    }
    if sources == list(range(doc.n_tokens)) and sizes == np.diff(doc.first_word).tolist():
        same = replace(doc, comments=without_text(doc), **columns)
        return Copy(same, np.array(changed, dtype=bool))
    kept = np.array(sources, dtype=np.int64)
    marks = np.where(kept >= 0, doc.sent_start[np.maximum(kept, 0)], NO).astype(np.int8)
    for name in ("id", "source", "strings", "continues", "turn_speaker", "turn_time"):
        columns[name] = getattr(doc, name)
    for name in [name for name in columns if name.startswith("markup")]:
        del columns[name]
    copy = type(doc)(**columns)
    copy.sent_start = marks
    copy.token_misc = np.zeros(len(kept), dtype=np.int32)
    copy.word_token = np.repeat(np.arange(len(kept), dtype=np.int32), sizes)
    copy.blank_words()
    return Copy(copy, np.array(changed, dtype=bool))


MANNERS: Final = ("typographic", "plain", "spaces", "upper", "lower")
#: Shares of the spaces that are doubled, made non-breaking, or lost behind a final mark.
_DOUBLED: Final = 0.04
_HARD: Final = 0.04
_LOST: Final = 0.08
_TO_PLAIN: Final[Mapping[str, str]] = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'",
    "…": "...", "—": "--", "–": "-",
}  # fmt: skip
_FINAL_MARKS: Final = frozenset((".", "!", "?", "..."))


def roughened(doc: Document, manner: str, random: np.random.Generator) -> Copy:
    """The document written in one of the `MANNERS`; the same generator gives the same copy."""
    text = doc.text
    spans = list(zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True))
    begins = [*(doc.sent_start == YES).tolist(), True]
    first = doc.first_word.tolist()
    forms = doc.column("form")
    draws = random.random(len(spans)).tolist()
    changes: dict[int, list[Spelled]] = {}
    for i, (start, end) in enumerate(spans):
        before = spans[i - 1][1] if i else 0
        gap, surface = text[before:start], text[start:end]
        words = tuple(forms[first[i] : first[i + 1]])
        new, new_gap = surface, gap
        if manner == "typographic":
            opens = bool(gap or not i) and (i + 1 == len(spans) or spans[i + 1][0] == end)
            new = _typographic(surface, opens)
        elif manner == "plain":
            new = _plain(surface)
        elif manner == "upper":
            new = surface.upper()
        elif manner == "lower":
            new = surface.lower()
        elif gap == " ":
            new_gap = _spaced(draws[i], begins[i], text[spans[i - 1][0] : before], surface)
        if new == surface and new_gap == gap:
            continue
        said = words if new == surface else _respell(words, surface, new, manner)
        if said is not None:
            changes[i] = [Spelled(new, said, new_gap)]
    return respelled(doc, changes)


def _typographic(surface: str, opens: bool) -> str:
    if surface in ('"', "``", "''"):
        return "“" if opens and surface != "''" else "”"
    if surface == "'":
        return "‘" if opens else "’"
    if surface == "...":
        return "…"
    if surface == "--":
        return "—"
    return surface.replace("'", "’")


def _plain(surface: str) -> str:
    if surface in _TO_PLAIN:
        return _TO_PLAIN[surface]
    return surface.replace("’", "'").replace("‘", "'")


def _spaced(draw: float, begins: bool, before: str, surface: str) -> str:
    """The white space instead of a single space."""
    if draw < _DOUBLED:
        return "  "
    if draw < _DOUBLED + _HARD:
        return "\u00a0"
    lost = draw < _DOUBLED + _HARD + _LOST
    return "" if lost and begins and before in _FINAL_MARKS and surface[:1].isalpha() else " "


def _respell(words: tuple[str, ...], surface: str, new: str, manner: str) -> tuple[str, ...] | None:
    """The words of a token that is written otherwise; None if that cannot be told."""
    if len(words) == 1:
        return (new,)
    if manner == "upper":
        return tuple(word.upper() for word in words)
    if manner == "lower":
        return tuple(word.lower() for word in words)
    if "".join(words) != surface or len(new) != len(surface):
        return None
    ends = np.cumsum([len(word) for word in words]).tolist()
    return tuple(new[end - len(word) : end] for word, end in zip(words, ends, strict=True))


#: Where an item may stand: instead of a name inside a sentence, of a name and the period behind it,
#: of a number, of a genitive; between two words; behind a final mark. Any other key is a form in
#: lower case, or several with a space between them, that the item replaces.
PLACES: Final = ("name", "last", "number", "owner", "between", "behind")
_FIELD: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"[A-Z][a-z]{2,}")
_WORD: Final = re.compile(r"[a-z]{2,}")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,3}")
_FINAL: Final = frozenset(".!?")
_GENITIVES: Final = frozenset(("'s", "’s", "s'", "s’"))


class Items:
    """Items by place, and what fills their fields."""

    def __init__(
        self, items: Mapping[str, Sequence[str]], fields: Mapping[str, Sequence[str]]
    ) -> None:
        self.items = items
        self.fields = fields
        #: The sequences of forms that are replaced, by their first, the longest first.
        self.sequences: dict[str, list[tuple[str, ...]]] = {}
        for key in sorted(items, key=len, reverse=True):
            if key not in PLACES:
                forms = tuple(key.split())
                self.sequences.setdefault(forms[0], []).append(forms)

    def __bool__(self) -> bool:
        return bool(self.items)

    def draw(self, place: str, random: np.random.Generator, gap: str) -> list[Spelled] | None:
        """An item for a place, behind white space; None if there is none for it."""
        known = self.items.get(place)
        return self.fill(known[int(random.integers(len(known)))], random, gap) if known else None

    def sequence(self, forms: Sequence[str], glued: Sequence[bool], at: int) -> tuple[str, ...]:
        """The forms from a token on that may be replaced together; none if there are none."""
        for wanted in self.sequences.get(forms[at].lower(), ()):
            size = len(wanted)
            same = tuple(form.lower() for form in forms[at : at + size]) == wanted
            if same and not any(glued[at + 1 : at + size]):
                return wanted
        return ()

    def fill(self, item: str, random: np.random.Generator, gap: str) -> list[Spelled]:
        found: list[Spelled] = []
        if item.startswith("|"):
            item, gap = item[1:], ""
        for chunk in item.split(" "):
            for token in chunk.split("|"):
                words = tuple(self._filled(word, random) for word in token.split("¦"))
                surface = "".join(words)
                found.append(Spelled(surface, words if len(words) > 1 else (), gap))
                gap = ""
            gap = " "
        return found

    def _filled(self, pattern: str, random: np.random.Generator) -> str:
        return _FIELD.sub(lambda match: self._field(match[1], random), pattern)

    def _field(self, name: str, random: np.random.Generator) -> str:
        made = _MADE.get(name)
        if made is not None:
            return made(random)
        bare = name.startswith("-")  # an abbreviation without its last period
        words = self.fields.get(name.removeprefix("-"), ())
        word = words[int(random.integers(len(words)))] if words else "x"
        return word.removesuffix(".") if bare else word


def _digits(least: int, most: int) -> Callable[[np.random.Generator], str]:
    return lambda random: str(int(random.integers(least, most)))


def _letters(random: np.random.Generator) -> str:
    """A made-up word of syllables."""
    size = int(random.integers(1, 4))
    picks = random.integers(0, 16, 2 * size)
    pairs = zip(picks[::2].tolist(), picks[1::2].tolist(), strict=True)
    return "".join("bdfghklmnprstvwz"[a] + "aeiouaeioaeiouea"[b] for a, b in pairs)


_MADE: Final[Mapping[str, Callable[[np.random.Generator], str]]] = {
    "n": _digits(1, 100),
    "nn": _digits(2, 1000),
    "d": _digits(0, 10),
    "dd": _digits(10, 100),
    "ddd": _digits(100, 1000),
    "dddd": _digits(1000, 10000),
    "hour": _digits(1, 13),
    "year": _digits(1700, 2030),
    "w": _letters,
    "W": lambda random: _letters(random).capitalize(),
    "I": lambda random: "ABCDEFGHIJKLMNOPRSTVW"[int(random.integers(21))],
}


def exchanged(doc: Document, items: Items, random: np.random.Generator, rate: float = 0.3) -> Copy:
    """A copy with items in their places, each place taken with the probability `rate`.

    It has tokens, words and sentences; the same generator gives the same copy.
    """
    text = doc.text
    spans = list(zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True))
    forms = [text[a:b] for a, b in spans]
    glued = [i > 0 and a == spans[i - 1][1] for i, (a, _) in enumerate(spans)]
    begins = [*(doc.sent_start == YES).tolist(), True]
    words = np.diff(doc.first_word).tolist()
    changes: dict[int, list[Spelled]] = {}
    busy = -1
    draws = random.random(len(forms)).tolist()
    for i, form in enumerate(forms):
        if i <= busy or draws[i] >= 2 * rate:
            continue
        gap = text[spans[i - 1][1] if i else 0 : spans[i][0]]
        inside = not begins[i] and not glued[i]
        free = i + 1 >= len(forms) or not glued[i + 1]
        before = forms[i - 1] if i else ""
        place = ""
        taken = items.sequence(forms, glued, i)
        if taken and draws[i] < rate and not any(begins[i + 1 : i + len(taken)]):
            drawn = items.draw(" ".join(taken), random, gap) or []
            changes[i] = _capital(drawn) if form[:1].isupper() else drawn
            changes |= {j: [] for j in range(i + 1, i + len(taken))}
            busy = i + len(taken) - 1
            continue
        if inside and words[i] == 1 and _NAME.fullmatch(form) and not before[:1].isupper():
            follower = forms[i + 1] if i + 1 < len(forms) else ""
            if follower == "." and begins[i + 2] and glued[i + 1]:
                place = "last"
            elif draws[i] >= rate:
                continue
            elif not begins[i + 1] and not follower[:1].isupper() and (free or follower == ","):
                place = "name"
        elif draws[i] >= rate:
            continue
        elif inside and words[i] == 2 and form[-2:] in _GENITIVES:
            place = "owner"
        elif inside and free and not begins[i + 1] and _NUMBER.fullmatch(form):
            place = "number" if before.isalpha() and forms[i + 1].islower() else ""
        elif inside and _WORD.fullmatch(form) and begins[i + 1 : i + 3] == [False, True]:
            place = "last" if forms[i + 1] == "." and glued[i + 1] and draws[i] < rate / 5 else ""
        elif inside and free and _WORD.fullmatch(form) and _WORD.fullmatch(before):
            place = "between" if draws[i] < rate / 8 else ""
        elif form in _FINAL and not begins[i] and begins[i + 1] and free:
            place = "behind" if draws[i] < rate / 3 else ""
        space = " " if place == "behind" else gap
        found = items.draw(place, random, space) if place else None
        if found is None:
            continue
        if place == "last":
            changes[i], changes[i + 1] = found, []
            busy = i + 1
            continue
        kept = Spelled(form, _words(doc, i), gap)
        if place == "between":
            found = [*found, kept._replace(gap=" ")]
        elif place == "behind":
            found = [kept, *found]
        changes[i] = found
        busy = i
    return respelled(doc, changes)


def _capital(tokens: Sequence[Spelled]) -> list[Spelled]:
    """The tokens of an item at the beginning of a sentence."""
    first, *rest = tokens
    words = list(first.words or (first.surface,))
    at = next((i for i, c in enumerate(words[0]) if c.isalpha()), 0)
    words[0] = words[0][:at] + words[0][at : at + 1].upper() + words[0][at + 1 :]
    surface = "".join(words)
    return [first._replace(surface=surface, words=tuple(words) if first.words else ()), *rest]


def _words(doc: Document, token: int) -> tuple[str, ...]:
    first = doc.first_word[token : token + 2].tolist()
    return tuple(doc.strings.take(doc.form[first[0] : first[1]]))
