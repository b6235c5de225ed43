"""`caesura parse` by example: files in, files out, and what can go wrong on the way."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caesura import cli, formats
from caesura.pipeline import Pipeline
from tests.pipeline.tiny import EXAMPLES, TEXT


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (folder / "deep" / "b.txt.gz").write_bytes(gzip.compress(TEXT[:200].encode()))
    (folder / "deep" / "c.jsonl").write_text('{"text":"A net that I can mend."}\n')
    (folder / "notes.pdf").write_bytes(b"%PDF\0")
    return folder


def test_conllu_goes_to_stdout(tiny_model: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.run(["parse", str(EXAMPLES / "harbour.txt"), "-m", str(tiny_model), "-q"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(b"# newdoc id = harbour\n# newpar\n# sent_id = harbour-1\n")
    assert err == b""


def test_stdin(
    tiny_model: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"The town does.")))
    assert cli.run(["parse", "-", "-m", str(tiny_model)]) == 0
    assert b"# text = The town does." in capfdbinary.readouterr().out


def test_a_folder_is_looked_through_and_can_be_resumed(
    tiny_model: Path, texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["parse", str(texts), "-m", str(tiny_model), "-o", f"{tmp_path / 'out'}/"]
    assert cli.run(call) == 0
    made = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert made == ["a.conllu", "deep/b.conllu", "deep/c.conllu"]
    told = "1 file was skipped (unknown extension): notes.pdf."
    assert capsys.readouterr().err.count(told) == 1
    (doc,) = formats.read(tmp_path / "out" / "a.conllu")
    assert doc.text.strip() == TEXT.strip()
    capsys.readouterr()
    (tmp_path / "out" / "a.conllu").unlink()
    assert cli.run([*call, "--resume"]) == 0
    assert "1 files" in (err := capsys.readouterr().err)
    assert "2 files were done already" in err
    assert (tmp_path / "out" / "a.conllu").exists()


def test_threads_change_nothing(tiny_model: Path, texts: Path, tmp_path: Path) -> None:
    for number in range(30):
        (texts / f"{number}.txt").write_text(TEXT[number * 7 :], encoding="utf-8")
    (texts / "long.txt").write_text(TEXT * 150, encoding="utf-8")
    results = []
    for threads in ("1", "2"):
        out = tmp_path / f"{threads}.jsonl"
        call = ["parse", str(texts), "-m", str(tiny_model), "-o", str(out), "--threads", threads]
        assert cli.run(call) == 0
        results.append(out.read_bytes())
    assert results[0] == results[1]


def folded(text: str) -> str:
    """A text without its spaces, which some formats do not hold."""
    return "".join(text.split())


@pytest.mark.parametrize("kind", ["conllx", "jsonl", "tokens", "text", "spans", "html"])
def test_any_format_comes_out(tiny: Pipeline, tiny_model: Path, tmp_path: Path, kind: str) -> None:
    """With all that it can hold."""
    out = tmp_path / "out"
    expected = tiny(TEXT)
    call = ["parse", str(EXAMPLES / "harbour.txt"), "-m", str(tiny_model), "--to", kind]
    assert cli.run([*call, "-o", str(out)]) == 0
    [found] = formats.read(out, kind)
    assert folded(found.text) == folded(expected.text)
    if kind not in ("text", "html"):
        assert [folded(s.text) for s in found.sentences] == [
            folded(s.text) for s in expected.sentences
        ]
    if kind in ("jsonl", "tokens", "spans"):
        assert [token.text for token in found.tokens] == [token.text for token in expected.tokens]
    if kind in ("conllx", "jsonl"):
        assert found.column("form") == expected.column("form")
        assert found.column("upos") == expected.column("upos")
        assert found.head.tolist() == expected.head.tolist()
        assert found.column("deprel") == expected.column("deprel")


@pytest.mark.parametrize("column", ["tags", "heads", "sentences"])
def test_what_the_input_has_is_kept(tiny_model: Path, tmp_path: Path, column: str) -> None:
    gold, out = EXAMPLES / "harbour.conllu", tmp_path / "out.conllu"
    call = ["parse", str(gold), "-m", str(tiny_model), f"--keep-{column}", "-o", str(out)]
    assert cli.run(call) == 0
    names = {"tags": "upos", "heads": "deprel", "sentences": "form"}
    before, after = next(formats.read(gold)), next(formats.read(out))
    if column == "sentences":
        assert before.n_sentences == after.n_sentences
    else:
        assert before.column(names[column]) == after.column(names[column])


def test_tokenised_text_keeps_its_tokens(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.tok").write_text("The harbour wakes no.4 .\n")
    out = tmp_path / "a.conllu"
    assert cli.run(["parse", str(tmp_path / "a.tok"), "-m", str(tiny_model), "-o", str(out)]) == 0
    assert next(formats.read(out)).column("form") == ["The", "harbour", "wakes", "no.4", "."]


def test_k_best_confidence_and_ranges(
    tiny_model: Path, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Nobody asks him why.")
    call = ["parse", str(tmp_path / "a.txt"), "-m", str(tiny_model)]
    assert cli.run([*call, "--k-best", "3"]) == 0
    out = capfdbinary.readouterr().out
    assert b"# newdoc id = a.1\n" in out
    assert b"# newdoc id = a.2\n" in out
    assert cli.run([*call, "--confidence", "--token-range"]) == 0
    out = capfdbinary.readouterr().out
    assert b"ArcConf=" in out
    assert b"TokenRange=0:6" in out


def test_lines_can_be_sentences(
    tiny_model: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "a.txt").write_text("mackerel 3.20\ncod 7.80\n")
    call = ["parse", str(tmp_path / "a.txt"), "-m", str(tiny_model), "--newline-is-boundary"]
    assert cli.run(call) == 0
    assert b"# text = cod 7.80\n" in capfdbinary.readouterr().out


# ------------------------------------------------------------------ mistakes


def test_one_bad_file_does_not_stop_the_rest(
    tiny_model: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    (tmp_path / "binary.txt").write_bytes(b"\x7fELF\0\0\0")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "good.txt").write_text("Nobody asks him why.")
    (tmp_path / "broken.conllu").write_text("1\tHi\n\n")
    names = ["latin.txt", "binary.txt", "gone.txt", "empty.txt", "broken.conllu", "good.txt"]
    call = ["parse", *(str(tmp_path / name) for name in names), "-m", str(tiny_model)]
    assert cli.run(call) == 1
    out, err = capfdbinary.readouterr()
    assert b"# text = Nobody asks him why." in out
    assert b"latin.txt:1:4: byte 0xe9 is not UTF-8 (byte 3 of the file)" in err
    assert b"binary.txt:1:5: there is a NUL character" in err
    assert b"gone.txt: there is no such file" in err
    assert b"broken.conllu:1: " in err
    assert cli.run([*call, "-o", f"{tmp_path / 'out'}/", "-q"]) == 1
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["empty.conllu", "good.conllu"]


def test_an_older_result_survives_when_every_file_fails(tiny_model: Path, tmp_path: Path) -> None:
    bad, target = tmp_path / "bad.txt", tmp_path / "out.conllu"
    bad.write_bytes(b"\xb5 no UTF-8")
    for older in (None, "precious"):
        if older is not None:
            target.write_text(older)
        assert cli.run(["parse", "-q", "-m", str(tiny_model), str(bad), "-o", str(target)]) == 1
        assert (target.read_text() if target.exists() else None) == older
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "out.conllu"]


def test_other_encodings(
    tiny_model: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    call = ["parse", str(tmp_path / "latin.txt"), "-m", str(tiny_model)]
    assert cli.run([*call, "--encoding", "latin-1"]) == 0
    assert "# text = café au lait".encode() in capfdbinary.readouterr().out
    assert cli.run([*call, "--errors", "replace"]) == 0
    assert "# text = caf\ufffd au lait".encode() in capfdbinary.readouterr().out
    assert cli.run([*call, "--encoding", "klingon"]) == 1
    assert b"there is no encoding 'klingon'" in capfdbinary.readouterr().err


def test_heads_that_contradict_each_other_are_told(
    tiny_model: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    rows = ["1\ta\t_\t_\t_\t_\t2\tx\t_\t_", "2\tb\t_\t_\t_\t_\t1\tx\t_\t_", "", ""]
    (tmp_path / "cycle.conllu").write_text("\n".join(rows))
    (tmp_path / "good.txt").write_text("Nobody asks him why.")
    files = [str(tmp_path / "cycle.conllu"), str(tmp_path / "good.txt")]
    assert cli.run(["parse", *files, "-m", str(tiny_model), "--keep-heads", "-q"]) == 1
    out, err = capfdbinary.readouterr()
    assert b"Nobody" in out
    assert b"cycle" in err


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--resume"], 2, "--resume needs a file for each input"),
        (["--to", "docx"], 2, "there is no format 'docx'"),
        (["--from", "docx"], 2, "there is no format 'docx'"),
        (["-o", "nowhere/out.conllu"], 1, "its directory does not exist"),
        (["--model", "nowhere"], 1, "there is no model 'nowhere'"),
    ],
)
def test_wrong_calls(
    tiny_model: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    said: str,
) -> None:
    call = ["parse", str(EXAMPLES / "harbour.txt"), "-m", str(tiny_model), *arguments]
    assert cli.run(call) == status
    assert said in capsys.readouterr().err


def test_results_do_not_overwrite_the_input(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.conllu").write_text((EXAMPLES / "harbour.conllu").read_text())
    call = ["parse", str(tmp_path / "a.conllu"), "-m", str(tiny_model), "-o", f"{tmp_path}/"]
    assert cli.run(call) == 2
    assert "both the input and the output" in capsys.readouterr().err


def test_the_stage_that_is_missing_is_named(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from caesura.models import load, save

    save(tmp_path / "t.caesura", {"tagger": load(tiny_model).parts["tagger"]})
    call = ["parse", str(EXAMPLES / "harbour.txt"), "-m", str(tmp_path / "t.caesura")]
    assert cli.run(call) == 1
    assert "this model has no parser (it holds: tagger)" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_target_that_cannot_be_written(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    out = tmp_path / "locked" / "a.conllu"
    call = ["parse", str(EXAMPLES / "harbour.txt"), "-m", str(tiny_model), "-o", str(out)]
    assert cli.run(call) == 1
    assert "cannot be written" in capsys.readouterr().err


def program(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "caesura", *arguments],
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
        **options,  # type: ignore[call-overload]
    )


def heed_interrupts() -> None:
    """A program started in the background ignores Ctrl-C, and so would those that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_one_sentence(tiny_model: Path) -> None:
    call = ["parse", str(EXAMPLES / "harbour.txt"), "-m", str(tiny_model), "-q"]
    with open("/dev/full", "wb") as full:
        run = program(*call, stdout=full)
        _, err = run.communicate(timeout=300)
    assert run.returncode == 1
    assert err == b"The output cannot be written (No space left on device).\n"
    run = program(*call, "-o", "/dev/full")
    _, err = run.communicate(timeout=300)
    assert run.returncode == 1
    assert err == b"/dev/full: cannot be written (No space left on device).\n"


@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
def test_an_interrupt_leaves_complete_sentences(tiny_model: Path, tmp_path: Path) -> None:
    """A text that goes on for ever, until Ctrl-C."""
    out = tmp_path / "out.conllu"
    with out.open("wb") as stream:
        run = program(
            "parse",
            "-",
            "-m",
            str(tiny_model),
            "--bias",
            "2",
            "-q",
            stdin=subprocess.PIPE,
            stdout=stream,
        )
        assert run.stdin is not None
        run.stdin.write((TEXT * 500).encode())
        run.stdin.flush()
        while run.poll() is None and not out.stat().st_size:
            run.stdin.write((TEXT * 50).encode())
            run.stdin.flush()
            time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        assert run.wait(timeout=300) == 130
    text = out.read_text(encoding="utf-8")
    assert text.endswith("\n\n")
    assert sum(doc.n_words for doc in formats.read(out)) > 100
