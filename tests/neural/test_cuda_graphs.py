"""Steps on a card: batches of few shapes, which are recorded and played again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caesura.learn.network.examples import labels_of, prepare
from caesura.learn.network.pretrained import EncoderShape
from caesura.stages.network_reading import Window
from tests.encoders import character_pieces
from tests.neural.small import harbour

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from caesura.learn.network.net import Net, NetOptions, Transformer  # noqa: E402
from caesura.learn.network.trainer import NeuralTrainer, Source, TrainOptions  # noqa: E402

ROOM = 512


def trainer(device: str = "cpu") -> NeuralTrainer:
    """Of a small network that forgets nothing by chance."""
    torch.manual_seed(0)
    docs = harbour()
    labels, subwords = labels_of(docs), character_pieces(docs)
    shape = EncoderShape(subwords.size(), 32, 2, 4, 64, 130, first_position=2, buckets=32)
    options = NetOptions(arc_size=16, label_size=8, tag_size=16, layers=2, dropout=0.0)
    net = Net(Transformer(shape, dropout=0.0), labels.sizes, options)
    data = prepare(docs, labels, subwords)
    settings = TrainOptions(epochs=3, batch_pieces=ROOM, limit=126, clip=10.0)
    return NeuralTrainer(
        net, [Source(data, 4.0)], {"dev": data}, subwords.special, settings, device
    )


def gradients(one: NeuralTrainer) -> dict[str, Any]:
    return {
        name: weight.grad.cpu().numpy().copy()
        for name, weight in one.net.named_parameters()
        if weight.grad is not None
    }


def test_windows_without_words_change_nothing() -> None:
    one = trainer()
    table = one.tables[0]
    group = [Window(0, 9, 0, 9), Window(20, 24, 20, 24)]
    place = table.place(group)
    table.even = 64  # as on a card
    padded = table.place(group, ROOM)
    assert (padded.length, padded.width) == (64, 64)
    assert padded.bounds.shape == (4, ROOM // 64)
    assert (padded.bounds[:, :2] == place.bounds).all()
    assert not padded.bounds[:, 2:].any()
    found = []
    for at in (place, padded):
        one.optimizer.zero_grad()
        chance = torch.ones(at.bounds.shape[1], dtype=torch.float64)
        key = 0, at.length, at.width
        losses = one._backward(key, torch.from_numpy(at.bounds), chance)
        found.append(({name: float(value) for name, value in losses.items()}, gradients(one)))
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-5)
    for name, wanted in found[0][1].items():
        np.testing.assert_allclose(found[1][1][name], wanted, rtol=1e-3, atol=1e-6)


def test_a_window_takes_the_room_that_it_needs() -> None:
    one = trainer()
    place = one.tables[0].place([Window(0, 9, 0, 9)], 1)
    assert place.bounds.shape == (4, 1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no card")
def test_recorded_steps_learn_what_others_do() -> None:
    recorded, other = trainer("cuda"), trainer("cuda")
    other.recorder = None
    for number in (1, 2, 3):
        found, wanted = recorded.epoch(number), other.epoch(number)
        assert found == pytest.approx(wanted, rel=0.02), number
    assert recorded.recorder is not None
    assert recorded.recorder._records
    assert recorded.step == other.step > 2 * len(recorded.recorder._records)
    assert recorded.score()["dev_upos"] == pytest.approx(other.score()["dev_upos"], abs=5)
