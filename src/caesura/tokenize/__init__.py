"""Characters to tokens, multi-word tokens and their words, with evidence of sentence starts.

`Tokenizer` learned from a treebank; `RuleTokenizer` needs no training.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.tokenize.options import TokenizerOptions
    from caesura.tokenize.rules import RuleTokenizer
    from caesura.tokenize.streaming import Stream
    from caesura.tokenize.tokenizer import Tokenizer
    from caesura.tokenize.training import TokenizerTrainer, cross_evidence, train

__all__ = [
    "RuleTokenizer",
    "Stream",
    "Tokenizer",
    "TokenizerOptions",
    "TokenizerTrainer",
    "cross_evidence",
    "train",
]

_HOMES = {
    "RuleTokenizer": "rules",
    "Stream": "streaming",
    "Tokenizer": "tokenizer",
    "TokenizerOptions": "options",
    "TokenizerTrainer": "training",
    "cross_evidence": "training",
    "train": "training",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
