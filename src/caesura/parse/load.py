"""The parser of a model file, whichever it is, and boundaries for the one that needs them.

This is the only loader: a joint parser, a branching one, or the two parsers of a recipe that finds
boundaries first (JOINT-REPARSED, the pipeline of NOSYNTAX).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from caesura.document import MAYBE, NO, YES, Document
from caesura.errors import ModelError, UsageError
from caesura.models.file import ModelFile, Part
from caesura.parse.options import SearchOptions

if TYPE_CHECKING:
    from caesura.parse.branching import BranchingParser
    from caesura.parse.parser import Parser
    from caesura.parse.recipes import Reparsed
    from caesura.tokenize.tokenizer import Tokenizer

__all__ = ["biased", "load_parser", "parser_of", "take_evidence"]

#: The margin of the joint parser's beam in mode `fast`, in its scores' units: 1 is one error.
FAST_MARGIN: Final = 0.2


def load_parser(
    model: ModelFile | Mapping[str, Part], *, fast: bool = False
) -> Parser | BranchingParser | Reparsed:
    """The parser of a model, of one stage or of two, with a narrow beam if it shall be fast."""
    parser = _load(model)
    if not fast:
        return parser
    if isinstance(parser.search, SearchOptions):
        return parser.with_search(margin=min(parser.search.margin, FAST_MARGIN))
    return parser.with_search(beam=1)


def _load(model: ModelFile | Mapping[str, Part]) -> Parser | BranchingParser | Reparsed:
    if isinstance(model, ModelFile):
        model.part("parser")  # which says what is there instead
        model = model.parts
    parser = parser_of(model["parser"])
    if "boundaries" not in model:
        return parser
    from caesura.parse.parser import Parser
    from caesura.parse.recipes import Reparsed

    boundaries = Parser.from_part(model["boundaries"])
    if not isinstance(parser, Parser) or parser.inventory.sb or not boundaries.inventory.sb:
        raise ModelError(
            "the first parser of this model must find boundaries, and the second must not",
            remedy="Train it again: caesura train parser --recipe joint-reparsed",
        )
    return Reparsed(boundaries, parser)


def parser_of(part: Part) -> Parser | BranchingParser:
    """The parser of one part, by the system that it names."""
    if part.config.get("system") == "branching":
        from caesura.parse.branching import BranchingParser

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
