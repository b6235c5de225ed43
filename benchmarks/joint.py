"""The comparisons of Björkelund et al. (2016) on any treebank: tables, tests and figures.

    python benchmarks/joint.py EWT-speech                              # the tables
    python benchmarks/joint.py GUM-speech --only updates --epochs 5 --figures out/
    python benchmarks/joint.py EWT-speech UD_Slovenian-SST --cache tags/ --json
    python benchmarks/joint.py --only switchboard --transfer EWT-speech GUM-speech

Every system learns from nine tenths of the training documents. The last tenth chooses the epoch and
the boundary bias (of parsers) or the threshold (of classifiers), by F1 of sentence starts; the dev
documents are seen once, at the end. Tags are predicted: those of the training documents by
jackknifing, over whole documents for the systems that find boundaries and sentence by sentence for
GOLD; after predicted boundaries GOLD gets the tags of whole documents, so that all systems see the
same ones. Starts* leaves out the first word of each document, which everyone gets right. Tests are
Wilcoxon's, over documents. Treebanks are folders of --data or paths of their own; one without
a dev file gives the last tenth of its documents.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import NO, UNKNOWN, YES, Document
from caesura.evaluate.significance import wilcoxon
from caesura.formats import read, write
from caesura.models.file import save
from caesura.parse import Parse, Parser, SearchOptions, TrainOptions, parser_loop
from caesura.parse.options import UPDATES
from caesura.parse.recipes import recipe_options
from caesura.parse.scores import f1, label_numbers
from caesura.parse.tune import tune_bias
from caesura.tag import (
    Tagger,
    TaggerOptions,
    best_threshold,
    boundary_options,
    start_probabilities,
    train_tagger,
)
from caesura.tag.boundaries import write_starts
from caesura.tag.columns import boundary_chain
from caesura.tag.folds import deal
from caesura.tokenize import RuleTokenizer, TokenizerOptions
from caesura.tokenize import train as train_tokenizer

ROOT = Path(__file__).resolve().parent.parent
EXPERIMENTS = ("tables", "boundaries", "updates", "beams", "syntax", "share", "switchboard")
Docs = list[Document]
Rows = list[dict[str, Any]]


def say(message: str) -> None:
    print(f"{time.process_time():7.0f} s  {message}", file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------------- data


@dataclass
class Data:
    """A treebank with predicted tags: training documents in both regimes, dev documents."""

    name: str
    gold: Docs
    dev: Docs
    options: argparse.Namespace
    documents: Docs = field(default_factory=list)
    sentences: Docs = field(default_factory=list)
    _tagger: Tagger | None = None

    def __post_init__(self) -> None:
        if not self.dev:
            last = max(1, len(self.gold) // 10)
            self.gold, self.dev = self.gold[:-last], self.gold[-last:]
        options = self.options
        paths = [self.path(f"train.jack{view}.conllu") for view in (".doc", "")]
        if not all(path.exists() for path in paths):
            tagged = jackknife(self.gold, options.folds, options.tagger_epochs)
            for path, docs in zip(paths, tagged, strict=True):
                write(docs, path)
        self.documents, self.sentences = (list(read(path)) for path in paths)
        words = sum(doc.n_words for doc in self.gold)
        for docs in (self.documents, self.sentences):
            if sum(doc.n_words for doc in docs) != words:
                raise SystemExit(f"the tagged files of {self.name} in {options.cache} do not fit")
        fold = deal([doc.n_words for doc in self.gold], 10, 1)
        self.held = [k for k, own in enumerate(fold) if own == 0]
        self.rest = [k for k, own in enumerate(fold) if own != 0]

    def path(self, what: str) -> Path:
        """A file of this treebank in the cache."""
        return Path(self.options.cache) / f"{self.name}-{what}"

    @property
    def tagger(self) -> Tagger:
        """The tagger that learned from all training documents."""
        if self._tagger is None:
            path = Path(self.options.cache) / f"{self.name}.tagger"
            if not path.exists():
                save(path, {"tagger": learn_tagger(self.gold, self.options.tagger_epochs).part})
            self._tagger = Tagger.load(path)
        return self._tagger

    def dev_tagged(self, regime: str) -> Docs:
        """The dev documents with predicted tags, of whole documents or of their sentences."""
        path = self.path(f"dev.pred{'.doc' if regime == 'document' else ''}.conllu")
        if not path.exists():
            write(tagged(self.tagger, self.dev, regime), path)
        return list(read(path))

    def of(self, docs: Docs, part: str) -> Docs:
        return [docs[k] for k in getattr(self, part)]


def open_data(name: str, options: argparse.Namespace) -> Data:
    folder = Path(name)
    if not folder.exists():
        folder = options.data / name
    if folder.is_file():
        return Data(folder.name.split(".")[0], list(read(folder)), [], options)
    files = {s: sorted(folder.glob(f"*-{s}.conllu*")) for s in ("train", "dev")}
    if not files["train"]:
        raise SystemExit(f"{folder} has no training file in CoNLL-U")
    short = folder.resolve().name.lower().removeprefix("ud_english-")
    train, dev = ([doc for file in files[s][:1] for doc in read(file)] for s in ("train", "dev"))
    return Data(short, train, dev, options)


def learn_tagger(docs: Docs, epochs: int) -> Tagger:
    feats = any(np.any(doc.feats) for doc in docs)
    chosen = TaggerOptions(epochs=epochs, patience=0, given=("feats",) if feats else ())
    return train_tagger(docs, (), chosen)


def blank(doc: Document, columns: Sequence[str] = ()) -> Document:
    """A copy without sentences, trees and the columns named."""
    marks = np.full(doc.n_tokens, NO, np.int8)
    marks[:1] = YES
    copy = replace(doc, fixed=frozenset(), sent_start=marks)
    copy.head = np.full(doc.n_words, UNKNOWN, np.int32)
    copy.deprel = np.zeros(doc.n_words, np.int32)
    for column in columns:
        setattr(copy, column, np.zeros(doc.n_words, np.int32))
    return copy


def tagged(tagger: Tagger, docs: Docs, regime: Any) -> Docs:
    """Copies with predicted tags; all else is as it was."""
    copies = [replace(doc, fixed=frozenset()) for doc in docs]
    for doc in copies:
        for column in ("upos", "xpos", "feats"):
            setattr(doc, column, np.zeros(doc.n_words, np.int32))
    tagger.tag(copies, regime=regime)
    return copies


def jackknife(docs: Docs, folds: int, epochs: int) -> tuple[Docs, Docs]:
    """Documents tagged by taggers that have not seen them, whole and sentence by sentence."""
    folds = min(folds, len(docs))
    if folds < 2:
        raise SystemExit("jackknifing needs two documents at least")
    fold_of = deal([doc.n_words for doc in docs], folds, 1)
    whole, single = list(docs), list(docs)
    for fold in range(folds):
        held = [k for k, own in enumerate(fold_of) if own == fold]
        tagger = learn_tagger([d for k, d in enumerate(docs) if fold_of[k] != fold], epochs)
        for target, regime in ((whole, "document"), (single, "sentences")):
            for k, doc in zip(held, tagged(tagger, [docs[k] for k in held], regime), strict=True):
                target[k] = doc
        say(f"tagged fold {fold + 1} of {folds}")
    return whole, single


# ---------------------------------------------------------------------------------- systems


def common(data: Data, **changes: Any) -> TrainOptions:
    """What all parsers have in common."""
    chosen = data.options
    search = SearchOptions(beam=chosen.beam)
    return TrainOptions(
        search=search,
        epochs=chosen.epochs,
        breaks=chosen.breaks,
        bits=chosen.bits,
        step=chosen.step,
        dlaso_pa=chosen.dlaso_pa,
        **changes,
    )


def learn(data: Data, system: str) -> Parser:
    """A parser of the paper, its best epoch chosen on the held-out part.

    The cache keeps it, and keeps what an interrupted run has learned so far.
    """
    chosen = data.options
    flat = "" if chosen.breaks else "-flat"
    size = f"e{chosen.epochs}-b{chosen.beam}-r{chosen.bits}{flat}"
    if (chosen.step, chosen.dlaso_pa) != ("pa", "accumulated"):
        size += f"-{chosen.step}-{chosen.dlaso_pa}"
    path = data.path(f"{system}-{size}.caesura")
    if path.exists():
        return Parser.load(path)
    docs = data.sentences if system == "gold" else data.documents
    loop = parser_loop(
        data.of(docs, "rest"),
        data.of(docs, "held"),
        recipe_options(system, common(data)),
        checkpoint=path.with_suffix(".checkpoint"),
        resume=True,
    )
    for event in loop:
        if event.kind == "epoch":
            shown = {k: round(v, 2) for k, v in event.scores.items()}
            say(f"{data.name} {system} epoch {event.epoch} {shown}")
    save(path, {"parser": loop.best["parser"]})
    loop.finish()
    return Parser.load(path)


@dataclass
class Labeller:
    """Sentence starts of words by probability: the CRF over tags and starts, or the tokeniser's."""

    probabilities: Callable[[Docs], list[NDArray[Any]]]
    threshold: float = 0.5

    def starts(self, docs: Docs) -> list[NDArray[np.bool_]]:
        found = [p >= self.threshold for p in self.probabilities(docs)]
        for marks in found:
            marks[:1] = True
        return found

    def tune(self, held: Docs) -> Labeller:
        """The same with the threshold that gives the highest F1."""
        gold = np.concatenate([doc.word_sent_start == YES for doc in held])
        inner = np.concatenate([np.arange(doc.n_words) > 0 for doc in held])
        found = np.concatenate(self.probabilities(held))
        return replace(self, threshold=best_threshold(found, gold, inner)[0])


