"""Reports as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from caesura.evaluate.breakdown import Row
from caesura.evaluate.confusions import Confusion
from caesura.evaluate.conll import METRICS
from caesura.evaluate.loss import Losses
from caesura.evaluate.score import Score
from caesura.evaluate.significance import Significance, untested
from caesura.markup import text_table

if TYPE_CHECKING:
    from caesura.evaluate.report import Report

__all__ = [
    "breakdown_rows",
    "breakdown_text",
    "columns",
    "compare_text",
    "compared_rows",
    "confusions_text",
    "loss_rows",
    "losses_text",
    "number",
    "report_text",
    "score_cells",
    "score_rows",
    "shared_metrics",
    "significance_cells",
    "significance_lines",
]

#: What the other scores are called in tables.
TITLES = {
    "SentenceSpans": "sentence spans",
    "BoundaryPoints": "sentence ends",
    "StartsAll": "sentence starts",
    "Starts": "starts within documents",
    "LASFull": "LAS with subtypes",
    "UASNoPunct": "UAS without punctuation",
    "LASNoPunct": "LAS without punctuation",
}
LEVEL_NAMES = {
    "SENT": "sentences (spans)",
    "TOK": "tokens (spans)",
    "WORD": "words (spans)",
    "POS": "tags (spans)",
    "PS": "phrases (spans)",
    "DEP": "dependencies (spans)",
}
BAR = 40


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned columns: the first to the left, the others to the right."""
    return text_table(rows, right="l" + "r" * (len(rows[0]) - 1 if rows else 0))


def number(value: float | None) -> str:
    """A score with two decimals; nothing if it is unknown."""
    return "" if value is None else f"{value:.2f}"


def score_cells(score: Score) -> list[str]:
    """Precision, recall and F1."""
    return [number(score.precision), number(score.recall), number(score.f1)]


def score_rows(scores: Iterable[tuple[str, Score]]) -> list[list[str]]:
    """A row for each score, under the name that it has in tables."""
    return [
        [TITLES.get(name, name), *score_cells(score), number(score.aligned_accuracy)]
        for name, score in scores
    ]


def loss_rows(losses: Losses) -> list[list[str]]:
    """What each layer costs, in points of F1."""
    layers = losses.layers
    rows = [["F1 from", *losses.stages, *(f"lost: {layer}" for layer in layers)]]
    for metric, values in losses.reached.items():
        lost = losses.lost[metric]
        rows.append([metric, *map(number, values), *(number(lost[layer]) for layer in layers)])
    return rows


def breakdown_rows(head: str, rows: Sequence[Row], limit: int) -> list[list[str]]:
    """Words of each group and F1 of each measure."""
    measures = list(rows[0].recalled)
    return [
        [head, "gold", "system", *measures],
        *(
            [row.name, str(row.gold), str(row.system), *(number(row.f1(m)) for m in measures)]
            for row in rows[:limit]
        ),
    ]


def compared_rows(reports: Mapping[str, Report]) -> list[list[str]]:
    """F1 of every system, of the measures that all have."""
    return [
        ["F1", *reports],
        *(
            [TITLES.get(metric, metric), *(number(r[metric].f1) for r in reports.values())]
            for metric in shared_metrics(reports)
        ),
    ]


def shared_metrics(reports: Mapping[str, Report]) -> list[str]:
    """The measures that all systems have."""
    first = next(iter(reports.values()))
    return [m for m in first.scores if all(m in report for report in reports.values())]


def report_text(report: Report) -> str:
    """The scores, the share of each layer in the loss, and the notes."""
    head = ["", "precision", "recall", "F1", "on aligned"]
    rows = [head, *score_rows(report.conll.items())]
    others = [(name, score) for name, score in report.scores.items() if name not in METRICS]
    if others:
        rows += [[""] * 5, *score_rows(others)]
    parts = [columns(rows)]
    if report.levels:
        spans = [["", "precision", "recall", "F1", "exact sentences"]]
        for name, level in report.levels.items():
            exact = number(level.exact.recall)
            spans.append([LEVEL_NAMES[name], *score_cells(level.score), exact])
        parts.append(columns(spans))
    if report.attribution:
        parts.append(_attribution_text(report.attribution))
    if report.losses is not None:
        parts.append(losses_text(report.losses))
    for name, found in report.calibration.items():
        parts.append(
            f"  confidence of {name}: {found.count} of them, expected calibration error "
            f"{found.ece:.4f}, Brier score {found.brier:.4f}"
        )
    if "LASNoPunct" in report:
        parts.append(f"  punctuation: {report.marks}")
    if report.notes:
        parts.append("\n".join(f"  note: {note}." for note in report.notes))
    return "\n\n".join(parts)


