"""The page for people who come from other tools has a line for each of thirty things they do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from caesura import Document
from tests.pipeline.tiny import EXAMPLES
from tests.serve.conftest import start

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "coming-from.md"


def test_thirty_things_have_their_line() -> None:
    """That the lines run is a test of all pages (`test_site.py`); here none is without code."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    things: dict[str, list[int]] = {}
    for block in blocks:
        parts = re.split(r"^# (spaCy|Stanza|UDPipe|udapi) (\d+): ", block, flags=re.MULTILINE)
        for tool, number, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            things.setdefault(tool, []).append(int(number))
            code = [line for line in rest.splitlines()[1:] if line and not line.startswith("#")]
            assert code, f"{tool} {number} has no line"
    for tool, numbers in things.items():
        assert numbers == list(range(1, len(numbers) + 1)), tool
    assert set(things) == {"spaCy", "Stanza", "UDPipe", "udapi"}
    assert sum(map(len, things.values())) >= 30


@pytest.fixture(scope="module")
def service(tiny_model: Path) -> Iterator[str]:
    """A server with the tiny model under the name that the page uses."""
    from caesura.serve.models import Models
    from caesura.serve.options import ServeOptions

    running, server, thread = start(Models({"en": tiny_model}), ServeOptions(port=0, workers=1))
    yield running.address
    server.should_exit = True
    thread.join(timeout=20)


def test_calls_of_a_client_of_udpipe_are_answered(service: str) -> None:
    """The lines of `curl`, sent by another client."""
    text = PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"^curl .*$", text, re.MULTILINE)
    assert len(lines) == 5
    files = {"letter.txt": EXAMPLES / "harbour.txt", "in.conllu": EXAMPLES / "harbour.conllu"}
    for line in lines:
        words = shlex.split(line)
        address = words[-1].replace("http://127.0.0.1:8765", service)
        parts: dict[str, tuple[str | None, bytes]] = {}
        for option, given in zip(words[1:-1:2], words[2:-1:2], strict=True):
            assert option == "-F"
            name, _, value = given.partition("=")
            if value.startswith("@"):
                parts[name] = (value[1:], files[value[1:]].read_bytes())
            else:
                parts[name] = (None, value.encode())
        with httpx.Client(timeout=300) as client:
            answer = client.post(address, files=parts) if parts else client.get(address)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        if not parts:
            assert found["default_model"] == "en"
        elif "output" in parts:
            assert found["result"].startswith("The harbour wakes")
        elif "input" not in parts:
            doc = Document.from_conllu(found["result"])
            assert len(doc) > 20
            assert all(word.upos for word in doc)
            assert all(word.has_head for word in doc) == ("parser" in parts)
            assert ("TokenRange=0:3" in found["result"]) == (b"ranges" in parts["tokenizer"][1])
        else:
            assert found["result"].startswith("# newdoc id = harbour-morning")
