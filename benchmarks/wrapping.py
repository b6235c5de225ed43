"""How many sentence boundaries move when the lines of a text are broken elsewhere.

    python benchmarks/wrapping.py                       # the bundled models, EWT and GUM dev
    python benchmarks/wrapping.py my.caesura --widths 40 60 80 100 --treebanks EWT

Each document of a dev split goes through the model as raw text, as the treebank has it and wrapped
at widths from 40 to 100, where nothing but blanks become newlines. A boundary that only one of the
two analyses has has moved; the share is of the boundaries of the text as it was. Sentences F1 of
both are beside it, so that a model which never moves because it never splits is seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from data import file_of

from caesura.document import YES, Document
from caesura.evaluate import evaluate
from caesura.formats import read
from caesura.pipeline import Pipeline, load
from caesura.transform import hard_wrapped

WIDTHS = (40, 55, 72, 85, 100)


def starts(doc: Document) -> set[int]:
    """The offsets at which sentences start, but for the first."""
    return {*doc.token_start[1:][doc.sent_start[1:] == YES].tolist()}


def parsed(model: Pipeline, texts: Sequence[str]) -> list[Document]:
    return list(model.pipe(texts))


def sentences(gold: Sequence[Document], found: Sequence[Document]) -> float:
    return float(evaluate(gold, found).scores["Sentences"].f1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("models", nargs="*", default=["en", "en-fast"])
    parser.add_argument("--treebanks", nargs="+", default=["UD_English-EWT", "UD_English-GUM"])
    parser.add_argument("--widths", nargs="*", type=int, default=WIDTHS)
    parser.add_argument("--documents", type=int, help="take the first so many of each")
    options = parser.parse_args()
    print(f"{'model':24} {'treebank':16} {'width':>6} {'moved':>7} {'of':>6} {'%':>6} {'Sent':>6}")
    for name in options.models:
        model = load(name)
        for treebank in options.treebanks:
            gold = [
                doc for doc in read(file_of(treebank, "dev")) if doc.n_tokens and doc.text.strip()
            ][: options.documents]
            plain = parsed(model, [doc.text for doc in gold])
            known = [starts(doc) for doc in plain]
            count = sum(map(len, known))
            line = f"{name:24.24} {treebank.removeprefix('UD_English-'):16}"
            print(f"{line} {'as is':>6} {'':7} {count:6} {'':6} {sentences(gold, plain):6.2f}")
            for width in options.widths:
                copies = [hard_wrapped(doc, width) for doc in gold]
                found = parsed(model, [copy.text for copy in copies])
                moved = sum(
                    len(before ^ starts(after)) for before, after in zip(known, found, strict=True)
                )
                share = 100 * moved / max(1, count)
                score = sentences(copies, found)
                print(f"{line} {width:6} {moved:7} {count:6} {share:6.2f} {score:6.2f}", flush=True)


if __name__ == "__main__":
    main()
