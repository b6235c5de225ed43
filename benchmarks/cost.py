"""What words cost: microseconds of each stage by the size of the text, threads, and the memory bus.

    python benchmarks/cost.py --model en-fast --sizes 1000,10000,100000 --write
    python benchmarks/cost.py --model en --device cuda

Raw text, that of EWT dev (over and over, where more is asked for), goes through the stages of a
pipeline one after the other, each timed in CPU seconds (best of --repeat), and is written as
CoNLL-U; then small texts are parsed by one and by more threads, by the wall clock. A copy of a
large array in the same run tells what the memory moves in a second. `--write` keeps what was found
in results/cost.json, of which `python docs/cost_table.py` makes the page. 10,000,000 words take
minutes (`en-fast`) or hours (`en`), so they are asked for by --sizes.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import platform
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from data import file_of

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "cost.json"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", action="append", help="may be repeated; else en-fast and en")
    parser.add_argument("--sizes", default="1000,10000,100000", help="words, about")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="keep the figures")
    return parser.parse_args()


def cpu(work: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """The least CPU seconds of some work, and what it gave."""
    best, found = float("inf"), None
    for _ in range(repeat):
        began = time.process_time()
        found = work()
        best = min(best, time.process_time() - began)
    return best, found


@cache
def documents() -> list[str]:
    """The texts of EWT dev."""
    from caesura import formats

    return [doc.text.strip() + "\n\n" for doc in formats.read(file_of("UD_English-EWT", "dev"))]


def text_of(words: int) -> str:
    """Whole documents of about so many words."""
    parts: list[str] = []
    n = 0
    for text in itertools.cycle(documents()):
        if n >= words:
            break
        parts.append(text)
        n += len(text.split())
    return "".join(parts)


def stages(nlp: Any, words: int, repeat: int) -> dict[str, Any]:
    """Microseconds a word of every stage, and of writing."""
    from caesura.formats import WriteOptions, write_stream

    text = text_of(words)
    first, *later = nlp.stages
    spent: dict[str, float] = {}
    spent["tokens"], doc = cpu(lambda: first.tokens_of(text), repeat)
    for stage in later:
        spent[stage.title] = cpu(lambda s=stage: s.annotate([doc]), 1)[0]  # type: ignore[misc]
    spent["whole, with CoNLL-U"], doc = cpu(lambda: _parsed(nlp, text), 1)
    spent["writing CoNLL-U"], _ = cpu(
        lambda: write_stream([doc], io.BytesIO(), "conllu", WriteOptions()), repeat
    )
    n = doc.n_words
    return {"words": n, **{name: round(1e6 * value / n, 2) for name, value in spent.items()}}


def _parsed(nlp: Any, text: str) -> Any:
    from caesura.formats import WriteOptions, write_stream

    doc = nlp(text)
    write_stream([doc], io.BytesIO(), "conllu", WriteOptions())
    return doc


def by_threads(nlp: Any, threads: int) -> dict[str, float]:
    """Words a second of the wall clock, and of all cores together."""
    texts = documents()[:100]
    wall, used = time.perf_counter(), time.process_time()
    words = sum(doc.n_words for doc in nlp.pipe(texts, threads=threads))
    wall, used = time.perf_counter() - wall, time.process_time() - used
    return {"threads": threads, "words/s": round(words / wall), "words/CPU s": round(words / used)}


def copied() -> float:
    """Gigabytes that a copy reads and writes in a second, the best of five."""
    source = np.ones(1 << 25, np.uint64)
    target = np.empty_like(source)
    best = min(cpu(lambda: np.copyto(target, source), 1)[0] for _ in range(5))
    return round(2 * source.nbytes / best / 1e9, 1)


def main() -> None:
    import caesura

    args = arguments()
    found: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "copy GB/s": copied(),
        "cache misses": "not told: no counters of the processor are read",
        "device": args.device,
        "models": {},
    }
    for name in args.model or ["en-fast", "en"]:
        nlp = caesura.load(name, device=args.device)
        nlp(text_of(500))
        rows = [stages(nlp, int(size), args.repeat) for size in args.sizes.split(",")]
        scaling = [by_threads(nlp, int(n)) for n in args.threads.split(",")]
        found["models"][name] = {"sizes": rows, "threads": scaling}
    print(json.dumps(found, indent=1))
    if args.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
