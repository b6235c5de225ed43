"""From a model file to its stages: the only place where one stage depends on another.

Stages come in the order of what they need and add. A tokeniser leaves sentence starts to a later
stage that decides them, and gives it evidence if it needs some; a tagger before a parser reads
whole documents, as the parser was trained; and `quick_stages` finds sentences without trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

import numpy as np

from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.guidelines.table import PART, Tables
from caesura.language import language_of_model
from caesura.models.file import ModelFile, Part
from caesura.models.store import load_model
from caesura.options import PLAIN, Request
from caesura.paths import trim
from caesura.stage import EVIDENCE, REGISTRY, Stage, StartStage, TokenStage, stage_of
from caesura.stages.tokenizer import take_evidence
from caesura.stages.word_table import edited_tokens

if TYPE_CHECKING:
    from caesura.stages.network import NeuralParser
    from caesura.stages.tokenizer import Tokenizer

__all__ = ["QuickStarts", "build", "changed", "quick_stages", "wired"]

_DAMAGED: Final = "The file is damaged or made by another program; train or fetch it again."
_ORDER: Final = {name: number for number, name in enumerate(REGISTRY)}


def build(file: ModelFile, *, threads: int = 1, release: bool = False) -> list[Stage]:
    """The stages of a model in order; with `release`, free the arrays of the file."""
    if not file.parts:
        raise ModelError("the model has no parts", file=file.path or None, remedy=_DAMAGED)
    made: dict[str, Stage] = {}
    language = language_of_model(file.meta)
    tables = Tables.of(file)
    # The largest first: its arrays are freed before others are unpacked.
    for name in sorted(file.parts, key=lambda name: (-_size(file.parts[name]), name)):
        if name == PART:
            continue
        part = file.parts[name]
        made[name] = stage = stage_of(part, name, threads=threads)
        if language:
            stage.set_language(language)
        stage.obey(tables, language)
        if release:
            file.parts[name] = Part(part.kind, part.config, part.labels)
            stage.release(partial(_again, file, name) if file.path else None)
        del part
    if release:
        trim()
    found = [
        made[name] for name in sorted(made, key=lambda name: (_ORDER.get(name, len(_ORDER)), name))
    ]
    if sum("tokens" in stage.adds for stage in found) > 1:
        raise ModelError("the model has two tokenisers", file=file.path or None, remedy=_DAMAGED)
    if not any("tokens" in stage.adds for stage in found):
        kinds = [stage.tokens_by for stage in found if stage.tokens_by]
        found = [stage_of(Part(kind)) for kind in kinds[:1]] + found
    return wired(_in_order(found))


def _size(part: Part) -> int:
    """The bytes of its arrays."""
    return sum(array.nbytes for array in part.arrays.values())


def _again(file: ModelFile, name: str) -> Part:
    """A part of a model file, read once more."""
    found = load_model(file.path)
    if found.meta.get("sha256") != file.meta.get("sha256") or name not in found.parts:
        raise ModelError(
            "the file has changed since it was loaded",
            file=file.path,
            remedy="Load the model again.",
        )
    return found.parts[name]


def _in_order(stages: list[Stage]) -> list[Stage]:
    """Each stage after all others that add what it needs; else they stay as they are."""
    waiting, done = list(stages), []
    while waiting:
        ready = [
            stage
            for stage in waiting
            if not any(stage.needs & other.adds for other in waiting if other is not stage)
        ]
        stage = (ready or waiting)[0]
        waiting = [other for other in waiting if other is not stage]
        done.append(stage)
    return done


# --------------------------------------------------------------------- wiring


def wired(stages: Sequence[Stage]) -> list[Stage]:
    """The stages with the options that depend on the stages after them."""
    found: list[Stage] = []
    for number, stage in enumerate(stages):
        later = stages[number + 1 :]
        if stage.kind == "tagger" and _any_adds(later, "head"):
            stage = stage.with_options(regime="document")  # as the parser was trained
        if stage.kind == "parser" and stage.adds == {"sentences"} and _any_adds(later, "sentences"):
            raise ModelError(
                "the second parser of this model must take sentences",
                remedy="Train it again: caesura train parser --recipe joint-reparsed",
            )
        found.append(stage)
    if not isinstance(found[0], TokenStage):
        return found
    first, rest = found[0], found[1:]
    decided = _first(rest, lambda stage: "sentences" in stage.adds)
    needed = _first(rest, lambda stage: "sentences" in stage.needs)
    if decided < needed:
        weigh = EVIDENCE in rest[decided].needs
        return [first.open(decided=True, weigh=weigh, reader_of=_word_reader(rest)), *rest]
    if needed < len(rest) and (alone := first.evidence_starts()) is not None:
        return [first.open(decided=False), *rest[:needed], alone, *rest[needed:]]
    return found


def _any_adds(stages: Sequence[Stage], name: str) -> bool:
    return any(name in stage.adds for stage in stages)


def _first(stages: Sequence[Stage], holds: Callable[[Stage], bool]) -> int:
    """The number of the first stage for which something holds, or that of all stages."""
    return next((n for n, stage in enumerate(stages) if holds(stage)), len(stages))


def _word_reader(stages: Sequence[Stage]) -> Any:
    """What scores word boundaries of languages without spaces: a network that learned them."""
    networks = [cast("NeuralParser", stage) for stage in stages if stage.kind == "neural"]
    return networks[0].word_reader if networks else None


def changed(stages: Sequence[Stage], options: Mapping[str, Any]) -> list[Stage]:
    """The stages of a pipeline with other options, each with those that it offers."""
    found = []
    for stage in stages:
        own = {name: value for name, value in options.items() if name in stage.offers}
        found.append(stage.with_options(**own) if own else stage)
    first = found[0]
    if isinstance(first, TokenStage) and any(EVIDENCE in stage.needs for stage in found[1:]):
        found[0] = first.weighing()
    return found


# ---------------------------------------------------------------------- quick


@dataclass
class QuickStarts(StartStage):
    """Sets sentence starts by the evidence of a tokeniser, or by other stages where it has none.

    The evidence comes from the words, the punctuation and the layout around a gap. In text without
    capitals and punctuation, maybe a paragraph of a page, that is too little, and the other stages
    search through trees.
    """

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
            # Whether a sentence starts where a piece begins depends on what is around it.
            begin = int(first > 0 and docs[n].start_evidence is not None)
            docs[n].sent_start[first + begin : last] = piece.sent_start[begin:]
            conf = docs[n].sent_conf
            if conf is not None and piece.sent_conf is not None:
                conf[first + begin : last] = piece.sent_conf[begin:]

    def with_options(self, **options: Any) -> Self:
        bias = {name: value for name, value in options.items() if name == "bias"}
        return replace(
            self, tokenizer=self.tokenizer.with_options(**bias), rest=changed(self.rest, options)
        )

    def to_part(self) -> Part:
        return self.tokenizer.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(cast("Tokenizer", stage_of(part)), [])


def _runs(chosen: np.ndarray[Any, Any]) -> Iterator[tuple[int, int]]:
    """The first of each run of chosen tokens, and the one behind its last."""
    edges = np.flatnonzero(np.diff(chosen.astype(np.int8), prepend=0, append=0))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def centred(evidence: np.ndarray[Any, Any], threshold: float) -> np.ndarray[Any, Any]:
    """Evidence as a probability that is 0.5 at the threshold."""
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
    deciding = _first(rest, lambda stage: "sentences" in stage.adds)
    if deciding == len(rest):
        raise UsageError(
            "this model finds no sentences", remedy="Use a model from `caesura train pipeline`."
        )
    rest = rest[: deciding + 1]
    alone = rest[-1].starts_alone()
    if alone is not None:
        return [first, alone]
    if first.kind == "tokenizer":
        return [first, QuickStarts(cast("Tokenizer", first), rest)]
    return [first, *rest]
