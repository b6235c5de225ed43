"""On what networks run: what was asked for, or an error; nothing falls back silently."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import caesura
from caesura.document import Document
from caesura.errors import UsageError
from caesura.learn.network.distillation import teach
from caesura.stages.network import NeuralParser
from caesura.stages.network_encoder import engine_of
from caesura.stages.network_onnx import from_graph
from tests.neural.cases import Case


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
