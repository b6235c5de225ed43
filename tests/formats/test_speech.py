"""Transcripts of recognisers and subtitles: speakers, times, joined cues, bad input."""

from __future__ import annotations

import io
import json
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from caesura.document import CUE, OTHER, Document
from caesura.errors import FormatError, UsageError
from caesura.formats.asr import OPEN, JsonStream, from_segments
from caesura.formats.options import ReadOptions
from caesura.formats.units import flow
from tests.formats.streams import marked, read, turns, write


def one(source: Any, **options: Any) -> Document:
    (doc,) = read("asr", source, **options)
    return doc


def cues(*texts: str, vtt: bool = False) -> str:
    rows = ["WEBVTT\n"] if vtt else []
    for n, text in enumerate(texts, 1):
        mark = "." if vtt else ","
        rows.append(f"{n}\n00:00:{n:02}{mark}000 --> 00:00:{n:02}{mark}900\n{text}\n")
    return "\n".join(rows)


def subtitles(*texts: str, vtt: bool = False) -> Document:
    (doc,) = read("transcript", cues(*texts, vtt=vtt), mode="vtt" if vtt else "srt")
    return doc


def written(doc: Document, mode: str) -> str:
    return write("transcript", [doc], mode=mode).decode()


def units(doc: Document) -> list[tuple[str, str]]:
    return [(text, speaker) for text, speaker, _ in turns(doc)]


def words(doc: Document) -> list[tuple[str, list[float]]]:
    assert doc.token_time is not None
    times = np.nan_to_num(doc.token_time, nan=-1).round(3).tolist()
    return [(token.text, time) for token, time in zip(doc.tokens, times, strict=True)]


# ----------------------------------------------------------------- recognisers

WORDS = [
    {"word": " Hello", "start": 0.0, "end": 0.5, "probability": 0.9},
    {"word": " there.", "start": 0.5, "end": 1.5, "probability": 0.8},
]
WHISPER = {
    "text": " Hello there. You too.",
    "segments": [
        {"id": 0, "start": 0.0, "end": 1.5, "text": " Hello there.", "words": WORDS},
        {"id": 1, "start": 2.0, "end": 3.0, "text": " You too.", "words": []},
    ],
    "language": "en",
}


def test_whisper() -> None:
    doc = one(WHISPER)
    assert doc.text == "Hello there. You too."
    assert doc.turn_time.tolist() == [[0.0, 1.5], [2.0, 3.0]]
    assert doc.turn_kind is not None
    assert set(doc.turn_kind.tolist()) == {CUE}
    assert words(doc) == [
        ("Hello", [0.0, 0.5]),
        ("there.", [0.5, 1.5]),
        ("You", [-1, -1]),
        ("too.", [-1, -1]),
    ]
    assert doc.token_time_conf is not None
    assert doc.token_time_conf[:2].tolist() == pytest.approx([0.9, 0.8])
    assert one(WHISPER["segments"]).text == doc.text
    doc.check()


def test_whisper_without_words_has_no_tokens() -> None:
    doc = one({"segments": [{"start": 0, "end": 1, "text": " a b"}]})
    assert (doc.text, doc.n_tokens) == ("a b", 0)
    chunks = {"text": "a b", "chunks": [{"timestamp": [0.5, 1.0], "text": " a b"}]}
    assert one(chunks).turn_time.tolist() == [[0.5, 1.0]]


def test_whisperx_has_speakers() -> None:
    own = [
        {"word": "So", "start": 0.1, "end": 0.2, "score": 0.9, "speaker": "SPEAKER_00"},
        {"word": "it", "speaker": "SPEAKER_00"},
        {"word": "goes", "start": 0.5, "end": 1.0, "score": 0.7, "speaker": "SPEAKER_01"},
    ]
    first = {"start": 0.1, "end": 1.0, "text": " So it goes", "speaker": "SPEAKER_00", "words": own}
    segments = [first, {"start": 1.5, "end": 2.0, "text": " yes"}]
    doc = one({"segments": segments, "word_segments": []})
    assert units(doc) == [("So it", "SPEAKER_00"), ("goes", "SPEAKER_01"), ("yes", "SPEAKER_01")]
    assert words(doc)[1] == ("it", [-1, -1])


