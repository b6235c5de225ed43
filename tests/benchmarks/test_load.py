"""The tables of the page about serving come from figures that were kept."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def load() -> Iterator[ModuleType]:
    """The benchmark as Python finds it when its file is run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield importlib.import_module("load")


def test_the_tables_of_the_page_are_those_of_the_figures(load: ModuleType) -> None:
    page = (ROOT / "docs/howto/serve.md").read_text(encoding="utf-8")
    for name in ("load", "load200", "load500"):
        text = (ROOT / f"benchmarks/results/{name}.json").read_text(encoding="utf-8")
        kept = json.loads(text)
        assert load.table(kept) in page
        assert kept["undocumented"] == {}


def test_every_kind_of_client_is_there(load: ModuleType) -> None:
    for clients in (1, 60, 500):
        shares = dict(load.shares(clients))
        assert min(shares.values()) >= 1
        assert len(shares) == 23
    assert len(load.shares(200, ordinary=True)) == 8
    for clients in (60, 200, 500):
        assert sum(number for _, number in load.shares(clients)) == clients


def test_memory_is_told_by_twelfths(load: ModuleType) -> None:
    assert load.twelfths([5.0] * 12 + [7.0] * 12) == [5] * 6 + [7] * 6
    assert load.twelfths([1.0, 2.0]) == [1, 2]
