"""Grammar induction: dependency grammars from text without trees (Spitkovsky et al. 2011, 2012).

`induce` learns a `Grammar` from documents, `Inducer` reports every step, `supervised`
reads one off annotated trees.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.induce.grammar import Grammar, supervised
    from caesura.induce.induction import Event, Inducer, induce
    from caesura.induce.options import InduceOptions

__all__ = ["Event", "Grammar", "InduceOptions", "Inducer", "induce", "supervised"]

_HOMES = {
    "Event": "induction",
    "Grammar": "grammar",
    "InduceOptions": "options",
    "Inducer": "induction",
    "induce": "induction",
    "supervised": "grammar",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
