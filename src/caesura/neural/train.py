"""Training of the network, as a `Trainer` of the one training loop.

AdamW with a small step for the encoder and a larger one for the heads, warm-up and linear decay,
mixed precision on a GPU. What is unknown in the data (a head, a tag) costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.learn.loop import Report, silent
from caesura.models.file import Part
from caesura.neural.examples import IGNORE, Examples
from caesura.neural.net import Net
from caesura.neural.windows import Window, batch, overlapping, random_cuts

__all__ = ["NeuralTrainer", "TrainOptions", "predict"]


@dataclass(frozen=True)
class TrainOptions:
    """How the network is trained."""

    epochs: int = 40
    batch_pieces: int = 8192
    limit: int = 510
    encoder_step: float = 5e-5
    head_step: float = 1e-3
    weight_decay: float = 0.01
    warm_up: float = 0.06
    clip: float = 1.0
    feature_dropout: float = 0.1
    #: Weights of the losses.
    start_weight: float = 1.0
    tag_weight: float = 0.5
    seed: int = 0


class NeuralTrainer:
    """Trains a network on examples; the loop draws, saves and stops."""

    def __init__(
        self,
        net: Net,
        train: Examples,
        dev: Mapping[str, Examples],
        special: tuple[int, int, int],
        options: TrainOptions,
        device: str = "cpu",
    ) -> None:
        torch.manual_seed(options.seed)
        self.report: Report = silent
        self.net = net.to(device)
        self.train_data, self.dev, self.special = train, dev, special
        self.options, self.device = options, device
        encoder = list(net.encoder.parameters())
        inner = {id(p) for p in encoder}
        heads = [p for p in net.parameters() if id(p) not in inner]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": encoder, "lr": options.encoder_step},
                {"params": heads, "lr": options.head_step},
            ],
            weight_decay=options.weight_decay,
            betas=(0.9, 0.98),
        )
        pieces = len(train.pieces)
        self.steps = max(1, math.ceil(pieces / options.batch_pieces)) * options.epochs
        self.step = 0
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._pace)

    def _pace(self, step: int) -> float:
        warm = max(1, int(self.steps * self.options.warm_up))
        if step < warm:
            return (step + 1) / warm
        return max(0.02, (self.steps - step) / max(1, self.steps - warm))

    def epoch(self, number: int) -> Mapping[str, float]:
        options, data = self.options, self.train_data
        random = np.random.default_rng((options.seed, number))
        windows = random_cuts(data.piece_ptr, data.doc_ptr, options.limit, random)
        groups = _groups(windows, data.piece_ptr, options.batch_pieces, random)
        self.net.train()
        total: dict[str, float] = {}
        for done, group in enumerate(groups):
            self.report(done / len(groups))
            losses = self._losses(group, random)
            loss = sum(losses.values(), torch.zeros((), device=self.device))
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), options.clip)
            self.optimizer.step()
            self.scheduler.step()
            self.step += 1
            for name, value in losses.items():
                total[name] = total.get(name, 0.0) + float(value.detach())
        return {f"loss_{name}": value / len(groups) for name, value in total.items()}

    def _losses(self, group: Sequence[Window], random: np.random.Generator) -> dict[str, Tensor]:
        options, data, device = self.options, self.train_data, self.device
        inputs = _inputs(data, group, self.special, options.limit, device)
        hide = random.random(len(group)) < options.feature_dropout
        if hide.any():
            inputs["features"][torch.from_numpy(hide).to(device)] = 0
        gold = _gold(data, group, inputs["first"].shape[1], device)
        cast = torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu")
        with cast:
            out = self.net(**inputs)
        cross = torch.nn.functional.cross_entropy
        losses = {}
        known = gold["start"] != IGNORE
        losses["start"] = (
            options.start_weight
            * torch.nn.functional.binary_cross_entropy_with_logits(
                out["start"].float()[known], gold["start"][known].float()
            )
        )
        for name in ("upos", "xpos", "feats", "lemma"):
            if (gold[name] != IGNORE).any():
                losses[name] = options.tag_weight * cross(
                    out[name].float().flatten(0, 1), gold[name].flatten(), ignore_index=IGNORE
                )
        arcs = out["arc"].float().masked_fill(~gold["heads"][:, None, :], -1e9)
        losses["arc"] = cross(arcs.flatten(0, 1), gold["head"].flatten(), ignore_index=IGNORE)
        pairs = (gold["head"] != IGNORE) & (gold["deprel"] != IGNORE)
        rows, places = pairs.nonzero(as_tuple=True)
        with cast:
            scores = self.net.labels(
                out["label_dep"][rows, places], out["label_head"][rows, gold["head"][rows, places]]
            )
        losses["label"] = cross(scores.float(), gold["deprel"][rows, places])
        return losses

    def score(self) -> Mapping[str, float]:
        scores: dict[str, float] = {}
        for name, data in self.dev.items():
            found = predict(self.net, data, self.special, self.device, self.options.limit)
            scores |= {f"{name}_{key}": value for key, value in quick_scores(found, data)}
        if scores:
            wanted = [v for k, v in scores.items() if k.endswith(("_las", "start_f1_50"))]
            scores["mean"] = sum(wanted) / len(wanted)
        return scores

    def parts(self) -> dict[str, Part]:
        """The weights as they stand; `neural.prepare.finish` makes a stage of them."""
        arrays = {k: v.detach().cpu().numpy().copy() for k, v in self.net.state_dict().items()}
        return {"weights": Part("weights", {}, {}, arrays)}

    def state(self) -> dict[str, NDArray[Any]]:
        arrays = {f"net.{k}": v.detach().cpu().numpy() for k, v in self.net.state_dict().items()}
        for number, moments in self.optimizer.state_dict()["state"].items():
            for key, value in moments.items():
                arrays[f"adam.{number}.{key}"] = torch.as_tensor(value).cpu().numpy()
        arrays["step"] = np.array([self.step], dtype=np.int64)
        arrays["rng"] = torch.get_rng_state().numpy()
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        weights = {k[4:]: torch.from_numpy(v) for k, v in state.items() if k.startswith("net.")}
        self.net.load_state_dict(weights)
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


def _groups(
    windows: list[Window], piece_ptr: NDArray[np.int64], room: int, random: np.random.Generator
) -> list[list[Window]]:
    """Batches of windows of about the same length, in random order."""
    size = {id(w): int(piece_ptr[w.last] - piece_ptr[w.first]) for w in windows}
    noise = {id(w): size[id(w)] + random.random() * 40 for w in windows}
    groups: list[list[Window]] = [[]]
    longest = 0
    for window in sorted(windows, key=lambda w: noise[id(w)]):
        longest = max(longest, size[id(window)] + 2)
        if groups[-1] and longest * (len(groups[-1]) + 1) > room:
            groups.append([])
            longest = size[id(window)] + 2
        groups[-1].append(window)
    order = random.permutation(len(groups))
    return [groups[i] for i in order]


def _inputs(
    data: Examples, group: Sequence[Window], special: tuple[int, int, int], limit: int, device: str
) -> dict[str, Tensor]:
    begin, end, pad = special
    arrays = batch(
        data.pieces,
        data.piece_ptr,
        data.features,
        group,
        begin_id=begin,
        end_id=end,
        pad_id=pad,
        limit=limit,
    )
    return {name: torch.from_numpy(array).to(device) for name, array in arrays.inputs().items()}


def _gold(data: Examples, group: Sequence[Window], width: int, device: str) -> dict[str, Tensor]:
    """Targets of a batch; heads count from 1 in the window, 0 is the root."""
    gold = {
        name: np.full((len(group), width), IGNORE, dtype=np.int64)
        for name in ("start", "upos", "xpos", "feats", "lemma", "deprel", "head")
    }
    heads = np.zeros((len(group), width + 1), dtype=bool)
    for row, window in enumerate(group):
        span, n = slice(window.first, window.last), window.last - window.first
        for name in ("start", "upos", "xpos", "feats", "lemma", "deprel"):
            gold[name][row, :n] = getattr(data, name)[span]
        head = data.head[span]
        inside = (head >= window.first) & (head < window.last)
        gold["head"][row, :n] = np.where(
            head == -1, 0, np.where(inside, head - window.first + 1, IGNORE)
        )
        heads[row, : n + 1] = True
    tensors = {name: torch.from_numpy(array).to(device) for name, array in gold.items()}
    tensors["heads"] = torch.from_numpy(heads).to(device)
    return tensors


@torch.no_grad()
def predict(
    net: Net, data: Examples, special: tuple[int, int, int], device: str, limit: int = 510
) -> dict[str, NDArray[Any]]:
    """Greedy decisions for all words: tags, starts, and the best head in the true sentence."""
    net.eval()
    n = data.n_words
    found: dict[str, NDArray[Any]] = {
        name: np.full(n, IGNORE, dtype=np.int64)
        for name in ("upos", "xpos", "feats", "lemma", "head", "deprel")
    }
    found["start"] = np.zeros(n, dtype=np.float32)
    sentence = np.cumsum(data.start == 1)
    windows = [
        window
        for begin, end in zip(data.doc_ptr[:-1].tolist(), data.doc_ptr[1:].tolist(), strict=True)
        for window in overlapping(data.piece_ptr, begin, end, limit, limit // 5)
    ]
    for at in range(0, len(windows), 32):
        group = windows[at : at + 32]
        inputs = _inputs(data, group, special, limit, device)
        cast = torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu")
        with cast:
            out = net(**inputs)
        width = inputs["first"].shape[1]
        number = np.full((len(group), width + 1), -1, dtype=np.int64)
        for row, w in enumerate(group):
            number[row, 1 : w.last - w.first + 1] = sentence[w.first : w.last]
        same = torch.from_numpy(number).to(device)
        allowed = same[:, 1:, None] == same[:, None, :]
        allowed[:, :, 0] = True
        best = out["arc"].float().masked_fill(~allowed, -1e9).argmax(-1)
        rows = torch.arange(len(group), device=device)[:, None].expand_as(best)
        with cast:
            label = net.labels(out["label_dep"], out["label_head"][rows, best]).argmax(-1)
        for row, w in enumerate(group):
            keep = slice(w.keep_first, w.keep_last)
            own = slice(w.keep_first - w.first, w.keep_last - w.first)
            for name in ("upos", "xpos", "feats", "lemma"):
                found[name][keep] = out[name][row, own].argmax(-1).cpu().numpy()
            found["start"][keep] = torch.sigmoid(out["start"][row, own].float()).cpu().numpy()
            head = best[row, own].cpu().numpy()
            found["head"][keep] = np.where(head == 0, -1, head - 1 + w.first)
            found["deprel"][keep] = label[row, own].cpu().numpy()
    return found


def quick_scores(found: Mapping[str, NDArray[Any]], gold: Examples) -> list[tuple[str, float]]:
    """Accuracies without tree constraints, and start F1 without document-initial ones."""
    scores = []
    for name in ("upos", "xpos", "feats", "lemma"):
        known = getattr(gold, name) != IGNORE
        if known.any():
            right = found[name][known] == getattr(gold, name)[known]
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
