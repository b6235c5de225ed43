"""The tables and figures of Choi & McCallum (2013), from benchmarks/results/branching.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2
from statistics import correlation, mean
from typing import Any

from benchmarks.papers.collect import seeds
from docs._build_tools.markdown import difference, markdown, number
from docs._build_tools.published import BRANCHING_TABLE4, BRANCHING_TABLE5

__all__ = ["TABLES"]

Results = dict[str, Any]
#: The treebanks of table 5, and which of the paper's each is to be held against, if any.
TREEBANKS = {
    "CDT-Danish": "Danish",
    "UD_Dutch-LassySmall": "Dutch",
    "UD_Slovenian-SST": "Slovene",
    "UD_Swedish-Talbanken": "Swedish",
    "UD_Swedish-LinES": "Swedish",
    "CoNLL2007-Basque": "",
    "UD_English-EWT": "",
}
#: The runs of table 5 with their names there: where half of the data was used, all of them, too.
RUNS = {f"table5/{name}": name for name in TREEBANKS} | {
    "full/UD_English-EWT": "UD_English-EWT, all sentences"
}
WIDTHS = (80, 64, 32, 16, 8, 4, 2, 1)


def _row(parser: Results, search: str) -> Results | None:
    """The row of a search; a beam of one is greedy."""
    names = {search, "greedy"} if search == "branching 1" else {search}
    return next((row for row in parser["rows"] if row["search"] in names), None)


def _mean(parsers: Sequence[Results], search: str, key: str) -> float | None:
    rows = [_row(parser, search) for parser in parsers]
    known = [row[key] for row in rows if row is not None]
    return mean(known) if known else None


def _spread(parsers: Sequence[Results], search: str, key: str = "LAS") -> str:
    """The mean of the seeds, and how far they lie apart."""
    rows = [_row(parser, search) for parser in parsers]
    known = [row[key] for row in rows if row is not None]
    if not known:
        return ""
    half = (max(known) - min(known)) / 2
    return number(mean(known)) + (f" ± {half:.2f}" if len(known) > 1 else "")


def _tests(results: Results, begin: str) -> dict[tuple[str, str], Results]:
    """The tests of a run by the two searches that they compare."""
    return {
        (row["search"], row["against"]): row
        for name, row in results["tests"].items()
        if name.startswith(f"{begin}/")
    }


def table4(results: Results) -> str:
    """LAS, UAS and cost by the beams of training and of decoding, beside the paper's."""
    rows = []
    for trained, begin in ((80, "table5/CDT-Danish"), (1, "table4/CDT-Danish/b1")):
        parsers = seeds(results["parsers"], begin)
        for width in WIDTHS if trained == 80 else (80, 1):
            search = f"branching {width}"
            paper = BRANCHING_TABLE4.get((trained, width))
            if not any(_row(parser, search) for parser in parsers):
                continue
            some = [parser for parser in parsers if _row(parser, search)]
            rows.append(
                [
                    f"{trained}, {width}",
                    str(len(some)),
                    _spread(some, search, "LAS"),
                    _spread(some, search, "UAS"),
                    *(number(_mean(some, search, k), 1) for k in ("evaluations", "bound")),
                    number(100 * (_mean(some, search, "one_best") or 0), 1),
                    number(paper[1]) if paper else "",
                    number(paper[0]) if paper else "",
                ]
            )
    head = ["b_t, b_d", "seeds", "LAS", "UAS", "evaluations", "d·t − e", "greedy wins, %"]
    return markdown([*head, "paper: LAS", "UAS"], rows)


def table5(results: Results) -> str:
    """Greedy, branching and beam search on all treebanks, beside the paper's."""
    rows = []
    for begin, shown in RUNS.items():
        parsers = seeds(results["parsers"], begin)
        if parsers:
            language = TREEBANKS[begin.split("/")[1]]
            paper = BRANCHING_TABLE5.get(language)
            searches = ("greedy", "branching 80", "branching 16", "beam 16", "beam 16, by mean")
            rows.append(
                [
                    shown,
                    str(len(parsers)),
                    *(_spread(parsers, search) for search in searches),
                    f"{language}: {paper[0]:.2f}, {paper[1]:.2f}" if paper else "",
                ]
            )
    head = ["", "seeds", "greedy", "branching 80", "branching 16", "beam 16", "beam 16 by mean"]
    return markdown([*head, "paper: b_d = 1, 80"], rows)


def table5_tests(results: Results) -> str:
    tests = results["tests"].values()
    pairs = list(dict.fromkeys((row["search"], row["against"]) for row in tests))
    shown = [pair for pair in pairs if pair[1] in ("greedy", "beam 16", "beam 64")]
    rows = []
    for begin, name in RUNS.items():
        found = _tests(results, begin)
        if found:
            own = [found.get(pair, {}) for pair in shown]
            cells = [difference(row.get("LAS difference"), row.get("LAS p")) for row in own]
            rows.append([name, *cells])
    return markdown(["LAS difference (p)", *(f"{a} − {b}" for a, b in shown)], rows)


