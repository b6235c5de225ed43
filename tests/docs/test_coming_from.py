"""The page for people who come from other tools has a line for each of thirty things they do."""

from __future__ import annotations

import re
from pathlib import Path

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
