"""`caesura info` and `caesura warmup`."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import caesura
from caesura import cli, paths

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path))
    return tmp_path


def test_info_says_where_things_are(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "models").mkdir()
    (home / "models" / "mine.caesura").write_bytes(b"x" * 1000)
    assert cli.run(["info"]) == 0
    out = capsys.readouterr().out
    assert f"version         {caesura.__version__}" in out
    assert str(home / "models") in out
    assert "mine (0.0 MB)" in out


def test_info_for_programs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["paths"]["models"] == str(home / "models")
    assert found["threads"] >= 1


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The extras of pyproject.toml, in a distribution such as `pip` leaves behind."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    lines = [f"Name: {project['name']}", f"Version: {caesura.__version__}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in project["dependencies"]]
    for extra, requirements in extras.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {needed}; extra == '{extra}'" for needed in requirements]
    folder = tmp_path / "site" / "caesura_nlp-0.1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(folder.parent)
    return extras


def test_info_lists_every_extra(
    home: Path, installed: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["extras"].keys() == installed.keys()
    assert found["extras"]["serve"].keys() >= {"starlette", "uvicorn"}
    # An extra that is made of others has their packages.
    assert found["extras"]["neural-train"].keys() > found["extras"]["neural"].keys()
    assert "numpy" in found["packages"]
    assert cli.run(["info"]) == 0
    rows = dict(
        line.split(maxsplit=1)
        for line in capsys.readouterr().out.replace("not installed", "not_installed").splitlines()
        if line.startswith(("extras", "not installed", "not_installed"))
    )
    for extra in installed:
        assert re.search(rf"(^|, ){extra}($|,| \()", f"{rows['extras']}, {rows['not_installed']}")


def test_info_says_what_an_extra_lacks(
    home: Path, installed: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    site = next(home.glob("site/*/METADATA"))
    more = "Provides-Extra: odd\nRequires-Dist: no-such-thing>=1; extra == 'odd'\n"
    more += "Requires-Dist: numpy>=1; extra == 'odd'\n"
    site.write_text(site.read_text(encoding="utf-8") + "\n" + more, encoding="utf-8")
    assert cli.run(["info", "--json"]) == 0
    odd = json.loads(capsys.readouterr().out)["extras"]["odd"]
    assert odd["no-such-thing"] is None
    assert odd["numpy"]
    assert cli.run(["info"]) == 0
    assert "odd (no no-such-thing)" in capsys.readouterr().out


def test_info_works_where_nothing_was_installed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a checkout on the path."""
    monkeypatch.setattr("caesura.cli.info.DISTRIBUTION", "no-such-distribution")
    assert cli.run(["info"]) == 0
    assert "unknown: the package was not installed by pip" in capsys.readouterr().out


def test_places_without_a_chosen_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAESURA_HOME", raising=False)
    assert paths.model_folder().name == "models"


def test_warmup_says_that_it_is_no_longer_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["warmup"]) == 0
    assert "no longer needed" in capsys.readouterr().out
    assert cli.run(["warmup", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert cli.run(["warmup", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
