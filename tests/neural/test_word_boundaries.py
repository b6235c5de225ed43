"""What an inner layer of a network says of words in text without blanks."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.neural.cutting import NEAR, Cutting, Layer, neighbours, units
from caesura.neural.parser import NeuralParser
from tests.neural.small import small_network

WIDTH, HIDDEN = 128, 5
TEXT = "the boats e\u0301 did"


@pytest.fixture(scope="module")
def network() -> Part:
    return small_network()


def with_cutting(network: Part, last: float = 0.0, layer: int = 2) -> NeuralParser:
    """The network, which cuts words of the language bb by random weights."""
    parser = NeuralParser.from_part(network)
    random = np.random.default_rng(1)
    first = random.standard_normal((1, 2 * NEAR * WIDTH, HIDDEN)).astype(np.float32) / 8
    bias = random.standard_normal((1, HIDDEN)).astype(np.float32)
    second = random.standard_normal((1, HIDDEN + 1)).astype(np.float32)
    second[:, -1] += last
    read = Layer(parser.encoder.engine, parser.encoder.subwords, layer)
    parser.cutting = Cutting({"bb": 2}, read, first, bias, second)
    return parser


def test_characters_are_read_with_their_marks_and_latin_words_whole() -> None:
    text = "ab1 กำลัง中か\u3099。"
    read = [text[a:b] for a, b in units(text).tolist()]
    assert read == ["ab1", "ก", "ำ", "ลั", "ง", "中", "か\u3099", "。"]
    assert units(" \n").shape == (0, 2)


def test_neighbours_are_two_to_each_side() -> None:
    vectors = np.arange(1, 4, dtype=np.float32)[:, None]
    assert neighbours(vectors).tolist() == [[0, 0, 1, 2], [0, 1, 2, 3], [1, 2, 3, 0]]


def test_odds_are_told_where_characters_meet(network: Part) -> None:
    parser = with_cutting(network)
    assert parser.cutter("aa") is None
    reader = parser.cutter("bb")
    assert reader is not None
    odds = reader("中文字 中ab文")
    assert odds.shape == (8,)
    assert np.flatnonzero(odds).tolist() == [1, 2, 5, 7]
    assert not reader("中").any()
    assert not reader("  ").any()


def test_odds_depend_on_layer_and_language(network: Part) -> None:
    parser = with_cutting(network)
    layers = [Layer(parser.encoder.engine, parser.encoder.subwords, n) for n in (1, 2)]
    spans = units(TEXT)
    found = [layer.vectors(TEXT, spans, 2) for layer in layers]
    assert all(one.shape == (len(spans), WIDTH) for one in found)
    assert np.abs(found[0] - found[1]).max() > 0.01
    assert np.abs(found[1] - layers[1].vectors(TEXT, spans, 1)).max() > 0.001


def test_a_model_file_keeps_it(network: Part) -> None:
    parser = with_cutting(network)
    part = parser.to_part()
    again = NeuralParser.from_part(part)
    one, two = parser.cutter("bb"), again.cutter("bb")
    assert one is not None
    assert two is not None
    assert np.allclose(one("中文字中文"), two("中文字中文"), atol=0.05)
    again.release(lambda: part)
    assert np.array_equal(two("中文字"), again.cutter("bb")("中文字"))  # type: ignore[misc]
    assert NeuralParser.from_part(network).cutter("bb") is None


def test_what_does_not_fit_is_refused(network: Part) -> None:
    part = with_cutting(network).to_part()
    other = Part(part.kind, part.config, part.labels | {"cut-languages": ["zz"]}, part.arrays)
    with pytest.raises(ModelError, match="does not know"):
        NeuralParser.from_part(other)
    short = part.arrays | {"cut-second": part.arrays["cut-second"][:, 1:]}
    with pytest.raises(ModelError):
        NeuralParser.from_part(Part(part.kind, part.config, part.labels, short))
    narrow = part.arrays | {"cut-first": part.arrays["cut-first"][:, 1:]}
    reader = NeuralParser.from_part(Part(part.kind, part.config, part.labels, narrow)).cutter("bb")
    assert reader is not None
    with pytest.raises(ModelError, match="another size"):
        reader("中文")
    for layer in (0, 4):
        config = part.config | {"cut-layer": layer}
        with pytest.raises(ModelError, match="no layer"):
            NeuralParser.from_part(Part(part.kind, config, part.labels, part.arrays))