def _attribution_text(attribution: Mapping[str, int]) -> str:
    everything = max(sum(attribution.values()), 1)
    rows = [["words of gold", "count", "%"]]
    names = {
        "right": "attached rightly",
        "tokens": "lost to tokens",
        "sentences": "lost to sentences",
        "heads": "wrong head",
        "labels": "wrong label",
    }
    for name, count in attribution.items():
        rows.append([names[name], str(count), number(100 * count / everything)])
    return columns(rows)


def losses_text(losses: Losses) -> str:
    """What each layer costs, in points of F1, with a bar for what is reached and lost."""
    layers = losses.layers
    bars = []
    marks = "#+-. "
    for metric, values in losses.reached.items():
        bar = "█" * round(BAR * values[0] / 100)
        for place, layer in enumerate(layers):
            bar += marks[min(place, 3)] * round(BAR * max(losses.lost[metric][layer], 0) / 100)
        bars.append([metric, bar])
    key = "  █ reached" + "".join(f"  {marks[min(i, 3)]} {layer}" for i, layer in enumerate(layers))
    width = max(len(name) for name, _ in bars)
    drawn = "\n".join(f"  {name.ljust(width)}  {bar}" for name, bar in bars)
    return f"{columns(loss_rows(losses))}\n\n{drawn}\n{key}"


def breakdown_text(title: str, rows: Sequence[Row], limit: int = 40) -> str:
    """One breakdown: words of each group and F1 of each measure."""
    if not rows:
        return ""
    shown = breakdown_rows(f"by {title}", rows, limit)
    if len(rows) > limit:
        shown.append([f"… and {len(rows) - limit} more", *[""] * (len(shown[0]) - 1)])
    return columns(shown)


def confusions_text(what: str, found: Sequence[Confusion]) -> str:
    """The most frequent confusions, an example each."""
    lines = [f"  {what}: gold taken for system"]
    for row in found:
        example = row.examples[0] if row.examples else None
        context = ""
        if example is not None:
            context = f"…{example.before[-25:]}[{example.form}]{example.after[:25]}…"
        lines.append(f"  {row.count:6}  {row.gold:>10} → {row.system:<10}  {context}")
    return "\n".join(lines)


def compare_text(
    reports: Mapping[str, Report], tests: Mapping[tuple[str, str], Sequence[Significance]]
) -> str:
    """F1 of every system, and how sure the differences are."""
    parts = [columns(compared_rows(reports))]
    for (first, second), found in tests.items():
        shown = [
            [
                f"{second} against {first}",
                "difference",
                "95% interval",
                "p Wilcoxon",
                "p bootstrap",
                "p randomisation",
            ]
        ]
        shown += [[test.metric, *significance_cells(test)] for test in found]
        parts.append("\n".join([columns(shown), *significance_lines(found)]))
    for name, report in reports.items():
        if report.notes:
            parts.append("\n".join(f"  note on {name}: {note}." for note in report.notes))
    return "\n\n".join(parts)


def significance_cells(test: Significance) -> list[str]:
    """The difference, its interval and the three p-values; a dash where there is no test."""
    tests = (test.wilcoxon, test.bootstrap, test.randomisation)
    interval = "–"
    if test.low is not None and test.high is not None:
        interval = f"{test.low:+.2f} … {test.high:+.2f}"
    return [f"{test.difference:+.2f}", interval, *map(_p, tests)]


def significance_lines(found: Sequence[Significance]) -> list[str]:
    """What the tests are over, and which cannot be made."""
    lines = []
    tested = [test for test in found if test.tested]
    if tested:
        lines.append(f"  over {tested[0].units} {tested[0].unit}s of gold")
    why = untested(found)
    return [*lines, f"  {why}."] if why else lines


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
