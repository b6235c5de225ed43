"""The laws of documents and formats: slice, join, round trip, same again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import formats
from caesura.document import CUE, Document
from tests.formats.streams import read, write
from tests.strategies import documents, token_texts

modest = settings(max_examples=60, deadline=None)


def said(doc: Document, *but: str) -> dict:
    return {key: value for key, value in doc.contents().items() if key not in but}


@modest
@given(documents())
def test_slice_the_text_between_offsets_is_the_token(doc):
    (again,) = read("conllu", write("conllu", [doc]))
    assert [token.text for token in again.tokens] == [token.text for token in doc.tokens]
    for token in again.tokens:
        assert again.text[token.start : token.end] == token.text
        if not token.is_multiword:
            assert token.words[0].form == token.text


@modest
@given(documents())
def test_join_sentences_and_gaps_give_back_the_text(doc):
    (again,) = read("conllu", write("conllu", [doc]))
    rebuilt, at = "", 0
    for sentence in again.sentences:
        rebuilt += again.text[at : sentence.start] + again.text[sentence.start : sentence.end]
        at = sentence.end
    assert rebuilt + again.text[at:] == doc.text


@modest
@given(documents())
def test_conllu_round_trip(doc):
    first = write("conllu", [doc])
    (again,) = read("conllu", first)
    # MISC gains the spacing that the text asks for, and nothing else changes.
    assert said(again, "misc", "token_misc") == said(doc, "misc", "token_misc")
    assert write("conllu", [again]) == first
    assert read("conllu", write("conllu", [again])) == [again]


@modest
@given(documents(multiword=False))
def test_conllx_round_trip(doc):
    first = write("conllx", [doc])
    (again,) = read("conllx", first)
    kept = ("upos", "xpos", "feats", "head", "deprel", "sent_start")
    for key in kept:
        assert said(again)[key] == said(doc)[key]
    assert write("conllx", [again]) == first


@modest
@given(documents(extras=True))
def test_jsonl_holds_everything(doc):
    data = write("jsonl", [doc])
    (again,) = read("jsonl", data)
    assert again == doc
    assert again.fixed == doc.fixed
    assert write("jsonl", [again]) == data


@modest
@given(st.lists(documents(comments=False), min_size=1, max_size=3))
def test_a_stream_keeps_its_documents(docs):
    found = read("conllu", write("conllu", docs))
    assert [doc.text for doc in found] == [doc.text for doc in docs]
    assert [doc.id for doc in found] == [doc.id for doc in docs]


@modest
@given(documents(max_tokens=30), st.integers(1, 8))
def test_pieces_together_are_the_document(doc, size):
    data = write("conllu", [doc])
    (whole,) = read("conllu", data)
    parts = read("conllu", data, pieces=size)
    assert [part.continues for part in parts] == [False] + [True] * (len(parts) - 1)
    assert Document.join(parts) == whole
    assert write("conllu", parts) == data


@modest
@given(documents(max_tokens=20), st.integers(1, 8))
def test_cutting_between_sentences_and_joining_is_the_same(doc, size):
    (whole,) = read("conllu", write("conllu", [doc]))
    parts = list(formats.build.in_pieces([whole], size))
    assert Document.join(parts) == whole


@modest
@given(st.text(alphabet="ab .\n\r\t\u00a0漢", max_size=80))
def test_text_is_untouched(source):
    (doc,) = read("text", source.encode())
    assert doc.text == source
    assert write("text", [doc]) == source.encode()
    pieces = read("text", source.encode(), pieces=1)
    assert "".join(piece.text for piece in pieces) == source
    for start in doc.paragraph_start.tolist():
        assert not source[start].isspace()


@modest
@given(token_texts(free_gaps=False), st.sampled_from(["sentence", "token"]))
def test_tokens_round_trip(doc, mode):
    data = write("tokens", [doc], mode=mode)
    (again,) = read("tokens", data, mode=mode)
    assert again.column("form") == doc.column("form")
    assert again.sentence_bounds.tolist() == doc.sentence_bounds.tolist()
    assert write("tokens", [again], mode=mode) == data
    assert read("tokens", write("tokens", [again, again], mode=mode), mode=mode) == [again, again]


trees = st.recursive(
    st.tuples(
        st.sampled_from(["NN", "-LRB-", "-NONE-"]), st.sampled_from(["dog", "(", "a/b", "*"])
    ),
    lambda inner: st.tuples(st.sampled_from(["S", "NP-SBJ-1", ""]), st.lists(inner, min_size=1)),
    max_leaves=8,
)


def bracketed(tree) -> str:
    label, inner = tree
    if isinstance(inner, str):
        word = {"(": "-LRB-", "a/b": "a\\/b"}.get(inner, inner)
        return f"({label} {word if label == '-NONE-' else word.replace('*', chr(92) + '*')})"
    return f"({label} {' '.join(map(bracketed, inner))})"


@modest
@given(st.lists(trees, min_size=1, max_size=3))
def test_brackets_round_trip(found):
    source = "".join(f"(TOP {bracketed(tree)} (NN end))\n" for tree in found)
    (doc,) = read("brackets", source.encode())
    assert doc.n_sentences == len(found)
    assert read("brackets", write("brackets", [doc])) == [doc]
    parts = read("brackets", source.encode(), pieces=1)
    assert Document.join(parts) == doc


turns = st.tuples(
    st.sampled_from(["ANN", "BOB"]),
    st.lists(st.text("abc ,.&<", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=2),
    st.integers(0, 10**7),
    st.integers(0, 10**5),
)


@modest
@given(st.lists(turns, min_size=1, max_size=4), st.sampled_from(["srt", "vtt", "speaker"]))
def test_transcripts_round_trip(found, mode):
    if mode == "srt":  # which has no way to write a bracket that is no tag
        found = [
            (name, ["x" + w.replace("<", "") + "y" for w in ws], a, b) for name, ws, a, b in found
        ]
    doc = Document(text="", id=None)
    starts, ends, times = [], [], []
    for _, words, begin, length in found:
        doc.text += "\n" if doc.text else ""
        starts.append(len(doc.text))
        doc.text += "\n".join(words)
        ends.append(len(doc.text))
        times.append((begin / 1000, (begin + length) / 1000))
    doc.turn_start, doc.turn_end = np.array(starts), np.array(ends)
    doc.turn_speaker = doc.strings.ids([speaker for speaker, *_ in found])
    doc.turn_time = np.array(times)
    if mode != "speaker":
        doc.turn_kind = np.full(len(found), CUE, np.int8)
    data = write("transcript", [doc], mode=mode)
    (again,) = read("transcript", data, mode=mode)
    if mode == "speaker":
        assert again == doc
    else:  # lines of a cue are joined
        assert again.strings.take(again.turn_speaker) == [speaker for speaker, *_ in found]
        spans = zip(again.turn_start, again.turn_end, strict=True)
        assert [again.text[a:b] for a, b in spans] == [" ".join(ws) for _, ws, *_ in found]
        assert again.turn_time.tolist() == [list(time) for time in times]
    assert write("transcript", [again], mode=mode) == data


words = st.text("ab&<>漢", min_size=1, max_size=4)


@modest
@given(st.lists(st.lists(words, min_size=2, max_size=5), min_size=1, max_size=3), st.data())
def test_html_round_trip(paragraphs, data):
    doc = Document(text="\n\n".join(" ".join(p) for p in paragraphs), id="page")
    starts = [0]
    for p in paragraphs[:-1]:
        starts.append(starts[-1] + len(" ".join(p)) + 2)
    doc.paragraph_start = np.array(starts)
    size = len(paragraphs[0][0])
    if data.draw(st.booleans()):
        doc.markup_start, doc.markup_end = np.array([0, 0]), np.array([size, size])
        doc.markup_label = doc.strings.ids(["em", "b"])
    source = write("html", [doc])
    assert read("html", source) == [doc]


@pytest.mark.parametrize("module", ["conllu", "jsonl"])
@modest
@given(doc=documents())
def test_same_again(module, doc):
    assert write(module, [doc]) == write(module, [doc])


@settings(max_examples=15, deadline=None)
@given(doc=documents())
def test_docbin_round_trip(doc):
    pytest.importorskip("spacy")
    assert read("spacy", write("spacy", [doc])) == [doc]


def test_every_treebank_byte_for_byte(data_dir: Path):
    """Every .conllu.gz and .conll.gz file, comments and all."""
    import gzip

    paths = sorted(data_dir.glob("*/*.conll*.gz"))
    assert paths, f"there is no treebank in {data_dir}"
    for path in paths:
        source = gzip.decompress(path.read_bytes())
        module = "conllu" if ".conllu" in path.name else "conllx"
        assert write(module, read(module, source)) == source, path.name
