"""The bill of materials lists what is needed, the same every time; the floors are those we say."""

from __future__ import annotations

import json

from benchmarks.hardening.supply import EXTRAS, ROOT, bom, floors, requirements


def test_the_bill_of_materials() -> None:
    made = bom()
    assert made == bom()
    names = {one["name"].lower() for one in made["components"]}
    assert {"numpy", "click", "safetensors"} <= names
    assert all(one["version"] and one["purl"] for one in made["components"])


def test_every_dependency_has_a_floor() -> None:
    assert len(floors()) == len(requirements())
    assert len(floors(EXTRAS)) == len(requirements(EXTRAS)) > len(requirements())


def test_the_docs_show_the_versions_that_were_tried() -> None:
    """Both ends were tried, with floors that are still those of pyproject.toml."""
    kept = json.loads((ROOT / "benchmarks" / "results" / "ranges.json").read_text("utf-8"))
    tried = {name.lower(): version for name, version in kept["floor"].items()}
    for pin in floors(EXTRAS):
        name, _, lowest = pin.partition("==")
        assert tried[name.lower()].startswith(lowest), f"try {name} again: supply.py ranges"
    assert kept["ceiling"].keys() == kept["floor"].keys()
