"""Formats of linguists (ELAN, TextGrid, CHAT), and JSON and CSV with named fields."""

from __future__ import annotations

import json
from difflib import unified_diff
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import caesura
from caesura import cli, formats
from caesura.document import NO, YES, Document
from caesura.errors import CaesuraError, FormatError, InputError
from caesura.formats import Fields
from caesura.formats.options import ReadOptions
from caesura.formats.tiers import _textgrid_tiers
from tests.formats.streams import read, turns


def elan_tier(attributes: str, *rows: tuple[str, str, str]) -> str:
    """A tier of annotations with their attributes and values."""
    lines = [f'    <TIER LINGUISTIC_TYPE_REF="utterance" {attributes}>']
    for kind, own, value in rows:
        lines += ["        <ANNOTATION>", f"            <{kind}_ANNOTATION {own}>"]
        lines += [f"                <ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>"]
        lines += [f"            </{kind}_ANNOTATION>", "        </ANNOTATION>"]
    return "\n".join([*lines, "    </TIER>\n"])


def aligned(id: str, first: int, last: int, value: str) -> tuple[str, str, str]:
    places = f'TIME_SLOT_REF1="ts{first}" TIME_SLOT_REF2="ts{last}"'
    return "ALIGNABLE", f'ANNOTATION_ID="{id}" {places}', value


EAF = f"""<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2026-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">
        <MEDIA_DESCRIPTOR MEDIA_URL="file:///talk.wav" MIME_TYPE="audio/x-wav"/>
        <PROPERTY NAME="lastUsedAnnotationId">7</PROPERTY>
    </HEADER>
    <TIME_ORDER>
        <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="1000"/>
        <TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="2500"/>
        <TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="3000"/>
        <TIME_SLOT TIME_SLOT_ID="ts4"/>
    </TIME_ORDER>
{
    elan_tier(
        'PARTICIPANT="Ann" TIER_ID="A &amp; b"',
        aligned("a2", 3, 4, "come back. no"),
        aligned("a1", 1, 2, "the old boats"),
    )
}{elan_tier('TIER_ID="ref"', aligned("a3", 2, 3, "001"))}{
    elan_tier(
        'PARENT_REF="ref" TIER_ID="tx"',
        ("REF", 'ANNOTATION_ID="a4" ANNOTATION_REF="a3"', "did not &lt;"),
    )
}    <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="utterance" TIME_ALIGNABLE="true"/>
    <CONSTRAINT DESCRIPTION="x" STEREOTYPE="Symbolic_Association"/>
</ANNOTATION_DOCUMENT>
"""
HEAD = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
SHORT = f"""{HEAD}0
4
<exists>
2
"IntervalTier"
"Ann"
0
4
2
0
1.5
"say ""no"". well [1] x"
1.5
4
""
"TextTier"
"tones"
0
4
1
2
"H*"
"""


def long_tier(number: int, name: str, *rows: tuple[float, float, str]) -> str:
    """A tier in Praat's long text format."""
    lines = [f"    item [{number}]:", '        class = "IntervalTier"', f'        name = "{name}"']
    lines += ["        xmin = 0", "        xmax = 4", f"        intervals: size = {len(rows)}"]
    for k, (begin, end, text) in enumerate(rows, 1):
        lines += [f"        intervals [{k}]:", f"            xmin = {begin:g}"]
        lines += [f"            xmax = {end:g}", f'            text = "{text}"']
    return "\n".join([*lines, ""])


WORDS = long_tier(1, "Ann - words", (0, 0.5, "so"), (0.5, 1, "it"), (2, 2.5, "goes"))
LONG = f"{HEAD}xmin = 0\nxmax = 4\ntiers? <exists>\nsize = 2\nitem []:\n{WORDS}"
LONG += long_tier(2, "Ann - phones", (0, 4, "S"))
CHAT = """@UTF8
@Begin
@Participants:\tCHI Target_Child, MOT Mother
*MOT:\twhat [/] what's &-uh this (.) dog@c ?\t\x1500_1500\x15
%mor:\tpro:int|what
*CHI:\t<a dog> [//] &+b a big dog
\tgo-ing (be)cause +... \x151500_2500\x15
*CHI:\txxx .
@End
"""


