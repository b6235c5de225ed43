"""Sentences without trees: the boundary scorer of a model alone, which is many times faster.

The scorer is the tokeniser's, which knows the words, the marks and the layout around a gap. In text
without capitals and punctuation, maybe a paragraph of a page, those say too little, and the search
through trees is asked as ever. A network scores sentence starts itself, and reads the places of
which the tokeniser is not sure: see `stages.network.NetworkStarts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from caesura.document import Document
from caesura.errors import UsageError
from caesura.models.file import Part
from caesura.options import PLAIN, Request
from caesura.stage import Stage, StartStage, stage_of
from caesura.stages.tokenizer import take_evidence
from caesura.stages.word_table import edited_tokens

if TYPE_CHECKING:
    from caesura.stages.tokenizer import Tokenizer

__all__ = ["QuickStarts", "quick_stages"]


@dataclass
class QuickStarts(StartStage):
    """Sets sentence starts by the evidence of a tokeniser, or by other stages where it has none."""

    tokenizer: Tokenizer
    rest: list[Stage]
    kind: ClassVar[str] = "tokenizer"
    title: ClassVar[str] = "a boundary scorer"

    @property
    def offers(self) -> frozenset[str]:
        own = frozenset({"confidence", "bias"})
        return own.union(*(stage.offers - {"k_best"} for stage in self.rest))

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        runs = [(n, *run) for n, doc in enumerate(docs) for run in _runs(~edited_tokens(doc))]
        pieces = [docs[n].cut(first, last) for n, first, last in runs]
        for stage in self.rest if pieces else ():
            stage.annotate(pieces, request)
        threshold = self.tokenizer.options.threshold
        take_evidence(docs, threshold)
        for doc in docs if request.confidence else ():
            if doc.start_evidence is not None:
                doc.sent_conf = centred(doc.start_evidence, threshold)
                doc.sent_conf[:1] = 1.0
        for n in {n for n, *_ in runs}:
            docs[n].sent_start = docs[n].sent_start.copy()
            if request.confidence and docs[n].sent_conf is None:
                docs[n].sent_conf = np.ones(docs[n].n_tokens, np.float32)
        for (n, first, last), piece in zip(runs, pieces, strict=True):
            # Whether something starts where a piece begins is decided by what is around it.
            begin = int(first > 0 and docs[n].start_evidence is not None)
            docs[n].sent_start[first + begin : last] = piece.sent_start[begin:]
            conf = docs[n].sent_conf
            if conf is not None and piece.sent_conf is not None:
                conf[first + begin : last] = piece.sent_conf[begin:]

    def with_options(self, **changes: Any) -> Self:
        rest = []
        for stage in self.rest:
            own = {name: value for name, value in changes.items() if name in stage.offers}
            rest.append(stage.with_options(**own) if own else stage)
        bias = {name: value for name, value in changes.items() if name == "bias"}
        return replace(self, tokenizer=self.tokenizer.with_options(**bias), rest=rest)

    def to_part(self) -> Part:
        return self.tokenizer.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(cast("Tokenizer", stage_of(part)), [])


def _runs(chosen: np.ndarray[Any, Any]) -> Iterator[tuple[int, int]]:
    """The first of each run of chosen places, and the one behind its last."""
    edges = np.flatnonzero(np.diff(chosen.astype(np.int8), prepend=0, append=0))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def centred(evidence: np.ndarray[Any, Any], threshold: float) -> np.ndarray[Any, Any]:
    """Evidence as a probability that is 0.5 where a sentence begins to be taken for one."""
    low, high = max(threshold, 1e-9), max(1.0 - threshold, 1e-9)
    found = np.where(
        evidence < threshold, 0.5 * evidence / low, 1.0 - 0.5 * (1.0 - evidence) / high
    )
    return found.astype(np.float32)


def quick_stages(stages: Sequence[Stage]) -> list[Stage]:
    """The stages of a pipeline that find sentences, without those that only make trees."""
    first, rest = stages[0], list(stages[1:])
    if "sentences" in first.adds:
        return [first]
    deciding = [n for n, stage in enumerate(rest) if "sentences" in stage.adds]
    if not deciding:
        raise UsageError(
            "this model finds no sentences", remedy="Use a model from `caesura train pipeline`."
        )
    rest = rest[: deciding[0] + 1]
    alone = rest[-1].starts_alone()
    if alone is not None:
        return [first, alone]
    if first.kind == "tokenizer":
        return [first, QuickStarts(cast("Tokenizer", first), rest)]
    return [first, *rest]
