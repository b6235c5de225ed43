"""One runner for every command: folders, errors per file, resume, threads, one answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesura import cli, formats
from caesura.document import Document
from caesura.errors import CaesuraError, InputError
from caesura.options import PLAIN
from caesura.pipeline import Pipeline
from caesura.pipeline.jobs import Job, Source
from caesura.pipeline.run import Local, Report, Tally, run
from tests.pipeline.tiny import TEXT

#: The commands that run a model over files; what each calls its result.
COMMANDS = {
    "parse": (["parse"], ".conllu"),
    "split": (["split"], ".txt"),
    "tokenize": (["tokenize"], ".conllu"),
    "tag": (["tag"], ".conllu"),
}


@pytest.fixture
def folder(tmp_path: Path, tiny: Pipeline) -> Path:
    """Tokenised files, one of them in a folder of its own, and one that cannot be read."""
    found = tmp_path / "in"
    (found / "deep").mkdir(parents=True)
    for number, name in enumerate(("a", "deep/b", "c")):
        doc = tiny(TEXT[number * 100 : number * 100 + 700])
        formats.write([doc], found / f"{name}.conllu")
    (found / "bad.conllu").write_text("1\tno\ttree\n\n", encoding="utf-8")
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_with_a_bad_file(
    command: str, folder: Path, tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    call, ending = COMMANDS[command]
    whole = [*call, str(folder), "-m", str(tiny_model)]
    assert cli.run([*whole, "-o", f"{tmp_path}/one/"]) == 1
    told = capfd.readouterr().err
    assert told.count("bad.conllu") == 1
    assert "3 files" in told
    assert "1 file failed" in told
    once = files(tmp_path / "one")
    assert sorted(once) == [f"{name}{ending}" for name in ("a", "c", "deep/b")]
    assert all(once.values())
    assert cli.run([*whole, "-q", "-o", f"{tmp_path}/two/", "--threads", "2"]) == 1
    assert files(tmp_path / "two") == once


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_done_is_not_done_again(
    command: str, folder: Path, tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    call, ending = COMMANDS[command]
    (folder / "bad.conllu").unlink()
    whole = [*call, str(folder), "-m", str(tiny_model), "-o", f"{tmp_path}/out/", "--resume"]
    assert cli.run(whole) == 0
    once = files(tmp_path / "out")
    (tmp_path / "out" / f"a{ending}").write_bytes(b"mine")
    os.utime(tmp_path / "out" / f"c{ending}", (1, 1))  # older than its source
    capfd.readouterr()
    assert cli.run(whole) == 0
    assert "2 files were done already" in capfd.readouterr().err
    assert files(tmp_path / "out") == once | {f"a{ending}": b"mine"}


def test_a_run_without_a_command_line(folder: Path, tiny: Pipeline) -> None:
    class Told(Report):
        def __init__(self) -> None:
            self.errors: list[CaesuraError] = []
            self.words = 0

        def done(self, doc: Document, tally: Tally) -> None:
            self.words += doc.n_words

        def failed(self, error: CaesuraError) -> None:
            self.errors.append(error)

    told, docs = Told(), []
    names = ("a.conllu", "bad.conllu", "c.conllu", "none.conllu")
    jobs = [Job(Source(str(folder / name), "conllu"), "-", "conllu") for name in names]
    tally = run(Local(tiny), jobs, PLAIN, lambda found, *_: docs.extend(found), report=told)
    assert [Path(doc.source or "").name for doc in docs] == ["a.conllu", "c.conllu"]
    assert (tally.files, len(tally.errors), tally.words) == (2, 2, told.words)
    assert tally.errors == told.errors
    assert all(isinstance(error, InputError) for error in told.errors)
