"""Sentence starts by a network alone: what it says of each word, without a search through trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from caesura.constraints import inside_arcs, obeyed_starts
from caesura.document import NO, YES, Document
from caesura.errors import WarningSink
from caesura.models.file import Part
from caesura.stage import StartStage, stage_of

if TYPE_CHECKING:
    from caesura.neural.parser import NeuralParser

__all__ = ["NetworkStarts"]


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
            chances = self.parser.start_chances(doc, self.parser.encoder.scores(doc))
            starts = np.where(chances > 0.5, YES, NO).astype(np.int8)
            starts[inside_arcs(doc)] = NO
            starts = obeyed_starts(doc, starts)
            starts[:1] = YES
            doc.sent_start = starts
            if confidence:
                doc.sent_conf = chances

    def with_options(self, **changes: Any) -> Self:
        return replace(self, parser=self.parser.with_options(**changes))

    def to_part(self) -> Part:
        return self.parser.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(cast("NeuralParser", stage_of(part)))
