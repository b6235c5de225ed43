"""Writes the network of a model anew, with products that are fast and lose nothing by it.

    python benchmarks/smoothing.py src/caesura/models/en.caesura -o en.caesura
    python benchmarks/smoothing.py large.caesura -o new.caesura --product out,ff1,ff2 --score EWT

How far each channel of the network's activations goes is measured on stretches of the raw texts of
CAESURA_TEXT, as they are and as transcripts; see `caesura.neural.smoothing`. Weights are those of
the file, rounded anew. Nothing else in the file changes; `card_speed.py` measures how fast it is
now. With --score it is compared on the dev files of treebanks with what it was, with itself in
floats and with all products fast as they are: from raw text, or from tokens where a treebank is of
speech.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from card_speed import OWN
from data import TEXT, file_of
from numpy.typing import NDArray

from caesura.document import Document
from caesura.evaluate.conll import conll18
from caesura.evaluate.quick import boundaries
from caesura.formats import read
from caesura.models.file import load as load_file
from caesura.models.file import save
from caesura.neural.parser import NeuralParser
from caesura.pipeline import load
from caesura.tokenize.tokenizer import Tokenizer
from caesura.train import Report
from caesura.train.raw import read_raw
from caesura.transform import speech

#: Stretches that are taken of a text, and characters of each.
STRETCHES: Final = 4
SIZE: Final = 2000
METRICS: Final = ("Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--product", default="ff1,ff2", help="of out, ff1, ff2")
    parser.add_argument("--score", help="treebanks to compare on")
    return parser.parse_args()


def stretches(tokenizer: Tokenizer, files: Sequence[str | Path]) -> Iterator[Document]:
    """Some tokens of every text, and the same as a transcript has them."""
    for docs in read_raw([str(path) for path in files], Report()).values():
        step = max(1, len(docs) // STRETCHES)
        for doc in docs[::step][:STRETCHES]:
            middle = max(0, (len(doc.text) - SIZE) // 2)
            (found,) = tokenizer.pipe([doc.text[middle : middle + SIZE]])
            yield found
            spoken = speech(found, whole_tokens=True)
            if spoken.n_words:
                yield spoken


def graphs(
    parser: NeuralParser, docs: Iterable[Document], products: Sequence[str]
) -> dict[str, NDArray[np.uint8]]:
    """The network with these products smoothed, with all fast and none smoothed, and in floats."""
    from caesura.neural.export import ExportOptions, to_onnx
    from caesura.neural.restore import restore
    from caesura.neural.smoothing import divisors

    known = restore(parser.graph.tobytes())
    own = known.options
    fast = replace(own, exact=own.exact - {*products}, divisors={})
    ways: dict[str, ExportOptions] = {
        "smoothed": replace(fast, divisors=divisors(parser, docs, products)),
        "fast": fast,
        "floats": replace(own, plain=True),
    }
    return {
        name: np.frombuffer(to_onnx(known.weights, known.shape, options), np.uint8)
        for name, options in ways.items()
    }


def scores(model: Path, gold: list[Document], spoken: bool) -> dict[str, float]:
    """Those of a treebank, by name."""
    nlp = load(str(model))
    texts = gold if spoken else [doc.text for doc in gold]
    system = list(nlp.pipe(texts, keep=("tokens",) if spoken else ()))
    found = conll18(gold, system)
    own = {"Starts": boundaries(gold, system)["Starts"].f1} if spoken else {}
    return own | {name: found[name].f1 for name in METRICS}


def main() -> None:
    args = arguments()
    file = load_file(args.model)
    parser = NeuralParser.from_part(file.parts["neural"])
    tokenizer = Tokenizer.from_part(file.parts["tokenizer"])
    docs = stretches(tokenizer, sorted(TEXT.glob("*.txt.gz")))
    made = graphs(parser, docs, args.product.split(","))
    meta = {name: value for name, value in file.meta.items() if name not in OWN}

    def write(way: str, path: Path) -> Path:
        old = file.parts["neural"]
        parts = {**file.parts, "neural": replace(old, arrays={**old.arrays, "graph": made[way]})}
        save(path, parts, meta=meta, card=file.card, kind=file.kind)
        return path

    write("smoothed", args.output)
    with tempfile.TemporaryDirectory() as folder:
        models = {"as it was": args.model, "smoothed": args.output}
        if args.score:
            models |= {way: write(way, Path(folder) / way) for way in ("fast", "floats")}
        for treebank in args.score.split(",") if args.score else ():
            gold = list(read(file_of(treebank, "dev")))
            for way, model in models.items():
                row = scores(model, gold, treebank.endswith("-speech"))
                told = " ".join(f"{name} {value:.2f}" for name, value in row.items())
                print(f"{treebank}, {way}: {told}", flush=True)


if __name__ == "__main__":
    main()
