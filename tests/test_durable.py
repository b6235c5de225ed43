"""Files appear whole or not at all, runs do not mix, and --resume knows what is stale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caesura import cli, durable, formats
from caesura.document import Document
from caesura.durable import FolderInUse, Record, exclusive, replacing

ROOT = Path(__file__).parents[1]
posix = pytest.mark.skipif(os.name != "posix", reason="links and locks of POSIX")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.txt").write_text(f"This is {name}. It goes on.")
    return folder


def parse(texts: Path, out: Path, model: Path, *more: str) -> int:
    return cli.run(["parse", str(texts), "-m", str(model), "--quiet", "-o", f"{out}/", *more])


@posix
def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    formats.write(Document(text="new"), link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    to_come = tmp_path / "later.txt"
    link.unlink()
    link.symlink_to(to_come)
    formats.write(Document(text="new"), link)
    assert to_come.read_text() == "new"


@posix
def test_what_a_killed_run_has_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f".a.txt.{'0' * 16}~"
    left.write_text("half")
    other = tmp_path / ".mine~"
    other.write_text("kept")
    with replacing(tmp_path / "b.txt") as raw:
        raw.write(b"whole")
        durable._swept.clear()
        durable.sweep(tmp_path)  # another writer: what is being written is locked
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine~", "b.txt"]


@posix
def test_other_writers_do_not_sweep_away_what_is_about_to_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move, lock, swept = os.replace, durable._lock, list[str]()

    def sweep() -> None:
        durable._swept.clear()
        durable.sweep(tmp_path)

    def replace(old: str, new: Path) -> None:
        sweep()
        move(old, new)

    def lock_late(descriptor: int) -> bool:
        if not swept:  # another process comes before the first of our locks
            swept.append("once")
            sweep()
        return lock(descriptor)

    monkeypatch.setattr(os, "replace", replace)
    with replacing(tmp_path / "a.txt") as raw:
        raw.write(b"whole")
    monkeypatch.setattr(durable, "_lock", lock_late)
    with replacing(tmp_path / "b.txt") as raw:
        raw.write(b"whole")
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found == {"a.txt": "whole", "b.txt": "whole"}
    assert swept


def test_the_file_is_synced_before_it_is_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    sync, move = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (order.append("sync"), sync(fd))[1])
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("move"), move(a, b))[1])
    with durable.batch():
        for name in "abc":
            with replacing(tmp_path / name) as raw:
                raw.write(b"x")
        assert order == ["sync", "move"] * 3
    folders = 1 if os.name == "posix" else 0
    assert order[6:] == ["sync"] * folders


@posix
def test_two_runs_into_one_folder_do_not_mix(
    texts: Path, tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with exclusive(out):
        with pytest.raises(FolderInUse), exclusive(out):
            pass
        assert parse(texts, out, tiny_model) == 1
        assert "another run of Caesura writes into this folder" in capsys.readouterr().err
        assert not list(out.glob("*.conllu"))
    assert parse(texts, out, tiny_model) == 0


def test_resume_makes_what_is_stale(
    texts: Path, tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A source that was replaced by an older file is newer than its result all the same."""
    out = tmp_path / "out"
    assert parse(texts, out, tiny_model) == 0
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.conllu")}
    assert parse(texts, out, tiny_model, "--resume") == 0
    assert {path.name: path.stat().st_mtime_ns for path in out.glob("*.conllu")} == before
    changed = texts / "one.txt"
    changed.write_text("Somebody else wrote this.")
    os.utime(changed, (1_000_000_000, 1_000_000_000))
    assert parse(texts, out, tiny_model, "--resume") == 0
    assert "Somebody" in (out / "one.conllu").read_text()
    assert (out / "two.conllu").stat().st_mtime_ns == before["two.conllu"]


def test_a_record_that_is_cut_off_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "home"))
    source, target = tmp_path / "a.txt", tmp_path / "a.conllu"
    source.write_text("a")
    target.write_text("b")
    os.utime(source, (1, 1))
    record = Record(tmp_path)._path
    record.parent.mkdir(parents=True)
    record.write_bytes(b'{"target": "a.conllu", "size": 1\n\xff\n[]\n{"target": "a.c')
    assert Record(tmp_path).is_fresh(str(target), str(source))
    Record(tmp_path).note(str(target), os.stat(source))
    os.utime(source, (2, 2))  # still older than its result, but not what it was made of
    assert not Record(tmp_path).is_fresh(str(target), str(source))


@posix
def test_a_dozen_kills() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.hardening.faults",
            "--kills",
            "12",
            "--only",
            "parse",
            "one file",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
