"""Grammar induction over treebanks: the papers' tables, with their figures beside ours.

    python benchmarks/induction.py        # every treebank of a language of the papers
    python benchmarks/induction.py --treebanks WSJ CDT-Danish --table models
    python benchmarks/induction.py --table speed

Trees are looked at for scoring only. Without a dev split the last tenth of the training data is
held out; without training data the grammar is induced on dev and marked with *. Accuracy is
directed, the root counted, marks left out, all lengths (and up to ten words).
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from caesura.document import Document
from caesura.formats import read
from caesura.induce import Grammar, InduceOptions, Inducer, charts, supervised
from caesura.induce.analyses import boundaries
from caesura.induce.baselines import (
    accuracy,
    attach_left,
    attach_right,
    filtered,
    punctuation_as_words,
    random_trees,
)
from caesura.induce.contexts import MODELS
from caesura.induce.corpus import corpus, gold_heads, word_classes
from caesura.induce.recipes import recipe
from caesura.induce.sentences import Sentences
from caesura.induce.tables import Tables, empty, normalise

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("CAESURA_DATA", ROOT.parent / "shared" / "data"))

#: Folder; column of the classes; style of heads; figures of S12, table 8 (DMV, DBM-1, DBM-2,
#: DBM-3, with inference), or of the nearest treebank there; None where there are none.
TREEBANKS: dict[str, tuple[str, str, str, tuple[float, ...] | None]] = {
    "WSJ": ("WSJ-sample", "xpos", "any", None),
    "CDT-Danish": ("CDT-Danish", "upos", "any", (22.4, 21.3, 19.9, 21.8, 22.2)),
    "CoNLL-Spanish": ("CoNLL-Spanish", "upos", "any", (22.0, 25.0, 26.7, 27.1, 28.2)),
    "CoNLL2007-Basque": ("CoNLL2007-Basque", "upos", "any", (32.7, 34.1, 33.0, 32.7, 33.3)),
    "English-EWT": ("UD_English-EWT", "upos", "content", (32.3, 29.2, 28.6, 29.0, 29.6)),
    "English-GUM": ("UD_English-GUM", "upos", "content", (32.3, 29.2, 28.6, 29.0, 29.6)),
    "Arabic-PADT": ("UD_Arabic-PADT", "upos", "content", (36.6, 43.9, 44.0, 44.4, 44.9)),
    "Basque-BDT": ("UD_Basque-BDT", "upos", "content", (32.7, 34.1, 33.0, 32.7, 33.3)),
    "Bulgarian-BTB": ("UD_Bulgarian-BTB", "upos", "content", (24.7, 59.4, 63.6, 64.6, 65.2)),
    "Catalan-AnCora": ("UD_Catalan-AnCora", "upos", "content", (41.1, 61.3, 61.1, 61.1, 62.1)),
    "Chinese-GSD": ("UD_Chinese-GSD", "upos", "content", (55.3, 56.8, 57.0, 57.1, 57.0)),
    "Czech-CLTT": ("UD_Czech-CLTT", "upos", "content", (34.5, 50.5, 51.2, 53.3, 54.2)),
    "Dutch-LassySmall": ("UD_Dutch-LassySmall", "upos", "content", (44.9, 45.9, 46.5, 46.0, 46.6)),
    "German-GSD": ("UD_German-GSD", "upos", "content", (27.7, 36.3, 37.9, 38.4, 39.1)),
    "Greek-GDT": ("UD_Greek-GDT", "upos", "content", (36.3, 28.1, 26.1, 26.1, 26.9)),
    "Hungarian-Szeged": ("UD_Hungarian-Szeged", "upos", "content", (23.6, 43.2, 52.1, 57.4, 58.2)),
    "Italian-ParTUT": ("UD_Italian-ParTUT", "upos", "content", (25.5, 41.7, 39.8, 39.9, 40.7)),
    "Japanese-GSD": ("UD_Japanese-GSD", "upos", "content", (42.2, 22.8, 22.7, 22.7, 22.7)),
    "Portuguese-Bosque": (
        "UD_Portuguese-Bosque",
        "upos",
        "content",
        (37.1, 68.9, 72.3, 71.1, 72.4),
    ),
    "Slovenian-SST": ("UD_Slovenian-SST", "upos", "content", (33.4, 30.4, 33.0, 34.1, 35.2)),
    "Swedish-Talbanken": (
        "UD_Swedish-Talbanken",
        "upos",
        "content",
        (30.7, 48.6, 50.3, 50.0, 50.7),
    ),
    "Turkish-IMST": ("UD_Turkish-IMST", "upos", "content", (58.5, 44.6, 44.2, 43.7, 44.8)),
}


def load(name: str, data: Path) -> tuple[list[Document], list[Document], bool]:
    """Training and test documents, and whether the two are the same."""
    folder = data / TREEBANKS[name][0]
    files = sorted(folder.glob("*.conll*.gz"))
    train = [f for f in files if "train" in f.name]
    dev = [f for f in files if "dev" in f.name]
    test = [doc for f in dev for doc in read(f)]
    if not train:
        return test, test, True
    docs = [doc for f in train for doc in read(f)]
    if test:
        return docs, test, False
    if len(docs) >= 10:
        held = max(1, len(docs) // 10)
        return docs[:-held], docs[-held:], False
    whole = Document.join(docs) if len(docs) > 1 else docs[0]
    bounds = whole.sentence_bounds
    at = int(bounds[len(bounds) * 9 // 10])
    return [whole.cut(0, at)], [whole.cut(at, whole.n_tokens)], False


class Bench:
    """A treebank made ready: sentences, classes and gold heads of the test part."""

    def __init__(self, name: str, data: Path) -> None:
        _, self.column, self.heads, self.paper = TREEBANKS[name]
        self.train, self.test, self.same = load(name, data)
        self.words = corpus(self.train, word_classes(self.column), marks=self.column)
        self.held = corpus(
            self.test, word_classes(self.column), marks=self.column, names=self.words.names[1:]
        )
        self.gold, _ = gold_heads(self.test, self.held)

    def induce(self, **settings: Any) -> tuple[Grammar, float]:
        options = InduceOptions(**{"classes": self.column, "heads": "any", **settings})
        clock = time.process_time()
        grammar = Inducer(self.train, options).run()
        return grammar, time.process_time() - clock

    def score(self, grammar: Grammar, constraint: str = "none") -> tuple[float, float]:
        seen = replace(grammar, marks=self.column)
        words = seen.prepare(self.test)
        heads = seen.heads(words.sentences, constraint)
        return (
            round(accuracy(words.sentences, heads, self.gold), 1),
            round(accuracy(words.sentences, heads, self.gold, 10), 1),
        )

    def of(self, heads: Any) -> float:
        return round(accuracy(self.held.sentences, heads, self.gold), 1)


def models(bench: Bench) -> dict[str, Any]:
    """DMV and DBM-1 in the standard set-up, the curriculum, sprawl decoding, our recipe."""
    row: dict[str, Any] = {}
    for model in ("dmv", "dbm1", "dbm2"):
        grammar, _ = bench.induce(recipe="standard", model=model)
        row[model] = bench.score(grammar)[0]
    grammar, seconds = bench.induce(recipe="curriculum")
    row["dbm3"], row["dbm3@10"] = bench.score(grammar)
    row["+sprawl"] = bench.score(grammar, "sprawl")[0]
    row["seconds"] = round(seconds, 1)
    grammar, seconds = bench.induce(recipe="short-first", heads=bench.heads)
    row["short-first"] = bench.score(grammar, "sprawl")[0]
    row["seconds "] = round(seconds, 1)
    if bench.paper:
        row["paper"] = " ".join(f"{x:.1f}" for x in bench.paper)
    return row


def baselines(bench: Bench) -> dict[str, Any]:
    """Chains, random trees, marks as words, the supervised DMV with and without sprawl."""
    words = bench.held.sentences
    grammar = supervised(bench.train, bench.words, "dmv", source=bench.column, marks=bench.column)
    stages = recipe("basic", model="dmv", constraint="none")
    row: dict[str, Any] = {
        "left": bench.of(attach_left(words)),
        "right": bench.of(attach_right(words)),
        "random": bench.of(random_trees(words)),
        "supervised": bench.score(grammar)[0],
        "+sprawl": bench.score(grammar, "sprawl")[0],
        "10-best, sprawl": bench.of(filtered(words, grammar.tables, 10, "sprawl")),
    }
    for name, leaves in (("marks as leaves", True), ("marks as words", False)):
        kept, ours, gold = punctuation_as_words(
            bench.train, bench.test, bench.column, stages, leaves=leaves
        )
        row[name] = round(accuracy(kept.sentences, ours, gold), 1)
    return row


def factorial(bench: Bench) -> dict[str, Any]:
    """Constraints in training by constraints in decoding (S11, experiment 2)."""
    names = ("none", "thread", "tear", "sprawl", "loose")
    row: dict[str, Any] = {}
    for training in names:
        grammar, _ = bench.induce(recipe="basic", model="dmv", constraint=training)
        row[training] = " ".join(f"{bench.score(grammar, d)[0]:.1f}" for d in names)
    return row


def spread(bench: Bench, seeds: int = 5) -> dict[str, Any]:
    """Mean, spread and extremes over seeds of the recipes that draw trees at random."""
    row: dict[str, Any] = {}
    for name, settings in (
        ("dmv", {"recipe": "standard", "model": "dmv"}),
        ("dbm1", {"recipe": "standard", "model": "dbm1"}),
        ("curriculum", {"recipe": "curriculum"}),
    ):
        found = [
            bench.score(bench.induce(**settings, seed=seed)[0], "sprawl")[0]
            for seed in range(1, seeds + 1)
        ]
        row[name] = f"{np.mean(found):.1f}±{np.std(found):.1f} ({min(found)}–{max(found)})"
    return row


def untagged(bench: Bench) -> dict[str, Any]:
    """Classes learnt from the words, nothing of the annotation used."""
    grammar, seconds = bench.induce(classes="30", marks="unicode", heads=bench.heads)
    return {
        "short-first, 30 classes": bench.score(grammar, "sprawl")[0],
        "seconds": round(seconds, 1),
    }


def constraints(bench: Bench) -> dict[str, Any]:
    """Share of fragments that satisfy each constraint; predictors of stops."""
    found = boundaries(bench.train, bench.column)
    row = dict(found["fragments"]["satisfied"])
    row.update({f"{k} (literal)": v for k, v in found["fragments"]["satisfied_literally"].items()})
    row.update({f"R² {r['predictor']}": r["r2"] for r in found["stop_predictors"]})
    return row


def elsewhere(data: Path) -> dict[str, Any]:
    """Out of domain: induced on EWT, scored on GUM dev."""
    bench = Bench("English-EWT", data)
    grammar, _ = bench.induce(recipe="short-first", heads="content")
    other = Bench("English-GUM", data)
    return {
        "EWT to GUM": other.score(grammar, "sprawl")[0],
        "EWT": bench.score(grammar, "sprawl")[0],
    }


def speed() -> list[dict[str, Any]]:
    """Sentences a CPU second of the E-step and of the best tree, 17 classes, one thread."""
    rng = np.random.default_rng(0)
    rows = []
    for model, constraint in (("dmv", "none"), ("dbm3", "loose")):
        shape = empty(MODELS[model], 17)
        random = Tables(*(rng.random(t.shape) for t in shape[:4]), shape.fringe)
        tables = normalise(random, MODELS[model], 0.1)
        for n in (5, 10, 15, 20, 40, 80, 160):
            count = max(20, 40_000_000 // (n**3 * 20 + 5000))
            marks = [np.cumsum(rng.random(n) < 0.12).tolist() for _ in range(count)]
            words = Sentences.of(rng.integers(0, 17, (count, n)).tolist(), marks)
            row: dict[str, Any] = {"model": model, "constraint": constraint, "length": n}
            for name, work in (
                ("E-step", partial(charts.expect, words, tables, MODELS[model], constraint)),
                ("best", partial(charts.best, words, tables, constraint)),
            ):
                work()
                times = []
                for _ in range(3):
                    clock = time.process_time()
                    work()
                    times.append(time.process_time() - clock)
                row[name] = round(count / max(min(times), 1e-9))
                row[f"{name} µs/n³"] = round(1e6 * min(times) / count / n**3, 4)
            rows.append(row)
    return rows


TABLES = {
    "models": models,
    "baselines": baselines,
    "factorial": factorial,
    "spread": spread,
    "untagged": untagged,
    "constraints": constraints,
}


def show(rows: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [columns, *([str(row.get(c, "")) for c in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--treebanks", nargs="+", default=list(TREEBANKS), choices=list(TREEBANKS))
    parser.add_argument("--table", default="models", choices=[*TABLES, "speed", "elsewhere"])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    if options.table == "speed":
        rows = speed()
    elif options.table == "elsewhere":
        rows = [elsewhere(options.data)]
    else:
        for name in options.treebanks:
            bench = Bench(name, options.data)
            rows.append(
                {"treebank": name + ("*" if bench.same else ""), **TABLES[options.table](bench)}
            )
            if not options.json:
                show(rows[-1:])
    if options.table == "models" and len(rows) > 1:
        keys = ("dmv", "dbm1", "dbm2", "dbm3", "dbm3@10", "+sprawl", "short-first")
        rows.append(
            {
                "treebank": "mean",
                **{k: round(float(np.mean([r[k] for r in rows])), 1) for k in keys},
            }
        )
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        print()
        show(rows)


if __name__ == "__main__":
    main()
