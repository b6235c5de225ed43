"""Selectional branching measured as in its paper: two tables, six figures, and a beam to compare.

    python benchmarks/branching.py                                   # CDT-Danish
    python benchmarks/branching.py --treebank UD_English-EWT --rounds 4,4
    python benchmarks/branching.py --train train.conllu --dev dev.conllu --save model.caesura
    python benchmarks/branching.py --model model.caesura --dev dev.conllu --only beams --plots out/
    python benchmarks/branching.py --treebank all --only table5

A treebank without a dev set gives the last tenth of its training sentences. Scores are on gold
sentences with the tags of the files and, as in the paper, without words that are punctuation only
unless --punctuation is given; the epoch is chosen by the LAS of all dev words. Times are CPU
seconds, best of --repeat runs, reading excluded.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from data import DATA, ROOT, file_of, find_file

from caesura.document import YES, Document
from caesura.formats import read
from caesura.learn.branching_parser import BEAMS, MARGINS, BranchTraining, branching_loop
from caesura.models.file import save
from caesura.stages.branching_parser import COUNTERS, BranchingParser, BranchOptions
from caesura.stages.parse_constraints import label_numbers
from caesura.stages.tree_parser import Parse
from caesura.stages.word_table import cut

sys.path.insert(0, str(ROOT))
from research import hybrid_beam

TREEBANKS = (
    "CDT-Danish",
    "UD_Dutch-LassySmall",
    "UD_Swedish-LinES",
    "UD_Swedish-Talbanken",
    "UD_Slovenian-SST",
    "CoNLL2007-Basque",
    "UD_English-EWT",
)
#: Treebanks whose sentences may have several roots.
SEVERAL_ROOTS = ("CDT-Danish", "CoNLL2007-Basque")
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 80)
Row = dict[str, Any]


# ------------------------------------------------------------------------ data


def documents(path: Path) -> list[Document]:
    return [plain_features(doc) for doc in read(str(path)) if doc.n_words]


def plain_features(doc: Document) -> Document:
    """Without features that number the words, which some treebanks have."""
    features = doc.column("feats")
    if any("id=" in f for f in features):
        kept = ("|".join(p for p in f.split("|") if not p.startswith("id=")) for f in features)
        doc.set_column("feats", list(kept))
    return doc


def sentences(docs: Sequence[Document]) -> list[Document]:
    """Every sentence as a document of its own."""
    found = []
    for doc in docs:
        starts = [*np.flatnonzero(doc.sent_start == YES).tolist(), doc.n_tokens]
        found += [doc.cut(a, b) for a, b in itertools.pairwise(starts)]
    return found


def load_treebank(folder: Path, limit: int | None) -> tuple[list[Document], list[Document]]:
    train, held = documents(file_of(folder, "train")), find_file(folder, "dev")
    if held is not None:
        dev = documents(held)
    else:
        every = sentences(train)
        cut_at = len(every) * 9 // 10
        train, dev = every[:cut_at], every[cut_at:]
    if limit:
        train = sentences(train)[:limit]
    return train, dev


# --------------------------------------------------------------------- scoring


def counted_words(doc: Document, punctuation: bool) -> np.ndarray:
    if punctuation:
        return np.ones(doc.n_words, bool)
    return np.array([any(c.isalnum() for c in form) for form in doc.column("form")], bool)


def accuracy(
    docs: Sequence[Document], parses: Sequence[Parse], labels: Sequence[str], punctuation: bool
) -> Row:
    total = heads = both = 0
    for doc, parse in zip(docs, parses, strict=True):
        words = counted_words(doc, punctuation)
        same = words & (parse.heads == doc.head)
        right = label_numbers(doc.strings, labels)[doc.deprel] == parse.labels
        total += int(words.sum())
        heads += int(same.sum())
        both += int((same & right).sum())
    return {"LAS": 100 * both / total, "UAS": 100 * heads / total}


def best_time(run: Callable[[], Any], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times)


class Bench:
    """A parser and the dev data, prepared once."""

    def __init__(
        self, parser: BranchingParser, dev: Sequence[Document], punctuation: bool, repeat: int
    ) -> None:
        self.parser, self.dev = parser, dev
        self.punctuation, self.repeat = punctuation, repeat
        bounds, tables = [np.zeros(1, np.int64)], []
        for doc in dev:
            own = np.append(np.flatnonzero(doc.word_sent_start == YES), doc.n_words)
            tables.append(cut(parser.words(doc), own.astype(np.int64)).table)
            bounds.append(own[1:] + bounds[-1][-1])
        self.table = np.concatenate(tables)
        self.bounds = np.concatenate(bounds).astype(np.int64)

    def scores(self, parser: BranchingParser) -> Row:
        parses = parser.analyse(self.dev)
        return accuracy(self.dev, parses, parser.inventory.labels, self.punctuation)

    def row(self, **search: Any) -> Row:
        """Scores, counts and speed of branching with these options."""
        parser = self.parser.with_search(**search)
        told = self.scores(parser)
        seconds = best_time(lambda: parser.decode(self.table, self.bounds), self.repeat)
        return told | self.speed(seconds) | parser.counters

    def beam(self, width: int, score: str, memory: bool = True) -> hybrid_beam.Found:
        """What an ordinary beam search finds, by the sum of logarithms or the mean chance."""
        parser = self.parser.with_search(beam=width, score=score, memory=memory)
        return hybrid_beam.decode(parser, self.table, self.bounds)

    def beam_parses(
        self, width: int, score: str, memory: bool = True
    ) -> tuple[list[Parse], dict[str, int]]:
        """The same as parses of the documents, and its counters."""
        trees = self.beam(width, score, memory)
        offset = np.repeat(self.bounds[:-1], np.diff(self.bounds))
        heads = np.where(trees.heads >= 0, trees.heads + offset, -1)
        parses, at = [], 0
        for doc, found in zip(self.dev, self.parser.analyse(self.dev), strict=True):
            own = heads[at : at + doc.n_words]
            found.heads = np.where(own >= 0, own - at, -1).astype(np.int32)
            found.labels = trees.labels[at : at + doc.n_words]
            parses.append(found)
            at += doc.n_words
        return parses, trees.counters

    def beam_row(self, width: int, score: str) -> Row:
        """The same of an ordinary beam search."""
        parses, counters = self.beam_parses(width, score)
        seconds = best_time(lambda: self.beam(width, score), self.repeat)
        told = accuracy(self.dev, parses, self.parser.inventory.labels, self.punctuation)
        return told | self.speed(seconds) | counters

    def speed(self, seconds: float) -> Row:
        sentences_ = len(self.bounds) - 1
        return {
            "s/sent": seconds / sentences_,
            "words/s": int(self.bounds[-1] / seconds),
            "evals/sent": 0,
        }


# --------------------------------------------------------------------- reports


def table4(bench: Bench, beams: Sequence[int]) -> list[Row]:
    """Table 4 of the paper, and figures 5 and time by beam: accuracy and cost by beam."""
    rows = []
    for beam in beams:
        row = bench.row(beam=beam)
        row["evals/sent"] = row["evaluations"] / row["sentences"]
        row["one-best %"] = 100 * row["one_best"] / row["sentences"]
        row["bound"] = row["bound"] / row["sentences"]
        keep = ("LAS", "UAS", "s/sent", "words/s", "evals/sent", "bound", "one-best %")
        rows.append({"beam": beam} | {name: row[name] for name in keep})
    return rows


def against_beam(bench: Bench, beams: Sequence[int]) -> list[Row]:
    """Branching and ordinary beam search with the same model and width."""
    rows = []
    for beam in beams:
        ours = bench.row(beam=beam)
        for score in ("sum", "mean"):
            other = bench.beam_row(beam, score)
            rows.append(
                {
                    "beam": beam,
                    "LAS": ours["LAS"],
                    "beam search's": other["LAS"],
                    "by": score,
                    "evaluations": ours["evaluations"],
                    "of beam search": other["evaluations"],
                    "fewer": other["evaluations"] / ours["evaluations"],
                    "faster": ours["words/s"] / other["words/s"],
                }
            )
    return rows


def by_margin(bench: Bench, margins: Sequence[float], beams: Sequence[int]) -> list[Row]:
    """Figure 3: LAS by margin, for each beam."""
    rows: list[Row] = []
    for margin in margins:
        rows.append({"margin": margin})
        for beam in beams:
            parser = bench.parser.with_search(beam=beam, margin=margin)
            rows[-1][f"beam {beam}"] = bench.scores(parser)["LAS"]
    return rows


def by_length(bench: Bench) -> list[Row]:
    """Figure 6: transitions of greedy decoding by length of the sentence."""
    parser = bench.parser.with_search(beam=1)
    steps: dict[int, list[int]] = {}
    bounds = bench.bounds
    for k in range(len(bounds) - 1):
        a, b = int(bounds[k]), int(bounds[k + 1])
        _, counts = parser.decode(bench.table[a + 2 * k : b + 2 * k + 2], np.array([0, b - a]))
        steps.setdefault(b - a, []).append(int(counts[COUNTERS.index("steps")]))
    return _by_length(steps)


def _by_length(steps: dict[int, list[int]]) -> list[Row]:
    return [
        {"length": n, "sentences": len(steps[n]), "transitions": float(np.mean(steps[n]))}
        for n in sorted(steps)
    ]


def training_lengths(steps: np.ndarray, lengths: np.ndarray) -> list[Row]:
    """Figure 1: transitions of the oracle by length of the training sentence."""
    found: dict[int, list[int]] = {}
    for n, count in zip(lengths.tolist(), steps.tolist(), strict=True):
        found.setdefault(n, []).append(count)
    return _by_length(found)


def show(title: str, rows: Sequence[Row]) -> None:
    print(f"\n{title}")
    if not rows:
        return
    print("  ".join(f"{name:>15}" for name in rows[0]))
    for row in rows:
        print("  ".join(_cell(value) for value in row.values()))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:>15.5f}" if abs(value) < 0.1 else f"{value:>15.2f}"
    return f"{value!s:>15}"


def plot(folder: Path, name: str, x: str, rows: Sequence[Row], ys: Sequence[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(5, 3.5))
    for y in ys:
        axes.plot([row[x] for row in rows], [row[y] for row in rows], marker=".", label=y)
    axes.set_xlabel(x)
    if len(ys) > 1:
        axes.legend()
    else:
        axes.set_ylabel(ys[0])
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg")
    pyplot.close(figure)


def log_fit(rows: Sequence[Row]) -> Row:
    """How well evaluations follow the logarithm of the beam, and how well the beam itself."""
    y = np.array([row["evals/sent"] for row in rows])
    told = {}
    for name, x in (
        ("log2 beam", np.log2([row["beam"] for row in rows])),
        ("beam", np.array([float(row["beam"]) for row in rows])),
    ):
        told[f"r2 of {name}"] = float(np.corrcoef(x, y)[0, 1] ** 2)
    return told


# ------------------------------------------------------------------------ main


def train(
    name: str, train_docs: Sequence[Document], dev: Sequence[Document], args: argparse.Namespace
) -> tuple[BranchingParser, list[Row], list[Row]]:
    roots = "root" if name in SEVERAL_ROOTS else "single-root"
    search = BranchOptions(beam=args.beam, margin=args.margin, headless=args.headless or roots)
    options = BranchTraining(
        search=search,
        rounds=args.rounds,
        folds=args.folds,
        bits=args.bits,
        learner=args.learner,
    )
    loop = branching_loop(train_docs, dev, options)
    trainer: Any = loop.trainer
    lengths = training_lengths(trainer.steps, np.diff(trainer.gold.bounds))
    rows = []
    for event in loop:
        if event.kind == "epoch":
            greedy = trainer.parser().with_search(beam=1)
            found = accuracy(dev, greedy.analyse(dev), greedy.inventory.labels, args.punctuation)
            told = event.scores | {f"greedy {key}": value for key, value in found.items()}
            stats = {k: event.stats[k] for k in ("round", "states", "loss", "wrong")}
            rows.append({"iteration": event.epoch, **stats, **told})
            print(f"  {name} epoch {event.epoch}: LAS {event.scores['LAS']:.2f}", flush=True)
    show(f"{name}: greedy parsing, before and after bootstrapping", bootstrapped(rows))
    return BranchingParser.from_part(loop.best["parser"]), rows, lengths


def bootstrapped(rows: Sequence[Row]) -> list[Row]:
    """The best greedy epoch of each round."""
    rounds: dict[int, Row] = {}
    for row in rows:
        best = rounds.get(int(row["round"]))
        if best is None or row["greedy LAS"] > best["greedy LAS"]:
            rounds[int(row["round"])] = row
    names = ("iteration", "greedy LAS", "greedy UAS")
    return [{"round": r} | {name: row[name] for name in names} for r, row in rounds.items()]


def one_treebank(name: str, args: argparse.Namespace) -> dict[str, Any]:
    only = set(args.only)
    if args.train or args.dev:
        dev = documents(Path(args.dev))
        train_docs = documents(Path(args.train)) if args.train else []
        if args.sentences and train_docs:
            train_docs = sentences(train_docs)[: args.sentences]
    else:
        train_docs, dev = load_treebank(args.data / name, args.sentences)
    told: dict[str, Any] = {"treebank": name}
    if args.model:
        parser, iterations, lengths = BranchingParser.load(args.model), [], []
    else:
        parser, iterations, lengths = train(name, train_docs, dev, args)
        told["iterations"], told["figure1"] = iterations, lengths
        show(f"{name}: by iteration (figure 4)", iterations)
    if args.save:
        save(args.save, {"parser": parser.to_part()})
    if args.waves:
        parser = parser.with_search(waves=args.waves)
    bench = Bench(parser, dev, args.punctuation, args.repeat)
    bench.row(beam=1)
    if only & {"table5", "all"}:
        pair = [{"beam": beam} | bench.row(beam=beam) for beam in (1, args.beam)]
        told["table5"] = [{k: row[k] for k in ("beam", "LAS", "UAS", "words/s")} for row in pair]
        show(f"{name}: greedy and branching (table 5)", told["table5"])
    if only & {"beams", "all"}:
        told["table4"] = table4(bench, WIDTHS)
        show(f"{name}: by beam (table 4, figure 5)", told["table4"])
        told["growth"] = log_fit(told["table4"])
        print(told["growth"])
    if only & {"versus", "all"}:
        told["versus"] = against_beam(bench, [w for w in (4, 16, 64) if w <= max(args.versus)])
        show(f"{name}: against ordinary beam search", told["versus"])
    if only & {"margins", "all"}:
        told["figure3"] = by_margin(bench, MARGINS, BEAMS[:3])
        show(f"{name}: LAS by margin (figure 3)", told["figure3"])
    if only & {"lengths", "all"}:
        told["figure6"] = by_length(bench)
        longest = [row for row in told["figure6"] if row["length"] % 10 == 0]
        show(f"{name}: transitions by length in decoding (figure 6)", longest)
    if args.plots:
        draw(args.plots / name, told)
    return told


def draw(folder: Path, told: dict[str, Any]) -> None:
    """The figures for which there are rows; the paper's figure 2 is a drawing of the method."""
    for key, name, x, ys in (
        ("figure1", "figure1", "length", ["transitions"]),
        ("figure3", "figure3", "margin", [f"beam {beam}" for beam in BEAMS[:3]]),
        ("iterations", "figure4", "iteration", ["LAS", "UAS", "greedy LAS"]),
        ("figure6", "figure6", "length", ["transitions"]),
    ):
        if told.get(key):
            plot(folder, name, x, told[key], ys)
    if told.get("table4"):
        plot(folder, "figure5", "beam", told["table4"], ["evals/sent", "bound"])
        plot(folder, "time", "beam", told["table4"], ["s/sent"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--treebank", nargs="+", default=["CDT-Danish"], help="names, or `all`")
    parser.add_argument("--train", help="a training file instead of a treebank")
    parser.add_argument("--dev", help="a dev file instead of a treebank's")
    parser.add_argument("--model", help="measure this model instead of training one")
    parser.add_argument("--save", help="write the trained model here")
    parser.add_argument(
        "--only",
        nargs="+",
        default=["all"],
        choices=["all", "table5", "beams", "versus", "margins", "lengths"],
    )
    parser.add_argument(
        "--rounds",
        type=lambda text: tuple(int(part) for part in text.split(",")),
        default=BranchTraining.rounds,
        help="epochs of the first model and of each bootstrap",
    )
    parser.add_argument("--folds", type=int, default=1, help="parts for bootstrapping")
    parser.add_argument("--learner", default="logistic", choices=["logistic", "perceptron", "svm"])
    parser.add_argument("--headless", choices=["single-root", "root", "clearnlp"])
    parser.add_argument("--beam", type=int, default=64)
    parser.add_argument(
        "--versus", type=int, nargs="+", default=[16], help="widest beam to compare"
    )
    parser.add_argument("--margin", type=float, default=0.88)
    parser.add_argument("--waves", type=int, help="branch from the best branch, too")
    parser.add_argument("--bits", type=int, default=BranchTraining.bits)
    parser.add_argument("--sentences", type=int, help="train on the first so many only")
    parser.add_argument("--punctuation", action="store_true", help="score punctuation, too")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--plots", type=Path, help="draw the figures into this folder")
    parser.add_argument("--json", type=Path, help="write all rows here")
    args = parser.parse_args()
    names = list(TREEBANKS) if args.treebank == ["all"] else args.treebank
    if args.dev:
        names = [Path(args.dev).name]
    told = [one_treebank(name, args) for name in names]
    if args.json:
        args.json.write_text(json.dumps(told, indent=1, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


if __name__ == "__main__":
    main()
