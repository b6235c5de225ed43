"""The bill of materials lists what is needed, the same every time; the floors are those we say."""

from __future__ import annotations

from benchmarks.supply import bom, floors, requirements


def test_the_bill_of_materials() -> None:
    made = bom()
    assert made == bom()
    names = {one["name"].lower() for one in made["components"]}
    assert {"numpy", "numba", "llvmlite", "click", "safetensors"} <= names
    assert all(one["version"] and one["purl"] for one in made["components"])


def test_every_dependency_has_a_floor() -> None:
    assert len(floors()) == len(requirements())
