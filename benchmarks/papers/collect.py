"""What the files of jobs say in all: small results for the docs, with tests over documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from caesura.evaluate.significance import wilcoxon
from caesura.learn.tuning import f1

__all__ = ["collect", "merged", "seeds"]

Row = dict[str, Any]
#: What is kept of a scored epoch.
KEPT = ("epoch", "Starts*", "LAS", "share", "updates", "seconds")
#: Pairs of updates that are tested, the one that the paper expects to be better first.
AGAINST = (
    ("dlaso", "greedy"),
    ("dlaso", "laso"),
    ("laso", "greedy"),
    ("dlaso", "max-violation"),
    ("dlaso", "early"),
    ("max-violation", "early"),
    ("laso", "max-violation"),
)


def seeds(runs: dict[str, dict[str, Any]], begin: str) -> list[dict[str, Any]]:
    """The finished runs of a name by seed, which is the last part of their names."""
    return [
        runs[name]
        for name in sorted(runs)
        if name.rsplit("/", 1)[0] == begin and runs[name].get("done", True)
    ]


def read(folder: Path) -> dict[str, Row]:
    """The files of jobs by the names of these, those that were cut short among them."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return {told["job"]: told for told in found}


def merged(old: Row, new: Row) -> Row:
    """Older results stay where there is nothing newer."""
    return {
        key: merged(old[key], value)
        if isinstance(value, dict) and isinstance(old.get(key), dict)
        else value
        for key, value in {**old, **new}.items()
    }


def collect(folder: Path) -> dict[str, Row]:
    """The results of the joint parser, those of branching, and what trees say about boundaries."""
    jobs = read(folder)

    def of(kind: str, key: str, begin: str = "") -> Row:
        """One result of the finished jobs of a kind, by the rest of their names."""
        found = {n: told for n, told in jobs.items() if told["kind"] == kind and told["done"]}
        return {n.removeprefix(begin): told[key] for n, told in found.items()}

    done = {name: told for name, told in jobs.items() if told["done"]}
    joint = {
        "curves": {n: _curve(told) for n, told in done.items() if told["kind"] == "curve"},
        "tests": {
            "updates": update_tests(jobs),
            "syntax": syntax_tests(jobs),
            "beams": beam_tests(jobs),
            "choices": choice_tests(jobs),
        },
        "tables": of("table", "tables", "tables/"),
        "breaks": of("breaks", "tables", "breaks/"),
        "labellers": of("labeller", "rows", "labeller/"),
    }
    for kind in ("confidence", "switchboard"):
        for found in of(kind, kind).values():
            joint[kind] = found
    hidden = ("right", "job", "kind")
    branching = {
        "parsers": {
            name: {key: value for key, value in told.items() if key not in hidden}
            for name, told in done.items()
            if told["kind"] == "branching"
        },
        "tests": branching_tests(jobs),
        "speed": of("speed", "rows", "speed/"),
        "training": training_tests(jobs),
    }
    boundaries = of("boundaries", "boundaries", "boundaries/")
    return {"joint": joint, "branching": branching, "boundaries": boundaries}


def _curve(told: Row) -> Row:
    rows = [row for row in told["rows"] if "LAS" in row or "Starts*" in row]
    kept = [{key: row[key] for key in KEPT if key in row} for row in rows]
    names = ("settings", "documents", "words", "instances", "done")
    return {name: told[name] for name in names if name in told} | {"rows": kept}


def by_document(counts: Sequence[Sequence[int]], metric: str) -> list[float]:
    """The scores of documents from right, found and gold starts, words and right arcs."""
    if metric == "LAS":
        return [100 * arcs / max(1, words) for *_, words, arcs in counts]
    return [f1(*row[:3]) for row in counts]


def _pooled(jobs: Iterable[Row], metric: str) -> Any:
    """Scores by document, the mean over seeds."""
    return np.mean([by_document(told["counts"], metric) for told in jobs], axis=0)


def _test(first: list[Row], second: list[Row], metrics: Sequence[str]) -> Row:
    row: Row = {"seeds": len(first)}
    for metric in metrics:
        a, b = _pooled(first, metric), _pooled(second, metric)
        means = [
            float(np.mean([told["rows"][-1][metric] for told in jobs])) for jobs in (first, second)
        ]
        row[f"{metric} difference"] = round(means[0] - means[1], 2)
        row[f"{metric} p"] = round(wilcoxon(b, a), 5)
    return row


def update_tests(jobs: dict[str, Row]) -> dict[str, Row]:
    """Updates against each other, after the last epoch, over dev documents."""
    rows: dict[str, Row] = {}
    begins = {name.rsplit("/", 3)[0] for name in jobs if name.startswith("figure4/")}
    for begin in sorted(begins):
        for step in ("perceptron", "pa"):
            for one, other in AGAINST:
                pair = [seeds(jobs, f"{begin}/{update}/{step}") for update in (one, other)]
                same = min(map(len, pair))
                if same:
                    place = dict(zip(("treebank", "regime"), begin.split("/")[1:], strict=True))
                    told = _test(pair[0][:same], pair[1][:same], ("Starts*", "LAS"))
                    row = {**place, "step": step, "update": one, "against": other, **told}
                    rows[f"{begin}/{step}/{one}/{other}"] = row
    return rows


