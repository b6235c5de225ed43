"""How the columns of CoNLL-U say what stands between tokens.

SpaceAfter=No, SpacesAfter, SpacesBefore and SpacesInToken are attributes of MISC, in the spelling
of UDPipe: `\\s` is a space, `\\t`, `\\n` and `\\r` are what they are in C, `\\p` is the bar that
separates attributes and `\\\\` a backslash.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Spacing", "escape", "spacing", "unescape", "with_attributes", "with_spacing"]

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
