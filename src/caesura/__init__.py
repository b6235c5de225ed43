"""Caesura: raw documents in; sentences, tokens, tags and dependency trees out, decided together.

Every public name is here. Its module is imported when the name is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from caesura.lazy import lazy

try:
    importlib.import_module("caesura._core")
except ImportError as error:
    from caesura.extension import explain

    raise ImportError(explain(__file__, error)) from None

if TYPE_CHECKING:
    from caesura.document import (
        MAYBE,
        NO,
        ROOT,
        UNKNOWN,
        YES,
        Document,
        EmptyNode,
        Sentence,
        Span,
        Strings,
        Token,
        Word,
    )
    from caesura.errors import (
        CaesuraError,
        CaesuraWarning,
        FormatError,
        InputError,
        MissingExtra,
        ModelError,
        UsageError,
    )
    from caesura.evaluate.api import evaluate
    from caesura.formats import read, write
    from caesura.pipeline import Pipeline, load, split

__version__ = "0.1.0"

__getattr__, __dir__ = lazy(
    __name__,
    {
        "caesura.document": (
            "MAYBE", "NO", "ROOT", "UNKNOWN", "YES", "Document", "EmptyNode", "Sentence", "Span",
            "Strings", "Token", "Word",
        ),
        "caesura.errors": (
            "CaesuraError", "CaesuraWarning", "FormatError", "InputError", "MissingExtra",
            "ModelError", "UsageError",
        ),
        "caesura.evaluate": (),
        "caesura.formats": ("read", "write"),
        "caesura.pipeline": ("Pipeline", "load", "split"),
    },
)  # fmt: skip

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
    "Pipeline",
    "Sentence",
    "Span",
    "Strings",
    "Token",
    "UsageError",
    "Word",
    "__version__",
    "evaluate",
    "load",
    "read",
    "split",
    "write",
]