def crf(data: Data) -> Labeller:
    path = data.path(f"labeller-{data.options.tagger_epochs}.caesura")
    if not path.exists():
        own = replace(
            boundary_options(boundary_chain(data.gold)), epochs=data.options.tagger_epochs
        )
        save(path, {"tagger": train_tagger(data.of(data.gold, "rest"), (), own).part})
    tagger = Tagger.load(path)

    def probabilities(docs: Docs) -> list[NDArray[Any]]:
        ends = np.cumsum([doc.n_words for doc in docs])
        return np.split(start_probabilities(tagger, docs), ends[:-1])

    return Labeller(probabilities)


def by_word(doc: Document, of_tokens: NDArray[Any]) -> NDArray[Any]:
    """Values of tokens on their first words, zero on the others."""
    values = np.zeros(doc.n_words, of_tokens.dtype)
    first = np.searchsorted(doc.word_token, np.arange(doc.n_tokens))
    values[first] = of_tokens
    return values


def period_classifier(data: Data) -> Labeller:
    """The tokeniser's logistic model of sentence starts, on gold tokens."""
    tokenizer = train_tokenizer(
        data.of(data.gold, "rest"), TokenizerOptions(speech=False, lines=False, epochs=5)
    )
    return Labeller(lambda docs: [by_word(doc, tokenizer.evidence(doc)) for doc in docs])


