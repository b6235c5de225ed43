"""`caesura info` and `caesura warmup`."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

import caesura
from caesura import cli, paths
from caesura.cli import warmup

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path


def test_info_says_where_things_are(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "models").mkdir()
    (home / "models" / "mine.caesura").write_bytes(b"x" * 1000)
    assert cli.run(["info"]) == 0
    out = capsys.readouterr().out
    assert f"version           {caesura.__version__}" in out
    assert str(home / "models") in out
    assert str(home / "kernels") in out
    assert "mine (0.0 MB)" in out


def test_info_for_programs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["paths"]["kernels"] == str(home / "kernels")
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
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert paths.model_folder().name == "models"
    assert paths.kernel_folder().name == "kernels"


def test_the_compiler_uses_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura import jit

    monkeypatch.setenv("NUMBA_CACHE_DIR", "somewhere")
    assert jit.cache_root.__wrapped__() == paths.kernel_folder() == Path("somewhere")


def test_warmup_calls_every_room_that_offers_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called = []
    rooms = [("tag", lambda: called.append("tag")), ("parse", lambda: called.append("parse"))]
    monkeypatch.setattr(warmup, "rooms", lambda: iter(rooms))
    assert cli.run(["warmup", "--json"]) == 0
    out, err = capsys.readouterr()
    assert [row["room"] for row in json.loads(out)] == called == ["tag", "parse"]
    assert err.splitlines() == ["compiling tag …", "compiling parse …"]


def test_rooms_with_kernels_offer_to_compile_them() -> None:
    """All but those whose kernels are parts of the kernels of others."""
    package = Path(caesura.__file__).parent
    with_kernels = {
        file.relative_to(package).parts[0]
        for file in package.glob("*/**/*.py")
        if re.search(r"^@kernel\b", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    offered = dict(warmup.rooms())
    assert offered.keys() == with_kernels - {"learn", "models", "parse"}
    assert all(map(callable, offered.values()))


def test_warmup_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room whose extra is missing is passed over, whichever way it says so."""
    before = list(dict(warmup.rooms()))
    for name in ["spacy", *(name for name in sys.modules if name.startswith("spacy."))]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "caesura.spacy", raising=False)
    assert list(dict(warmup.rooms())) == before