def split(doc: Document, at: list[int]) -> Document:
    """The document with a token a word, and sentences that start at some words."""
    spans = []
    for word in doc.text.split():
        begin = doc.text.index(word, spans[-1][1] if spans else 0)
        spans.append((begin, begin + len(word)))
    made = Document.from_spans(doc.text, [a for a, _ in spans], [b for _, b in spans])
    made.strings, made.source = doc.strings, doc.source
    for name in ("turn_start", "turn_end", "turn_speaker", "turn_time", "turn_kind"):
        setattr(made, name, getattr(doc, name))
    made.sent_start = np.full(len(spans), NO, np.int8)
    made.sent_start[at] = YES
    return made


def test_elan_is_read_and_gets_a_dependent_tier(tmp_path: Path) -> None:
    path = tmp_path / "a.eaf"
    path.write_text(EAF, encoding="utf-8")
    (doc,) = formats.read(path)
    assert turns(doc) == [
        ("the old boats", "Ann", [1.0, 2.5]),
        ("did not <", "ref", [2.5, 3.0]),
        ("come back. no", "Ann", [3.0, -1]),
    ]
    made = split(doc, [0, 3, 6, 8])
    formats.write([made], tmp_path / "b.eaf")
    text = (tmp_path / "b.eaf").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    tiers = {tier.get("TIER_ID"): tier for tier in root.iter("TIER")}
    assert list(tiers) == ["A & b", "ref", "tx", "A & b-sentences", "tx-sentences"]
    new = tiers["A & b-sentences"]
    rows = [
        (one.get("ANNOTATION_REF"), one.findtext("ANNOTATION_VALUE"))
        for one in new.iter("REF_ANNOTATION")
    ]
    assert rows == [("a1", "the old boats"), ("a2", "come back."), ("a2", "no")]
    assert new.get("PARENT_REF") == "A & b"
    numbers = [one.get("ANNOTATION_ID") for one in root.iter("REF_ANNOTATION")]
    assert len(set(numbers)) == len(numbers)
    assert 'lastUsedAnnotationId">11<' in text
    # All else is as it was.
    gone = [line for line in unified_diff(EAF.splitlines(), text.splitlines()) if line[0] == "-"]
    assert len(gone) == 2
    assert "lastUsedAnnotationId" in gone[1]
    # Tiers that were written are not read, and are not written over.
    (again,) = formats.read(tmp_path / "b.eaf")
    assert turns(again) == turns(doc)
    formats.write([split(again, [0])], tmp_path / "c.eaf")
    assert "A &amp; b-2-sentences" in (tmp_path / "c.eaf").read_text(encoding="utf-8")


def test_text_grids_of_both_kinds(tmp_path: Path) -> None:
    (doc,) = read("textgrid", SHORT)
    assert turns(doc) == [('say "no". well [1] x', "", [0.0, 1.5])]
    (words,) = read("textgrid", LONG)
    assert turns(words) == [("so it", "", [0.0, 1.0]), ("goes", "", [2.0, 2.5])]
    assert words.token_time is not None
    assert words.token_time.tolist() == [[0.0, 0.5], [0.5, 1.0], [2.0, 2.5]]
    for name, source in (("a.TextGrid", SHORT), ("b.TextGrid", LONG)):
        path = tmp_path / name
        path.write_text(source, encoding="utf-16")
        (doc,) = formats.read(path)
        formats.write([split(doc, [0, 2])], tmp_path / f"new-{name}")
        text = (tmp_path / f"new-{name}").read_text(encoding="utf-8")
        assert text.startswith(source.partition("exists>")[0])
        assert "-sentences" in text
        tiers = _textgrid_tiers(text, ReadOptions())
        assert len(tiers) == len(_textgrid_tiers(source, ReadOptions())) + 1
        assert [row[2] for row in tiers[-1].rows if row[2]] in (
            ['say "no".', "well [1] x"],
            ["so it", "goes"],
        )
        (again,) = formats.read(tmp_path / f"new-{name}")
        assert turns(again) == turns(doc)


