"""Lay two analyses over the same characters.

If the tokens of both sides have the same characters, nothing needs aligning. Otherwise both sides
are aligned with a raw text, the one given or that of gold: tokens become spans of its characters
(Dridan & Oepen 2013, section 3). A token of which no character is found becomes a span of no width
and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document, Strings
from caesura.errors import InputError
from caesura.evaluate.atoms import Atoms, atoms
from caesura.evaluate.conll import Pairs
from caesura.evaluate.sides import Longs, Side, flatten, mapped, spaceless

__all__ = ["Comparison", "pair", "place"]

#: A changed run of at most this many characters is laid over a run of the same length.
CHANGED_RUN = 16
#: Tokens of fewer atoms turn up anywhere and do not tell whether two texts are the same.
TELLING = 4
#: Below this share of telling tokens found unchanged the two sides are not of the same text;
#: with fewer of them than FEW, below this share of tokens of any length.
SAME_TEXT = 0.15
FEW = 5


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
    same = np.array_equal(left.chars, right.chars)
    if same and text is None:
        raw, char_at = left.text, left.char_at
    else:
        raw = left.text if text is None else text
        points, kept = spaceless(raw)
        char_at = np.flatnonzero(kept).astype(np.int64)
        reference = points[kept]
        for name, side in (("gold", left), ("the system", right)):
            lay(side, raw, reference, kept, name, text is not None)
            note = _lost_note(name, side, text is not None)
            if note:
                notes.append(note)
    return Comparison(align_words(left, right), raw, char_at, same, notes)


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


def align_words(gold: Side, system: Side) -> Pairs:
    """Align the words of two sides that have common coordinates, and their tokens."""
    from caesura.evaluate.words import Words, align

    several = bool(gold.multi.any() or system.multi.any())

    def words(side: Side) -> Words:
        # Forms matter in multi-word tokens, which either side may have anywhere, and in words of
        # no width.
        form = side.form.astype(np.int64)
        if several:
            form = mapped(side.strings, side.form, str.lower)
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
    from caesura.evaluate.words import Words, align

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


class Placed(NamedTuple):
    """Spans in a reference; `whole` ones are found unchanged, `telling` ones are long."""

    start: Longs
    end: Longs
    lost: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    telling: NDArray[np.bool_]


def lay(
    side: Side,
    text: str,
    reference: NDArray[np.uint32],
    kept: NDArray[np.bool_],
    name: str,
    raw: bool,
) -> None:
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
        return
    found = place(side.chars, side.token_start, side.token_end, reference)
    side.token_start, side.token_end, side.lost = found.start, found.end, found.lost
    telling = int(np.count_nonzero(found.telling))
    whole = int(np.count_nonzero(found.whole & found.telling))
    if telling < FEW:
        telling, whole = side.n_tokens, int(np.count_nonzero(found.whole))
    if side.n_tokens and whole < SAME_TEXT * telling:
        where = "the raw text" if raw else "the text of gold"
        raise InputError(
            f"only {whole} of {telling} words of {name} are in {where}: "
            "these are different documents",
            remedy="Give analyses of the same text.",
        )


def place(
    chars: NDArray[np.uint32], start: Longs, end: Longs, reference: NDArray[np.uint32]
) -> Placed:
    """Spans of characters as spans of a reference."""
    from caesura.evaluate.myers import match
    from caesura.evaluate.slide import slide

    theirs, ours = atoms(reference), atoms(chars)
    partner = match(theirs.value, ours.value)
    at = np.full(len(ours.value), -1, dtype=np.int64)
    found = np.flatnonzero(partner >= 0)
    at[partner[found]] = found
    begins = np.zeros(len(ours.value) + 1, dtype=bool)
    begins[np.searchsorted(ours.start, start)] = True
    slide(at, ours.value, theirs.value, begins[:-1])
    _tighten(at, ours.value, theirs.value, begins)
    matched = at >= 0
    _pair_changed(at, len(theirs.value))
    placed = np.flatnonzero(at >= 0)
    sure = np.flatnonzero(matched)

    first = np.searchsorted(ours.start[placed], start)
    last = np.searchsorted(ours.start[placed], end) - 1
    sure_first = np.searchsorted(ours.start[sure], start)
    sure_last = np.searchsorted(ours.start[sure], end)
    lost = sure_first >= sure_last
    found_start, found_end = _spans(theirs, at, placed, first, last, lost)
    size = np.searchsorted(ours.start, end) - np.searchsorted(ours.start, start)
    whole = (sure_last - sure_first == size) & ~lost
    whole[whole] = at[sure[sure_last[whole] - 1]] - at[sure[sure_first[whole]]] == size[whole] - 1
    return Placed(found_start, found_end, lost, whole, size >= TELLING)


def _spans(
    theirs: Atoms, at: Longs, placed: Longs, first: Longs, last: Longs, lost: NDArray[np.bool_]
) -> tuple[Longs, Longs]:
    start = np.zeros(len(lost), dtype=np.int64)
    end = np.zeros(len(lost), dtype=np.int64)
    kept = ~lost
    start[kept] = theirs.start[at[placed[first[kept]]]]
    end[kept] = theirs.end[at[placed[last[kept]]]]
    end = np.maximum.accumulate(end) if len(end) else end
    start[lost] = end[lost]
    return start, end


def _tighten(
    at: Longs, ours: NDArray[Any], theirs: NDArray[Any], begins: NDArray[np.bool_]
) -> None:
    """Put together a token that lies on both sides of a gap, where it also lies on one of them."""
    first = np.flatnonzero(begins[:-1])
    if not len(first):
        return
    last = np.append(first[1:], len(at)) - 1
    found = (at[first] >= 0) & (at[last] >= 0)
    torn = found & (at[last] - at[first] > last - first)
    for a, b in zip(first[torn].tolist(), last[torn].tolist(), strict=True):
        size = b - a + 1
        for begin in (int(at[b]) - size + 1, int(at[a])):
            if np.array_equal(theirs[begin : begin + size], ours[a : b + 1]):
                at[a : b + 1] = np.arange(begin, begin + size)
                break


def _pair_changed(at: Longs, size: int) -> None:
    """Lay a short changed run over one of the same length between the same neighbours.

    A token with a changed first or last character thus keeps its width; a token none of whose
    characters is found stays lost.
    """
    loose = at < 0
    if not loose.any():
        return
    edges = np.diff(np.concatenate(([0], loose.astype(np.int8), [0])))
    first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    before = np.where(first > 0, at[np.maximum(first, 1) - 1], -1)
    after = np.where(last < len(at), at[np.minimum(last, len(at) - 1)], size)
    length = last - first
    fits = (after - before - 1 == length) & (length <= CHANGED_RUN)
    for begin, stop, origin in zip(first[fits], last[fits], before[fits], strict=True):
        at[begin:stop] = np.arange(origin + 1, origin + 1 + stop - begin)
