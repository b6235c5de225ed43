"""Experiments: everything that `caesura train …` and `caesura induce` do.

An experiment takes a `Run` (files, options, checkpoint, report), reads the data, trains a model or
one stage after the other, tunes and scores it on held-out data, writes it with its card, and
returns a `Result`. How a model learns is in its own room; names are loaded when they are first
used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.train.branching import branching_loop, train_branching
    from caesura.train.data import Data
    from caesura.train.grammar import induce_grammar
    from caesura.train.neural import train_neural
    from caesura.train.options import (
        FinetuneOptions,
        NeuralOptions,
        PipelineOptions,
        SilverOptions,
    )
    from caesura.train.parser import parser_loop, train_parser
    from caesura.train.pipeline import train_pipeline
    from caesura.train.report import Report
    from caesura.train.resume import Kept
    from caesura.train.run import Result, Run
    from caesura.train.silver import Lessons, Silver
    from caesura.train.stages import PipelineTrainer
    from caesura.train.tagger import jackknife_treebank, train_tagger
    from caesura.train.tokenizer import train_tokenizer

_HOMES = {
    "branching": ("branching_loop", "train_branching"),
    "data": ("Data",),
    "grammar": ("induce_grammar",),
    "neural": ("train_neural",),
    "options": ("FinetuneOptions", "NeuralOptions", "PipelineOptions", "SilverOptions"),
    "parser": ("parser_loop", "train_parser"),
    "pipeline": ("train_pipeline",),
    "report": ("Report",),
    "resume": ("Kept",),
    "run": ("Result", "Run"),
    "silver": ("Lessons", "Silver"),
    "stages": ("PipelineTrainer",),
    "tagger": ("jackknife_treebank", "train_tagger"),
    "tokenizer": ("train_tokenizer",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Data",
    "FinetuneOptions",
    "Kept",
    "Lessons",
    "NeuralOptions",
    "PipelineOptions",
    "PipelineTrainer",
    "Report",
    "Result",
    "Run",
    "Silver",
    "SilverOptions",
    "branching_loop",
    "induce_grammar",
    "jackknife_treebank",
    "parser_loop",
    "train_branching",
    "train_neural",
    "train_parser",
    "train_pipeline",
    "train_tagger",
    "train_tokenizer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'caesura.train' has no attribute {name!r}")
    return getattr(importlib.import_module(f"caesura.train.{_HOME[name]}"), name)
