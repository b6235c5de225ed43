"""Jobs of Björkelund et al. (2016): learning curves, and the systems of their tables.

Every system learns from nine tenths of the training documents. The last tenth chooses the epoch and
the boundary bonus (of parsers) or the threshold (of classifiers), by F1 of sentence starts; the dev
documents are used once, at the end. Tags are predicted: those of the training documents by
jackknifing, over whole documents for the systems that find boundaries and sentence by sentence for
GOLD; after predicted boundaries GOLD gets the tags of whole documents, so that all systems have the
same ones. Starts* leaves out the first word of each document. Tests are Wilcoxon's, over documents.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.papers.joint.data import Data, open_data
from benchmarks.papers.joint.switchboard import spoken
from benchmarks.papers.joint.systems import crf, learn
from benchmarks.papers.joint.tables import boundaries, calibration, count, tables
from benchmarks.papers.templates import JOINT_TEMPLATES

from caesura.learn.joint_parser import ParserTrainer, recipe_options
from caesura.parse import SearchOptions, TrainOptions

#: Called with the results so far, after every epoch.
Write = Callable[[dict[str, Any]], None]
#: Epochs whose parser is scored; the paper's curves are as steep at first and as flat later.
SCORED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)


def settings(cache: Path, data: Path, **changes: Any) -> Namespace:
    """The settings of an experiment."""
    base: dict[str, Any] = {
        "epochs": 6,
        "tagger_epochs": 6,
        "folds": 5,
        "beam": 8,
        "bits": 20,
        "breaks": True,
        "step": "perceptron",
        "dlaso_pa": "in-turn",
    }
    return Namespace(cache=cache, data=data, **base | changes)


def tags(write: Write, cache: Path, data: Path, *, treebank: str, **changes: Any) -> None:
    """Jackknife a treebank and tag its dev documents; the other jobs find them in the cache."""
    found = open_data(treebank, settings(cache, data, **changes))
    documents = len(found.documents)
    for regime in ("document", "sentences"):
        found.dev_tagged(regime)
    write({"rows": [], "documents": documents, "dev": len(found.dev)})


def curve(
    write: Write,
    cache: Path,
    data: Path,
    *,
    treebank: str,
    system: str = "joint",
    limit: int | None = None,
    epochs: int,
    beam: int = 8,
    paper_templates: bool = False,
    folds: int = 5,
    **changes: Any,
) -> None:
    """Scores on dev by epoch, and by document after the last one."""
    found = open_data(treebank, settings(cache, data, folds=folds))
    alone = system == "gold"
    train = (found.sentences if alone else found.documents)[:limit]
    dev = found.dev_tagged("sentences" if alone else "document")
    options = TrainOptions(search=SearchOptions(beam=beam), epochs=epochs, **changes)
    if paper_templates:
        options = replace(options, templates=JOINT_TEMPLATES)
    options = recipe_options(system, options)
    options = replace(options, search=options.in_use())
    trainer = ParserTrainer(train, (), options)
    told: dict[str, Any] = {
        "documents": len(train),
        "words": sum(doc.n_words for doc in train),
        "instances": len(trainer.instances(1)),
        "rows": [],
    }
    learned = 0.0
    for epoch in range(1, epochs + 1):
        begin = time.process_time()
        stats = trainer.epoch(epoch)
        learned += time.process_time() - begin
        row = {"epoch": epoch, "seconds": round(learned, 1)}
        row |= {key: round(float(value), 4) for key, value in stats.items()}
        if epoch in SCORED or epoch == epochs:
            parser = trainer.parser()
            parses = parser.analyse(dev)
            starts = [parse.starts for parse in parses]
            result = count(system, dev, starts, parses, parser.inventory.labels)
            scores = result.row()
            wanted = [] if alone else ["Starts*", "P*", "R*"]
            wanted += [] if system == "nosyntax" else ["LAS"]
            row |= {key: round(scores[key], 3) for key in wanted}
            told["counts"] = result.counts.tolist()
        told["rows"].append(row)
        write(told)


def system(
    write: Write, cache: Path, data: Path, *, treebank: str, name: str, **changes: Any
) -> None:
    """Learn one of the systems of the tables, which stays in the cache."""
    found = _open(cache, data, treebank, changes)
    begin = time.process_time()
    if name == "labeller":
        crf(found)
    else:
        learn(found, name)
    write({"rows": [{"system": name, "seconds": round(time.process_time() - begin, 1)}]})


def table(write: Write, cache: Path, data: Path, *, treebank: str, **changes: Any) -> None:
    """The boundaries and trees of all systems; those that are in the cache are not learned anew."""
    write({"tables": tables(_open(cache, data, treebank, changes))})


def labeller(write: Write, cache: Path, data: Path, *, treebank: str) -> None:
    """The boundaries of the labeller alone, with paragraph breaks and without; needs no parser."""
    rows = []
    for breaks in (True, False):
        found = _open(cache, data, treebank, {"breaks": breaks})
        one = crf(found)
        for state in ("untuned", "tuned"):
            if state == "tuned":
                one = one.tune(found.of(found.gold, "held"))
            row = count("labeller", found.dev, one.starts(found.dev)).row()
            rows.append({"breaks": breaks, "state": state, **row, "threshold": one.threshold})
            write({"rows": rows})


def breaks(
    write: Write, cache: Path, data: Path, *, treebank: str, share: int, epochs: int
) -> None:
    """Boundaries with paragraph breaks and without, learned from every so many documents."""
    told: dict[str, Any] = {}
    for seen in (True, False):
        whole = _open(cache, data, treebank, {"breaks": seen, "epochs": epochs})
        own = Data(f"{whole.name}-{share}", whole.gold[::share], whole.dev, whole.options)
        told["breaks" if seen else "no breaks"] = boundaries(own)
        told["documents"] = len(own.gold)
        write({"tables": told})


def confidence(write: Write, cache: Path, data: Path, *, treebank: str) -> None:
    """How far the confidences of JOINT can be trusted."""
    found = calibration(_open(cache, data, treebank, {}))
    write({"confidence": {key.removeprefix("confidence of "): found[key] for key in found}})


def switchboard(write: Write, cache: Path, data: Path) -> None:
    """Boundaries of Switchboard by systems that learned from it, and by JOINT of other data."""
    transfer = ["EWT-speech", "GUM-speech"]
    write({"switchboard": spoken(settings(cache, data, transfer=transfer))})


def _open(cache: Path, data: Path, treebank: str, changes: dict[str, Any]) -> Data:
    return open_data(treebank, settings(cache, data, **changes))


KINDS = {
    "tags": tags,
    "curve": curve,
    "system": system,
    "table": table,
    "labeller": labeller,
    "breaks": breaks,
    "confidence": confidence,
    "switchboard": switchboard,
}
