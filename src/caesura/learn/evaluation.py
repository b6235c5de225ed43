"""Dev scores: of tokens while a tokeniser learns, and of a whole model from raw text at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.document import Document
from caesura.evaluate.conll import conll18
from caesura.learn.run import transcripts
from caesura.pipeline import load
from caesura.pipeline.confidence import fit_starts


def token_scores(gold: Sequence[Document], system: Sequence[Document]) -> dict[str, float]:
    """F1 of tokens, words and sentences."""
    scores = conll18(gold, system)
    return {name: float(scores[name].f1) for name in ("Tokens", "Words", "Sentences")}


def dev_scores(path: str, dev: Sequence[Document]) -> dict[str, float]:
    """CoNLL 2018 F1 of a model from raw text, or from given tokens if it has no tokeniser."""
    nlp = load(path)
    if nlp.has_tokenizer:
        system = list(nlp.pipe(doc.text for doc in dev))
    else:
        system = list(nlp.pipe(dev, keep=("tokens",)))
    return {name: round(score.f1, 2) for name, score in conll18(dev, system).items()}


def dev_confidences(path: str, dev: Sequence[Document]) -> dict[str, Any]:
    """What the confidences of a model's boundaries are worth, in dev text and in transcripts."""
    return fit_starts(load(path), [*dev, *transcripts(dev)])
