"""Parsing speed on one core: words per CPU second, and time and memory a word in long documents.

    python benchmarks/parsing_speed.py
    python benchmarks/parsing_speed.py --model model.caesura --sizes 10000,1000000 --json

The joint parser is compared in the same run with the parser of UDPipe 1 (ufal.udpipe), trained on a
hundred sentences: its network, and so its speed, is that of a model trained on all. Without --model
a parser is trained on part of the treebank; for the speed its weights do not matter, its labels
and templates do. Times are of parsing alone, on tokens that are tagged, best of --repeat.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from data import file_of


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--train", help="a treebank's file (default: that of EWT)")
    parser.add_argument("--dev", help="a treebank's file (default: that of EWT)")
    parser.add_argument("--model", help="a trained joint parser")
    parser.add_argument("--documents", type=int, default=120, help="to train on without --model")
    parser.add_argument(
        "--beams", default="1,8,16,16:0.3,16:0.2", help="widths of the beam, or width:margin"
    )
    parser.add_argument("--sizes", default="10000,100000,1000000", help="words of long documents")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--no-udpipe", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def the_parser(args: argparse.Namespace) -> Any:
    from caesura import formats
    from caesura.parse import Parser, ParserTrainer, TrainOptions

    if args.model:
        return Parser.load(args.model)
    docs = [doc for doc, _ in zip(formats.read(args.train), range(args.documents), strict=False)]
    print(f"training on {sum(map(len, docs))} words …", file=sys.stderr)
    trainer = ParserTrainer(docs, (), TrainOptions(epochs=2))
    for epoch in (1, 2):
        trainer.epoch(epoch)
    return trainer.parser()


def udpipe(path: str) -> Callable[[], None] | None:
    """A function that parses the dev sentences with UDPipe 1, or None without it."""
    try:
        from ufal.udpipe import InputFormat, Model, ProcessingError, Sentence, Trainer
    except ImportError:
        return None
    import gzip

    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:  # type: ignore[operator]
        text = file.read()

    def sentences(limit: int | None = None) -> list[Any]:
        reader = InputFormat.newConlluInputFormat()
        reader.setText(text)
        found = []
        error = ProcessingError()
        while limit is None or len(found) < limit:
            sentence = Sentence()
            if not reader.nextSentence(sentence, error):
                break
            found.append(sentence)
        return found

    from ufal.udpipe import Sentences

    few = Sentences()
    for sentence in sentences(100):
        few.push_back(sentence)
    error = ProcessingError()
    settings = "iterations=1;use_gold_tags=1;embedding_form_file=;hidden_layer=200"
    blob = Trainer.train("morphodita_parsito", few, Sentences(), "none", "none", settings, error)
    if error.occurred():
        print(f"UDPipe: {error.message}", file=sys.stderr)
        return None
    with tempfile.TemporaryDirectory() as folder:
        file_name = os.path.join(folder, "parser.udpipe")
        Path(file_name).write_bytes(blob)
        model = Model.load(file_name)
    todo = sentences()

    def parse() -> None:
        for sentence in todo:
            model.parse(sentence, "")

    return parse


def peak_memory() -> float:
    """The largest memory of this process so far, in MB."""
    try:
        import resource
    except ImportError:
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def cpu(work: Callable[[], object]) -> float:
    clock = time.process_time()
    work()
    return time.process_time() - clock


def search_of(beam: str) -> dict[str, Any]:
    """`16` is a beam of 16, `16:0.3` one that opens where the best leads by less than 0.3."""
    width, _, margin = beam.partition(":")
    return {"beam": int(width), "margin": float(margin or "inf")}


def compare(parser: Any, docs: Sequence[Any], args: argparse.Namespace) -> list[dict[str, Any]]:
    """Words per CPU second of each system, interleaved so that noise meets all of them."""
    from caesura.stages.parse_constraints import no_limits

    words = sum(doc.n_words for doc in docs)
    systems: dict[str, Callable[[], object]] = {}
    batch, bounds = parser.batch(docs)
    for beam in args.beams.split(","):
        decoder = parser.with_search(**search_of(beam)).decoder
        name = "greedy" if beam == "1" else f"beam {beam}"
        systems[name] = lambda decoder=decoder: decoder.decode(*batch, bounds, no_limits())
    other = None if args.no_udpipe else udpipe(args.dev)
    if other is not None:
        systems["UDPipe 1"] = other
    best = dict.fromkeys(systems, float("inf"))
    for name, work in systems.items():
        if name != "UDPipe 1":
            work()  # compiled, and the table is in memory
    for _ in range(args.repeat):
        for name, work in systems.items():
            best[name] = min(best[name], cpu(work))
    base = words / best["UDPipe 1"] if "UDPipe 1" in best else None
    return [
        {
            "system": name,
            "words": words,
            "words_per_second": round(words / seconds),
            "times_udpipe": round(words / seconds / base, 2) if base else None,
        }
        for name, seconds in best.items()
    ]


def grow(parser: Any, docs: Sequence[Any], args: argparse.Namespace) -> list[dict[str, Any]]:
    """Time and memory a word of one document of each size, made of the dev words repeated."""
    from caesura.stages.parse_constraints import no_limits
    from caesura.stages.word_table import FIRST_WORD, Words

    parts = [parser.words(doc) for doc in docs]
    table = np.concatenate([part.table[FIRST_WORD:] for part in parts])
    context = np.concatenate([part.context for part in parts])
    head = parts[0].table[:FIRST_WORD]
    found = []
    for beam in args.beams.split(","):
        search = search_of(beam)
        for size in map(int, args.sizes.split(",")):
            rows = np.arange(size) % len(table)
            words = Words(np.concatenate([head, table[rows]]), context[rows])
            bounds = np.array([0, size], np.int64)
            decoder = parser.with_search(**search).decoder
            repeat = args.repeat if size * search["beam"] < 1_000_000 else max(1, args.repeat // 2)
            best = min(
                cpu(lambda d=decoder, w=words, b=bounds: d.decode(*w, b, no_limits()))
                for _ in range(repeat)
            )
            found.append(
                {
                    "beam": beam,
                    "words": size,
                    "microseconds_a_word": round(1e6 * best / size, 2),
                    "peak_memory_mb": round(peak_memory()),
                }
            )
    return found


def table_of(rows: list[dict[str, Any]]) -> str:
    names = list(rows[0])
    cells = [names] + [["" if v is None else str(v) for v in row.values()] for row in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(names))]
    return "\n".join(
        "  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells
    )


def main() -> None:
    from caesura import formats

    args = arguments()
    args.train = args.train or str(file_of("UD_English-EWT", "train"))
    args.dev = args.dev or str(file_of("UD_English-EWT", "dev"))
    parser = the_parser(args)
    docs = list(formats.read(args.dev))
    result = {"speed": compare(parser, docs, args), "growth": grow(parser, docs, args)}
    if args.json:
        print(json.dumps(result))
        return
    for title, rows in result.items():
        print(f"\n{title}\n{table_of(rows)}")


if __name__ == "__main__":
    main()
