"""Networks cut down to what a use of them needs give what the whole one gives."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.document import YES
from caesura.neural.graph import read_number
from caesura.neural.onnx import OUTPUTS, READ, TAGS, Encoder
from caesura.neural.parser import NeuralParser
from caesura.neural.shape import EncoderShape
from caesura.neural.starts import NetworkStarts
from caesura.neural.surgery import COLUMNS, WIDTHS, _number, only, with_columns, without_mask
from caesura.pipeline import Pipeline, load
from caesura.transform import speech
from tests.neural.test_export import BY_DISTANCE, PLAIN, inputs
from tests.reference.network import random_weights

TEXT = "The boats did not come back. Nobody knew why, and nobody asked.\n\nthen they slept"


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return load("en")


@pytest.fixture(scope="module")
def parser(nlp: Pipeline) -> NeuralParser:
    found = nlp.stages[-1]
    assert isinstance(found, NeuralParser)
    return found


@given(st.integers(0, 1 << 60))
def test_numbers_come_back(value: int) -> None:
    data = _number(value)
    assert read_number(memoryview(data), 0) == (value, len(data))


def test_nothing_is_padded(nlp: Pipeline, parser: NeuralParser) -> None:
    seen = []
    encoder = parser.encoder
    session = encoder.session

    class Spy:
        def run(self, names: list[str], inputs: dict[str, Any]) -> Any:
            seen.append(inputs)
            return session.run(names, inputs)

    encoder.session = Spy()
    try:
        nlp(" ".join([TEXT] * 60))
    finally:
        encoder.session = session
    assert len(seen) > 1
    assert all(inputs["mask"].all() for inputs in seen)


@pytest.mark.parametrize("shape", [PLAIN, BY_DISTANCE])
def test_attention_without_a_mask_says_the_same(shape: EncoderShape) -> None:
    import onnxruntime as ort

    from caesura.neural.export import ExportOptions, to_onnx

    graph = to_onnx(random_weights(shape), shape, ExportOptions(plain=True))
    cut = without_mask(graph)
    # What tells the distance of words is no mask.
    assert (cut == graph) == (shape is BY_DISTANCE)
    told = {name: array[:1] for name, array in inputs().items()}
    options = {"providers": ["CPUExecutionProvider"]}
    found = [ort.InferenceSession(one, **options).run(None, told) for one in (graph, cut)]
    for before, after in zip(*found, strict=True):
        assert np.allclose(before, after, atol=1e-4)


@pytest.mark.parametrize("plain", [False, True])
def test_some_columns_of_tags_have_the_scores_that_they_have_among_all(plain: bool) -> None:
    import onnxruntime as ort

    from caesura.neural.export import ExportOptions, to_onnx

    weights = random_weights(PLAIN)
    graph = to_onnx(weights, PLAIN, ExportOptions(plain=plain))
    widths = [len(weights[f"{name}.bias"]) for name in TAGS]
    cut = with_columns(graph, widths, TAGS)
    assert with_columns(graph, [*widths[:-1], 1], TAGS) == graph, "of other labels"
    if plain:
        assert cut == graph
        return
    options = {"providers": ["CPUExecutionProvider"]}
    sessions = [ort.InferenceSession(one, **options) for one in (graph, cut)]
    whole = dict(zip(OUTPUTS, sessions[0].run(list(OUTPUTS), inputs()), strict=True))
    first = np.cumsum([0, *widths[:-1]])
    every = {name: list(range(width)) for name, width in zip(TAGS, widths, strict=True)}
    for few in ({"lemma": [0, 2]}, {}, {"lemma": [1], "feats": [0]}, {"upos": [1, 2]}):
        picked = {**every, **few}
        told = {
            **inputs(),
            COLUMNS: np.concatenate([a + picked[n] for a, n in zip(first, TAGS, strict=True)]),
            WIDTHS: np.array([len(picked[name]) for name in TAGS]),
        }
        for name, array in zip(OUTPUTS, sessions[1].run(list(OUTPUTS), told), strict=True):
            wanted = whole[name][:, :, picked[name]] if name in picked else whole[name]
            assert np.array_equal(array, wanted), name


def test_starts_alone_need_no_other_heads(nlp: Pipeline, parser: NeuralParser) -> None:
    assert len(only(parser.graph, ["start"])) < len(parser.graph)
    few = Encoder(parser.graph, parser.encoder.subwords, limit=parser.encoder.limit,
                  layout=parser.encoder.layout, outputs=("start",))  # fmt: skip
    doc = nlp(TEXT)
    alone, all_ = few.scores(doc), parser.encoder.scores(doc)
    assert np.allclose(alone.start, all_.start, atol=1e-4)
    assert nlp.quick()(TEXT).sent_start.tolist() == nlp(TEXT).sent_start.tolist()


def test_starts_alone_read_what_the_tokeniser_is_not_sure_of(
    nlp: Pipeline, parser: NeuralParser
) -> None:
    doc = nlp(" ".join([TEXT.replace("\n", " ")] * 5))
    stage = cast(NetworkStarts, parser.starts_alone())
    read: list[Any] = []
    scores = stage.parser.encoder.scores
    stage.parser.encoder.scores = lambda *given: read.append(given[1:]) or scores(*given)  # type: ignore
    evidence = np.zeros(doc.n_tokens, np.float32)
    evidence[[0, 30, 32, 80]] = 1.0, 0.4, 0.6, 0.97
    doc.start_evidence = evidence
    stage.annotate([doc], confidence=True)
    first = np.searchsorted(doc.word_token, [30, 32])
    assert read == [([(first[0] - 12, first[1] + 12)],)]
    all_ = scores(doc)
    assert np.allclose(scores(doc, [(0, doc.n_words)]).start, all_.start)
    sure = np.delete(np.arange(1, doc.n_tokens), [29, 31])
    assert (doc.sent_start[sure] == YES).tolist() == (sure == 80).tolist()
    assert doc.sent_conf is not None
    assert doc.sent_conf[80] > 0.9
    # Nothing to read; a bias, a text without capitals, no evidence: everything is read.
    doc.start_evidence = np.eye(1, doc.n_tokens, dtype=np.float32)[0]
    stage.annotate([doc])
    assert read[-1] == ([],)
    assert (doc.sent_start == YES).sum() == 1
    stage.with_options(bias=1.0).annotate([doc])
    doc.start_evidence = None
    stage.annotate([doc])
    plain = speech(doc)
    plain.start_evidence = np.full(plain.n_tokens, 0.5, np.float32)
    stage.annotate([plain])
    assert read[-2:] == [(), ([(0, plain.n_words)],)]


def test_a_network_that_is_cut_down_twice_is_as_if_once(parser: NeuralParser) -> None:
    once = without_mask(parser.graph)
    assert without_mask(once) == once
    start = only(once, ["start"])
    assert only(start, ["start"]) == start


def test_windows_are_no_longer_than_pays(nlp: Pipeline, parser: NeuralParser) -> None:
    doc = nlp(" ".join([TEXT] * 30))
    scores = parser.encoder.scores(doc)
    pieces, pointer = parser.encoder.subwords.pieces(doc)
    assert len(pieces) > READ
    ends = np.minimum(scores.base + scores.sizes - 1, doc.n_words)
    assert (pointer[ends] - pointer[scores.base]).max() <= READ
