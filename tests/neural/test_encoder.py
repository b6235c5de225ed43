"""The encoder: what attention adds by distance is what the pairs of places say."""

from __future__ import annotations

import pytest

from caesura.learn.network.pretrained import EncoderShape, relative_buckets


@pytest.mark.parametrize("length", [1, 5, 17, 64, 128, 129, 300, 301])
@pytest.mark.parametrize("positions", [42, 512])
def test_the_bias_by_distance_is_that_of_all_pairs(length: int, positions: int) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.net import Transformer

    shape = EncoderShape(
        vocabulary=9, hidden=8, layers=1, heads=4, inner=8, positions=positions, first_position=2,
        eps=1e-5, buckets=32,
    )  # fmt: skip
    encoder = Transformer(shape)
    assert encoder.distance is not None
    pairs = torch.from_numpy(relative_buckets(length, shape.buckets))
    wanted = encoder.distance(pairs).permute(2, 0, 1)
    assert torch.equal(encoder._by_distance(length, encoder.distance), wanted)
