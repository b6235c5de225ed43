"""The other formats by example."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import formats
from caesura.document import NO, ROOT, YES, Document
from caesura.errors import InputError, UsageError
from tests.formats.streams import marked, read, write


def written(format: str, docs: list[Document]) -> str:
    return write(format, docs).decode()


# ------------------------------------------------------------------ brackets

TREE = """
( (S
    (NP-SBJ-1 (DT The) (NN dog) )
    (VP (VBZ wants)
      (S (NP-SBJ (-NONE- *-1) )
        (VP (TO to) (VP (VB bark) (-LRB- -LRB-) (ADVP (RB and\\/or)) (-RRB- -RRB-)))))
    (. .) ))
( (FRAG (-NONE- *T*-1) (UH Yes)))
"""


def test_brackets():
    (doc,) = read("brackets", TREE)
    assert doc.text == "The dog wants to bark ( and/or ) .\nYes"
    assert doc.column("xpos")[:3] == ["DT", "NN", "VBZ"]
    assert doc.n_sentences == 2
    labels = doc.strings.take(doc.node_label)
    assert labels[:3] == ["", "S", "NP-SBJ-1"]
    star, trace = doc.empty_nodes
    assert (star.form, star.xpos, star.anchor) == ("*-1", "-NONE-", 2)
    assert (trace.form, trace.anchor) == ("*T*-1", -1 - 9)
    assert written("brackets", [doc]).split("\n")[1] == "( (FRAG (-NONE- *T*-1) (UH Yes)))"
    assert "".join(written("brackets", [doc]).split()) == "".join(TREE.split())


def test_brackets_need_phrase_structure():
    with pytest.raises(InputError, match="no phrase structure"):
        written("brackets", [Document.from_spans("a", [0], [1])])


def test_brackets_in_the_shared_data(data_dir):
    files = sorted((data_dir / "WSJ-sample" / "mrg").rglob("*.mrg"))[:20]
    if not files:
        pytest.skip("no trees of the WSJ sample")
    for path in files:
        (doc,) = formats.read(path)
        assert "".join(written("brackets", [doc]).split()) == "".join(path.read_text().split())


# ---------------------------------------------------------------------- text


def test_text_modes():
    source = "One\nline.\n \t\nTwo.\n\n\n  Three.\n"
    (blank,) = read("text", source)
    assert [source[i:].split()[0] for i in blank.paragraph_start] == ["One", "Two.", "Three."]
    (line,) = read("text", source, mode="line")
    assert len(line.paragraph_start) == 4
    with pytest.raises(UsageError, match="there is no mode 'page'"):
        read("text", source, mode="page")


def test_text_in_pieces_is_cut_between_paragraphs():
    paragraph = "These are some words. " * 20 + "\n\n"
    pieces = read("text", paragraph * 50, pieces=100)
    assert len(pieces) > 10
    assert "".join(piece.text for piece in pieces) == paragraph * 50
    assert all(piece.text.endswith("\n\n") for piece in pieces)
    assert all(piece.paragraph_start[0] == 0 for piece in pieces)
    assert [piece.continues for piece in pieces[:2]] == [False, True]


def test_text_without_any_line_end_in_pieces():
    source = "word " * 20_000
    pieces = read("text", source, pieces=100)
    assert "".join(piece.text for piece in pieces) == source
    assert max(len(piece.text) for piece in pieces) < 6000
    assert sum(len(piece.paragraph_start) for piece in pieces) == 1


def test_texts_are_separated_by_a_blank_line():
    assert written("text", [Document(text="a"), Document(text="b\n"), Document(text="c")]) == (
        "a\n\nb\n\nc"
    )


# -------------------------------------------------------------------- tokens


def test_tokens_by_sentence():
    one, two = read("tokens", "A dog .\nIt barks .\n\nNew paragraph .\n\n\nAnother document .\n")
    assert one.text == "A dog .\nIt barks .\n\nNew paragraph ."
    assert one.n_sentences == 3
    assert one.paragraph_start.tolist() == [0, 20]
    assert two.n_tokens == 3


def test_tokens_by_line():
    (doc,) = read("tokens", "A\ndog\n\nBarks\n", mode="token")
    assert doc.sent_start.tolist() == [YES, NO, YES]
    assert doc.text == "A dog\nBarks"


def test_tokens_in_pieces():
    pieces = read("tokens", "a b\nc d\n\ne f\n", pieces=2)
    assert [piece.text for piece in pieces] == ["a b\n", "c d\n\n", "e f"]
    assert written("tokens", pieces) == "a b\nc d\n\ne f\n"


# --------------------------------------------------------------- transcripts


def test_srt():
    source = (
        "1\n00:00:01,000 --> 00:00:02,500\nANN: Birds <i>do</i>\nsing.\n\n"
        "2\n00:00:03,000 --> 00:00:04,000\nDo they?\n"
    )
    (doc,) = read("transcript", source, mode="srt")
    assert doc.text == "Birds do sing. Do they?"
    assert doc.strings.take(doc.turn_speaker) == ["ANN", "ANN"]
    assert doc.turn_time.tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert doc.text[doc.markup_start[0] : doc.markup_end[0]] == "do"


def test_vtt():
    source = (
        "WEBVTT - a title\n\nNOTE nothing\n\nSTYLE\n::cue {}\n\nintro\n"
        "00:01.000 --> 00:02.000 align:start\n<v.loud Ann Lee>Fish &amp; chips</v>\n\n"
        "01:00:03.000 --> 01:00:04.000\n<v Bob>Yes <00:03.500>please\n<v Ann Lee>No\n"
    )
    (doc,) = read("transcript", source, mode="vtt")
    assert doc.text == "Fish & chips\nYes please\nNo"
    assert doc.strings.take(doc.turn_speaker) == ["Ann Lee", "Bob", "Ann Lee"]
    assert doc.turn_time[1].tolist() == [3603.0, 3604.0]


def test_speakers():
    source = (
        "Ann: Hello there.\nHow are you?\n\nDr. Bob: Fine.\n[00:01:02 - 00:01:03.5] Ann: Good.\n"
    )
    (doc,) = read("transcript", source)
    assert doc.strings.take(doc.turn_speaker) == ["Ann", "Dr. Bob", "Ann"]
    assert doc.text == "Hello there.\nHow are you?\nFine.\nGood."
    assert doc.turn_time[2].tolist() == [62.0, 63.5]
    assert np.isnan(doc.turn_time[0]).all()


def test_numbered_turns_start_anew_with_a_document():
    source = "A.1: Hello.\nB.2: Hi.\n\nA.1: Again.\nB.2: Yes.\n"
    docs = read("transcript", source)
    assert [doc.text for doc in docs] == ["Hello.\nHi.", "Again.\nYes."]
    assert docs[0].strings.take(docs[0].turn_speaker) == ["A", "B"]


def test_switchboard(data_dir):
    path = data_dir / "Switchboard-sample" / "transcript.train.txt"
    assert len(list(formats.read(path, "transcript"))) == 30


# ---------------------------------------------------------------------- HTML


def test_html():
    source = """<!DOCTYPE html><html><head><title>No</title><style>p {}</style></head><body>
    <h1>A   heading</h1><p>Fish &amp; <b>bold <i>both</i></b>
    text<br>new line</p><script>var x = "<p>";</script><ul><li>one<li>two</ul>
    <pre>keep   this
  too</pre></body></html>"""
    (doc,) = read("html", source)
    assert doc.text == (
        "A heading\n\nFish & bold both text\nnew line\n\none\n\ntwo\n\nkeep   this\n  too"
    )
    assert len(doc.paragraph_start) == 5
    assert marked(doc) == [("bold both", "b"), ("both", "i")]


def test_html_documents():
    docs = [Document(text="One <", id="a&b"), Document(text="Two\n\nThree")]
    docs[1].paragraph_start = np.array([0, 5])
    again = read("html", written("html", docs))
    assert [(doc.id, doc.text) for doc in again] == [("a&b", "One <"), (None, "Two\n\nThree")]


def test_html_closes_crossing_elements():
    doc = Document(text="abcdef")
    doc.markup_start, doc.markup_end = np.array([0, 2]), np.array([4, 6])
    doc.markup_label = doc.strings.ids(["b", "i"])
    assert "<p><b>ab<i>cd</i></b><i>ef</i></p>" in written("html", [doc])


# --------------------------------------------------------------- brat, spans


def sample() -> Document:
    doc = Document.from_spans("It's\nso. Yes", [0, 5, 7, 9], [4, 7, 8, 12])
    doc.word_token = np.array([0, 0, 1, 2, 3], dtype=np.int32)
    doc.form = doc.strings.ids(["It", "'s", "so", ".", "Yes"])
    doc.blank_words()
    doc.sent_start = np.array([YES, NO, NO, YES], dtype=np.int8)
    doc.set_column("upos", ["PRON", "AUX", "ADV", "PUNCT", ""])
    doc.set_column("deprel", ["nsubj", "cop", "root", "punct:end", "root"])
    doc.head = np.array([2, 2, ROOT, 2, ROOT], dtype=np.int32)
    return doc


def test_brat(tmp_path):
    formats.write([sample(), Document(text="Next")], tmp_path / "a.ann")
    assert (tmp_path / "a.txt").read_text() == "It's\nso. Yes\n\nNext"
    assert (tmp_path / "a.ann").read_text().split("\n") == [
        "T1\tSentence 0 4;5 8\tIt's so.",
        "T2\tSentence 9 12\tYes",
        "T3\tPRON 0 4\tIt's",
        "T4\tAUX 0 4\tIt's",
        "T5\tADV 5 7\tso",
        "T6\tPUNCT 7 8\t.",
        "T7\tWord 9 12\tYes",
        "R1\tnsubj Arg1:T5 Arg2:T3\t",
        "R2\tcop Arg1:T5 Arg2:T4\t",
        "R3\tpunct_end Arg1:T5 Arg2:T6\t",
        "",
    ]
    with pytest.raises(UsageError, match="needs two files"):
        formats.write([sample()], "-", "brat")


def test_spans(tmp_path):
    formats.write([sample()], tmp_path / "a.spans")
    (again,) = formats.read(tmp_path / "a.spans")
    assert again.token_start.tolist() == sample().token_start.tolist()
    assert again.sent_start.tolist() == sample().sent_start.tolist()
    assert again.text == sample().text


def test_spans_of_sentences_alone(tmp_path):
    (tmp_path / "a.txt").write_text("One two.Three four.")
    (tmp_path / "a.spans").write_text("0 8\n8 19 sentence\n4 7 name\n")
    (doc,) = formats.read(tmp_path / "a.spans")
    assert [s.text for s in doc.sentences] == ["One two.", "Three four."]
    assert doc.strings.take(doc.markup_label) == ["name"]
    (tmp_path / "b.spans").write_text("0 8\n")
    with pytest.raises(InputError, match="does not exist"):
        list(formats.read(tmp_path / "b.spans"))


# --------------------------------------------------------------------- spaCy


def test_docbin(tmp_path):
    spacy = pytest.importorskip("spacy")
    from caesura.formats.spacy import from_spacy, to_spacy

    doc = sample()
    path = tmp_path / "a.spacy"
    formats.write([doc], path)
    assert list(formats.read(path)) == [doc]

    vocab = spacy.blank("en").vocab
    made = to_spacy(doc, vocab)
    assert [token.text for token in made] == ["It", "'s", "\n", "so", ".", "Yes"]
    assert made[0].head.text == "so"
    assert made._.mwt == [[0, 2, "It's"]]
    made[3].tag_ = "RB"
    assert from_spacy(made).column("xpos") == ["", "", "RB", "", ""]
    made[5].head = made[3]
    assert from_spacy(made).head.tolist()[4] == 2


def test_docs_that_spacy_made():
    spacy = pytest.importorskip("spacy")
    from caesura.formats.spacy import from_spacy

    pipe = spacy.blank("en")
    pipe.add_pipe("sentencizer")
    doc = from_spacy(pipe("It barks.  Often."))
    assert [token.text for token in doc.tokens] == ["It", "barks", ".", "Often", "."]
    assert doc.text == "It barks.  Often."
    assert doc.n_sentences == 2


def test_no_docbin(tmp_path):
    pytest.importorskip("spacy")
    path = tmp_path / "a.spacy"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="this is no DocBin"):
        list(formats.read(path))


def test_sections_of_html_that_are_none():
    (doc,) = read("html", "<p>one <![if x]> two <![endif]> three")
    assert doc.text == "one two three"