def rules(data: Data) -> Labeller:
    """The splitter by rule, which has nothing to tune."""
    splitter = RuleTokenizer().learn(doc.text for doc in data.of(data.gold, "rest"))

    def starts(docs: Docs) -> list[NDArray[Any]]:
        given = [replace(blank(doc), fixed=frozenset({"tokens"})) for doc in docs]
        return [
            by_word(doc, (splitter.tokenize(one).sent_start == YES).astype(np.float32))
            for doc, one in zip(docs, given, strict=True)
        ]

    return Labeller(starts)


# ----------------------------------------------------------------------------------- scores


@dataclass
class Result:
    """What a system says about the dev documents, counted document by document."""

    system: str
    #: By document: right, found and gold inner starts; words with a known head; right arcs.
    counts: NDArray[np.int64]
    trees: bool

    def row(self) -> dict[str, Any]:
        right, found, gold, words, arcs = self.counts.sum(axis=0).tolist()
        opened = len(self.counts)
        row = {
            "system": self.system,
            "P*": 100 * right / max(1, found),
            "R*": 100 * right / max(1, gold),
            "Starts*": f1(right, found, gold),
            "Starts": f1(right + opened, found + opened, gold + opened),
        }
        return row | ({"LAS": 100 * arcs / max(1, words)} if self.trees else {})

    def by_document(self, metric: str) -> list[float]:
        if metric == "LAS":
            return [100 * arcs / max(1, words) for *_, words, arcs in self.counts.tolist()]
        return [f1(*row[:3]) for row in self.counts.tolist()]


