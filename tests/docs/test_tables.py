"""The tables of the documentation are those of the results, and the results are complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.papers.induction import published
from benchmarks.papers.induction.treebanks import TREEBANKS
from docs._build_tools import branching, documents, induction, joint, measured, tables

from caesura.models.file import Part, save

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", tables.PAGES)
def test_a_page_shows_the_results(page: str) -> None:
    """With every table of the results."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert set(tables.BLOCK.findall(text)) == set(tables.PAGES[page])
    missing = [file for file in measured.MODEL_FILES.values() if not file.exists()]
    if page != "README.md" or not missing:
        assert tables.fresh(page, text) == text, "run: python -m docs._build_tools.tables"


def test_all_tables_of_the_study_of_induction_are_generated() -> None:
    text = (ROOT / "docs/explanation/induction-results.md").read_text(encoding="utf-8")
    assert "\n|" not in tables.BLOCK.sub("", text)


def test_results_are_small_enough_to_be_read() -> None:
    for path in tables.RESULTS.glob("*.json"):
        assert path.stat().st_size < 400_000, path


def test_a_table_is_written_between_its_comments() -> None:
    rows = [{"treebank": "Here*", "rules": 50.0, "seconds": 3}, {"treebank": "mean", "rules": 1.25}]
    results = tables.Results(induction={"rules": rows})
    page = "docs/explanation/induction-results.md"
    text = tables.fresh(page, "a\n<!-- table rules -->\nold\n<!-- end -->\nb\n", results)
    assert text == (
        "a\n<!-- table rules -->\n\n"
        "| | rules |\n|---|---:|\n| Here\\* | 50.0 |\n| mean | 1.2 |\n\n"
        "<!-- end -->\nb\n"
    )


def test_other_figures_change_the_tables() -> None:
    found = tables.Results()["speed"]
    found["models"]["en-fast"]["memory"]["bytes used a transition"] = 123456
    text = measured.memory({"speed": found})
    assert "| bytes used a transition | 123,456 |" in text
    told = tables.Results()["workers"]
    told["models"]["en"][0]["words/CPU s"] = 123456
    assert "| 123,456 |" in measured.workers({"workers": told})


def test_learners_have_names_for_readers() -> None:
    assert measured.named("laso, 22 bits, 2 words ahead") == "LaSO, 2^22 rows, 2 words ahead"
    assert len({row["words"] for row in tables.Results()["learners"].values()}) == 1


def test_load_tests_have_no_undocumented_answer() -> None:
    for name in measured.SERVING:
        assert tables.Results()[name]["undocumented"] == {}


