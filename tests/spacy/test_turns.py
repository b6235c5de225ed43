"""Speakers in spaCy: of documents, spans and tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura
from caesura.formats.spacy import from_spacy, to_spacy

spacy = pytest.importorskip("spacy")

TALK = "[00:01 - 00:02] Ann: so they\n[00:03] Bo: yes\n"


def test_speakers_and_times_of_tokens_and_spans(tiny_model: Path) -> None:
    doc = caesura.load(tiny_model)(TALK)
    made = to_spacy(doc, spacy.blank("en").vocab)
    assert [turn[2:] for turn in made._.turns] == [["Ann", 1.0, 2.0], ["Bo", 3.0, None]]
    last = made[len(made) - 2]
    assert (last._.speaker, last._.start_time, last._.end_time) == ("Bo", 3.0, None)
    assert made[0:3]._.speaker == "Ann"
    assert {sentence._.speaker for sentence in made.sents} == {"Ann", "Bo"}
    assert from_spacy(made).turn_start.tolist() == doc.turn_start.tolist()


def test_the_component_sets_them_too_and_plain_text_has_none(tiny_model: Path) -> None:

    nlp = spacy.blank("en")
    nlp.add_pipe("caesura", config={"model": str(tiny_model)})
    made = nlp(TALK)
    assert {sentence._.speaker for sentence in made.sents} == {"Ann", "Bo"}
    plain = nlp("They left.")
    assert plain[0]._.speaker is None
