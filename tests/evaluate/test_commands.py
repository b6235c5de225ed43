"""The commands: `evaluate`, `compare` and `align` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.cli import run
from caesura.formats import write
from tests.evaluate.making import document

HEADS = [2, 0, 2, 2, 2, 0, 2]
LABELS = ["nsubj", "root", "obj", "punct", "nsubj", "root", "punct"]
TAGS = ["PRON", "VERB", "PRON", "PUNCT", "PRON", "VERB", "PUNCT"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold and two systems over two documents."""
    monkeypatch.chdir(tmp_path)

    def docs(heads: list[int], tags: list[str]) -> list:  # type: ignore[type-arg]
        return [
            document("She sees him . | He runs .", heads, deprel=LABELS, upos=tags, id=f"d-{i}")
            for i in range(3)
        ]

    write(docs(HEADS, TAGS), "gold.conllu")
    write(docs([2, 0, 2, 3, 2, 0, 2], TAGS), "one.conllu")
    write(docs([0, 1, 2, 2, 0, 1, 2], ["NOUN", *TAGS[1:]]), "two.conllu")
    return tmp_path


def test_evaluate_prints_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "gold.conllu", "one.conllu", "--by", "label", "--confusions"]) == 0
    shown = capsys.readouterr().out
    assert "LAS" in shown
    assert "by label" in shown
    assert "attached rightly" in shown


def test_evaluate_prints_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "gold.conllu", "one.conllu", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["LAS"]["f1"] == pytest.approx(100 * 6 / 7)
    assert found["Sentences"] == {
        "precision": 100,
        "recall": 100,
        "f1": 100,
        "gold": 6,
        "system": 6,
        "correct": 6,
    }


