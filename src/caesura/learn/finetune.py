"""A pipeline from a treebank and a network that was trained on others: `--init multi`.

The network keeps what it knows and learns the labels and habits of the treebank, on a CPU in
minutes; the embeddings of sub-words stay as they are. The tokeniser goes on from that of the
language, or of the one that is nearest.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from caesura.document import Document
from caesura.errors import InputError, MissingExtra, ModelError
from caesura.language.box import UNKNOWN, code_of
from caesura.language.choice import choose_model
from caesura.learn.data import transcripts
from caesura.learn.loop import Loop
from caesura.learn.options import FinetuneOptions
from caesura.learn.report import Report, follow
from caesura.learn.stages import PipelineTrainer
from caesura.models.file import ModelFile, Part
from caesura.models.store import load_model
from caesura.neural.bias_calibration import measure_scale
from caesura.neural.prepare import finish, labels_of, prepare
from caesura.neural.scores import READ
from caesura.stages.several_tokenizers import KIND as MANY
from caesura.stages.several_tokenizers import ManyTokenizer
from caesura.transform import relaid

if TYPE_CHECKING:
    from caesura.neural.adapt import Base

__all__ = ["code_of_files", "is_network", "train_from"]

_UD: Final = re.compile(r"([a-z]{2,3})_[a-z0-9]+-ud-")
_NETWORK: Final = "neural"


def is_network(init: str) -> bool:
    """Whether a model that training shall go on from is a network; a missing one is told of."""
    return _NETWORK in load_model(choose_model(init).model, arrays=False).parts


def code_of_files(paths: Sequence[str]) -> str | None:
    """The language that files of Universal Dependencies are in, by their names."""
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
    """The parts of a model file: the tokeniser and the network, both gone on from `init`."""
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("torch", "neural-train", "Going on from a network")
    from caesura.neural.adapt import Base

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
    parts[_NETWORK] = _network(trainer, base, options, code, nearest, resume)
    return parts, trainer


def _code(options: FinetuneOptions, told: str | None, asked: str) -> str:
    """The language of the treebank: as somebody says, as its files or its words tell."""
    for name in (options.language, asked, told):
        if name:
            return code_of(name) or name
    return UNKNOWN


def _tokenizer(file: ModelFile, nearest: str) -> Part | None:
    """The tokeniser to go on from, if there is one."""
    if MANY not in file.parts:
        return file.parts.get("tokenizer")
    many = ManyTokenizer.from_part(file.parts[MANY])
    found = many.tokenizers.get(nearest)
    return None if found is None else found.to_part()


def _network(
    trainer: PipelineTrainer,
    base: Base,
    options: FinetuneOptions,
    code: str,
    nearest: str,
    resume: bool,
) -> Part:
    import torch

    from caesura.neural.adapt import adapt
    from caesura.neural.encoder import Transformer
    from caesura.neural.net import Net, NetOptions
    from caesura.neural.train import NeuralTrainer, Source, TrainOptions

    if not any((doc.head >= -1).any() for doc in trainer.train):
        raise InputError("the training trees have no heads", remedy="Fill the HEAD column.")
    copies = transcripts(trainer.train) if options.speech else []
    everything = [*trainer.train, *copies]
    found = adapt(base, everything, labels_of(everything), code, nearest)
    subwords, labels = base.parser.encoder.subwords, found.labels
    torch.manual_seed(options.seed)
    layers = base.shape.layers
    sizes = NetOptions(layers=layers, dropout=options.dropout, **found.settings)
    net = Net(Transformer(base.shape), found.sizes, sizes)
    net.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in found.weights.items()})
    number = None if found.languages is None else 1

    def source(docs: Sequence[Document], seen: bool | None, times: float = 1.0) -> Source:
        data = prepare(
            docs, labels, subwords, seen=seen, attributes=found.attributes, language=number
        )
        return Source(data, times)

    data = [source(trainer.train, True)]
    if copies:
        data.append(source(copies, False))
    if options.relaid:
        random = np.random.default_rng(options.seed)
        moved = [doc for doc in (relaid(doc, random) for doc in trainer.train) if doc.n_words]
        data.append(source(moved, None, options.relaid))
    held = {"dev": source(trainer.dev, None).data} if trainer.dev else {}
    epochs = options.passes(sum(one.pieces for one in data))
    settings = TrainOptions(
        epochs=epochs,
        batch_pieces=options.batch_pieces,
        # Longer windows than are read in use would only take longer.
        limit=min(base.parser.limit, READ),
        encoder_step=options.encoder_step,
        head_step=options.head_step,
        layer_decay=options.layer_decay,
        warm_up=options.warm_up,
        tag_weight=options.tag_weight,
        frozen=options.layers(layers),
        # They have few bits, which would not keep what they learned.
        fixed_pieces=True,
        seed=options.seed,
    )
    device = options.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    learner = NeuralTrainer(net, data, held, subwords.special, settings, device)
    folder = trainer.folder
    loop = Loop(
        learner,
        epochs,
        metric="mean",
        patience=options.patience,
        checkpoint=folder / "neural.checkpoint" if folder is not None else None,
        resume=resume,
        fingerprint=trainer.fingerprint("neural", (options, code, nearest)),
    )
    follow(loop, "network", trainer.report)

    parser = finish(
        found.weights | loop.best["weights"].arrays,
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
