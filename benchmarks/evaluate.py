"""How fast evaluation is: one treebank against a plain scorer, and a curve to a million tokens.

The plain scorer is the twin of tests/reference/evaluate.py, written from the definition of the
CoNLL 2018 scores in plain Python, one object a word; the official script is not part of this
project. Give its path with --official to time it too. All run in one warm process, from the file to
the scores, best of several runs.

    python benchmarks/evaluate.py
    python benchmarks/evaluate.py --gold gold.conllu --system system.conllu --json
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import io
import json
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from data import PEERS, ROOT, find_file

sys.path.insert(0, str(ROOT))

from caesura import document
from caesura.document import NO, YES, Document
from caesura.evaluate import conll18, evaluate
from caesura.formats import read
from tests.reference import evaluate as twin


def best(runs: dict[str, Callable[[], Any]], times: int) -> dict[str, float]:
    """The shortest of some interleaved runs of each, in CPU seconds; the first one warms up."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(times + 1):
        for name, run in runs.items():
            start = time.process_time()
            run()
            if turn:
                found[name].append(time.process_time() - start)
    return {name: min(values) for name, values in found.items()}


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")


def against_plain_scorer(
    gold: Path, system: Path, times: int, official: Path | None
) -> list[dict[str, Any]]:
    """From the files to the thirteen scores."""

    def plain() -> Any:
        files = [twin.load(io.StringIO(text_of(path))) for path in (gold, system)]
        return twin.conll18(*files)

    def ours() -> Any:
        return conll18(list(read(gold)), list(read(system)))

    def whole() -> Any:
        return evaluate(list(read(gold)), list(read(system))).as_dict()

    runs: dict[str, Callable[[], Any]] = {
        "plain scorer": plain,
        "caesura, CoNLL 2018 scores": ours,
        "caesura, whole report": whole,
    }
    if official is not None:
        spec = importlib.util.spec_from_file_location("official", official)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)

        def script() -> Any:
            files = [module.load_conllu(io.StringIO(text_of(path))) for path in (gold, system)]
            return module.evaluate(*files)

        runs = {"official scorer": script, **runs}
    seconds = best(runs, times)
    base = next(iter(seconds.values()))
    return [
        {"what": name, "cpu_seconds": value, "share": value / base}
        for name, value in seconds.items()
    ]


WORDS = ["".join(random.Random(i).choices("aeioulnrstdmpkgbvf", k=1 + i % 9)) for i in range(5000)]


def story(tokens: int, seed: int) -> Document:
    """One document of so many made-up words, with sentences, tags and heads."""
    rng = np.random.default_rng(seed)
    chosen = rng.zipf(1.3, tokens) % len(WORDS)
    forms = [WORDS[i] for i in chosen.tolist()]
    sizes = np.array([len(form) for form in forms])
    starts = np.cumsum(sizes + 1) - sizes - 1
    doc = Document.from_spans(" ".join(forms), starts, starts + sizes)
    begins = np.arange(tokens) % 20 == 0
    doc.sent_start = np.where(begins, YES, NO).astype(np.int8)
    first = np.arange(tokens) // 20 * 20
    doc.head = np.where(begins, document.ROOT, first).astype(np.int32)
    doc.set_column("deprel", ["root" if b else "nsubj" for b in begins.tolist()])
    doc.set_column("upos", ["VERB" if b else "NOUN" for b in begins.tolist()])
    return doc


def changed(doc: Document, seed: int, rate: float = 0.1) -> Document:
    """The same document, a tenth of its characters changed and a twentieth of it missing."""
    rng = np.random.default_rng(seed)
    points = np.frombuffer(doc.text.encode("utf-32-le"), dtype=np.uint32).copy()
    places = (points > 96) & (rng.random(len(points)) < rate)
    points[places] = rng.integers(97, 123, int(places.sum()))
    text = points.tobytes().decode("utf-32-le")
    kept = np.ones(doc.n_tokens, dtype=bool)
    kept[doc.n_tokens // 2 : doc.n_tokens // 2 + doc.n_tokens // 20] = False
    forms = [
        text[a:b]
        for a, b in zip(doc.token_start[kept].tolist(), doc.token_end[kept].tolist(), strict=True)
    ]
    sizes = np.array([len(form) for form in forms])
    starts = np.cumsum(sizes + 1) - sizes - 1
    found = Document.from_spans(" ".join(forms), starts, starts + sizes)
    found.sent_start = np.where(np.arange(len(forms)) % 20 == 0, YES, NO).astype(np.int8)
    first = np.arange(len(forms)) // 20 * 20
    root = np.arange(len(forms)) % 20 == 0
    found.head = np.where(root, document.ROOT, first).astype(np.int32)
    found.set_column("deprel", ["root" if b else "nsubj" for b in root.tolist()])
    return found


def curve(sizes: list[int]) -> list[dict[str, Any]]:
    """One document aligned and scored: same characters, and characters that differ."""
    rows = []
    conll18([story(1000, 0)], [changed(story(1000, 0), 1)])
    for size in sizes:
        gold = story(size, 0)
        for name, system in (("same text", story(size, 0)), ("changed text", changed(gold, 1))):
            start = time.process_time()
            scores = conll18([gold], [system])
            seconds = time.process_time() - start
            tracemalloc.start()
            conll18([gold], [system])
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            rows.append(
                {
                    "tokens": size,
                    "what": name,
                    "cpu_seconds": seconds,
                    "microseconds_a_token": 1e6 * seconds / size,
                    "bytes_a_token": peak / size,
                    "tokens_f1": scores["Tokens"].f1,
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--gold", type=Path, help="gold CoNLL-U (default: EWT dev)")
    parser.add_argument("--system", type=Path, help="a system's output (default: spaCy's)")
    parser.add_argument("--official", type=Path, help="path of conll18_ud_eval.py")
    parser.add_argument("--times", type=int, default=5, help="runs of which the best counts")
    parser.add_argument("--largest", type=int, default=1_000_000, help="end of the curve")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    gold = options.gold or find_file("UD_English-EWT", "dev")
    system = options.system or PEERS / "spacy_EWT_dev.conllu.gz"
    found: dict[str, Any] = {}
    if gold and gold.exists() and system.exists():
        found["scorers"] = against_plain_scorer(gold, system, options.times, options.official)
    sizes = [n for n in (1_000, 10_000, 100_000, 300_000, 1_000_000) if n <= options.largest]
    found["curve"] = curve(sizes)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for row in found.get("scorers", []):
        print(f"{row['what']:30} {row['cpu_seconds']:8.3f} s {row['share']:8.3f}")
    print(
        f"\n{'tokens':>9}  {'':14} {'s':>8} {'µs/token':>9} {'bytes/token':>12} {'Tokens F1':>10}"
    )
    for row in found["curve"]:
        print(
            f"{row['tokens']:9}  {row['what']:14} {row['cpu_seconds']:8.2f} "
            f"{row['microseconds_a_token']:9.2f} {row['bytes_a_token']:12.0f} "
            f"{row['tokens_f1']:10.2f}"
        )


if __name__ == "__main__":
    main()
