"""What an inner layer of a network says of words in text without blanks."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import _core
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.stages.network import NeuralParser
from caesura.stages.network_word_boundaries import NEAR, Layer, WordBoundaries, units
from tests.neural.small import small_network

WIDTH, HIDDEN = 128, 5
TEXT = "the boats e\u0301 did"


@pytest.fixture(scope="module")
def network() -> Part:
    return small_network()


def with_boundaries(network: Part, last: float = 0.0, layer: int = 2) -> NeuralParser:
    """The network, which cuts words of the language bb by random weights."""
    parser = NeuralParser.from_part(network)
    random = np.random.default_rng(1)
    first = random.standard_normal((1, 2 * NEAR * WIDTH, HIDDEN)).astype(np.float32) / 8
    bias = random.standard_normal((1, HIDDEN)).astype(np.float32)
    second = random.standard_normal((1, HIDDEN + 1)).astype(np.float32)
    second[:, -1] += last
    read = Layer(parser.encoder.engine, parser.encoder.subwords, layer)
    parser.word_boundaries = WordBoundaries({"bb": 2}, read, first, bias, second)
    return parser


def test_characters_are_read_with_their_marks_and_latin_words_whole() -> None:
    text = "ab1 กำลัง中か\u3099。"
    read = [text[a:b] for a, b in units(text).tolist()]
    assert read == ["ab1", "ก", "ำ", "ลั", "ง", "中", "か\u3099", "。"]
    assert units(" \n").shape == (0, 2)


def test_odds_are_those_of_the_vectors_around_a_place() -> None:
    random = np.random.default_rng(2)
    for n, hidden in ((1, 3), (3, 16), (150, 37)):
        vectors = random.standard_normal((n, 6)).astype(np.float32)
        first = random.standard_normal((2 * NEAR * 6, hidden)).astype(np.float32)
        bias = random.standard_normal(hidden).astype(np.float32)
        second = random.standard_normal(hidden + 1).astype(np.float32)
        wide = np.pad(vectors, ((NEAR, NEAR), (0, 0)))
        near = np.concatenate([wide[at : at + n] for at in range(2 * NEAR)], 1)
        wanted = np.maximum(near @ first + bias, 0) @ second[:-1] + second[-1]
        found = _core.WordBoundaries(first, bias, second).odds(vectors)
        assert np.allclose(found, wanted, rtol=1e-4, atol=1e-4)
    with pytest.raises(_core.DamagedModel, match="another size"):
        _core.WordBoundaries(first, bias, second).odds(vectors[:, :-1].copy())
    with pytest.raises(_core.DamagedModel, match="do not fit"):
        _core.WordBoundaries(first[:-1], bias, second)
    with pytest.raises(_core.DamagedModel, match="do not fit"):
        _core.WordBoundaries(first * np.float32(np.inf), bias, second)


def test_odds_are_told_where_characters_meet(network: Part) -> None:
    parser = with_boundaries(network)
    assert parser.word_reader("aa") is None
    reader = parser.word_reader("bb")
    assert reader is not None
    odds = reader("中文字 中ab文")
    assert odds.shape == (8,)
    assert np.flatnonzero(odds).tolist() == [1, 2, 5, 7]
    assert not reader("中").any()
    assert not reader("  ").any()


def test_odds_depend_on_layer_and_language(network: Part) -> None:
    parser = with_boundaries(network)
    layers = [Layer(parser.encoder.engine, parser.encoder.subwords, n) for n in (1, 2)]
    spans = units(TEXT)
    found = [layer.vectors(TEXT, spans, 2) for layer in layers]
    assert all(one.shape == (len(spans), WIDTH) for one in found)
    assert np.abs(found[0] - found[1]).max() > 0.01
    assert np.abs(found[1] - layers[1].vectors(TEXT, spans, 1)).max() > 0.001


def test_a_model_file_keeps_it(network: Part) -> None:
    parser = with_boundaries(network)
    part = parser.to_part()
    again = NeuralParser.from_part(part)
    one, two = parser.word_reader("bb"), again.word_reader("bb")
    assert one is not None
    assert two is not None
    assert np.allclose(one("中文字中文"), two("中文字中文"), atol=0.05)
    again.release(lambda: part)
    assert np.array_equal(two("中文字"), again.word_reader("bb")("中文字"))  # type: ignore[misc]
    assert NeuralParser.from_part(network).word_reader("bb") is None


def test_what_does_not_fit_is_refused(network: Part) -> None:
    part = with_boundaries(network).to_part()
    other = Part(part.kind, part.config, part.labels | {"cut-languages": ["zz"]}, part.arrays)
    with pytest.raises(ModelError, match="of a language that its network does not know"):
        NeuralParser.from_part(other)
    short = part.arrays | {"cut-second": part.arrays["cut-second"][:, 1:]}
    with pytest.raises(ModelError):
        NeuralParser.from_part(Part(part.kind, part.config, part.labels, short))
    narrow = part.arrays | {"cut-first": part.arrays["cut-first"][:, 1:]}
    with pytest.raises(ModelError, match="do not fit"):
        NeuralParser.from_part(Part(part.kind, part.config, part.labels, narrow))
    narrow = part.arrays | {"cut-first": part.arrays["cut-first"][:, 4:]}
    reader = NeuralParser.from_part(Part(part.kind, part.config, part.labels, narrow)).word_reader(
        "bb"
    )
    assert reader is not None
    with pytest.raises(ModelError, match="another size"):
        reader("中文")
    for layer in (0, 4):
        config = part.config | {"cut-layer": layer}
        with pytest.raises(ModelError, match="no layer"):
            NeuralParser.from_part(Part(part.kind, config, part.labels, part.arrays))
