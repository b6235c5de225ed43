"""Caesura: raw documents in; sentences, tokens, tags and dependency trees out, decided together.

Every public name is here, and is loaded from its room when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.document import MAYBE, NO, ROOT, UNKNOWN, YES, Document, EmptyNode, Strings
    from caesura.errors import (
        CaesuraError,
        CaesuraWarning,
        FormatError,
        InputError,
        MissingExtra,
        ModelError,
        UsageError,
    )
    from caesura.views import Sentence, Token, Word

__version__ = "0.1.0"

_HOMES = {
    "caesura.document": (
        "MAYBE",
        "NO",
        "ROOT",
        "UNKNOWN",
        "YES",
        "Document",
        "EmptyNode",
        "Strings",
    ),
    "caesura.errors": (
        "CaesuraError",
        "CaesuraWarning",
        "FormatError",
        "InputError",
        "MissingExtra",
        "ModelError",
        "UsageError",
    ),
    "caesura.views": ("Sentence", "Token", "Word"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "MAYBE",
    "NO",
    "ROOT",
    "UNKNOWN",
    "YES",
    "CaesuraError",
    "CaesuraWarning",
    "Document",
    "EmptyNode",
    "FormatError",
    "InputError",
    "MissingExtra",
    "ModelError",
    "Sentence",
    "Strings",
    "Token",
    "UsageError",
    "Word",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'caesura' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
