"""Training of a network over an encoder, or from another network, for a pipeline.

`train_neural` starts from a pretrained encoder, `train_from` from the network of a model. `Weights`
stores what was learned as floats. The network also learns from copies of the documents: without
capitals and punctuation, with other layout, with other names and numbers, and in short pieces.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import InputError, MissingExtra, ModelError, UsageError
from caesura.language.box import UNKNOWN, code_of
from caesura.language.choice import choose_model
from caesura.learn.folds import generator
from caesura.learn.loop import Loop
from caesura.learn.network.adaptation import Base, adapt
from caesura.learn.network.examples import Examples, Labels, feats_seen_with, labels_of, prepare
from caesura.learn.network.export import finish, measure_scale
from caesura.learn.network.pretrained import EncoderShape, check_weights, kind_of
from caesura.learn.run import Report, follow, transcripts
from caesura.learn.silver import FEWER_EPOCHS, Silver, SilverOptions, confident, unsure
from caesura.learn.stages import PipelineOptions, PipelineTrainer
from caesura.learn.token_knowledge import known_of
from caesura.models.file import ModelFile, Part, save
from caesura.models.store import load_model
from caesura.stages.bias import refuse_bias
from caesura.stages.network import NeuralParser
from caesura.stages.network_encoder import READ
from caesura.stages.network_labels import FEATS_BY_XPOS, feats_by_xpos
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_options import SearchSettings
from caesura.stages.network_subwords import Subwords
from caesura.stages.several_tokenizers import KIND as MANY
from caesura.stages.several_tokenizers import ManyTokenizer
from caesura.stages.tokenizer import TokenizerOptions
from caesura.transform import relaid
from caesura.transform.respell import exchanged

if TYPE_CHECKING:
    from caesura.learn.network.net import Net
    from caesura.learn.network.trainer import Source


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
                remedy=FEWER_EPOCHS,
            )


@dataclass(frozen=True)
class FinetuneOptions:
    """How to train a network further on a small treebank; the defaults fit a CPU."""

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


#: Options of training that both ways share.
_SHARED: Final = (
    "batch_pieces", "encoder_step", "head_step", "layer_decay", "warm_up", "tag_weight", "seed",
)  # fmt: skip
#: Seeds of random choices.
_OTHER: Final = 0x6F746865
_PIECES: Final = 0x70696563


def other_items(docs: Sequence[Document], seed: int) -> list[Document]:
    """The documents with other names, titles and numbers, as the language file has them.

    Where words came or went, a copy tells about tokens and sentences alone.
    """
    items = known_of(docs, TokenizerOptions()).items
    random = generator(seed, _OTHER)
    return [exchanged(doc, items, random).doc for doc in docs if doc.n_words] if items else []


def short_pieces(docs: Sequence[Document], seed: int) -> list[Document]:
    """The documents in pieces of one to five sentences."""
    random = generator(seed, _PIECES)
    found = []
    for doc in docs:
        bounds, at = doc.sentence_bounds.tolist(), 0
        while at < doc.n_sentences:
            to = min(at + int(random.integers(1, 6)), doc.n_sentences)
            found.append(doc.cut(bounds[at], bounds[to]))
            at = to
    return [piece for piece in found if piece.n_words]


_KIND = "weights"


@dataclass(frozen=True)
class Weights:
    """A trained network: its weights, sizes, labels and sub-words."""

    arrays: Mapping[str, NDArray[Any]]
    labels: Labels
    subwords: Subwords
    lexicon: LemmaLexicon | None
    shape: EncoderShape
    #: The sizes of the heads: `net.NetOptions`.
    net: Mapping[str, Any]
    limit: int
    #: Which FEATS each XPOS may have.
    features: NDArray[np.bool_] | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        lexicon = self.lexicon.arrays() if self.lexicon is not None else {}
        arrays = {f"net/{name}": array for name, array in self.arrays.items()}
        arrays |= {f"lexicon/{name}": array for name, array in lexicon.items()}
        arrays["subwords"] = np.frombuffer(self.subwords.definition.encode(), np.uint8)
        if self.features is not None:
            arrays[FEATS_BY_XPOS] = np.packbits(self.features, axis=1)
        config = {"limit": self.limit, "shape": asdict(self.shape), "net": dict(self.net)}
        part = Part(_KIND, config, self.labels.as_lists(), arrays)
        save(path, {_KIND: part}, kind=_KIND, compress=False)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Weights:
        part = load_model(Path(path)).part(_KIND)
        labels = Labels(**{name: tuple(values) for name, values in part.labels.items()})
        return cls(
            _under("net/", part.arrays),
            labels,
            Subwords.from_json(part.array("subwords", np.uint8, (None,)).tobytes().decode()),
            LemmaLexicon.from_arrays(labels.lemma, _under("lexicon/", part.arrays)),
            EncoderShape(**part.option("shape", dict, {})),
            part.option("net", dict, {}),
            int(part.option("limit", int, 510)),
            feats_by_xpos(part.arrays, len(labels.xpos), len(labels.feats)),
        )

    def stage(self, search: SearchSettings | None = None, bits: int = 8) -> NeuralParser:
        """The stage of a pipeline, with embeddings in 4 or 8 `bits`."""
        return finish(
            self.arrays,
            self.shape,
            self.labels,
            self.subwords,
            search or SearchSettings(),
            limit=self.limit,
            lexicon=self.lexicon,
            bits=bits,
            features=self.features,
        )


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}


def train_neural(
    train: Sequence[Document],
    dev: Sequence[Document],
    encoder: str,
    options: NeuralOptions,
    *,
    silver: Silver | None = None,
    start: Weights | None = None,
    folder: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
    weights: Path | None = None,
) -> tuple[dict[str, Part], PipelineTrainer]:
    """The parts of a model file: the tokeniser and the network.

    With `silver` the network also learns from the answers of a teacher for raw text. It may `start`
    from weights that were learned from the same treebank, over the same encoder. With `weights`,
    the learned weights are saved to that file instead, and there are no parts.
    """
    check_encoder(encoder, options.layers)  # errors appear before training starts
    if silver is not None:
        options.check_silver()
    linear = replace(options.pipeline, seed=options.seed)
    trainer = PipelineTrainer(train, dev, linear, folder=folder, resume=resume, report=report)
    parts: dict[str, Part] = {}
    if weights is None and trainer.has_text():
        parts["tokenizer"] = trainer.stage("tokenizer")
    found = _network(trainer, encoder, options, silver, start)
    if weights is not None:
        found.save(weights)
        return parts, trainer
    stage = found.stage(options.search)
    stage.scale = measure_scale(stage, [*trainer.dev, *transcripts(trainer.dev)])
    parts["neural"] = stage.to_part()
    return parts, trainer


def check_encoder(encoder: str, layers: int) -> None:
    """Refuse an unusable encoder; the weights of its first `layers` are checked, not loaded."""
    folder = Path(encoder)
    if not folder.is_dir():
        raise InputError(
            "there is no such folder",
            file=encoder,
            remedy="Name the folder of an encoder; without one, go on from a model: --init multi.",
        )
    Subwords.from_folder(folder)
    kind_of(folder)
    check_weights(folder, layers)
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("torch", "neural-train", "Training a network")


def _transcripts(trainer: PipelineTrainer, speech: bool) -> list[Document]:
    """Copies of the training documents without capitals and punctuation, if these are wanted."""
    if not any((doc.head >= -1).any() for doc in trainer.train):
        raise InputError("the training trees have no heads", remedy="Fill the HEAD column.")
    return transcripts(trainer.train) if speech else []


def _sources(
    trainer: PipelineTrainer,
    copies: Sequence[Document],
    options: NeuralOptions | FinetuneOptions,
    made: Callable[[Sequence[Document], bool | None], Examples],
) -> list[Source]:
    """The training documents, their transcripts, and copies with other layout."""
    from caesura.learn.network.trainer import Source

    data = [Source(made(trainer.train, True))]
    if copies:
        data.append(Source(made(copies, False)))
    if options.relaid:
        random = np.random.default_rng(options.seed)
        moved = [doc for doc in (relaid(doc, random) for doc in trainer.train) if doc.n_words]
        data.append(Source(made(moved, None), options.relaid))
    return data


def _learned(
    trainer: PipelineTrainer,
    net: Net,
    data: list[Source],
    dev: Examples | None,
    subwords: Subwords,
    options: NeuralOptions | FinetuneOptions,
    made_from: tuple[object, ...],
    patience: int,
    **settings: Any,
) -> Mapping[str, NDArray[Any]]:
    """The weights of a network after training; `made_from` identifies a checkpoint."""
    import torch

    from caesura.learn.network.trainer import NeuralTrainer, TrainOptions

    device = options.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    held = {"dev": dev} if dev is not None else {}
    how = TrainOptions(**{name: getattr(options, name) for name in _SHARED}, **settings)
    loop = Loop(
        NeuralTrainer(net, data, held, subwords.special, how, device),
        how.epochs,
        metric="mean",
        patience=patience,
        checkpoint=trainer.folder / "neural.checkpoint" if trainer.folder is not None else None,
        resume=True,  # the files in the folder belong to this run
        fingerprint=trainer.fingerprint("neural", made_from),
    )
    follow(loop, "network", trainer.report)
    return loop.best["weights"].arrays


def _network(
    trainer: PipelineTrainer,
    encoder: str,
    options: NeuralOptions,
    silver: Silver | None,
    start: Weights | None,
) -> Weights:
    import torch

    from caesura.learn.network.net import Net, NetOptions, load_encoder
    from caesura.learn.network.trainer import Source

    copies = _transcripts(trainer, options.speech)
    labels = labels_of([*trainer.train, *copies])
    torch.manual_seed(options.seed)
    sizes = NetOptions(
        arc_size=options.arc_size,
        label_size=options.label_size,
        tag_size=options.tag_size,
        layers=options.layers,
        dropout=options.dropout,
    )
    subwords = Subwords.from_folder(Path(encoder))
    net = Net(load_encoder(Path(encoder), sizes.layers), labels.sizes, sizes)
    if start is not None:
        if start.labels != labels:
            raise UsageError("these weights are of other labels", remedy="Train them on this data.")
        net.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in start.arrays.items()})

    def made(docs: Sequence[Document], seen: bool | None = None) -> Examples:
        return prepare(docs, labels, subwords, seen=seen)

    data = _sources(trainer, copies, options, made)
    for copied, times in ((other_items, options.exchanged), (short_pieces, options.pieces)):
        if times:
            data.append(Source(made(copied(trainer.train, options.seed)), times))
    if silver is not None:
        data += _silver(silver, labels, subwords, options)
    made_from = encoder, replace(options, epochs=0), silver and silver.about["fingerprint"]
    # The epochs on gold alone are the last ones, and are not skipped.
    patience = 0 if silver is not None and options.silver.last else options.patience
    dev = made(trainer.dev) if trainer.dev else None
    more = {"epochs": options.epochs, "limit": options.limit}
    weights = _learned(trainer, net, data, dev, subwords, options, made_from, patience, **more)
    known = silver.words() if silver is not None else ()
    return Weights(
        weights,
        labels,
        subwords,
        LemmaLexicon.of([*trainer.train, *copies], labels.lemma, known),
        net.encoder.shape,
        asdict(sizes),
        options.limit,
        feats_seen_with(trainer.train, labels),
    )


def _silver(
    silver: Silver, labels: Labels, subwords: Subwords, options: NeuralOptions
) -> list[Source]:
    """The answers of a teacher for raw text, and for transcripts of some of it."""
    from caesura.learn.network.trainer import Source

    how = options.silver
    until = options.epochs - how.last if how.last else None
    spoken = how.weight * how.speech if options.speech else 0.0
    if silver.soft is None:
        docs = confident(silver.docs, how.least)
        found = [Source(prepare(docs, labels, subwords), how.weight, until=until)]
        if spoken:
            copies = prepare(transcripts(docs), labels, subwords, seen=False)
            found.append(Source(copies, spoken, until=until))
        return found
    soft = silver.soft.relabelled(silver.labels, labels)
    out = np.concatenate([unsure(doc, how.least) for doc in silver.docs])
    data = prepare(silver.docs, labels, subwords, answers=False)
    found = [Source(data, how.weight, soft.forget(out), until)]
    if spoken:
        punctuation = [np.array(doc.column("upos")) == "PUNCT" for doc in silver.docs]
        keep = ~np.concatenate(punctuation)
        spoken_docs = transcripts(silver.docs)
        copies = prepare(spoken_docs, labels, subwords, seen=False, answers=False)
        found.append(Source(copies, spoken, soft.pick(keep).forget(out[keep]), until))
    return found


_UD: Final = re.compile(r"([a-z]{2,3})_[a-z0-9]+-ud-")
_NETWORK: Final = "neural"


def is_network(init: str) -> bool:
    """Whether the model to continue from has a network; a missing model is an error."""
    return _NETWORK in load_model(choose_model(init).model, arrays=False).parts


def code_of_files(paths: Sequence[str]) -> str | None:
    """The language of files of Universal Dependencies, by their names."""
    for path in paths:
        match = _UD.match(Path(path).name)
        if match is not None:
            return code_of(match[1])
    return None


def train_from(
    train: Sequence[Document],
    dev: Sequence[Document],
    init: str,
    options: FinetuneOptions,
    *,
    language: str | None = None,
    folder: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
) -> tuple[dict[str, Part], PipelineTrainer]:
    """The parts of a model file: tokeniser and network, both trained further from `init`."""
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("torch", "neural-train", "Going on from a network")

    chosen = choose_model(init)
    file = load_model(chosen.model)
    part = file.parts.get(_NETWORK)
    if part is None:
        raise ModelError("this model has no network", file=file.path, remedy="Name one that has.")
    code = _code(options, language, chosen.language)
    base = Base.of(part)
    words = [doc for doc in train if doc.n_words]
    nearest = base.nearest(words, code) if words else ""
    told = report or Report()
    if nearest and nearest != code:
        told("network", f"starts from {nearest}, which fits the treebank best")
    tokenizer = _tokenizer(file, nearest)
    start = ModelFile({"tokenizer": tokenizer} if tokenizer else {}, dict(file.meta))
    linear = replace(options.pipeline, seed=options.seed)
    trainer = PipelineTrainer(
        train, dev, linear, init=start, folder=folder, resume=resume, report=report
    )
    parts: dict[str, Part] = {}
    if trainer.has_text():
        parts["tokenizer"] = trainer.stage("tokenizer")
    elif tokenizer is not None:
        trainer.left_out[-1] += f"; the one of {file.meta.get('name', init)} is kept"
        parts["tokenizer"] = tokenizer
    parts[_NETWORK] = _finetuned_network(trainer, base, options, code, nearest)
    return parts, trainer


def _code(options: FinetuneOptions, told: str | None, asked: str) -> str:
    """The language of the treebank: by the options, its files, or its words."""
    for name in (options.language, asked, told):
        if name:
            return code_of(name) or name
    return UNKNOWN


def _tokenizer(file: ModelFile, nearest: str) -> Part | None:
    """The tokeniser to continue from, if there is one."""
    if MANY not in file.parts:
        return file.parts.get("tokenizer")
    many = ManyTokenizer.from_part(file.parts[MANY])
    found = many.tokenizers.get(nearest)
    return None if found is None else found.to_part()


def _finetuned_network(
    trainer: PipelineTrainer,
    base: Base,
    options: FinetuneOptions,
    code: str,
    nearest: str,
) -> Part:
    import torch

    from caesura.learn.network.net import Net, NetOptions, Transformer

    copies = _transcripts(trainer, options.speech)
    everything = [*trainer.train, *copies]
    found = adapt(base, everything, labels_of(everything), code, nearest)
    subwords, labels = base.parser.encoder.subwords, found.labels
    torch.manual_seed(options.seed)
    layers = base.shape.layers
    sizes = NetOptions(layers=layers, dropout=options.dropout, **found.settings)
    net = Net(Transformer(base.shape), found.sizes, sizes)
    net.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in found.weights.items()})
    number = None if found.languages is None else 1

    def made(docs: Sequence[Document], seen: bool | None = None) -> Examples:
        return prepare(
            docs, labels, subwords, seen=seen, attributes=found.attributes, language=number
        )

    data = _sources(trainer, copies, options, made)
    weights = _learned(
        trainer,
        net,
        data,
        made(trainer.dev) if trainer.dev else None,
        subwords,
        options,
        (options, code, nearest),
        options.patience,
        epochs=options.passes(sum(one.pieces for one in data)),
        # Longer windows than those in use would only take longer.
        limit=min(base.parser.limit, READ),
        frozen=options.layers(layers),
        # Embeddings have few bits, which would not store what they learned.
        fixed_pieces=True,
    )
    parser = finish(
        found.weights | dict(weights),
        base.shape,
        labels,
        subwords,
        base.parser.settings,
        limit=base.parser.limit,
        lexicon=found.lexicon,
        bits=base.bits,
        languages=found.languages,
        features=found.features,
        tags=found.tags,
    )
    parser.scale = base.parser.scale
    if trainer.dev:
        parser.scale = measure_scale(parser, [*trainer.dev, *transcripts(trainer.dev)])
    return parser.to_part()
