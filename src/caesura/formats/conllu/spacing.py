"""How the columns of CoNLL-U say what stands between tokens.

SpaceAfter=No, SpacesAfter, SpacesBefore and SpacesInToken are attributes of MISC, in the spelling
of UDPipe: `\\s` is a space, `\\t`, `\\n` and `\\r` are what they are in C, `\\p` is the bar that
separates attributes and `\\\\` a backslash. A MISC value that already says what the text says is
left alone, so that a treebank is written as it was read; the others are made anew: those of a
document that the pipeline made, or whose text was changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from caesura.document import YES, Document
from caesura.document.characters import code_points
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
