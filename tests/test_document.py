"""Documents, their views, cutting and joining: the laws Slice and Join among them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import (
    MAYBE,
    NO,
    ROOT,
    UNKNOWN,
    YES,
    Document,
    EmptyNode,
    KBestTags,
    Strings,
    misc_items,
)
from caesura.errors import InputError, UsageError


def small() -> Document:
    """`Don't go. Stay!` with a multi-word token, two sentences and trees."""
    doc = Document(text="Don't go. Stay!", id="d")
    doc.token_start = np.array([0, 6, 8, 10, 14])
    doc.token_end = np.array([5, 8, 9, 14, 15])
    doc.sent_start = np.array([YES, NO, NO, YES, NO], dtype=np.int8)
    doc.token_misc = np.zeros(5, dtype=np.int32)
    doc.word_token = np.array([0, 0, 1, 2, 3, 4], dtype=np.int32)
    doc.form = doc.strings.ids(["Do", "n't", "go", ".", "Stay", "!"])
    doc.head = np.array([2, 2, ROOT, 2, ROOT, 4], dtype=np.int32)
    doc.blank_words()
    doc.set_column("upos", ["AUX", "PART", "VERB", "PUNCT", "VERB", "PUNCT"])
    doc.set_column("feats", ["Mood=Imp|Number=Plur", "", "", "", "", ""])
    doc.comments = {0: ("# sent_id = d-1",), 3: ("# sent_id = d-2",)}
    doc.check()
    return doc


def test_strings_are_interned() -> None:
    strings = Strings(["b", "a", "b"])
    assert strings.ids(["a", "b", ""]).tolist() == [2, 1, 0]
    assert strings[0] == ""
    assert strings.find("c") is None
    assert list(strings) == ["", "b", "a"]


def test_views_walk_the_document() -> None:
    doc = small()
    assert [str(sentence) for sentence in doc.sentences] == ["Don't go.", "Stay!"]
    first = doc.sentences[0]
    assert [word.form for word in first.words] == ["Do", "n't", "go", "."]
    assert first.root is not None
    assert first.root.form == "go"
    assert [word.form for word in first.root.children] == ["Do", "n't", "."]
    assert first.id == "d-1"
    assert first.words[0].head == first.root
    assert first.words[0].feats == {"Mood": "Imp", "Number": "Plur"}
    assert first.words[3].id == 4
    assert doc.words[4].is_root
    assert doc.words[4].head is None
    assert doc.words[-1].sentence.index == 1
    assert doc.tokens[0].is_multiword
    assert [word.form for word in doc.tokens[0].words] == ["Do", "n't"]
    assert len(first) == 4
    assert len(doc) == doc.n_words == 6
    assert [str(word) for word in doc.words[1:3]] == ["n't", "go"]


def test_views_of_the_same_word_are_equal() -> None:
    doc = small()
    assert doc.words[2] == doc.sentences[0].root
    assert len({doc.words[2], doc.words[2], doc.words[3]}) == 2


def test_representations_help() -> None:
    doc = small()
    assert repr(doc) == "<Document 'd': 2 sentences, 5 tokens, 6 words: \"Don't go. Stay!\">"
    assert repr(doc.tokens[0]) == '<Token "Don\'t" 0:5>'
    assert repr(doc.words[2]) == "<Word 'go' VERB _>"
    assert repr(doc.sentences[1]) == "<Sentence 1: 'Stay!'>"
    assert "Stay!" in doc._repr_html_()
    assert "VERB" in doc.sentences[0]._repr_html_()


def test_html_is_escaped() -> None:
    doc = Document.from_spans("<b>", [0], [3])
    doc.id = "<script>"
    assert "<b></" not in doc._repr_html_()
    assert "<script>" not in doc._repr_html_()
    assert "&lt;b&gt;" in doc.sentences[0]._repr_html_()


def test_a_text_alone_is_a_document() -> None:
    doc = Document(text="so it goes")
    assert doc.n_sentences == 0
    assert not doc.has_sentences
    assert "so it goes" in doc._repr_html_()
    doc.check()


def test_unknown_is_a_value() -> None:
    doc = Document.from_spans("so it goes", [0, 3, 6], [2, 5, 10])
    assert doc.sent_start.tolist() == [MAYBE] * 3
    assert doc.head.tolist() == [UNKNOWN] * 3
    assert not doc.has_sentences
    assert doc.n_sentences == 1
    assert not doc.words[0].has_head
    assert not doc.words[0].is_root
    assert doc.column("upos") == ["", "", ""]


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("token_end", [5, 8, 9, 14], "column token_end has 4 rows"),
        ("token_end", [7, 8, 9, 14, 15], "overlap"),
        ("token_end", [5, 8, 9, 14, 16], "leave the text"),
        ("word_token", [0, 0, 1, 2, 3, 3], "at least one word"),
        ("head", [2, 2, ROOT, 2, ROOT, 6], "a head is no word"),
        ("head", [2, 2, -3, 2, ROOT, 4], "a head is no word"),
    ],
)
def test_columns_that_contradict_each_other_are_refused(
    column: str, value: list[int], said: str
) -> None:
    doc = small()
    setattr(doc, column, np.array(value))
    with pytest.raises(InputError, match=said):
        doc.check()


def test_only_some_columns_can_be_fixed() -> None:
    doc = small()
    doc.fixed = frozenset({"tokens", "heads"})
    doc.check()
    doc.fixed = frozenset({"colours"})
    with pytest.raises(InputError, match="cannot fix colours"):
        doc.check()


def test_a_column_that_is_none_is_refused() -> None:
    with pytest.raises(KeyError, match="'colour' is no string column"):
        small().column("colour")
    with pytest.raises(ValueError, match="2 values for 6 words"):
        small().set_column("upos", ["X", "Y"])


def test_equal_documents_say_the_same() -> None:
    left, right = small(), small()
    right.strings = Strings(["unused", *right.strings])
    assert left != right  # the ids now mean other strings
    right = small()
    right.strings.add("unused")
    assert left == right
    right.head[0] = ROOT
    assert left != right
    assert left != "Don't go. Stay!"


def test_a_cut_leaves_heads_outside_unknown() -> None:
    piece = small().cut(1, 3)
    piece.check()
    assert piece.text == "go. "
    assert piece.column("form") == ["go", "."]
    assert piece.head.tolist() == [ROOT, 0]
    assert piece.continues
    assert small().cut(0, 1).head.tolist() == [UNKNOWN, UNKNOWN]


def test_an_impossible_cut_is_refused() -> None:
    with pytest.raises(UsageError, match=r"cannot cut tokens 3\.\.9"):
        small().cut(3, 9)


def test_joining_keeps_everything_in_place() -> None:
    doc = small()
    doc.empty_nodes = [EmptyNode(4, form="you"), EmptyNode(-1, form="x")]
    doc.tag_options = KBestTags(
        "upos", doc.upos.reshape(-1, 1).copy(), np.ones((6, 1), dtype=np.float32)
    )
    doc.sent_conf = np.linspace(0, 1, 5, dtype=np.float32)
    doc.arc_conf = np.linspace(0, 1, 6, dtype=np.float32)
    doc.turn_start, doc.turn_end = np.array([0, 10]), np.array([9, 15])
    doc.turn_speaker, doc.turn_time = doc.strings.ids(["A", "B"]), np.zeros((2, 2))
    doc.paragraph_start = np.array([0, 10])
    whole = Document.join([doc, doc])
    whole.check()
    assert whole.text == doc.text * 2
    assert whole.n_sentences == 4
    assert whole.head.tolist() == [2, 2, -1, 2, -1, 4, 8, 8, -1, 8, -1, 10]
    assert [node.anchor for node in whole.empty_nodes] == [4, -1, 10, -7]
    assert whole.tag_options is not None
    assert whole.tag_options.ids.shape == (12, 1)
    assert whole.turn_start.tolist() == [0, 10, 15, 25]
    assert whole.comments[8] == ("# sent_id = d-2",)
    back = whole.cut(5, 10)
    back.continues = False
    assert back == doc


def test_documents_with_different_strings_join() -> None:
    left, right = small(), small()
    right.strings = Strings(["other", *list(right.strings)[1:]])
    right.form = right.strings.ids(["Do", "n't", "go", ".", "Stay", "!"])
    right.upos = right.strings.ids(["AUX", "PART", "VERB", "PUNCT", "VERB", "PUNCT"])
    right.feats = right.strings.ids(["Mood=Imp|Number=Plur", "", "", "", "", ""])
    assert left == right
    whole = Document.join([left, right])
    assert whole.column("form") == left.column("form") * 2
    assert whole.column("upos") == left.column("upos") * 2


def test_phrases_are_cut_by_tree() -> None:
    doc = small()
    doc.node_label = doc.strings.ids(["S", "", "", "", "", "S", "", ""])
    doc.node_parent = np.array([-1, 0, 0, 0, 0, -1, 5, 5], dtype=np.int32)
    doc.node_leaf = np.array([-1, 0, 1, 2, 3, -1, 4, 5], dtype=np.int32)
    piece = doc.cut(3, 5)
    assert piece.strings.take(piece.node_label) == ["S", "", ""]
    assert piece.node_parent.tolist() == [-1, 0, 0]
    assert piece.node_leaf.tolist() == [-1, 0, 1]


def test_paragraphs_are_found_by_token() -> None:
    doc = small()
    doc.paragraph_start = np.array([0, 10])
    assert doc.token_paragraph_start.tolist() == [True, False, False, True, False]


def test_attributes_of_misc() -> None:
    assert misc_items("SpaceAfter=No|Proper") == {"SpaceAfter": "No", "Proper": ""}
    assert misc_items("") == {}


TEXTS = st.text(alphabet="ab .\n é😀中", max_size=40)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any text with any tokens, boundaries and heads inside its sentences."""
    text = draw(TEXTS)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12, unique=True)))
    spans = [(a, b) for a, b in pairwise(cuts) if draw(st.booleans())]
    doc = Document.from_spans(text, [a for a, _ in spans], [b for _, b in spans])
    n = doc.n_tokens
    starts = draw(st.lists(st.sampled_from([YES, NO]), min_size=n, max_size=n))
    doc.sent_start = np.array(starts, dtype=np.int8)
    bounds = doc.sentence_bounds.tolist()
    for begin, end in pairwise(bounds):
        for word in range(begin, end):
            head = draw(st.integers(begin - 2, end - 1))
            doc.head[word] = head if head >= begin else (ROOT if head == begin - 1 else UNKNOWN)
    doc.check()
    return doc


