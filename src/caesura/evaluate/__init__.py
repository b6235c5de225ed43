"""Evaluation of documents: text in, analysis out, gold and system free to differ."""

from caesura.evaluate.conll import conll18
from caesura.evaluate.quick import boundaries, las
from caesura.evaluate.score import Score

__all__ = ["Score", "boundaries", "conll18", "las"]
