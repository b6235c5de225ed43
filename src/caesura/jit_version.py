"""Which Numba is installed, without asking it: to import it takes a quarter of a second."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["KNOWN_NUMBA", "minor_version", "numba_version"]

#: The minor version of Numba with which all that goes deeper into it is known to work.
KNOWN_NUMBA: Final = (0, 68)


@cache
def numba_version() -> str:
    """The version of Numba, as its files tell."""
    package = sys.modules.get("numba") or importlib.util.find_spec("numba")
    where = getattr(package, "origin", None) or getattr(package, "__file__", None) or ""
    with contextlib.suppress(OSError):
        text = Path(where).with_name("_version.py").read_text(encoding="utf-8")
        found = re.findall(r'"version": "([^"]+)"', text)
        if len(found) == 1:
            return str(found[0])
    import numba

    return str(numba.__version__)


def minor_version() -> tuple[int, ...]:
    """The first two numbers of the version."""
    return tuple(map(int, re.findall(r"\d+", numba_version())[:2]))
