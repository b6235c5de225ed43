"""Frozen outputs: what is the same is found the same, and what is not is named."""

from __future__ import annotations

import hashlib
import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FEW = ["--only", "help/parse", "convert/projective", "cluster", "wrong/broken"]


@pytest.fixture
def golden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    module = importlib.import_module("benchmarks.golden.__main__")
    monkeypatch.setattr(module, "FILE", tmp_path / "golden.json")
    for name, value in module.SETTINGS.items():
        monkeypatch.setenv(name, value)  # which is taken back at the end
    return module


def run(golden: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["golden.py", *arguments])
    return int(golden.main())


def test_what_is_frozen_is_found_again(
    golden: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = tmp_path / "old"
    assert run(golden, monkeypatch, "freeze", "--keep", str(old), *FEW) == 0
    frozen = json.loads(golden.FILE.read_text(encoding="utf-8"))
    assert list(frozen["entries"]) == sorted(frozen["entries"])
    assert len(frozen["entries"]) == 5
    assert frozen["about"]["numpy"]
    assert frozen["about"]["processor"]
    assert "fails: caesura inspect broken.conllu" in capsys.readouterr().out
    assert run(golden, monkeypatch, "check", *FEW) == 0

    frozen["entries"]["convert/projective"] = "0" * 64
    golden.FILE.write_text(json.dumps(frozen), encoding="utf-8")
    golden.keep(old, "convert/projective", b"# newdoc id = rule-21-1\n# newpar\n# sent_id = other")
    capsys.readouterr()
    assert run(golden, monkeypatch, "check", "--against", str(old), *FEW) == 1
    said = capsys.readouterr().out
    assert "differs: convert/projective" in said
    assert "line 3, byte 13" in said
    assert "old: '# sent_id = other'" in said
    assert "5 entries, 1 of them not as frozen" in said


def test_what_it_was_frozen_with_is_told(
    golden: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(golden, monkeypatch, "freeze", "--only", "help/split") == 0
    frozen = json.loads(golden.FILE.read_text(encoding="utf-8"))
    frozen["about"].update(numpy="0.1", processor="magic")
    golden.FILE.write_text(json.dumps(frozen), encoding="utf-8")
    assert run(golden, monkeypatch, "check", "--only", "help/split") == 0
    said = capsys.readouterr().out
    assert "numpy: frozen with 0.1, here" in said
    assert "processor: frozen with magic, here" in said
    with pytest.raises(SystemExit, match="freeze everything"):
        run(golden, monkeypatch, "freeze", "--only", "help/split")


def test_names_patterns_and_beginnings(golden: ModuleType) -> None:
    names = ["a/b", "a/c", "ab/c"]
    assert golden.chosen(names, []) == names
    assert golden.chosen(names, ["a"]) == ["a/b", "a/c"]
    assert golden.chosen(names, ["*/c", "a/b"]) == names
    with pytest.raises(SystemExit, match="no entry 'x'"):
        golden.chosen(names, ["x"])


def test_the_texts_are_the_same_for_ever(golden: ModuleType) -> None:
    texts: Any = importlib.import_module("benchmarks.golden.texts")
    treebank: Any = importlib.import_module("benchmarks.golden.treebank")
    made = [texts.written(3000), texts.spoken(3000), texts.spoken(3000, lines=True),
            texts.shuffled_words(3000), treebank.conllu(3, 1), treebank.brackets(9, 1)]  # fmt: skip
    digest = hashlib.sha256("\0".join(made).encode()).hexdigest()
    assert digest == "059a3bd50d8e9d19d22a48ec8d9bc78f7d370a4739fe1b2be2b59660a91d3c93"


def test_the_treebank_is_sound(golden: ModuleType, tmp_path: Path) -> None:
    from caesura import formats

    treebank: Any = importlib.import_module("benchmarks.golden.treebank")
    path = tmp_path / "gold.conllu"
    path.write_text(treebank.conllu(6, 1), encoding="utf-8")
    docs = list(formats.read(path, strict=True))
    assert len(docs) == 6
    assert all(doc.n_sentences == 8 for doc in docs)
    path = tmp_path / "gold.mrg"
    path.write_text(treebank.brackets(5, 1), encoding="utf-8")
    assert sum(doc.n_sentences for doc in formats.read(path)) == 5
