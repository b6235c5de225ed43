"""Networks that do not fit: other labels, other sub-words, weights that are no numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import ModelError
from caesura.learn.network.export import quantised
from caesura.learn.network.pretrained import EncoderShape
from caesura.models.file import Part
from caesura.stages.network import NeuralParser
from caesura.stages.network_subwords import WordPiece
from tests.neural.cases import Case
from tests.reference.network import random_weights

SHAPE = EncoderShape(60, 128, 2, 4, 256, 70)
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"x{n}" for n in range(56))]


@pytest.fixture(scope="module")
def part() -> Part:
    """A network of small random weights, as a model file has it."""
    weights = random_weights(SHAPE)
    sizes = {"upos": 7, "xpos": 9, "feats": 11, "lemma": 13}
    labels = {name: [f"{name}{n}" for n in range(size)] for name, size in sizes.items()}
    labels["lemma"] = ["l0//0/"] * 1 + [f"l{n}//0/" for n in range(1, 13)]
    labels["deprel"] = ["root", "a", "b", "c", "d"]
    network = quantised(weights, SHAPE)
    arrays = network.part_arrays() | {
        "subwords": np.frombuffer(WordPiece(tuple(PIECES)).definition.encode(), np.uint8),
        "label": weights["label"].astype(np.float16),
    }
    return Part("neural", {"window": 64, **network.part_option()}, labels, arrays)


def parse(part: Part) -> Document:
    text = "The boats came back"
    starts = np.array([0, 4, 10, 15])
    doc = Document.from_spans(text, starts, np.array([3, 9, 14, 19]))
    NeuralParser.from_part(part).annotate([doc])
    return doc


def with_arrays(part: Part, **changed: np.ndarray) -> Part:
    return replace(part, arrays={**part.arrays, **changed})


def test_a_sound_one_parses(part: Part) -> None:
    doc = parse(part)
    doc.check()
    assert doc.n_words == 4


def test_one_with_a_graph_parses(part: Part) -> None:
    """As older versions wrote it."""
    arrays = {name: a for name, a in part.arrays.items() if not name.startswith("network/")}
    label = np.zeros((9, 5, 9), np.float16)
    pieces = WordPiece(tuple(PIECES[:20])).definition.encode()
    arrays |= {"label": label, "subwords": np.frombuffer(pieces, np.uint8)}
    for name in ("blocks", "fast", "fast-distances", "float", "float-tags-apart"):
        old = replace(part, arrays=arrays | {"graph": Case.load(name).graph}, config={"window": 64})
        parse(old).check()
        again = NeuralParser.from_part(old).to_part()
        assert "graph" not in again.arrays
        assert parse(again) == parse(old)


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
        parse(with_arrays(part, label=label[:-1].copy()))
    with pytest.raises(ModelError, match="for label_head"):
        parse(with_arrays(part, label=label[:, :, :-1].copy()))


def test_sub_words_that_the_network_does_not_know(part: Part) -> None:
    more = WordPiece((*PIECES, "y")).definition.encode()
    with pytest.raises(ModelError, match="knows 60 sub-words, of which there are 61"):
        parse(with_arrays(part, subwords=np.frombuffer(more, np.uint8)))


@pytest.mark.parametrize("name", ["root", "tags.bias", "encoder.layers.1.out.scale", "label"])
def test_weights_that_are_no_numbers(part: Part, name: str) -> None:
    name = name if name == "label" else f"network/{name}"
    with pytest.raises(ModelError, match="cannot be used"):
        parse(with_arrays(part, **{name: np.full_like(part.arrays[name], np.nan)}))


@pytest.mark.parametrize("name", ["root", "arc.weight", "encoder.position.weight"])
def test_arrays_that_are_not_there(part: Part, name: str) -> None:
    arrays = {one: array for one, array in part.arrays.items() if one != f"network/{name}"}
    with pytest.raises(ModelError, match=name):
        parse(replace(part, arrays=arrays))


def test_windows_are_no_longer_than_the_network_reads(part: Part) -> None:
    words = 200
    starts = np.arange(words) * 2
    doc = Document.from_spans("x " * words, starts, starts + 1)
    parser = NeuralParser.from_part(replace(part, config={**part.config, "window": 500}))
    assert parser.encoder.limit == 68
    parser.annotate([doc])
    doc.check()
    assert parser.to_part().config["window"] == 500


@pytest.mark.parametrize("size", [0, 1, 100, 5000, -1])
def test_half_a_graph_is_refused(part: Part, size: int) -> None:
    graph = Case.load("fast").graph[:size].copy()
    with pytest.raises(ModelError):
        parse(with_arrays(part, graph=graph))
