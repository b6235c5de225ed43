"""The tables of Björkelund et al. (2016) on any treebank, with tests.

    python benchmarks/joint.py EWT-speech                              # the tables
    python benchmarks/joint.py GUM-speech --only calibration
    python benchmarks/joint.py EWT-speech UD_Slovenian-SST --cache tags/ --json
    python benchmarks/joint.py --only switchboard --transfer EWT-speech GUM-speech

Every system learns from nine tenths of the training documents. The last tenth chooses the epoch and
the boundary bonus (of parsers) or the threshold (of classifiers), by F1 of sentence starts; the dev
documents are seen once, at the end. Tags are predicted: those of the training documents by
jackknifing, over whole documents for the systems that find boundaries and sentence by sentence for
GOLD; after predicted boundaries GOLD gets the tags of whole documents, so that all systems see the
same ones. Starts* leaves out the first word of each document, which everyone gets right. Tests are
Wilcoxon's, over documents. Treebanks are folders of --data or paths of their own; one without
a dev file gives the last tenth of its documents. Learning curves, the figures of the paper,
are jobs of `papers.py`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from data import DATA
from joint_study.calibration import calibration
from joint_study.data import Data, open_data
from joint_study.report import table
from joint_study.tables import boundaries, tables
from joint_study.transfer import spoken

from caesura.learn.joint_parser import DELAYED

#: What can be run on a treebank.
EXPERIMENTS: dict[str, Callable[[Data], dict[str, Any]]] = {
    "tables": tables,
    "boundaries": boundaries,
    "calibration": calibration,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="*", metavar="TREEBANK")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of treebanks")
    known = [*EXPERIMENTS, "switchboard"]
    parser.add_argument("--only", choices=known, action="append", help="default: tables")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--tagger-epochs", type=int, default=6)
    parser.add_argument("--folds", type=int, default=5, help="of jackknifing")
    parser.add_argument("--beam", type=int, default=8)
    parser.add_argument("--step", choices=["pa", "perceptron"], default="perceptron")
    parser.add_argument("--dlaso-pa", choices=DELAYED, default="in-turn")
    parser.add_argument("--bits", type=int, default=20, help="rows of weights, as a power of two")
    parser.add_argument("--breaks", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--transfer", nargs="+", default=["EWT-speech", "GUM-speech"])
    parser.add_argument(
        "--cache", "--tagged", type=Path, help="folder that keeps tagged files and models"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    chosen = options.only or ["tables"]
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
                if experiment in EXPERIMENTS:
                    report |= EXPERIMENTS[experiment](treebank)
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
