"""One answer through every entry point: one text, many, a stream, a file, the server."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura import cli, formats
from caesura.document import Document
from caesura.models import load, save
from caesura.options import Request
from caesura.paths import bundled_models
from caesura.pipeline import Pipeline
from caesura.pipeline.jobs import Source
from caesura.pipeline.run import Local, annotate_files
from tests.pipeline.laws import check, said
from tests.pipeline.tiny import TEXT

#: Longer than the blocks of parser and reader, and than what a file may have to be read whole.
_SIZE = 66_000


def written(size: int, seed: int = 1) -> str:
    """Sentences in any order, in lines and paragraphs."""
    rng = np.random.default_rng(seed)
    sentences = [s for s in re.split(r"(?<=[.?!])\s+|\n+", TEXT) if s]
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        parts.append(str(rng.choice(sentences)))
        parts.append(str(rng.choice([" ", " ", " ", "\n", "\n\n"])))
    return "".join(parts)


def spoken(size: int, seed: int = 1) -> str:
    """The same without case, punctuation and lines: nothing but words."""
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", written(2 * size, seed).lower())
    return " ".join(words)[:size]


TEXTS = {"written": written(_SIZE), "spoken": spoken(_SIZE)}
COMPANY = [written(3000, 5), spoken(9000, 6), "", "Yes."]


@pytest.fixture(scope="module", params=["no margin", "margin"])
def model(request: pytest.FixtureRequest, tiny_model: Path, tmp_path_factory) -> Path:
    """The tiny model with its beam of 4, and one whose beam opens where the text is ambiguous."""
    if request.param == "no margin":
        return tiny_model
    file = load(tiny_model)
    file.parts["parser"].config.update(beam=8, margin=1.0)
    path = tmp_path_factory.mktemp("doors") / "margin.caesura"
    save(path, file.parts)
    return path


@pytest.fixture(scope="module")
def nlp(model: Path) -> Pipeline:
    return caesura.load(model)


@pytest.fixture(scope="module", params=list(TEXTS))
def text(request: pytest.FixtureRequest) -> str:
    return TEXTS[request.param]


@pytest.fixture(scope="module")
def whole(nlp: Pipeline, text: str) -> Document:
    doc = nlp(text, confidence=True)
    check(doc, text)
    assert doc.n_words > 11_000
    assert doc.n_sentences > 50
    return doc


def blocks(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def trees(docs: Iterable[Document]) -> list[tuple[object, ...]]:
    """Sentence by sentence what is said of the words, however the sentences are dealt out."""
    return [
        tuple(
            (w.form, w.lemma, w.upos, w.xpos, w.feats, w.deprel, w.head and w.head.form, w.id)
            for w in sentence.words
        )
        for doc in docs
        for sentence in doc.sentences
    ]


# ------------------------------------------------------------------- the law


@pytest.mark.parametrize("size", [777, 40_000, _SIZE + 1])
def test_a_stream_gives_what_the_whole_gives(
    nlp: Pipeline, text: str, whole: Document, size: int
) -> None:
    pieces = list(nlp.stream(blocks(text, size), confidence=True))
    assert len(pieces) > 2
    assert [piece.continues for piece in pieces] == [False] + [True] * (len(pieces) - 1)
    assert "".join(piece.text for piece in pieces) == text
    assert said(Document.join(pieces)) == said(whole)


@pytest.mark.parametrize("kind", list(TEXTS))
def test_a_text_that_is_neither_short_nor_long(nlp: Pipeline, kind: str) -> None:
    """More words than the first block has, and fewer characters than make a file be streamed."""
    text = {"written": written, "spoken": spoken}[kind](20_000, 3)
    whole = nlp(text)
    pieces = list(nlp.stream(blocks(text, 3000)))
    assert len(pieces) > 1
    assert said(Document.join(pieces)) == said(whole)


def test_company_makes_no_difference(nlp: Pipeline, text: str, whole: Document) -> None:
    alone = [said(nlp(other, confidence=True)) for other in COMPANY]
    alone.insert(2, said(whole))
    texts = [*COMPANY[:2], text, *COMPANY[2:]]
    assert [said(doc) for doc in nlp.batch(texts, confidence=True)] == alone
    assert [said(doc) for doc in nlp.batch(texts[::-1], confidence=True)] == alone[::-1]
    for threads in (1, 2):
        assert [said(doc) for doc in nlp.pipe(texts, threads=threads, confidence=True)] == alone


def test_files_folders_and_stdin_give_the_same(
    nlp: Pipeline,
    model: Path,
    text: str,
    whole: Document,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "b.txt"
    path.write_text(text, encoding="utf-8")
    expected = trees([whole])
    assert trees(nlp.stream(path)) == expected
    assert cli.run(["parse", str(path), "-m", str(model), "-o", f"{tmp_path}/file.conllu"]) == 0
    assert trees(formats.read(tmp_path / "file.conllu")) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert cli.run(["parse", "-", "-m", str(model), "-o", f"{tmp_path}/stdin.conllu"]) == 0
    assert trees(formats.read(tmp_path / "stdin.conllu")) == expected
    for name, other in zip("acde", COMPANY, strict=True):
        (tmp_path / "in" / f"{name}.txt").write_text(other, encoding="utf-8")
    call = ["parse", str(tmp_path / "in"), "-m", str(model), "-o", f"{tmp_path}/out/"]
    assert cli.run([*call, "--threads", "2"]) == 0
    assert trees(formats.read(tmp_path / "out" / "b.conllu")) == expected
    short = trees(formats.read(tmp_path / "out" / "c.conllu"))
    assert short == trees([nlp(COMPANY[1])])


def test_a_server_gives_the_same(model: Path, text: str, whole: Document) -> None:
    from caesura.serve.messages import ParseRequest, sentences_of
    from caesura.serve.models import Models
    from caesura.serve.options import ServeOptions
    from caesura.serve.parsing import Task
    from caesura.serve.wire import JobHead
    from caesura.serve.worker import Job

    job = Job(JobHead("parse", 600), b"", 600)
    asked = ParseRequest(text=text)
    answer = Task(asked, Models({"tiny": model}), ServeOptions(), job).answer()
    assert answer.sentences == list(sentences_of(whole))


@pytest.mark.parametrize("size", [777, 40_000])
def test_lines_that_are_sentences(nlp: Pipeline, size: int) -> None:
    text = TEXTS["written"]
    doc = nlp(text, newline_is_boundary=True)
    check(doc, text)
    assert doc.fixed == frozenset()
    pieces = list(nlp.stream(blocks(text, size), newline_is_boundary=True))
    assert len(pieces) > 2
    assert said(Document.join(pieces)) == said(doc)
    (other, again) = nlp.batch([COMPANY[0], text], newline_is_boundary=True)
    assert said(again) == said(doc)
    assert said(other) == said(nlp(COMPANY[0], newline_is_boundary=True))


# ------------------------------------------------------------------ other models


@pytest.mark.parametrize("lines", [False, True])
def test_a_tokeniser_alone(tiny_model: Path, lines: bool) -> None:
    file = load(tiny_model)
    file.parts = {"tokenizer": file.parts["tokenizer"]}
    splitter = Pipeline(file)
    for text in TEXTS.values():
        whole = splitter(Document(text=text), newline_is_boundary=lines)
        for size in (777, 40_000):
            pieces = list(splitter.stream(blocks(text, size), newline_is_boundary=lines))
            assert len(pieces) > 1
            assert said(Document.join(pieces))["sent_start"] == said(whole)["sent_start"]
            assert said(Document.join(pieces))["token_start"] == said(whole)["token_start"]


@pytest.mark.parametrize("lines", [False, True])
def test_an_induced_grammar(tmp_path: Path, lines: bool) -> None:
    (tmp_path / "text.txt").write_text(written(3000), encoding="utf-8")
    call = ["induce", str(tmp_path / "text.txt"), "-o", str(tmp_path / "a.grammar")]
    assert cli.run([*call, "--classes", "4", "-q"]) == 0
    nlp = Pipeline(load(tmp_path / "a.grammar"))
    text = written(130_000)
    whole = nlp(Document(text=text), newline_is_boundary=lines)
    assert whole.text == text
    for size in (777, 100_000):
        pieces = list(nlp.stream(blocks(text, size), newline_is_boundary=lines))
        assert len(pieces) == 3
        assert said(Document.join(pieces)) == said(whole)


def test_given_arcs_are_not_cut(nlp: Pipeline) -> None:
    doc = nlp(written(12_000))
    assert doc.n_words > 2000
    far = doc.cut(0, doc.n_tokens)
    far.head = np.full(doc.n_words, -2, np.int32)
    far.head[5], far.deprel[5] = doc.n_words - 5, doc.deprel[5]
    found = nlp(far, keep=["heads"])
    check(found, doc.text)
    assert found.head[5] == doc.n_words - 5


def test_a_sentence_that_may_not_end_is_not_ended(nlp: Pipeline, monkeypatch) -> None:
    """Blocks are cut by force where no sentence ends, but not where the caller forbids it."""
    monkeypatch.setattr("caesura.pipeline.blocks.FIRST", 100)
    monkeypatch.setattr("caesura.pipeline.blocks.BLOCK", 100)
    doc = nlp(spoken(20_000))
    assert doc.n_words > 3000
    doc.sent_start[:] = 0
    doc.sent_start[0] = 1
    assert nlp(doc, keep=["tokens", "sentences"]).n_sentences == 1


@pytest.mark.parametrize("name", ["en-fast", "en"])
def test_the_bundled_models(name: str, tmp_path: Path) -> None:
    if not (bundled_models() / f"{name}.caesura").exists():
        pytest.skip(f"the model {name} is not bundled")
    nlp = caesura.load(name)
    size = 8000 if name == "en" else 40_000
    for text in (written(size), spoken(size)):
        whole = nlp(text, confidence=True)
        check(whole, text)
        pieces = list(nlp.stream(blocks(text, 1111), confidence=True))
        assert len(pieces) > 1
        assert said(Document.join(pieces)) == said(whole)
        first, again, _ = nlp.batch([COMPANY[0], text, "Yes."], confidence=True)
        assert said(again) == said(whole)
        assert said(first) == said(nlp(COMPANY[0], confidence=True))
        (tmp_path / "a.txt").write_text(text, encoding="utf-8")
        source = Source(str(tmp_path / "a.txt"), "text")
        events = annotate_files(Local(nlp), [source], Request(confidence=True))
        docs = [event for event in events if isinstance(event, Document)]
        assert said(Document.join(docs)) == said(whole)
