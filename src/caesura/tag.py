"""Taggers for Python: a linear-chain CRF for UPOS and XPOS, with FEATS and lemmas given the tag.

The same chain is the boundary labeller. `Tagger` predicts, `train_tagger` learns, `jackknife` tags
training data.
"""

from caesura.learn.jackknifing import jackknife
from caesura.learn.tagger import TaggerTrainer, tagger_loop, train_tagger
from caesura.learn.tagger_scores import accuracies
from caesura.stages.labeller import best_threshold, mark_starts, start_probabilities
from caesura.stages.tagger import Tagger
from caesura.stages.tagger_options import TaggerOptions, boundary_options

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
