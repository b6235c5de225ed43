"""Tagging: a linear-chain CRF over words for UPOS and XPOS, FEATS and lemmas given the tag.

The same chain is the boundary labeller. `Tagger` predicts, `train_tagger` learns, `jackknife` tags
training data. Modules are imported when they are first used, which keeps start-up short.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.tag.boundaries import best_threshold, mark_starts, start_probabilities
    from caesura.tag.jackknifing import jackknife
    from caesura.tag.options import TaggerOptions, boundary_options
    from caesura.tag.scores import accuracies
    from caesura.tag.tagger import Tagger
    from caesura.tag.trainer import TaggerTrainer, tagger_loop, train_tagger

__all__ = [
    "Tagger",
    "TaggerOptions",
    "TaggerTrainer",
    "accuracies",
    "best_threshold",
    "boundary_options",
    "jackknife",
    "mark_starts",
    "start_probabilities",
    "tagger_loop",
    "train_tagger",
]

_HOMES = {
    "Tagger": "tagger",
    "TaggerOptions": "options",
    "TaggerTrainer": "trainer",
    "accuracies": "scores",
    "best_threshold": "boundaries",
    "boundary_options": "options",
    "jackknife": "jackknifing",
    "mark_starts": "boundaries",
    "start_probabilities": "boundaries",
    "tagger_loop": "trainer",
    "train_tagger": "trainer",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