def count(
    system: str,
    gold: Docs,
    starts: Sequence[NDArray[Any]],
    parses: Sequence[Parse] = (),
    labels: Sequence[str] = (),
) -> Result:
    rows = []
    for k, doc in enumerate(gold):
        said, told = starts[k][1:], doc.word_sent_start[1:] == YES
        known, arcs = doc.head != UNKNOWN, 0
        if parses:
            numbers = label_numbers(doc.strings, labels)[doc.deprel]
            same = known & (parses[k].heads == doc.head) & (numbers == parses[k].labels)
            arcs = int(same.sum())
        rows.append(
            (int((said & told).sum()), int(said.sum()), int(told.sum()), int(known.sum()), arcs)
        )
    return Result(system, np.array(rows, np.int64).reshape(-1, 5), bool(parses))


def reparsed(docs: Docs, parser: Parser, starts: Sequence[NDArray[Any]]) -> list[Parse]:
    """Documents split so and parsed by GOLD, sentence by sentence."""
    copies = [blank(doc) for doc in docs]
    for copy, marks in zip(copies, starts, strict=True):
        write_starts(copy, marks)
    return parser.analyse(copies)


def boundaries(data: Data) -> dict[str, Any]:
    """The tables without a second stage: no parser of single sentences is trained."""
    return tables(data, second_stage=False)


def tables(data: Data, *, second_stage: bool = True) -> dict[str, Any]:
    """Boundaries and trees of all systems, untuned and tuned, with their tests."""
    joint = learn(data, "joint")
    nosyntax = learn(data, "nosyntax")
    parser = learn(data, "gold") if second_stage else None
    held = data.of(data.documents, "held")
    dev = [blank(doc) for doc in data.dev_tagged("document")]
    classifiers = {
        "labeller": crf(data),
        "classifier": period_classifier(data),
        "rules": rules(data),
    }
    report: dict[str, Any] = {}
    told = [doc.word_sent_start == YES for doc in data.dev]

    def counted(name: str, docs: Docs, starts: Sequence[NDArray[Any]]) -> Result:
        if parser is None:
            return count(name, data.dev, starts)
        parses = reparsed(docs, parser, starts)
        return count(name, data.dev, starts, parses, parser.inventory.labels)

    gold = [counted("GOLD", data.dev_tagged("sentences"), told)] if second_stage else []
    for state in ("untuned", "tuned"):
        if state == "tuned":
            joint, nosyntax = (
                one.with_search(bias=tune_bias(one, held)[0]) for one in (joint, nosyntax)
            )
            classifiers = {
                name: one if name == "rules" else one.tune(data.of(data.gold, "held"))
                for name, one in classifiers.items()
            }
        found = {name: one.starts(data.dev) for name, one in classifiers.items()}
        found["NOSYNTAX"] = [parse.starts for parse in nosyntax.analyse(dev)]
        parses = joint.analyse(dev)
        found["JOINT-REPARSED"] = [parse.starts for parse in parses]
        results = gold + [counted(name, dev, starts) for name, starts in found.items()]
        starts = found["JOINT-REPARSED"]
        results.insert(-1, count("JOINT", data.dev, starts, parses, joint.inventory.labels))
        if not second_stage:
            del results[-1]
        report[state] = [result.row() for result in results]
        report[f"{state}, p"] = tests(results)
        say(f"{data.name} {state}")
    report["settings"] = [
        {"system": "JOINT", "bias": joint.search.bias},
        {"system": "NOSYNTAX", "bias": nosyntax.search.bias},
        *({"system": n, "threshold": c.threshold} for n, c in classifiers.items() if n != "rules"),
    ]
    return report


