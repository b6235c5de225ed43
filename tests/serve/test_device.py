"""Workers load their models for the device that the server was told."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from caesura.errors import UsageError
from caesura.serve import wire
from caesura.serve.models import Models
from caesura.serve.options import ServeOptions

told: list[dict[str, str]] = []


class Nothing:
    watch: object = None


def load(path: Path, **how: str) -> Nothing:
    told.append(how)
    return Nothing()


def test_a_worker_is_told_the_device_and_loads_for_it() -> None:
    setup = wire.Setup({"a": "a.caesura"}, f"{__name__}:load", ServeOptions(device="cuda"))
    sent = msgspec.json.decode(msgspec.json.encode(setup), type=wire.Setup)
    assert sent.options.device == "cuda"
    told.clear()
    Models({"a": Path("a")}, f"{__name__}:load", device=sent.options.device).get("a")
    Models({"a": Path("a")}, f"{__name__}:load").get("a")
    assert told == [{"device": "cuda"}, {}]


def test_a_model_without_a_network_is_refused() -> None:
    with pytest.raises(UsageError, match="device"):
        Models({"en-fast": Path("en-fast")}, device="cuda").get("en-fast")
