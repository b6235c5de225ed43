"""What networks say of text, without a search: greedy decisions, and answers for a student.

Several networks (other seeds, other encoders over the same sub-words) vote by their mean chances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.neural.batches import DeviceData, on_device
from caesura.neural.examples import ANSWERS, DECISIONS, IGNORE, Soft
from caesura.neural.net import Net
from caesura.neural.windows import Window, overlapping

__all__ = ["predict", "teach"]

_TAGS = DECISIONS[:-1]


@torch.no_grad()
def predict(net: Net, data: DeviceData, limit: int = 510) -> dict[str, NDArray[Any]]:
    """Greedy decisions for all words: tags, starts, and the best head in the true sentence."""
    gold = data.data
    attributes = net.options.attributes
    found = _empty(gold.n_words)
    if attributes:
        found["feats"] = np.full((gold.n_words, len(attributes)), IGNORE, dtype=np.int64)
    sentence = torch.from_numpy(np.cumsum(gold.start == 1)).to(data.device)
    for group, (words, inside), out, _ in _read([net], data, limit):
        same = torch.where(inside, sentence[words], -1)
        allowed = same[:, :, None] == same[:, None, :]
        allowed = torch.cat([torch.ones_like(allowed[:, :, :1]), allowed], 2)
        best = out["arc"].masked_fill(~allowed, -1.0).argmax(-1)
        _write(found, group, out, best, _labels(net, out, best).argmax(-1))
    return found


@torch.no_grad()
def teach(
    nets: Sequence[Net], data: DeviceData, limit: int = 510, cut: float = 0.5
) -> tuple[dict[str, NDArray[Any]], Soft]:
    """Greedy decisions by the mean of the networks, and their likeliest answers with chances.

    The best head is one in the sentence that the networks' starts make.
    """
    if any(net.options.attributes for net in nets):
        raise ValueError("a network that chooses FEATS by attribute cannot teach yet")
    n = data.data.n_words
    found = _empty(n)
    names = (*DECISIONS, "head")
    answers = {name: np.zeros((n, ANSWERS), np.int32) for name in names}
    chances = {name: np.zeros((n, ANSWERS), np.float16) for name in names}
    for group, (words, inside), out, raw in _read(nets, data, limit):
        first = words[:, 0]
        sentence = torch.cumsum((out["start"] > cut).long() * inside, 1)
        same = torch.where(inside, sentence, -1)
        allowed = same[:, :, None] == same[:, None, :]
        allowed = torch.cat([torch.ones_like(allowed[:, :, :1]), allowed], 2)
        best = out["arc"].masked_fill(~allowed, -1.0).argmax(-1)
        votes = [
            torch.softmax(_labels(net, one, best).float(), -1)
            for net, one in zip(nets, raw, strict=True)
        ]
        labels = torch.stack(votes).sum(0) / len(nets)
        _write(found, group, out, best, labels.argmax(-1))
        likely = {name: out[name] for name in _TAGS} | {"deprel": labels, "head": out["arc"]}
        for name, chance in likely.items():
            k = min(ANSWERS, chance.shape[-1])
            top, which = chance.topk(k, -1)
            if name == "head":
                # The best head in the sentence comes first: labels are those of its arc.
                which = torch.where(which == 0, -1, which - 1 + first[:, None, None])
                mine = torch.where(best == 0, -1, best - 1 + first[:, None])
                there = which == mine[:, :, None]
                own = out["arc"].gather(-1, best[:, :, None])[:, :, 0]
                top = torch.where(there, -1.0, top)
                last = torch.where(there.any(-1), there.long().argmax(-1), k - 1)
                top = torch.cat([own[:, :, None], _without(top, last)], -1)
                which = torch.cat([mine[:, :, None], _without(which, last)], -1)
            _keep(answers[name], group, which)
            _keep(chances[name], group, top)
    return found, Soft(found["start"].astype(np.float16), answers, chances)


def _without(table: Tensor, place: Tensor) -> Tensor:
    """A table of answers without the one at a place of each row."""
    at = torch.arange(table.shape[-1] - 1, device=table.device).expand(*table.shape[:-1], -1)
    return table.gather(-1, at + (at >= place[..., None]).long())


def _read(
    nets: Sequence[Net], data: DeviceData, limit: int
) -> Iterator[
    tuple[list[Window], tuple[Tensor, Tensor], dict[str, Tensor], list[dict[str, Tensor]]]
]:
    """Windows that overlap, their words, their mean chances, and what each network said."""
    gold = data.data
    windows = [
        window
        for begin, end in zip(gold.doc_ptr[:-1].tolist(), gold.doc_ptr[1:].tolist(), strict=True)
        for window in overlapping(gold.piece_ptr, begin, end, limit, limit // 5)
    ]
    windows.sort(key=lambda w: w.last - w.first)
    cast = torch.autocast(data.device, dtype=torch.bfloat16, enabled=data.device != "cpu")
    for net in nets:
        net.eval()
    for at in range(0, len(windows), 32):
        group = windows[at : at + 32]
        place = data.place(group)
        bounds = on_device(place.bounds, data.device)
        inputs = data.inputs(bounds, place.length, place.width)
        words, inside = data.words(bounds, place.width)
        real = torch.cat([torch.ones_like(inside[:, :1]), inside], 1)
        mean: dict[str, Tensor] = {}
        raw = []
        for net in nets:
            with cast:
                out = net(**inputs)
            raw.append(out)
            mine = {name: torch.softmax(out[name].float(), -1) for name in _TAGS}
            if net.options.attributes:
                mine["feats"] = _values(out["feats"].float(), net.options.attributes)
            mine["start"] = torch.sigmoid(out["start"].float())
            arcs = out["arc"].float().masked_fill(~real[:, None, :], -1e9)
            mine["arc"] = torch.softmax(arcs, -1)
            for name, chance in mine.items():
                mean[name] = mean[name] + chance / len(nets) if name in mean else chance / len(nets)
        if len(nets) == 1:
            mean |= {"label_dep": raw[0]["label_dep"], "label_head": raw[0]["label_head"]}
        yield group, (words, inside), mean, raw


def _values(points: Tensor, sizes: Sequence[int]) -> Tensor:
    """The best value of each attribute."""
    return torch.stack([part.argmax(-1) for part in points.split(list(sizes), -1)], -1)


def _labels(net: Net, out: dict[str, Tensor], best: Tensor) -> Tensor:
    rows = torch.arange(best.shape[0], device=best.device)[:, None].expand_as(best)
    with torch.autocast(best.device.type, dtype=torch.bfloat16, enabled=best.is_cuda):
        return net.labels(out["label_dep"], out["label_head"][rows, best])


def _empty(n: int) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {
        name: np.full(n, IGNORE, dtype=np.int64) for name in (*DECISIONS, "head")
    }
    return found | {"start": np.zeros(n, dtype=np.float32)}


def _write(
    found: dict[str, NDArray[Any]],
    group: Sequence[Window],
    out: dict[str, Tensor],
    best: Tensor,
    label: Tensor,
) -> None:
    for name in _TAGS:
        chosen = out[name] if found[name].ndim == 2 else out[name].argmax(-1)
        _keep(found[name], group, chosen)
    _keep(found["start"], group, out["start"])
    _keep(found["deprel"], group, label)
    first = torch.tensor([w.first for w in group], device=best.device)[:, None]
    _keep(found["head"], group, torch.where(best == 0, -1, best - 1 + first))


def _keep(table: NDArray[Any], group: Sequence[Window], values: Tensor) -> None:
    """Write the words that each window keeps."""
    array = values.cpu().numpy()
    for row, w in enumerate(group):
        own = array[row, w.keep_first - w.first : w.keep_last - w.first]
        if table.ndim == 1:
            table[w.keep_first : w.keep_last] = own
        else:
            table[w.keep_first : w.keep_last, : own.shape[-1]] = own
