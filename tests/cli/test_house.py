"""`caesura info` and `caesura warmup`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caesura
from caesura import cli, paths
from caesura.cli import warmup


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
    assert found["packages"]["numpy"]


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


def test_rooms_offer_functions() -> None:
    for _, offered in warmup.rooms():
        assert callable(offered)
