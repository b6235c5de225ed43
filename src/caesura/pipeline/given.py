"""What a caller has decided already, and the pipeline keeps: tokens, sentences, tags, heads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from caesura.document import FIXABLE, MAYBE, NO, UNKNOWN, WORD_STRINGS, YES, Document
from caesura.errors import InputError, UsageError

__all__ = ["check_given", "fix_starts", "given_columns", "keep_given", "keep_layout"]

_COLUMNS: Final = {
    "tags": ("upos", "xpos", "feats"),
    "lemmas": ("lemma",),
    "heads": ("deprel",),
}


def check_given(keep: Iterable[str], newline_is_boundary: bool) -> None:
    """Refuse to keep sentences and to take lines for sentences at once."""
    if newline_is_boundary and "sentences" in keep:
        raise UsageError(
            "sentences are kept, or every line ends one: not both",
            remedy="Leave --keep-sentences or --newline-is-boundary out.",
        )


def keep_given(doc: Document, given: Iterable[str], newline_is_boundary: bool = False) -> Document:
    """A copy of a document in which only what is given is known, and is fixed.

    Tags, lemmas and heads belong to words, so to keep them is to keep the tokens.
    """
    wanted = frozenset(given)
    check_given(wanted, newline_is_boundary)
    unknown = wanted - FIXABLE
    if unknown:
        raise UsageError(
            f"cannot keep {', '.join(sorted(unknown))}",
            remedy=f"What can be kept: {', '.join(sorted(FIXABLE))}.",
        )
    if wanted & {"tags", "lemmas", "heads"}:
        wanted |= {"tokens"}
    if not doc.n_tokens:
        if wanted:
            raise InputError(
                "there are no tokens to keep", file=doc.source, remedy="Parse it as plain text."
            )
        return doc
    copy = doc.cut(0, doc.n_tokens)
    copy.fixed = wanted
    copy.continues = doc.continues
    copy.token_columns = {}
    copy.empty_nodes = []
    copy.start_evidence = copy.tag_options = None
    copy.sent_conf = copy.tag_conf = copy.arc_conf = None
    kept = {name for key, names in _COLUMNS.items() if key in wanted for name in names}
    for name in WORD_STRINGS:
        if name not in kept and name not in ("form", "misc"):
            setattr(copy, name, np.zeros(copy.n_words, np.int32))
    if "heads" not in wanted:
        copy.head = np.full(copy.n_words, UNKNOWN, np.int32)
    else:  # the label of an arc that is open is open, too
        copy.deprel = np.where(copy.head == UNKNOWN, 0, copy.deprel).astype(np.int32)
    if "sentences" not in wanted:
        copy.sent_start = np.full(copy.n_tokens, MAYBE, np.int8)
        copy.comments = {}
    return copy


def keep_layout(doc: Document, source: Document) -> None:
    """What a document knows besides its tokens: its name, turns, mark-up and paragraphs."""
    for name in ("id", "source", "continues", "paragraph_start", "turn_start", "turn_end"):
        setattr(doc, name, getattr(source, name))
    doc.before = source.before
    doc.markup_start, doc.markup_end = source.markup_start, source.markup_end
    doc.turn_time = source.turn_time
    for name in ("turn_speaker", "markup_label"):
        setattr(doc, name, doc.strings.ids(source.strings.take(getattr(source, name))))


def given_columns(doc: Document) -> dict[str, Any]:
    """The columns of a document's words that are given, and stay where they are known."""
    names: tuple[str, ...] = ()
    if "tags" in doc.fixed:
        names += ("upos", "xpos", "feats")
    if "lemmas" in doc.fixed:
        names += ("lemma",)
    return {name: getattr(doc, name) for name in names}


def fix_starts(doc: Document, starts: Iterable[int], others: Iterable[int] = ()) -> None:
    """A sentence starts at the tokens that begin at some offsets, and at none that begin at others.

    The rest stays as open as it is.
    """
    fixed = doc.sent_start.copy()
    fixed[np.isin(doc.token_start, np.array(list(others), dtype=np.int64))] = NO
    fixed[np.isin(doc.token_start, np.array(list(starts), dtype=np.int64))] = YES
    doc.sent_start = fixed
    doc.fixed |= {"sentences"}
