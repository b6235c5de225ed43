"""A column is declared once: all that is done with columns follows from the declaration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from caesura import formats
from caesura.document import (
    CONFIDENCE_KEYS,
    FIXABLE,
    NO,
    ROOT,
    WORD_STRINGS,
    YES,
    Document,
    EmptyNode,
    Floats,
    Ints,
    KBestTags,
    Longs,
)
from caesura.document.schema import column, schema_of
from caesura.errors import InputError
from caesura.formats import jsonl
from caesura.render.tables import word_table


@dataclass(eq=False, repr=False)
class Coloured(Document):
    """Documents with made-up columns of many kinds."""

    colour: Ints = column("word", "strings", unknown="", keep="colours", formats=("conllu",))
    antecedent: Ints = column("word", "words", unknown=-2)
    weight: Floats | None = column(
        "token", dtype=np.float32, optional=True, confidence="colours", key="Weight"
    )
    note: dict[int, tuple[str, ...]] = column("sentence", "by token", factory=dict)
    pause: Longs = column("paragraph", "offsets")
    mood: Ints = column("turn", "strings")
    author: str | None = column("document")


def coloured() -> Coloured:
    """`Red roofs . Blue doors .`, of two sentences and two turns."""
    text = "Red roofs . Blue doors ."
    doc = Coloured(text=text, id="d", author="N. N.")
    doc.token_start, doc.token_end = (
        np.array([0, 4, 10, 12, 17, 23]),
        np.array([3, 9, 11, 16, 22, 24]),
    )
    doc.sent_start = np.array([YES, NO, NO, YES, NO, NO], np.int8)
    doc.token_misc = np.zeros(6, np.int32)
    doc.word_token = np.arange(6, dtype=np.int32)
    doc.form = doc.strings.ids(text.split())
    doc.blank_words()
    doc.set_column("colour", ["red", "", "", "blue", "", ""])
    doc.antecedent = np.array([-2, 0, -2, -2, 3, 1], np.int32)
    doc.weight = np.array([0.5, np.nan, 1, 0.25, 0, 1], np.float32)
    doc.note = {3: ("cold",)}
    doc.paragraph_start = doc.pause = np.array([0, 12])
    doc.turn_start, doc.turn_end = np.array([0, 12]), np.array([11, 24])
    doc.turn_speaker, doc.mood = doc.strings.ids(["Ann", "Bo"]), doc.strings.ids(["glad", "sad"])
    doc.turn_time = np.array([[0.0, 1.0], [1.0, np.nan]])
    doc.check()
    return doc


def test_a_new_column_is_cut() -> None:
    piece = coloured().cut(3, 6)
    assert isinstance(piece, Coloured)
    assert piece.column("colour") == ["blue", "", ""]
    assert piece.antecedent.tolist() == [-2, 0, -2]  # the last one's lies outside
    assert piece.weight is not None
    assert piece.weight.tolist() == [0.25, 0, 1]
    assert piece.note == {0: ("cold",)}
    assert piece.pause.tolist() == [0]
    assert piece.strings.take(piece.mood) == ["sad"]
    assert piece.author == "N. N."


def test_a_new_column_is_joined() -> None:
    left, right = coloured(), coloured()
    whole = Document.join([left, right])
    assert isinstance(whole, Coloured)
    assert whole.column("colour") == left.column("colour") * 2
    assert whole.antecedent.tolist() == [-2, 0, -2, -2, 3, 1, -2, 6, -2, -2, 9, 7]
    assert whole.note == {3: ("cold",), 9: ("cold",)}
    assert whole.pause.tolist() == [0, 12, 24, 36]
    assert whole.strings.take(whole.mood) == ["glad", "sad"] * 2
    right.weight = None
    whole = Document.join([left, right])
    assert isinstance(whole, Coloured)
    assert whole.weight is None


def test_a_turn_that_was_cut_is_one_again_if_all_its_columns_agree() -> None:
    doc = coloured()
    pieces = [doc.cut(0, 1), doc.cut(1, 6)]
    assert len(Document.join(pieces).turn_start) == 2
    assert isinstance(pieces[1], Coloured)
    pieces[1].mood = doc.strings.ids(["cross", "sad"])
    assert len(Document.join(pieces).turn_start) == 3


def test_a_new_column_is_compared() -> None:
    assert coloured() == coloured()
    for name, value in (("author", "M. M."), ("note", {}), ("antecedent", np.zeros(6, np.int32))):
        other = coloured()
        setattr(other, name, value)
        assert other != coloured(), name
    other = coloured()
    other.set_column("colour", ["red", "", "", "green", "", ""])
    assert other != coloured()


def test_a_new_column_travels_in_json_lines() -> None:
    doc = coloured()
    line = jsonl.encode(doc)
    assert b'"colour":["red","","","blue","",""]' in line
    assert b'"weight":[0.5,null,1.0' in line
    assert jsonl.decode_as(line, Coloured) == doc
    with pytest.raises(InputError, match="unknown field `colour`"):
        jsonl.decode(line)
    doc.set_column("colour", [""] * 6)
    line = jsonl.encode(doc)
    assert b"colour" not in line
    assert jsonl.decode_as(line, Coloured) == doc


def test_a_new_column_of_the_wrong_length_is_refused() -> None:
    doc = coloured()
    doc.antecedent = doc.antecedent[:-1]
    with pytest.raises(InputError, match="column antecedent has 5 rows, not 6"):
        doc.check()
    with pytest.raises(InputError, match="antecedent has 5 rows"):
        jsonl.decode_as(jsonl.encode(doc), Coloured)
    doc = coloured()
    doc.mood = doc.mood[:1]
    with pytest.raises(InputError, match="mood has 1"):
        jsonl.decode_as(jsonl.encode(doc), Coloured)


def test_a_new_column_has_names_and_formats() -> None:
    schema = schema_of(Coloured)
    assert schema.fixable == FIXABLE | {"colours"}
    doc = coloured()
    doc.fixed = frozenset({"colours"})
    doc.check()
    assert "colours" in schema.holds("conllu")
    assert "colours" not in schema.holds("tokens")
    assert schema.confidence_keys == CONFIDENCE_KEYS | {"weight": "Weight"}
    table = word_table(coloured())
    assert table["colour"].tolist() == coloured().column("colour")
    assert table["weight"][0] == 0.5


def test_a_field_that_is_no_column_is_refused() -> None:
    @dataclass(eq=False, repr=False)
    class Odd(Document):
        mark: int = 0

    with pytest.raises(TypeError, match=r"Odd\.mark is not declared"):
        Odd().check()


def test_what_the_declarations_say() -> None:
    assert WORD_STRINGS == ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
    assert sorted(FIXABLE) == ["heads", "lemmas", "sentences", "tags", "tokens"]
    assert CONFIDENCE_KEYS == {
        "sent_conf": "SentConf",
        "tag_conf": "TagConf",
        "arc_conf": "ArcConf",
    }
    assert formats.HOLDS["brackets"] == {"tokens", "sentences", "tags"}
    assert formats.HOLDS["text"] == set()


# ------------------------------------------------------- what formats can hold


def everything(*, multiword: bool) -> Document:
    """A document in which every column says something."""
    words = ["Do", "not", "go", ".", "Stay", "!", "Now", ",", "I", "say", "."]
    text = "Do not go . Stay !\n\nNow , I say ."
    starts, at = [], 0
    for word in words:
        at = text.index(word, at)
        starts.append(at)
        at += len(word)
    doc = Document.from_spans(
        text, starts, [a + len(w) for a, w in zip(starts, words, strict=True)]
    )
    if multiword:
        doc.token_start, doc.token_end = np.delete(doc.token_start, 1), np.delete(doc.token_end, 0)
        doc.word_token = np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], np.int32)
        doc.token_columns = {0: ("_", "VERB", "_", "_", "_", "_", "_")}
        doc.token_misc = doc.strings.ids(["Gloss=x"] + [""] * 9)
    n = doc.n_tokens
    doc.id = "d"
    doc.sent_start = np.zeros(n, np.int8)
    doc.sent_start[[0, n - 7, n - 5]] = YES
    doc.head = np.array([2, 2, ROOT, 2, ROOT, 4, 9, 6, 9, ROOT, 9], np.int32)
    doc.set_column("lemma", [f"{form}-l" for form in doc.column("form")])
    doc.set_column(
        "upos",
        ["AUX", "PART", "VERB", "PUNCT", "VERB", "PUNCT", "ADV", "PUNCT", "PRON", "VERB", "PUNCT"],
    )
    doc.set_column("xpos", ["VB", "RB", "VB", ".", "VB", ".", "RB", ",", "PRP", "VBP", "."])
    doc.set_column("feats", ["Mood=Imp"] + [""] * 10)
    labels = "aux advmod root punct root punct advmod punct nsubj root punct"
    doc.set_column("deprel", labels.split())
    doc.set_column("deps", ["3:aux"] + [""] * 10)
    doc.set_column("misc", ["", "", "Ref=1"] + [""] * 8)
    doc.empty_nodes = [EmptyNode(4, form="you", upos="PRON")]
    doc.comments = {
        0: ("# newdoc id = d", "# newpar", "# sent_id = a"),
        n - 7: ("# sent_id = b",),
        n - 5: ("# newpar", "# sent_id = c"),
    }
    doc.trailer = ("# end",)
    doc.paragraph_start = np.array([0, 20])
    doc.node_label = doc.strings.ids(
        ["S", "VB", "RB", "VB", ".", "S", "VB", ".", "S", "RB", ",", "PRP", "VBP", "."]
    )
    doc.node_parent = np.array([-1, 0, 0, 0, 0, -1, 5, 5, -1, 8, 8, 8, 8, 8], np.int32)
    doc.node_leaf = np.array([-1, 0, 1, 2, 3, -1, 4, 5, -1, 6, 7, 8, 9, 10], np.int32)
    doc.turn_start, doc.turn_end = np.array([0, 20]), np.array([18, len(text)])
    doc.turn_speaker = doc.strings.ids(["ANN", "BO"])
    doc.turn_time = np.array([[0, 1.5], [2, 3]])
    doc.markup_start, doc.markup_end = np.array([12]), np.array([16])
    doc.markup_label = doc.strings.ids(["em"])
    doc.start_evidence = np.linspace(0, 1, n).astype(np.float32)
    doc.sent_conf = np.full(n, 0.5, np.float32)
    doc.tag_conf, doc.arc_conf = np.full(11, 0.25, np.float32), np.full(11, 0.75, np.float32)
    doc.tag_options = KBestTags("upos", doc.upos.reshape(-1, 1), np.ones((11, 1), np.float32))
    doc.check()
    return doc


def said_by(doc: Document) -> dict[str, object]:
    """What a document says, offsets by the text beside them: formats space texts differently."""
    said = doc.contents()
    for own in schema_of(Document).columns:
        if own.kind == "offsets":
            starts = own.name.endswith("start")
            said[own.name] = [
                doc.text[at : at + 1] if starts else doc.text[max(0, at - 2) : at]
                for at in getattr(doc, own.name).tolist()
            ]
    # Writers add attributes of their own to MISC: spaces, turns.
    ours = {"Gloss=x", "Ref=1"}
    for name in ("misc", "token_misc"):
        said[name] = ["|".join(ours & set(value.split("|"))) for value in said[name]]
    return said


ROUND = [n for n in formats.writable() if n in formats.readable()]


@pytest.mark.parametrize("name", [n for n in ROUND if not formats.FORMATS[n].inserts])
def test_a_format_holds_what_the_schema_says(name: str, tmp_path: Path) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    declared = {c.name for c in schema_of(Document).columns if name in c.formats and c.compared}
    doc = everything(multiword="word_token" in declared)
    path = tmp_path / f"x{formats.FORMATS[name].extensions[0]}"
    formats.write(doc, path, name)
    back = said_by(Document.join(list(formats.read(path, name))))
    said = said_by(doc)
    kept = {column for column in said if back[column] == said[column]} - {"text"}
    # A document without multi-word tokens says nothing of them that could be lost.
    nothing = {column for column, value in said.items() if value in ([], {}, None)}
    nothing |= set() if "word_token" in declared else {"word_token", "token_misc"}
    assert declared - {"text"} <= kept
    assert kept - declared <= nothing
