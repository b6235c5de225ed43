"""The commands: train tokenizer and tokenize."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.cli import run
from caesura.formats import read, write
from caesura.tokenize import Tokenizer
from tests.tokenize.corpus import documents

SMALL = ["--set", "bits=16", "--set", "rare_cut=2", "--set", "rare_start=2", "--quiet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    write(documents(12), folder / "train.conllu")
    write(documents(3, first=50), folder / "dev.conllu")
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    path = folder / "t.caesura"
    call = ["train", "tokenizer", str(folder / "train.conllu"), "--dev"]
    assert run([*call, str(folder / "dev.conllu"), "-o", str(path), "--epochs", "2", *SMALL]) == 0
    return path


def test_training_leaves_a_model_and_no_checkpoint(model: Path) -> None:
    Tokenizer.load(model)
    assert not list(model.parent.glob("*checkpoint*"))


def test_scores_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["train", "tokenizer", str(folder / "train.conllu"), "--dev"]
    call += [str(folder / "dev.conllu"), "-o", str(folder / "j.caesura"), "--epochs", "1"]
    assert run([*call, "--json", *SMALL]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["scores"]) == {"Tokens", "Words", "Sentences"}


def test_text_to_conllu(model: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "a.txt", tmp_path / "a.conllu"
    text = "The cook won't buy $40! She reads 3.5 apples.\n\nMy aunt paints.\n"
    source.write_text(text, encoding="utf-8")
    assert run(["tokenize", "-m", str(model), str(source), "-o", str(target)]) == 0
    (doc,) = read(target)
    assert doc.text == text
    assert doc.column("form")[:4] == ["The", "cook", "wo", "n't"]
    assert doc.n_sentences == 3


def test_a_long_text_comes_in_pieces_of_whole_sentences(model: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "a.txt", tmp_path / "a.conllu"
    source.write_text("The cook sees $40! She reads 3.5 apples. " * 30_000, encoding="utf-8")
    assert run(["tokenize", "-m", str(model), str(source), "-o", str(target)]) == 0
    (doc,) = read(target)
    assert doc.n_sentences == 60_000


def test_rules_need_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.txt"
    source.write_text("It rains. We stay.", encoding="utf-8")
    assert run(["tokenize", "--rules", str(source)]) == 0
    assert capsys.readouterr().out.count("# text = ") == 2


@pytest.mark.parametrize("tool", ["--rules", "--model"])
def test_a_line_may_be_a_sentence(
    tool: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.txt"
    source.write_text("one two\nthree four\n", encoding="utf-8")
    chosen = ["--rules"] if tool == "--rules" else ["--model", str(model)]
    assert run(["tokenize", *chosen, "--newline-is-boundary", str(source)]) == 0
    assert capsys.readouterr().out.count("# text = ") == 2


def test_kept_sentences(model: Path, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.conllu"
    call = ["tokenize", "-m", str(model), str(folder / "dev.conllu"), "--keep", "sentences"]
    assert run([*call, "-o", str(target)]) == 0
    for gold, found in zip(read(folder / "dev.conllu"), read(target), strict=True):
        assert [str(s) for s in gold.sentences] == [str(s) for s in found.sentences]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["tokenize", "a.txt"], 2, "--model MODEL or --rules"),
        (["tokenize", "--rules", "-m", "x", "a.txt"], 2, "either"),
        (["tokenize", "-m", "none.caesura", "a.txt"], 1, "no such model"),
        (["train", "tokenizer", "none.conllu", "-o", "m"], 1, "no such file"),
        (["train", "tokenizer", "empty.conllu", "-o", "m"], 1, "no sentence"),
        (["train", "tokenizer", "ok.conllu", "-o", "m", "--set", "bit=3"], 2, "bits"),
        (["train", "tokenizer", "ok.conllu", "-o", "no/m", "--epochs", "1"], 1, "no/m"),
    ],
)
def test_bad_calls(
    arguments: list[str],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("text", encoding="utf-8")
    Path("empty.conllu").write_text("", encoding="utf-8")
    write(documents(2), "ok.conllu")
    assert run(arguments) == status
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
    assert not Path("m").exists()


def test_training_on_real_text(data_dir: Path, tmp_path: Path) -> None:
    """A fraction of a treebank already gives good tokens on its dev set."""
    from itertools import islice

    from caesura.evaluate import conll18
    from caesura.tokenize import TokenizerOptions, train

    folder = data_dir / "UD_English-EWT"
    docs = list(islice(read(folder / "en_ewt-ud-train.conllu.gz"), 150))
    gold = list(islice(read(folder / "en_ewt-ud-dev.conllu.gz"), 60))
    tokenizer = train(docs, TokenizerOptions(bits=20, epochs=3))
    scores = conll18(gold, [tokenizer.tokenize(doc.text) for doc in gold])
    assert scores["Tokens"].f1 > 98.0
    assert scores["Words"].f1 > 97.0
    assert scores["Sentences"].f1 > 75.0
