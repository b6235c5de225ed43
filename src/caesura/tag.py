"""Taggers for Python: a linear-chain CRF for UPOS and XPOS, with FEATS and lemmas given the tag.

The same chain is the boundary labeller. `Tagger` predicts, `train_tagger` learns, `jackknife` tags
training data.
"""

from caesura.learn.tagger import TaggerTrainer, accuracies, jackknife, tagger_loop, train_tagger
from caesura.learn.tagger_data import TaggerOptions, boundary_options
from caesura.stages.labeller import mark_starts, start_probabilities
from caesura.stages.tagger import Tagger

__all__ = [
    "Tagger",
    "TaggerOptions",
    "TaggerTrainer",
    "accuracies",
    "boundary_options",
    "jackknife",
    "mark_starts",
    "start_probabilities",
    "tagger_loop",
    "train_tagger",
]
