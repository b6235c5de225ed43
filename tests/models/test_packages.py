"""Packages of models: built, found by name, taken out of wheels, and never trusted."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from modelling import package as package_model
from modelling.package import package, wheel

from caesura import cli
from caesura.errors import InputError, ModelError, UsageError
from caesura.models import Part, load, save, store
from caesura.models.licence import check_licence
from caesura.models.overview import Overview, advice, overview


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "models"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mine.caesura"
    meta = {"licence": "CC0-1.0", "name": "mine-large", "language": "en", "speed": 1234.5}
    save(path, {"rules": Part("rules")}, meta=meta, card="# Mine\n\nAll of it.")
    return path


@pytest.fixture
def built(model: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    return wheel(folder, package(model, folder), tmp_path / "dist")


@pytest.fixture
def site(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which the wheel is installed."""
    folder = tmp_path / "site"
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    sys.modules.pop("caesura_mine_large", None)


def test_a_wheel_has_the_same_bytes_again(built: Path, model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    again = wheel(folder, package(model, folder), tmp_path / "again")
    assert again.name == built.name == "caesura_mine_large-0.1.0-py3-none-any.whl"
    assert again.read_bytes() == built.read_bytes()
    assert (folder / "README.md").read_text(encoding="utf-8").startswith("# Mine")
    assert 'mine-large = "caesura_mine_large:model"' in (folder / "pyproject.toml").read_text(
        "utf-8"
    )
    with pytest.raises(UsageError, match="there is something else in it"):
        package(model, tmp_path)
    bare = tmp_path / "bare.caesura"
    save(bare, {"rules": Part("rules")})
    with pytest.raises(InputError, match=r"says no licence.*--licence"):
        package(bare, tmp_path / "other")


def test_a_model_that_names_no_licence_is_given_one(tmp_path: Path) -> None:
    bare = tmp_path / "bare.caesura"
    save(bare, {"rules": Part("rules")}, meta={"name": "bare", "words": 7}, card="# Bare\n")
    before = bare.read_bytes()
    folder = tmp_path / "package"
    with pytest.raises(UsageError, match=r"'CC BY 4\.0' is no identifier of a licence"):
        package(bare, folder, licence="CC BY 4.0")
    assert not folder.exists()
    about = package(bare, folder, licence="CC-BY-4.0")
    inside = folder / "src" / "caesura_bare" / "bare.caesura"
    file = load(inside)
    assert (file.meta["licence"], file.meta["words"], file.kind) == ("CC-BY-4.0", 7, "rules")
    assert file.card == "# Bare\n\nLicence: CC-BY-4.0.\n"
    assert (folder / "README.md").read_text("utf-8") == file.card
    assert (folder / "LICENSE").read_text("utf-8") == "CC-BY-4.0\n"
    assert 'license = "CC-BY-4.0"' in (folder / "pyproject.toml").read_text("utf-8")
    assert about["sha256"] == store.digest(inside)
    assert bare.read_bytes() == before
    first = wheel(folder, about, tmp_path / "dist").read_bytes()
    again = wheel(folder, package(bare, folder, licence="CC-BY-4.0"), tmp_path / "again")
    assert again.read_bytes() == first
    # Nobody is put under another licence by this.
    with pytest.raises(UsageError, match=r"is under CC-BY-4\.0, not under MIT"):
        package(inside, tmp_path / "other", licence="MIT")
    assert package(inside, tmp_path / "third", licence="CC-BY-4.0")["sha256"] == about["sha256"]


def test_the_script_takes_a_licence(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare.caesura"
    save(bare, {"rules": Part("rules")})
    asked = ["package_model.py", str(bare), "-o", str(tmp_path / "bare")]
    monkeypatch.setattr(sys, "argv", asked)
    with pytest.raises(SystemExit, match="1"):
        package_model.main()
    assert "Name one with --licence" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", [*asked, "--licence", "MIT OR Apache-2.0"])
    package_model.main()
    assert 'license = "MIT OR Apache-2.0"' in (tmp_path / "bare/pyproject.toml").read_text("utf-8")


@pytest.mark.parametrize("bad", ["", "CC BY 4.0", "MIT or CC0-1.0", "(MIT", "MIT\n", "MIT AND"])
def test_what_is_no_licence(bad: str) -> None:
    with pytest.raises(UsageError, match="is no identifier of a licence"):
        check_licence(bad)
    assert check_licence("MIT AND (CC0-1.0 OR BSD-2-Clause)") == "MIT AND (CC0-1.0 OR BSD-2-Clause)"


def test_an_installed_package_offers_its_model(
    home: Path, site: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert store.find("mine-large") == site / "caesura_mine_large" / "mine-large.caesura"
    _, found = store.verify("mine-large")
    assert found == store.digest(model)
    assert cli.run(["models"]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if "mine-large" in line]
    assert row.split()[:6] == ["mine-large", "rules", "en", "0.0", "MB", "1,234"]
    assert row.split()[-3:] == ["CC0-1.0", "package", "caesura-mine-large"]
    assert cli.run(["models", "--json"]) == 0
    rows = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert rows["mine-large"]["package"] == "caesura-mine-large"
    assert cli.run(["models", "remove", "mine-large"]) == 2
    assert "pip uninstall caesura-mine-large" in capsys.readouterr().err
    # A model of the user's own hides it.
    store.add(str(model), name="mine-large")
    assert store.find("mine-large").parent == home


def test_a_package_that_is_broken_disturbs_nobody(
    home: Path, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = site / "caesura_mine_large" / "mine-large.caesura"
    file.write_bytes(file.read_bytes() + b"more")
    with pytest.raises(ModelError):
        store.verify("mine-large")
    file.unlink()
    with pytest.raises(ModelError, match="offers the model 'mine-large', but cannot be used"):
        store.find("mine-large")
    assert cli.run(["models"]) == 0
    assert "mine-large  broken" in capsys.readouterr().out
    assert "mine-large" not in store.without("neural")
    assert store.find("en").name == "en.caesura"
    (site / "caesura_mine_large" / "__init__.py").write_text("1 / 0", encoding="utf-8")
    sys.modules.pop("caesura_mine_large", None)
    with pytest.raises(ModelError, match="cannot be used"):
        store.find("mine-large")


def test_a_wheel_is_added(home: Path, built: Path, model: Path) -> None:
    entry, found = store.add(str(built))
    assert entry.path == home / "mine-large.caesura"
    assert found == store.digest(model)
    store.add(built.as_uri(), name="other", sha256=store.digest(built))
    assert sorted(path.name for path in home.iterdir()) == [
        "mine-large.caesura",
        "mine-large.caesura.sha256",
        "other.caesura",
        "other.caesura.sha256",
    ]
    with pytest.raises(ModelError, match="its SHA-256 is"):
        store.add(str(built), name="third", sha256="0" * 64)
    with pytest.raises(ModelError, match="is larger than 10 bytes"):
        store.add(str(built), name="third", limit=10)


def changed(built: Path, how: str) -> Path:
    """The wheel with something wrong in it."""
    path = built.with_name("changed.whl")
    with zipfile.ZipFile(built) as old, zipfile.ZipFile(path, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if how == "model" and info.filename.endswith(".caesura"):
                data = data[:-30] + b"x" * 30
            if how == "record" and info.filename.endswith("RECORD"):
                data = b""
            if how == "none" and info.filename.endswith(".caesura"):
                continue
            new.writestr(info.filename, data)
            if how == "two" and info.filename.endswith(".caesura"):
                new.writestr("caesura_mine_large/second.caesura", data)
    if how == "cut":
        path.write_bytes(path.read_bytes()[:200])
    return path


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("model", "is not the one that it records"),
        ("record", "does not record its model"),
        ("none", "there is no model in this wheel"),
        ("two", "Choose one with --name: mine-large, second"),
        ("cut", "is no wheel, or is cut short"),
    ],
)
def test_wheels_of_strangers_are_checked(
    how: str, told: str, home: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = changed(built, how)
    assert cli.run(["models", "add", str(bad), "-q"]) == 1
    err = capsys.readouterr().err
    assert told in err
    assert err.startswith(f"caesura: {bad}") or str(bad) in err
    assert not home.exists() or not list(home.iterdir())


def test_which_model_to_take() -> None:
    large = Overview("en-large", "neural", ("en",), 70, 300.0, 91.0)
    small = Overview("en-fast", "linear", ("en",), 20, 40000.0, 84.0)
    other = Overview("fr", "linear", ("fr",), 20)
    usual = Overview("en", "neural", ("en",), 26, 2000.0, 89.0)
    assert advice([large, usual, small, other]) == [
        "en: take en, en-large where accuracy counts most, en-fast for large collections."
    ]
    assert advice([large, small, other]) == ["en: take en-large, en-fast for large collections."]
    assert advice([usual, small]) == ["en: take en, en-fast for large collections."]
    assert advice([large, Overview("b", "neural", ("en",), 70, 200.0, 90.0)]) == [
        "en: take en-large."
    ]
    # Files that say neither how fast nor how accurate they are.
    silent = [Overview("en-fast", "linear", ("en",), 20), Overview("en", "neural", ("en",), 26)]
    assert advice(silent) == ["en: take en, en-fast for large collections."]
    found = overview(next(one for one in store.installed() if one.name == "en"))
    assert (found.kind, found.languages, found.origin) == ("neural", ("en",), "in the package")
