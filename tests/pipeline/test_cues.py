"""Ends of cues weigh as much as they agree with the model, and tokens have times."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura import cli, formats
from caesura.document import CUE, MAYBE, NO, YES, Document
from caesura.formats import ReadOptions, read_stream
from caesura.formats.asr import from_segments
from caesura.formats.build import set_markup
from caesura.pipeline import Pipeline
from caesura.pipeline.cues import (
    are_open,
    as_turns,
    cue_tokens,
    decide,
    put_sounds,
    sound_tokens,
    without_sounds,
)
from caesura.pipeline.times import set_times
from tests.pipeline.laws import said
from tests.pipeline.test_entry_points import spoken

WORDS = spoken(4000, 7).split()


@pytest.fixture(scope="module")
def nlp(tiny_model: Path) -> Pipeline:
    return caesura.load(tiny_model)


def subtitles(sizes: list[int], gap: float = 0.0) -> Document:
    rows, at, time = [], 0, 1.0
    for number, size in enumerate(sizes, 1):
        text = " ".join(WORDS[at : at + size])
        begin, end = (f"00:00:{t:06.3f}".replace(".", ",") for t in (time % 50, time % 50 + 0.5))
        rows.append(f"{number}\n{begin} --> {end}\n{text}\n")
        at, time = at + size, time + 0.5 + gap
    return read("\n".join(rows), "srt")


def read(source: str, mode: str) -> Document:
    stream = io.BytesIO(source.encode())
    (doc,) = read_stream(stream, "transcript", ReadOptions(mode=mode))
    return doc


@pytest.mark.parametrize("size", [5, 8])
def test_cues_of_a_fixed_length_change_nothing(nlp: Pipeline, size: int) -> None:
    doc = subtitles([size] * 60)
    found, line = nlp(doc), nlp(Document(text=doc.text))
    assert said(found)["sent_start"] == said(line)["sent_start"]
    assert found.turn_start.tolist() == doc.turn_start.tolist()
    assert found.turn_kind is not None
    assert found.fixed == frozenset()
    lines = nlp(doc, newline_is_boundary=True)
    assert set(doc.turn_start.tolist()) <= {s.start for s in lines.sentences}


def talk(n: int, sentences: list[int], pauses: bool = False) -> tuple[Document, np.ndarray]:
    """Tokens in cues of some lengths, and probabilities that rise where sentences start."""
    text = " ".join(["w"] * n)
    doc = Document.from_spans(text, list(range(0, 2 * n, 2)), list(range(1, 2 * n, 2)))
    chances = np.full(n, 0.01, np.float32)
    chances[sentences] = 0.9
    chances[sentences[::3]] = 0.1
    return doc, chances


def with_cues(doc: Document, first: list[int], gaps: list[float]) -> Document:
    ends = [*first[1:], doc.n_tokens]
    doc.turn_start = doc.token_start[first]
    doc.turn_end = doc.token_end[[end - 1 for end in ends]]
    doc.turn_speaker = np.zeros(len(first), np.int32)
    begins = np.cumsum([0.0, *(1.0 + gap for gap in gaps[1:])])
    doc.turn_time = np.stack([begins, begins + 1.0], 1)
    doc.turn_kind = np.full(len(first), CUE, np.int8)
    return doc


RNG = np.random.default_rng(3)
LENGTHS = RNG.integers(2, 20, 60)
GOLD = np.cumsum([0, *LENGTHS]).tolist()
N = GOLD.pop()


def test_cues_that_are_sentences_are_boundaries() -> None:
    doc, chances = talk(N, GOLD)
    chances[5] = 0.8  # inside the first sentence or at its end
    with_cues(doc, GOLD, [0.0] * len(GOLD))
    assert are_open(doc)
    assert cue_tokens(doc).tolist() == GOLD
    assert decide(doc, chances)
    assert np.flatnonzero(doc.sent_start == YES).tolist() == GOLD[1:]
    assert not are_open(doc)  # all but the first token are known
    assert doc.fixed == {"sentences"}


def test_a_cue_in_the_midst_of_sentences_is_none() -> None:
    first = sorted({0, *range(4, N, 9)} - set(GOLD[1:]))
    doc, chances = talk(N, GOLD)
    with_cues(doc, first, [0.0] * len(first))
    decide(doc, chances)
    starts = set(np.flatnonzero(doc.sent_start == YES).tolist())
    assert not starts & set(first)


def test_pauses_part_sentences() -> None:
    """Every cue ends in the midst of a sentence unless a pause follows."""
    others = [at + 1 for at, size in zip(GOLD, LENGTHS, strict=True) if size > 4]
    first = sorted({*GOLD, *others})
    doc, chances = talk(N, GOLD)
    with_cues(doc, first, [0.8 if at in GOLD else 0.0 for at in first])
    assert decide(doc, chances)
    assert np.flatnonzero(doc.sent_start == YES).tolist() == GOLD[1:]


def test_known_starts_stay() -> None:
    doc, chances = talk(N, GOLD)
    with_cues(doc, GOLD, [0.0] * len(GOLD))
    doc.sent_start[GOLD[4]], doc.sent_start[GOLD[4] + 1] = NO, YES
    decide(doc, chances)
    assert doc.sent_start[[GOLD[4], GOLD[4] + 1]].tolist() == [NO, YES]
    assert doc.sent_start[0] == MAYBE


def test_stages_see_turns_and_no_cues() -> None:
    doc = with_cues(talk(12, [0, 6])[0], [0, 4, 8], [0.0] * 3)
    names = ("turn_start", "turn_end", "turn_speaker", "turn_time", "turn_kind")
    before = {name: getattr(doc, name) for name in names}
    with as_turns([doc]):
        assert len(doc.turn_start) == 0
    doc.turn_speaker = doc.strings.ids(["A", "A", "B"])
    with as_turns([doc]):
        assert doc.turn_start.tolist() == [0, 16]
        assert doc.turn_end.tolist() == [16, 23]
        assert doc.strings.take(doc.turn_speaker) == ["A", "B"]
    for name in names[:2]:
        assert getattr(doc, name) is before[name]


SOUNDS = ("[Music]", "(DOOR SLAMS)", "♪")


def file_of(texts: list[str], kind: str) -> Document:
    """Texts as cues of a second each, or as turns of one speaker."""
    if kind == "whisper":
        return from_segments([{"start": k, "end": k + 1, "text": t} for k, t in enumerate(texts)])
    if kind == "speaker":
        return read("".join(f"Ann: {text}\n" for text in texts), kind)
    mark = "," if kind == "srt" else "."
    clock = [f"00:{k // 60:02}:{k % 60:02}{mark}000" for k in range(len(texts) + 1)]
    rows = [f"{k + 1}\n{clock[k]} --> {clock[k + 1]}\n{text}" for k, text in enumerate(texts)]
    return read("\n\n".join(["WEBVTT", *rows] if kind == "vtt" else rows), kind)


def spoken_starts(doc: Document) -> list[int]:
    """Sentence starts, as the number of words that are no sounds before them."""
    sounds = sound_tokens(doc)
    before = np.cumsum(~sounds) - ~sounds
    return sorted(set(before[doc.sentence_bounds[:-1]].tolist()) - {int(np.sum(~sounds))})


@pytest.mark.parametrize("kind", ["srt", "vtt", "whisper", "speaker"])
def test_sounds_end_no_sentence(nlp: Pipeline, kind: str) -> None:
    texts = [" ".join(WORDS[at : at + 8]) for at in range(0, 400, 8)]
    noisy = [part for k, text in enumerate(texts) for part in (text, *SOUNDS[k % 5 : k % 5 + 1])]
    doc = file_of(noisy, kind)
    sounds = {int(a) for a in doc.markup_start[doc.markup_label > 0]}
    turns = zip(doc.turn_start.tolist(), doc.strings.take(doc.turn_speaker), strict=True)
    name = "Ann" if kind == "speaker" else ""
    assert len(sounds) == 30
    assert all(speaker == ("" if at in sounds else name) for at, speaker in turns)
    found, plain = nlp(doc), nlp(file_of(texts, kind))
    assert spoken_starts(found) == plain.sentence_bounds[:-1].tolist()
    assert found.fixed == frozenset()
    ends = {s.end for s in nlp(doc, newline_is_boundary=True).sentences}
    assert kind == "speaker" or set(doc.turn_end.tolist()) <= ends


def test_a_sound_between_sentences_is_in_that_of_its_cue() -> None:
    text = "a b [x] [y] c d [z] e (W) f [v]"
    spans = [(a, a + len(w)) for w, a in ((w, text.index(w)) for w in text.split())]
    doc = Document.from_spans(text, [a for a, _ in spans], [b for _, b in spans])
    set_markup(doc, [(a, b, "sound") for a, b in spans if text[a] in "[("])
    doc.turn_start = np.array([text.index(t) for t in ("a", "[x]", "[y]", "e", "f", "[v]")])
    doc.turn_end = np.array([*doc.turn_start[1:] - 1, len(text)])
    doc.turn_speaker = np.zeros(6, np.int32)
    doc.turn_time = np.arange(12.0).reshape(6, 2)
    doc.turn_kind = np.full(6, CUE, np.int8)
    speech = without_sounds(doc)
    assert speech is not None
    assert [speech.text[t.start : t.end] for t in speech.tokens] == list("abcdef")
    assert speech.turn_time[0].tolist() == [0.0, 3.0]  # a sound is no pause
    speech.sent_start = np.array([YES, NO, YES, NO, NO, YES], np.int8)
    put_sounds(doc, speech)
    found = [s.text for s in doc.sentences]
    assert found == ["a b", "[x]", "[y] c d [z] e (W)", "f", "[v]"]


# --------------------------------------------------------------------- times


def times(text: str, spans: list[tuple[int, int]], source: Document) -> list[list[float]]:
    doc = Document.from_spans(text, [a for a, _ in spans], [b for _, b in spans])
    for name in ("turn_start", "turn_end", "turn_time"):
        setattr(doc, name, getattr(source, name))
    set_times(doc, source)
    assert doc.token_time is not None
    assert doc.token_time_guessed is not None
    rows = zip(doc.token_time.tolist(), doc.token_time_guessed.tolist(), strict=True)
    return [[*time, guessed] for time, guessed in rows]


def test_words_that_were_split_or_joined_are_aligned() -> None:
    words = [
        {"word": " can", "start": 0.0, "end": 0.4},
        {"word": " not.", "start": 0.4, "end": 1.0},
        {"word": " Don't", "start": 1.5, "end": 2.5},
        {"word": " go", "start": 2.5, "end": 3.0},
    ]
    doc = from_segments([{"start": 0, "end": 3, "text": " can not. Don't go", "words": words}])
    assert doc.text == "can not. Don't go"
    spans = [(0, 7), (7, 8), (9, 11), (11, 14), (15, 17)]
    assert times(doc.text, spans, doc) == [
        [0.0, 1.0, 0],
        [1.0, 1.0, 1],
        [1.5, 2.0, 1],
        [2.0, 2.5, 1],
        [2.5, 3.0, 0],
    ]


def test_words_without_times_are_interpolated_within_their_cue() -> None:
    doc = read(
        "1\n00:00:01,000 --> 00:00:03,000\nab abcdef\n\n2\n00:00:05,000 --> 00:00:06,000\nx\n",
        "srt",
    )
    assert times(doc.text, [(0, 2), (3, 9), (10, 11)], doc) == [
        [1.0, 1.5, 1],
        [1.5, 3.0, 1],
        [5.0, 6.0, 1],
    ]
    doc = from_segments([{"start": 1, "end": None, "text": "a b"}, {"start": 1, "text": "c"}])
    made = Document.from_spans(doc.text, [0, 2, 4], [1, 3, 5])
    set_times(made, doc)
    assert made.token_time is None


def test_times_go_wherever_tokens_go(nlp: Pipeline, tmp_path: Path) -> None:
    words = [{"word": w, "start": k, "end": k + 0.5, "score": 0.25} for k, w in enumerate("abcd")]
    source = {"segments": [{"start": 0, "end": 4, "text": "a b c d", "words": words}]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(source), encoding="utf-8")
    (read,) = formats.read(path)
    doc = nlp(read)
    assert doc.token_time is not None
    assert doc.token_time.tolist() == [[k, k + 0.5] for k in range(4)]
    assert doc.token_time_conf is not None
    assert doc.token_time_conf.tolist() == [0.25] * 4
    assert doc.cut(1, 3).token_time[0].tolist() == [1.0, 1.5]
    table = doc.to_pandas()
    assert table["start_time"].tolist() == [0, 1, 2, 3]
    assert table["time_guessed"].tolist() == [0] * 4
    for name in ("a.conllu", "a.jsonl", "a.parquet"):
        formats.write([doc], tmp_path / name)
        (again,) = formats.read(tmp_path / name)
        for column in ("token_time", "token_time_conf", "token_time_guessed", "turn_kind"):
            assert getattr(again, column).tolist() == getattr(doc, column).tolist()
        formats.write([again], tmp_path / f"again-{name}")
        assert (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()
    text = (tmp_path / "a.conllu").read_text(encoding="utf-8")
    assert "AlignBegin=1000|AlignEnd=1500|AlignConf=0.25" in text
    assert nlp(again, keep=["tokens"]).token_time.tolist() == doc.token_time.tolist()
    assert Document.join([doc, Document.from_spans("x", [0], [1])]).token_time.shape == (5, 2)


def test_times_of_others_stay_as_they_are() -> None:
    source = "1\tx\t_\t_\t_\t_\t0\troot\t_\tAlignEnd=20|AlignBegin=10|X=1\n\n"
    source += "1\tx\t_\t_\t_\t_\t0\troot\t_\tAlignBegin=soon|AlignEnd=20\n\n"
    (doc,) = read_stream(io.BytesIO(source.encode()), "conllu", ReadOptions())
    assert doc.token_time[0].tolist() == [0.01, 0.02]
    assert formats.to_text(doc, "conllu") == source


def test_a_sentence_over_cues_has_the_times_of_its_first_and_last_word(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.srt"
    rows = [f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{w}\n\n" for n, w in enumerate("abc", 1)]
    path.write_text("".join(rows), encoding="utf-8")
    assert cli.run(["split", "--json", "-m", str(tiny_model), str(path), "-q"]) == 0
    found = [json.loads(line) for line in capsys.readouterr()[0].splitlines()]
    assert found[0]["start_time"] == 1.0
    assert found[-1]["end_time"] == 3.9
    assert sum(row["end_time"] - row["start_time"] for row in found) <= 2.9
