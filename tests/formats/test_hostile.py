"""Whatever is in an id, a comment, a label or a name stays there: no writer makes a line of it.

Every writer either refuses or writes what is read again with as many documents, sentences, words,
turns, spans and nodes as there were.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caesura import formats
from caesura.document import Document, EmptyNode
from caesura.errors import CaesuraError
from caesura.formats import ReadOptions, WriteOptions
from caesura.formats.standoff import read_spans, write_brat, write_spans
from tests.formats.streams import FORGED, hostile, hostile_documents, read, write
from tests.strategies import token_texts

law = settings(max_examples=80, deadline=None)


def written(format: str, docs: list[Document], **options: Any) -> bytes | None:
    """What a writer makes of documents; None if it refuses."""
    try:
        return write(format, docs, **options)
    except CaesuraError:
        return None


def shape(docs: list[Document]) -> list[list[int]]:
    """The numbers of words of the sentences of each document."""
    return [
        [sentence.last_word - sentence.first_word for sentence in doc.sentences]
        for doc in docs
        if doc.n_tokens
    ]


@law
@given(st.lists(hostile_documents(), min_size=1, max_size=2))
@pytest.mark.parametrize("name", ["conllu", "conllx"])
def test_conll(name: str, docs: list[Document]) -> None:
    data = written(name, docs)
    if data is not None:
        again = read(name, data)
        assert shape(again) == shape(docs)
        assert name == "conllx" or written(name, again) == data


def test_a_document_id_forges_no_words() -> None:
    doc = Document.from_spans("one two", [0, 4], [3, 7])
    doc.sent_start = np.array([1, -1], dtype=np.int8)
    doc.id = FORGED
    for module in ("conllu", "conllx"):
        (again,) = read(module, written(module, [doc]) or b"")
        assert again.column("form") == ["one", "two"]
    (again,) = read("html", written("html", [doc]) or b"")
    assert (again.text, again.id) == ("one two", FORGED)
    for mode in ("speaker", "vtt"):
        (again,) = read("transcript", written("transcript", [doc], mode=mode) or b"", mode=mode)
        assert again.text == "one two"


@law
@given(st.lists(hostile_documents(), min_size=1, max_size=2))
def test_jsonl_holds_all_of_it(docs: list[Document]) -> None:
    data = written("jsonl", docs)
    assert data is not None
    again = read("jsonl", data)
    assert shape(again) == shape(docs)
    if b"\xef\xbf\xbd" not in data and not np.isinf([t for d in docs for t in d.turn_time]).any():
        assert again == docs


@law
@given(hostile_documents())
def test_text_and_tokens(doc: Document) -> None:
    assert read("text", written("text", [doc]) or b"")[0].text == doc.text.replace("\0", "\ufffd")
    for mode in ("sentence", "token"):
        again = read("tokens", written("tokens", [doc], mode=mode) or b"", mode=mode)
        assert [d.n_tokens for d in again] == [doc.n_tokens]
        assert again[0].n_sentences == doc.n_sentences


@law
@given(st.lists(hostile_documents(), min_size=1, max_size=2), hostile)
@pytest.mark.parametrize("mode", ["srt", "vtt", "speaker"])
def test_transcripts(mode: str, docs: list[Document], said: str) -> None:
    for doc in docs:
        doc.text += said.replace("\ud800", "")
        doc.turn_end = np.array([len(doc.text)] * len(doc.turn_start), dtype=np.int64)
    docs = [doc for doc in docs if doc.text.strip()]
    data = written("transcript", docs, mode=mode)
    assert data is not None
    again = read("transcript", data, mode=mode)
    assert sum(len(doc.turn_start) for doc in again) == len(docs)
    if mode != "srt":
        assert len(again) == max(1, len(docs))


@law
@given(hostile_documents())
def test_html(doc: Document) -> None:
    (again,) = read("html", written("html", [doc]) or b"")
    assert len(again.markup_label) == len(doc.markup_label) or not doc.text[:1].strip()
    assert "".join(again.text.split()) == "".join(doc.text.replace("\0", "\ufffd").split())


@law
@given(hostile, hostile, hostile)
@example("S) (NP", "-NONE-", "* x)")
def test_brackets(phrase: str, tag: str, empty: str) -> None:
    doc = Document.from_spans("one two", [0, 4], [3, 7])
    doc.empty_nodes = [EmptyNode(0, 1, empty)]
    doc.node_label = doc.strings.ids([phrase, tag, tag, tag])
    doc.node_parent = np.array([-1, 0, 0, 0], dtype=np.int32)
    doc.node_leaf = np.array([-1, 0, -2, 1], dtype=np.int32)
    (again,) = read("brackets", written("brackets", [doc]) or b"")
    assert again.column("form") == ["one", "two"]
    assert again.node_leaf.tolist() == [-1, 0, -2, 1]


@law
@given(hostile_documents(), hostile)
def test_spans_and_brat(doc: Document, label: str) -> None:
    doc.set_column("upos", [label] * doc.n_words)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.spans")
        try:
            write_spans([doc], path, WriteOptions())
        except CaesuraError:
            pass
        else:
            (again,) = read_spans(path, ReadOptions())
            assert again.n_tokens == doc.n_tokens
            assert len(again.markup_label) == len(doc.markup_label)
        write_brat([doc], Path(folder, "b.ann"), WriteOptions())
        rows = Path(folder, "b.ann").read_bytes().split(b"\n")
        heads = int((doc.head >= 0).sum())
        assert len(rows) == doc.n_words + doc.n_sentences + heads + 1
        assert all(row.count(b"\t") == 2 for row in rows[:-1])


@settings(max_examples=25, deadline=None)
@given(token_texts(max_tokens=4), hostile)
def test_docbin(doc: Document, label: str) -> None:
    pytest.importorskip("spacy")
    doc.id = label
    doc.set_column("xpos", [label] * doc.n_words)
    data = written("spacy", [doc])
    assert data is not None
    assert shape(read("spacy", data)) == shape([doc])


def test_a_range_far_away_asks_for_no_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    rows = "1\ta{0}\tTokenRange=0:1\n2\ta{0}\tTokenRange=1000000000000:1000000000001\n\n"
    path.write_text(rows.format("\t_" * 7))
    with pytest.raises(CaesuraError, match="TokenRange leaves"):
        list(formats.read(path, token_range=True))
