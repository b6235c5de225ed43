"""Networks that lie: labels that are not theirs, graphs that need not end, files of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.neural.shape import EncoderShape
from tests.reference.network import random_weights

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

SHAPE = EncoderShape(60, 128, 2, 4, 256, 70)
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"x{n}" for n in range(56))]


@pytest.fixture(scope="module")
def part() -> Part:
    """A network of small random weights, as a model file has it."""
    from caesura.neural.export import ExportOptions, to_onnx
    from caesura.neural.wordpiece import WordPiece

    weights = random_weights(SHAPE)
    sizes = {"upos": 7, "xpos": 9, "feats": 11, "lemma": 13}
    labels = {name: [f"{name}{n}" for n in range(size)] for name, size in sizes.items()}
    labels["lemma"] = ["l0//0/"] * 1 + [f"l{n}//0/" for n in range(1, 13)]
    labels["deprel"] = ["root", "a", "b", "c", "d"]
    graph = to_onnx(weights, SHAPE, ExportOptions(plain=True))
    arrays: dict[str, Any] = {
        "graph": np.frombuffer(graph, np.uint8),
        "subwords": np.frombuffer(WordPiece(tuple(PIECES)).definition.encode(), np.uint8),
        "label": weights["label"].astype(np.float16),
    }
    return Part("neural", {"window": 64}, labels, arrays)


def parse(part: Part) -> Document:
    from caesura.neural.parser import NeuralParser

    text = "The boats came back"
    starts = np.array([0, 4, 10, 15])
    doc = Document.from_spans(text, starts, np.array([3, 9, 14, 19]))
    NeuralParser.from_part(part).annotate([doc])
    return doc


def graph_of(part: Part, change: Callable[[Any], None]) -> Part:
    model = onnx.load_from_string(part.arrays["graph"].tobytes())
    change(model)
    graph = np.frombuffer(model.SerializeToString(), np.uint8)
    return replace(part, arrays={**part.arrays, "graph": graph})


def test_a_sound_one_parses(part: Part) -> None:
    doc = parse(part)
    doc.check()
    assert doc.n_words == 4


@pytest.mark.parametrize("name", ["upos", "xpos", "feats", "lemma"])
@pytest.mark.parametrize("more", [-1, 1, 60_000])
def test_labels_that_are_not_those_of_the_network(part: Part, name: str, more: int) -> None:
    kept = part.labels[name][:more] if more < 0 else part.labels[name]
    labels = {**part.labels, name: kept + [f"y{n}" for n in range(max(0, more))]}
    with pytest.raises(ModelError, match=f"numbers a word for {name}, of which there are"):
        parse(replace(part, labels=labels))


def test_weights_of_labels_of_another_size(part: Part) -> None:
    label = part.arrays["label"]
    with pytest.raises(ModelError, match="for label_dep"):
        parse(replace(part, arrays={**part.arrays, "label": label[:-1].copy()}))
    with pytest.raises(ModelError, match="for label_head"):
        parse(replace(part, arrays={**part.arrays, "label": label[:, :, :-1].copy()}))


def test_a_network_that_does_not_say_its_widths_is_found_out(part: Part) -> None:
    def open_ends(model: Any) -> None:
        for output in model.graph.output:
            dims = output.type.tensor_type.shape.dim
            if len(dims) == 3:
                dims[2].dim_param = f"open{output.name}"

    parse(graph_of(part, open_ends))
    labels = {**part.labels, "upos": part.labels["upos"][:-1]}
    with pytest.raises(ModelError, match="7 numbers a word for upos, of which there are 6"):
        parse(graph_of(replace(part, labels=labels), open_ends))


def test_a_loop_is_refused(part: Part) -> None:
    """One that never ends: the condition stays true."""
    helper = onnx.helper

    def loop(model: Any) -> None:
        body = helper.make_graph(
            [helper.make_node("Identity", ["c"], ["d"])],
            "body",
            [
                helper.make_tensor_value_info("i", onnx.TensorProto.INT64, []),
                helper.make_tensor_value_info("c", onnx.TensorProto.BOOL, []),
            ],
            [helper.make_tensor_value_info("d", onnx.TensorProto.BOOL, [])],
        )
        always = helper.make_tensor("t", onnx.TensorProto.BOOL, [], [True])
        nodes = [
            helper.make_node("Constant", [], ["always"], value=always),
            helper.make_node("Loop", ["", "always"], [], body=body),
        ]
        model.graph.node.extend(nodes)

    with pytest.raises(ModelError, match="the operator Loop, which need not end"):
        parse(graph_of(part, loop))


def test_numbers_in_another_file_are_refused(part: Part) -> None:
    def elsewhere(model: Any) -> None:
        tensor = model.graph.initializer[0]
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="/etc/passwd")

    with pytest.raises(ModelError, match="in another file"):
        parse(graph_of(part, elsewhere))


def test_scores_that_are_no_numbers(part: Part) -> None:
    def no_numbers(model: Any) -> None:
        for tensor in model.graph.initializer:
            array = onnx.numpy_helper.to_array(tensor)
            if array.dtype == np.float32 and array.size > 1:
                made = onnx.numpy_helper.from_array(np.full_like(array, np.nan), tensor.name)
                tensor.CopyFrom(made)

    with pytest.raises(ModelError, match="no numbers"):
        parse(graph_of(part, no_numbers))


def test_a_window_beyond_its_positions(part: Part) -> None:
    from caesura.neural.parser import NeuralParser

    words = 200
    starts = np.arange(words) * 2
    doc = Document.from_spans("x " * words, starts, starts + 1)
    with pytest.raises(ModelError, match="its network fails") as caught:
        NeuralParser.from_part(replace(part, config={"window": 500})).annotate([doc])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [0, 1, 100, 5000, -1])
def test_half_a_network_is_refused(part: Part, size: int) -> None:
    graph = part.arrays["graph"][:size].copy()
    with pytest.raises(ModelError):
        parse(replace(part, arrays={**part.arrays, "graph": graph}))
