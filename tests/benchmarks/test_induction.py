"""The papers' figures and how they are averaged, and the small tables of the benchmark."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.reference.grammars import made_up

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("induction_study.published")


def test_averages_of_2012(study: ModuleType) -> None:
    """Arabic, Chinese, Czech and Turkish, of both years, weigh a half in each."""
    assert len(study.S12) == 23
    expected = (33.59, 40.69, 41.69, 42.19, 42.91, 51.93)
    assert study.average(study.S12) == pytest.approx(expected, abs=0.005)


def test_averages_of_2011(study: ModuleType) -> None:
    assert len(study.S11) == 21
    expected = (23.36, 24.01, 31.91, 32.86, 31.91, 32.63, 32.64, 33.16)
    assert study.average(study.S11) == pytest.approx(expected, abs=0.005)


def test_languages_weigh_the_same(study: ModuleType) -> None:
    assert study.weighted_mean(["Basque", "Greek", "Basque"], [10, 40, 30]) == 30


def test_every_treebank_names_a_published_row(study: ModuleType) -> None:
    treebanks = importlib.import_module("induction_study.treebanks").TREEBANKS
    for treebank in treebanks.values():
        assert treebank.published in study.S12
        assert treebank.published.split()[0] == treebank.language


def test_the_picture_of_speed(study: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    speed = importlib.import_module("induction_study.speed")
    rows = [
        {"model": m, "constraint": "none", "length": n, "E-step": 1000 // n, "best": 2000 // n}
        for m in ("dmv", "dbm3")
        for n in (5, 10)
    ]
    speed.draw(rows, str(tmp_path / "cubic.svg"))
    assert (tmp_path / "cubic.svg").stat().st_size > 0


def test_tables_of_the_page_are_what_was_measured(study: ModuleType) -> None:
    pages = importlib.import_module("induction_pages")
    results = json.loads(pages.RESULTS.read_text(encoding="utf-8"))
    text = pages.PAGE.read_text(encoding="utf-8")
    assert set(pages.BLOCK.findall(text)) == set(results)
    # A table that nobody measures stands between no comments.
    bare = re.sub(pages.BLOCK, "", text)
    assert not re.search(r"^\|", bare, re.MULTILINE)
    assert pages.page(text, results) == text


def test_a_table_is_written_between_its_comments(study: ModuleType) -> None:
    pages = importlib.import_module("induction_pages")
    rows = [{"treebank": "Here*", "rules": 50.0, "seconds": 3}, {"treebank": "mean", "rules": 1.25}]
    text = pages.page("a\n<!-- table one -->\nold\n<!-- end -->\nb\n", {"one": rows})
    assert text == (
        "a\n<!-- table one -->\n\n"
        "| | rules |\n| --- | --- |\n| Here\\* | 50.0 |\n| mean | 1.2 |\n\n"
        "<!-- end -->\nb\n"
    )


def test_tables_of_their_own_show_what_the_papers_have(study: ModuleType) -> None:
    tables = importlib.import_module("induction_study.page_tables").TABLES
    found = {name: 10.0 + k for k, name in enumerate(("strict", "loose", "sprawl"))}
    row: dict[str, object] = {"treebank": "Here", **found, "tear": 90.0, "thread": 91.0}
    row |= {f"{name} (literal)": 50.0 for name in found}
    row |= {f"R² {name}": 0.25 for name in ("head, direction", "fringe, direction")}
    row |= {"R² head, fringe, direction": 0.5}
    text = tables["constraints"]([row])
    here = (
        "| Here | 10.0 (50.0) | 11.0 (50.0) | 12.0 (50.0) | 90.0 | 91.0 | 0.250 | 0.250 | 0.500 |"
    )
    assert here in text
    said = {"treebank": "WSJ", "dmv": 1.0, "dbm1": 2.0, "dbm3": "–", "+sprawl": "–"}
    other = {"treebank": "Greek", "dmv": 3.0, "dbm1": 4.0, "dbm3": 5.0, "+sprawl": 6.0}
    paper = {"paper": "1.0 2.0 3.0 4.0 5.0"}
    lines = tables["models"]([said | paper, other]).splitlines()
    assert lines[2] == "| WSJ | 1.0 | 2.0 | – | – | 1.0, 2.0, 5.0 |"
    assert lines[-1] == "| mean of Universal Dependencies | 3.0 | 4.0 | 5.0 | 6.0 | |"


def test_table_6_stands_beside_the_paper_column_by_column(study: ModuleType) -> None:
    pages = importlib.import_module("induction_pages")
    rows = json.loads(pages.RESULTS.read_text(encoding="utf-8"))["table6"]
    treebanks = importlib.import_module("induction_study.treebanks").TREEBANKS
    for name in ("WSJ", "CDT-Danish", "CoNLL-Spanish", "CoNLL2007-Basque"):
        mine = {row["of"]: row for row in rows if row["treebank"] == name}
        paper = study.S11[treebanks[name].published]
        assert tuple(mine["paper"][column] for column in study.S11_COLUMNS) == paper
        for column in study.S11_COLUMNS:
            assert mine["ours"][column] <= mine["ours, undirected"][column]


def test_function_words_become_heads(study: ModuleType) -> None:
    turned = importlib.import_module("induction_study.function_heads").turned
    words = ["we", "know", "that", "he", "had", "been", "in", "the", "house"]
    relations = ["nsubj", "root", "mark", "nsubj", "aux", "cop", "case", "det", "ccomp"]
    heads = [words[head] for head in turned([1, -1, 8, 8, 8, 8, 8, 8, 1], relations)[2:]]
    assert heads == ["know", "had", "that", "had", "been", "house", "in"]
    # A dependent from which the new head parts the old one goes with the new head.
    assert turned([2, 2, -1], ["advmod", "aux", "root"]) == [1, -1, 1]
    assert turned([2, 2, -1], ["aux", "advmod", "root"]) == [-1, 2, 0]


def test_a_treebank_is_cut_to_so_many_sentences(study: ModuleType) -> None:
    cut = importlib.import_module("induction_study.kept").first_sentences
    documents = made_up(25)
    whole = sum(doc.n_sentences for doc in documents)
    for most in (1, 3, whole, whole + 1):
        found = cut(documents, most)
        assert sum(doc.n_sentences for doc in found) == min(most, whole)
    assert cut(documents, whole)[-1].column("form") == documents[-1].column("form")


@pytest.mark.parametrize("name", ["Hungarian-Szeged", "Greek-GDT", "CoNLL2007-Basque"])
def test_the_tutorial_reaches_what_the_table_says(
    study: ModuleType, data_dir: Path, name: str
) -> None:
    """Without tags and options; `--heads any` where function words are heads."""
    raw_text = importlib.import_module("induction_study.raw_text")
    bench = importlib.import_module("induction_study.treebanks").Bench(name, data_dir)
    row = raw_text.tutorial(bench)
    assert row["tutorial"] == pytest.approx(row["table"], abs=1.0)
    assert row["above the chain"]