def syntax_tests(jobs: dict[str, Row]) -> dict[str, Row]:
    """With syntax against without, over dev documents."""
    rows: dict[str, Row] = {}
    for treebank in ("GUM-speech", "EWT-speech"):
        trees = seeds(jobs, f"figure4/{treebank}/chunks/laso/perceptron")
        chains = seeds(jobs, f"figure6/{treebank}/nosyntax")
        same = min(len(trees), len(chains))
        if same:
            told = _test(trees[:same], chains[:same], ("Starts*",))
            rows[treebank] = {"treebank": treebank, **told}
    return rows


def beam_tests(jobs: dict[str, Row]) -> dict[str, Row]:
    """DLaSO against max-violation with beams of one width, and each with a wider against beam 1."""
    rows: dict[str, Row] = {}
    own = {name: told for name, told in jobs.items() if name.startswith("figure5/")}
    runs = {name.removeprefix("figure5/"): told for name, told in own.items() if told["done"]}
    for name, told in sorted(runs.items()):
        treebank, update, width = name.split("/")
        others = [f"{treebank}/max-violation/{width}"] if update == "dlaso" else []
        others += [f"{treebank}/{update}/1"] if width != "1" else []
        for other in others:
            # A run may have been cut short: both have to have learned as long.
            if other in runs and len(runs[other]["rows"]) == len(told["rows"]):
                tested = _test([told], [runs[other]], ("Starts*", "LAS"))
                rows[f"{name} − {other}"] = {"run": name, "against": other, **tested}
    return rows


def choice_tests(jobs: dict[str, Row]) -> dict[str, Row]:
    """Each choice against DLaSO as it is everywhere, in the same regime."""
    rows: dict[str, Row] = {}
    for name, told in sorted(jobs.items()):
        kind, *place = name.split("/")
        begin = "/".join(["figure4", *place[:2], "dlaso"])
        base = jobs.get(f"{begin}/perceptron/1")
        chosen = kind == "choices" or name == f"{begin}/pa/1"
        if chosen and told["done"] and base and base["done"]:
            rows[name] = {"run": name, **_test([told], [base], ("Starts*", "LAS"))}
    return rows


def _by_sentence(first: list[list[int]], second: list[list[int]], words: list[int]) -> Row:
    """Right arcs by sentence and seed of two runs: their difference in LAS, and its test."""
    one, other = (np.mean(own, axis=0) for own in (first, second))
    return {
        "seeds": len(first),
        "LAS difference": round(100 * float((one - other).sum() / sum(words)), 3),
        "LAS p": round(wilcoxon(other, one), 5),
    }


def training_tests(jobs: dict[str, Row]) -> dict[str, Row]:
    """Other ways to train against table 5, searched alike, over dev sentences."""
    rows: dict[str, Row] = {}
    ways = ("table4/", "bootstrap/")
    for begin in sorted({name.rsplit("/", 1)[0] for name in jobs if name.startswith(ways)}):
        runs = seeds(jobs, begin)
        base = seeds(jobs, f"table5/{begin.split('/')[1]}")
        same = min(len(runs), len(base))
        for search in ("greedy", "branching 80") if same else ():
            # A beam of one is greedy.
            own = "branching 1" if search not in runs[0]["right"] else search
            found = [[told["right"][own] for told in runs[:same]]]
            found.append([told["right"][search] for told in base[:same]])
            row = _by_sentence(found[0], found[1], base[0]["right"]["words"])
            rows[f"{begin}/{search}"] = {"run": begin, "search": search, **row}
    return rows


def branching_tests(jobs: dict[str, Row]) -> dict[str, Row]:
    """Branching against greedy parsing and beam search, over dev sentences, the mean of seeds."""
    rows: dict[str, Row] = {}
    tested = ("table5/", "full/", "figures/")
    for begin in sorted({n.rsplit("/", 1)[0] for n in jobs if n.startswith(tested)}):
        own = seeds(jobs, begin)
        for one, other in (
            ("branching 80", "greedy"),
            ("branching 80", "beam 16"),
            ("branching 16", "beam 16"),
            ("branching 80", "beam 64"),
            ("branching 80", "keep_attached off"),
            ("branching 80", "sum of logarithms"),
            ("branching 64, two waves", "branching 64"),
        ):
            both = [told for told in own if {one, other} <= set(told["right"])]
            if not both:
                continue
            rows[f"{begin}/{one}/{other}"] = {
                "treebank": begin.split("/")[1],
                "search": one,
                "against": other,
                **_by_sentence(
                    [told["right"][one] for told in both],
                    [told["right"][other] for told in both],
                    both[0]["right"]["words"],
                ),
            }
    return rows
