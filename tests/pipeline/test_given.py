"""What is no text is refused with a sentence, wherever a text goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caesura
from caesura.document import Document
from caesura.errors import UsageError
from caesura.pipeline import Pipeline
from tests.pipeline.tiny import treebank

NO_TEXTS = [
    (5, "this is a value of the type int", "a string or a Document"),
    (None, "this is None", "a string or a Document"),
    (b"text", "this is a value of the type bytes", "Decode it first"),
    (["one", "two"], "this is a value of the type list", "nlp.pipe(texts)"),
    (Path("a.txt"), "this is a value of the type", "caesura.read"),
    (treebank()[0][0], "this is a value of the type Word", "cut the document"),
    (treebank()[0].sentences[0], "this is a value of the type Sentence", "cut the document"),
]


@pytest.mark.parametrize(("source", "what", "remedy"), NO_TEXTS)
def test_one_text(tiny: Pipeline, source: Any, what: str, remedy: str) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: tiny(source),
        lambda: tiny.k_best(source, 2),
        lambda: caesura.split(source, tiny),
    ]
    for call in calls:
        with pytest.raises(UsageError) as told:
            call()
        assert what in str(told.value)
        assert remedy in str(told.value)


@pytest.mark.parametrize("source", ["one text", b"one text", Document(text="one text")])
def test_one_text_is_not_many(tiny: Pipeline, source: Any) -> None:
    """A text is a row of characters, which would all be parsed by themselves."""
    with pytest.raises(UsageError, match=r"this is one .* Call nlp\(text\)"):
        tiny.pipe(source)
    with pytest.raises(UsageError, match="this is one"):
        tiny.batch(source)


def test_many_texts(tiny: Pipeline) -> None:
    for source in (5, None):
        with pytest.raises(UsageError, match="texts are wanted here"):
            tiny.pipe(source)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="number 2 is None"):
        list(tiny.pipe(["one", None]))  # type: ignore[list-item]
    with pytest.raises(UsageError, match="number 2 is a value of the type list"):
        tiny.batch(["one", ["two"]])  # type: ignore[list-item]


@pytest.mark.parametrize("source", [5, None, b"text", Document(text="one text")])
def test_streams(tiny: Pipeline, source: Any) -> None:
    with pytest.raises(UsageError, match="blocks of text"):
        tiny.stream(source)


def test_keep_is_a_list_of_names(tiny: Pipeline) -> None:
    doc = tiny("One came.")
    for call in (
        lambda: tiny(doc, keep="tokens"),
        lambda: list(tiny.pipe([doc], keep="tokens")),
        lambda: tiny.batch([doc, doc], keep="tokens"),
        lambda: tiny.k_best(doc, 2, keep="tokens"),
    ):
        with pytest.raises(UsageError, match=r"not the string 'tokens'. Write keep=\['tokens'\]"):
            call()


@pytest.mark.parametrize("model", [5, b"en", ["en"]])
def test_models(model: Any) -> None:
    with pytest.raises(UsageError, match="a model is named by a string or a path"):
        caesura.load(model)


@pytest.mark.parametrize("path", [5, None, b"a.conllu", ["a.conllu"]])
def test_files(path: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a file is named by a string or a path"):
        caesura.read(path)
    with pytest.raises(UsageError, match="a file is named by a string or a path"):
        caesura.write(Document(text="a"), path)


@pytest.mark.parametrize("documents", [5, None, "text", ["text"], treebank()[0].words])
def test_documents(documents: Any, tmp_path: Path) -> None:
    for name in ("a.conllu", "a.jsonl"):
        with pytest.raises(UsageError, match="documents are wanted here"):
            caesura.write(documents, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("documents", [5, None, b"a.conllu", ["a.conllu"], treebank()[0].words])
def test_what_is_compared(documents: Any) -> None:
    gold = treebank()
    for pair in ((gold, documents), (documents, gold)):
        with pytest.raises(UsageError, match="documents are compared, not"):
            caesura.evaluate(*pair)
