"""How a whole pipeline is trained, by linear learners or as a network over an encoder.

Options of a single stage are in the room of that stage.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from caesura.errors import UsageError
from caesura.induce.options import InduceOptions
from caesura.learn.flags import SEED, flag, inner
from caesura.neural.settings import SearchSettings
from caesura.stages.bias import refuse_bias
from caesura.stages.parser_options import SearchOptions
from caesura.stages.parser_options import TrainOptions as ParserOptions
from caesura.stages.tagger_options import TaggerOptions
from caesura.stages.tokenizer_options import TokenizerOptions

__all__ = ["INDUCE", "FinetuneOptions", "NeuralOptions", "PipelineOptions", "SilverOptions"]

#: Seeds of commands start at 1.
INDUCE = InduceOptions(seed=1)


@dataclass(frozen=True)
class SilverOptions:
    """How a student learns from raw text that a teacher has labelled (silver), beside gold."""

    #: How often an epoch reads the silver text for once that it reads the treebank. A linear
    #: student reads the treebank 1/weight times instead.
    weight: float = flag(
        0.5, "Times that silver text is read for once that gold is.", name="--silver-weight"
    )
    #: Share of the silver documents that are also read as a transcript would have them; linear
    #: students do so if they have `speech`.
    speech: float = 0.5
    #: Sentences whose arcs have a lower mean confidence teach nothing.
    least: float = flag(
        0.0, "Learn nothing from sentences of lower confidence.", name="--least-confidence"
    )
    #: Epochs at the end that read gold alone; 0 mixes gold and silver to the end. Of a linear
    #: student its parser alone has them.
    last: int = flag(
        0, "Epochs at the end that read gold alone.", name="--gold-last", least=0, metavar="N"
    )
    #: Words of the silver text from which a tokeniser learns where sentences start.
    starts: int = 0
    #: Words of it from which a linear tagger learns, since it needs much room; 0: all.
    tags: int = 0
    #: An epoch of a linear parser reads one of so many parts of the silver text.
    parts: int = 1
    #: What to do with raw text that holds dev data, or files named by --not-in, and the share of
    #: their sequences of words that may stand in it.
    overlap: Literal["refuse", "drop"] = flag(
        "refuse",
        "Raw text that holds held-out text: refuse all, or drop its documents [refuse].",
        choices=("refuse", "drop"),
    )
    share: float = 0.01

    def __post_init__(self) -> None:
        if not 0 < self.weight <= 100:
            raise UsageError(f"silver.weight is {self.weight}, but must be above 0, at most 100")
        for name in ("speech", "least", "share"):
            if not 0 <= getattr(self, name) <= 1:
                value = getattr(self, name)
                raise UsageError(f"silver.{name} is {value}, but must be from 0 to 1")
        for name, least in (("last", 0), ("starts", 0), ("tags", 0), ("parts", 1)):
            if getattr(self, name) < least:
                value = getattr(self, name)
                raise UsageError(f"silver.{name} is {value}, but must be at least {least}")

    @property
    def gold(self) -> int:
        """How often a linear student reads gold for once that it reads silver."""
        return max(1, round(1 / self.weight))


#: What to do if too little of the time is left for raw text.
_FEWER = "Ask for more epochs, or for fewer with --gold-last."
#: Its flags, for all that learn from raw text.
_SILVER = {"weight": "", "least": "", "last": "", "overlap": ""}


@dataclass(frozen=True)
class PipelineOptions:
    """How to train a pipeline."""

    tokenizer: TokenizerOptions = field(default_factory=TokenizerOptions)
    tagger: TaggerOptions = field(default_factory=TaggerOptions)
    parser: ParserOptions = inner(
        lambda: ParserOptions(
            search=SearchOptions(beam=32, margin=0.35),
            step="pa",
            dlaso_pa="in-turn",
            bits=21,
            relaid=0.25,
        ),
        {"relaid": ""},
    )
    #: How the parser searches once it is trained: narrower than in training costs nothing.
    search: SearchOptions = field(default_factory=lambda: SearchOptions(beam=16, margin=0.3))
    #: Folds in which tags and evidence for the parser are made.
    folds: int = 10
    #: Share of the training data that is seen as a transcript would have it.
    speech: float = flag(0.0, "Also serve text without case and punctuation.", value=0.35)
    #: Share of a parser's weights that are dropped from the file, the smallest of them.
    drop: float = 0.5
    #: How it learns from raw text, if a teacher labels some.
    silver: SilverOptions = inner(SilverOptions, _SILVER)
    seed: int = flag(1, **SEED)

    def __post_init__(self) -> None:
        refuse_bias(self.search.bias)
        if self.folds < 2:
            raise UsageError(f"folds is {self.folds}, but must be at least 2")
        if not 0 <= self.drop < 1:
            raise UsageError(f"drop is {self.drop}, but must be at least 0 and below 1")
        if not 0 <= self.speech < 1:
            raise UsageError(f"speech is {self.speech}, but must be at least 0 and below 1")

    def check_silver(self) -> None:
        """Refuse to forget what raw text taught; epochs on gold alone come after all others."""
        last, epochs = self.silver.last, self.parser.epochs
        if last and last >= epochs:
            raise UsageError(
                f"{last} epochs on gold alone are not fewer than the {epochs} with silver text "
                "before them",
                remedy=_FEWER,
            )


@dataclass(frozen=True)
class NeuralOptions:
    """How to train a network; the defaults fit a treebank of 200,000 words and a GPU."""

    layers: int = 4
    epochs: int = 50
    patience: int = 10
    batch_pieces: int = 4096
    #: Sub-words of a window.
    limit: int = 510
    encoder_step: float = 1e-4
    head_step: float = 1e-3
    #: The step of each layer of the encoder against that of the layer above it, the share of all
    #: steps in which steps grow, and the weight of tags in the loss.
    layer_decay: float = 0.85
    warm_up: float = 0.1
    tag_weight: float = 0.5
    dropout: float = 0.25
    #: Sizes of the heads for arcs, labels and tags.
    arc_size: int = 256
    label_size: int = 96
    tag_size: int = 256
    #: How often an epoch also reads copies that are laid out anew.
    relaid: float = 0.0
    #: How often it also reads copies with other names, titles and numbers from the language file,
    #: and pieces of one to five sentences.
    exchanged: float = 0.0
    pieces: float = 0.0
    #: Also learn from copies in lower case and without punctuation.
    speech: bool = True
    device: str = "auto"
    seed: int = 1
    search: SearchSettings = field(default_factory=SearchSettings)
    silver: SilverOptions = field(default_factory=SilverOptions)
    pipeline: PipelineOptions = field(default_factory=PipelineOptions)

    def __post_init__(self) -> None:
        refuse_bias(self.search.bias)

    def check_silver(self) -> None:
        """Refuse epochs that all read gold alone, if there is raw text."""
        if self.silver.last and self.silver.last >= self.epochs:
            raise UsageError(
                f"{self.silver.last} epochs on gold alone leave none of {self.epochs} for silver "
                "text",
                remedy=_FEWER,
            )


@dataclass(frozen=True)
class FinetuneOptions:
    """How a network goes on from another on a small treebank; the defaults fit a CPU."""

    #: How many of the lower layers stay as they are, with all below them; -1: two of three, which
    #: takes half the time. The embeddings of sub-words always do.
    frozen: int = 0
    #: Passes over the treebank; 0: as many as make `pieces` sub-words, from `least` to `most`.
    epochs: int = 0
    pieces: int = 120_000
    least: int = 6
    most: int = 20
    patience: int = 0
    batch_pieces: int = 1024
    encoder_step: float = 2e-4
    head_step: float = 1e-3
    layer_decay: float = 0.9
    warm_up: float = 0.1
    tag_weight: float = 0.5
    dropout: float = 0.25
    #: How often an epoch also reads copies that are laid out anew.
    relaid: float = 0.0
    #: Also learn from copies in lower case and without punctuation.
    speech: bool = True
    #: The language of the treebank, if neither its file nor its words tell.
    language: str = ""
    device: str = "auto"
    seed: int = 1
    pipeline: PipelineOptions = field(default_factory=PipelineOptions)

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "pieces"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is {getattr(self, name)}, but must be at least 0")
        if self.frozen < -1:
            raise UsageError(
                f"frozen is {self.frozen}, but must be at least 0, or -1 for two of three"
            )
        if not 1 <= self.least <= self.most:
            raise UsageError(f"least is {self.least}, but must be from 1 to most, {self.most}")

    def layers(self, of: int) -> int:
        """How many of so many layers stay as they are."""
        if self.frozen > of:
            raise UsageError(f"{self.frozen} layers shall stay as they are, but there are {of}")
        return 2 * of // 3 if self.frozen < 0 else self.frozen

    def passes(self, pieces: float) -> int:
        """How often a treebank of so many sub-words is read."""
        if self.epochs:
            return self.epochs
        return min(max(round(self.pieces / max(pieces, 1.0)), self.least), self.most)
