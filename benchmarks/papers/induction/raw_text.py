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

from benchmarks.common import RESULTS, TEXT, read_json
from benchmarks.papers.induction.treebanks import Bench

from caesura.cli import run
from caesura.evaluate import evaluate
from caesura.evaluate.induced import directed
from caesura.formats import write

__all__ = ["million", "million_words", "tutorial"]

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


def tutorial(bench: Bench) -> dict[str, Any]:
    """The commands of the tutorial without tags on a treebank, beside the row of the table `vote`.

    Directed accuracy of the default command; treebanks with function words as heads take
    `--heads any`, as in the table.
    """
    heads = () if bench.style == "content" else ("--heads", "any")
    with tempfile.TemporaryDirectory() as folder:
        files = {n: str(Path(folder) / n) for n in ("train", "gold", "system")}
        files = {n: f"{file}.conllu" for n, file in files.items()}
        write(bench.train, files["train"])
        write(bench.test, files["gold"])
        grammar = f"{folder}/made.grammar"
        keep = ("--keep-tokens", "--keep-sentences", "--model", grammar)
        commands = (
            ("induce", files["train"], "-o", grammar, "-q", *heads),
            ("parse", files["gold"], *keep, "-o", files["system"], "-q"),
        )
        for command in commands:
            if run(list(command)) != 0:
                raise SystemExit(f"failed: caesura {' '.join(command)}")
        scores = evaluate(files["gold"], files["system"])
        found = directed(scores.comparison.pairs)
    table = {
        row["treebank"].rstrip("*"): row for row in read_json(RESULTS / "induction.json")["vote"]
    }
    chain = max(found.next.recall, found.previous.recall)
    return {
        "tutorial": round(found.directed.recall, 1),
        "table": table[bench.name]["vote"],
        "better chain": round(chain, 1),
        "above the chain": int(found.directed.recall > chain),
    }
