"""Sentences of gold beside what the system made of them, differing words marked."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.evaluate.flat_columns import Side

if TYPE_CHECKING:
    from caesura.evaluate.report import Report

__all__ = ["side_by_side"]


def side_by_side(report: Report, limit: int = 40) -> str:
    """The first gold sentences in which something differs."""
    comparison = report.comparison
    gold, system = comparison.gold, comparison.system
    marks_gold, marks_system = _marks(report)
    starts, ends = gold.sent_spans
    bounds = gold.sent_first_word
    rows = []
    system_start = system.word_start
    opens = np.zeros(system.n_tokens, dtype=bool)
    opens[system.sent_first] = True
    for number in range(gold.n_sentences):
        first, last = int(bounds[number]), int(bounds[number + 1])
        low, high = np.searchsorted(system_start, [starts[number], ends[number]]).tolist()
        inside = system.word_token[low:high]
        broken = bool(np.any(opens[inside[inside > inside[0]]])) if len(inside) else False
        wrong_edge = bool(len(inside)) and not opens[inside[0]]
        if not (
            broken or wrong_edge or marks_gold[first:last].any() or marks_system[low:high].any()
        ):
            continue
        left = _words(report, gold, first, last, marks_gold, None)
        right = _words(report, system, low, high, marks_system, opens)
        rows.append(f'<div class="pair"><span>{left}</span><span>{right}</span></div>')
        if len(rows) >= limit:
            rows.append('<p class="note">… and further ones.</p>')
            break
    if not rows:
        return '<p class="note">None: the two are the same.</p>'
    legend = (
        '<p class="note"><span class="missed">red</span>: no such word on the other side; '
        '<span class="differs">yellow</span>: another tag, head or label (point at it); '
        '<span class="break">|</span>: a sentence starts here.</p>'
    )
    return legend + "".join(rows)


def _marks(report: Report) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """0: the same, 1: something about the word differs, 2: no such word on the other side."""
    pairs = report.comparison.pairs
    gold = np.full(pairs.gold.n_words, 2, dtype=np.int8)
    system = np.full(pairs.system.n_words, 2, dtype=np.int8)
    differs = np.zeros(len(pairs.g), dtype=bool)
    for column in ("upos", "xpos"):
        if pairs.gold.known(column) and pairs.system.known(column):
            differs |= ~pairs.same(column)
    if pairs.gold.known("head") and pairs.system.known("head"):
        differs |= ~(pairs.same_head & pairs.same_relation)
    gold[pairs.g] = differs
    system[pairs.s] = differs
    return gold, system


def _words(
    report: Report,
    side: Side,
    first: int,
    last: int,
    marks: NDArray[np.int8],
    opens: NDArray[np.bool_] | None,
) -> str:
    strings = side.strings
    parts = []
    for word in range(first, last):
        token = int(side.word_token[word])
        fresh = word == 0 or int(side.word_token[word - 1]) != token
        if opens is not None and fresh and opens[token]:
            parts.append('<span class="break">|</span>')
        head = int(side.head[word])
        above = strings[side.form[head]] if head >= 0 else ("ROOT" if head == -1 else "_")
        told = " ".join(
            (
                strings[side.upos[word]] or "_",
                strings[side.xpos[word]] or "_",
                f"{strings[side.deprel[word]] or '_'} ← {above}",
            )
        )
        form = escape(strings[side.form[word]])
        kind = {0: "", 1: "differs", 2: "missed"}[int(marks[word])]
        if kind:
            form = f'<span class="{kind}" title="{escape(told, quote=True)}">{form}</span>'
        parts.append(form)
    return " ".join(parts)
