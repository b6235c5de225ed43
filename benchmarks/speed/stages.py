"""What a word costs, stage by stage, for 10^3 to 10^7 words, against the limits of the machine.

    python -m benchmarks.speed.stages --write
    python -m benchmarks.speed.stages --model en-fast --most 10000000

Raw text, that of EWT dev repeated, is read in blocks and written as CoNLL-U. Each stage is timed in
CPU seconds; shorter texts are parsed several times, of which the fastest counts. A network reads at
most --most-neural words.

For the linear parser, the rows of weights that each transition reads are counted. `used` are their
bytes, `moved` those of the cache lines on which they lie: an upper bound of the memory traffic,
since some lines are cached. The roof is the rate of a copy of a large array in the same run (read
and written).

For networks, the operations (multiplications and additions) of their products of 8-bit matrices are
counted, and the network is timed.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
from benchmarks.common import RESULTS, ROOT, fastest, keep_json, machine, options, text_of

LARGE: Final = ROOT / "packages" / "en-large" / "src" / "caesura_en_large" / "en-large.caesura"
#: Characters of a block of text, as in `peers.py`.
PIECE: Final = 65536
LINE: Final = 64
#: Words of a text that is parsed once.
ONCE: Final = 100_000


# -------------------------------------------------------------------- by stage


class Clocks:
    """Exclusive CPU seconds by name."""

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
        """The same for a generator."""

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
    """Time the stages of a pipeline."""
    first, *later = nlp.stages
    first.pieces = clocks.around_each("tokens", first.pieces)
    for stage in later:
        name = {"a tagger": "tags", "a joint parser": "trees"}.get(stage.title, "trees and tags")
        stage.annotate = clocks.around(name, stage.annotate)
        if hasattr(stage, "_write_given"):
            stage._write_given = clocks.around("lemmas, features", stage._write_given)
        if hasattr(stage, "encoder"):
            stage.encoder._scores = clocks.around("network", stage.encoder._scores)


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
    out = Discarding()
    conllu.write_conllu(count(pieces), out, WriteOptions())
    clocks.leave()
    spent = {name: round(1e6 * value / counted, 2) for name, value in clocks.spent.items()}
    return {"words": counted, **spent, "all": round(1e6 * sum(clocks.spent.values()) / counted, 2)}


class Discarding(io.RawIOBase):
    """A file that discards its data."""

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
    """Rows and bytes that a transition reads, and the rate."""
    from caesura.stages.parse_constraints import no_limits

    parser = nlp.stages[-1]
    docs = [nlp(text_of(5000))]
    batch, bounds = parser.batch(docs)
    report = parser.decoder.decode(*batch, bounds, no_limits())[1]
    work = partial(parser.decoder.decode, *batch, bounds, no_limits())
    best = fastest({"": work}, repeat)[""]
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


# -------------------------------------------------------------------- products


def products(nlp: Any, repeat: int) -> dict[str, Any]:
    """The rate of operations in products of 8-bit matrices."""
    parser = nlp.stages[-1]
    arrays = parser.network.arrays
    products = [array for array in arrays.values() if array.dtype == np.int8 and array.ndim == 2]
    inner = sum(array.size for array in products if array is not arrays["encoder.pieces.weight"])
    doc = nlp(text_of(2000))
    encoder = parser.encoder
    best = fastest({"": lambda: encoder.scores(doc)}, repeat)[""]
    read = encoder._read(doc)
    spans = read.pointer[read.windows[:, 1]] - read.pointer[read.windows[:, 0]] + 2
    subwords, words = int(spans.sum()), doc.n_words
    return {
        "GOP/s within the network": round(2.0 * inner * subwords / best / 1e9, 1),
        "million operations a word": round(2.0 * inner * subwords / words / 1e6, 1),
        "microseconds a word in the network": round(1e6 * best / words, 1),
        "sub-words read a word": round(subwords / words, 2),
    }


def copied() -> float:
    """Gigabytes per second that a copy reads and writes, the best of five."""
    source = np.ones(1 << 25, np.uint64)
    target = np.empty_like(source)
    best = fastest({"": lambda: np.copyto(target, source)}, 5)[""]
    return round(2 * source.nbytes / best / 1e9, 1)


def main() -> None:
    import caesura

    parser = options(__doc__, "--model", "--repeat", "--write")
    parser.add_argument("--most", type=int, default=1_000_000, help="words of the longest text")
    parser.add_argument("--most-neural", type=int, default=10_000, help="the same for a network")
    given = parser.parse_args()
    names = given.model or ["en-fast", "en", *([str(LARGE)] if LARGE.exists() else [])]
    found: dict[str, Any] = {
        **machine(),
        "copy GB/s": copied(),
        "models": {},
    }
    for model in names:
        nlp = caesura.load(model)
        nlp(text_of(500))
        neural = hasattr(nlp.stages[-1], "encoder")
        of: dict[str, Any] = {}
        if neural:
            of["products"] = products(nlp, given.repeat)
        elif hasattr(nlp.stages[-1], "decoder"):
            of["memory"] = traffic(nlp, given.repeat)
        of["sizes"] = by_size(nlp, given.most_neural if neural else given.most, given.repeat)
        found["models"][nlp.name] = of
    found["copy GB/s"] = max(found["copy GB/s"], copied())
    print(json.dumps(found, indent=1))
    if given.write:
        keep_json(RESULTS / "speed.json", found)


if __name__ == "__main__":
    main()
