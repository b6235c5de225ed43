"""What people and scripts do to a command line: each gets one sentence, or just works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caesura import cli, formats
from caesura.document import Document
from caesura.errors import CaesuraError, InternalError, internal
from caesura.options import PLAIN, Request
from caesura.pipeline import Pipeline
from caesura.pipeline.jobs import Job, Source
from caesura.pipeline.run import Local, run

ROOT = Path(__file__).parents[2]


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit status and the one sentence of a call that fails."""
    status = cli.run(list(arguments))
    said = capsys.readouterr().err.strip()
    assert "Traceback" not in said
    return status, said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--bias", "1e39"), "the bias is 1e+39"),
        (("--beam", "100000000"), "beam is 100000000"),
        (("--encoding", "zip"), "there is no encoding 'zip'"),
        (("--encoding", "rot13"), "there is no encoding 'rot13'"),
        (("--encoding", "idna"), "there is no encoding 'idna'"),
        (("--encoding", "utf-8\0"), "there is no encoding"),
    ],
)
def test_odd_options(
    arguments: tuple[str, ...],
    said: str,
    tiny_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = tmp_path / "a.txt"
    text.write_text("The boats came back.")
    status, sentence = told(capsys, "parse", str(text), "-m", str(tiny_model), *arguments)
    assert status in (1, 2)
    assert said in sentence


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
def test_a_device_is_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "a.txt"
    text.write_text("The boats came back.")
    status, sentence = told(capsys, "parse", str(text), "-m", "/dev/zero")
    assert status == 1
    assert "is a device or a pipe" in sentence


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.parametrize(
    ("closed", "said"),
    [("<&-", "the standard input is closed"), (">&-", "the standard output is closed")],
)
def test_closed_streams(closed: str, said: str) -> None:
    call = f"echo '# a' | {sys.executable} -m caesura convert --from markdown --to text - {closed}"
    done = subprocess.run(
        ["sh", "-c", call],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_nobody_thought_of_is_an_error_of_its_file(
    tiny: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file breaks a reader, one the pipeline, one a writer; the others are written."""
    for name in ("one", "two", "three", "four", "five"):
        (tmp_path / f"{name}.txt").write_text(f"This is {name}.")
    real = type(tiny).batch_of

    def batch(self: Pipeline, docs: list[Document], request: Request) -> list[Document]:
        if any("two" in doc.text for doc in docs):
            raise IndexError("out of range")
        return real(self, docs, request)

    monkeypatch.setattr(type(tiny), "batch_of", batch)
    out = tmp_path / "out"
    jobs = [
        Job(Source(str(tmp_path / f"{name}.txt"), "text", name), str(out / f"{name}.conllu"), "x")
        for name in ("one", "two", "three", "four", "five")
    ]
    read = formats.io.open_read

    def open_read(path: str) -> object:
        if "three" in str(path):
            raise AssertionError("a reader gives up")
        return read(path)

    monkeypatch.setattr("caesura.pipeline.run.open_read", open_read)

    def write(docs: object, path: str, format: str) -> None:
        if "four" in path:
            raise ZeroDivisionError
        formats.write(docs, path, "conllu")  # type: ignore[arg-type]

    tally = run(Local(tiny), jobs, PLAIN, write, one_each=True)
    assert sorted(path.name for path in out.glob("*.conllu")) == ["five.conllu", "one.conllu"]
    assert tally.files == 2
    assert [Path(str(error.where.file)).stem for error in tally.errors] == ["two", "three", "four"]
    for error in tally.errors:
        assert isinstance(error, InternalError)
        assert "please report it" in str(error)


def test_an_internal_error_says_where() -> None:
    def fails() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError) as caught:
        fails()
    assert "KeyError in " in str(internal(caught.value, "a.txt"))
    assert str(internal(caught.value, "a.txt")).startswith("a.txt: an internal error")
    known = CaesuraError("no")
    assert internal(known) is known
    assert "more memory" in str(internal(MemoryError(), "a.txt"))