def tests(results: Sequence[Result]) -> Rows:
    """JOINT and JOINT-REPARSED against the others, document by document."""
    named = {result.system: result for result in results}
    rows = []
    for system, others in {
        "JOINT": ("labeller", "NOSYNTAX", "classifier", "rules"),
        "JOINT-REPARSED": ("labeller", "NOSYNTAX", "JOINT"),
    }.items():
        for other in others if system in named else ():
            row: dict[str, Any] = {"system": system, "against": other}
            for metric in ("Starts*", "LAS"):
                first, second = named[other], named[system]
                if (system == "JOINT") if metric == "Starts*" else first.trees:
                    better = second.row()[metric] - first.row()[metric]
                    row[f"{metric} difference"] = round(better, 2)
                    row[f"{metric} p"] = wilcoxon(
                        first.by_document(metric), second.by_document(metric)
                    )
            rows.append(row)
    return rows


# ---------------------------------------------------------------------------------- curves


def curve(data: Data, system: str, name: str, **changes: Any) -> Rows:
    """Scores on dev after every epoch, with the share of the gold sequences that was used."""
    alone = system == "gold"
    docs = data.sentences if alone else data.documents
    dev = data.dev_tagged("sentences" if alone else "document")
    base = common(data, chunk=data.options.chunk)
    rows: Rows = []
    start = time.process_time()
    train = docs[: data.options.limit]
    for event in parser_loop(train, dev, recipe_options(system, replace(base, **changes))):
        if event.kind != "epoch":
            continue
        scores = {"Starts*": event.scores["Starts"], "LAS": event.scores.get("LAS")}
        if alone:
            del scores["Starts*"]
        rows.append(
            {"run": name, "epoch": event.epoch}
            | {key: value for key, value in scores.items() if value is not None}
            | {"share": 100 * event.stats["share"], "updates": event.stats["updates"]}
            | {"CPU s": time.process_time() - start}
        )
        say(f"{data.name} {name} {rows[-1]}")
    return rows


def updates(data: Data) -> dict[str, Any]:
    """Figures 3 and 4: all updates at equal epochs, on whole documents."""
    chosen = data.options.updates
    return {"updates": [row for u in chosen for row in curve(data, "joint", u, update=u)]}


def beams(data: Data) -> dict[str, Any]:
    """Figure 5: beam widths under DLaSO and max-violation."""
    rows = []
    for update in ("dlaso", "max-violation"):
        for width in data.options.widths:
            search = SearchOptions(beam=width)
            rows += curve(data, "joint", f"{update}, beam {width}", update=update, search=search)
    return {"beams": rows}


def syntax(data: Data) -> dict[str, Any]:
    """Figure 6: the same learner with trees and with chains of words."""
    names = {"joint": "with syntax", "nosyntax": "without syntax"}
    return {"syntax": [row for s, name in names.items() for row in curve(data, s, name)]}


def share(data: Data) -> dict[str, Any]:
    """Figure 3: what early update and max-violation use of sentences and of documents."""
    rows = []
    for update in ("early", "max-violation"):
        for system, unit in (("gold", "sentences"), ("joint", "documents")):
            rows += curve(data, system, f"{update}, {unit}", update=update)
    return {"share": rows}


# ------------------------------------------------------------------------------ Switchboard

_MARK_UP = re.compile(r"\{[A-Z]+ |<+[^<>]*>+|[][{}+#*()]|--")


