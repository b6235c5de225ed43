"""Documents that are read together get what each gets alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from caesura.document import Document
from caesura.models.file import Part
from caesura.options import Request
from caesura.pipeline import load
from caesura.stages import network_reading as reading
from caesura.stages.network import NeuralParser
from tests.neural.small import harbour, small_network

TEXTS = (
    "The boats did not come back.",
    "WHY?\n\nnobody asked, and nobody knew.\n- One\n- Two",
    "so we went home then i said it was late and nobody spoke",
    "",
    "😀",
    "They didn't!",
)


def documents() -> list[Document]:
    nlp = load("en")
    return [nlp.tokenise(Document(text=text)) for text in TEXTS]


@pytest.fixture(params=[True, False], ids=["many languages", "one language"])
def part(request: pytest.FixtureRequest) -> Part:
    return small_network(many=request.param)


@pytest.mark.parametrize("shared", [True, False])
def test_what_is_found_does_not_depend_on_other_documents(part: Part, shared: bool) -> None:
    parser = NeuralParser.from_part(part)
    docs = documents()
    if shared:  # as in a batch of a pipeline: one table of strings
        strings = docs[0].strings
        for doc in docs[1:]:
            doc.form, doc.strings = strings.ids(doc.column("form")).astype(np.int32), strings
    for doc, code in zip(docs, ("aa", "aa", "bb", "bb", "aa", "aa"), strict=True):
        doc.token_language = np.full(doc.n_tokens, doc.strings.ids([code])[0], np.int32)
    alone = [replace(doc) for doc in docs]
    parser.annotate(docs, Request(confidence=True))
    for doc, other in zip(docs, alone, strict=True):
        parser.annotate([other], Request(confidence=True))
        assert doc == other
        for name in ("tag_conf", "arc_conf", "sent_conf"):
            assert np.array_equal(getattr(doc, name), getattr(other, name))


def test_documents_are_joined_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    docs = harbour()
    one = docs[0]
    fixed = replace(one, fixed=frozenset({"tags"}))
    monkeypatch.setattr(reading, "_WORDS", 2 * one.n_words)
    found = reading.groups([one, one, one, fixed, one, Document(text="")])
    assert [len(group) for group in found] == [2, 1, 1, 1, 1]


def test_a_joined_document_has_what_networks_read() -> None:
    docs = documents()[:2]
    strings = docs[0].strings
    docs[1].form, docs[1].strings = strings.ids(docs[1].column("form")).astype(np.int32), strings
    whole, bounds = reading.joined(docs)
    assert bounds.tolist() == [0, docs[0].n_words, whole.n_words]
    assert whole.column("form") == docs[0].column("form") + docs[1].column("form")
    starts = np.concatenate([doc.token_paragraph_start for doc in docs])
    assert np.array_equal(whole.token_paragraph_start, starts)
    assert reading.joined(docs[:1])[0] is docs[0]
