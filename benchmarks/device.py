"""A neural model on the processor and on a graphics card: speed and accuracy, in one run.

    python benchmarks/device.py --model en --treebank EWT
    python benchmarks/device.py --model multi --repeat 4 --json results.json

Raw text of the dev split, one document after the other. Seconds are of the
clock, since a card does what no CPU second counts; the best of the rounds counts. `network` is the
time of the scores alone. What differs between the two is rounding: on a card activations are not
put into 8 bits.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from data import file_of

import caesura
from caesura.document import Document
from caesura.evaluate import conll18
from caesura.formats import read
from caesura.neural.parser import NeuralParser


def measure(
    model: str, device: str, gold: list[Document], repeat: int, rounds: int
) -> dict[str, Any]:
    """Words a second and scores of a model on a device."""
    nlp = caesura.load(model, device=device)
    texts = [doc.text for doc in gold] * repeat
    found = [nlp(text) for text in texts[: len(gold)]]  # which also warms it up
    parser = next(stage for stage in nlp.stages if isinstance(stage, NeuralParser))
    seconds, alone = [], []
    for _ in range(rounds):
        clock = time.perf_counter()
        for text in texts:
            nlp(text)
        seconds.append(time.perf_counter() - clock)
        clock = time.perf_counter()
        for doc in found:
            parser.encoder.scores(doc)
        alone.append((time.perf_counter() - clock) * repeat)
    words = sum(doc.n_words for doc in gold) * repeat
    scores = conll18(gold, found)
    names = ("Sentences", "Words", "UPOS", "LAS")
    return {
        "device": device,
        "words": words,
        "words a second": round(words / min(seconds)),
        "network, words a second": round(words / min(alone)),
        **{name: round(float(scores[name].f1), 2) for name in names},
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--treebank", default="EWT")
    parser.add_argument("--devices", nargs="+", default=["cpu", "cuda"])
    parser.add_argument("--repeat", type=int, default=1, help="how often the text is read")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    gold = list(read(file_of(given.treebank, "dev")))
    rows = []
    for device in given.devices:
        rows.append(measure(given.model, device, gold, given.repeat, given.rounds))
        print(json.dumps(rows[-1]), flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