def evaluations(results: Results) -> str:
    """Evaluations of the classifier for a sentence, all with the same memory of decisions."""
    rows = []
    for treebank in TREEBANKS:
        parsers = seeds(results["parsers"], f"table5/{treebank}")
        if not parsers:
            continue
        needs = {
            search: _mean(parsers, search, "evaluations")
            for search in ("greedy", "branching 16", "beam 16", "branching 80", "beam 64")
        }
        plain = [
            _mean(parsers, search, "evaluations") for search in ("no memory", "beam 16, no memory")
        ]
        ratio = (needs["beam 16"] or 0) / (needs["branching 16"] or 1)
        cells = [number(value, 1) for value in (*needs.values(), *plain)]
        rows.append([treebank, *cells[:5], number(ratio), *cells[5:]])
    head = ["a sentence", "greedy", "branching 16", "beam 16", "branching 80", "beam 64"]
    head += ["beam 16 / branching 16", "branching 80, no memory", "beam 16, no memory"]
    return markdown(head, rows)


def speed(results: Results) -> str:
    """Words a second beside those of greedy parsing: seconds themselves differ by machine."""
    names = [row["search"] for row in next(iter(results["speed"].values()))]
    rows = []
    for treebank, found in results["speed"].items():
        pace = {row["search"]: row["words/s"] for row in found}
        rows.append([treebank, *(number(pace[name] / pace["branching 1"]) for name in names)])
    return markdown(["speed, greedy = 1", *names], rows)


def differences(results: Results) -> str:
    """What differs from the paper, switched off or changed, first seed."""
    searches = {
        "branching 80": "as everywhere",
        "keep_attached off": "`keep_attached=False`, as the paper",
        "sum of logarithms": "`score=sum`, sum of logarithms",
        "sum, keep_attached off": "both",
        "labels do not branch": "`skip_labels=True`",
        "k = 3": "`k=3`",
    }
    names = [name for name in TREEBANKS if f"table5/{name}/1" in results["parsers"]]
    rows = []
    for search, shown in searches.items():
        cells = []
        for name in names:
            row = _row(results["parsers"][f"table5/{name}/1"], search)
            cells.append(number(row["LAS"]) if row else "")
        rows.append([shown, *cells])
    return markdown(["LAS", *names], rows)


def bootstraps(results: Results) -> str:
    """By way of exploring: states that the first model gets wrong, and dev LAS by round."""
    shown = {
        "table5/CDT-Danish": "its best epoch",
        "bootstrap/CDT-Danish/epoch-1": "its first epoch",
        "bootstrap/CDT-Danish/folds": "models of the other half (`folds=2`)",
        "bootstrap/CDT-Danish/cutoff-3": "it without features seen fewer than 3 times",
        "bootstrap/CDT-Danish/paper": "its best epoch; rounds 5, 4, 5 as in the paper",
        "table4/CDT-Danish/b1": "its best epoch, b_t = 1",
    }
    rows = []
    for begin, told in shown.items():
        parsers = seeds(results["parsers"], begin)
        if not parsers:
            continue
        cells: list[list[float]] = []
        for parser in parsers:
            first = [row for row in parser["iterations"] if row["round"] == 0]
            later = [row for row in parser["iterations"] if row["round"] > 0]
            own = [first[-1]["wrong"], later[0]["wrong"]]
            for key in ("greedy LAS", "branching LAS"):
                own += [max(row[key] for row in rows_) for rows_ in (first, later)]
            cells.append(own)
        means = [mean(column) for column in zip(*cells, strict=True)]
        shares = [number(value, 1) for value in means[:2]]
        tests = [results["training"].get(f"{begin}/{s}", {}) for s in ("greedy", "branching 80")]
        cells_ = [difference(row.get("LAS difference"), row.get("LAS p")) for row in tests]
        scores = [number(value) for value in means[2:]]
        rows.append([told, str(len(parsers)), *shares, *scores, *cells_])
    head = ["the bootstrap's states come from", "seeds", "% wrong, last epoch of M0", "first of M1"]
    head += ["greedy: M0", "bootstrapped", "branching: M0", "bootstrapped"]
    return markdown([*head, "greedy − first row (p)", "branching − first row (p)"], rows)


def templates(results: Results) -> str:
    names = {
        "table5/CDT-Danish/1": "ours",
        "bootstrap/CDT-Danish/templates/1": "the paper's",
    }
    rows = []
    for name, shown in names.items():
        parser = results["parsers"].get(name)
        if parser:
            found = [_row(parser, search) for search in ("greedy", "branching 80", "beam 16")]
            rows.append([shown, *(number(row["LAS"]) if row else "" for row in found)])
    return markdown(["templates", "greedy", "branching 80", "beam 16"], rows)


