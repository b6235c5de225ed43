"""Evaluation of documents: text in, analysis out, gold and system free to differ.

The package is its own main function: `caesura.evaluate(gold, system)` is
`caesura.evaluate.evaluate(gold, system)`. A function of the name could not stay, since importing
any module of the room puts the package in its place.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from caesura.evaluate.api import compare, evaluate, load
from caesura.evaluate.conll import conll18
from caesura.evaluate.evalb import Evalb, read_parameters
from caesura.evaluate.quick import boundaries, las
from caesura.evaluate.report import Report
from caesura.evaluate.score import Score
from caesura.evaluate.spans import SpanOptions

__all__ = [
    "Evalb",
    "Report",
    "Score",
    "SpanOptions",
    "boundaries",
    "compare",
    "conll18",
    "evaluate",
    "las",
    "load",
    "read_parameters",
    "warmup",
]


def warmup() -> None:
    """Compile the kernels of this room."""
    from caesura.evaluate.warm import warm

    warm()


class _Room(ModuleType):
    """A module that can be called."""

    def __call__(self, *args: Any, **options: Any) -> Report:
        return evaluate(*args, **options)


sys.modules[__name__].__class__ = _Room
