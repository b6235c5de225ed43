"""The weights of an exported network come back as the numbers that the file has."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import ModelError
from caesura.neural.shape import EncoderShape
from tests.reference.network import random_weights

pytest.importorskip("onnx", reason="onnx is not installed")

PLAIN = EncoderShape(60, 128, 2, 4, 256, 40)
BY_DISTANCE = EncoderShape(60, 128, 2, 4, 256, 42, first_position=2, eps=1e-5, buckets=32)
#: How each is exported, and by how much a weight of 0.05 may be off.
WAYS = [("plain", 8, (), 1e-6), ("8 bits", 8, ("ff2",), 2e-3), ("4 bits", 4, ("out", "ff2"), 2e-2)]


@pytest.mark.parametrize("shape", [PLAIN, BY_DISTANCE], ids=["absolute", "by distance"])
@pytest.mark.parametrize("way", WAYS, ids=[way[0] for way in WAYS])
def test_weights_come_back(
    shape: EncoderShape, way: tuple[str, int, tuple[str, ...], float]
) -> None:
    from caesura.neural.export import ExportOptions, to_onnx
    from caesura.neural.restore import restore

    name, bits, exact, most = way
    weights = random_weights(shape)
    # The last number of a mixture scales the sum, and is positive in a trained network.
    weights["mixture"][-1] = 1.3
    options = ExportOptions(name == "plain", frozenset(exact), bits)
    found = restore(to_onnx(weights, shape, options))
    assert found.options == options
    assert found.shape is not None
    assert (found.shape.layers, found.shape.heads, found.shape.inner) == (2, 4, 256)
    assert found.shape.buckets == shape.buckets
    assert found.shape.eps == pytest.approx(shape.eps)
    # Positions before the first are not in the file; labels are not in the graph.
    wanted = dict(weights)
    del wanted["label"]
    wanted["encoder.position.weight"] = weights["encoder.position.weight"][shape.first_position :]
    mixture = wanted.pop("mixture")
    powers = np.exp(mixture[:-1]) / np.exp(mixture[:-1]).sum()
    theirs = found.weights["mixture"]
    assert np.allclose(np.exp(theirs[:-1]) / np.exp(theirs[:-1]).sum(), powers, atol=1e-5)
    assert theirs[-1] == pytest.approx(mixture[-1], rel=1e-5)
    assert {*found.weights} - {"mixture"} == {*wanted}
    for key, array in wanted.items():
        # Buckets of distances that no window has are not in the file.
        by_distance = key == "encoder.distance.weight"
        there = found.weights[key] != 0 if by_distance else np.ones(array.shape, bool)
        assert there.mean() > 0.5
        assert np.allclose(found.weights[key][there], array[there], atol=most), key


@pytest.mark.parametrize("exact", [(), ("ff2",)])
def test_what_comes_back_is_exported_to_the_same_numbers(exact: tuple[str, ...]) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from caesura.neural.export import ExportOptions, to_onnx
    from caesura.neural.restore import restore
    from tests.neural.test_export import farthest, run

    weights = random_weights(PLAIN)
    weights["mixture"][-1] = 1.0
    options = ExportOptions(exact=frozenset(exact), embedding_bits=4)
    graph = to_onnx(weights, PLAIN, options)
    found = restore(graph)
    again = to_onnx(found.weights | {"label": weights["label"]}, found.shape, found.options)
    assert farthest(run(again), run(graph)) < 1e-3


def test_what_activations_are_divided_by_comes_back() -> None:
    from caesura.neural.export import ExportOptions, to_onnx
    from caesura.neural.restore import inputs_of, restore

    weights = random_weights(PLAIN)
    weights["mixture"][-1] = 1.0
    random = np.random.default_rng(3)
    sizes = {"qkv": 128, "ff2": 256}
    divisors = {
        f"encoder.layers.1.{name}": np.exp(random.uniform(-0.5, 0.5, size)).astype(np.float32)
        for name, size in sizes.items()
    }
    graph = to_onnx(weights, PLAIN, ExportOptions(divisors=divisors))
    found = restore(graph)
    assert {*found.options.divisors} == {*divisors}
    for name, divisor in divisors.items():
        assert np.allclose(found.options.divisors[name], divisor, rtol=1e-5)
        assert np.allclose(found.weights[f"{name}.weight"], weights[f"{name}.weight"], atol=5e-3)
    assert len(found.weights["mixture"]) == 3
    # What goes into a product is told as it is before it is divided.
    plain = inputs_of(to_onnx(weights, PLAIN, ExportOptions()), ("ff2",))
    assert {*plain} == {"encoder.layers.0.ff2", "encoder.layers.1.ff2"}
    assert [name.split(".")[0] for name in inputs_of(graph, ("ff2",)).values()] == ["Gelu", "Gelu"]


def test_files_with_a_product_for_each_kind_of_tags_are_read() -> None:
    import onnx
    from onnx import helper, numpy_helper

    from caesura.neural.export import TAGS, ExportOptions, to_onnx
    from caesura.neural.restore import restore

    weights = random_weights(PLAIN)
    model = onnx.load_model_from_string(to_onnx(weights, PLAIN, ExportOptions(plain=True)))
    nodes = list(model.graph.node)
    at = next(n for n, node in enumerate(nodes) if list(node.output) == [*TAGS])
    product, added = nodes[at - 2 : at]
    assert (product.op_type, added.op_type) == ("MatMul", "Add")
    old = []
    for tag in TAGS:
        for name, array in (("w", weights[f"{tag}.weight"].T), ("b", weights[f"{tag}.bias"])):
            own = numpy_helper.from_array(np.ascontiguousarray(array), f"{tag}.{name}")
            model.graph.initializer.append(own)
        old.append(helper.make_node("MatMul", [product.input[0], f"{tag}.w"], [f"{tag}.y"]))
        old.append(helper.make_node("Add", [f"{tag}.y", f"{tag}.b"], [tag]))
    del model.graph.node[:]
    model.graph.node.extend([*nodes[: at - 2], *old, *nodes[at + 1 :]])
    found = restore(model.SerializeToString())
    for tag in TAGS:
        assert np.array_equal(found.weights[f"{tag}.weight"], weights[f"{tag}.weight"])
        assert np.array_equal(found.weights[f"{tag}.bias"], weights[f"{tag}.bias"])


def test_a_network_over_characters_comes_back() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.neural.export import ExportOptions, to_onnx
    from caesura.neural.net import Net, NetOptions, Scratch
    from caesura.neural.restore import restore

    sizes = {"upos": 3, "xpos": 2, "feats": 4, "lemma": 5, "deprel": 6}
    options = NetOptions(arc_size=16, label_size=8, tag_size=16, languages=2)
    net = Net(Scratch(20, 32), sizes, options)
    weights = {name: tensor.detach().numpy() for name, tensor in net.state_dict().items()}
    found = restore(to_onnx(weights, None, ExportOptions(plain=True)))
    assert found.shape is None
    assert {*found.weights} == {*weights} - {"label"}
    for name, array in found.weights.items():
        assert np.allclose(array, weights[name], atol=1e-6), name


def test_a_graph_of_somebody_else_is_refused() -> None:
    from onnx import TensorProto, helper

    from caesura.neural.restore import restore

    node = helper.make_node("Identity", ["ids"], ["start"])
    value = helper.make_tensor_value_info("ids", TensorProto.FLOAT, [1])
    out = helper.make_tensor_value_info("start", TensorProto.FLOAT, [1])
    graph = helper.make_model(helper.make_graph([node], "other", [value], [out]))
    for data in (graph.SerializeToString(), b"no graph at all"):
        with pytest.raises(ModelError, match="nothing can go on from it"):
            restore(data)