def test_a_missing_figure_of_a_card_is_a_dash(tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    save(path, {"rules": Part("rules")})
    assert measured.model_row("mine", path) == ["`mine`", *["–"] * 6, "0 MB"]
    more = {"speed_measured": {"times spaCy": 2.89}}
    for scores in ({"LAS": 88.81}, {"accurate": {"LAS": 88.81}, "fast": {"LAS": 1.0}}):
        save(path, {"rules": Part("rules")}, meta={"scores": scores, **more})
        assert measured.model_row("mine", path)[5:] == ["88.8", "2.9×", "0 MB"]


def test_a_difference_is_marked_where_the_test_says_so() -> None:
    rows = [{"system": name, "Starts*": 50.0} for name in joint.SYSTEMS]
    p = [
        {"system": "JOINT", "against": "labeller", "Starts* difference": 1.0, "Starts* p": 0.001},
        {"system": "JOINT", "against": "NOSYNTAX", "Starts* difference": 1.0, "Starts* p": 0.02},
        {"system": "JOINT", "against": "classifier", "Starts* difference": -1.0, "Starts* p": 0.0},
    ]
    one = {"untuned": rows, "tuned": rows, "untuned, p": p, "tuned, p": p}
    text = joint.TABLES["table3"]({"tables": {"EWT-speech": one}})
    assert "| EWT-speech, tuned | 50.00 | 50.00 | 50.00 | 50.00 | 50.00† |" in text
    text = joint.TABLES["table3_tests"]({"tables": {"EWT-speech": one}})
    assert "| EWT-speech, tuned | +1.00 (0.0010) | +1.00 (0.0200) | -1.00 (< 0.0001) |" in text


def test_seeds_are_shown_with_their_spread() -> None:
    parsers = {
        f"table5/CDT-Danish/{seed}": {
            "done": True,
            "rows": [{"search": "greedy", "LAS": 84.0 + seed, "UAS": 90.0}],
        }
        for seed in (1, 2, 3)
    }
    text = branching.TABLES["table5"]({"parsers": parsers})
    assert "| CDT-Danish | 3 | 86.00 ± 1.00 |" in text
    assert "Danish: 86.75, 87.27" in text


def test_models_are_compared_on_the_documents_that_both_have_parsed() -> None:
    metrics = ("Sentences", "UPOS", "LAS")
    whole = {metric: [90.0, 10.0, 92.0, 20.0, 94.0, 30.0] for metric in metrics}
    third = {metric: [91.0, 20.0] for metric in metrics}
    results = {"a": {"T": {"share": 1, "raw": whole}}, "b": {"T": {"share": 3, "raw": third}}}
    text = documents.TABLES["documents_models"](results)
    assert "| `a` − `b`, T | 2 | -0.50 (1.0000) |" in text


def test_growth_is_told_from_the_beam_and_from_its_logarithm() -> None:
    widths = (1, 2, 4, 8, 16, 32, 64)
    names = ["greedy", *(f"branching {width}" for width in widths[1:])]
    rows = [{"search": name, "evaluations": 10.0 * k} for k, name in enumerate(names)]
    rows.append({"search": "beam 16", "evaluations": 99.0})
    results = {"parsers": {"table5/CDT-Danish/1": {"rows": rows}}}
    assert "| beams up to 64 | 0.771 | 1.000 |" in branching.TABLES["fits"](results)
    assert "| ordinary beam search | 0.0 | | | | 99.0 | | |" in branching.TABLES["growth"](results)


def test_tables_of_their_own_show_what_the_papers_have() -> None:
    found = {name: 10.0 + k for k, name in enumerate(("strict", "loose", "sprawl"))}
    row: dict[str, object] = {"treebank": "Here", **found, "tear": 90.0, "thread": 91.0}
    row |= {f"{name} (literal)": 50.0 for name in found}
    row |= {f"R² {name}": 0.25 for name in ("head, direction", "fringe, direction")}
    row |= {"R² head, fringe, direction": 0.5}
    text = induction.table("constraints", [row])
    here = (
        "| Here | 10.0 (50.0) | 11.0 (50.0) | 12.0 (50.0) | 90.0 | 91.0 | 0.250 | 0.250 | 0.500 |"
    )
    assert here in text
    said = {"treebank": "WSJ", "dmv": 1.0, "dbm1": 2.0, "dbm3": "–", "+sprawl": "–"}
    other = {"treebank": "Greek", "dmv": 3.0, "dbm1": 4.0, "dbm3": 5.0, "+sprawl": 6.0}
    paper = {"paper": "1.0 2.0 3.0 4.0 5.0"}
    lines = induction.table("models", [said | paper, other]).splitlines()
    assert lines[2] == "| WSJ | 1.0 | 2.0 | – | – | 1.0, 2.0, 5.0 |"
    assert lines[-1] == "| mean of Universal Dependencies | 3.0 | 4.0 | 5.0 | 6.0 | |"


def test_table_6_stands_beside_the_paper_column_by_column() -> None:
    rows = tables.Results()["induction"]["table6"]
    for name in ("WSJ", "CDT-Danish", "CoNLL-Spanish", "CoNLL2007-Basque"):
        mine = {row["of"]: row for row in rows if row["treebank"] == name}
        paper = published.S11[TREEBANKS[name].published]
        assert tuple(mine["paper"][column] for column in published.S11_COLUMNS) == paper
        for column in published.S11_COLUMNS:
            assert mine["ours"][column] <= mine["ours, undirected"][column]


def test_rows_of_a_treebank_without_labels_say_uas() -> None:
    text = (ROOT / "docs/explanation/joint-results.md").read_text(encoding="utf-8")
    rows = text.split("## Table 4")[1].split("## Figure 3")[0].splitlines()
    unlabelled = [row for row in rows if row.startswith("| WSJ-sample")]
    assert len(unlabelled) == 8
    assert all("(UAS)" in row for row in unlabelled)
    assert not any("(UAS)" in row for row in set(rows) - set(unlabelled))
