"""A neural model on the processor and on a graphics card: speed and accuracy, in one run.

    python -m benchmarks.speed.device --model en
    python -m benchmarks.speed.device --model multi --repeat 4 --write

Raw text of EWT dev, one document after the other. Seconds are those of the clock, since CPU seconds
do not include the card; the fastest round counts. `network` is the time of the scores alone. On a
card activations are not rounded to 8 bits, so the outputs differ by rounding.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.common import RESULTS, conll, dev_docs, keep_json, options, show

import caesura
from caesura.document import Document
from caesura.stages.network import NeuralParser


def clock(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(model: str, device: str, gold: list[Document], repeat: int) -> dict[str, Any]:
    """Words per second and scores of a model on a device."""
    nlp = caesura.load(model, device=device)
    found = [nlp(doc.text) for doc in gold]  # which also warms it up
    parser = nlp.stage(NeuralParser)
    assert parser is not None
    seconds = min(clock(lambda: [nlp(doc.text) for doc in gold]) for _ in range(repeat))
    alone = min(clock(lambda: [*map(parser.encoder.scores, found)]) for _ in range(repeat))
    words = sum(doc.n_words for doc in gold)
    return {
        "device": device,
        "words": words,
        "words a second": round(words / seconds),
        "network, words a second": round(words / alone),
        **conll(gold, found, ("Sentences", "Words", "UPOS", "LAS")),
    }


def main() -> None:
    parser = options(__doc__, "--model", "--treebank", "--repeat", "--write")
    parser.add_argument("--devices", nargs="+", default=["cpu", "cuda"])
    given = parser.parse_args()
    (model,), (treebank,) = given.model or ["en"], given.treebank or ["EWT"]
    gold = dev_docs(treebank)
    rows = [measure(model, device, gold, given.repeat) for device in given.devices]
    show(rows)
    if given.write:
        keep_json(RESULTS / "device.json", rows)


if __name__ == "__main__":
    main()
