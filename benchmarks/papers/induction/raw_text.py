"""A user's run from raw text: `caesura induce` on a million words, without options."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.common import TEXT

__all__ = ["million", "million_words"]

#: How many words are taken from the beginning of each file of the folder of texts.
PARTS = {
    "masc": 300_000,
    "gov_us_blogs": 250_000,
    "fiction_standardebooks_pd": 250_000,
    "spoken_changelog": 200_000,
}


def million_words(folder: Path) -> str:
    """A million words of four kinds of text, with their paragraphs."""
    parts = []
    for name, words in PARTS.items():
        lines, found = [], 0
        with gzip.open(folder / f"{name}.txt.gz", "rt", encoding="utf-8") as file:
            for line in file:
                if line.startswith("# newdoc"):
                    continue
                lines.append(line)
                found += len(line.split())
                if found >= words:
                    break
        parts.append("".join(lines))
    return "\n\n".join(parts)


def million(folder: Path = TEXT) -> list[dict[str, Any]]:
    """Words, sentences, classes and CPU minutes of the run, reading included."""
    with tempfile.TemporaryDirectory() as temporary:
        text, grammar = (Path(temporary) / name for name in ("text.txt", "text.grammar"))
        text.write_text(million_words(folder), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "caesura", "induce", str(text), "-o", str(grammar)]
        done = subprocess.run([*command, "--json"], stdout=subprocess.PIPE, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(done.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = {name: said["data"][name] for name in ("words", "sentences", "classes")}
    return [{**counts, "cpu minutes": round(seconds / 60, 2)}]
