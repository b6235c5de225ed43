"""Networks of model files run by the core or a device: close to floats, in windows and threads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura
from caesura.document import YES, Document
from caesura.errors import ModelError, UsageError
from caesura.learn.network.distillation import teach
from caesura.learn.network.export import floats, shape_of
from caesura.models.file import load as load_file
from caesura.models.file import save
from caesura.models.store import find
from caesura.options import Request
from caesura.pipeline import Pipeline
from caesura.stages.network import NetworkStarts, NeuralParser
from caesura.stages.network_encoder import READ, Encoder, engine_of
from caesura.stages.network_onnx import from_graph
from caesura.stages.network_weights import TAGS, Network
from caesura.transform import speech
from tests.neural.cases import CASES, Case
from tests.neural.small import small_network
from tests.reference.network import forward, words

TEXT = "The boats did not come back. Nobody knew why, and nobody asked.\n\nthen they slept"


def outputs(network: Network, given: tuple[Any, ...]) -> dict[str, Any]:
    """What the core gives for one window, by the names of the reference."""
    core = engine_of(network)
    start, tags, arcs, base, sizes, dep, head, root = core.scores(*given)
    assert not base.any()
    assert (sizes == len(start) + 1).all()
    assert np.array_equal(core.starts(*given), start)
    parts = np.split(tags, np.cumsum(network.tags)[:-1], 1)
    heads = np.concatenate([root[None], head])
    return {
        "start": start, **dict(zip(TAGS, parts, strict=True)), "arc": arcs,
        "label_dep": dep, "label_head": heads,
    }  # fmt: skip


def farthest(found: dict[str, Any], wanted: dict[str, Any]) -> float:
    """The largest difference, against the size of the scores."""
    return float(max(np.abs(found[n] - wanted[n]).max() / np.abs(wanted[n]).max() for n in wanted))


@pytest.mark.parametrize("name", CASES)
def test_the_core_computes_what_the_reference_does(name: str) -> None:
    case = Case.load(name)
    network = from_graph(case.graph.data)
    found = outputs(network, case.core_inputs())
    wanted = {n: a[0] for n, a in forward(floats(network), shape_of(network), case.inputs).items()}
    assert farthest(found, wanted) < 0.03
    assert farthest(found, case.outputs) < 0.05, "ONNX Runtime"


def test_vectors_after_a_layer_are_those_of_the_first_sub_words() -> None:
    case = Case.load("fast-divided")
    network = from_graph(case.graph.data)
    pieces, pointer, features, _, begin, end, limit = case.core_inputs()
    shape, weights = shape_of(network), floats(network)
    core = engine_of(network)
    for layer in range(1, shape.layers + 1):
        found = core.states(layer, pieces, pointer, features, begin, end, limit)
        # A mixture of this layer alone, in words of their first sub-words, is what is wanted.
        weights["mixture"] = np.full(shape.layers + 1, -1e9, np.float32)
        weights["mixture"][[layer - 1, -1]] = 0, 1
        wanted = words(weights, shape, case.inputs | {"last": case.inputs["first"]})[0]
        wanted = wanted - weights["manner.weight"][features[:, -1]]
        assert np.abs(found - wanted).max() < 0.03 * np.abs(wanted).max()
    with pytest.raises(ValueError):
        core.states(core.layers + 1, pieces, pointer, features, begin, end, limit)


def test_several_windows_are_read_as_each_alone() -> None:
    encoder = NeuralParser.from_part(small_network(many=False)).encoder
    text = " ".join(["The boats did not come back"] * 60)
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")]) - 1
    doc = Document.from_spans(text, np.concatenate(([0], ends[:-1] + 1)), ends)
    whole = encoder.scores(doc)
    assert len({*whole.base.tolist()}) > 3
    encoder.threads = 3
    for found in (encoder.scores(doc), encoder.scores_of([doc])[0]):
        assert np.array_equal(found.arcs, whole.arcs)
        assert np.array_equal(found.base, whole.base)
        assert np.array_equal(found.sizes, whole.sizes)
        assert all(np.array_equal(found.tags[name], whole.tags[name]) for name in TAGS)
        assert np.array_equal(found.label_head, whole.label_head)
    assert np.array_equal(encoder.starts(doc), whole.start)
    spans = [(3, 9), (200, 230)]
    some = encoder.starts(doc, spans)
    read = np.zeros(doc.n_words, bool)
    for first, last in spans:
        read[first:last] = True
    assert not some[~read].any()
    assert some[read].all()
    encoder.threads = 1
    assert np.array_equal(encoder.starts(doc, spans), some)


def test_an_empty_document_has_no_scores() -> None:
    encoder = NeuralParser.from_part(small_network(many=False)).encoder
    doc = Document(text="")
    assert encoder.scores(doc).arcs.shape[0] == 0
    assert len(encoder.starts(doc)) == 0


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return caesura.load("en")


@pytest.fixture(scope="module")
def parser(nlp: Pipeline) -> NeuralParser:
    found = nlp.stages[-1]
    assert isinstance(found, NeuralParser)
    return found


def test_starts_alone_read_what_the_tokeniser_is_not_sure_of(
    nlp: Pipeline, parser: NeuralParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    doc = nlp(" ".join([TEXT.replace("\n", " ")] * 5))
    stage = parser.starts_alone()
    assert isinstance(stage, NetworkStarts)
    read: list[Any] = []
    starts = Encoder.starts

    def spy(encoder: Encoder, *given: Any) -> Any:
        read.append(given[1:])
        return starts(encoder, *given)

    monkeypatch.setattr(Encoder, "starts", spy)
    evidence = np.zeros(doc.n_tokens, np.float32)
    evidence[[0, 30, 32, 80]] = 1.0, 0.4, 0.6, 0.97
    doc.start_evidence = evidence
    stage.annotate([doc], Request(confidence=True))
    first = np.searchsorted(doc.word_token, [30, 32])
    assert read == [([(first[0] - 12, first[1] + 12)],)]
    encoder = parser.encoder
    assert np.array_equal(starts(encoder, doc, [(0, doc.n_words)]), encoder.scores(doc).start)
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


def test_windows_are_no_longer_than_pays(nlp: Pipeline, parser: NeuralParser) -> None:
    doc = nlp(" ".join([TEXT] * 30))
    scores = parser.encoder.scores(doc)
    pieces, pointer = parser.encoder.subwords.pieces(doc)
    assert len(pieces) > READ
    ends = np.minimum(scores.base + scores.sizes - 1, doc.n_words)
    assert (pointer[ends] - pointer[scores.base]).max() <= READ


def test_the_arrays_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.caesura"
    path.write_bytes(Path(find("en")).read_bytes())
    whole = Pipeline(load_file(path))
    nlp = Pipeline(load_file(path), release=True)
    kept, let_go = whole.stage(NeuralParser), nlp.stage(NeuralParser)
    assert kept is not None
    assert let_go is not None
    assert not let_go._network.arrays
    arrays = let_go.network.arrays
    assert all(np.array_equal(arrays[name], one) for name, one in kept.network.arrays.items())
    text = "They left early. Nobody asked why."
    starts = [nlp.quick()(text).sent_start.tolist(), whole.quick()(text).sent_start.tolist()]
    assert starts[0] == starts[1]
    file = load_file(path)
    array = file.parts["neural"].arrays["label"]
    file.parts["neural"].arrays["label"] = array * np.float16(0.5)
    kinds = ("format", "kind", "parts", "sha256")
    save(path, file.parts, meta={k: v for k, v in file.meta.items() if k not in kinds})
    with pytest.raises(ModelError, match="changed since"):
        _ = let_go.network


def test_a_device_that_does_not_exist() -> None:
    network = from_graph(Case.load("fast").graph.data)
    with pytest.raises(UsageError, match="there is no device 'tpu'"):
        engine_of(network, "tpu")


def test_without_pytorch_one_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError, match="the device cuda needs PyTorch"):
        caesura.load("en", device="cuda")


def test_a_card_that_pytorch_does_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match="PyTorch sees no device cuda"):
        caesura.load("en", device="cuda")


def test_a_linear_model_has_no_device() -> None:
    with pytest.raises(UsageError, match="device"):
        caesura.load("en-fast", device="cuda")


def test_the_network_that_pytorch_runs_says_what_the_core_says() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.torch_engine import TorchEngine

    nlp = caesura.load("en")
    (parser,) = (stage for stage in nlp.stages if isinstance(stage, NeuralParser))
    text = "The boats did not come back. " * 60 + "Nobody knew why."
    doc = nlp(text)
    own = parser.encoder.scores(doc)
    other = parser.with_options(threads=2).encoder
    other.engine, other.by_torch = TorchEngine(parser.network, "cpu"), True
    found = other.scores(doc)
    assert np.abs(found.start - own.start).max() < 2.0, "activations are not rounded"
    assert (found.arcs.argmax(1) == own.arcs.argmax(1)).mean() > 0.98
    for name, points in own.tags.items():
        assert (found.tags[name].argmax(1) == points.argmax(1)).mean() > 0.98


def test_a_card_reads_several_documents_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.torch_engine import TorchEngine

    nlp = caesura.load("en")
    (parser,) = (stage for stage in nlp.stages if isinstance(stage, NeuralParser))
    card = parser.with_options(threads=2)  # an encoder of its own
    monkeypatch.setattr(TorchEngine, "together", 300)  # so that there are several batches
    card.encoder.engine, card.encoder.by_torch = TorchEngine(parser.network, "cpu"), True
    texts = ["Nobody knew why.", "The boats did not come back. " * 60, "", "Home, then, at last."]
    docs = [nlp.tokenise(Document(text=text)) for text in texts]
    for doc, found in zip(docs, card.encoder.scores_of(docs), strict=True):
        alone = card.encoder.scores(doc)
        assert len(found.start) == doc.n_words
        for one, other in ((found.arcs, alone.arcs), (found.tags["lemma"], alone.tags["lemma"])):
            np.testing.assert_allclose(one, other, atol=1e-2)
        assert np.array_equal(found.base, alone.base)
        assert np.array_equal(found.sizes, alone.sizes)
    filled = [doc for doc in docs if doc.n_words]
    together = teach([card, card], filled)
    trees = [(doc.head.tolist(), doc.column("deprel")) for doc in filled]
    for doc, soft, tree in zip(filled, together, trees, strict=True):
        (said,) = teach([card, card], [doc])
        assert (doc.head.tolist(), doc.column("deprel")) == tree
        for name, chances in said.chances.items():
            assert np.array_equal(soft.answers[name][:, 0], said.answers[name][:, 0])
            np.testing.assert_allclose(soft.chances[name], chances, atol=1e-2)
