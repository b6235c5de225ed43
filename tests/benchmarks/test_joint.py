"""The comparisons of the joint parser run from end to end on the example documents."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caesura.document import YES

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["--epochs", "1", "--tagger-epochs", "1", "--bits", "12", "--json"]


@pytest.fixture(scope="module")
def joint() -> Iterator[ModuleType]:
    """The benchmark as Python finds it when its file is run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield importlib.import_module("joint")


def run(joint: ModuleType, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    joint.main([str(ROOT / "examples/harbour.conllu"), *SMALL, *arguments])
    return json.loads(capsys.readouterr().out)["harbour"]


def test_the_tables_have_all_systems_untuned_and_tuned(
    joint: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    report = run(joint, capsys)
    for state in ("untuned", "tuned"):
        systems = {row["system"]: row for row in report[state]}
        assert {"GOLD", "labeller", "NOSYNTAX", "JOINT", "JOINT-REPARSED"} <= set(systems)
        assert systems["GOLD"]["Starts*"] == 100.0
        assert systems["JOINT"]["Starts*"] == systems["JOINT-REPARSED"]["Starts*"]
        assert all(0.0 <= row["LAS p"] <= 1.0 for row in report[f"{state}, p"])


def test_confidences_are_compared_with_what_was_right(
    joint: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    report = run(joint, capsys, "--only", "calibration")
    for kind in ("boundaries", "arcs"):
        *bins, whole = report[f"confidence of {kind}"]
        assert sum(row["n"] for row in bins) == whole["n"]
        assert 0 <= whole["expected calibration error"] <= 100


def test_a_dialogue_gets_its_starts_from_turns_and_units(joint: ModuleType) -> None:
    units = "A.1: {F Uh, } it rained, / [ we, + we ] stayed in. /\nB.2: Oh dear <laughter>. /"
    tags = (
        "A.1: Uh/UH ,/, it/PRP rained/VBD ,/, we/PRP ,/, we/PRP stayed/VBD in/RB ./.\n"
        "B.2: Oh/UH dear/UH ./."
    )
    doc = importlib.import_module("joint_study.switchboard").dialogue(1, units, tags)
    assert doc.text == "uh it rained we we stayed in oh dear"
    assert (doc.sent_start == YES).nonzero()[0].tolist() == [0, 3, 7]
    assert doc.column("xpos")[:3] == ["UH", "PRP", "VBD"]
