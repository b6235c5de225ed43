"""Where the paragraphs of a plain text start, and its lines."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

__all__ = ["line_starts", "paragraphs"]

_LINE = re.compile(r"(?:\A|\n)\s*(?=\S)")
_START = re.compile(r"(?:\A|\n[^\S\n]*\n)\s*(?=\S)")


def paragraphs(text: str, *, opens: bool = True) -> NDArray[np.int64]:
    """Offsets at which paragraphs start: after blank lines, and at the beginning if one opens."""
    # Blank lines at the end start nothing, and would be looked at again and again.
    end = len(text.rstrip())
    if "\n" in text:
        found = [match.end() for match in _START.finditer(text, 0, end)]
    else:
        found = [len(text) - len(text.lstrip())] if end else []
    return np.array(found if opens else found[1:], dtype=np.int64)


def line_starts(text: str, *, opens: bool = True) -> list[int]:
    """The offsets of the first character of every line that has one.

    The first line of a text that goes on in the middle of one does not count: it does not `open`.
    """
    found = [match.end() for match in _LINE.finditer(text, 0, len(text.rstrip()))]
    return found if opens or (found and "\n" in text[: found[0]]) else found[1:]
