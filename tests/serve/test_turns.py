"""Speakers through the server: asked across turns, shown by sentence, and kept in files."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

import caesura
from caesura.document import Document

pytest.importorskip("starlette")

from caesura.serve.messages import (
    ParseAnswer,
    ParseRequest,
    SentenceData,
    document_of,
    sentences_of,
)
from caesura.serve.models import Models
from caesura.serve.options import ServeOptions
from caesura.serve.parsing import Task
from caesura.serve.wire import JobHead
from caesura.serve.worker import Job

TALK = "[00:01 - 00:02] Ann: so they\n[00:03] Bo: yes\n[00:05] Ann: went home\n"


@pytest.fixture(scope="module")
def nlp(tiny_model: Path) -> caesura.Pipeline:
    return caesura.load(tiny_model)


def answer(model: Path, **request: object) -> ParseAnswer:
    job = Job(JobHead("parse", 600), b"", 600)
    asked = ParseRequest(TALK, **request)
    return Task(asked, Models({"tiny": model}), ServeOptions(), job).answer()


def test_sentences_say_who_speaks(tiny_model: Path) -> None:
    found = answer(tiny_model).sentences
    assert found is not None
    speakers = [sentence.speaker for sentence in found]
    assert list(dict.fromkeys(speakers)) == ["Ann", "Bo"]
    assert speakers[-1] == "Ann"
    assert (found[0].start_time, found[0].end_time) == (1, 2)
    assert found[-1].end_time is None


def test_sentences_go_across_turns_if_asked(tiny_model: Path) -> None:
    starts = TALK.index("[00:03]")
    for more in ({}, {"starts": [TALK.index("they")]}, {"k": 2}):
        bound = answer(tiny_model, **more)
        free = answer(tiny_model, across_turns=True, **more)
        one, other = (
            found.analyses[0] if found.analyses else found.sentences for found in (bound, free)
        )
        assert starts in [sentence.start for sentence in one or ()]
        assert starts not in [sentence.start for sentence in other or ()]


def test_a_file_of_sentences_keeps_their_speakers(nlp: caesura.Pipeline) -> None:
    doc = nlp(TALK)
    sent = msgspec.json.encode(list(sentences_of(doc)))
    again = document_of(msgspec.json.decode(sent, type=list[SentenceData]))
    assert again.text == doc.text
    assert again.strings.take(again.turn_speaker) == ["Ann", "Bo", "Ann"]
    np.testing.assert_array_equal(again.turn_time, doc.turn_time)
    plain = Document(text="They left.")
    assert not len(document_of(list(sentences_of(nlp(plain)))).turn_start)
