"""Training of the network, as a `Trainer` of the shared training loop.

AdamW with learning rates that grow from the lowest layer of the encoder to the highest and are
larger for the heads, warm-up and linear decay, mixed precision on a GPU. Unknown heads and tags
have no loss; the answers of a teacher are learned with their probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, pad

from caesura.learn.loop import Progress, silent
from caesura.learn.network.device_data import DeviceData, Recorder, Targets, on_device
from caesura.learn.network.examples import DECISIONS, IGNORE, Examples, Soft, random_cuts
from caesura.learn.network.net import Net
from caesura.models.file import Part
from caesura.stages.network_reading import Window, overlapping

Columns = dict[str, NDArray[Any]]
_TAGS = DECISIONS[:-1]


@dataclass(frozen=True)
class TrainOptions:
    """How the network is trained."""

    epochs: int = 40
    batch_pieces: int = 8192
    limit: int = 510
    encoder_step: float = 1e-4
    #: The learning rate of each layer of the encoder as a share of that of the layer above it.
    layer_decay: float = 0.85
    head_step: float = 1e-3
    weight_decay: float = 0.01
    warm_up: float = 0.1
    clip: float = 1.0
    #: The share of windows that are read without features, or as if in lower case.
    feature_dropout: float = 0.1
    lower_case: float = 0.1
    #: The share of words that are read as unknown ones, so that the context counts for more.
    word_dropout: float = 0.0
    #: Weights of the losses.
    start_weight: float = 1.0
    tag_weight: float = 0.5
    #: The number of lower layers that are frozen, with the embeddings and the word features.
    frozen: int = 0
    #: Whether the embeddings of sub-words are frozen, so that few bits store them exactly.
    fixed_pieces: bool = False
    seed: int = 0


@dataclass
class Source:
    """Training documents, and how often an epoch reads each of them.

    With 0.25 an epoch reads a quarter of them, and the next epoch the next quarter.
    """

    data: Examples
    times: float = 1.0
    soft: Soft | None = None
    #: The last epoch that reads it; None: the last of all.
    until: int | None = None
    #: A factor of `times` for each document; a document with 0.25 is read with that probability.
    by_document: NDArray[np.float64] | None = None

    def read_in(self, epoch: int) -> bool:
        return self.until is None or epoch <= self.until

    @property
    def pieces(self) -> float:
        """The sub-words that an epoch reads."""
        if self.by_document is None:
            return len(self.data.pieces) * self.times
        sizes = np.diff(self.data.piece_ptr[self.data.doc_ptr])
        return float(sizes @ self.by_document) * self.times

    def documents(self, epoch: int, random: np.random.Generator) -> NDArray[np.int64]:
        """The documents that an epoch reads, some of them several times."""
        n = len(self.data.doc_ptr) - 1
        if self.by_document is not None:
            often = self.by_document * self.times + random.random(n)
            return np.repeat(np.arange(n), often.astype(np.int64))
        whole = np.tile(np.arange(n), int(self.times))
        part = self.times - int(self.times)
        if part:
            order = np.random.default_rng(n).permutation(n)
            first, size = round((epoch - 1) * part * n), round(part * n)
            whole = np.concatenate([whole, order[(first + np.arange(size)) % n]])
        return whole


class NeuralTrainer:
    """Trains a network on examples; the loop measures, saves and stops."""

    def __init__(
        self,
        net: Net,
        train: Sequence[Source],
        dev: Mapping[str, Examples],
        special: tuple[int, int, int],
        options: TrainOptions,
        device: str = "cpu",
        unknown: int = -1,
    ) -> None:
        torch.manual_seed(options.seed)
        # It plans anew for every shape, which takes longer than the attention itself.
        torch.backends.cuda.enable_cudnn_sdp(False)
        if options.word_dropout and unknown < 0:
            raise ValueError("nothing is known that stands for unknown words")
        self.unknown = unknown
        self.report: Progress = silent
        self.net = net.to(device)
        _freeze(net, options.frozen)
        if options.fixed_pieces:
            net.encoder.pieces.weight.requires_grad_(False)
        self.sources = list(train)
        self.tables = [DeviceData(s.data, special, device, s.soft) for s in train]
        self.dev = {name: DeviceData(data, special, device) for name, data in dev.items()}
        self.options, self.device = options, device
        self.optimizer = torch.optim.AdamW(
            _groups(net, options), betas=(0.9, 0.98), fused=device != "cpu"
        )
        # Batches are not quite full: windows in one have about the same length.
        self.steps = 0
        for epoch in range(1, options.epochs + 1):
            pieces = sum(source.pieces for source in train if source.read_in(epoch))
            self.steps += max(1, math.ceil(pieces / options.batch_pieces * 1.05))
        self.step = 0
        self.values = _Values(net.options.attributes, device) if net.options.attributes else None
        self.recorder = Recorder(self._backward) if device != "cpu" else None
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._pace)

    def _pace(self, step: int) -> float:
        warm = max(1, int(self.steps * self.options.warm_up))
        if step < warm:
            return (step + 1) / warm
        return max(0.02, (self.steps - step) / max(1, self.steps - warm))

    def epoch(self, number: int) -> Mapping[str, float]:
        options = self.options
        random = np.random.default_rng((options.seed, number))
        batches: list[tuple[int, list[Window]]] = []
        for which, source in enumerate(self.sources):
            if not source.read_in(number):
                continue
            documents = source.documents(number, random)
            windows = random_cuts(
                source.data.piece_ptr, source.data.doc_ptr, options.limit, random, documents
            )
            even = self.tables[which].even
            packed = _batches(windows, source.data.piece_ptr, options.batch_pieces, random, even)
            batches += [(which, group) for group in packed]
        random.shuffle(batches)
        self._train()
        total: dict[str, Tensor] = {}
        with self.recorder.stream() if self.recorder else nullcontext():
            for done, (which, group) in enumerate(batches):
                if done % 16 == 0:
                    self.report(done / len(batches))
                for name, value in self._learn(which, group, random).items():
                    total[name] = total.get(name, 0.0) + value
        return {f"loss_{name}": float(value) / len(batches) for name, value in total.items()}

    def _learn(
        self, which: int, group: Sequence[Window], random: np.random.Generator
    ) -> dict[str, Tensor]:
        """Learn from a batch; the losses."""
        # Full batches with rows of the same length have the same shape.
        room = self.options.batch_pieces if self.recorder else 0
        place = self.tables[which].place(group, room)
        windows = place.bounds.shape[1]
        chance = np.pad(random.random(len(group)), (0, windows - len(group)))
        key = which, place.length, place.width, windows
        # Recorded steps add to gradients, which keep their addresses.
        self.optimizer.zero_grad(set_to_none=self.recorder is None)
        if self.recorder is None:
            given = [on_device(one, self.device) for one in (place.bounds, chance)]
            losses = self._backward(key, *given)
        else:
            losses = self.recorder(key, place.bounds, chance)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.options.clip)
        self.optimizer.step()
        self.scheduler.step()
        self.step += 1
        return losses

    def _backward(self, key: tuple[int, ...], bounds: Tensor, chance: Tensor) -> dict[str, Tensor]:
        """The losses of a batch; their gradients are added."""
        which, length, width = key[:3]
        losses = self._losses(self.tables[which], bounds, length, width, chance)
        sum(losses.values(), torch.zeros((), device=self.device)).backward()
        return {name: value.detach() for name, value in losses.items()}

    def _train(self) -> None:
        """Training mode, and inference mode for frozen layers."""
        self.net.train()
        if self.options.frozen:
            self.net.encoder.dropout.eval()
            for layer in self.net.encoder.layers[: self.options.frozen]:
                layer.eval()

    def _losses(
        self, data: DeviceData, bounds: Tensor, length: int, width: int, chance: Tensor
    ) -> dict[str, Tensor]:
        options = self.options
        inputs = data.inputs(bounds, length, width)
        inputs["features"] = _disguised(inputs["features"], options, chance)
        if options.word_dropout:
            inputs["ids"] = _hidden(inputs["ids"], inputs["word"], width, options, self.unknown)
        gold = data.targets(bounds, width)
        with _cast(self.device):
            out = self.net(**inputs)
        losses = {}
        # Nothing below synchronises with the GPU.
        known = gold.start_known
        cost = binary_cross_entropy_with_logits(
            out["start"].float(), gold.start, weight=known.float(), reduction="sum"
        )
        losses["start"] = options.start_weight * cost / known.sum().clamp(min=1)
        for name in DECISIONS[:-1]:
            if name == "feats" and self.values is not None:
                cost = self.values.cross(out[name], gold)
            else:
                cost = _cross(out[name], gold, name)
            losses[name] = options.tag_weight * cost
        # Heads are the words of the window without padding.
        real = pad(gold.inside, (1, 0), value=True)
        arcs = out["arc"].float().masked_fill(~real[:, None, :], -1e9)
        losses["arc"] = _cross(arcs, gold, "head")
        # Labels are those of the first head, if it is known.
        heads = gold.answers["head"][:, :, :1].expand(-1, -1, out["label_head"].shape[2])
        gold.chances["deprel"] = gold.chances["deprel"] * (gold.chances["head"][:, :, :1] > 0)
        with _cast(self.device):
            scores = self.net.labels(out["label_dep"], out["label_head"].gather(1, heads))
        losses["label"] = _cross(scores, gold, "deprel")
        return losses

    def score(self) -> Mapping[str, float]:
        scores: dict[str, float] = {}
        for name, data in self.dev.items():
            found = predict(self.net, data, self.options.limit)
            scores |= {f"{name}_{key}": value for key, value in _accuracies(found, data.data)}
        if scores:
            wanted = [v for k, v in scores.items() if k.endswith(("_las", "start_f1_50"))]
            scores["mean"] = sum(wanted) / len(wanted)
        return scores

    def _learned(self) -> dict[str, NDArray[Any]]:
        """The weights that are trained, without frozen ones."""
        frozen = {name for name, w in self.net.named_parameters() if not w.requires_grad}
        state = self.net.state_dict().items()
        return {k: v.detach().cpu().numpy() for k, v in state if k not in frozen}

    def parts(self) -> dict[str, Part]:
        """The current weights, from which `export.finish` makes a stage."""
        arrays = {k: v.copy() for k, v in self._learned().items()}
        return {"weights": Part("weights", {}, {}, arrays)}

    def state(self) -> dict[str, NDArray[Any]]:
        arrays = {f"net.{k}": v for k, v in self._learned().items()}
        for number, moments in self.optimizer.state_dict()["state"].items():
            for key, value in moments.items():
                arrays[f"adam.{number}.{key}"] = torch.as_tensor(value).cpu().numpy()
        arrays["step"] = np.array([self.step], dtype=np.int64)
        arrays["rng"] = torch.get_rng_state().numpy()
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        weights = {k[4:]: torch.from_numpy(v) for k, v in state.items() if k.startswith("net.")}
        self.net.load_state_dict(self.net.state_dict() | weights)
        optimizer = self.optimizer.state_dict()
        moments: dict[int, dict[str, Tensor]] = {}
        for key, value in state.items():
            if key.startswith("adam."):
                _, number, name = key.split(".")
                moments.setdefault(int(number), {})[name] = torch.from_numpy(value)
        optimizer["state"] = moments
        self.optimizer.load_state_dict(optimizer)
        self.step = int(state["step"][0])
        for _ in range(self.step):
            self.scheduler.step()
        torch.set_rng_state(torch.from_numpy(state["rng"]))


def _freeze(net: Net, layers: int) -> None:
    """Freeze the lowest layers, the embeddings and the word features."""
    if not layers:
        return
    for name, weight in net.named_parameters():
        part, _, rest = name.partition(".")
        inside, _, more = rest.partition(".")
        above = inside == "layers" and int(more.split(".")[0]) >= layers
        if part == "features" or (part == "encoder" and not above):
            weight.requires_grad_(False)


def _groups(net: Net, options: TrainOptions) -> list[dict[str, Any]]:
    """Weights by learning rate, smaller for lower layers; vectors do not decay."""
    layers = len(net.encoder.layers)
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, weight in net.named_parameters():
        if not weight.requires_grad:
            continue
        step = options.head_step
        if name.startswith("encoder."):
            above = layers
            if name.startswith("encoder.layers."):
                above = layers - 1 - int(name.split(".")[2])
            step = options.encoder_step * options.layer_decay**above
        groups.setdefault((step, options.weight_decay * (weight.ndim > 1)), []).append(weight)
    return [
        {"params": weights, "lr": step, "weight_decay": decay}
        for (step, decay), weights in groups.items()
    ]


def _cross(points: Tensor, gold: Targets, name: str) -> Tensor:
    """Cross-entropy with several answers and their probabilities, over words that have any."""
    answers, chances = gold.answers[name].flatten(0, 1), gold.chances[name].flatten(0, 1)
    logs = torch.log_softmax(points.flatten(0, 1).float(), -1)
    cost = -(logs.gather(-1, answers) * chances).sum()
    return cost / (chances.sum(-1) > 0).sum().clamp(min=1)


class _Values:
    """The attribute of each value of FEATS, and the first value of each attribute."""

    def __init__(self, sizes: Sequence[int], device: str) -> None:
        self.owner = on_device(np.repeat(np.arange(len(sizes)), sizes), device)
        self.first = on_device(np.cumsum(sizes) - np.array(sizes), device)

    def cross(self, points: Tensor, gold: Targets) -> Tensor:
        """The sum of the cross-entropies of the attributes, over words that have any.

        All attributes are computed at once, since there are many small ones.
        """
        points = points.float().flatten(0, 1)
        values = gold.answers["feats"].flatten(0, 1)
        known = gold.chances["feats"].flatten(0, 1)
        nothing = torch.zeros(points.shape[0], len(self.first), device=points.device)
        largest = nothing.scatter_reduce(
            1, self.owner.expand(points.shape[0], -1), points.detach(), "amax", include_self=False
        )
        sums = nothing.index_add(1, self.owner, torch.exp(points - largest[:, self.owner]))
        chosen = points.gather(1, self.first[None, :] + values) - largest
        cost = ((torch.log(sums) - chosen) * known).sum()
        return cost / known.sum().clamp(min=1)


def _disguised(features: Tensor, options: TrainOptions, chance: Tensor) -> Tensor:
    """Hide the features of some windows, and the capitals of others, by a random number of each."""
    chance = chance[:, None]
    hide = chance < options.feature_dropout
    lower = ~hide & (chance < options.feature_dropout + options.lower_case)
    shapes = features[:, :, 0]
    capital = (shapes >= 2) & (shapes <= 5)
    shapes = torch.where(lower & capital, 1, shapes)
    features = torch.cat([shapes[:, :, None], features[:, :, 1:]], -1)
    return torch.where(hide[:, :, None], 0, features)


def _hidden(ids: Tensor, word: Tensor, width: int, options: TrainOptions, unknown: int) -> Tensor:
    """Replace the sub-words of some words with unknown ones; `word` is 0 where there is none."""
    hide = torch.rand(word.shape[0], width + 1, device=word.device) < options.word_dropout
    hide[:, 0] = False
    return torch.where(torch.gather(hide, 1, word), unknown, ids)


def _batches(
    windows: list[Window],
    piece_ptr: NDArray[np.int64],
    room: int,
    random: np.random.Generator,
    even: int = 1,
) -> list[list[Window]]:
    """Batches of windows of about the same length, or of the same one if padded to `even`."""
    if not windows:
        return []
    bounds = np.array([(w.first, w.last) for w in windows])
    sizes = piece_ptr[bounds[:, 1]] - piece_ptr[bounds[:, 0]] + 2
    sizes = -(-sizes // even) * even
    order = np.argsort(sizes + random.random(len(sizes)) * (40 if even == 1 else 1), kind="stable")
    groups: list[list[Window]] = [[]]
    longest = 0
    for at in order.tolist():
        longest = max(longest, int(sizes[at]))
        if groups[-1] and longest * (len(groups[-1]) + 1) > room:
            groups.append([])
            longest = int(sizes[at])
        groups[-1].append(windows[at])
    return groups


@torch.no_grad()
def predict(net: Net, data: DeviceData, limit: int = 510) -> Columns:
    """Greedy decisions for all words: tags, starts, and the best head in the true sentence."""
    gold, attributes = data.data, net.options.attributes
    found: Columns = {
        name: np.full(gold.n_words, IGNORE, dtype=np.int64) for name in (*DECISIONS, "head")
    }
    found["start"] = np.zeros(gold.n_words, dtype=np.float32)
    if attributes:
        found["feats"] = np.full((gold.n_words, len(attributes)), IGNORE, dtype=np.int64)
    sentence = torch.from_numpy(np.cumsum(gold.start == 1)).to(data.device)
    for group, (words, inside), out in _read(net, data, limit):
        same = torch.where(inside, sentence[words], -1)
        allowed = pad(same[:, :, None] == same[:, None, :], (1, 0), value=True)
        best = out["arc"].float().masked_fill(~allowed, -1e9).argmax(-1)
        rows = torch.arange(len(best), device=best.device)[:, None].expand_as(best)
        with _cast(data.device):
            labels = net.labels(out["label_dep"], out["label_head"][rows, best])
        chosen = {name: out[name].argmax(-1) for name in _TAGS}
        if attributes:
            parts = out["feats"].split(list(attributes), -1)
            chosen["feats"] = torch.stack([points.argmax(-1) for points in parts], -1)
        chosen["start"] = torch.sigmoid(out["start"].float())
        chosen["deprel"] = labels.argmax(-1)
        chosen["head"] = torch.where(best == 0, -1, best - 1 + words[:, :1])
        for name, values in chosen.items():
            array = values.cpu().numpy()
            for row, w in enumerate(group):
                own = slice(w.keep_first - w.first, w.keep_last - w.first)
                found[name][w.keep_first : w.keep_last] = array[row, own]
    return found


def _read(
    net: Net, data: DeviceData, limit: int
) -> Iterator[tuple[list[Window], tuple[Tensor, Tensor], dict[str, Tensor]]]:
    """Overlapping windows, their words, and the scores of these."""
    pointer, docs = data.data.piece_ptr, data.data.doc_ptr.tolist()
    windows = [
        window
        for begin, end in pairwise(docs)
        for window in overlapping(pointer, begin, end, limit, limit // 5)
    ]
    windows.sort(key=lambda w: w.last - w.first)
    net.eval()
    for at in range(0, len(windows), 32):
        group = windows[at : at + 32]
        place = data.place(group)
        bounds = on_device(place.bounds, data.device)
        with _cast(data.device):
            out = net(**data.inputs(bounds, place.length, place.width))
        yield group, data.words(bounds, place.width), out


def _cast(device: str) -> torch.autocast:
    """Mixed precision on a GPU."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu")


def _accuracies(found: Mapping[str, NDArray[Any]], gold: Examples) -> list[tuple[str, float]]:
    """Accuracies without tree constraints, and F1 of starts inside documents."""
    scores = []
    for name in ("upos", "xpos", "feats", "lemma"):
        column = getattr(gold, name)
        known = (column if column.ndim == 1 else column[:, 0]) != IGNORE
        if known.any():
            right = found[name][known] == getattr(gold, name)[known]
            right = right if right.ndim == 1 else right.all(1)
            scores.append((name, 100 * float(right.mean())))
    known = gold.head != IGNORE
    uas = found["head"][known] == gold.head[known]
    las = uas & (found["deprel"][known] == gold.deprel[known])
    scores += [("uas", 100 * float(uas.mean())), ("las", 100 * float(las.mean()))]
    inner = np.ones(gold.n_words, dtype=bool)
    inner[gold.doc_ptr[:-1]] = False
    for threshold in (0.5, 0.35):
        said = (found["start"] > threshold) & inner
        true = (gold.start == 1) & inner
        hit = float((said & true).sum())
        f1 = 2 * hit / max(1.0, float(said.sum() + true.sum()))
        scores.append((f"start_f1_{int(threshold * 100)}", 100 * f1))
    return scores
