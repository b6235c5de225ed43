"""The report as one page of HTML: tables, plots, and sentences side by side, nothing fetched."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from caesura.evaluate.breakdown import Row
from caesura.evaluate.confusions import Confusion
from caesura.evaluate.sidebyside import side_by_side
from caesura.evaluate.significance import Significance
from caesura.evaluate.svg import lines_plot, reliability_plot, stacked_bars
from caesura.evaluate.tables import (
    LEVEL_NAMES,
    breakdown_rows,
    compared_rows,
    loss_rows,
    number,
    score_cells,
    score_rows,
    shared_metrics,
    significance_cells,
    significance_lines,
)
from caesura.formats.io import open_write
from caesura.markup import PAGE_END, element, html_table, page_start

if TYPE_CHECKING:
    from caesura.evaluate.report import Report

__all__ = ["comparison_html", "report_html", "save_comparison", "scores_html"]

STYLE = """
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --soft: #6a7078; --rule: #d8dce1;
  --bad: #ffd9d6; --odd: #fff0c2; --c0: #2563a8; --c1: #c2571a; --c2: #2f7d4f; --c3: #8a3f8f;
  --c4: #9a7b14; --c5: #5b6770; --good: #4a8f63; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6ea; --paper: #15171a; --soft: #9aa1aa;
  --rule: #363b42; --bad: #5b2724; --odd: #51431a; --c0: #7fb2ea; --c1: #eb9a66; --c2: #7cc79a;
  --c3: #d196d6; --c4: #d8bd60; --c5: #a4b0ba; --good: #5da577; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; }
th:first-child, td:first-child, td.left, th.left { text-align: left; }
th { color: var(--soft); font-weight: 600; }
.note { color: var(--soft); } .context b { background: var(--odd); font-weight: 600; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif;
  fill: var(--ink); } svg .grid { stroke: var(--rule); } svg .size { fill: var(--rule); }
svg .line { fill: none; stroke-width: 2; } svg .inside { fill: var(--paper); }
svg .diagonal { stroke: var(--soft); stroke-dasharray: 4 4; }
svg .s0 { stroke: var(--c0); } svg .s1 { stroke: var(--c1); } svg .s2 { stroke: var(--c2); }
svg .s3 { stroke: var(--c3); } svg .s4 { stroke: var(--c4); } svg .s5 { stroke: var(--c5); }
svg .dot { fill: var(--paper); stroke-width: 2; } svg text.name { stroke: none; }
svg .p0 { fill: var(--good); } svg .p1 { fill: var(--c1); } svg .p2 { fill: var(--c0); }
svg .p3 { fill: var(--c3); } svg .p4 { fill: var(--c4); } svg .p5 { fill: var(--c5); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; padding: .4rem 0;
  border-bottom: 1px solid var(--rule); } .pair span { white-space: pre-wrap; }
.missed { background: var(--bad); border-radius: 3px; } .differs { background: var(--odd);
  border-radius: 3px; } .break { color: var(--c1); font-weight: 700; }
