"""What is written by arrays of cells is what is written word by word."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import formats
from caesura.document import Document
from caesura.errors import CaesuraError
from tests.formats.streams import hostile_documents, write
from tests.reference.conllu import written as plainly
from tests.strategies import documents

law = settings(max_examples=60, deadline=None)
options = st.fixed_dictionaries({"token_range": st.booleans(), "confidences": st.booleans()})


def written(docs: list[Document], *, x: bool = False, **options: Any) -> bytes:
    return write("conllx" if x else "conllu", docs, **options)


def or_refused(write: Any, *args: Any, **named: Any) -> bytes | None:
    try:
        return write(*args, **named)
    except CaesuraError:
        return None


def pieces(doc: Document) -> list[Document]:
    """Each sentence a piece of its own, as a stream brings them."""
    bounds = doc.sentence_bounds.tolist()
    return [doc.cut(a, b) for a, b in itertools.pairwise(bounds)]


@law
@given(st.lists(documents(extras=True) | documents(), max_size=3), options, st.booleans())
def test_every_kind_of_document(docs: list[Document], options: dict[str, bool], x: bool) -> None:
    assert written(docs, x=x, **options) == plainly(docs, x=x, **options)


@law
@given(documents(extras=True, max_tokens=20), options)
def test_pieces_of_a_stream(doc: Document, options: dict[str, bool]) -> None:
    assert written(pieces(doc), **options) == plainly(pieces(doc), **options)


@law
@given(st.lists(hostile_documents(), min_size=1, max_size=2), st.booleans())
def test_what_cannot_be_held_is_refused_by_both(docs: list[Document], x: bool) -> None:
    assert or_refused(written, docs, x=x) == or_refused(plainly, docs, x=x)


@law
@given(documents(comments=False))
def test_documents_of_a_batch_share_strings(doc: Document) -> None:
    # Strings that a later document adds are looked up like those that were there.
    later = Document.from_spans("so it goes", [0, 3, 6], [2, 5, 10], strings=doc.strings)
    later.set_column("upos", ["ADV", "PRON", "VERB"])
    assert written([doc, later, doc]) == plainly([doc, later, doc])


def test_a_sentence_of_more_words_than_there_are_numerals_at_hand() -> None:
    n = 2000
    starts = np.arange(n) * 2
    doc = Document.from_spans("a " * n, starts, starts + 1)
    doc.head = np.full(n, n - 1, np.int32)
    doc.head[-1] = -1
    assert written([doc]) == plainly([doc])
    assert b"\n1999\ta\t_\t_\t_\t_\t2000\t_\t_\t_\n" in written([doc])


def test_a_value_with_a_tab_is_named_with_its_line() -> None:
    doc = Document.from_spans("so it goes", [0, 3, 6], [2, 5, 10])
    doc.set_column("lemma", ["so", "i\tt", "go"])
    with pytest.raises(CaesuraError, match=r"a value in '2\\tit\\ti\\tt\\t_"):
        written([doc])
    doc.set_column("lemma", ["so", "it", "go"])
    doc.set_column("misc", ["", "", "PHead=1\t2"])
    with pytest.raises(CaesuraError, match=r"PHead|1\\t2"):
        written([doc], x=True)


def test_words_of_a_multi_word_token_tell_confidences_as_others_do() -> None:
    doc = Document.from_spans("du pain", [0, 3], [2, 7])
    doc.word_token = np.array([0, 0, 1], np.int32)
    doc.form = np.zeros(0, np.int32)
    doc.blank_words()
    doc.set_column("form", ["de", "le", "pain"])
    doc.tag_conf = np.full(3, 0.1, np.float32)
    assert written([doc]).count(b"\tTagConf=0.1\n") == 3


@pytest.mark.parametrize("speech", [False, True])
def test_the_treebanks(data_dir: Path, speech: bool) -> None:
    files = sorted(data_dir.glob("*-speech/*dev*" if speech else "UD_*/*dev*"))
    assert files
    for file in files:
        docs = []
        for doc in formats.read(file, skip_bad=True, pieces=300):
            docs.append(doc)
            if len(docs) == 4:
                break
        assert written(docs) == plainly(docs), file
        for doc in docs:
            doc.comments, doc.misc[:], doc.token_time = {}, 0, None
        assert written(docs, token_range=True) == plainly(docs, token_range=True), file
