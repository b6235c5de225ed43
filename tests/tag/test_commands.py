"""`caesura train tagger` and `caesura tag` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from caesura import formats
from caesura.cli import run as program
from caesura.document import ROOT, UNKNOWN, Document
from tests.tag import toy

Run = Callable[..., "Result"]
QUICK = ("--epochs", "2", "-q")


@dataclass(frozen=True)
class Result:
    exit_code: int
    stdout: str
    output: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the program; its exit status and what it printed."""

    def call(*arguments: object) -> Result:
        code = program([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.out + printed.err)

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    formats.write(toy.documents(8), tmp_path / "train.conllu")
    formats.write(toy.documents(2, seed=2), tmp_path / "dev.conllu")
    return tmp_path


def test_train_then_tag(folder: Path, run: Run) -> None:
    model = folder / "toy.model"
    trained = run(
        "train", "tagger", folder / "train.conllu", "--dev", folder / "dev.conllu", "-o", model,
        "--json", *QUICK,
    )  # fmt: skip
    assert trained.exit_code == 0, trained.output
    assert json.loads(trained.stdout)["scores"]["upos"] > 90
    assert not Path(f"{model}.checkpoint").exists()
    result = run("tag", "-m", model, folder / "dev.conllu", "-o", folder / "out.conllu", "-q")
    assert result.exit_code == 0, result.output
    gold, said = (list(formats.read(folder / name)) for name in ("dev.conllu", "out.conllu"))
    assert [doc.column("form") for doc in said] == [doc.column("form") for doc in gold]
    assert all(doc.column("upos") for doc in said)


def test_options_come_from_a_file_and_from_settings(folder: Path, run: Run) -> None:
    (folder / "tagger.toml").write_text("order = 1\nepochs = 1\n")
    result = run(
        "train", "tagger", folder / "train.conllu", "-o", folder / "m", "-q",
        "--config", folder / "tagger.toml", "--set", "rate=0.2",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    wrong = run("train", "tagger", folder / "train.conllu", "-o", folder / "m", "--set", "beam=2")
    assert wrong.exit_code == 2
    assert "beam" in wrong.output


def test_jackknifing_writes_the_training_data(folder: Path, run: Run) -> None:
    out = folder / "jack.conllu"
    result = run("train", "tagger", folder / "train.conllu", "--jackknife", 2, "-o", out, *QUICK)
    assert result.exit_code == 0, result.output
    gold, said = (list(formats.read(path)) for path in (folder / "train.conllu", out))
    assert [doc.id for doc in said] == [doc.id for doc in gold]
    assert [doc.comments for doc in said] == [doc.comments for doc in gold]


def test_boundaries_are_set_at_a_threshold(folder: Path, run: Run) -> None:
    model = folder / "b.model"
    result = run("train", "tagger", folder / "train.conllu", "--boundaries", "-o", model, *QUICK)
    assert result.exit_code == 0, result.output
    out = folder / "b.conllu"
    result = run("tag", "-m", model, folder / "dev.conllu", "--threshold", 0.5, "-o", out, "-q")
    assert result.exit_code == 0, result.output
    assert sum(doc.n_sentences for doc in formats.read(out)) > 2


def with_trees(docs: Sequence[Document]) -> Sequence[Document]:
    """All words of a sentence depend on its first."""
    for doc in docs:
        number = doc.word_sentence
        first = np.searchsorted(number, number)
        doc.head = np.where(first == np.arange(doc.n_words), -1, first).astype(np.int32)
        doc.set_column("deprel", ["root" if head < 0 else "dep" for head in doc.head])
    return docs


def test_a_parser_of_single_sentences_takes_what_the_labeller_writes(
    folder: Path, run: Run
) -> None:
    formats.write(with_trees(toy.documents(8)), folder / "train.conllu")
    tokens = toy.documents(3, seed=3)
    for doc in tokens:
        doc.sent_start[1:] = UNKNOWN
        for column in ("lemma", "upos", "xpos", "feats"):
            doc.set_column(column, [""] * doc.n_words)
    formats.write(tokens, folder / "tokens.conllu")
    labeller, gold, out = folder / "labeller", folder / "gold", folder / "out.conllu"
    train = ("train", "tagger", folder / "train.conllu", "--boundaries", "-o", labeller, *QUICK)
    assert run(*train).exit_code == 0
    result = run("train", "parser", folder / "train.conllu", "--recipe", "gold", "-o", gold, *QUICK)
    assert result.exit_code == 0, result.output
    keep = ("--keep-tokens", "--keep-sentences", "--keep-tags")
    refused = run("parse", "-m", gold, folder / "tokens.conllu", *keep[::2], "-o", out)
    assert refused.exit_code == 1
    result = run("tag", "-m", labeller, folder / "tokens.conllu", "-o", folder / "labelled.conllu")
    assert result.exit_code == 0, result.output
    result = run("parse", "-m", gold, folder / "labelled.conllu", *keep, "-o", out)
    assert result.exit_code == 0, result.output
    for doc in formats.read(out):
        assert doc.n_sentences == int((doc.head == ROOT).sum()) > 1


def test_new_boundaries_forget_the_trees_of_the_old(folder: Path, run: Run) -> None:
    model, gold, out = folder / "b.model", folder / "trees.conllu", folder / "out.conllu"
    docs = with_trees(toy.documents(2, seed=2))
    for doc in docs:
        doc.comments = {0: ("# mood = calm",)}
    formats.write(docs, gold)
    train = ("train", "tagger", folder / "train.conllu", "--boundaries", "-o", model, *QUICK)
    assert run(*train).exit_code == 0
    result = run("tag", "-m", model, gold, "--threshold", 0.0, "-o", out, "-q")
    assert result.exit_code == 0, result.output
    found = list(formats.read(out))
    assert [doc.column("form") for doc in found] == [doc.column("form") for doc in docs]
    for doc in found:
        assert doc.n_sentences == doc.n_tokens
        assert all(doc.column("upos"))
        assert not doc.deprel.any()
        assert not any("mood" in line for lines in doc.comments.values() for line in lines)


def test_a_model_to_start_from_and_speech(folder: Path, run: Run) -> None:
    train, model = folder / "train.conllu", folder / "m"
    assert run("train", "tagger", train, "-o", model, *QUICK).exit_code == 0
    again = run("train", "tagger", train, "-o", folder / "n", "--init", model, "--speech", *QUICK)
    assert again.exit_code == 0, again.output


def test_bad_input(folder: Path, run: Run) -> None:
    empty = folder / "empty.conllu"
    empty.write_text("")
    result = run("train", "tagger", empty, "-o", folder / "m", *QUICK)
    assert result.exit_code == 1
    assert "no words to learn from" in result.output
    assert not (folder / "m").exists()
    result = run("tag", "-m", folder / "nothing", folder / "dev.conllu")
    assert result.exit_code == 1
    assert "no such model file" in result.output
    result = run("train", "tagger", empty, "-o", folder / "m", "--jackknife", 2, "--dev", empty)
    assert result.exit_code == 2


def test_raw_text_is_not_passed_over(folder: Path, run: Run) -> None:
    text = folder / "raw.txt"
    text.write_text("The boats came back.\n", encoding="utf-8")
    result = run("tag", "-m", "en-fast", text)
    assert result.exit_code == 1
    assert "raw.txt: there are no tokens to tag" in result.output
    text.write_text(" \n", encoding="utf-8")
    assert run("tag", "-m", "en-fast", text).exit_code == 0


def test_another_language_is_told(folder: Path, run: Run) -> None:
    german = (
        "Der Hund läuft über die Straße und die Katze sitzt auf dem Dach, weil es dort warm ist."
    )
    text, tokens = folder / "brief.txt", folder / "brief.conllu"
    text.write_text(f"{german} {german}\n", encoding="utf-8")
    told = run("tokenize", "-m", "en", text, "-o", tokens)
    assert told.exit_code == 0
    assert told.output.count("looks like German") == 1
    assert run("tag", "-m", "en-fast", tokens).output.count("looks like German") == 1
    assert "German" not in run("tag", "-q", "-m", "en-fast", tokens).output.split("# newdoc")[0]
