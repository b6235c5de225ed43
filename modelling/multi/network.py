"""Training of the network of many languages: all treebanks at once, on a GPU."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from modelling.multi.encoder import Packed
from modelling.multi.examples import COPIES, Names, load_examples, often
from modelling.multi.states import State, learned_of
from numpy.typing import NDArray

from caesura.learn.network.net import Net, NetOptions, Transformer
from caesura.learn.network.trainer import NeuralTrainer, Source, TrainOptions


@dataclass(frozen=True)
class NetworkOptions:
    """How the network is trained."""

    epochs: int = 52
    #: Languages are read in proportion to their words to this power.
    power: float = 0.6
    #: How often a main treebank is read against the others of its language, where these have
    #: vectors of their own.
    main: float = 1.5
    #: Languages that are read so many times as often as that, by their codes.
    favoured: Mapping[str, float] = field(default_factory=dict)
    #: How often an epoch reads each copy of the documents.
    written: float = 1.0
    speech: float = 0.7
    relaid: float = 0.4
    arc_size: int = 384
    label_size: int = 96
    tag_size: int = 384
    dropout: float = 0.25
    word_dropout: float = 0.05
    batch_pieces: int = 49152
    #: The longest window in sub-words, as the model reads them.
    limit: int = 320
    encoder_step: float = 2e-4
    head_step: float = 1.2e-3
    layer_decay: float = 0.95
    warm_up: float = 0.05
    seed: int = 1


def train(
    work: Path,
    options: NetworkOptions,
    seconds: float = 0.0,
    device: str = "cuda",
    init: Path | None = None,
) -> None:
    """Write net.npz, what was learned, in 16 bits, and mean.npz: the mean over the second half.

    With `seconds` as many epochs as fit in them. `init` is what is gone on from: the net.npz of a
    run, or a model, whose network has no vectors of treebanks, so that these begin at nothing.
    """
    torch.set_float32_matmul_precision("high")
    packed = Packed.load(work / "encoder.safetensors")
    names = Names.load(work / "names.json")
    data = {copy: load_examples(work / f"{copy}.npz") for copy in COPIES}
    sources = [
        Source(
            examples,
            getattr(options, copy),
            by_document=often(
                examples, options.power, options.main, _favours(names, options.favoured)
            ),
        )
        for copy, examples in data.items()
    ]
    held = {"dev": load_examples(work / "dev.npz")}
    held["speech"] = load_examples(work / "dev-speech.npz")
    print("read", flush=True)

    def trainer(epochs: int) -> NeuralTrainer:
        torch.manual_seed(options.seed)
        settings = TrainOptions(
            epochs=epochs,
            batch_pieces=options.batch_pieces,
            limit=options.limit,
            encoder_step=options.encoder_step,
            head_step=options.head_step,
            layer_decay=options.layer_decay,
            word_dropout=options.word_dropout,
            warm_up=options.warm_up,
            fixed_pieces=True,
            seed=options.seed,
        )
        net = new_net(packed, names, options)
        if init is not None:
            known = {n: torch.from_numpy(a) for n, a in learned_of(init).items()}
            net.load_state_dict(net.state_dict() | known)
        special, unknown = packed.subwords.special, packed.subwords.unknown
        return NeuralTrainer(net, sources, held, special, settings, device, unknown)

    clock = time.perf_counter()
    learner = trainer(options.epochs)
    epochs = options.epochs
    if seconds:
        pace = _seconds_of_epoch(learner)
        epochs = max(1, int((seconds - (time.perf_counter() - clock)) / (pace * 1.03)))
        print(f"an epoch takes {pace:.1f} s: {epochs} epochs", flush=True)
        learner = trainer(epochs)
    mean = State()
    for epoch in range(1, epochs + 1):
        losses = learner.epoch(epoch)
        told = " ".join(f"{name[5:]} {value:.3f}" for name, value in losses.items())
        print(f"{epoch} {time.perf_counter() - clock:.0f} s {told}", flush=True)
        now = State(learner.parts()["weights"].arrays)
        if epoch > epochs // 2:
            mean.add(now)
        if epoch % 8 == 0 or epoch == epochs:
            scores = learner.score()
            print(" ".join(f"{k} {v:.2f}" for k, v in scores.items()), flush=True)
            now.save(work / "net.npz", epoch)
    mean.save(work / "mean.npz", epochs)


def _favours(names: Names, favoured: Mapping[str, float]) -> NDArray[np.float64]:
    """How much more often each language is read, by its number."""
    found = np.ones(len(names.codes) + 1)
    for code, times in favoured.items():
        found[names.codes.index(code) + 1] = times
    return found


def new_net(packed: Packed, names: Names, options: NetworkOptions) -> Net:
    sizes = names.labels.sizes | {"feats": names.attributes.total}
    made = NetOptions(
        arc_size=options.arc_size,
        label_size=options.label_size,
        tag_size=options.tag_size,
        dropout=options.dropout,
        layers=packed.shape.layers,
        languages=len(names.codes),
        treebanks=len(names.treebanks),
        attributes=names.attributes.sizes,
    )
    encoder = Transformer(packed.shape)
    encoder.load_state_dict({k: torch.from_numpy(v) for k, v in packed.arrays().items()})
    return Net(encoder, sizes, made)


class _Enough(Exception):
    """The pace of an epoch is known."""


def _seconds_of_epoch(learner: NeuralTrainer) -> float:
    """How long an epoch takes, by a part of one."""
    seen: list[tuple[float, float]] = []

    def watch(share: float) -> None:
        torch.cuda.synchronize()
        if share >= 0.04:
            seen.append((share, time.perf_counter()))
        if share >= 0.16:
            raise _Enough

    learner.report = watch
    with contextlib.suppress(_Enough):
        learner.epoch(1)
    (first, begin), (last, end) = seen[0], seen[-1]
    return (end - begin) / (last - first)
