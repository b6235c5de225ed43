"""`caesura models` by example: nothing gets a name that was not checked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from urllib.error import URLError

import pytest

from caesura import cli
from caesura.cli.models import _MORE
from caesura.errors import ModelError, UsageError
from caesura.models import Part, save, store


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "models"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mine.caesura"
    save(path, {"rules": Part("rules")}, meta={"licence": "CC0-1.0"}, card="# Mine\n\nAll of it.")
    return path


def test_add_list_show_verify_remove(
    home: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["models", "add", str(model)]) == 0
    assert (home / "mine.caesura").read_bytes() == model.read_bytes()
    capsys.readouterr()
    assert cli.run(["models"]) == 0
    assert "mine" in (out := capsys.readouterr().out)
    assert "CC0-1.0" in out
    assert cli.run(["models", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["mine"]["kind"] == "rules"
    assert cli.run(["models", "show", "mine"]) == 0
    assert "All of it." in capsys.readouterr().out
    assert cli.run(["models", "verify", "mine"]) == 0
    sha = hashlib.sha256(model.read_bytes()).hexdigest()
    assert f"mine: ok, SHA-256 {sha}" in capsys.readouterr().out
    assert cli.run(["models", "remove", "mine"]) == 0
    assert list(home.iterdir()) == []


def test_packages_that_are_not_installed_are_named(
    home: Path, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: ())
    assert cli.run(["models"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("Not installed: en-large (the most accurate for English), multi (many")
    assert "pip install ./packages/NAME" in line
    for name in ("multi", "en-large"):
        store.add(str(model), name=name)
    assert cli.run(["models"]) == 0
    assert "Not installed" not in capsys.readouterr().out
    store.remove("en-large")
    with pytest.raises(ModelError) as caught:
        store.find("en-large")
    assert "pip install ./packages/en-large in a checkout" in str(caught.value)
    assert "pip install caesura_en_large-*.whl" in str(caught.value)
    assert set(_MORE) == set(store.PACKAGES)


def test_an_address_of_a_file(home: Path, model: Path) -> None:
    entry, _ = store.add(model.as_uri(), name="other")
    assert entry.path == home / "other.caesura"
    assert store.find("other") == entry.path


def test_a_changed_file_is_noticed(
    home: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add(str(model))
    save(home / "mine.caesura", {"tagger": Part("tagger")}, card="another")
    assert cli.run(["models", "verify"]) == 1
    assert "its SHA-256 is" in capsys.readouterr().err


def test_a_broken_model_gets_no_name(
    home: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add(str(model))
    good = (home / "mine.caesura").read_bytes()
    broken = model.with_name("broken.caesura")
    broken.write_bytes(model.read_bytes()[:-50])
    assert cli.run(["models", "add", str(broken), "--name", "mine", "--replace"]) == 1
    assert "is no Caesura model, or is cut short" in capsys.readouterr().err
    assert (home / "mine.caesura").read_bytes() == good
    assert sorted(p.name for p in home.iterdir()) == ["mine.caesura", "mine.caesura.sha256"]


def test_what_add_refuses(home: Path, model: Path) -> None:
    with pytest.raises(ModelError, match="its SHA-256 is"):
        store.add(str(model), sha256="0" * 64)
    with pytest.raises(ModelError, match="is larger than 10 bytes"):
        store.add(str(model), limit=10)
    with pytest.raises(UsageError, match="cannot be the name"):
        store.add(str(model), name="../escape")
    with pytest.raises(UsageError, match="cannot be fetched by http"):
        store.add("http://example.org/mine.caesura")
    with pytest.raises(ModelError, match="there is no such file"):
        store.add("nowhere.caesura")
    store.add(str(model))
    with pytest.raises(UsageError, match="there is a model 'mine' already"):
        store.add(str(model))


def test_an_address_that_does_not_answer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise URLError("nobody there")

    monkeypatch.setattr("urllib.request.OpenerDirector.open", refuse)
    with pytest.raises(ModelError, match=r"cannot be fetched \(nobody there\)"):
        store.add("https://example.org/mine.caesura")


def test_only_what_is_there_can_be_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["models", "remove", "nowhere"]) == 1
    assert "there is no model 'nowhere'" in capsys.readouterr().err
    assert cli.run(["models", "verify", "nowhere"]) == 1


def test_a_model_of_the_package_stays(
    home: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "bundled_models", lambda: tmp_path)
    with pytest.raises(UsageError, match="part of the package"):
        store.remove("mine")


def test_no_network_unless_asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr("socket.socket.connect", refuse)
    assert cli.run(["models"]) == 0
    with pytest.raises(ModelError):
        store.find("nowhere")


def test_the_languages_of_a_model_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path))
    home = tmp_path / "models"
    home.mkdir()
    said = {
        "da": {"name": "Danish", "words": 8794, "licences": ["CC BY-SA 4.0"],
               "scores": {"Words": 99.9, "LAS": 75.25, "UAS": "much"}},
        "aa": "nothing",
        "fo": {"scores": 3},
    }  # fmt: skip
    codes = ["da", "de", "en", "fi", "fo"]
    meta = {"name": "multi", "languages": codes, "by_language": said, "licence": "CC0-1.0"}
    save(home / "multi.caesura", {"rules": Part("rules")}, meta=meta)
    save(home / "silent.caesura", {"rules": Part("rules")}, meta={"name": "silent"})
    assert cli.run(["models"]) == 0
    out = capsys.readouterr().out
    assert "5 languages" in out
    assert "caesura models languages multi" in out
    assert cli.run(["models", "languages"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [
        "da", "Danish", "8,794", "99.9", "–", "–", "–", "–", "–", "75.2", "CC", "BY-SA", "4.0"
    ]  # fmt: skip
    assert lines[2].split()[:2] == ["fo", "fo"]
    assert cli.run(["models", "languages", "multi", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["scores"] == {"Words": 99.9, "LAS": 75.25}
    assert cli.run(["models", "languages", "silent"]) == 0
    assert "says nothing" in capsys.readouterr().out
