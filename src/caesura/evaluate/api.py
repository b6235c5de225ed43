"""`caesura.evaluate(gold, system)` and its companions: documents or files in, a report out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from caesura.document import UNKNOWN, Document
from caesura.document.punctuation import Marks, parse_marks
from caesura.errors import InputError, UsageError, WarningSink, kind_of
from caesura.evaluate.align import Comparison, pair
from caesura.evaluate.boundary_scores import attachment, segment_scores
from caesura.evaluate.breakdown import unit_counts
from caesura.evaluate.checks import columns_note, tree_notes
from caesura.evaluate.conll import score_pairs
from caesura.evaluate.enhanced import enhanced_scores
from caesura.evaluate.flat_columns import Side
from caesura.evaluate.loss import Losses, stage_losses
from caesura.evaluate.pairs import Pairs
from caesura.evaluate.report import Report
from caesura.evaluate.score import Score
from caesura.evaluate.significance import SAMPLES, Significance, compare_units
from caesura.evaluate.spans import LEVELS, SpanOptions, has_phrases
from caesura.evaluate.tuples import read_spans
from caesura.formats import read
from caesura.formats.io import open_read

__all__ = ["Source", "compare", "evaluate", "load"]

#: Documents, one document, or a file that holds them.
Source = Document | Iterable[Document] | str | os.PathLike[str]

#: Columns without which a score of CoNLL 2018 says nothing.
NEEDS = {
    "UPOS": ("upos",),
    "XPOS": ("xpos",),
    "UFeats": ("feats",),
    "AllTags": ("upos", "xpos", "feats"),
    "Lemmas": ("lemma",),
    "UAS": ("head",),
    "LAS": ("head", "deprel"),
    "CLAS": ("head", "deprel"),
    "MLAS": ("head", "deprel", "upos", "feats"),
    "BLEX": ("head", "deprel", "lemma"),
}
#: Metrics that are tested for significance.
TESTED = ("Tokens", "Sentences", "Starts", "Words", "UPOS", "UAS", "LAS")


def load(
    source: Source,
    *,
    format: str | None = None,
    text: str | None = None,
    skip_bad: bool = False,
    strict: bool = False,
    warn: WarningSink | None = None,
) -> list[Document]:
    """The documents of a source; tuples of characters (`.tuples`) need their text."""
    if isinstance(source, Document):
        return [source]
    if not isinstance(source, str | os.PathLike):
        found = list(source) if isinstance(source, Iterable) else [source]
        for one in found:
            if not isinstance(one, Document):
                raise UsageError(
                    f"documents are compared, not {kind_of(one)}",
                    remedy="Give documents, or the name of a file.",
                )
        return found
    name = os.fspath(source)
    spans = format == "spans" or (format is None and name.endswith(".spans"))
    if format == "tuples" or (format is None and name.endswith(".tuples")) or (spans and text):
        if text is None:
            raise InputError(
                "character spans say nothing without their text",
                file=name,
                remedy="Give the raw text with --text FILE.",
            )
        with open_read(source) as stream:
            lines = stream.read().decode("utf-8").splitlines()
        return [read_spans(lines, text, name)]
    return list(read(source, format, skip_bad=skip_bad, strict=strict, warn=warn))


def evaluate(
    gold: Source,
    system: Source,
    *,
    text: str | None = None,
    levels: Sequence[str] = LEVELS,
    options: SpanOptions | None = None,
    outputs: Mapping[str, Source] | None = None,
    name: str = "system",
    marks: str | Marks = "auto",
) -> Report:
    """Compare an analysis with gold.

    Gold and system may differ in tokens, sentences and spelling; with `text` both are laid over
    that raw text. `outputs` are further outputs of the same system from better input, named
    `sentences`, `tokens` or `tags` after what was given to it, and tell what each layer costs.
    `marks` is the definition of punctuation for the scores without it: `auto`, `unicode`, `upos`,
    `xpos`, or tags separated by spaces.
    """
    truth, found = load(gold, text=text), load(system, text=text)
    if not any(doc.n_tokens for doc in truth):
        raise InputError(
            "gold has no tokens", remedy="Give an annotated file as gold, not a raw text."
        )
    options = options or SpanOptions()
    comparison = pair(truth, found, text=text)
    notes = [*comparison.notes, *_notes(comparison)]
    definition = parse_marks(marks) if isinstance(marks, str) else marks
    definition = definition.resolve(comparison.gold)
    scores, left_out = _scores(comparison.pairs, definition)
    notes += left_out
    if "LASNoPunct" in scores and scores["LASNoPunct"].gold == _scored_words(comparison.gold):
        notes.append(
            f"gold has no punctuation by {definition}; choose another definition with --marks"
        )
    notes += _one_sided(comparison, levels)
    if options.evalb.ignored:
        notes.append(
            "lines of the parameter file that change no score here: "
            + "; ".join(options.evalb.ignored)
        )
    losses: Losses | None = None
    if outputs:
        stages = {stage: load(source, text=text) for stage, source in outputs.items()}
        losses = stage_losses(truth, {"raw": found, **stages})
    return Report(
        name=name,
        comparison=comparison,
        scores=scores,
        options=options,
        wanted=tuple(levels),
        notes=notes,
        losses=losses,
        marks=definition,
    )


def _notes(comparison: Comparison) -> list[str]:
    gold, system = comparison.gold, comparison.system
    if not system.n_tokens:
        return ["the system's output is empty: all that gold has counts as missed"]
    notes = []
    if not comparison.same_characters:
        notes.append(
            "gold and system do not have the same characters and were aligned; the official "
            "scorer refuses them"
        )
    for side, name in ((gold, "gold"), (system, "the system")):
        if not all(doc.has_sentences for doc in side.docs if doc.n_tokens > 1):
            notes.append(
                f"{name} does not say of every token whether it starts a sentence; those unknown "
                "count as no starts"
            )
    return [
        *notes,
        *tree_notes(gold, "gold"),
        *tree_notes(system, "the system"),
        *columns_note(gold, system),
    ]


def _scored_words(side: Side) -> int:
    return int(np.count_nonzero(side.head != UNKNOWN))


def _scores(pairs: Pairs, marks: Marks) -> tuple[dict[str, Score], list[str]]:
    """All scores that mean something, and a sentence about those that do not."""
    gold, system = pairs.gold, pairs.system
    scores = score_pairs(pairs)
    left_out: list[str] = []
    trees = gold.known("head") and (system.known("head") or not system.n_words)
    if not trees:
        for name, columns in NEEDS.items():
            # Two whole trees are scored as the official scorer does, missing columns and all.
            if not all(gold.known(c) and system.known(c) for c in columns):
                del scores[name]
                left_out.append(name)
    scores |= segment_scores(pairs)
    if trees:
        scores |= attachment(pairs, marks)
    scores |= enhanced_scores(pairs)
    if left_out:
        return scores, [f"left out, since a side lacks the columns: {', '.join(left_out)}"]
    return scores, []


def _one_sided(comparison: Comparison, wanted: Sequence[str]) -> list[str]:
    """Structure that only one side has, so that it cannot be compared."""
    gold, system = comparison.gold, comparison.system
    if not system.n_tokens:
        return []
    notes = []
    for level, what, left, right in (
        ("PS", "phrase structure", has_phrases(gold), has_phrases(system)),
        ("DEP", "dependencies", gold.known("head"), system.known("head")),
    ):
        if level in wanted and left != right:
            owner = "gold" if left else "the system"
            notes.append(f"only {owner} has {what}, which is left out")
    return notes


def compare(
    gold: Source,
    systems: Mapping[str, Source],
    *,
    text: str | None = None,
    metrics: Sequence[str] = TESTED,
    unit: str = "document",
    samples: int = SAMPLES,
    seed: int = 1,
    **settings: Any,
) -> tuple[dict[str, Report], dict[tuple[str, str], list[Significance]]]:
    """Reports of several systems, and how sure the difference of each two of them is.

    A test needs two documents, or two sentences if these are the unit; with one there is only the
    difference.
    """
    truth = load(gold, text=text)
    reports = {
        name: evaluate(truth, source, text=text, name=name, **settings)
        for name, source in systems.items()
    }
    tests: dict[tuple[str, str], list[Significance]] = {}
    names = list(reports)
    usable = [m for m in metrics if all(m in report for report in reports.values())]
    counts = {
        name: {m: unit_counts(reports[name].comparison.pairs, m, unit)[1] for m in usable}
        for name in names
    }
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            tests[first, second] = [
                compare_units(
                    m, counts[first][m], counts[second][m], unit=unit, samples=samples, seed=seed
                )
                for m in usable
            ]
    return reports, tests
