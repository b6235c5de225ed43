"""Evaluation of documents: text in, analysis out, gold and system free to differ.

The package is its own main function: `caesura.evaluate(gold, system)` is
`caesura.evaluate.evaluate(gold, system)`. A function of the name could not stay, since importing
any module of the package puts the package in its place.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
]

_HOMES = {
    "Evalb": "evalb",
    "Report": "report",
    "Score": "score",
    "SpanOptions": "spans",
    "boundaries": "quick",
    "compare": "api",
    "conll18": "conll",
    "evaluate": "api",
    "las": "quick",
    "load": "api",
    "read_parameters": "evalb",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'caesura.evaluate' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"caesura.evaluate.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


class _Room(ModuleType):
    """A module that can be called."""

    def __call__(self, *args: Any, **options: Any) -> Report:
        report: Report = __getattr__("evaluate")(*args, **options)
        return report


sys.modules[__name__].__class__ = _Room
