"""Copies with other quotation marks, dashes, spaces and case, as texts come from other hands.

Each document gets one manner of writing: typographic or plain marks, odd white space, capitals
throughout, or none. Every token stays one token, so a copy keeps all that is known of its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from caesura.document import YES, Document
from caesura.transform.respell import Copy, Spelled, respelled

MANNERS: Final = ("typographic", "plain", "spaces", "upper", "lower")
#: Shares of the spaces that are doubled, made non-breaking, or lost behind a final mark.
_DOUBLED: Final = 0.04
_HARD: Final = 0.04
_LOST: Final = 0.08
_TO_PLAIN: Final[Mapping[str, str]] = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'",
    "…": "...", "—": "--", "–": "-",
}  # fmt: skip
_FINAL: Final = frozenset((".", "!", "?", "..."))


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
    return "" if lost and begins and before in _FINAL and surface[:1].isalpha() else " "


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