def test_whisper_cpp_joins_sub_words() -> None:
    tokens = [(" Hel", 0, 200), ("lo", 200, 400), (" there", 400, 900), (".", 900, 1500)]
    rows = [
        {"text": text, "offsets": {"from": a, "to": b}, "p": 0.5}
        for text, a, b in [("[_BEG_]", 0, 0), *tokens]
    ]
    segment = {"offsets": {"from": 0, "to": 1500}, "text": " Hello there.", "tokens": rows}
    doc = one({"transcription": [segment]})
    assert words(doc) == [("Hello", [0.0, 0.4]), ("there.", [0.4, 1.5])]


def test_the_words_of_the_whisper_api_stand_beside_its_segments() -> None:
    loose = [{"word": "hi", "start": 0.1, "end": 0.3}, {"word": "you", "start": 0.5, "end": 0.6}]
    segments = [{"start": 0, "end": 0.4, "text": " Hi,"}, {"start": 0.4, "end": 1, "text": " you!"}]
    for source in ({"words": loose, "segments": segments}, {"segments": segments, "words": loose}):
        found = words(one(source))
        assert found[0] == ("Hi", [0.1, 0.3])
        assert ("you", [0.5, 0.6]) in found


def test_youtube() -> None:
    segs = [{"utf8": "hello", "acAsrConf": 255}, {"utf8": " and", "tOffsetMs": 300}]
    events = [
        {"tStartMs": 0, "dDurationMs": 100000, "id": 1, "wpWinPosId": 1},
        {"tStartMs": 160, "dDurationMs": 4000, "segs": segs},
        {"tStartMs": 2000, "aAppend": 1, "segs": [{"utf8": "\n"}]},
        {"tStartMs": 2100, "dDurationMs": 3000, "segs": [{"utf8": "[Music]"}]},
    ]
    doc = one({"wireMagic": "pb3", "events": events})
    assert doc.text == "hello and [Music]"
    assert words(doc)[:2] == [("hello", [0.16, 0.46]), ("and", [0.46, 2.0])]
    assert marked(doc) == [("[Music]", "sound")]


def test_aws_of_both_kinds() -> None:
    def item(text: str, begin: str) -> dict[str, Any]:
        kind = {"type": "pronunciation" if begin else "punctuation"}
        time = {"start_time": begin, "end_time": str(float(begin) + 0.4)} if begin else {}
        return {**kind, **time, "alternatives": [{"content": text, "confidence": "0.5"}]}

    labels = [
        {"items": [{"start_time": "0.0", "speaker_label": "spk_0"}]},
        {"items": [{"start_time": "0.5", "speaker_label": "spk_1"}]},
    ]
    plain = [item("Hi", "0.0"), item(".", ""), item("Yes", "0.5")]
    old = {"results": {"speaker_labels": {"segments": labels}, "items": plain}}
    speakers = ("spk_0", "spk_0", "spk_1")
    named = [one | {"speaker_label": who} for one, who in zip(plain, speakers, strict=True)]
    for source in (old, {"jobName": "x", "results": {"items": named}}):
        doc = one(source)
        assert units(doc) == [("Hi.", "spk_0"), ("Yes", "spk_1")]
        assert doc.text == "Hi.\nYes"
        assert words(doc)[0] == ("Hi", [0.0, 0.4])


def test_deepgram_takes_the_best_alternative_of_each_channel() -> None:
    def channel(*own: dict[str, Any]) -> dict[str, Any]:
        return {"alternatives": [{"words": list(own)}, {"words": [{"word": "worse"}]}]}

    first = {"word": "hi", "punctuated_word": "Hi.", "start": 0.3, "end": 0.4, "speaker": 0}
    second = {"word": "yes", "start": 0.1, "end": 0.2}
    doc = one({"results": {"channels": [channel(first), channel(second)]}})
    assert units(doc) == [("yes", "Channel 1"), ("Hi.", "Speaker 0")]


def test_assemblyai_counts_milliseconds() -> None:
    rows = [
        {"text": "So", "start": 100, "end": 300, "confidence": 0.5, "speaker": "A"},
        {"text": "no.", "start": 300, "end": 600, "speaker": "A"},
        {"text": "Later", "start": 2600, "end": 2900, "speaker": "A"},
    ]
    doc = one({"id": "x", "words": rows, "utterances": [{"text": "So no. Later", "words": rows}]})
    assert units(doc) == [("So no.", "A"), ("Later", "A")]
    assert doc.turn_time.tolist() == [[0.1, 0.6], [2.6, 2.9]]


