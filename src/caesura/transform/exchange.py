"""Copies with other names, titles, numbers, companies and odd things in real sentences.

What is rare in a treebank (*Sgt.*, *Pty. Ltd.*, `p<0.05`, `#hiking`) is put where such things
stand, so that a tokeniser meets it as often as what is frequent. What is put in are items, as a
language file lists them: tokens with a space or, if they are glued, `|` between them, words of one
token with `¦`, and fields in braces, which are filled at random.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from caesura.document import YES, Document
from caesura.transform.respell import Copy, Spelled, respelled

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
    """A word that nobody has seen: syllables."""
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
