"""A neural pipeline from one treebank: a tokeniser, and a network over an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from caesura.document import Document
from caesura.errors import InputError, MissingExtra
from caesura.learn.loop import Loop
from caesura.models.file import Part
from caesura.neural.lemmas import LemmaLexicon
from caesura.neural.prepare import SCRATCH, finish, labels_of, new_net, prepare
from caesura.neural.scale import measure_scale
from caesura.neural.subwords import Subwords
from caesura.train.data import transcripts
from caesura.train.options import NeuralOptions
from caesura.train.report import Report, follow
from caesura.train.stages import PipelineTrainer

if TYPE_CHECKING:
    from caesura.neural.parser import NeuralParser

__all__ = ["train_neural"]


def train_neural(
    train: Sequence[Document],
    dev: Sequence[Document],
    encoder: str,
    options: NeuralOptions,
    *,
    folder: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
) -> tuple[dict[str, Part], PipelineTrainer]:
    """The parts of a model file: the tokeniser as ever, and the network."""
    if encoder != "scratch":
        Subwords.from_folder(Path(encoder))  # an encoder that is not there is told at once
    linear = replace(options.pipeline, seed=options.seed)
    trainer = PipelineTrainer(train, dev, linear, folder=folder, resume=resume, report=report)
    parts: dict[str, Part] = {}
    if trainer.has_text():
        parts["tokenizer"] = trainer.stage("tokenizer")
    stage = _network(trainer, encoder, options, folder, resume)
    parts["neural"] = stage.to_part()
    return parts, trainer


def _network(
    trainer: PipelineTrainer,
    encoder: str,
    options: NeuralOptions,
    folder: Path | None,
    resume: bool,
) -> NeuralParser:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("torch", "neural-train", "Training a network") from error
    from caesura.neural.encoder import Transformer
    from caesura.neural.net import NetOptions
    from caesura.neural.train import NeuralTrainer, Source, TrainOptions

    if not any((doc.head >= -1).any() for doc in trainer.train):
        raise InputError("the training trees have no heads", remedy="Fill the HEAD column.")
    copies = transcripts(trainer.train) if options.speech else []
    labels = labels_of([*trainer.train, *copies])
    torch.manual_seed(options.seed)
    sizes = NetOptions(layers=options.layers, dropout=options.dropout)
    net, subwords = new_net(encoder, labels, sizes, trainer.train)
    data = [Source(prepare(trainer.train, labels, subwords, seen=True))]
    if copies:
        data.append(Source(prepare(copies, labels, subwords, seen=False)))
    held = {"dev": prepare(trainer.dev, labels, subwords)} if trainer.dev else {}
    settings = TrainOptions(
        epochs=options.epochs,
        batch_pieces=options.batch_pieces,
        limit=options.limit if encoder != SCRATCH else 6 * options.limit,
        encoder_step=options.encoder_step if encoder != SCRATCH else options.head_step,
        head_step=options.head_step,
        seed=options.seed,
    )
    device = options.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    learner = NeuralTrainer(net, data, held, subwords.special, settings, device)
    loop = Loop(
        learner,
        options.epochs,
        metric="mean",
        patience=options.patience,
        checkpoint=folder / "neural.checkpoint" if folder is not None else None,
        resume=resume,
        fingerprint=trainer.fingerprint("neural", (encoder, replace(options, epochs=0))),
    )
    follow(loop, "network", trainer.report)
    shape = net.encoder.shape if isinstance(net.encoder, Transformer) else None
    stage = finish(
        loop.best["weights"].arrays,
        shape,
        labels,
        subwords,
        options.search,
        limit=settings.limit,
        lexicon=LemmaLexicon.of(trainer.train, labels.lemma),
    )
    stage.scale = measure_scale(stage, [*trainer.dev, *transcripts(trainer.dev)])
    return stage
