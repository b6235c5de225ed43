"""The joint parser: sentence boundaries and trees of entire documents, decided together.

`Parser` parses, `ParserTrainer` learns, `JointStream` parses an endless document. Names are loaded
when they are first used, since the kernels behind them bring numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.parse.options import SearchOptions, TrainOptions
    from caesura.parse.parser import Parse, Parser
    from caesura.parse.recipes import Reparsed
    from caesura.parse.stream import JointStream, parse_stream
    from caesura.parse.train import parser_loop, train_parser
    from caesura.parse.trainer import ParserTrainer

_HOMES = {
    "options": ("SearchOptions", "TrainOptions"),
    "parser": ("Parse", "Parser"),
    "recipes": ("Reparsed",),
    "stream": ("JointStream", "parse_stream"),
    "train": ("parser_loop", "train_parser"),
    "trainer": ("ParserTrainer",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "JointStream",
    "Parse",
    "Parser",
    "ParserTrainer",
    "Reparsed",
    "SearchOptions",
    "TrainOptions",
    "parse_stream",
    "parser_loop",
    "train_parser",
    "warmup",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'caesura.parse' has no attribute {name!r}")
    return getattr(importlib.import_module(f"caesura.parse.{_HOME[name]}"), name)


def warmup() -> None:
    """Compile the kernels of prediction by parsing one word."""
    import numpy as np

    from caesura.document import Document
    from caesura.parse.parser import Parser
    from caesura.parse.stream import JointStream
    from caesura.parse.transitions.inventory import Inventory

    inventory = Inventory(("root",), (0,), (0,), (0,))
    parser = Parser(inventory, ("s0.w",), np.zeros((16, 32), np.int8), 1.0)
    doc = Document.from_spans("a b", [0, 2], [1, 3])
    parser.parse(doc)
    JointStream(parser).feed(doc, last=True)
