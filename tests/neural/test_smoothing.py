"""Channels whose activations go far are found on text, and divided by more than others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.neural.small import harbour, small_network

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def test_channels_that_go_far_are_found() -> None:
    from caesura.neural.export import ExportOptions, to_onnx
    from caesura.neural.parser import NeuralParser
    from caesura.neural.restore import restore
    from caesura.neural.smoothing import divisors

    part = small_network(many=False)
    known = restore(part.arrays["graph"].tobytes())
    weights = dict(known.weights)
    name = "encoder.layers.1.ff2"
    weights["encoder.layers.1.ff1.bias"] = np.array(weights["encoder.layers.1.ff1.bias"])
    weights["encoder.layers.1.ff1.bias"][[7, 30]] = 40
    graph = to_onnx(weights, known.shape, known.options)
    part = replace(part, arrays={**part.arrays, "graph": np.frombuffer(graph, np.uint8)})
    parser = NeuralParser.from_part(part)
    session = parser.encoder.session
    found = divisors(parser, harbour(), ("out", "ff2"))
    assert parser.encoder.session is session
    assert {*found} == {f"encoder.layers.{n}.{end}" for n in range(3) for end in ("out", "ff2")}
    assert {*np.argsort(found[name])[-2:].tolist()} == {7, 30}
    assert found[name][7] > 5 * np.median(found[name])
    assert np.exp(np.log(found[name]).mean()) == pytest.approx(1, rel=1e-4)
    assert found["encoder.layers.0.ff2"].max() < 5 * np.median(found["encoder.layers.0.ff2"])
    # What was divided already is measured as it was before.
    again = to_onnx(weights, known.shape, ExportOptions(divisors=found))
    part = replace(part, arrays={**part.arrays, "graph": np.frombuffer(again, np.uint8)})
    anew = divisors(NeuralParser.from_part(part), harbour(), ("out", "ff2"))
    assert np.allclose(anew[name], found[name], rtol=0.2)
