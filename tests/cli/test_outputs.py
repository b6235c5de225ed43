"""What may be written where: no command replaces what it reads or loses what it makes."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caesura import cli, formats
from caesura.cli.outputs import refuse_own_input
from caesura.errors import UsageError
from tests.pipeline.tiny import EXAMPLES

GOLD = (EXAMPLES / "harbour.conllu").read_bytes()


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.conllu"
    path.write_bytes(GOLD)
    return path


# ------------------------------------------------------------- the own input


@pytest.mark.parametrize(
    "call",
    [
        ["parse", "{gold}", "-o", "{output}"],
        ["parse", "{gold}", "--keep-tokens", "-o", "{output}", "--to", "conllu"],
        ["convert", "{gold}", "--lower", "-o", "{output}"],
        ["convert", "{gold}", "{gold}", "-o", "{output}"],
        ["tag", "{gold}", "-m", "{model}", "-o", "{output}"],
        ["tokenize", "{gold}", "--rules", "-o", "{output}"],
        ["render", "{gold}", "--to", "svg", "-o", "{output}"],
        ["render", "{model}", "--compare", "{gold}", "--to", "text", "-o", "{output}"],
        ["align", "{model}", "--text", "{gold}", "-o", "{output}"],
        ["cluster", "{gold}", "-o", "{output}"],
        ["induce", "{gold}", "-o", "{output}"],
        ["train", "pipeline", "{gold}", "-o", "{output}"],
        ["train", "tagger", "{model}", "--dev", "{gold}", "-o", "{output}"],
        ["train", "tokenizer", "{model}", "--init", "{gold}", "-o", "{output}"],
        ["train", "parser", "{gold}", "-o", "{output}"],
    ],
)
@pytest.mark.parametrize("name", ["same", "dotted", "symlink", "hard link"])
def test_no_command_replaces_its_input(
    gold: Path, tiny_model: Path, call: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = gold
    if name == "dotted":
        output = gold.parent / "." / gold.parent.name / ".." / gold.name
        (gold.parent / gold.parent.name).mkdir()
    elif name == "symlink":
        output = gold.parent / "link.conllu"
        output.symlink_to(gold)
    elif name == "hard link":
        output = gold.parent / "link.conllu"
        os.link(gold, output)
    values = {"gold": gold, "output": output, "model": tiny_model}
    assert cli.run([word.format(**values) for word in call]) == 2
    err = capsys.readouterr().err
    assert "both the input and the output" in err
    assert "Name another file" in err
    assert gold.read_bytes() == GOLD


def test_every_command_with_an_output_is_guarded() -> None:
    """Those that are to come, too: the check is made where commands are loaded."""
    import click

    context = click.Context(cli.cli)
    groups = [cli.cli, *cli.cli.groups.values()]
    for group in groups:
        for name in group.list_commands(context):  # type: ignore[attr-defined]
            command = group.get_command(context, name)  # type: ignore[attr-defined]
            if any(parameter.name == "output" for parameter in command.params):
                assert getattr(command.callback, "guarded", False), name


@pytest.mark.parametrize("verb", ["parse", "convert", "tag"])
def test_no_folder_goes_into_itself(
    gold: Path, tiny_model: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = gold.parent
    read = str(folder) if verb == "parse" else str(gold)
    model = [] if verb == "convert" else ["-m", str(tiny_model)]
    for output in (f"{folder}/", str(folder)):
        assert cli.run([verb, read, *model, "-o", output]) == 2
        assert "both the input and the output" in capsys.readouterr().err
    assert gold.read_bytes() == GOLD
    assert os.listdir(folder) == [gold.name]


def test_a_folder_of_results_within_the_input_is_no_input(tiny_model: Path, gold: Path) -> None:
    call = ["parse", "-q", str(gold.parent), "-m", str(tiny_model), "-o", f"{gold.parent}/out/"]
    for _ in range(2):
        assert cli.run(call) == 0
        assert os.listdir(gold.parent / "out") == ["gold.conllu"]


def test_no_part_of_a_split_replaces_the_input(tmp_path: Path) -> None:
    """The first input names the parts, and one of them may be another input."""
    first, second = tmp_path / "a.conllu", tmp_path / "a-1.conllu"
    for path in (first, second):
        path.write_bytes(GOLD)
    call = ["convert", str(first), str(second), "--split", "2", "-o", f"{tmp_path}/"]
    assert cli.run(call) == 2
    assert second.read_bytes() == GOLD


def test_a_text_beside_an_annotation_is_no_output(
    tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """brat and spans write a text beside the file, which may be the input."""
    text = tmp_path / "a.txt"
    text.write_bytes(b"Nobody asks him why.")
    assert cli.run(["parse", str(text), "-m", str(tiny_model), "-o", f"{tmp_path}/a.ann"]) == 2
    assert cli.run(["tokenize", str(text), "--rules", "-o", f"{tmp_path}/a.spans"]) == 2
    assert capsys.readouterr().err.count("a.txt is both the input and the output") == 2


@pytest.mark.skipif(os.name == "nt", reason="a file is opened otherwise")
def test_redirections(gold: Path) -> None:
    call = [sys.executable, "-m", "caesura", "convert"]
    with gold.open("rb") as stream:
        run = subprocess.run(
            [*call, "--from", "conllu", "-o", str(gold)], stdin=stream, capture_output=True
        )
    assert run.returncode == 2
    with gold.open("ab") as stream:
        run = subprocess.run([*call, str(gold)], stdout=stream, stderr=subprocess.PIPE)
    assert run.returncode == 2
    assert b"both the input and the output" in run.stderr
    assert gold.read_bytes() == GOLD


def test_devices_and_new_files_are_no_inputs(gold: Path) -> None:
    refuse_own_input([gold, "/dev/null"], "/dev/null")
    refuse_own_input([gold, "-"], gold.parent / "new.conllu")
    refuse_own_input(["gone.txt"], "gone.txt")
    with pytest.raises(UsageError):
        refuse_own_input([gold], gold)


# ------------------------------------------------------------ what is lost


@pytest.mark.parametrize("extension", ["txt", "tok", "vtt", "html", "spans", "mrg", "txt.gz"])
def test_trees_are_not_lost(
    tiny_model: Path, tmp_path: Path, extension: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chat, out = tmp_path / "chat.txt", tmp_path / f"out.{extension}"
    chat.write_text("Nobody asks him why.")
    assert cli.run(["parse", str(chat), "-m", str(tiny_model), "-o", str(out)]) == 2
    err = capsys.readouterr().err
    assert "cannot hold trees" in err
    assert ".conllu" in err
    assert not out.exists()


def test_what_is_asked_for_by_name_is_written(tiny_model: Path, tmp_path: Path) -> None:
    chat, out = tmp_path / "chat.txt", tmp_path / "out.txt"
    chat.write_text("Nobody asks him why.")
    call = ["parse", str(chat), "-m", str(tiny_model), "-o", str(out), "--to"]
    assert cli.run([*call, "text"]) == 0
    assert out.read_text() == chat.read_text()
    assert cli.run([*call, "tokens"]) == 0
    assert out.read_text() == "Nobody asks him why .\n"


@pytest.mark.parametrize(
    ("call", "lost"),
    [
        (["tag", "-m", "{model}", "-o", "out.tok"], "tags"),
        (["tag", "-m", "{model}", "-o", "out.txt"], "tags"),
        (["tokenize", "--rules", "-o", "out.txt"], "tokens"),
        (["tokenize", "--rules", "-o", "out.html"], "tokens"),
        (["convert", "--projectivise", "-o", "out.txt"], "trees"),
        (["convert", "--heads", "collins", "-o", "out.tok"], "trees"),
    ],
)
def test_what_other_commands_add_is_not_lost(
    gold: Path,
    tiny_model: Path,
    call: list[str],
    lost: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(gold.parent)
    words = [word.format(model=tiny_model) for word in call]
    assert cli.run([words[0], str(gold), *words[1:]]) == 2
    assert f"cannot hold {lost}" in capsys.readouterr().err


def test_a_conversion_may_drop_what_it_likes(gold: Path) -> None:
    out = gold.parent / "out.txt"
    assert cli.run(["convert", str(gold), "-o", str(out)]) == 0
    assert out.read_text().startswith("The harbour")


def test_tags_of_tokenised_text_come_out_as_conllu(
    tiny_model: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = tmp_path / "a.tok"
    source.write_text("Nobody asks .\n")
    assert cli.run(["tag", str(source), "-m", str(tiny_model)]) == 0
    assert capfdbinary.readouterr().out.count(b"\t") == 27
    assert cli.run(["tag", str(source), "-m", str(tiny_model), "-o", f"{tmp_path}/new/"]) == 0
    (doc,) = formats.read(tmp_path / "new" / "a.conllu")
    assert all(doc.column("upos"))


def test_tokens_go_to_stdout_as_conllu(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"It rains.")))
    assert cli.run(["tokenize", "--rules", "-o", "-"]) == 0
    assert b"\nrains\t" in capfdbinary.readouterr().out.replace(b"2\t", b"")
