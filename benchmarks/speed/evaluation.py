"""Speed of evaluation: a treebank against a plain scorer, and growth up to a million tokens.

    python -m benchmarks.speed.evaluation
    python -m benchmarks.speed.evaluation --gold gold.conllu --system system.conllu

The plain scorer is the reference of tests/reference/evaluate.py, written from the definition of the
CoNLL 2018 scores with one object per word; `--official` times the official script, which is not
part of this project. All run in one process, from the files to the scores, in CPU seconds.
"""

from __future__ import annotations

import gzip
import io
import random
import runpy
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from benchmarks.common import PEERS, cpu, fastest, file_of, options, show

from caesura.document import NO, YES, Document
from caesura.document import ROOT as ROOT_HEAD
from caesura.evaluate import conll18, evaluate
from caesura.formats import read
from tests.reference import evaluate as reference


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")


def scorers(gold: Path, system: Path, repeat: int, official: Path | None) -> list[dict[str, Any]]:
    """From the files to the scores."""

    def plain() -> Any:
        files = [reference.load(io.StringIO(text_of(path))) for path in (gold, system)]
        return reference.conll18(*files)

    works: dict[str, Callable[[], Any]] = {
        "plain scorer": plain,
        "caesura, CoNLL 2018 scores": lambda: conll18(list(read(gold)), list(read(system))),
        "caesura, whole report": lambda: evaluate(list(read(gold)), list(read(system))).as_dict(),
    }
    if official is not None:
        module = SimpleNamespace(**runpy.run_path(str(official)))

        def script() -> Any:
            files = [module.load_conllu(io.StringIO(text_of(path))) for path in (gold, system)]
            return module.evaluate(*files)

        works = {"official scorer": script, **works}
    seconds = fastest(works, repeat)
    base = next(iter(seconds.values()))
    return [{"scorer": n, "CPU s": s, "share": s / base} for n, s in seconds.items()]


WORDS = ["".join(random.Random(i).choices("aeioulnrstdmpkgbvf", k=1 + i % 9)) for i in range(5000)]


def document(forms: list[str]) -> Document:
    """A document of some words, in sentences of twenty that hang from their first word."""
    sizes = np.array([len(form) for form in forms])
    starts = np.cumsum(sizes + 1) - sizes - 1
    doc = Document.from_spans(" ".join(forms), starts, starts + sizes)
    place = np.arange(len(forms))
    begins = place % 20 == 0
    doc.sent_start = np.where(begins, YES, NO).astype(np.int8)
    doc.head = np.where(begins, ROOT_HEAD, place // 20 * 20).astype(np.int32)
    doc.set_column("deprel", ["root" if b else "nsubj" for b in begins.tolist()])
    doc.set_column("upos", ["VERB" if b else "NOUN" for b in begins.tolist()])
    return doc


def story(tokens: int) -> Document:
    """One document of so many made-up words."""
    rng = np.random.default_rng(0)
    return document([WORDS[i] for i in (rng.zipf(1.3, tokens) % len(WORDS)).tolist()])


def changed(doc: Document) -> Document:
    """The same with a tenth of the characters changed and a twentieth of the words missing."""
    rng = np.random.default_rng(1)
    points = np.frombuffer(doc.text.encode("utf-32-le"), dtype=np.uint32).copy()
    places = (points > 96) & (rng.random(len(points)) < 0.1)
    points[places] = rng.integers(97, 123, int(places.sum()))
    text = points.tobytes().decode("utf-32-le")
    spans = list(zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True))
    middle, few = len(spans) // 2, len(spans) // 20
    return document([text[a:b] for a, b in spans[:middle] + spans[middle + few :]])


def growth(sizes: list[int]) -> list[dict[str, Any]]:
    """One document aligned and scored: identical characters, and characters that differ."""
    rows = []
    conll18([story(1000)], [changed(story(1000))])
    for size in sizes:
        gold = story(size)
        for name, system in (("same text", story(size)), ("changed text", changed(gold))):
            seconds = cpu(lambda gold=gold, system=system: conll18([gold], [system]))
            tracemalloc.start()
            scores = conll18([gold], [system])
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            row = {"tokens": size, "what": name, "CPU s": seconds}
            row |= {"µs/token": 1e6 * seconds / size, "bytes/token": peak / size}
            rows.append(row | {"Tokens F1": scores["Tokens"].f1})
    return rows


def main() -> None:
    parser = options(__doc__, "--repeat", "--json")
    parser.add_argument("--gold", type=Path, help="gold CoNLL-U (default: EWT dev)")
    parser.add_argument("--system", type=Path, help="a system's output (default: spaCy's)")
    parser.add_argument("--official", type=Path, help="path of conll18_ud_eval.py")
    parser.add_argument("--largest", type=int, default=1_000_000, help="end of the curve")
    given = parser.parse_args()
    gold = given.gold or file_of("UD_English-EWT", "dev")
    system = given.system or PEERS / "spacy_EWT_dev.conllu.gz"
    found: dict[str, Any] = {}
    if system.exists():
        found["scorers"] = scorers(gold, system, given.repeat, given.official)
    sizes = (1_000, 10_000, 100_000, 300_000, 1_000_000)
    found["growth"] = growth([n for n in sizes if n <= given.largest])
    show(found, given.json)


if __name__ == "__main__":
    main()
