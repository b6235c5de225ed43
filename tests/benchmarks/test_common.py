"""The shared module: treebanks by name, results, tables; every program starts."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from benchmarks import common
from benchmarks.speed import stages

import caesura

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILES = [
    *(ROOT / "benchmarks").glob("*/**/*.py"),
    *(ROOT / "modelling").rglob("*.py"),
    ROOT / "benchmarks" / "common.py",
]
MODULES = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in FILES}
TORCH = ("modelling.multi.network",)
PROGRAM = re.compile(r"python -m ((?:benchmarks|modelling)[.\w]*)")


@pytest.fixture
def treebanks(tmp_path: Path) -> Path:
    for name in (
        "UD_English-Harbour/en_harbour-ud-train.conllu.gz",
        "UD_English-Harbour/en_harbour-ud-dev.conllu.gz",
        "Island/island.train.conll",
        "Island/island.untrain.conll",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


@pytest.mark.parametrize("name", ["Harbour", "English-Harbour", "UD_English-Harbour"])
def test_a_treebank_has_three_names(treebanks: Path, name: str) -> None:
    assert common.file_of(name, "dev", treebanks).name == "en_harbour-ud-dev.conllu.gz"


def test_a_folder_and_a_file_are_names(treebanks: Path) -> None:
    island = treebanks / "Island"
    assert common.file_of(island, "train").name == "island.train.conll"
    assert common.file_of(island / "island.train.conll", "dev").name == "island.train.conll"
    assert common.find_file("Island", "dev", treebanks) is None
    with pytest.raises(SystemExit, match="Island has no dev file: name it, or set CAESURA_DATA"):
        common.file_of("Island", "dev", treebanks)


def test_no_other_module_looks_for_the_data() -> None:
    for file in FILES:
        if file.name != "common.py":
            assert 'environ.get("CAESURA_DATA' not in file.read_text(encoding="utf-8"), file


def test_the_first_words_end_with_a_sentence() -> None:
    path = ROOT / "examples" / "harbour.conllu"
    everything = common.first_words(path, 0)
    some = common.first_words(path, 30)
    assert 0 < sum(doc.n_tokens for doc in some) <= 30
    ends = everything[0].token_end[everything[0].sentence_bounds[1:] - 1]
    assert some[0].token_end[-1] in ends


def test_tables_and_results(tmp_path: Path) -> None:
    rows = [{"name": "a", "x": 1 / 3, "x p": 0.00001}, {"name": "b", "n": 1234}]
    assert common.markdown(rows).splitlines() == [
        "| name | x | x p | n |",
        "| --- | ---: | ---: | ---: |",
        "| a | 0.33 | < 0.0001 |  |",
        "| b |  |  | 1,234 |",
    ]
    text = common.dumped({"rows": [{"a": 1 / 3, "b": [1, 2]}, {"a": 2.0}]})
    assert '"a": 0.33333' in text
    assert '{ "a": 2.0 }' in text
    path, seen = tmp_path / "rows.json", []
    for _ in range(2):
        seen += common.resumed(path, [("one", lambda: {"x": 1})])
    assert seen == [("one", {"x": 1})]
    assert common.read_json(path) == {"one": {"x": 1}}


def test_the_fastest_round_counts_after_a_warm_up() -> None:
    calls: list[str] = []
    found = common.fastest({n: lambda n=n: calls.append(n) for n in "ab"}, 2)
    assert calls == list("ababab")
    assert set(found) == {"a", "b"}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_is_imported(name: str) -> None:
    """So that a name that is gone from the package is noticed."""
    if name in TORCH:
        pytest.importorskip("torch")
    importlib.import_module(name)


def test_every_program_is_in_the_table() -> None:
    table = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    listed = set(PROGRAM.findall(table))
    programs = {
        name.removesuffix(".__main__")
        for name, file in MODULES.items()
        if '__name__ == "__main__"' in file.read_text(encoding="utf-8")
    }
    assert listed == programs
    for page in PAGES:
        assert set(PROGRAM.findall(page.read_text(encoding="utf-8"))) <= listed, page


@pytest.mark.parametrize("model", ["en-fast", "en"])
def test_the_stages_of_a_model_are_timed(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark replaces methods of the stages, which may be renamed."""
    text = (ROOT / "examples" / "harbour.txt").read_text(encoding="utf-8")
    monkeypatch.setattr(stages, "text_of", lambda words: text)
    nlp = caesura.load(model)
    found = stages.traffic(nlp, 1) if model == "en-fast" else stages.products(nlp, 1)
    assert all(value > 0 for value in found.values())
    (row,) = stages.by_size(nlp, 1000, 1)
    names = {"tokens", "tags", "trees"} if model == "en-fast" else {"tokens", "network"}
    assert names <= row.keys()
