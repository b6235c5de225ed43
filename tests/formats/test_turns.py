"""Speakers and times go wherever a transcript goes, and come back."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import cli, formats
from caesura.document import NO, YES, Document, token_turn
from tests.formats.streams import read, turns, write

VTT = """WEBVTT

00:01.000 --> 00:02.500
<v Ann Lee>Fish and chips. Please

00:03.000 --> 00:04.000
<v Bob|2>hurry up.
"""


def talk() -> Document:
    """A transcript with tokens; its second sentence goes over two turns."""
    (doc,) = read("transcript", VTT.encode(), mode="vtt")
    starts = [0, 5, 9, 14, 16, 23, 29, 31]
    ends = [4, 8, 14, 15, 22, 28, 31, 32]
    new = Document.from_spans(doc.text, starts, ends, strings=doc.strings)
    for name in ("turn_start", "turn_end", "turn_speaker", "turn_time"):
        setattr(new, name, getattr(doc, name))
    new.sent_start[:] = [YES, NO, NO, NO, YES, NO, NO, NO]
    return new


def test_conllu_holds_turns() -> None:
    doc = talk()
    text = write("conllu", [doc]).decode()
    assert (
        "1\tFish\t_\t_\t_\t_\t_\t_\t_\tNewTurn=Yes|Speaker=Ann\\sLee|StartTime=1|EndTime=2.5"
        in text
    )
    assert (
        "# speaker = Ann Lee\n# start_time = 1\n# end_time = 4\n# text = Please hurry up." in text
    )
    (again,) = read("conllu", text.encode())
    assert turns(again) == turns(doc)
    assert turns(again)[1] == ("hurry up.", "Bob|2", [3.0, 4.0])
    assert write("conllu", [again]) == text.encode()
    assert write("transcript", [again], mode="vtt") == write("transcript", [doc], mode="vtt")


def test_tokens_outside_turns_and_old_marks() -> None:
    doc = talk()
    doc.turn_end[0] = 15  # "Please" is nobody's
    (again,) = read("conllu", write("conllu", [doc]))
    assert [text for text, _, _ in turns(again)] == ["Fish and chips.", "hurry up."]
    again.turn_start = again.turn_start[1:]
    again.turn_end, again.turn_speaker = again.turn_end[1:], again.turn_speaker[1:]
    again.turn_time = again.turn_time[1:]
    text = write("conllu", [again]).decode()
    assert text.count("NewTurn=") == 1
    assert text.count("Speaker=") == 1
    assert turns(read("conllu", text.encode())[0]) == turns(again)


def test_marks_that_others_wrote_stay_as_they_are() -> None:
    row = "{}\tx\t_\t_\t_\t_\t0\troot\t_\t{}\n\n"
    source = row.format(1, "Speaker=Not ours|Ref=1")
    source += row.format(1, "StartTime=01.50|NewTurn=Yes|Speaker=A B|EndTime=late")
    (doc,) = read("conllu", source.encode())
    assert turns(doc) == [("x", "A B", [1.5, -1.0])]
    assert write("conllu", [doc]).decode() == source


@st.composite
def talks(draw: st.DrawFn) -> Document:
    """Turns of words, sentences that may go over them, and words of nobody."""
    names = st.sampled_from(["", "Ann", "a|b =\\s"])
    seconds = st.sampled_from([float("nan"), 0.0, 1.5, 62.125])
    text, starts, ends, spans = "", [], [], []
    for _ in range(draw(st.integers(1, 5))):
        begin = len(text)
        for _ in range(draw(st.integers(1, 4))):
            starts.append(len(text))
            text += draw(st.sampled_from(["so", "well", "no"]))
            ends.append(len(text))
            text += " "
        if draw(st.integers(0, 4)):
            spans.append((begin, len(text) - 1, draw(names), draw(seconds), draw(seconds)))
        text = text[:-1] + "\n"
    doc = Document.from_spans(text[:-1], starts, ends)
    flags = draw(st.lists(st.sampled_from([NO, YES]), min_size=len(starts), max_size=len(starts)))
    doc.sent_start = np.array([YES, *flags[1:]], dtype=np.int8)
    doc.turn_start = np.array([span[0] for span in spans], dtype=np.int64)
    doc.turn_end = np.array([span[1] for span in spans], dtype=np.int64)
    doc.turn_speaker = doc.strings.ids([span[2] for span in spans])
    doc.turn_time = np.array([span[3:] for span in spans], dtype=np.float64).reshape(-1, 2)
    return doc


@given(talks(), st.integers(1, 6))
def test_turns_survive_conllu_and_pieces(doc: Document, size: int) -> None:
    data = write("conllu", [doc])
    (again,) = read("conllu", data)
    assert turns(again) == turns(doc)
    assert write("conllu", [again]) == data
    parts = read("conllu", data, pieces=size)
    assert Document.join(parts) == again
    assert write("conllu", parts) == data
    (third,) = read("jsonl", write("jsonl", [again]))
    assert third == again


@given(talks(), st.data())
def test_turns_survive_cutting(doc: Document, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, doc.n_tokens))
    joined = Document.join([doc.cut(0, at), doc.cut(at, doc.n_tokens)])
    assert turns(joined) == turns(doc)
    assert token_turn(joined).tolist() == token_turn(doc).tolist()


def test_pandas() -> None:
    pytest.importorskip("pandas")
    from caesura.pipeline.frames import words_frame

    doc = talk()
    plain = Document.from_spans("so", [0], [2])
    table = doc.to_pandas()
    assert table["speaker"].tolist() == ["Ann Lee"] * 5 + ["Bob|2"] * 3
    assert table["start_time"].tolist() == [1.0] * 5 + [3.0] * 3
    assert table["end_time"].tolist() == [2.5] * 5 + [4.0] * 3
    assert "speaker" not in plain.to_pandas()
    frame = words_frame([("talk", doc), ("note", plain)])
    assert frame["speaker"].tolist() == ["Ann Lee"] * 5 + ["Bob|2"] * 3 + [""]
    assert frame["end_time"].isna().tolist() == [False] * 8 + [True]
    assert "speaker" not in words_frame([("note", plain)])


# ---------------------------------------------------------------- the pipeline


def test_a_parsed_transcript_keeps_its_turns(tiny_model: Path, tmp_path: Path) -> None:
    source = tmp_path / "chat.vtt"
    source.write_text(VTT)
    (wanted,) = formats.read(source)
    for name in ("a.conllu", "a.jsonl"):
        out = tmp_path / name
        for more in ([], ["--newline-is-boundary"]):
            call = ["parse", "-q", str(source), "-m", str(tiny_model), "-o", str(out), *more]
            assert cli.run(call) == 0
            (doc,) = formats.read(out)
            assert turns(doc) == turns(wanted)
            assert doc.id == "chat"


@pytest.mark.parametrize("kind", ["vtt", "srt", "speaker"])
def test_a_transcript_on_stdin(
    tiny_model: Path,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    (doc,) = read("transcript", VTT.encode(), mode="vtt")
    doc.turn_speaker = doc.strings.ids(["ANN", "BOB"])
    data = write("transcript", [doc], mode=kind)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    call = ["parse", "-q", "-", "--from", "transcript", "-m", str(tiny_model)]
    assert cli.run(call) == 0
    out = capfdbinary.readouterr().out
    assert out.startswith(b"# newdoc id = stdin\n")
    assert b"# sent_id = stdin-1\n# speaker = ANN\n" in out
    assert turns(read("conllu", out)[0]) == turns(doc)


def test_documents_of_one_file_have_names_of_their_own(tiny_model: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "calls.transcript", tmp_path / "out.conllu"
    source.write_text("A.1: Hello.\nB.2: Hi.\nA.1: Again.\n# newdoc id = last\nA: Bye.\n")
    assert cli.run(["parse", "-q", str(source), "-m", str(tiny_model), "-o", str(out)]) == 0
    assert [doc.id for doc in formats.read(out)] == ["calls", "calls-2", "last"]
