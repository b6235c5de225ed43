"""Search of trees: patterns over words and arcs, in a language like those of Semgrex and Grew.

    for match in doc.find("[upos=VERB]=v >nsubj []=s !>obj []"):
        print(match["v"], match["s"])

`parser` reads a pattern, `compile` makes programs of it, `tests` and `attributes` look at the
distinct strings of a document, `caesura._core` searches, `results` holds what was found.
docs/reference/patterns.md explains the language. All but errors
and results is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from caesura.find.results import Match, Matches
from caesura.find.syntax import PatternError

if TYPE_CHECKING:
    from caesura.find.changes import Change, Rewritten, Setting, rewrite, setting
    from caesura.find.counts import Counts, fields
    from caesura.find.marks import matching_sentences, with_marks
    from caesura.find.pattern import Bounds, CutShort, Pattern, cut_short, find
    from caesura.find.show import marked_text

__all__ = [
    "Bounds",
    "Change",
    "Counts",
    "CutShort",
    "Match",
    "Matches",
    "Pattern",
    "PatternError",
    "Rewritten",
    "Setting",
    "cut_short",
    "fields",
    "find",
    "marked_text",
    "matching_sentences",
    "rewrite",
    "setting",
    "with_marks",
]

_HOMES = {
    **dict.fromkeys(("Bounds", "CutShort", "Pattern", "cut_short", "find"), "pattern"),
    **dict.fromkeys(("Counts", "fields"), "counts"),
    **dict.fromkeys(("matching_sentences", "with_marks"), "marks"),
    **dict.fromkeys(("Change", "Rewritten", "Setting", "rewrite", "setting"), "changes"),
    "marked_text": "show",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'caesura.find' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"caesura.find.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
