"""How the columns of CoNLL-U say what stands between tokens.

SpaceAfter=No, SpacesAfter, SpacesBefore and SpacesInToken are attributes of MISC, in the spelling
of UDPipe: `\\s` is a space, `\\t`, `\\n` and `\\r` are what they are in C, `\\p` is the bar that
separates attributes and `\\\\` a backslash. A MISC value that already says what the text says is
left alone, so that a treebank is written as it was read; the others are made anew: those of a
document that the pipeline made, or whose text was changed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from caesura.document import YES, Document
from caesura.formats.build import one_line

__all__ = [
    "Spacing",
    "escape",
    "opens_paragraph",
    "respaced",
    "spacing",
    "unescape",
    "with_attributes",
    "with_spacing",
]

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


_NOTHING = Spacing()


def escape(text: str) -> str:
    return text.translate(_ENCODED)


def unescape(value: str) -> str:
    if "\\" not in value:
        return value
    return _ESCAPE.sub(lambda match: _DECODED[match[1]], value)


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
) -> tuple[dict[int, str], str]:
    """MISC values of the tokens whose own do not say what the text says.

    `token_misc` is the MISC of each token (that of its word, if it has one), `more` the piece that
    follows, and `carried` what the piece before left for SpacesBefore of the first token; the same
    for the next piece is returned.
    """
    text = doc.text
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    surfaces = [text[a:b] for a, b in zip(starts, ends, strict=True)]
    gaps = [text[a:b] for a, b in zip(ends, [*starts[1:], len(text)], strict=True)]
    forms = doc.strings.take(doc.form[first_word[:-1]])
    for token in np.flatnonzero(np.diff(first_word) > 1).tolist():
        forms[token] = surfaces[token]
    paragraphs = doc.token_paragraph_start
    paragraphs[0] = opens_paragraph(doc)
    sentence_start = doc.sent_start == YES
    sentence_start[0] = True
    inside = (paragraphs & ~sentence_start).tolist()
    usual = np.where(paragraphs[1:], "\n\n", " ").tolist()
    said = _said(doc, token_misc)
    befores = [it.before or "" for it in said[1:]]
    gaps[-1], last_usual, last_before = _tail(gaps[-1], more)
    usual.append(last_usual)
    befores.append(last_before)
    if not doc.continues:
        carried = text[: starts[0]]
    changed: dict[int, str] = {}
    rows = zip(gaps, usual, befores, forms, surfaces, said, inside, strict=True)
    for token, (gap, customary, before, form, surface, it, new_paragraph) in enumerate(rows):
        if (
            it is _NOTHING
            and gap == customary
            and form == surface
            and not (carried or new_paragraph or before)
        ):
            continue
        agrees = (customary if it.after is None else it.after) + before == gap
        same = (
            agrees
            and (form if it.surface is None else it.surface) == surface
            and (it.before or "") == carried
            and it.new_paragraph == new_paragraph
        )
        left = before if agrees else ""
        if not same:
            rest = gap[: len(gap) - len(left)]
            wanted = Spacing(
                before=carried or None,
                after=None if rest == customary else rest,
                surface=surface if one_line(form) != surface else None,
                new_paragraph=new_paragraph,
            )
            changed[token] = with_spacing(doc.strings[token_misc[token]], wanted)
        carried = left
    return changed, carried


def _said(doc: Document, token_misc: np.ndarray) -> list[Spacing]:
    """What the MISC of each token says about spaces."""
    table = {}
    for i in np.unique(token_misc).tolist():
        it = spacing(doc.strings[i])
        table[i] = _NOTHING if it == _NOTHING else it
    return [table[i] for i in token_misc.tolist()]


def _tail(gap: str, more: Document | None) -> tuple[str, str, str]:
    """What follows the last token, what would be usual, and SpacesBefore of the next piece."""
    if more is None or not more.n_tokens:
        return gap, "", ""
    usual = "\n\n" if opens_paragraph(more) else " "
    single = len(more.word_token) < 2 or more.word_token[1] != 0
    misc = more.misc if single else more.token_misc
    before = spacing(more.strings[misc[0]]).before or ""
    return gap + more.text[: int(more.token_start[0])], usual, before