@settings(max_examples=80, deadline=None)
@given(documents())
def test_law_slice(doc: Document) -> None:
    for token in doc.tokens:
        assert doc.text[token.start : token.end] == token.text
    assert [token.text for token in doc.tokens] == doc.column("form")


@settings(max_examples=80, deadline=None)
@given(documents())
def test_law_join(doc: Document) -> None:
    """Sentences and the gaps between them give back the text."""
    text, at = "", 0
    for sentence in doc.sentences if doc.n_tokens else ():
        text += doc.text[at : sentence.start] + sentence.text
        at = sentence.end
    assert text + doc.text[at:] == doc.text


@settings(max_examples=80, deadline=None)
@given(documents())
def test_pieces_join_to_the_whole(doc: Document) -> None:
    """Cut between sentences and joined again, a document is what it was."""
    if not doc.n_tokens:
        return
    pieces = [doc.cut(a, b) for a, b in pairwise(doc.sentence_bounds.tolist())]
    for piece in pieces:
        piece.check()
    assert Document.join(pieces) == doc


def test_a_piece_knows_what_was_before_it() -> None:
    doc = small()
    doc.paragraph_start = np.array([0, 10])
    doc.turn_start, doc.turn_end = np.array([6]), np.array([15])
    doc.turn_speaker, doc.turn_time = doc.strings.ids(["A"]), np.full((1, 2), np.nan)
    assert doc.cut(0, 5).before == frozenset()
    assert doc.cut(1, 3).before == {"paragraphs"}
    assert doc.cut(2, 5).before == {"paragraphs", "turns"}
    assert doc.cut(1, 5).cut(2, 4).before == {"paragraphs", "turns"}
    assert Document.join([doc.cut(1, 3), doc.cut(3, 5)]).before == {"paragraphs"}
