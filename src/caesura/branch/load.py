"""Either kind of parser from a part of a model file, and boundaries for the one that needs them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from caesura.document import MAYBE, NO, YES, Document
from caesura.errors import UsageError
from caesura.models.file import Part

if TYPE_CHECKING:
    from caesura.branch.parser import BranchingParser
    from caesura.parse.parser import Parser
    from caesura.tokenize.tokenizer import Tokenizer

__all__ = ["biased", "parser_of", "take_evidence"]


def parser_of(part: Part) -> Parser | BranchingParser:
    """The parser of a part, by the system that it names."""
    if part.config.get("system") == "branching":
        from caesura.branch.parser import BranchingParser

        return BranchingParser.from_part(part)
    from caesura.parse.parser import Parser

    return Parser.from_part(part)


def biased(tokenizer: Tokenizer | None, bias: float) -> Tokenizer:
    """The tokeniser that finds the sentences of a parser without boundaries, with a bias."""
    if tokenizer is None:
        raise UsageError(
            "the parser of this model has no bias: it takes sentences as they are given",
            remedy="Leave the bias out.",
        )
    return tokenizer.with_bias(bias)


def take_evidence(docs: Iterable[Document], tokenizer: Tokenizer | None = None) -> None:
    """Open sentence starts become those that are likelier than the threshold of the tokeniser.

    No sentence starts inside an arc that is given; without evidence nothing is decided.
    """
    threshold = 0.5 if tokenizer is None else tokenizer.options.threshold
    for doc in docs:
        if doc.has_sentences or doc.start_evidence is None or not doc.n_tokens:
            continue
        given = doc.sent_start if "sentences" in doc.fixed else np.full(doc.n_tokens, MAYBE)
        starts = np.where(doc.start_evidence >= threshold, YES, NO)
        if "heads" in doc.fixed:
            words = np.flatnonzero(doc.head >= 0)
            token = doc.word_token
            for word, head in zip(words.tolist(), doc.head[words].tolist(), strict=True):
                low, high = sorted((int(token[word]), int(token[head])))
                starts[low + 1 : high + 1] = NO
        starts = np.where(given == MAYBE, starts, given)
        starts[0] = YES
        doc.sent_start = starts.astype(np.int8)