def test_ctm() -> None:
    rows = ";; c\na 1 0.1 0.2 hi 0.9\na 1 0.3 0.2 there\na 2 0.2 .3 no\nb 1 0 1 x\n"
    first, second = read("asr", rows, mode="ctm")
    assert (first.id, second.id) == ("a", "b")
    assert units(first) == [("hi there", "Channel 1"), ("no", "Channel 2")]
    assert words(first)[0] == ("hi", [0.1, 0.3])


def test_segments_of_faster_whisper() -> None:
    segment = namedtuple("Segment", "start end text words")
    word = namedtuple("Word", "start end word probability")
    found = (segment(0.0, 1.0, " Hello.", [word(0.0, 1.0, " Hello.", 0.5)]) for _ in range(2))
    doc = from_segments(found)
    assert doc.text == "Hello. Hello."
    assert words(doc)[0] == ("Hello.", [0.0, 1.0])
    with pytest.raises(UsageError, match=r"segment 1 is .* without a text"):
        from_segments("abc")


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ('{"a": [1, 2]}', "this JSON is not of a known speech recogniser. Known are: Whisper"),
        ('{"segments": [{"x": 1}]}', "this JSON is not of a known speech recogniser"),
        ('{"segments": ["a"]}', "this JSON is not of a known speech recogniser"),
        ("", "this JSON is not of a known speech recogniser"),
        ('{"segments": [{"text": "a", "start": 3, "end": 1}]}', "a segment ends at 1 s, before it"),
        ('{"segments": [', "this is no JSON"),
        ('{"segments": [{"text": "a"} {', "this is no JSON: , or ] is missing before '{'"),
        ("[" * 100_000, "this is no JSON: it is nested too deeply"),
    ],
)
def test_bad_json_is_one_sentence(source: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        read("asr", source, file="a.json")
    assert str(caught.value).startswith("a.json")
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


def test_odd_times_are_unknown_and_the_rest_is_kept() -> None:
    rows = [
        {"text": " one", "start": float("nan"), "end": 1},
        {"text": "", "start": 1, "end": 2},
        {"text": " two", "start": "0:02.5", "end": None},
        {"text": " three", "start": 2.0, "end": 9.0, "words": [
            {"word": "three", "start": 5, "end": 4}]},
    ]  # fmt: skip
    doc = one({"segments": rows})
    assert doc.text == "one two three"
    times = np.nan_to_num(doc.turn_time, nan=-1).tolist()
    assert times == [[-1, 1.0], [2.5, -1], [2.0, 9.0]]
    assert words(doc)[-1] == ("three", [5.0, -1])
    bad = [{"text": "a", "start": 2, "end": 1}, {"text": "b", "start": 2, "end": 3}]
    assert one({"segments": bad}, skip_bad=True).text == "b"


def test_json_is_read_in_blocks() -> None:
    """Values over the edges of blocks, and no element that is not wanted is kept."""
    rows = [{"text": f" w{n}", "start": n, "end": n + 1, "noise": "x" * 50} for n in range(5000)]
    source = json.dumps({"other": [[1, {"a": "\\u00e9"}]] * 3, "segments": rows}, indent=1)
    doc = one(source)
    assert len(doc.turn_start) == 5000
    assert doc.text.endswith("w4998 w4999")
    stream = JsonStream(io.BytesIO(b'{"a": {"b": [{"c": 1}, 2]}, "d": 3} 4'), ReadOptions())
    assert list(stream.values(lambda path: path == "a.b[]")) == [
        ("a.b[]", (), OPEN),
        ("a.b[]", (0,), {"c": 1}),
        ("a.b[]", (1,), 2),
        ("d", (), 3),
        ("", (), 4),
    ]


# ------------------------------------------------------------------- subtitles

YOUTUBE = """WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.350 align:start position:0%
{blank}
hello<00:00:00.480><c> and</c><00:00:00.719><c> welcome</c>

00:00:02.350 --> 00:00:02.360 align:start position:0%
hello and welcome
{blank}

00:00:02.360 --> 00:00:04.550 align:start position:0%
hello and welcome
back<00:00:02.600><c> to</c>

00:00:04.550 --> 00:00:04.560 align:start position:0%
back to
{blank}

00:00:04.560 --> 00:00:07.000 align:start position:0%
back to
[Music]
""".format(blank=" ")


def test_rolling_captions() -> None:
    (doc,) = read("transcript", YOUTUBE, mode="vtt")
    assert doc.text == "hello and welcome back to [Music]"
    assert words(doc)[:4] == [
        ("hello", [0.16, 0.48]),
        ("and", [0.48, 0.719]),
        ("welcome", [0.719, 2.35]),
        ("back", [2.36, 2.6]),
    ]


def test_lines_that_are_repeated_by_chance_stay() -> None:
    assert subtitles("No.", "No.", "Why?", "Because.", "I said so.").text.startswith("No. No.")


def test_wrapped_lines_are_joined() -> None:
    assert subtitles("the old\nharbour", "wakes").text == "the old harbour wakes"
    assert subtitles("日本語の\nテスト", "です。").text == "日本語のテストです。"
    doc = subtitles("a <i>b\nc</i>\nd &amp; {\\an8}e")
    assert doc.text == "a b c d & e"
    assert marked(doc) == [("b c", "i")]
    assert flow("漢 \n 字\nab\ncd") == "漢字ab cd"


def test_lines_of_other_speakers_are_not_joined() -> None:
    doc = subtitles("- Yes.\n- No.", ">> Maybe\nso.", "♪ la la ♪", "it goes")
    assert doc.text == "Yes.\nNo.\nMaybe so.\n♪ la la ♪ it goes"
    assert doc.turn_kind is not None
    assert doc.turn_kind.tolist() == [OTHER, OTHER, OTHER, OTHER, CUE]
    assert written(doc, "srt").split("\n")[2:4] == ["- Yes.", "- No."]


def test_an_address_is_no_tag() -> None:
    source = "write to <ann@example.org> <> <font color='red'>now</font>"
    assert subtitles(source).text == "write to <ann@example.org> <> now"
    assert subtitles(source, vtt=True).text == "write to <ann@example.org> <> now"


def test_a_single_dash_is_text() -> None:
    assert subtitles("elementary", "- middle school").text == "elementary - middle school"
    assert subtitles("- no", "- so", "- yes").text == "no\nso\nyes"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("ANN: {}", "ANN"),
        ("Ann: {}", "Ann"),
        ("[SPEAKER_00]: {}", "SPEAKER_00"),
        ("[Maria] {}", "Maria"),
        ("SPEAKER_01: {}", "SPEAKER_01"),
    ],
)
def test_labels(label: str, name: str) -> None:
    doc = subtitles(label.format("one"), "two", "BEN: three", label.format("four"), "five")
    names = (name, name, "BEN", name, name)
    assert units(doc) == list(zip(["one", "two", "three", "four", "five"], names, strict=True))
    assert doc.text == "one two\nthree\nfour five"
    again = read("transcript", written(doc, "vtt"), mode="vtt")[0]
    assert units(again) == units(doc)
    assert units(read("transcript", written(again, "srt"), mode="srt")[0]) == units(doc)


