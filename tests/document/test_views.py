"""A document as a sequence of words, spans, and walks through its trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import ROOT, UNKNOWN, Document, Span, UsageError, Word
from tests.test_document import documents, small

#: "What did you say he saw?": the arc of `What` crosses that of `say`.
CROSSING = """\
1	What	what	PRON	WP	_	6	obj	_	_
2	did	do	AUX	VBD	_	4	aux	_	_
3	you	you	PRON	PRP	_	4	nsubj	_	_
4	say	say	VERB	VB	_	0	root	_	_
5	he	he	PRON	PRP	_	6	nsubj	_	_
6	saw	see	VERB	VBD	_	4	ccomp	_	SpaceAfter=No
7	?	?	PUNCT	.	_	4	punct	_	_

"""


def forms(words: Sequence[Word]) -> list[str]:
    return [word.form for word in words]


def test_a_document_is_a_sequence_of_words() -> None:
    doc = small()
    assert forms(list(doc)) == ["Do", "n't", "go", ".", "Stay", "!"]
    assert [doc[i].form for i in (0, 5, -1, -6)] == ["Do", "!", "!", "Do"]
    assert [word.form for word in reversed(doc)] == ["!", "Stay", ".", "go", "n't", "Do"]
    assert doc[2] in doc
    assert doc[2] not in small()
    assert "go" not in doc
    assert doc[np.int64(2)] == doc[2]


def test_sentences_are_sequences_of_words() -> None:
    doc = small()
    assert doc.sentences[1][0].form == "Stay"
    assert doc.sentences[1][-1].form == "!"
    assert forms(doc.sentences[0][1:]) == ["n't", "go", "."]
    assert doc[4] in doc.sentences[1]
    assert doc[4] not in doc.sentences[0]
    assert [len(sentence) for sentence in doc.sentences] == [4, 2]
    assert isinstance(doc.sentences[0], Sequence)


@pytest.mark.parametrize("index", [6, -7, 10**20])
def test_what_is_not_there_is_an_index_error(index: int) -> None:
    with pytest.raises(IndexError, match="there are 6"):
        _ = small()[index]


@pytest.mark.parametrize("index", ["a", None, 1.0, (1, 2)])
def test_an_index_is_a_number(index: object) -> None:
    for words in (small(), small().sentences[0], small().tokens):
        with pytest.raises(TypeError, match="an index is a number or a slice"):
            _ = words[index]  # type: ignore[index]


def test_slices_are_spans() -> None:
    doc = small()
    span = doc[1:4]
    assert isinstance(span, Span)
    assert (span.text, span.start, span.end) == ("Don't go.", 0, 9)
    assert forms(span) == ["n't", "go", "."]
    assert forms(span[1:]) == ["go", "."]
    assert span[1:] == doc[2:4]
    assert len({span[1:], doc[2:4], doc[2:5]}) == 2
    assert [token.text for token in span.tokens] == ["Don't", "go", "."]
    assert span.root == doc[2]
    assert repr(doc[4:6]) == "<Span 4:6 'Stay!'>"
    assert str(doc[4:6]) == "Stay!"
    with pytest.raises(UsageError, match="no step"):
        _ = doc[::2]


def test_an_empty_span_is_one() -> None:
    for span in (small()[3:1], small()[9:], Document(text="x")[:]):
        assert not span
        assert list(span) == []
        assert span.text == ""
        assert list(span.tokens) == []
        assert span.root is None


def test_the_head_of_a_span_is_nearest_to_the_root(doc: Document) -> None:
    assert doc[3:7].root == doc[6]
    assert doc[0:6].root == doc[2]
    assert doc[4:5].root == doc[4]
    # Over a boundary there are two roots, and the first of them is it.
    assert doc[0:12].root == doc[2]


def test_a_sentence_equals_the_span_of_its_words(doc: Document) -> None:
    assert doc.sentences[0] == doc[:8] == doc.sentences[0].words
    assert doc.sentences[0] == doc[3].sentence
    assert doc[3].sentence.index == 0
    assert doc[-1].sentence.index == doc.n_sentences - 1
    assert doc.tokens[0] == doc.tokens[0]
    assert doc.tokens[0] != doc.tokens[1]
    assert doc.tokens[0] != doc[0]


def test_walks_through_a_tree(doc: Document) -> None:
    wakes, does, town = doc[2], doc[6], doc[5]
    assert forms(wakes.subtree) == forms(doc.sentences[0])
    assert forms(does.subtree) == ["before", "the", "town", "does"]
    assert forms(town.ancestors) == ["does", "wakes"]
    assert wakes.ancestors == []
    assert (does.left_edge.form, does.right_edge.form) == ("before", "does")
    assert forms(town.path_to(doc[0])) == ["town", "does", "wakes", "harbour", "The"]
    assert forms(town.path_to(town)) == ["town"]
    assert forms(wakes.path_to(town)) == ["wakes", "does", "town"]
    assert town.path_to(doc[9]) == []
    with pytest.raises(UsageError, match="same document"):
        town.path_to(small()[0])


def test_crossing_arcs_are_known() -> None:
    doc = Document.from_conllu(CROSSING)
    assert [word.form for word in doc if not word.is_projective] == ["What"]
    assert not doc.sentences[0].is_projective
    assert forms(doc[5].subtree) == ["What", "he", "saw"]
    assert small().sentences[0].is_projective


@pytest.mark.parametrize("heads", [[1, 2, 0], [0, 0, 0], [1, 0, ROOT], [UNKNOWN] * 3])
def test_walks_end_in_trees_that_are_none(heads: list[int]) -> None:
    doc = Document.from_spans("a b c", [0, 2, 4], [1, 3, 5])
    doc.head = np.array(heads, np.int32)
    for word in doc:
        assert word in word.subtree
        assert len(word.ancestors) <= 3
        assert isinstance(word.is_projective, bool)
        assert len(word.path_to(doc[2])) <= 3
    assert len(doc[:].tokens) == 3
    assert doc[:].root is None or doc[:].root.head_index == ROOT


def test_a_head_in_another_sentence_is_no_part_of_the_tree() -> None:
    """A column may hold one, as somebody may write anything into it."""
    doc = small()
    doc.head[5] = 2
    assert doc.sentences[1].heads.tolist() == [ROOT, UNKNOWN]
    assert doc[5].ancestors == []
    assert [child.form for child in doc[2].children] == ["Do", "n't", "."]


@given(documents(), st.data())
def test_views_agree_with_the_columns(doc: Document, data: st.DataObject) -> None:
    """What looks only at what is near finds what a pass over all finds."""
    sentence = doc.word_sentence.tolist()
    assert [word.sentence.index for word in doc] == sentence
    assert [word for one in doc.sentences for word in one] == list(doc)
    if not len(doc):
        return
    word = doc[data.draw(st.integers(0, len(doc) - 1))]
    own = [other for other in doc if other.sentence == word.sentence]
    assert list(word.sentence) == own
    assert word.subtree == [other for other in own if word in (other, *other.ancestors)]
    assert word.children == [other for other in own if other.head == word]
    assert (word.left_edge, word.right_edge) == (word.subtree[0], word.subtree[-1])
    assert word.id == own.index(word) + 1


def test_long_documents_have_near_sentences() -> None:
    """A sentence is found by looking around, further and further."""
    for length in (63, 64, 65, 400):
        starts = list(range(0, 4 * length, length))
        text = "a" * (4 * length)
        doc = Document.from_spans(text, range(len(text)), range(1, len(text) + 1))
        doc.sent_start[:] = 0
        doc.sent_start[starts] = 1
        for word in range(len(doc)):
            found = doc[word].sentence
            assert (found.first_token, found.index) == (word - word % length, word // length)
            assert len(found) == length
