"""`caesura convert`: formats, folders, changes, and the treebank made to look like speech."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from caesura import cli
from caesura.formats import read

EXAMPLE = Path(__file__).parents[2] / "examples" / "harbour.conllu"


def convert(*arguments: object) -> int:
    return cli.run(["convert", *map(str, arguments)])


def test_a_treebank_comes_back_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "same.conllu"
    assert convert(EXAMPLE, "-o", target) == 0
    assert target.read_bytes() == EXAMPLE.read_bytes()


def test_stdin_to_stdout(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(EXAMPLE.read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert convert("--from", "conllu") == 0
    assert capfdbinary.readouterr().out == EXAMPLE.read_bytes()


def test_several_inputs_go_into_one_file(tmp_path: Path) -> None:
    target = tmp_path / "two.conllu.gz"
    assert convert(EXAMPLE, EXAMPLE, "-o", target) == 0
    assert gzip.decompress(target.read_bytes()) == EXAMPLE.read_bytes() * 2


def test_a_folder_gets_a_file_for_each_input(tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    other.write_bytes(EXAMPLE.read_bytes())
    assert convert(EXAMPLE, other, "--to", "conllx", "-o", f"{tmp_path}/new/") == 0
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == [
        "harbour.conll",
        "other.conll",
    ]


def test_two_inputs_of_one_name_do_not_overwrite_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "harbour.conllu"
    other.write_bytes(EXAMPLE.read_bytes())
    assert convert(EXAMPLE, other, "-o", f"{tmp_path}/new/") == 2
    assert "would both be written to" in capsys.readouterr().err


def test_no_input_is_a_wrong_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert convert() == 2
    assert "No input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nowhere.conllu"], 1, "nowhere.conllu: there is no such file"),
        ([EXAMPLE.parent, "--to", "text"], 1, "is a directory, not a file"),
        ([EXAMPLE, "--to", "papyrus"], 2, "there is no format 'papyrus'"),
        ([EXAMPLE, "-o", "x.papyrus"], 1, "x.papyrus: the extension tells no format"),
        ([EXAMPLE, "--drop", "colour"], 2, "there is no column colour"),
        ([EXAMPLE, "--marks", "."], 2, "Add --drop-punct"),
        ([EXAMPLE, "--split", "2"], 2, "Name a folder"),
        ([EXAMPLE, "--split", "0", "-o", "x/"], 2, "--split"),
        ([EXAMPLE, "-o", "nowhere/x.conllu"], 1, "directory does not exist"),
    ],
)
def test_wrong_calls_and_bad_input(
    arguments: list[object], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(*arguments) == status
    assert said in capsys.readouterr().err


def test_speech(tmp_path: Path) -> None:
    target = tmp_path / "speech.conllu"
    assert convert(EXAMPLE, "--lower", "--drop-punct", "-o", target) == 0
    documents = list(read(target))
    assert [document.id for document in documents] == [d.id for d in read(EXAMPLE)]
    assert documents[0].sentences[4].text == (
        "strong and no sugar says the oldest of them every morning"
    )
    assert "\tPUNCT\t" not in target.read_text(encoding="utf-8")


def test_a_document_of_punctuation_is_left_out(tmp_path: Path) -> None:
    source, target = tmp_path / "a.conllu", tmp_path / "b.conllu"
    mark = "# newdoc id = {}\n1\t{}\t_\t{}\t_\t_\t0\troot\t_\t_\n\n"
    rows = [("a", "Yes", "INTJ"), ("b", "!", "PUNCT"), ("c", "No", "INTJ")]
    source.write_text("".join(mark.format(*row) for row in rows))
    assert convert(source, "--drop-punct", "-o", target) == 0
    assert [(d.id, d.text) for d in read(target)] == [("a", "Yes"), ("c", "No")]


def test_columns_can_be_dropped_and_kept(tmp_path: Path) -> None:
    target = tmp_path / "a.conllu"
    assert convert(EXAMPLE, "--drop", "lemma,xpos", "--drop", "comments", "-o", target) == 0
    doc = next(read(target))
    assert set(doc.column("lemma")) == set(doc.column("xpos")) == {""}
    assert doc.column("upos")[0] == "DET"
    assert convert(EXAMPLE, "--keep", "upos", "-o", target) == 0
    doc = next(read(target))
    assert set(doc.column("deprel")) == {""}
    assert doc.column("upos")[0] == "DET"
    assert doc.n_sentences == 6


def test_crossing_arcs_can_be_lifted(tmp_path: Path) -> None:
    from caesura.inspect import inspect

    target = tmp_path / "a.conllu"
    assert inspect(read(EXAMPLE)).nonprojective_sentences.count == 1
    assert convert(EXAMPLE, "--projectivise", "-o", target) == 0
    assert inspect(read(target)).nonprojective_sentences.count == 0


def test_split_keeps_documents_whole(tmp_path: Path) -> None:
    assert convert(EXAMPLE, "--split", "2", "-o", f"{tmp_path}/folds/") == 0
    files = sorted((tmp_path / "folds").iterdir())
    assert [file.name for file in files] == ["harbour-1.conllu", "harbour-2.conllu"]
    assert [[doc.id for doc in read(file)] for file in files] == [
        ["harbour-morning"],
        ["harbour-prices", "harbour-advice"],
    ]


def test_a_split_that_fails_leaves_no_file(tmp_path: Path) -> None:
    source = tmp_path / "bad.conllu"
    source.write_text(EXAMPLE.read_text(encoding="utf-8") + "1\tx\n\n", encoding="utf-8")
    assert convert(source, "--split", "2", "-o", f"{tmp_path}/folds/") == 1
    assert list((tmp_path / "folds").iterdir()) == []


@pytest.mark.parametrize("split", ["dev", "train"])
def test_ewt_made_speech_is_ewt_speech(split: str, data_dir: Path, tmp_path: Path) -> None:
    """The same words, heads and documents; FEATS, which that variant lacks, are dropped."""
    source = data_dir / "UD_English-EWT" / f"en_ewt-ud-{split}.conllu.gz"
    wanted = data_dir / "EWT-speech" / f"en_ewt-speech-{split}.conllu.gz"
    for file in (source, wanted):
        if not file.exists():
            pytest.skip(f"no {file}")
    target = tmp_path / "speech.conllu"
    assert convert("-q", "--lower", "--drop-punct", "--drop", "feats", source, "-o", target) == 0
    # Not `==` inside the assert: a difference would print the treebank.
    same = target.read_bytes() == gzip.decompress(wanted.read_bytes())
    assert same
