"""A neural pipeline from one treebank: a tokeniser, and a network over an encoder."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from caesura.document import Document
from caesura.errors import InputError, MissingExtra, UsageError
from caesura.learn.copies import other_items, short_pieces
from caesura.learn.data import transcripts
from caesura.learn.loop import Loop
from caesura.learn.network_weights import Weights
from caesura.learn.options import NeuralOptions
from caesura.learn.report import Report, follow
from caesura.learn.silver import Silver, confident, unsure
from caesura.learn.stages import PipelineTrainer
from caesura.models.file import Part
from caesura.neural.bias_calibration import measure_scale
from caesura.neural.feats_of_xpos import features_of
from caesura.neural.lemmas import LemmaLexicon
from caesura.neural.prepare import labels_of, new_net, prepare
from caesura.neural.pretrained import check_weights
from caesura.neural.shape import kind_of
from caesura.neural.subwords import Subwords
from caesura.transform import relaid

if TYPE_CHECKING:
    from caesura.neural.examples import Labels
    from caesura.neural.train import Source

__all__ = ["check_encoder", "train_neural"]


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
    """The parts of a model file: the tokeniser as ever, and the network.

    With `silver` the network also learns from what a teacher said of raw text. It may `start` from
    weights that were learned from the same treebank, over the same encoder. `weights` names a
    file for what it learned, which is not exported then, and there are no parts: see
    `train.weights`.
    """
    check_encoder(encoder, options.layers)  # what cannot be used is told at once
    if silver is not None:
        options.check_silver()
    linear = replace(options.pipeline, seed=options.seed)
    trainer = PipelineTrainer(train, dev, linear, folder=folder, resume=resume, report=report)
    parts: dict[str, Part] = {}
    if weights is None and trainer.has_text():
        parts["tokenizer"] = trainer.stage("tokenizer")
    found = _network(trainer, encoder, options, silver, start, folder, resume)
    if weights is not None:
        found.save(weights)
        return parts, trainer
    stage = found.stage(options.search)
    stage.scale = measure_scale(stage, [*trainer.dev, *transcripts(trainer.dev)])
    parts["neural"] = stage.to_part()
    return parts, trainer


def check_encoder(encoder: str, layers: int) -> None:
    """Refuse an encoder that cannot be used, before anything else is done.

    Of its weights those of the first `layers` are needed; they are looked at and not loaded.
    """
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


def _network(
    trainer: PipelineTrainer,
    encoder: str,
    options: NeuralOptions,
    silver: Silver | None,
    start: Weights | None,
    folder: Path | None,
    resume: bool,
) -> Weights:
    import torch

    from caesura.neural.net import NetOptions
    from caesura.neural.train import NeuralTrainer, Source, TrainOptions

    if not any((doc.head >= -1).any() for doc in trainer.train):
        raise InputError("the training trees have no heads", remedy="Fill the HEAD column.")
    copies = transcripts(trainer.train) if options.speech else []
    labels = labels_of([*trainer.train, *copies])
    torch.manual_seed(options.seed)
    sizes = NetOptions(
        arc_size=options.arc_size,
        label_size=options.label_size,
        tag_size=options.tag_size,
        layers=options.layers,
        dropout=options.dropout,
    )
    net, subwords = new_net(encoder, labels, sizes)
    if start is not None:
        if start.labels != labels:
            raise UsageError("these weights are of other labels", remedy="Train them on this data.")
        net.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in start.arrays.items()})
    data = [Source(prepare(trainer.train, labels, subwords, seen=True))]
    if copies:
        data.append(Source(prepare(copies, labels, subwords, seen=False)))
    if options.relaid:
        random = np.random.default_rng(options.seed)
        moved = [doc for doc in (relaid(doc, random) for doc in trainer.train) if doc.n_words]
        data.append(Source(prepare(moved, labels, subwords), options.relaid))
    for copied, times in ((other_items, options.exchanged), (short_pieces, options.pieces)):
        if times:
            more = copied(trainer.train, options.seed)
            data.append(Source(prepare(more, labels, subwords), times))
    if silver is not None:
        data += _silver(silver, labels, subwords, options)
    held = {"dev": prepare(trainer.dev, labels, subwords)} if trainer.dev else {}
    settings = TrainOptions(
        epochs=options.epochs,
        batch_pieces=options.batch_pieces,
        limit=options.limit,
        encoder_step=options.encoder_step,
        head_step=options.head_step,
        layer_decay=options.layer_decay,
        warm_up=options.warm_up,
        tag_weight=options.tag_weight,
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
        # What is learned from gold alone comes last, and must not be cut off.
        patience=0 if silver is not None and options.silver.last else options.patience,
        checkpoint=folder / "neural.checkpoint" if folder is not None else None,
        resume=resume,
        fingerprint=trainer.fingerprint(
            "neural",
            (encoder, replace(options, epochs=0), silver and silver.about["fingerprint"]),
        ),
    )
    follow(loop, "network", trainer.report)
    known = silver.words() if silver is not None else ()
    return Weights(
        loop.best["weights"].arrays,
        labels,
        subwords,
        LemmaLexicon.of([*trainer.train, *copies], labels.lemma, known),
        net.encoder.shape,
        asdict(sizes),
        settings.limit,
        features_of(trainer.train, labels),
    )


def _silver(
    silver: Silver, labels: Labels, subwords: Subwords, options: NeuralOptions
) -> list[Source]:
    """What a teacher said of raw text, and of some of it as transcripts would have it."""
    from caesura.neural.train import Source

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
