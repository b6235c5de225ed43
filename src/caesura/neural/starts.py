"""Sentence starts by a network alone: what it says of each word, without a search through trees.

In edited text the tokeniser is sure of most gaps, and of those it is believed; the network reads a
few words around each of the others. In text without capitals and punctuation it reads everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import inside_arcs, obeyed_starts
from caesura.document import NO, YES, Document
from caesura.errors import WarningSink
from caesura.models.file import Part
from caesura.stage import StartStage, stage_of
from caesura.stages.word_table import edited_tokens

if TYPE_CHECKING:
    from caesura.neural.parser import NeuralParser

__all__ = ["NetworkStarts"]

#: What the tokeniser gives a chance between these is for the network to say, and the words to each
#: side of such a gap that it reads: on EWT dev a fifth of all words, on GUM a twelfth.
_UNSURE: Final = (0.12, 0.88)
_BEFORE, _AFTER = 12, 12


@dataclass
class NetworkStarts(StartStage):
    """Sets the sentence starts that a neural parser scores above even chances."""

    parser: NeuralParser
    kind: ClassVar[str] = "neural"
    title: ClassVar[str] = "a network for sentence starts"

    @property
    def offers(self) -> frozenset[str]:
        return self.parser.offers - {"k_best"}

    def annotate(
        self,
        docs: Sequence[Document],
        *,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        for doc in docs:
            chances = self._chances(doc)
            starts = np.where(chances > 0.5, YES, NO).astype(np.int8)
            starts[inside_arcs(doc)] = NO
            starts = obeyed_starts(doc, starts)
            starts[:1] = YES
            doc.sent_start = starts
            if confidence:
                doc.sent_conf = chances

    def _chances(self, doc: Document) -> NDArray[np.float32]:
        """The chance of a start at each token."""
        parser = self.parser
        evidence = doc.start_evidence
        if evidence is None or parser.settings.bias:
            return parser.start_chances(doc, parser.encoder.starts(doc))
        low, high = _UNSURE
        unsure = (evidence >= low) & (evidence <= high) | ~edited_tokens(doc)
        unsure[:1] = False
        words = np.searchsorted(doc.word_token, np.flatnonzero(unsure))
        scores = parser.encoder.starts(doc, _spans(words, doc.n_words))
        return np.where(unsure, parser.start_chances(doc, scores), parser.told_chances(doc))

    def with_options(self, **changes: Any) -> Self:
        return replace(self, parser=self.parser.with_options(**changes))

    def to_part(self) -> Part:
        return self.parser.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(cast("NeuralParser", stage_of(part)))


def _spans(words: NDArray[np.int64], n: int) -> list[tuple[int, int]]:
    """The words around some, those that meet in one span."""
    spans: list[tuple[int, int]] = []
    for word in words.tolist():
        first, last = max(0, word - _BEFORE), min(n, word + _AFTER)
        if spans and first <= spans[-1][1]:
            first = spans.pop()[0]
        spans.append((first, last))
    return spans
