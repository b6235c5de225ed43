"""No sentence runs over a change of speaker, through any door, unless it may."""

from __future__ import annotations

import io
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura import cli, formats
from caesura.document import Document, token_turn
from caesura.models import load
from caesura.pipeline import Pipeline
from tests.pipeline.laws import said
from tests.pipeline.test_entry_points import COMPANY, blocks, spoken
from tests.pipeline.tiny import TEXT

#: Speakers who interrupt each other in the midst of sentences, without marks.
WORDS = spoken(12_000, 4).split()


def talk(size: int, seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    parts, at = [], 0
    while at < size:
        some = " ".join(rng.choice(WORDS, int(rng.integers(1, 20))))
        parts.append(f"{rng.choice(['ANNA', 'BEN', 'DR. LO'])}: {some}\n")
        at += len(parts[-1])
    return "".join(parts)


SHORT = talk(2000)
LONG = talk(70_000)


@pytest.fixture(scope="module")
def nlp(tiny_model: Path) -> Pipeline:
    return caesura.load(tiny_model)


def over_turns(doc: Document) -> int:
    """Sentences in which more than one speaks."""
    speaker = doc.turn_speaker[token_turn(doc)]
    bounds = doc.sentence_bounds.tolist()
    return sum(len(set(speaker[a:b].tolist())) > 1 for a, b in pairwise(bounds))


@pytest.mark.parametrize("text", [SHORT, LONG], ids=["short", "long"])
def test_no_sentence_runs_over_a_change_of_speaker(nlp: Pipeline, text: str) -> None:
    doc = nlp(text)
    assert doc.text == text
    assert set(doc.strings.take(doc.turn_speaker)) == {"ANNA", "BEN", "DR. LO"}
    assert over_turns(doc) == 0
    assert doc.fixed == frozenset()
    across = nlp(text, across_turns=True)
    assert over_turns(across) > 0
    assert across.turn_start.tolist() == doc.turn_start.tolist()


LABELLED = """\
[00:01] ANNA: Good morning.
[00:06] DR. LO: Yes, please.
[00:08] ANNA:
first item
[00:09] DR. LO:

The roof.
"""


def test_a_label_belongs_to_what_is_said(nlp: Pipeline) -> None:
    """But for one after which there is a blank line; so in blocks, too."""
    doc = nlp(LABELLED)
    whole = [doc.text[s.start : s.end] for s in doc.sentences]
    for label in ("[00:01] ANNA:", "[00:06] DR. LO:", "[00:08] ANNA:", "[00:09] DR. LO:"):
        assert sum(sentence.startswith(label) for sentence in whole) == 1
    others = ("ANNA", "DR", "LO", ":", "Good", "Yes", "first")
    assert not any(sentence.startswith(others) for sentence in whole)
    assert whole[-2:] == ["[00:09] DR. LO:", "The roof."]
    for size in (1, 7, 40):
        found = nlp.stream(LABELLED[at : at + size] for at in range(0, len(LABELLED), size))
        assert [p.text[s.start : s.end] for p in found for s in p.sentences] == whole
    lines = nlp(LABELLED, newline_is_boundary=True)
    assert "[00:08] ANNA:" in [lines.text[s.start : s.end] for s in lines.sentences]


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("lines", [False, True])
def test_all_doors_agree(nlp: Pipeline, across: bool, lines: bool) -> None:
    options = {"across_turns": across, "newline_is_boundary": lines}
    whole = nlp(LONG, **options)
    for size in (777, 40_000):
        pieces = list(nlp.stream(blocks(LONG, size), **options))
        assert len(pieces) > 2
        assert said(Document.join(pieces)) == said(whole)
    first, again = nlp.batch([COMPANY[0], LONG], **options)
    assert said(again) == said(whole)
    assert not len(first.turn_start)
    (piped,) = nlp.pipe([LONG], **options)
    assert said(piped) == said(whole)


@pytest.mark.parametrize("across", [False, True])
def test_a_tokeniser_alone_and_rules(tiny_model: Path, tmp_path: Path, across: bool) -> None:
    file = load(tiny_model)
    file.parts = {"tokenizer": file.parts["tokenizer"]}
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    call = ["induce", str(tmp_path / "text.txt"), "-o", str(tmp_path / "a.grammar")]
    assert cli.run([*call, "--classes", "4", "-q"]) == 0
    for nlp in (Pipeline(file), Pipeline(load(tmp_path / "a.grammar"))):
        whole = nlp(Document(text=LONG), across_turns=across)
        assert (over_turns(whole) > 0) == across
        for size in (777, 40_000):
            pieces = list(nlp.stream(blocks(LONG, size), across_turns=across))
            assert said(Document.join(pieces)) == said(whole)


def test_boundaries_that_are_given_win_and_turns_stay(nlp: Pipeline) -> None:
    text = "ANNA: so we\nBEN: yes\nANNA: went home\nBEN: yes\n"
    ben = text.index("BEN")
    doc = nlp(text, no_boundary=[ben], sentence_starts=[text.index("went")])
    starts = {doc.text[s.start : s.end].split()[0] for s in doc.sentences}
    assert ben not in [s.start for s in doc.sentences]
    assert "went" in starts
    assert text.index("ANNA", 5) in [s.start for s in doc.sentences]
    assert doc.strings.take(doc.turn_speaker) == ["ANNA", "BEN"] * 2


def test_given_arcs_are_not_cut_by_a_turn(nlp: Pipeline) -> None:
    doc = nlp("ANNA: so we\nBEN: yes\nANNA: went home\nBEN: yes\n", across_turns=True)
    doc.head = np.full(doc.n_words, -2, np.int32)
    doc.head[0], doc.deprel[0] = doc.n_words - 1, int(doc.strings.ids(["dep"])[0])
    assert nlp(doc, keep=["heads"]).n_sentences == 1


def test_tokens_that_are_kept_have_turns_too(nlp: Pipeline, tmp_path: Path) -> None:
    doc = nlp(SHORT, across_turns=True)
    formats.write([doc], tmp_path / "a.conllu")
    (read,) = formats.read(tmp_path / "a.conllu")
    assert read.turn_start.tolist() == doc.turn_start.tolist()
    assert over_turns(nlp(read, keep=["tokens"])) == 0
    assert over_turns(nlp(read, keep=["tokens"], across_turns=True)) > 0
    assert said(nlp(read, keep=["tokens", "sentences"]))["sent_start"] == said(doc)["sent_start"]


@pytest.mark.parametrize("name", ["a.srt", "a.vtt", "a.transcript"])
def test_transcripts_of_every_form(nlp: Pipeline, tmp_path: Path, name: str) -> None:
    source = nlp(SHORT, across_turns=True)
    formats.write([source], tmp_path / name)
    (doc,) = formats.read(tmp_path / name)
    assert over_turns(nlp(doc)) == 0
    assert over_turns(nlp(doc, across_turns=True)) > 0


def test_a_cue_without_a_name_goes_on(nlp: Pipeline, tmp_path: Path) -> None:
    """Subtitles cut sentences into cues; who speaks is said once."""
    cues = ["MIA: the old", "boats did not", "come back"]
    rows = [f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{cue}\n\n" for n, cue in enumerate(cues, 1)]
    (tmp_path / "a.srt").write_text("".join(rows), encoding="utf-8")
    (doc,) = formats.read(tmp_path / "a.srt")
    assert said(nlp(doc))["sent_start"] == said(nlp(doc, across_turns=True))["sent_start"]


@pytest.mark.parametrize("verb", ["parse", "split", "tokenize"])
def test_commands_obey_and_tell(
    verb: str,
    tiny_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(LONG, encoding="utf-8")
    call = [verb, "-m", str(tiny_model)]
    assert cli.run([*call, str(path)]) == 0
    within, told = capsys.readouterr()
    assert "ANNA" in told
    assert "--across-turns" in told
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LONG.encode())))
    assert cli.run([*call, "-", "-q"]) == 0
    again, told = capsys.readouterr()
    assert not told
    if verb == "split":
        assert again == within
    assert cli.run([*call, str(path), "--across-turns", "-q"]) == 0
    assert capsys.readouterr()[0] != within
