"""On what networks run: what was asked for, or an error; nothing falls back unsaid."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import caesura
from caesura.document import Document
from caesura.errors import UsageError
from caesura.neural import onnx
from caesura.neural.parser import NeuralParser
from caesura.neural.providers import check_used, providers, runs_by_torch
from caesura.neural.soft import teach

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


def test_the_processor_is_always_there() -> None:
    assert providers("cpu", [CPU]) == [CPU]
    assert providers("cpu", [CUDA, CPU]) == [CPU]


def test_a_card_is_taken_where_onnxruntime_has_it() -> None:
    assert providers("cuda", [CUDA, CPU]) == [CUDA, CPU]


def test_without_the_package_one_sentence_names_it() -> None:
    with pytest.raises(
        UsageError, match=r"cuda needs the package onnxruntime-gpu, or torch.*offers CPUExec"
    ):
        providers("cuda", [CPU])


def test_a_device_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="there is no device 'tpu'"):
        providers("tpu", [CPU])


def test_a_session_that_fell_back_is_refused() -> None:
    fell_back: Any = SimpleNamespace(get_providers=lambda: [CPU])
    check_used("cpu", fell_back)
    with pytest.raises(UsageError, match="cannot use the device cuda here"):
        check_used("cuda", fell_back)


def test_a_model_is_made_for_the_device_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    asked: list[list[str]] = []
    own = onnxruntime.InferenceSession

    class Session:
        """One on the processor that says that it is on a card."""

        def __init__(self, graph: bytes, options: Any, providers: list[str]) -> None:
            asked.append(providers)
            self._session = own(graph, options, providers=[CPU])
            self.get_providers = lambda: providers

        def __getattr__(self, name: str) -> Any:
            return getattr(self._session, name)

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    monkeypatch.setattr(onnxruntime, "InferenceSession", Session)
    nlp = caesura.load("en", device="cuda")
    assert asked[-1] == [CUDA, CPU]
    assert nlp.search["device"] == "cuda"
    text = "The boats did not come back. Nobody knew why."
    assert nlp(text) == caesura.load("en")(text)
    assert len(nlp.quick()(text).sentences) == 2
    assert asked.count([CUDA, CPU]) == 2, "the network of starts alone is on the card too"


def test_a_linear_model_has_no_device() -> None:
    with pytest.raises(UsageError, match="device"):
        caesura.load("en-fast", device="cuda")


def fake_torch(monkeypatch: pytest.MonkeyPatch, card: bool) -> None:
    """PyTorch that sees a card or none: the one that is installed, or a stand-in."""
    if importlib.util.find_spec("torch") is not None:
        import torch as own

        monkeypatch.setattr(own.cuda, "is_available", lambda: card)
        return
    torch: Any = ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=lambda: card)
    torch.__spec__ = ModuleSpec("torch", None)
    monkeypatch.setitem(sys.modules, "torch", torch)


def test_pytorch_runs_a_network_where_onnxruntime_has_no_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake_torch(monkeypatch, card=True)
    assert runs_by_torch("cuda", [CPU])
    assert not runs_by_torch("cuda", [CUDA, CPU]), "onnxruntime does it itself"
    assert not runs_by_torch("cpu", [CPU])
    assert not runs_by_torch("tpu", [CPU])
    fake_torch(monkeypatch, card=False)
    assert not runs_by_torch("cuda", [CPU])


def test_the_network_that_pytorch_runs_says_what_the_graph_says() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.neural.torch_session import TorchSession

    nlp = caesura.load("en")
    (parser,) = (stage for stage in nlp.stages if isinstance(stage, NeuralParser))
    text = "The boats did not come back. " * 60 + "Nobody knew why."
    doc = nlp(text)
    own = parser.encoder.scores(doc)
    other = parser.with_options(threads=2).encoder
    other.session, other.at_once = TorchSession(parser.graph.tobytes(), "cpu"), 3
    found = other.scores(doc)
    assert np.abs(found.start - own.start).max() < 2.0, "activations are not rounded"
    assert (found.arcs.argmax(1) == own.arcs.argmax(1)).mean() > 0.98
    for name, points in own.tags.items():
        assert (found.tags[name].argmax(1) == points.argmax(1)).mean() > 0.98


def test_a_card_reads_several_documents_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("onnx", reason="onnx is not installed")
    from caesura.neural.torch_session import TorchSession

    nlp = caesura.load("en")
    (parser,) = (stage for stage in nlp.stages if isinstance(stage, NeuralParser))
    card = parser.with_options(threads=2)  # an encoder of its own
    card.encoder.session = TorchSession(parser.graph.tobytes(), "cpu")
    card.encoder.at_once, card.encoder.by_torch = 3, True
    monkeypatch.setattr(onnx, "_PIECES", 300)  # so that there are several batches
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
    card.encoder.at_once, card.encoder.by_torch = 1, False
    for doc, soft, tree in zip(filled, together, trees, strict=True):
        (said,) = teach([card, card], [doc])
        assert (doc.head.tolist(), doc.column("deprel")) == tree
        for name, chances in said.chances.items():
            assert np.array_equal(soft.answers[name][:, 0], said.answers[name][:, 0])
            np.testing.assert_allclose(soft.chances[name], chances, atol=1e-2)
