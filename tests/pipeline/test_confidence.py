"""Confidences of boundaries: a map from what a score says to what it is worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.document import YES, Document
from caesura.errors import ModelError
from caesura.models import load, save
from caesura.pipeline import Pipeline
from caesura.pipeline.confidence import META, StartMaps, fit_starts, isotonic
from tests.pipeline.test_entry_points import blocks, spoken, written


def overconfident(n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Odds that are twice too large, and what came true."""
    rng = np.random.default_rng(1)
    odds = rng.normal(0, 2, n)
    return 2 * odds, rng.random(n) < 1 / (1 + np.exp(-odds))


def test_a_map_undoes_overconfidence() -> None:
    odds, right = overconfident()
    x, y = np.array(isotonic(odds, right)).T
    assert (np.diff(x) > 0).all()
    assert (np.diff(y) >= 0).all()
    at = np.array([-3.0, -1.0, 1.0, 3.0])
    np.testing.assert_allclose(np.interp(at, x, y), at / 2, atol=0.4)


@pytest.mark.parametrize("n", [0, 1, 39])
def test_too_few_decisions_make_no_map(n: int) -> None:
    assert isotonic(*(column[:n] for column in overconfident())) == ()


def test_what_is_certain_stays_and_kinds_have_maps_of_their_own() -> None:
    doc = Document.from_spans("They left. He stayed on.", [0, 5, 11, 14], [4, 10, 13, 20])
    doc.sent_start = np.array([1, 0, 1, 0], np.int8)
    doc.sent_conf = np.array([1.0, 0.25, 0.75, 0.0], np.float32)
    maps = StartMaps({"edited drawn": ((-1.0, -9.0), (1.0, 9.0)), "unedited open": ((0.0, 5.0),)})
    maps.apply(doc)
    assert doc.sent_conf[[0, 1, 3]].tolist() == [1.0, 0.25, 0.0]
    assert doc.sent_conf[2] > 0.99


def test_without_marks_the_models_own_probability_keeps_a_say() -> None:
    worth = []
    for text in ("They left. He stayed.", "they left he stayed"):
        doc = Document.from_spans(text, [0, 5, 11, 14], [4, 10, 13, 20])
        doc.sent_start = np.array([1, 0, 1, 0], np.int8)
        doc.sent_conf = np.array([1.0, 0.25, 0.9, 0.0], np.float32)
        knots = ((-9.0, 0.5), (9.0, 0.5))  # whatever was said came true in 62 of 100
        StartMaps({"edited drawn": knots, "unedited drawn": knots}).apply(doc)
        worth.append(float(doc.sent_conf[2]))
    assert worth[0] == pytest.approx(0.62, abs=0.01)
    assert worth[0] < worth[1] < 0.9


@pytest.mark.parametrize(
    "damage",
    [
        3,
        {"edited drawn": []},
        {"edited drawn": [[1.0, 2.0, 3.0]]},
        {"edited drawn": [[2.0, 0.0], [1.0, 1.0]]},
        {"edited drawn": [[0.0, float("nan")]]},
        {"edited drawn": "x"},
        {"other": [[0.0, 0.0]]},
    ],
)
def test_a_damaged_map_is_told(damage: object, tiny_model: Path) -> None:
    file = load(tiny_model)
    file.meta[META] = {"search": damage}
    with pytest.raises(ModelError, match="calibration of boundaries is damaged"):
        Pipeline(file)


@pytest.fixture(scope="module")
def gold(tiny_model: Path) -> list[Document]:
    """Text whose sentences are those of the parser, but for some."""
    nlp = caesura.load(tiny_model)
    rng = np.random.default_rng(2)
    docs = [nlp(written(3000, seed)) for seed in range(6)]
    docs += [nlp(spoken(3000, seed)) for seed in range(6)]
    for doc in docs:
        starts = np.flatnonzero(doc.sent_start == YES)[1:]
        doc.sent_start[rng.choice(starts, len(starts) // 3, replace=False)] = 0
    return docs


def test_a_model_file_keeps_it_and_all_doors_obey(
    tiny_model: Path, tmp_path: Path, gold: list[Document]
) -> None:
    nlp = caesura.load(tiny_model)
    found = fit_starts(nlp, gold)
    assert set(found) == {"search", "quick"}
    assert "edited drawn" in found["search"]
    file = load(tiny_model)
    path = tmp_path / "sure.caesura"
    save(path, file.parts, meta=file.meta | {META: found})
    sure = caesura.load(path)
    text = written(20_000)
    raw, worth = nlp(text, confidence=True), sure(text, confidence=True)
    assert raw.sent_start.tolist() == worth.sent_start.tolist()
    drawn = raw.sent_start == YES
    # A third of the boundaries were said to be wrong; those that were given were not.
    free = drawn & (raw.sent_conf < 1)
    assert worth.sent_conf[free].mean() == pytest.approx(2 / 3, abs=0.08)
    pieces = list(sure.stream(blocks(text, 777), confidence=True))
    assert Document.join(pieces).sent_conf.tolist() == worth.sent_conf.tolist()
    assert sure.uncalibrated()(text, confidence=True).sent_conf.tolist() == raw.sent_conf.tolist()
    assert (worth.sent_conf[drawn] >= 0.5).all()
    assert (worth.sent_conf[~drawn] < 0.5).all()
    quick = sure.quick()(text, confidence=True)
    assert quick.sent_conf.tolist() != nlp.quick()(text, confidence=True).sent_conf.tolist()
