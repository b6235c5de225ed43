"""Parsers: sentence boundaries and trees of entire documents, or trees of sentences.

A parser is a transition system (`transitions/`), a scorer (`scorers/`) and a search (`search/`).
`Parser` parses documents, `ParserTrainer` learns; `BranchingParser` parses sentences by selectional
branching. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.parse.analysis import Parse
    from caesura.parse.branching import BranchingParser
    from caesura.parse.branching_options import BranchOptions, BranchTraining
    from caesura.parse.learning.trainer import ParserTrainer
    from caesura.parse.options import SearchOptions, TrainOptions
    from caesura.parse.parser import Parser
    from caesura.parse.recipes import Reparsed

_HOMES = {
    "analysis": ("Parse",),
    "branching": ("BranchingParser",),
    "branching_options": ("BranchOptions", "BranchTraining"),
    "options": ("SearchOptions", "TrainOptions"),
    "parser": ("Parser",),
    "recipes": ("Reparsed",),
    "learning.trainer": ("ParserTrainer",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BranchOptions",
    "BranchTraining",
    "BranchingParser",
    "Parse",
    "Parser",
    "ParserTrainer",
    "Reparsed",
    "SearchOptions",
    "TrainOptions",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'caesura.parse' has no attribute {name!r}")
    return getattr(importlib.import_module(f"caesura.parse.{_HOME[name]}"), name)
