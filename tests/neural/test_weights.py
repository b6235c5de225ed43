"""The arrays of a network: from older files, from training, and back as floats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.errors import ModelError
from caesura.learn.network.export import floats, quantised, shape_of
from caesura.learn.network.pretrained import EncoderShape, relative_buckets
from caesura.models.file import Part
from caesura.stages.network import NeuralParser
from caesura.stages.network_onnx import from_graph
from caesura.stages.network_weights import Network
from tests.neural.cases import CASES, Case
from tests.neural.small import small_network
from tests.reference.network import forward, random_weights

PLAIN = EncoderShape(60, 128, 2, 4, 256, 40)
BY_DISTANCE = EncoderShape(60, 128, 2, 4, 256, 42, first_position=2, eps=1e-5, buckets=32)


@pytest.mark.parametrize("name", CASES)
def test_a_graph_of_every_kind_is_read(name: str) -> None:
    """ONNX Runtime computed nearly what the weights that were read give in floats."""
    case = Case.load(name)
    network = from_graph(case.graph.data)
    found = forward(floats(network), shape_of(network), case.inputs)
    assert {*found} == {*case.outputs}
    for output, wanted in case.outputs.items():
        assert np.abs(found[output][0] - wanted).max() < 0.03 * np.abs(wanted).max(), output


def test_what_a_graph_shows_of_a_network() -> None:
    network = from_graph(Case.load("fast-divided").graph.data)
    assert network.tags == (7, 9, 11, 13)
    assert (network.heads, network.bits, network.features) == (4, 4, 4)
    assert (network.pieces, network.positions) == (20, 24)
    assert network.eps == pytest.approx(1e-12)
    assert "encoder.layers.0.ff2.factor" in network.arrays
    assert "encoder.layers.0.qkv.factor" not in network.arrays


@pytest.mark.parametrize("shape", [PLAIN, BY_DISTANCE], ids=["absolute", "by distance"])
@pytest.mark.parametrize(("bits", "most"), [(8, 1e-3), (4, 2e-2)])
def test_weights_come_back(shape: EncoderShape, bits: int, most: float) -> None:
    weights = random_weights(shape)
    # The last number of a mixture scales the sum, and is positive in a trained network.
    weights["mixture"][-1] = 1.3
    network = quantised(weights, shape, bits=bits)
    part = Part("neural", network.part_option(), {}, network.part_arrays())
    found = Network.of(part)
    assert found.bits == bits
    told = shape_of(found)
    assert (told.layers, told.heads, told.inner) == (2, 4, 256)
    assert told.buckets == shape.buckets
    assert told.eps == pytest.approx(shape.eps)
    wanted = dict(weights)
    del wanted["label"]
    wanted["encoder.position.weight"] = weights["encoder.position.weight"][shape.first_position :]
    mixture, plain = wanted.pop("mixture"), floats(found)
    powers = np.exp(mixture[:-1]) / np.exp(mixture[:-1]).sum()
    theirs = plain.pop("mixture")
    assert np.allclose(np.exp(theirs[:-1]) / np.exp(theirs[:-1]).sum(), powers, atol=1e-5)
    assert theirs[-1] == pytest.approx(mixture[-1], rel=1e-5)
    assert {*plain} == {*wanted}
    for name, array in wanted.items():
        # Buckets of distances that no window has are not in the file.
        by_distance = name == "encoder.distance.weight"
        there = plain[name] != 0 if by_distance else np.ones(array.shape, bool)
        assert there.mean() > 0.5
        rough = most if name == "encoder.pieces.weight" else 1e-3
        assert np.allclose(plain[name][there], array[there], atol=rough), name


def test_what_comes_back_is_rounded_to_the_same_numbers() -> None:
    network = quantised(random_weights(PLAIN), PLAIN, bits=4)
    again = quantised(floats(network), shape_of(network), bits=4)
    for name, array in network.arrays.items():
        if array.dtype == np.int8:
            assert np.array_equal(again.arrays[name], array), name
        else:
            assert np.allclose(again.arrays[name], array, rtol=1e-3, atol=1e-6), name


def test_a_network_over_characters_is_refused() -> None:
    graph = np.load(Path(__file__).parent / "cases" / "characters.npz")["graph"]
    part = small_network()
    part.arrays["graph"], part.arrays["subwords"] = graph, np.frombuffer(b"{}", np.uint8)
    with pytest.raises(ModelError, match=r"over characters.* at commit 43828f9 reads it"):
        NeuralParser.from_part(part)


def tensors(data: bytes) -> bytes:
    """A model whose graph has this constant alone."""
    graph = bytes([5 << 3 | 2, len(data)]) + data
    return bytes([7 << 3 | 2, len(graph)]) + graph


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "cannot be read"),
        (b"no graph at all", "cannot be read"),
        (bytes([7 << 3 | 2, 200, 1]), "cannot be read"),
        (bytes([25 << 3 & 127 | 130, 1, 0]), "functions of its own"),
        (bytes([7 << 3 | 2, 2, 15 << 3 | 2, 0]), "sparse tensors"),
        (bytes([7 << 3 | 2, 8, 1 << 3 | 2, 6, 4 << 3 | 2, 4]) + b"Loop", "operator Loop"),
        (tensors(bytes([14 << 3, 1])), "in another file"),
        (tensors(bytes([1 << 3, 9, 2 << 3, 1])), "cannot be read"),
    ],
    ids=["empty", "text", "short", "function", "sparse", "loop", "elsewhere", "size"],
)
def test_a_graph_that_is_not_ours_is_refused(data: bytes, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        from_graph(data)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({}, "not described"),
        ({"network": {"tags": [7, 9, 11], "heads": 4, "eps": 1e-12}}, "not described"),
        ({"network": {"tags": [7, 9, 11, 13], "heads": -4, "eps": 1e-12}}, "not described"),
        ({"network": {"tags": [7, 9, 11, 14], "heads": 4, "eps": 1e-12}}, "other sizes"),
        ({"network": {"tags": [7, 9, 11, 13], "heads": 0, "eps": 1e-12}}, "not described"),
    ],
)
def test_a_network_that_is_not_what_it_says_is_refused(options: dict[str, Any], match: str) -> None:
    arrays = quantised(random_weights(PLAIN), PLAIN).part_arrays()
    with pytest.raises(ModelError, match=match):
        Network.of(Part("neural", options, {}, arrays))


def test_distances_are_exact_when_near_and_logarithmic_when_far() -> None:
    table = relative_buckets(300, 32)
    assert table[0, :8].tolist() == [0, 17, 18, 19, 20, 21, 22, 23]
    assert table[:8, 0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert table[0, 299] == 31
    assert table[299, 0] == 15
    assert (np.diff(table[0, 1:]) >= 0).all()


def test_every_case_has_a_test() -> None:
    folder = Path(__file__).parent / "cases"
    assert sorted(path.stem for path in folder.glob("*.npz")) == sorted([*CASES, "characters"])


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