def switchboard(folder: Path) -> Docs:
    """Dialogues as documents: words with tags, lower-cased, starts from turns and slash units."""
    texts = [
        (folder / f"{name}.train.txt").read_text("utf-8").strip().split("\n\n")
        for name in ("disfluency", "tagged")
    ]
    return [
        dialogue(number, *pair) for number, pair in enumerate(zip(*texts, strict=True), start=1)
    ]


def dialogue(number: int, disfluency: str, tags: str) -> Document:
    units = dict(line.split(":", 1) for line in disfluency.splitlines() if ":" in line)
    words: list[str] = []
    names: list[str] = []
    marks: list[int] = []
    for line in tags.splitlines():
        turn, _, rest = line.partition(":")
        pairs = [item.rsplit("/", 1) for item in rest.split() if "/" in item]
        own = [(word.lower(), tag) for word, tag in pairs if re.search(r"\w", word)]
        if not own:
            continue
        begins = unit_starts([word for word, _ in own], units.get(turn, ""))
        words += [word for word, _ in own]
        names += [tag.lstrip("^") or "XX" for _, tag in own]
        marks += [YES if n in begins else NO for n in range(len(own))]
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    starts = ends - [len(word) for word in words]
    doc = Document.from_spans(" ".join(words), starts, ends)
    doc.id = f"dialogue-{number}"
    doc.set_column("xpos", names)
    doc.sent_start = np.array(marks, np.int8)
    return doc


def unit_starts(words: Sequence[str], text: str) -> set[int]:
    """The words of a turn that start a unit; the letters of both files are aligned."""
    letters = "".join(re.findall(r"\w", "".join(words)))
    pieces = [re.findall(r"\w", _MARK_UP.sub(" ", p).lower()) for p in text.split("/")]
    plain = "".join("".join(piece) for piece in pieces)
    at = np.cumsum([len(piece) for piece in pieces[:-1]]).tolist()
    if plain != letters:
        matcher = difflib.SequenceMatcher(None, plain, letters, autojunk=False)
        blocks = matcher.get_matching_blocks()
        at = [next((b.b + max(0, a - b.a) for b in blocks if a < b.a + b.size), -1) for a in at]
    offsets = np.cumsum([0] + [len(re.findall(r"\w", word)) for word in words])
    found = {int(np.searchsorted(offsets, a)) for a in at if a >= 0}
    return {0} | {n for n in found if n < len(words)}


def spoken(options: argparse.Namespace) -> dict[str, Any]:
    """The labeller and NOSYNTAX trained on Switchboard, JOINT trained on speech variants."""
    data = Data("switchboard", switchboard(options.data / "Switchboard-sample"), [], options)
    nosyntax = learn(data, "nosyntax")
    labeller = crf(data)
    held = data.of(data.documents, "held")
    others = [open_data(name, options) for name in options.transfer]
    joints = [learn(other, "joint") for other in others]
    report: dict[str, Any] = {}
    for state in ("untuned", "tuned"):
        if state == "tuned":
            nosyntax = nosyntax.with_search(bias=tune_bias(nosyntax, held)[0])
            labeller = labeller.tune(data.of(data.gold, "held"))
        found = {"labeller": labeller.starts(data.dev)}
        dev = [blank(doc) for doc in data.dev_tagged("document")]
        found["NOSYNTAX"] = [parse.starts for parse in nosyntax.analyse(dev)]
        for k, other in enumerate(others):
            if state == "tuned":
                own = tagged(other.tagger, data.of(data.gold, "held"), "document")
                joints[k] = joints[k].with_search(bias=tune_bias(joints[k], own)[0])
            dev = tagged(other.tagger, [blank(doc) for doc in data.dev], "document")
            found[f"JOINT of {other.name}"] = [p.starts for p in joints[k].analyse(dev)]
        report[state] = [count(name, data.dev, s).row() for name, s in found.items()]
    return report


# ------------------------------------------------------------------------------- reporting


