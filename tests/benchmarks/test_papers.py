"""The jobs of the papers' tables: the list, the runner, and what is made of their files."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def papers() -> Iterator[ModuleType]:
    """The benchmark as Python finds it when its file is run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield importlib.import_module("papers")


def test_a_job_needs_only_jobs_before_it(papers: ModuleType) -> None:
    seen: set[str] = set()
    for job in papers.JOBS.values():
        assert set(job.needs) <= seen, job.name
        seen.add(job.name)
    assert len({job.file for job in papers.JOBS.values()}) == len(papers.JOBS)


def test_the_grid_of_figure_4_is_whole(papers: ModuleType) -> None:
    grid = [
        name for name in papers.JOBS if name.startswith("figure4/GUM-speech") and name[-1] == "1"
    ]
    long = [name for name in grid if "/long/" in name]
    assert len(grid) == 5 * 2 * 2 + len(long)
    assert len(long) == 3
    for update in ("dlaso", "laso", "greedy"):
        for seed in (1, 2, 3):
            assert f"figure4/EWT-speech/chunks/{update}/perceptron/{seed}" in papers.JOBS


def test_a_curve_is_written_epoch_by_epoch(papers: ModuleType, tmp_path: Path) -> None:
    jobs = importlib.import_module("papers_study.jobs")
    harbour = str(ROOT / "examples/harbour.conllu")
    settings: dict[str, Any] = {"treebank": harbour, "epochs": 2, "folds": 2, "bits": 12}
    job = jobs.Job(
        "figure4/harbour/chunks/laso/perceptron/1", "curve", settings | {"update": "laso"}
    )
    (tmp_path / "cache").mkdir()
    papers.one(job, tmp_path, tmp_path / "cache", ROOT)
    told = json.loads((tmp_path / job.file).read_text())
    assert told["done"]
    assert [row["epoch"] for row in told["rows"]] == [1, 2]
    assert all(0 <= row["LAS"] <= 100 for row in told["rows"])
    assert papers.is_done(tmp_path, job)


