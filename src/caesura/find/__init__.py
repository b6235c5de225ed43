"""Search of trees: patterns over words and arcs, in a language like those of Semgrex and Grew.

    for match in doc.find("[upos=VERB]=v >nsubj []=s !>obj []"):
        print(match["v"], match["s"])

`parser` reads a pattern, `compile` makes programs of it, `tests` and `attributes` look at the
distinct strings of a document, `kernel` searches, `results` holds what was found.
docs/reference/patterns.md explains the language. The kernel imports numba, so that all but errors
and results is loaded when it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from caesura.find.results import Match, Matches
from caesura.find.syntax import PatternError

if TYPE_CHECKING:
    from caesura.find.pattern import Bounds, CutShort, Pattern, cut_short, find, warmup

__all__ = [
    "Bounds",
    "CutShort",
    "Match",
    "Matches",
    "Pattern",
    "PatternError",
    "cut_short",
    "find",
    "warmup",
]

_HOMES = ("Bounds", "CutShort", "Pattern", "cut_short", "find", "warmup")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'caesura.find' has no attribute {name!r}")
    value = getattr(importlib.import_module("caesura.find.pattern"), name)
    globals()[name] = value
    return value