def draw(folder: Path, treebank: str, report: dict[str, Rows]) -> None:
    """Curves as figures of the paper: one file for each experiment and metric."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    wanted = {
        "updates": ("Starts*", "LAS", "share"),
        "beams": ("Starts*",),
        "syntax": ("Starts*",),
        "share": ("share",),
    }
    titles = {"Starts*": "F1 of inner sentence starts", "share": "% of the gold sequence used"}
    for experiment, metrics in wanted.items():
        for metric in metrics if experiment in report else ():
            figure, axes = pyplot.subplots(figsize=(6, 4))
            for name in dict.fromkeys(row["run"] for row in report[experiment]):
                own = [row for row in report[experiment] if row["run"] == name and metric in row]
                axes.plot([r["epoch"] for r in own], [r[metric] for r in own], "o-", label=name)
            axes.set_xlabel("epoch")
            axes.set_ylabel(titles.get(metric, metric))
            axes.set_title(treebank)
            axes.legend()
            what = metric.strip("*").lower()
            figure.savefig(folder / f"{treebank}-{experiment}-{what}.svg", bbox_inches="tight")
            pyplot.close(figure)


def table(rows: Rows) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names] + [[_cell(name, row.get(name, "")) for name in names] for row in rows]
    lines = ["| " + " | ".join(line) + " |" for line in cells]
    return "\n".join([lines[0], "|" + "---|" * len(names), *lines[1:]])


def _cell(name: str, value: Any) -> str:
    if isinstance(value, float) and name.endswith(" p"):
        return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("CAESURA_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("treebanks", nargs="*", metavar="TREEBANK")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder of treebanks")
    parser.add_argument("--only", choices=EXPERIMENTS, action="append", help="default: tables")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--tagger-epochs", type=int, default=6)
    parser.add_argument("--folds", type=int, default=5, help="of jackknifing")
    parser.add_argument("--beam", type=int, default=8)
    parser.add_argument("--widths", type=int, nargs="+", default=[1, 4, 8, 16], help="for beams")
    parser.add_argument("--chunk", type=int, default=0, help="sentences of an instance of curves")
    parser.add_argument("--updates", nargs="+", choices=UPDATES, default=UPDATES)
    parser.add_argument("--step", choices=["pa", "perceptron"], default="pa")
    parser.add_argument("--dlaso-pa", choices=["accumulated", "per-update"], default="accumulated")
    parser.add_argument("--limit", type=int, help="training documents of curves, default all")
    parser.add_argument("--bits", type=int, default=20, help="rows of weights, as a power of two")
    parser.add_argument("--breaks", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--transfer", nargs="+", default=["EWT-speech", "GUM-speech"])
    parser.add_argument(
        "--cache", "--tagged", type=Path, help="folder that keeps tagged files and models"
    )
    parser.add_argument("--figures", type=Path, help="draw the curves into this folder")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    chosen = options.only or ["tables"]
    curves: dict[str, Callable[[Data], dict[str, Any]]] = {
        "tables": tables,
        "boundaries": boundaries,
        "updates": updates,
        "beams": beams,
        "syntax": syntax,
        "share": share,
    }
    if not options.treebanks and set(chosen) != {"switchboard"}:
        parser.error("name a treebank")
    reports: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        options.cache = options.cache or Path(temporary)
        options.cache.mkdir(parents=True, exist_ok=True)
        for name in options.treebanks:
            treebank = open_data(name, options)
            report = reports[treebank.name] = {}
            for experiment in chosen:
                if experiment in curves:
                    report |= curves[experiment](treebank)
            if options.figures:
                draw(options.figures, treebank.name, report)
        if "switchboard" in chosen:
            reports["switchboard"] = spoken(options)
    if options.json:
        print(json.dumps(reports))
        return
    for name, report in reports.items():
        for title, rows in report.items():
            print(f"\n## {name}: {title}\n\n{table(rows)}")


if __name__ == "__main__":
    main()