@media (max-width: 40rem) { .pair { grid-template-columns: 1fr; } }
"""


def _page(title: str, body: Sequence[str]) -> str:
    heading = element("h1", escape(title))
    return page_start(title, STYLE) + heading + "\n".join(body) + PAGE_END


def scores_html(report: Report) -> str:
    """The table of scores."""
    head = ["", "precision", "recall", "F1", "on aligned words"]
    return html_table([head, *score_rows(report.scores.items())])


def _levels(report: Report) -> str:
    rows = [
        ["spans of characters", "gold", "system", "precision", "recall", "F1", "exact sentences"]
    ]
    for name, level in report.levels.items():
        score, exact = level.score, number(level.exact.recall)
        counts = (str(score.gold), str(score.system))
        rows.append([LEVEL_NAMES[name], *counts, *score_cells(score), exact])
    return html_table(rows)


def _by(title: str, rows: Sequence[Row], limit: int = 60) -> str:
    if not rows:
        return ""
    table = html_table(breakdown_rows(title, rows, limit))
    if len(rows) > limit:
        table += f'<p class="note">… and {len(rows) - limit} more.</p>'
    return f"<details><summary>F1 by {escape(title)}</summary>{table}</details>"


def _plot(title: str, rows: Sequence[Row], measures: Sequence[str]) -> str:
    series = {name: [row.f1(name) for row in rows] for name in measures}
    return lines_plot(title, [row.name for row in rows], series, [row.gold for row in rows])


def _confusions(title: str, found: Sequence[Confusion]) -> str:
    rows = [f"<h3>{escape(title)}</h3><table><tr><th>gold</th><th>system</th><th>times</th>"]
    rows.append('<th class="left">for instance</th></tr>')
    for row in found:
        shown = "<br>".join(
            f"…{escape(e.before)}<b>{escape(e.form)}</b>{escape(e.after)}…"
            f' <span class="note">{escape(e.document)}</span>'
            for e in row.examples[:2]
        )
        rows.append(
            f"<tr><td>{escape(row.gold)}</td><td>{escape(row.system)}</td><td>{row.count}</td>"
            f'<td class="left context">{shown}</td></tr>'
        )
    return "".join([*rows, "</table>"])


def _losses(report: Report) -> list[str]:
    body = []
    if report.losses is not None:
        losses = report.losses
        bars = {
            metric: {"reached": losses.reached[metric][0], **losses.lost[metric]}
            for metric in losses.reached
        }
        body += ["<h2>What each layer costs</h2>", stacked_bars("loss by stage", bars)]
        body.append(html_table(loss_rows(losses)))
    if report.attribution:
        everything = max(sum(report.attribution.values()), 1)
        share = {name: 100 * count / everything for name, count in report.attribution.items()}
        body += [
            "<h2>Words of gold by the first layer that failed them</h2>",
            stacked_bars("loss by layer", {"words": share}),
        ]
    return body


def report_html(report: Report, sentences: int = 40) -> str:
    """The whole report of one system."""
    body = [scores_html(report), _levels(report) if report.levels else ""]
    body += [f'<p class="note">{escape(note)}.</p>' for note in report.notes]
    body += _losses(report)
    has_heads = "UAS" in report
    measures = ["Words", "UPOS", "UAS", "LAS"] if has_heads else ["Words", "UPOS"]
    lengths = report.breakdown("sentence length")
    body += ["<h2>F1 by sentence length</h2>", _plot("F1 by sentence length", lengths, measures)]
    if has_heads:
        arcs = report.breakdown("arc length")
        body += [
            "<h2>F1 by arc length</h2>",
            _plot("F1 by arc length", arcs, ["UAS", "LAS"]),
        ]
    body += [
        "<h2>Breakdowns</h2>",
        _by("sentence length", lengths),
        *(_by(by, report.breakdown(by)) for by in ("document", "genre", "label", "tag")),
    ]
    if report.calibration:
        body.append("<h2>Confidence</h2>")
    for name, found in report.calibration.items():
        points = [(b.confidence, b.accuracy, b.count) for b in found.bins]
        body += [
            f"<h3>{escape(name)}: expected calibration error {found.ece:.4f}, "
            f"Brier score {found.brier:.4f}</h3>",
            reliability_plot(f"confidence of {name}", points),
        ]
    body.append("<h2>What is taken for what</h2>")
    if has_heads:
        body.append(_confusions("relations", report.confusions("relations", 15)))
    body.append(_confusions("tags", report.confusions("tags", 15)))
    body += ["<h2>Sentences that differ, gold and system</h2>", side_by_side(report, sentences)]
    return _page(f"Evaluation of {report.name}", body)


def comparison_html(
    reports: Mapping[str, Report], tests: Mapping[tuple[str, str], Sequence[Significance]]
) -> str:
    """Several systems side by side."""
    names = list(reports)
    body = [html_table(compared_rows(reports))]
    for (first, second), found in tests.items():
        shown = [["", "difference", "95% interval", "p Wilcoxon", "p bootstrap", "p randomisation"]]
        shown += [[test.metric, *significance_cells(test)] for test in found]
        body += [f"<h2>{escape(second)} against {escape(first)}</h2>", html_table(shown)]
        body += [f'<p class="note">{escape(line)}</p>' for line in significance_lines(found)]
    measure = "LAS" if "LAS" in shared_metrics(reports) else "Words"
    by_length = {name: report.breakdown("sentence length") for name, report in reports.items()}
    groups = [row.name for row in by_length[names[0]]]
    series = {
        name: [next((r.f1(measure) for r in rows_ if r.name == g), 0.0) for g in groups]
        for name, rows_ in by_length.items()
    }
    title = f"{measure} by sentence length"
    sizes = [row.gold for row in by_length[names[0]]]
    body += [f"<h2>{title}</h2>", lines_plot(title, groups, series, sizes)]
    attributions = {
        name: {
            layer: 100 * count / max(sum(report.attribution.values()), 1)
            for layer, count in report.attribution.items()
        }
        for name, report in reports.items()
        if report.attribution
    }
    if attributions:
        body += ["<h2>Loss by layer</h2>", stacked_bars("loss by layer", attributions)]
    for name, report in reports.items():
        body += [f'<p class="note">{escape(name)}: {escape(note)}.</p>' for note in report.notes]
    return _page("Comparison of " + ", ".join(names), body)


def save_comparison(
    reports: Mapping[str, Report],
    tests: Mapping[tuple[str, str], Sequence[Significance]],
    path: str | os.PathLike[str],
) -> None:
    """Write the comparison to a file."""
    with open_write(path) as file:
        file.write(comparison_html(reports, tests).encode("utf-8"))