def iterations(results: Results) -> str:
    """Figure 4: dev scores by iteration."""
    parser = results["parsers"]["bootstrap/CDT-Danish/paper/1"]
    rows = [
        [
            f"{row['iteration']} (M{row['round']:.0f})",
            f"{row['states']:,.0f}",
            number(row["wrong"], 1),
            *(
                number(row[f"{name} {key}"])
                for name in ("greedy", "branching")
                for key in ("LAS", "UAS")
            ),
        ]
        for row in parser["iterations"]
    ]
    head = ["iteration", "states", "% wrong", "greedy LAS", "UAS", "branching LAS", "UAS"]
    return markdown(head, rows)


def waves(results: Results) -> str:
    """Branching from the best branch, too, which the paper does not do."""
    one, two = searches = ("branching 64", "branching 64, two waves")
    begins = {name.rsplit("/", 1)[0] for name in results["parsers"]}
    rows = []
    for begin in sorted(begins):
        parsers = [parser for parser in seeds(results["parsers"], begin) if _row(parser, two)]
        if not parsers:
            continue
        test = _tests(results, begin)[two, one]
        needs = [_mean(parsers, search, "evaluations") or 0 for search in searches]
        cells = [number(_mean(parsers, search, "LAS")) for search in searches]
        cells.append(difference(test["LAS difference"], test["LAS p"]))
        rows.append([begin.split("/")[1], *cells, f"{100 * (needs[1] / needs[0] - 1):+.1f}"])
    head = ["beam 64, LAS", "one wave", "two waves", "difference (p)", "evaluations, %"]
    return markdown(head, rows)


def _drawn(results: Results) -> dict[str, Results]:
    """The parsers of the figures by treebank."""
    found = results["parsers"].items()
    return {name.split("/")[1]: own for name, own in found if name.startswith("figures/")}


def lengths(results: Results) -> str:
    """Figures 1 and 6: transitions by length of the sentence, in training and in decoding."""
    rows = []
    for treebank, parser in _drawn(results).items():
        for where, found in parser["lengths"].items():
            rows += [
                [
                    f"{treebank}, {where}, {row['length']} words",
                    str(row["sentences"]),
                    number(row["words"], 1),
                    number(row["transitions"], 1),
                    number(row["transitions"] / row["words"]),
                ]
                for row in found["bins"]
            ]
    return markdown(["", "sentences", "mean length", "transitions", "a word"], rows)


def straight(results: Results) -> str:
    """How well a straight line fits transitions over length."""
    rows = [
        [f"{treebank}, {where}", number(found["slope"]), number(found["r2"], 4)]
        for treebank, parser in _drawn(results).items()
        for where, found in parser["lengths"].items()
    ]
    return markdown(["transitions by length", "for each word more", "r²"], rows)


def margins(results: Results) -> str:
    """Figure 3: LAS by margin, for several beams."""
    drawn = _drawn(results)
    beams = [key for key in next(iter(drawn.values()))["margins"][0] if key != "margin"]
    rows = [
        [f"{treebank}, {row['margin']:.2f}", *(number(row[beam]) for beam in beams)]
        for treebank, parser in drawn.items()
        for row in parser["margins"]
    ]
    return markdown(["LAS by margin", *beams], rows)


def _needs(results: Results, search: str) -> dict[int, float]:
    """Evaluations a sentence of CDT-Danish by width, the mean of the seeds that were measured."""
    found: dict[int, list[float]] = {}
    for name, parser in results["parsers"].items():
        if name.startswith("table5/CDT-Danish/"):
            for row in parser["rows"]:
                kind, _, width = row["search"].rpartition(" ")
                if row["search"] == "greedy":
                    found.setdefault(1, []).append(row["evaluations"])
                elif kind == search and width.isdigit():
                    found.setdefault(int(width), []).append(row["evaluations"])
    return {width: mean(found[width]) for width in sorted(found)}


def growth(results: Results) -> str:
    """Figure 5: evaluations by beam."""
    ours, other = _needs(results, "branching"), _needs(results, "beam")
    rows = [
        [shown, *(number(own.get(width), 1) for width in ours)]
        for shown, own in (("branching", ours), ("ordinary beam search", other))
    ]
    return markdown(["evaluations a sentence, beam", *map(str, ours)], rows)


def fits(results: Results) -> str:
    """How much of the growth of evaluations a line over the beam, or over its logarithm, tells."""
    ours = _needs(results, "branching")
    rows = []
    for most in (16, max(ours)):
        widths = [width for width in ours if width <= most]
        needs = [ours[width] for width in widths]
        cells = [
            correlation([float(scale(width)) for width in widths], needs) ** 2
            for scale in (float, log2)
        ]
        rows.append([f"beams up to {most}", *(number(cell, 3) for cell in cells)])
    return markdown(["r² of evaluations", "with the beam", "with its logarithm"], rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "table4": table4,
    "table5": table5,
    "table5_tests": table5_tests,
    "evaluations": evaluations,
    "speed": speed,
    "differences": differences,
    "bootstraps": bootstraps,
    "templates": templates,
    "iterations": iterations,
    "waves": waves,
    "lengths": lengths,
    "straight": straight,
    "margins": margins,
    "growth": growth,
    "fits": fits,
}
