"""The graph that is written computes what the network computes, and 8 bits change it little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caesura.neural.shape import EncoderShape, relative_buckets
from tests.reference.network import forward, random_weights

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

PLAIN = EncoderShape(60, 128, 2, 4, 256, 40)
BY_DISTANCE = EncoderShape(60, 128, 2, 4, 256, 42, first_position=2, eps=1e-5, buckets=32)


def inputs() -> dict[str, np.ndarray[Any, np.dtype[np.int64]]]:
    """Two windows, of which the second is shorter."""
    random = np.random.default_rng(1)
    ids = random.integers(0, 60, (2, 14))
    mask = np.ones((2, 14), np.int64)
    mask[1, 10:] = 0
    word = np.array(
        [[0, 1, 1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9, 0], [0, 1, 2, 3, 4, 5, 5, 6, 7, 0] + [0] * 4]
    )
    first = np.array([[1, 3, 4, 7, 8, 9, 10, 11, 12], [1, 2, 3, 4, 5, 7, 8, 1, 1]])
    last = np.array([[2, 3, 6, 7, 8, 9, 10, 11, 12], [1, 2, 3, 4, 6, 7, 8, 1, 1]])
    features = random.integers(0, 3, (2, 9, 3))
    return {"ids": ids, "mask": mask, "word": word, "first": first, "last": last,
            "features": features}  # fmt: skip


def run(graph: bytes) -> dict[str, Any]:
    import onnxruntime as ort

    from caesura.neural.export import OUTPUTS

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return dict(zip(OUTPUTS, session.run(list(OUTPUTS), inputs()), strict=True))


def farthest(found: dict[str, Any], wanted: dict[str, Any]) -> float:
    """The largest difference in the words that are there, against the size of the scores."""
    apart = [
        np.abs(found[name][row, :n] - wanted[name][row, :n]).max() / np.abs(wanted[name]).max()
        for name in wanted
        for row, n in enumerate((9, 7))
    ]
    return float(max(apart))


@pytest.mark.parametrize("shape", [PLAIN, BY_DISTANCE], ids=["absolute", "by distance"])
def test_the_graph_is_the_network(shape: EncoderShape) -> None:
    from caesura.neural.export import ExportOptions, to_onnx

    weights = random_weights(shape)
    found = run(to_onnx(weights, shape, ExportOptions(plain=True)))
    assert farthest(found, forward(weights, shape, inputs())) < 1e-4


@pytest.mark.parametrize(
    ("exact", "bits", "most"),
    [((), 8, 0.05), (("ff2",), 8, 0.05), (("qkv", "out", "ff1", "ff2"), 4, 0.1)],
)
def test_eight_bits_change_little(exact: tuple[str, ...], bits: int, most: float) -> None:
    from caesura.neural.export import ExportOptions, to_onnx

    weights = random_weights(BY_DISTANCE)
    options = ExportOptions(exact=frozenset(exact), embedding_bits=bits)
    small = to_onnx(weights, BY_DISTANCE, options)
    plain = to_onnx(weights, BY_DISTANCE, ExportOptions(plain=True))
    assert len(small) < len(plain) / 3
    assert farthest(run(small), forward(weights, BY_DISTANCE, inputs())) < most


def test_channels_that_go_far_are_divided() -> None:
    from caesura.neural.export import ExportOptions, to_onnx

    weights = random_weights(PLAIN)
    # Some channels of the second product go a hundred times as far as the others, and are not
    # worth more for that.
    for n in range(PLAIN.layers):
        weights[f"encoder.layers.{n}.ff1.bias"][:3] = 60
        weights[f"encoder.layers.{n}.ff2.weight"][:, :3] /= 100
    wanted = forward(weights, PLAIN, inputs())
    far = np.ones(PLAIN.inner, np.float32)
    far[:3] = 100
    divisors = {f"encoder.layers.{n}.ff2": far for n in range(PLAIN.layers)}
    away = {
        name: farthest(run(to_onnx(weights, PLAIN, options)), wanted)
        for name, options in (
            ("fast", ExportOptions()),
            ("divided", ExportOptions(divisors=divisors)),
            ("floats", ExportOptions(plain=True, divisors=divisors)),
        )
    }
    assert away["floats"] < 1e-4
    assert away["divided"] < 0.05
    assert away["divided"] < away["fast"] / 2


def test_distances_are_exact_when_near_and_logarithmic_when_far() -> None:
    table = relative_buckets(300, 32)
    assert table[0, :8].tolist() == [0, 17, 18, 19, 20, 21, 22, 23]
    assert table[:8, 0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert table[0, 299] == 31
    assert table[299, 0] == 15
    assert (np.diff(table[0, 1:]) >= 0).all()
