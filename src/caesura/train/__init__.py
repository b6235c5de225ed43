"""Experiments: everything that `caesura train …` and `caesura induce` do.

An experiment reads data, trains a model or one stage after the other, tunes and scores it on
held-out data, and writes the model with its card. How a model learns is in its own room; names are
loaded when they are first used, since the kernels of learners bring numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.train.branching import branching_loop
    from caesura.train.neural import train_neural
    from caesura.train.options import NeuralOptions, PipelineOptions
    from caesura.train.parser import parser_loop, train_parser
    from caesura.train.pipeline import PipelineTrainer

_HOMES = {
    "branching": ("branching_loop",),
    "neural": ("train_neural",),
    "options": ("NeuralOptions", "PipelineOptions"),
    "parser": ("parser_loop", "train_parser"),
    "pipeline": ("PipelineTrainer",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "NeuralOptions",
    "PipelineOptions",
    "PipelineTrainer",
    "branching_loop",
    "parser_loop",
    "train_neural",
    "train_parser",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'caesura.train' has no attribute {name!r}")
    return getattr(importlib.import_module(f"caesura.train.{_HOME[name]}"), name)
