"""Sentences by the evidence of the tokeniser alone, for parsers that take them as given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from caesura.constraints import inside_arcs, obeyed_starts
from caesura.document import NO, YES, Document
from caesura.errors import WarningSink
from caesura.models.file import Part
from caesura.stage import StartStage

if TYPE_CHECKING:
    from caesura.stages.tokenizer import Tokenizer

__all__ = ["EvidenceStarts", "take_evidence"]


@dataclass
class EvidenceStarts(StartStage):
    """Sets the sentence starts that a tokeniser had left open."""

    tokenizer: Tokenizer
    kind: ClassVar[str] = "tokenizer"
    title: ClassVar[str] = "a tokeniser"

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"bias"})

    def annotate(
        self,
        docs: Sequence[Document],
        *,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        take_evidence(docs, self.tokenizer.options.threshold)

    def with_options(self, **changes: Any) -> Self:
        return type(self)(self.tokenizer.with_options(**changes))

    def to_part(self) -> Part:
        return self.tokenizer.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        from caesura.stages.tokenizer import Tokenizer

        return cls(Tokenizer.from_part(part))


def take_evidence(docs: Iterable[Document], threshold: float = 0.5) -> None:
    """Open sentence starts become those that are as likely as the threshold, or likelier.

    No sentence starts inside an arc that is given; without evidence nothing is decided.
    """
    for doc in docs:
        if doc.has_sentences or doc.start_evidence is None or not doc.n_tokens:
            continue
        starts = np.where(doc.start_evidence >= threshold, YES, NO).astype(np.int8)
        starts[inside_arcs(doc)] = NO
        starts = obeyed_starts(doc, starts)
        starts[0] = YES
        doc.sent_start = starts
