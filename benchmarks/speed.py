"""What a word costs, stage by stage, for 10^3 to 10^7 words, and how far that is from the machine.

    python benchmarks/speed.py --write
    python benchmarks/speed.py --model en-fast --most 10000000

Raw text, that of EWT dev over and over, comes in blocks and leaves as CoNLL-U, as in `peers.py`;
clocks stand around the stages, all in CPU seconds, and a shorter text goes through several times,
of which the best counts. A network reads no more than --most-neural words.

Of the linear parser it is counted how many rows of weights each transition asks for. `used` are
their bytes, `moved` those of the cache lines that they lie on, which is the most that memory may
have to give: what is in a cache already does not come from there. Beside it stands what a copy of a
large array moves in the same run (read and written): the roof. Where `perf` reads the counters of
the processor, the cache misses are told too.

Of the networks it is counted how many operations their products of 8-bit matrices have, and how
long the network takes. Operations are multiplications and additions.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from cost import copied, text_of

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "speed.json"
LARGE: Final = ROOT / "packages" / "en-large" / "src" / "caesura_en_large" / "en-large.caesura"
#: Characters of a block of text, as in `peers.py`.
PIECE: Final = 65536
LINE: Final = 64
#: Words of a text that goes through once.
ONCE: Final = 100_000
COUNTERS: Final = ("cache-references", "cache-misses", "LLC-load-misses")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", action="append", help="may be repeated; else all English ones")
    parser.add_argument("--most", type=int, default=1_000_000, help="words of the longest text")
    parser.add_argument("--most-neural", type=int, default=10_000, help="the same of a network")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="keep the figures")
    parser.add_argument("--parse", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# -------------------------------------------------------------------- by stage


class Clocks:
    """CPU seconds by name; what is timed within another does not count for that one."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._open: list[str] = []
        self._since = 0.0

    def enter(self, name: str) -> None:
        self._stop()
        self._open.append(name)

    def leave(self) -> None:
        self._stop()
        self._open.pop()

    def _stop(self) -> None:
        now = time.process_time()
        if self._open:
            last = self._open[-1]
            self.spent[last] = self.spent.get(last, 0.0) + now - self._since
        self._since = now

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **options: Any) -> Any:
            self.enter(name)
            try:
                return work(*args, **options)
            finally:
                self.leave()

        return timed

    def around_each(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same for what gives one thing after the other."""

        def timed(*args: Any, **options: Any) -> Iterator[Any]:
            found = iter(work(*args, **options))
            while True:
                self.enter(name)
                try:
                    one = next(found)
                except StopIteration:
                    return
                finally:
                    self.leave()
                yield one

        return timed


def set_up(nlp: Any, clocks: Clocks) -> None:
    """Put clocks around the stages of a pipeline of our own."""
    first, *later = nlp.stages
    first.pieces = clocks.around_each("tokens", first.pieces)
    for stage in later:
        name = {"a tagger": "tags", "a joint parser": "trees"}.get(stage.title, "trees and tags")
        stage.annotate = clocks.around(name, stage.annotate)
        if hasattr(stage, "_write_given"):
            stage._write_given = clocks.around("lemmas, features", stage._write_given)
        if hasattr(stage, "encoder"):
            stage.encoder._run = clocks.around("network", stage.encoder._run)


def through(nlp: Any, clocks: Clocks, words: int) -> dict[str, Any]:
    """Text of so many words as CoNLL-U: microseconds a word by stage."""
    from caesura.formats import conllu
    from caesura.formats.options import WriteOptions

    text = text_of(min(words, ONCE))
    times = max(1, round(words / ONCE))
    blocks = (text[at : at + PIECE] for _ in range(times) for at in range(0, len(text), PIECE))
    counted = 0

    def count(docs: Any) -> Iterator[Any]:
        nonlocal counted
        for doc in docs:
            counted += doc.n_words
            yield doc

    clocks.spent = {}
    clocks.enter("writing")
    pieces = clocks.around_each("between stages", nlp.stream)(blocks)
    out = Bottomless()
    conllu.write_conllu(count(pieces), out, WriteOptions())
    clocks.leave()
    spent = {name: round(1e6 * value / counted, 2) for name, value in clocks.spent.items()}
    return {"words": counted, **spent, "all": round(1e6 * sum(clocks.spent.values()) / counted, 2)}


class Bottomless(io.RawIOBase):
    """A file that forgets what is written to it."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


def by_size(nlp: Any, most: int, repeat: int) -> list[dict[str, Any]]:
    """A row for each power of ten."""
    clocks = Clocks()
    set_up(nlp, clocks)
    rows = []
    size = 1000
    while size <= most:
        tries = [through(nlp, clocks, size) for _ in range(repeat if size < ONCE else 1)]
        rows.append(min(tries, key=lambda row: float(row["all"])))
        print(json.dumps(rows[-1]), file=sys.stderr)
        size *= 10
    return rows


# ------------------------------------------------------------------ memory bus


def traffic(nlp: Any, repeat: int) -> dict[str, Any]:
    """Rows and bytes that a transition asks for, and how quickly they come."""
    from caesura.stages.parse_constraints import no_limits

    parser = nlp.stages[-1]
    docs = [nlp(text_of(5000))]
    batch, bounds = parser.batch(docs)
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        report = parser.decoder.decode(*batch, bounds, no_limits())[1]
        best = min(best, time.process_time() - began)
    _, full, short, held = report.reads
    scored, steps = report.scored, report.all_steps
    rows = full + short + held
    width = parser.rows.width
    lines = rows + full * -(-width // LINE) + short
    used = 8 * rows + full * width + 16 * short
    words = int(bounds[-1])
    return {
        "words": words,
        "microseconds a word": round(1e6 * best / words, 2),
        "steps a word": round(steps / words, 2),
        "transitions scored a word": round(scored / words, 2),
        "rows a transition": round(rows / scored, 1),
        "bytes used a transition": round(used / scored),
        "bytes moved a transition": round(LINE * lines / scored),
        "GB used a second": round(used / best / 1e9, 2),
        "GB moved a second": round(LINE * lines / best / 1e9, 2),
        "MB of rows": round(parser.rows.nbytes / 1e6, 1),
    }


def cache_misses(model: str, words: int) -> dict[str, Any] | str:
    """Counters of the processor over one run of a text, less those of a start without it."""
    perf = shutil.which("perf")
    if perf is None:
        return "not told: there is no perf"
    found = []
    for size in (words, 1):
        command = [sys.executable, __file__, "--model", model, "--parse", str(size)]
        asked = [perf, "stat", "-x", ",", "-e", ",".join(COUNTERS), *command]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        rows = [line.split(",") for line in done.stderr.splitlines() if line.count(",") > 3]
        counted = {row[2]: int(row[0]) for row in rows if row[0].isdigit()}
        if not counted:
            return "not told: perf reads no counters of this processor"
        found.append(counted)
    return {
        f"{name} a word": round((found[0][name] - found[1].get(name, 0)) / words, 2)
        for name in found[0]
    }


# -------------------------------------------------------------------- products


def products(nlp: Any, repeat: int) -> dict[str, Any]:
    """How quickly the network runs for the products of 8-bit matrices that it has."""
    parser = nlp.stages[-1]
    arrays = parser.network.arrays
    products = [array for array in arrays.values() if array.dtype == np.int8 and array.ndim == 2]
    inner = sum(array.size for array in products if array is not arrays["encoder.pieces.weight"])
    doc = nlp(text_of(2000))
    encoder = parser.encoder
    best = min(_seconds(lambda: encoder.scores(doc)) for _ in range(repeat))
    read = encoder._reading(doc)
    spans = read.pointer[read.windows[:, 1]] - read.pointer[read.windows[:, 0]] + 2
    subwords, words = int(spans.sum()), doc.n_words
    return {
        "GOP/s within the network": round(2.0 * inner * subwords / best / 1e9, 1),
        "million operations a word": round(2.0 * inner * subwords / words / 1e6, 1),
        "microseconds a word in the network": round(1e6 * best / words, 1),
        "sub-words read a word": round(subwords / words, 2),
    }


def _seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


# ------------------------------------------------------------------------ main


def main() -> None:
    import caesura

    args = arguments()
    if args.parse:
        caesura.load(args.model[0])(text_of(args.parse))
        return
    names = args.model or ["en-fast", "en", *([str(LARGE)] if LARGE.exists() else [])]
    found: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "copy GB/s": copied(),
        "cache misses": cache_misses(names[0], 20_000),
        "models": {},
    }
    for model in names:
        nlp = caesura.load(model)
        nlp(text_of(500))
        neural = hasattr(nlp.stages[-1], "encoder")
        of: dict[str, Any] = {}
        if neural:
            of["products"] = products(nlp, args.repeat)
        elif hasattr(nlp.stages[-1], "decoder"):
            of["memory"] = traffic(nlp, args.repeat)
        of["sizes"] = by_size(nlp, args.most_neural if neural else args.most, args.repeat)
        found["models"][nlp.name] = of
    found["copy GB/s"] = max(found["copy GB/s"], copied())
    print(json.dumps(found, indent=1))
    if args.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
