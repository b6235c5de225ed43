"""The jobs of the papers' tables: the list, the runner, and what is made of their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.papers import __main__ as papers
from benchmarks.papers import branching, collect, jobs, templates
from benchmarks.papers.joint.data import open_data
from benchmarks.papers.joint.jobs import settings
from benchmarks.papers.joint.switchboard import dialogue
from benchmarks.papers.joint.systems import best_threshold
from benchmarks.papers.joint.tables import calibration, tables

from caesura.document import YES

ROOT = Path(__file__).resolve().parents[2]


def test_a_job_needs_only_jobs_before_it() -> None:
    seen: set[str] = set()
    for job in papers.JOBS.values():
        assert set(job.needs) <= seen, job.name
        seen.add(job.name)
    assert len({job.file for job in papers.JOBS.values()}) == len(papers.JOBS)


def test_the_grid_of_figure_4_is_whole() -> None:
    grid = [
        name for name in papers.JOBS if name.startswith("figure4/GUM-speech") and name[-1] == "1"
    ]
    long = [name for name in grid if "/long/" in name]
    assert len(grid) == 5 * 2 * 2 + len(long)
    assert len(long) == 3
    for update in ("dlaso", "laso", "greedy"):
        for seed in (1, 2, 3):
            assert f"figure4/EWT-speech/chunks/{update}/perceptron/{seed}" in papers.JOBS


def test_a_curve_is_written_epoch_by_epoch(tmp_path: Path) -> None:
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = jobs.Job("tags/nowhere", "tags", {"treebank": "nowhere"})
    second = jobs.Job("figure4/nowhere", "curve", {}, ("tags/nowhere",))
    started: list[str] = []

    class Failing:
        returncode = 1

        def __init__(self, command: list[str], **more: Any) -> None:
            started.append(command[4])

        def poll(self) -> int:
            return 1

    monkeypatch.setattr(papers.subprocess, "Popen", Failing)
    monkeypatch.setattr(papers.time, "sleep", lambda seconds: None)
    assert papers.run([first, second], 2, tmp_path, tmp_path, tmp_path) == 2
    assert started == ["tags/nowhere"]


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


def test_updates_are_tested_over_documents(tmp_path: Path) -> None:
    better, worse = [5, 6, 7, 8, 9, 9, 9, 9], [4, 5, 6, 7, 8, 8, 8, 8]
    for update, scores in (("dlaso", better), ("early", worse)):
        name = f"figure4/T/whole/{update}/pa/1"
        told = _curve(name, scores, scores)
        (tmp_path / f"{update}.json").write_text(json.dumps(told))
    found = collect.collect(tmp_path)
    joint = found["joint"]
    (test,) = joint["tests"]["updates"].values()
    assert (test["update"], test["against"], test["seeds"]) == ("dlaso", "early", 1)
    assert test["Starts* difference"] == 10.0
    assert test["LAS difference"] == 5.0
    assert test["LAS p"] == pytest.approx(2 / 2**8, abs=1e-5)
    assert set(joint["curves"]) == {f"figure4/T/whole/{u}/pa/1" for u in ("dlaso", "early")}
    assert found["branching"] == {"parsers": {}, "tests": {}, "speed": {}, "training": {}}


def test_older_results_stay_where_there_is_nothing_newer() -> None:
    old = {"tables": {"A": 1, "B": 2}, "confidence": 3, "tests": {"C": 5}}
    assert collect.merged(old, {"tables": {"B": 4}, "tests": {}}) == {
        "tables": {"A": 1, "B": 4},
        "confidence": 3,
        "tests": {"C": 5},
    }


def test_transitions_are_binned_by_length_and_fitted_by_a_line() -> None:
    rows = [{"length": n, "sentences": n, "transitions": 2.0 * n - 1} for n in (5, 10, 11, 30)]
    found = branching.in_tens(rows)
    assert [row["length"] for row in found["bins"]] == ["1-10", "11-20", "21-30"]
    assert found["bins"][0]["sentences"] == 15
    assert found["bins"][0]["words"] == round((5 * 5 + 10 * 10) / 15, 2)
    assert (found["slope"], found["r2"]) == (2.0, 1.0)


def test_the_templates_of_the_papers_are_ours_less_what_was_added() -> None:
    """A template that is added to ours one day is not the papers'."""
    assert (len(templates.JOINT_TEMPLATES), len(templates.BRANCHING_TEMPLATES)) == (116, 68)
    assert not any("break" in line or ".c" in line for line in templates.JOINT_TEMPLATES)


def test_the_tables_have_all_systems_untuned_and_tuned(tmp_path: Path) -> None:
    """From end to end on the example documents, with the calibration of the joint parser."""
    own = settings(tmp_path, ROOT, epochs=1, tagger_epochs=1, bits=12)
    data = open_data(str(ROOT / "examples/harbour.conllu"), own)
    report = tables(data)
    for state in ("untuned", "tuned"):
        systems = {row["system"]: row for row in report[state]}
        assert {"GOLD", "labeller", "NOSYNTAX", "JOINT", "JOINT-REPARSED"} <= set(systems)
        assert systems["GOLD"]["Starts*"] == 100.0
        assert systems["JOINT"]["Starts*"] == systems["JOINT-REPARSED"]["Starts*"]
        assert all(0.0 <= row["LAS p"] <= 1.0 for row in report[f"{state}, p"])
    found = calibration(data)
    for kind in ("boundaries", "arcs"):
        *bins, whole = found[f"confidence of {kind}"]
        assert sum(row["n"] for row in bins) == whole["n"]
        assert 0 <= whole["expected calibration error"] <= 100


def test_a_dialogue_gets_its_starts_from_turns_and_units() -> None:
    units = "A.1: {F Uh, } it rained, / [ we, + we ] stayed in. /\nB.2: Oh dear <laughter>. /"
    tags = (
        "A.1: Uh/UH ,/, it/PRP rained/VBD ,/, we/PRP ,/, we/PRP stayed/VBD in/RB ./.\n"
        "B.2: Oh/UH dear/UH ./."
    )
    doc = dialogue(1, units, tags)
    assert doc.text == "uh it rained we we stayed in oh dear"
    assert (doc.sent_start == YES).nonzero()[0].tolist() == [0, 3, 7]
    assert doc.column("xpos")[:3] == ["UH", "PRP", "VBD"]


def test_the_best_threshold_takes_ties_together() -> None:
    p = np.array([0.9, 0.4, 0.4, 0.1], np.float32)
    gold = np.array([True, True, False, False])
    threshold, f1 = best_threshold(p, gold, np.ones(4, bool))
    assert threshold == pytest.approx(0.4)
    assert f1 == pytest.approx(80.0)
    assert best_threshold(p[:0], gold[:0], gold[:0]) == (0.5, 0.0)
