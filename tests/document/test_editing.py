"""Editing through words, tokens and sentences: the document stays valid, or says no by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import MAYBE, ROOT, UNKNOWN, CaesuraError, Document, UsageError, transform
from caesura.document.trees import in_cycles
from tests import strategies
from tests.test_document import documents, small

# --------------------------------------------------------------------- strings


def test_strings_can_be_set(doc: Document) -> None:
    word = doc[1]
    word.lemma, word.upos, word.xpos = "haven", "PROPN", ""
    word.deprel = "obl"
    word.feats = {"Number": "Sing", "case": "Nom"}
    word.misc = "Gloss=port|SpaceAfter=No"
    assert (word.lemma, word.upos, word.xpos, word.deprel) == ("haven", "PROPN", "", "obl")
    assert word.feats == {"case": "Nom", "Number": "Sing"}
    assert doc.column("feats")[1] == "case=Nom|Number=Sing"
    assert word.misc["Gloss"] == "port"
    word.feats = "Number=Plur"
    assert word.feats == {"Number": "Plur"}
    word.feats = {}
    assert doc.column("feats")[1] == ""
    again = Document.from_conllu(doc.to_conllu())
    assert again[1].upos == "PROPN"


def test_features_are_set_at_once(doc: Document) -> None:
    with pytest.raises(TypeError, match="item assignment"):
        doc[1].feats["Number"] = "Sing"  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("upos", 5, "upos is a string, not a value of the type int"),
        ("lemma", None, "lemma is a string, not None"),
        ("lemma", b"x", "lemma is a string, not a value of the type bytes"),
        ("lemma", "a\tb", "would end a column or a line"),
        ("xpos", "a\nb", "would end a column or a line"),
        ("deprel", "a\u2028b", "would end a column or a line"),
        ("lemma", "\ud800", "would end a column or a line"),
        ("upos", "A B", "has a blank in it"),
        ("upos", "_", "'_' is no value"),
        ("deprel", "root", "has a head, so its relation is not 'root'"),
        ("feats", 5, "feats is a string"),
        ("feats", "Number", "the feature 'Number' has no value"),
        ("feats", {"Number": ""}, "the feature 'Number' has no value"),
        ("feats", {"A=B": "c"}, "feats cannot have 'A=B'"),
        ("feats", {"A": "b|c"}, "feats cannot have 'A'"),
        ("feats", {"A": 1}, "feats cannot have 'A' with the value 1"),
        ("feats", {1: "A"}, "feats cannot have 1"),
        ("misc", {"": "x"}, "misc cannot have ''"),
        ("form", "Harbour", "is what the text says there"),
        ("head", None, "a head is a word, not None"),
        ("head", 3, "a head is a word, not a value of the type int"),
        ("head_index", "2", "whole number, not a value of the type str"),
        ("head_index", None, "whole number, not None"),
        ("head_index", True, "the head True is no word"),
        ("head_index", 73, "the head 73 is no word of the document, which has 73"),
        ("head_index", -3, "the head -3 is no word"),
        ("head_index", 1, "'harbour' cannot hang on itself"),
        ("head_index", 9, "'harbour' cannot hang on 'argue', which is in another sentence"),
        ("head_index", 0, "'harbour' cannot hang on 'The', which hangs on it"),
        ("head_index", ROOT, "cannot be a second root: the sentence has 'wakes'"),
        ("is_sent_start", 1, "True, False or None, not a value of the type int"),
    ],
)
def test_what_is_wrong_is_refused_and_changes_nothing(
    doc: Document, name: str, value: Any, said: str
) -> None:
    before = doc.copy()
    with pytest.raises(UsageError, match=said.replace("|", r"\|")):
        setattr(doc[1], name, value)
    assert doc == before


def test_forms_of_words_of_a_multi_word_token_can_be_set() -> None:
    doc = small()
    doc[0].form = "do"
    assert doc.column("form")[:2] == ["do", "n't"]
    with pytest.raises(UsageError, match="cannot be empty"):
        doc[1].form = ""


# ----------------------------------------------------------------------- heads


def test_a_word_hangs_where_it_is_hung(doc: Document) -> None:
    doc[1].head = doc[6]
    assert doc[1].head == doc[6]
    assert doc[1].deprel == "nsubj"
    doc[1].head_index = UNKNOWN
    assert not doc[1].has_head
    assert doc[1].deprel == ""
    doc.check()


def test_a_long_cycle_is_refused(doc: Document) -> None:
    with pytest.raises(UsageError, match="'wakes' cannot hang on 'the', which hangs on it"):
        doc[2].head = doc[4]


def test_a_head_of_another_document_is_refused(doc: Document) -> None:
    with pytest.raises(UsageError, match="a word of another document"):
        doc[1].head = doc.copy()[2]


def test_another_root(doc: Document) -> None:
    sentence = doc.sentences[0]
    sentence.root = doc[6]
    assert sentence.root == doc[6]
    assert doc[6].deprel == "root"
    assert (doc[2].head, doc[2].deprel) == (doc[6], "")
    before = doc.copy()
    sentence.root = doc[6]
    assert doc == before
    with pytest.raises(UsageError, match="one of its words"):
        sentence.root = doc[9]
    with pytest.raises(UsageError, match="one of its words"):
        sentence.root = None  # type: ignore[assignment]


def test_the_root_of_a_sentence_that_was_joined_since(doc: Document) -> None:
    """A view knows the boundaries of the moment; what is set looks at those of now."""
    second = doc.sentences[1]
    doc[8].is_sent_start = False
    second.root = doc[9]
    assert [word.form for word in doc.sentences[0] if word.is_root] == ["argue"]
    assert doc[2].head == doc[9]


def test_a_sentence_without_a_root_gets_one() -> None:
    doc = Document.from_spans("so it goes", [0, 3, 6], [2, 5, 10])
    doc[2].head_index = ROOT
    doc[0].head = doc[2]
    assert (doc[2].is_root, doc[2].deprel) == (True, "root")
    assert doc.sentences[0].root == doc[2]
    assert doc.head.tolist() == [2, UNKNOWN, ROOT]


# ------------------------------------------------------------------ boundaries


def test_a_sentence_is_parted(doc: Document) -> None:
    """Heads over the new boundary are unknown; comments say what is true."""
    doc[3].is_sent_start = True
    assert [sentence.text for sentence in doc.sentences][:2] == [
        "The harbour wakes",
        "before the town does.",
    ]
    assert doc[3].is_sent_start is True
    assert [word.form for word in doc[:8] if not word.has_head] == ["does", "."]
    assert [word.deprel for word in doc[3:8]] == ["mark", "det", "nsubj", "", ""]
    assert doc.sentences[0].comments[-1] == "# text = The harbour wakes"
    assert doc.sentences[1].comments == (
        "# sent_id = harbour-morning-1-part2",
        "# text = before the town does.",
    )
    assert Document.from_conllu(doc.to_conllu()) == doc
    doc[5].is_sent_start = True
    assert doc.sentences[2].id == "harbour-morning-1-part2-part2"


def test_sentences_are_joined(doc: Document) -> None:
    doc.tokens[8].is_sent_start = False
    first = doc.sentences[0]
    assert first.text.endswith("a crate.")
    assert first.id == "harbour-morning-1"
    assert first.comments[-1] == f"# text = {first.text}"
    assert first.root == doc[2]
    assert not doc[9].has_head
    assert Document.from_conllu(doc.to_conllu()) == doc
    doc[9].head = doc[2]
    doc[9].deprel = "parataxis"
    assert len(doc[2].subtree) == 22


def test_a_boundary_can_be_unknown(doc: Document) -> None:
    doc[8].is_sent_start = None
    assert doc.sent_start[8] == MAYBE
    assert doc[8].is_sent_start is None
    assert doc[8].sentence == doc.sentences[0]
    assert not doc.has_sentences


def test_parted_and_joined_again_nothing_but_arcs_is_lost(doc: Document) -> None:
    before = doc.copy()
    doc[3].is_sent_start = True
    doc[3].is_sent_start = False
    assert doc.comments == before.comments
    doc[6].head, doc[7].head = doc[2], doc[2]
    doc[6].deprel, doc[7].deprel = "advcl", "punct"
    assert doc == before


def test_no_boundary_inside_a_multi_word_token() -> None:
    doc = small()
    assert doc[1].is_sent_start is False
    doc[1].is_sent_start = False
    with pytest.raises(UsageError, match=r"inside the multi-word token \"Don't\""):
        doc[1].is_sent_start = True


def test_the_first_token_starts_a_sentence() -> None:
    doc = Document.from_spans("so it goes", [0, 3, 6], [2, 5, 10])
    assert doc[0].is_sent_start is True
    doc[0].is_sent_start = True
    for value in (False, None):
        with pytest.raises(UsageError, match="the first token of a document"):
            doc[0].is_sent_start = value


def test_enhanced_dependencies_of_moved_sentences_are_forgotten() -> None:
    text = "".join(
        f"{n}\t{form}\t_\t_\t_\t_\t{head}\tdep\t{head}:dep\t_\n{extra}"
        for n, form, head, extra in (
            (1, "a", 2, ""),
            (2, "b", 0, "2.1\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"),
            (3, "c", 2, ""),
        )
    )
    doc = Document.from_conllu(f"{text}\n{text}\n")
    doc[2].is_sent_start = True
    assert doc.column("deps") == ["", "", "", "2:dep", "0:dep", "2:dep"]
    assert [node.anchor for node in doc.empty_nodes] == [4]
    assert Document.from_conllu(doc.to_conllu()).column("deps") == doc.column("deps")


def test_phrases_are_in_the_way() -> None:
    doc = small()
    doc.node_label = doc.strings.ids(["S"])
    doc.node_parent = np.array([-1], np.int32)
    doc.node_leaf = np.array([-1], np.int32)
    with pytest.raises(UsageError, match="has phrases"):
        doc[2].is_sent_start = True
    plain = transform.drop(doc, ["phrases"])
    plain[2].is_sent_start = True
    assert plain.n_sentences == 3


# ---------------------------------------------------------------- what is shared


def test_what_is_edited_is_no_part_of_another_document(doc: Document) -> None:
    """Documents that are made of others share columns with them."""
    before = doc.copy()
    other = replace(doc)
    third = replace(other)
    for one in (other, third):
        one[1].lemma = "x"
        one[1].head = one[6]
        one[3].is_sent_start = True
        one[4].deprel = "amod"
    assert doc == before
    assert other == third
    assert other != doc
    # An array that somebody looks at elsewhere stays, too.
    heads = doc.head
    doc[1].head = doc[6]
    assert heads[1] == 2
    assert doc.head[1] == 6


def test_an_array_of_ones_own_is_not_copied(doc: Document) -> None:
    doc = doc.copy()
    place = id(doc.head)
    for _ in range(3):
        doc[1].head = doc[6]
        doc[1].head = doc[2]
    assert id(doc.head) == place


def test_confidence_in_what_was_edited_is_unknown(doc: Document) -> None:
    doc.tag_conf = np.full(doc.n_words, 0.5, np.float32)
    doc.arc_conf = np.full(doc.n_words, 0.5, np.float32)
    doc.sent_conf = np.full(doc.n_tokens, 0.5, np.float32)
    doc[1].upos = "X"
    doc[2].head_index = UNKNOWN
    doc[4].deprel = "dep"
    doc[8].is_sent_start = False
    assert np.flatnonzero(np.isnan(doc.tag_conf)).tolist() == [1]
    # The second root of the joined sentence is the only one now.
    assert np.flatnonzero(np.isnan(doc.arc_conf)).tolist() == [2, 4]
    assert np.flatnonzero(np.isnan(doc.sent_conf)).tolist() == [8]
    assert Document.from_dict(doc.to_dict()) == doc


# -------------------------------------------------------------------- at random

EDITS = ("head", "head_index", "root", "is_sent_start", "deprel", "upos", "feats")


@given(documents(), st.data())
def test_edits_keep_a_document_valid(doc: Document, data: st.DataObject) -> None:
    """Whatever is tried: no cycle, no second root, no head outside, CoNLL-U that reads back."""
    if not len(doc) or any(token.start == token.end for token in doc.tokens):
        return
    for word in doc:
        if word.index in (head for head in doc.head.tolist()) or in_cycles(doc.head).any():
            word.head_index = UNKNOWN  # a forest to begin with
    for sentence in doc.sentences:
        if sentence.root is not None:
            sentence.root = sentence.root
    number = st.integers(-4, len(doc) + 1)
    for _ in range(data.draw(st.integers(1, 12))):
        word = doc[data.draw(st.integers(0, len(doc) - 1))]
        name = data.draw(st.sampled_from(EDITS))
        before = doc.copy()
        try:
            if name == "head":
                word.head = doc[data.draw(st.integers(0, len(doc) - 1))]
            elif name == "head_index":
                word.head_index = data.draw(number)
            elif name == "root":
                word.sentence.root = word
            elif name == "is_sent_start":
                word.is_sent_start = data.draw(st.sampled_from([True, False, None]))
            else:
                setattr(word, name, data.draw(st.sampled_from(["", "A=b", "root", "_", "x\ty"])))
        except CaesuraError:
            assert doc == before
        doc.check()
        assert not in_cycles(doc.head).any()
        for sentence in doc.sentences:
            assert sum(word.is_root for word in sentence) <= 1
            for one in sentence:
                assert one.head is None or one.head in sentence
        assert Document.from_dict(doc.to_dict()) == doc


@given(strategies.documents(), st.data())
def test_edited_documents_can_be_written(doc: Document, data: st.DataObject) -> None:
    """With multi-word tokens, comments and trees that are none: CoNLL-U says what was set."""
    for _ in range(data.draw(st.integers(1, 8))):
        word = doc[data.draw(st.integers(0, len(doc) - 1))]
        other = doc[data.draw(st.integers(0, len(doc) - 1))]
        before = doc.copy()
        try:
            match data.draw(st.sampled_from(["head", "root", "start", "form", "upos"])):
                case "head":
                    word.head = other
                case "root":
                    word.sentence.root = word
                case "start":
                    word.is_sent_start = data.draw(st.booleans())
                case "form":
                    word.form = "new"
                case _:
                    word.upos = "NEW"
        except UsageError:
            assert doc == before
    doc.check()
    again = Document.from_conllu(doc.to_conllu())
    assert again.sentence_bounds.tolist() == doc.sentence_bounds.tolist()
    assert again.head.tolist() == doc.head.tolist()
    for name in ("form", "upos", "deprel"):
        assert again.column(name) == doc.column(name)
    for sentence, written in zip(doc.sentences, again.sentences, strict=True):
        assert sentence.id in (None, written.id)
    own = [sentence.id for sentence in doc.sentences if sentence.id]
    assert len(own) == len(set(own))
