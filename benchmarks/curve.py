"""Speed against accuracy of a linear model: what each beam and margin costs and gives.

    python benchmarks/curve.py --model en-fast
    python benchmarks/curve.py --model my.caesura --points 1,4:0.1,16:0.3 --json

A point is the width of the beam, or width:margin; 1 is greedy. From raw text to CoNLL-U with all
columns on EWT and GUM; with given tokens on their copies without case and punctuation. Speed is
words per CPU second on EWT's dev text, best of --repeat rounds in which the points take turns.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from typing import Any

from data import file_of
from parsing_speed import search_of, table_of

from caesura.document import Document
from caesura.evaluate.conll import conll18
from caesura.evaluate.quick import boundaries
from caesura.formats import conllu, read
from caesura.formats.options import WriteOptions
from caesura.pipeline import Pipeline, load

POINTS = "1,2:0.05,4:0.05,4:0.1,4:0.2,8:0.1,8:0.2,16:0.2,16:0.3"
RAW = ("EWT", "GUM")
SPEECH = ("EWT-speech", "GUM-speech")


def accuracy(nlp: Pipeline, gold: dict[str, list[Document]]) -> dict[str, float]:
    found = {}
    for name, docs in gold.items():
        if name in SPEECH:
            system = list(nlp.pipe(docs, keep=("tokens",)))
            found[f"{name} starts"] = boundaries(docs, system)["Starts"].f1
        else:
            system = list(nlp.pipe([doc.text for doc in docs]))
        scores = conll18(docs, system)
        if name not in SPEECH:
            found[f"{name} Sent"] = scores["Sentences"].f1
        found[f"{name} LAS"] = scores["LAS"].f1
    return found


def seconds(nlp: Pipeline, text: str) -> tuple[float, int]:
    """CPU seconds from a text to the bytes of CoNLL-U, and the words."""
    clock = time.process_time()
    doc = nlp(text)
    conllu.write_conllu([doc], io.BytesIO(), WriteOptions())
    return time.process_time() - clock, doc.n_words


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en-fast")
    parser.add_argument("--points", default=POINTS)
    parser.add_argument("--treebanks", default=",".join(RAW + SPEECH))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    nlp = load(args.model)
    points = {point: nlp.with_search(**search_of(point)) for point in args.points.split(",")}
    gold = {name: list(read(file_of(name, "dev"))) for name in args.treebanks.split(",")}
    text = "\n\n".join(doc.text for doc in read(file_of("EWT", "dev")))
    best = dict.fromkeys(points, float("inf"))
    words = 0
    for round_ in range(args.repeat + 1):
        for point, one in points.items():
            took, words = seconds(one, text)
            if round_:  # the first is for the compiler and the caches
                best[point] = min(best[point], took)
    rows: list[dict[str, Any]] = []
    for point, one in points.items():
        row: dict[str, Any] = {"beam": point, "words/s": round(words / best[point])}
        row |= {name: round(value, 2) for name, value in accuracy(one, gold).items()}
        rows.append(row)
        if args.json:
            print(json.dumps(row), flush=True)
    if not args.json:
        print(table_of(rows))


if __name__ == "__main__":
    main()
