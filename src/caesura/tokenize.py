"""Tokenisers for Python: text to tokens, multi-word tokens, words and evidence of sentence starts.

`Tokenizer` is trained on a treebank; `RuleTokenizer` needs no training.
"""

from caesura.learn.tokenizer import TokenizerTrainer, cross_evidence, train
from caesura.stages.rules_tokenizer import RuleTokenizer
from caesura.stages.token_decoder import Stream
from caesura.stages.tokenizer import Tokenizer, TokenizerOptions

__all__ = [
    "RuleTokenizer",
    "Stream",
    "Tokenizer",
    "TokenizerOptions",
    "TokenizerTrainer",
    "cross_evidence",
    "train",
]
