"""Lay two analyses over the same characters.

If the tokens of both sides have the same characters, nothing needs aligning. Otherwise both sides
are aligned with a raw text, the one given or that of gold: tokens become spans of its characters
(Dridan & Oepen 2013, section 3). A token of which too few letters are found becomes a span of no
width and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document, Strings
from caesura.errors import InputError
from caesura.evaluate.atoms import letters
from caesura.evaluate.flat_columns import Longs, Side, flatten, mapped, spaceless
from caesura.evaluate.order import in_order_of_gold
from caesura.evaluate.pairs import Pairs
from caesura.evaluate.place import place
from caesura.evaluate.reference import Looseness, Reference
from caesura.evaluate.word_alignment import Words, align

__all__ = ["Comparison", "align_words", "lay", "loose_notes", "pair"]

#: Below this share of telling tokens found unchanged the two sides are not of the same text;
#: with fewer of them than FEW, below this share of tokens of any length.
SAME_TEXT = 0.15
FEW = 5
#: Unless they cover this share of the text: whoever adds much still has the same text.
COVERED = 0.5


@dataclass
class Comparison:
    """Gold and system in the same coordinates: the characters of a text without spaces."""

    pairs: Pairs
    #: The text, and the offset in it of each of its characters that is no space.
    text: str
    char_at: Longs
    #: Whether both sides had the same characters from the start.
    same_characters: bool
    notes: list[str] = field(default_factory=list)
    #: How many letters are the same in spite of their marks, their case or their spelling.
    loose: Looseness = field(default_factory=Looseness)

    @property
    def gold(self) -> Side:
        return self.pairs.gold

    @property
    def system(self) -> Side:
        return self.pairs.system

    def offsets(self, start: Longs, end: Longs) -> tuple[Longs, Longs]:
        """Spans of coordinates as spans of the text; one of no width follows what is before it."""
        at = np.append(self.char_at, len(self.text)).astype(np.int64)
        ends = np.where(end > 0, at[np.maximum(end, 1) - 1] + 1, 0)
        if not len(self.char_at):
            ends = np.zeros_like(end)
        return np.where(start == end, ends, at[start]), ends


def pair(
    gold: Sequence[Document],
    system: Sequence[Document],
    *,
    text: str | None = None,
    strings: Strings | None = None,
) -> Comparison:
    """Flatten both sides, bring them to common coordinates and align their words."""
    strings = strings if strings is not None else Strings()
    left, right = flatten(gold, strings), flatten(system, strings)
    notes: list[str] = []
    loose = Looseness()
    same = np.array_equal(left.chars, right.chars)
    if not same:
        moved, notes = in_order_of_gold(gold, system)
        if notes:
            right = flatten(moved, strings)
            same = np.array_equal(left.chars, right.chars)
    if same and text is None:
        raw, char_at = left.text, left.char_at
    else:
        raw = left.text if text is None else text
        points, kept = spaceless(raw)
        char_at = np.flatnonzero(kept).astype(np.int64)
        reference = Reference(points[kept])
        for name, side in (("gold", left), ("the system", right)):
            loose += lay(side, raw, reference, kept, name, text is not None)
            # The tokens of gold, once they have their place, help to find those of the system.
            reference = Reference(points[kept], side.token_start, side.token_end)
            note = _lost_note(name, side, text is not None)
            if note:
                notes.append(note)
    notes += loose_notes(loose)
    return Comparison(align_words(left, right, loose), raw, char_at, same, notes, loose)


def _lost_note(name: str, side: Side, raw: bool) -> str:
    lost = int(np.count_nonzero(side.lost))
    where = "the raw text" if raw else "the text of gold"
    if not lost:
        return ""
    forms = [side.strings[side.form[word]] for word in side.first_word[:-1][side.lost][:3].tolist()]
    shown = ", ".join(repr(form) for form in forms)
    return (
        f"{lost} of {side.n_tokens} tokens of {name} are not in {where} "
        f"and have no width (the first: {shown})"
    )


def loose_notes(loose: Looseness) -> list[str]:
    notes = []
    for count, what in (
        (loose.marks, "combining marks, variation selectors or skin tones"),
        (loose.case, "upper and lower case"),
    ):
        if count:
            differ = "letter differs" if count == 1 else "letters differ"
            notes.append(f"{count} {differ} in {what} only and were matched all the same")
    return notes


def align_words(gold: Side, system: Side, loose: Looseness | None = None) -> Pairs:
    """Align the words of two sides that have common coordinates, and their tokens."""
    several = bool(gold.multi.any() or system.multi.any())
    change = letters if loose is not None and loose.marks else str.lower

    def words(side: Side) -> Words:
        # Forms matter in multi-word tokens, which either side may have anywhere, and in words of
        # no width.
        form = side.form.astype(np.int64)
        if several:
            form = mapped(side.strings, side.form, change)
        return Words(side.word_start, side.word_end, side.multi, form)

    left, right = words(gold), words(system)
    g, s = align(left, right)
    _number_tokens(gold, system, left.form, right.form)
    return Pairs(gold, system, g, s)


def _number_tokens(gold: Side, system: Side, gold_form: Longs, system_form: Longs) -> None:
    """Tell tokens of no width, and those that share a span, apart by the alignment of tokens.

    The spans are compared as multisets and the words pair by pair; with these numbers both see the
    same alignment.
    """
    odd = gold.odd_tokens, system.odd_tokens
    if not (odd[0].any() or odd[1].any()):
        return

    def tokens(side: Side, form: Longs) -> Words:
        multi = np.zeros(side.n_tokens, dtype=bool)
        return Words(side.token_start, side.token_end, multi, form[side.first_word[:-1]])

    g, s = align(tokens(gold, gold_form), tokens(system, system_form))
    # A token that is odd on one side may be aligned to one that is not.
    chosen = odd[0][g] | odd[1][s]
    gold.turn[odd[0]] = 1 + np.flatnonzero(odd[0])
    system.turn[odd[1]] = 1 + gold.n_tokens + np.flatnonzero(odd[1])
    gold.turn[g[chosen]] = system.turn[s[chosen]] = 1 + g[chosen]


def lay(
    side: Side,
    text: str,
    reference: Reference,
    kept: NDArray[np.bool_],
    name: str,
    raw: bool,
) -> Looseness:
    """Give a side the coordinates of a text, directly if it is its own."""
    if side.text == text:
        before = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
        # Where each token starts and ends in the text, from its characters.
        has = side.token_end > side.token_start
        start = np.zeros(side.n_tokens, dtype=np.int64)
        end = np.zeros(side.n_tokens, dtype=np.int64)
        start[has] = before[side.char_at[side.token_start[has]]]
        end[has] = before[side.char_at[side.token_end[has] - 1] + 1]
        end = np.maximum.accumulate(end)
        start[~has] = end[~has]
        side.token_start, side.token_end = start, end
        return Looseness()
    found = place(side.chars, side.token_start, side.token_end, reference, side.sent_first)
    side.token_start, side.token_end, side.lost = found.start, found.end, found.lost
    telling = int(np.count_nonzero(found.telling))
    whole = int(np.count_nonzero(found.whole & found.telling))
    if telling < FEW:
        telling, whole = side.n_tokens, int(np.count_nonzero(found.whole))
    if side.n_tokens and whole < SAME_TEXT * telling and found.covered < COVERED:
        where = "the raw text" if raw else "the text of gold"
        raise InputError(
            f"only {whole} of {telling} words of {name} are in {where}: "
            "these are different documents",
            remedy="Give analyses of the same text.",
        )
    return found.loose
