"""What a document becomes, and that it comes back: values, CoNLL-U, a Doc, copies, pickles."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from caesura import Document, InputError, MissingExtra, Strings, UsageError, formats, read
from caesura.document.slicing import join
from tests.document.conftest import HARBOUR
from tests.test_document import documents, small


@pytest.mark.parametrize("text", [5, None, b"text", ["text"], Path("a.txt")])
def test_a_text_is_a_string(text: Any) -> None:
    with pytest.raises(UsageError, match="the text of a document is a string, not"):
        Document(text=text)
    with pytest.raises(UsageError, match="the text of a document is a string, not"):
        Document.from_spans(text, [], [])


def test_columns_and_pieces_of_the_wrong_kind(doc: Document) -> None:
    with pytest.raises(UsageError, match="a string is wanted in a column, not a value of the type"):
        doc.set_column("upos", [5] * len(doc))  # type: ignore[list-item]
    with pytest.raises(KeyError, match="'colour' is no string column"):
        doc.set_column("colour", ["red"] * len(doc))
    for pieces in (doc, [doc, "text"], [doc[0]]):
        with pytest.raises(UsageError, match="a list of documents"):
            Document.join(pieces)  # type: ignore[arg-type]


# -------------------------------------------------------------------- plain values


def test_values_are_those_of_json_lines(doc: Document, tmp_path: Path) -> None:
    formats.write(doc, tmp_path / "doc.jsonl")
    line = (tmp_path / "doc.jsonl").read_text(encoding="utf-8")
    assert json.loads(line) == json.loads(json.dumps(doc.to_dict()))
    assert Document.from_dict(json.loads(line)) == doc


@given(documents())
def test_values_give_the_document_back(doc: Document) -> None:
    assert Document.from_dict(doc.to_dict()) == doc


@pytest.mark.parametrize(
    ("said", "error", "what"),
    [
        ({}, InputError, "missing required field `text`"),
        ({"text": 5}, InputError, "`text`"),
        ({"text": "a", "odd": 1}, InputError, "unknown field `odd`"),
        ({"text": "a", "token_start": [0], "token_end": [2]}, InputError, "leave the text"),
        ({"text": "a", "token_start": [0], "token_end": [1], "head": [4]}, InputError, "head"),
        ("text", UsageError, "made of a mapping"),
        (None, UsageError, "made of a mapping"),
        ([{"text": "a"}], UsageError, "made of a mapping"),
    ],
)
def test_what_is_no_document_is_told(said: Any, error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        Document.from_dict(said)


# ------------------------------------------------------------------------ CoNLL-U


def test_conllu_as_a_string(doc: Document, tmp_path: Path) -> None:
    formats.write(doc, tmp_path / "doc.conllu")
    text = doc.to_conllu()
    assert text == (tmp_path / "doc.conllu").read_text(encoding="utf-8")
    assert Document.from_conllu(text) == doc


def test_conllu_that_is_not_one_document() -> None:
    with pytest.raises(UsageError, match="3 documents here, not one"):
        Document.from_conllu(HARBOUR.read_text(encoding="utf-8"))
    with pytest.raises(UsageError, match="is a string here"):
        Document.from_conllu(HARBOUR)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="columns"):
        Document.from_conllu("1\ta\n\n")
    assert len(Document.from_conllu("")) == 0


# --------------------------------------------------------------------- networkx


def test_a_graph(doc: Document) -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = doc.to_networkx()
    assert graph.number_of_nodes() == len(doc)
    assert graph.number_of_edges() == len(doc) - doc.n_sentences
    assert networkx.is_forest(graph)
    assert graph.nodes[2] == {
        "sentence": 0,
        "form": "wakes",
        "lemma": "wake",
        "upos": "VERB",
        "xpos": "VBZ",
        "feats": "",
        "deps": "",
        "misc": "",
    }
    assert graph.edges[2, 1] == {"deprel": "nsubj"}
    path = networkx.shortest_path(graph.to_undirected(), 5, 0)
    assert path == [word.index for word in doc[5].path_to(doc[0])]
    assert len(Document(text="x").to_networkx()) == 0


def test_a_graph_without_networkx(doc: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    with pytest.raises(MissingExtra, match=r"pip install \"caesura-nlp\[networkx\]\""):
        doc.to_networkx()


# ------------------------------------------------------------------------ spaCy


def test_a_doc_of_spacy(doc: Document) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    made = doc.to_spacy()
    assert next(made.sents).text.strip() == doc.sentences[0].text
    assert Document.from_spacy(made) == doc
    vocab = spacy.blank("en").vocab
    assert doc.to_spacy(vocab).vocab is vocab
    with pytest.raises(UsageError, match="a Doc of spaCy is wanted"):
        Document.from_spacy("text")


# ---------------------------------------------------------------- copies and pickles


@pytest.mark.parametrize(
    "again",
    [Document.copy, copy.copy, copy.deepcopy, lambda doc: pickle.loads(pickle.dumps(doc))],
    ids=["copy", "copy.copy", "copy.deepcopy", "pickle"],
)
def test_copies_are_equal_and_apart(doc: Document, again: Any) -> None:
    doc.source = "harbour.conllu"
    other = again(doc)
    assert other == doc
    assert other.source == doc.source
    other[0].lemma = "new"
    other[2].head_index = -2
    other[3].is_sent_start = True
    other.text = ""
    fresh = next(read(HARBOUR))
    assert doc == fresh


def test_a_shallow_copy_shares_its_strings(doc: Document) -> None:
    """As `dataclasses.replace` does, so that ids of one mean the same in the other."""
    assert copy.copy(doc).strings is doc.strings
    assert copy.copy(doc).head is doc.head
    assert doc.copy().strings is not doc.strings


@given(documents())
def test_any_document_survives_pickle(doc: Document) -> None:
    again = pickle.loads(pickle.dumps(doc))
    assert again == doc
    again.check()


def test_what_is_not_known_is_not_known_of_a_copy(doc: Document) -> None:
    """Copies of several files go together in one document."""
    assert doc.token_language is None
    copies = [doc.copy(), pickle.loads(pickle.dumps(doc))]
    assert [copy.token_language for copy in copies] == [None, None]
    assert join(copies).n_tokens == 2 * doc.n_tokens


def test_a_pickle_has_no_strings_of_others() -> None:
    """Documents of a batch share their strings."""
    strings = Strings(f"string-{number}" for number in range(1000))
    doc = Document.from_spans("so it goes", [0, 3, 6], [2, 5, 10], strings=strings)
    assert b"string-7" not in pickle.dumps(doc)
    assert len(doc.copy().strings) == 4


def test_views_travel_with_their_document(doc: Document) -> None:
    word, span, sentence = pickle.loads(pickle.dumps((doc[2], doc[1:3], doc.sentences[1])))
    assert (word.form, span.text, sentence.index) == ("wakes", "harbour wakes", 1)
    assert word.doc is span.doc is sentence.doc
    assert word.doc == doc


def test_k_best_tags_are_copied() -> None:
    import numpy as np

    from caesura.document import KBestTags

    doc = small()
    ids = doc.strings.ids(["A", "B"] * 6).reshape(6, 2)
    doc.tag_options = KBestTags("upos", ids, np.full((6, 2), 0.5, np.float32), {"lemma": ids})
    assert doc.copy() == doc
    assert pickle.loads(pickle.dumps(doc)) == doc