def test_tuples_and_mismatches(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "gold.conllu", "one.conllu", "--tuples", "gold"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "0\t3\tTOK" in lines
    assert "0\t3\tDEP:nsubj\t4\t8" in lines
    (folder / "gold.tuples").write_text("\n".join(lines))
    assert run(["evaluate", "gold.conllu", "one.conllu", "--mismatches"]) == 0
    found = capsys.readouterr().out.splitlines()
    assert found[0].startswith("-\t13\t14\tDEP:punct\t4\t8")
    assert found[1].startswith("+\t13\t14\tDEP:punct\t9\t12")
    assert len(found) == 6


def test_either_side_may_have_any_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "raw.txt").write_text("She sees him. He runs.")
    (folder / "gold.mrg").write_text(
        "(TOP (S (NP (PRP She)) (VP (VBZ sees) (NP (PRP him))) (. .)))\n"
        "(TOP (S (NP (PRP He)) (VP (VBZ runs)) (. .)))\n"
    )
    (folder / "system.tok").write_text("She sees him .\nHe runs .\n")
    (folder / "system.tuples").write_text("0 13 SENT\n14 22 SENT\n0 3 TOK\n4 8 TOK\n9 13 TOK\n")
    assert run(["evaluate", "gold.mrg", "system.tok", "--text", "raw.txt", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["Tokens"]["f1"] == found["Sentences"]["f1"] == 100
    call = ["evaluate", "gold.mrg", "system.tuples", "--text", "raw.txt", "--json"]
    assert run(call) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["Tokens"]["correct"] == 2


def test_stages_tell_what_each_layer_costs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["evaluate", "gold.conllu", "two.conllu", "--from-tokens", "one.conllu", "--json"]
    assert run(call) == 0
    losses = json.loads(capsys.readouterr().out)["losses"]
    assert losses["stages"] == ["raw", "tokens"]
    assert losses["lost"]["LAS"]["sentences and tokens"] > 0


def test_induced_grammars(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "gold.conllu", "one.conllu", "--induced", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["Directed"]["gold"] == 15


def test_compare_tests_every_pair(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["compare", "gold.conllu", "one.conllu", "b=two.conllu", "--samples", "200"]
    assert run([*call, "--html", "page.html"]) == 0
    shown = capsys.readouterr().out
    assert "b against one" in shown
    assert "over 3 documents" in shown
    assert "</svg>" in (folder / "page.html").read_text(encoding="utf-8")
    assert run([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["systems"]) == {"one", "b"}
    assert {test["metric"] for test in found["tests"]} >= {"LAS", "Sentences"}


@pytest.mark.parametrize(
    ("text", "extra", "unit"),
    [
        ("She sees him . | He runs .", (), "document"),
        ("She sees him .", (), "document"),
        ("She sees him .", ("--unit", "sentence"), "sentence"),
    ],
)
def test_one_document_or_one_sentence_has_a_difference_but_no_test(
    text: str,
    extra: tuple[str, ...],
    unit: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, heads in (("gold", HEADS), ("one", [2, 0, 2, 3, *HEADS[4:]]), ("two", HEADS)):
        size = len(text.replace("|", " ").split())
        docs = [document(text, heads[:size], deprel=LABELS[:size], upos=TAGS[:size])]
        write(docs, f"{name}.conllu")
    call = ["compare", "gold.conllu", "one.conllu", "two.conllu", *extra]
    assert run([*call, "--html", "page.html"]) == 0
    shown = capsys.readouterr().out
    las = next(line for line in shown.splitlines() if line.split()[:1] == ["LAS"] and "–" in line)
    assert las.split()[1].startswith("+")
    told = f"no test can be made: gold has 1 {unit} to count, and a test needs two"
    assert told in shown
    assert ("--unit sentence" in shown) is (unit == "document")
    assert told in (folder / "page.html").read_text(encoding="utf-8")
    assert run([*call, "--json"]) == 0
    tests = json.loads(capsys.readouterr().out)["tests"]
    found = next(test for test in tests if test["metric"] == "LAS")
    assert found["difference"] > 0
    assert found["units"] == 1
    assert found["p_wilcoxon"] is found["confidence_interval"] is None


def test_a_metric_with_nothing_to_count_does_not_stop_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Documents of one sentence have no starts but their own."""
    for name, heads in (("gold", [2, 0, 2]), ("one", [0, 1, 2]), ("two", [2, 0, 2])):
        write([document("She sees him", heads, id=f"d{i}") for i in range(3)], f"{name}.conllu")
    assert run(["compare", "gold.conllu", "one.conllu", "two.conllu", "--samples", "200"]) == 0
    shown = capsys.readouterr().out
    assert "over 3 documents" in shown
    assert "no test of Starts: gold has no documents to count" in shown


def test_the_cross_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["compare", "gold.conllu", "s+t+p=one.conllu", "s+t+q=two.conllu", "--cross", "LAS"]
    assert run(call) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["LAS", "p", "q"]
    assert row.split()[:3] == ["s", "+", "t"]


def test_align_writes_token_ranges(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "raw.txt").write_text("She  sees him.\n\nHe runs.\n" * 3)
    assert run(["align", "gold.conllu", "--text", "raw.txt", "-o", "placed.conllu"]) == 0
    assert "21 of 21 tokens are in the text" in capsys.readouterr().err
    text = (folder / "placed.conllu").read_text()
    assert "TokenRange=5:9" in text
    assert "TokenRange=16:18" in text


@pytest.mark.parametrize(
    ("call", "status", "said"),
    [
        (["evaluate", "gold.conllu", "other.conllu"], 1, "different documents"),
        (["evaluate", "gold.conllu", "nothing.conllu"], 1, "nothing.conllu"),
        (["evaluate", "empty.conllu", "one.conllu"], 1, "gold has no tokens"),
        (["evaluate", "gold.conllu", "nine.conllu"], 1, "nine.conllu:1"),
        (["evaluate", "gold.conllu", "one.conllu", "--level", "x"], 2, "Invalid value"),
        (["evaluate", "gold.conllu", "one.conllu", "--param", "bad.prm"], 1, "bad.prm:1"),
        (["compare", "gold.conllu", "one.conllu", "--metric", "XYZ"], 2, "Metrics are"),
        (["evaluate", "gold.conllu", "x.tuples"], 1, "nothing without their text"),
        (["align", "gold.conllu", "--text", "latin.txt"], 1, "not UTF-8"),
    ],
)
def test_bad_calls_and_bad_input(
    call: list[str],
    status: int,
    said: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = " ".join(f"xyzzy{i}" for i in range(40))
    write([document(words, heads=[0, *range(1, 40)])], "other.conllu")
    (folder / "empty.conllu").write_text("")
    (folder / "nine.conllu").write_text("1\tA\ta\tX\t_\t_\t0\troot\t_\n\n")
    (folder / "bad.prm").write_text("WRONG 1\n")
    (folder / "x.tuples").write_text("0 3 TOK\n")
    (folder / "latin.txt").write_bytes(b"caf\xe9 au lait\n")
    assert run(call) == status
    assert said in capsys.readouterr().err


def test_an_empty_system_is_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty.conllu").write_text("")
    assert run(["evaluate", "gold.conllu", "empty.conllu"]) == 0
    assert "output is empty" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("deps", "head"),
    [("9:obj", "9"), ("2:obj|9:conj", "9"), ("1.1:obj", "1.1"), ("x:obj", "x"), ("-1:obj", "-1")],
)
def test_an_enhanced_head_that_does_not_exist_is_bad_input(
    deps: str, head: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("She", "2:nsubj"), ("sees", "0:root"), ("him", "2:obj")]

    def written(last: str) -> str:
        lines = ["# sent_id = s1", "1\tHi\thi\tX\t_\t_\t0\troot\t0:root\t_", ""]
        lines.append("# sent_id = s2")
        for number, (form, own) in enumerate(rows, start=1):
            value = last if number == 3 else own
            lines.append(f"{number}\t{form}\t_\tX\t_\t_\t{0 if number == 2 else 2}\tx\t{value}\t_")
        return "\n".join([*lines, "", ""])

    (folder / "deps.conllu").write_text(written("2:obj"))
    (folder / "wrong.conllu").write_text(written(deps))
    assert run(["evaluate", "deps.conllu", "deps.conllu"]) == 0
    capsys.readouterr()
    for call in (["deps.conllu", "wrong.conllu"], ["wrong.conllu", "deps.conllu"]):
        assert run(["evaluate", *call]) == 1
        told = capsys.readouterr().err
        assert told.startswith(f"wrong.conllu:7: DEPS is '{deps}'")
        assert f"no word or empty node '{head}'" in told
        assert "sent_id s2" in told


def test_an_enhanced_head_of_thousands_of_digits_is_bad_input(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deps = "9" * 5000 + ":obj"
    (folder / "wrong.conllu").write_text(f"1\tHi\thi\tX\t_\t_\t0\troot\t{deps}\t_\n\n")
    assert run(["evaluate", "wrong.conllu", "wrong.conllu"]) == 1
    assert "wrong.conllu:1: DEPS is '9999" in capsys.readouterr().err


def test_an_enhanced_head_of_an_empty_node_must_exist_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = "1\tHi\thi\tX\t_\t_\t0\troot\t1.1:x\t_"
    (folder / "wrong.conllu").write_text(f"{row}\n1.1\tho\tho\tX\t_\t_\t_\t_\t7:conj\t_\n\n")
    assert run(["evaluate", "wrong.conllu", "wrong.conllu"]) == 1
    assert capsys.readouterr().err.startswith("wrong.conllu:2: DEPS is '7:conj'")
