"""Labels that were kept, before a student learns from them: they are checked as raw text and
teachers are, because the treebank may be another one than that for which they were made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caesura.document import Document
from caesura.errors import InputError
from caesura.learn.label_sets import ENOUGH, compare_labels
from caesura.learn.options import SilverOptions
from caesura.learn.overlap import without_overlap
from caesura.learn.raw_text import in_language
from caesura.learn.report import Report

__all__ = ["that_fit"]


def that_fit(
    docs: Sequence[Document],
    folder: str,
    labels: Mapping[str, Sequence[str]],
    gold: Sequence[Document],
    held: Mapping[str, Sequence[Document]],
    options: SilverOptions,
    report: Report,
    language: str | None,
) -> list[Document]:
    """The documents of a folder that may be learned from; `labels` are those that networks knew."""
    found = in_language({folder: list(docs)}, language, report)
    found = without_overlap(
        found, held, share=options.share, how=options.overlap, report=report
    )  # fmt: skip
    kept = found[folder]
    if not kept:
        raise InputError(
            "nothing is left of the text", file=folder, remedy="Name labels of other text."
        )
    enough = sum(doc.n_words for doc in kept) >= ENOUGH
    for column in ("upos", "deprel"):
        known = labels.get(column) or (() if enough else None)
        compare_labels(
            gold,
            kept,
            column,
            declared=known,
            file=folder,
            remedy="Take labels by a teacher that was trained on the labels of this treebank.",
        )
    return kept
