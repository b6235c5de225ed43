"""Where the paragraphs of a plain text start."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

__all__ = ["paragraphs"]

_START = re.compile(r"(?:\A|\n[^\S\n]*\n)\s*(?=\S)")


def paragraphs(text: str, *, opens: bool = True) -> NDArray[np.int64]:
    """Offsets at which paragraphs start: after blank lines, and at the beginning if one opens."""
    # Blank lines at the end start nothing, and would be looked at again and again.
    end = len(text.rstrip())
    found = [match.end() for match in _START.finditer(text, 0, end)]
    return np.array(found if opens else found[1:], dtype=np.int64)