def test_sounds_have_no_speaker_and_change_none() -> None:
    doc = subtitles("ANN: so it", "[Music]", "(DOOR SLAMS) goes (laughs)", "(as I said) on", "♪")
    assert units(doc)[1] == ("[Music]", "")
    assert units(doc)[2][1] == units(doc)[3][1] == "ANN"
    assert "\n" not in doc.text
    sounds = ["[Music]", "(DOOR SLAMS)", "(laughs)", "♪"]
    assert marked(doc) == [(sound, "sound") for sound in sounds]
    assert written(doc, "srt").count("ANN:") == 1


def test_ttml() -> None:
    name = 'xmlns="http://www.w3.org/ns/ttml" xmlns:m="http://www.w3.org/ns/ttml#metadata"'
    agent = '<m:agent xml:id="a"><m:name>Ann</m:name></m:agent>'
    rows = '<p begin="00:00:01.5" end="2.5s" m:agent="a">the\n  old<br/>harbour</p>'
    rows += '<p begin="00:00:03:15" dur="500ms">wakes <span>&lt;up</span></p>'
    body = f"<head><metadata>{agent}</metadata></head><body><div>{rows}</div></body>"
    (doc,) = read("transcript", f"<tt {name}>{body}</tt>")
    assert doc.text == "the old harbour wakes <up"
    assert doc.turn_time.tolist() == [[1.5, 2.5], [3.5, 4.0]]
    assert units(doc)[1] == ("wakes <up", "Ann")
    for bad, what in (
        ("<tt><body>", "this is no XML (no element found)"),
        ("<html/>", "this is no TTML: its root is 'html'"),
        ('<!DOCTYPE tt [<!ENTITY a "b">]><tt/>', "this XML declares entities"),
    ):
        with pytest.raises(FormatError) as caught:
            read("transcript", bad, mode="ttml")
        assert what in str(caught.value)