def test_a_job_whose_need_failed_is_not_run(
    papers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = importlib.import_module("papers_study.jobs")
    first = jobs.Job("tags/nowhere", "tags", {"treebank": "nowhere"})
    second = jobs.Job("figure4/nowhere", "curve", {}, ("tags/nowhere",))
    started: list[str] = []

    class Failing:
        returncode = 1

        def __init__(self, command: list[str], **more: Any) -> None:
            started.append(command[3])

        def poll(self) -> int:
            return 1

    monkeypatch.setattr(papers.subprocess, "Popen", Failing)
    monkeypatch.setattr(papers.time, "sleep", lambda seconds: None)
    assert papers.run([first, second], 2, tmp_path, tmp_path, tmp_path) == 2
    assert started == ["tags/nowhere"]


def test_curves_are_drawn_by_figure_and_metric(papers: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw = importlib.import_module("papers_study.draw").draw
    rows = [{"epoch": n, "Starts*": 10.0 * n, "LAS": 20.0 * n, "share": 0.5} for n in (1, 2)]
    chains = [{key: row[key] for key in ("epoch", "Starts*")} for row in rows]
    curves = {"figure4/T/whole/laso/pa/1": {"rows": rows}, "figure6/T/nosyntax/1": {"rows": chains}}
    written = {path.name for path in draw(tmp_path, curves)}
    assert written == {
        "figure4-T-starts.svg",
        "figure4-T-las.svg",
        "figure4-T-share.svg",
        "figure6-T-starts.svg",
    }
    assert all((tmp_path / name).stat().st_size > 0 for name in written)


def _curve(name: str, starts: list[int], arcs: list[int]) -> dict[str, Any]:
    counts = [[s, 10, 10, 20, a] for s, a in zip(starts, arcs, strict=True)]
    row = {
        "epoch": 1,
        "Starts*": 10.0 * sum(starts) / len(starts),
        "LAS": 5.0 * sum(arcs) / len(arcs),
    }
    return {
        "job": name,
        "kind": "curve",
        "done": True,
        "settings": {},
        "rows": [row],
        "counts": counts,
    }


def test_updates_are_tested_over_documents(papers: ModuleType, tmp_path: Path) -> None:
    collect = importlib.import_module("papers_study.collect")
    better, worse = [5, 6, 7, 8, 9, 9, 9, 9], [4, 5, 6, 7, 8, 8, 8, 8]
    for update, scores in (("dlaso", better), ("early", worse)):
        name = f"figure4/T/whole/{update}/pa/1"
        told = _curve(name, scores, scores)
        (tmp_path / f"{update}.json").write_text(json.dumps(told))
    found = collect.collect(tmp_path)
    joint, branching = found["joint"], found["branching"]
    (test,) = joint["tests"]["updates"].values()
    assert (test["update"], test["against"], test["seeds"]) == ("dlaso", "early", 1)
    assert test["Starts* difference"] == 10.0
    assert test["LAS difference"] == 5.0
    assert test["LAS p"] == pytest.approx(2 / 2**8, abs=1e-5)
    assert set(joint["curves"]) == {f"figure4/T/whole/{u}/pa/1" for u in ("dlaso", "early")}
    assert branching == {"parsers": {}, "tests": {}, "speed": {}, "training": {}}


def test_older_results_stay_where_there_is_nothing_newer(papers: ModuleType) -> None:
    collect = importlib.import_module("papers_study.collect")
    old = {"tables": {"A": 1, "B": 2}, "confidence": 3, "tests": {"C": 5}}
    assert collect.merged(old, {"tables": {"B": 4}, "tests": {}}) == {
        "tables": {"A": 1, "B": 4},
        "confidence": 3,
        "tests": {"C": 5},
    }


@pytest.fixture(scope="module")
def pages(papers: ModuleType) -> ModuleType:
    return importlib.import_module("papers_pages")


def test_tables_of_the_pages_are_what_was_measured(pages: ModuleType) -> None:
    for page, (source, tables) in pages.PAGES.items():
        text = (pages.FOLDER / page).read_text(encoding="utf-8")
        shown = pages.BLOCK.findall(text)
        assert shown, page
        assert set(shown) <= set(tables), page
        assert pages.fresh(page, text) == text, page
        assert pages.RESULTS[source].stat().st_size < 400_000


def test_every_table_of_the_results_is_on_a_page(pages: ModuleType) -> None:
    for source in pages.RESULTS:
        own = [page for page, (name, _) in pages.PAGES.items() if name == source]
        texts = [(pages.FOLDER / page).read_text(encoding="utf-8") for page in own]
        shown = {name for text in texts for name in pages.BLOCK.findall(text)}
        assert shown == set(pages.PAGES[own[0]][1])


def test_a_difference_is_marked_where_the_test_says_so(pages: ModuleType) -> None:
    tables = importlib.import_module("papers_study.joint_tables")
    rows = [{"system": name, "Starts*": 50.0} for name in tables.SYSTEMS]
    p = [
        {"system": "JOINT", "against": "labeller", "Starts* difference": 1.0, "Starts* p": 0.001},
        {"system": "JOINT", "against": "NOSYNTAX", "Starts* difference": 1.0, "Starts* p": 0.02},
        {"system": "JOINT", "against": "classifier", "Starts* difference": -1.0, "Starts* p": 0.0},
    ]
    one = {"untuned": rows, "tuned": rows, "untuned, p": p, "tuned, p": p}
    text = tables.TABLES["table3"]({"tables": {"EWT-speech": one}})
    assert "| EWT-speech, tuned | 50.00 | 50.00 | 50.00 | 50.00 | 50.00† |" in text
    tests = tables.TABLES["table3_tests"]({"tables": {"EWT-speech": one}})
    assert "| EWT-speech, tuned | +1.00 (0.0010) | +1.00 (0.0200) | -1.00 (< 0.0001) |" in tests


def test_seeds_are_shown_with_their_spread(pages: ModuleType) -> None:
    tables = importlib.import_module("papers_study.branching_tables")
    parsers = {
        f"table5/CDT-Danish/{seed}": {
            "done": True,
            "rows": [{"search": "greedy", "LAS": 84.0 + seed, "UAS": 90.0}],
        }
        for seed in (1, 2, 3)
    }
    text = tables.TABLES["table5"]({"parsers": parsers})
    assert "| CDT-Danish | 3 | 86.00 ± 1.00 |" in text
    assert "Danish: 86.75, 87.27" in text


def test_models_are_compared_on_the_documents_that_both_have_parsed(pages: ModuleType) -> None:
    tables = importlib.import_module("papers_study.loss_tables")
    metrics = ("Sentences", "UPOS", "LAS")
    whole = {metric: [90.0, 10.0, 92.0, 20.0, 94.0, 30.0] for metric in metrics}
    third = {metric: [91.0, 20.0] for metric in metrics}
    results = {"a": {"T": {"share": 1, "raw": whole}}, "b": {"T": {"share": 3, "raw": third}}}
    text = tables.TABLES["documents_models"](results)
    assert "| `a` − `b`, T | 2 | -0.50 (1.0000) |" in text


def test_results_are_written_row_by_row(pages: ModuleType) -> None:
    store = importlib.import_module("papers_study.store")
    text = store.dumped({"rows": [{"a": 1 / 3, "b": [1, 2]}, {"a": 2.0}]})
    assert json.loads(text) == {"rows": [{"a": 0.33333, "b": [1, 2]}, {"a": 2.0}]}
    assert '{ "a": 2.0 }' in text


def test_transitions_are_binned_by_length_and_fitted_by_a_line(papers: ModuleType) -> None:
    in_tens = importlib.import_module("papers_study.branching_jobs").in_tens
    rows = [{"length": n, "sentences": n, "transitions": 2.0 * n - 1} for n in (5, 10, 11, 30)]
    found = in_tens(rows)
    assert [row["length"] for row in found["bins"]] == ["1-10", "11-20", "21-30"]
    assert found["bins"][0]["sentences"] == 15
    assert found["bins"][0]["words"] == round((5 * 5 + 10 * 10) / 15, 2)
    assert (found["slope"], found["r2"]) == (2.0, 1.0)


def test_growth_is_told_from_the_beam_and_from_its_logarithm(pages: ModuleType) -> None:
    tables = importlib.import_module("papers_study.branching_figures").TABLES
    widths = (1, 2, 4, 8, 16, 32, 64)
    names = ["greedy", *(f"branching {width}" for width in widths[1:])]
    rows = [{"search": name, "evaluations": 10.0 * k} for k, name in enumerate(names)]
    rows.append({"search": "beam 16", "evaluations": 99.0})
    results = {"parsers": {"table5/CDT-Danish/1": {"rows": rows}}}
    assert "| beams up to 64 | 0.771 | 1.000 |" in tables["fits"](results)
    assert "| ordinary beam search | 0.0 | | | | 99.0 | | |" in tables["growth"](results)


def test_the_templates_of_the_papers_are_ours_less_what_was_added(papers: ModuleType) -> None:
    """A template that is added to ours one day is not the papers'."""
    templates = importlib.import_module("papers_study.templates")
    assert (len(templates.JOINT_TEMPLATES), len(templates.BRANCHING_TEMPLATES)) == (116, 68)
    assert not any("break" in line or ".c" in line for line in templates.JOINT_TEMPLATES)
