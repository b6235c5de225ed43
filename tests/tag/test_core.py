"""The core's decoders refuse arrays that do not fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caesura._core import Chain, ConditionalClassifier, DamagedModel, LinearTable
from caesura.stages.tagger_features import ATTRIBUTES, parse_templates
from caesura.stages.tagger_tables import transition_sizes

CLASSES = 3


def table(width: int = CLASSES) -> LinearTable:
    arrays = (np.zeros(0, np.uint8), np.zeros(0, np.int8), np.zeros(0, np.int8))
    return LinearTable(np.zeros(0, np.uint32), np.zeros(0, np.uint8), *arrays, width)


def chain(**changes: Any) -> Chain:
    templates = parse_templates(["form[0]", "lower[1]", "lower[0]+lower[1]"])
    pairs, triples = (np.zeros(size, np.float32) for size in transition_sizes(CLASSES, 2))
    arguments: dict[str, Any] = {
        "table": table(),
        "spot": templates.spot,
        "places": templates.places,
        "bounds": templates.bounds,
        "mixed": templates.mixed,
        "pairs": pairs,
        "triples": triples,
        "clear": 4.0,
    }
    return Chain(**arguments | changes)


def changed(array: np.ndarray, at: tuple[int, ...], value: int) -> np.ndarray:
    array = array.copy()
    array[at] = value
    return array


TEMPLATES = parse_templates(["form[0]", "lower[1]", "lower[0]+lower[1]"])


@pytest.mark.parametrize(
    "changes",
    [
        {"table": table(CLASSES + 1)},
        {"spot": changed(TEMPLATES.spot, (0, 2), len(ATTRIBUTES))},
        {"spot": TEMPLATES.spot[:1]},
        {"mixed": changed(TEMPLATES.mixed, (0, 1), 4)},
        {"mixed": changed(TEMPLATES.mixed, (0, 3), 17)},
        {"places": changed(TEMPLATES.places, (0,), -17)},
        {"places": TEMPLATES.places[:1]},
        {"bounds": changed(TEMPLATES.bounds, (1,), 3)},
        {"pairs": np.zeros((CLASSES, CLASSES), np.float32)},
        {"triples": np.zeros(63, np.float32)},
    ],
)
def test_a_damaged_chain_is_refused(changes: dict[str, Any]) -> None:
    chain()
    with pytest.raises(DamagedModel, match="of the tagger"):
        chain(**changes)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("types", [0, 2], "types has the value 2"),
        ("types", [0, -1], "types has the value -1"),
        ("begins", [0, 1], "end with the number of words"),
        ("begins", [0, 3, 2], "begins must rise"),
        ("group", [0, 1], "group has the value 1"),
        ("group", [0], "needs a group"),
        ("width", 128, "from 1 to 127"),
    ],
)
def test_words_that_do_not_fit_are_refused(name: str, value: Any, message: str) -> None:
    arguments: dict[str, Any] = {
        "attributes": np.zeros((2, len(ATTRIBUTES)), np.uint64),
        "vectors": np.zeros((2, 2, CLASSES), np.float32),
        "types": np.array([0, 1], np.int32),
        "begins": np.array([0, 2], np.int64),
        "group": np.zeros(0, np.int32),
        "allowed": np.ones((1, CLASSES), np.bool_),
        "width": 2,
        "margin": 3.0,
    }
    assert len(chain().decode(**arguments)) == 2
    if isinstance(value, list):
        value = np.array(value, arguments[name].dtype)
    with pytest.raises(ValueError, match=message):
        chain().decode(**arguments | {name: value})


@pytest.mark.parametrize(
    ("bounds", "values"), [([0, 2], [0]), ([0, 1, 0], []), ([1, 1], [0]), ([], []), ([0, 1], [0])]
)
def test_a_damaged_classifier_is_refused(bounds: list[int], values: list[int]) -> None:
    arrays = np.array(bounds, np.int32), np.array(values, np.int32)
    with pytest.raises(DamagedModel, match="values of the tagger's labels"):
        ConditionalClassifier(table(2), *arrays, TEMPLATES.own, TEMPLATES.context, 4.0)