def test_tiers_need_their_file(tmp_path: Path) -> None:
    for name in ("a.eaf", "a.TextGrid"):
        with pytest.raises(InputError, match="is written from the one document of"):
            formats.write([Document(text="x")], tmp_path / name)
    path = tmp_path / "a.eaf"
    path.write_text(EAF, encoding="utf-8")
    (doc,) = formats.read(path)
    path.write_text(EAF.replace("boats", "ships"), encoding="utf-8")
    with pytest.raises(InputError, match="has changed"):
        formats.write([split(doc, [0])], tmp_path / "b.eaf")
    assert not (tmp_path / "b.eaf").exists()


def test_the_pipeline_writes_tiers(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.eaf"
    path.write_text(EAF, encoding="utf-8")
    nlp = caesura.load(tiny_model)
    (doc,) = formats.read(path)
    formats.write([nlp(doc)], tmp_path / "b.eaf")
    assert "A &amp; b-sentences" in (tmp_path / "b.eaf").read_text(encoding="utf-8")


def test_chat() -> None:
    (doc,) = read("chat", CHAT)
    assert turns(doc) == [
        ("what what's uh this dog?", "MOT", [0.0, 1.5]),
        ("a dog a big dog go-ing because...", "CHI", [1.5, 2.5]),
    ]


@pytest.mark.parametrize(
    ("name", "source", "what"),
    [
        ("a.eaf", "<x/>", "this is no ELAN file: its root is 'x'"),
        ("a.eaf", "<x", "this is no XML"),
        ("a.TextGrid", "hello", "this is no TextGrid, or a damaged one"),
        ("a.TextGrid", SHORT[:120], "this is no TextGrid, or a damaged one"),
        ("a.cha", "@Begin\nhello\n", "a.cha:2: 'hello' is no line of CHAT"),
        ("a.csv", "a,b\n1,2\n", "there is no column 'text'. Columns are: a, b"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path: Path, name: str, source: str, what: str) -> None:
    (tmp_path / name).write_text(source, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(formats.read(tmp_path / name))
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


# -------------------------------------------------------------------- fields


def test_fields_of_json(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    rows = [
        {"a": {"b": "one two"}, "who": 1, "t": ["0:01", "2.5"]},
        {"a": {"b": "three"}, "who": 1, "t": [3, 4]},
        {"a": {}},
    ]
    path.write_text(json.dumps({"meta": [1, {"x": 2}], "rows": rows}), encoding="utf-8")
    named = Fields("a.b", "who", "t.0", "t.1")
    (doc,) = formats.read(path, fields=named)
    assert turns(doc) == [
        ("one two", "Speaker 1", [1.0, 2.5]),
        ("three", "Speaker 1", [3.0, 4.0]),
    ]
    assert [doc.text for doc in formats.read(path, fields=Fields("a.b"))] == [
        "one two",
        "three",
        "",
    ]
    with pytest.raises(
        CaesuraError, match=r"no record has the field 'z'. Fields are: x, a, who, t"
    ):
        list(formats.read(path, fields=Fields("z")))
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (doc,) = formats.read(path, fields=named)
    assert doc.text == "one two three"
    with pytest.raises(CaesuraError, match="the format conllu has no named fields"):
        formats.read(tmp_path / "a.conllu", fields=named)


def test_fields_of_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text('who;said;from\nAnn;"one; ""two""";0:01\nBen;three;2\n', encoding="utf-8")
    call = ["--text-field", "said", "--speaker-field", "who", "--start-field", "from"]
    assert cli.run(["convert", str(path), "--to", "transcript", *call, "-q"]) == 0
    found = capsys.readouterr()[0].splitlines()
    assert found == ['[00:00:01.000] Ann: one; "two"', "[00:00:02.000] Ben: three"]
    (tmp_path / "b.tsv").write_text("text\tspeaker\nhello\tAnn\nyou\t\n", encoding="utf-8")
    (doc,) = formats.read(tmp_path / "b.tsv")
    assert turns(doc) == [("hello", "Ann", [-1, -1]), ("you", "Ann", [-1, -1])]
