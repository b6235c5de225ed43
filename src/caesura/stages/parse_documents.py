"""Documents as every parser takes and gives them: checked, in batches on threads, written to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import YES, Document
from caesura.document.slicing import runs
from caesura.errors import CaesuraWarning, InputError, WarningSink

if TYPE_CHECKING:
    from caesura.stages.parse_analysis import Parse

__all__ = ["check", "check_split", "in_batches", "name_of", "sentence_bounds", "write_trees"]

T = TypeVar("T")
#: Words that are decoded in one call.
BATCH: Final = 20_000


def name_of(doc: Document) -> str:
    """What messages call a document."""
    return f"document {doc.id!r}" if doc.id else "the document"


def check(doc: Document, tags: Sequence[str], warn: WarningSink | None) -> None:
    """Refuse a document without the tags that a parser was trained with."""
    for column in tags:
        # A short text may have no features though it is tagged; it always has tags.
        if column != "feats" and doc.n_words and _is_blank(getattr(doc, column)):
            raise InputError(
                f"the parser was trained with {column.upper()} tags, but {name_of(doc)} has none",
                file=doc.source,
                remedy="Tag it first, or use a parser trained without tags.",
            )
    if warn is not None and not tags and np.any(doc.upos):
        name = name_of(doc)
        warn(CaesuraWarning(f"the parser was trained without tags; those of {name} are unused"))


def _is_blank(column: NDArray[np.int32]) -> bool:
    return not (len(column) and column[0]) and not column.any()  # mostly the first one has a tag


def check_split(doc: Document, parser: str) -> None:
    """Refuse a document without sentences; `parser` says what takes only those."""
    if not doc.has_sentences and doc.n_tokens > 1:
        raise InputError(
            f"{parser}, but {name_of(doc)} is not split into any",
            file=doc.source,
            remedy="Split it first, or use a parser trained on documents (recipe joint).",
        )


def sentence_bounds(doc: Document) -> NDArray[np.int64]:
    """Where the sentences of a document start, by word, and where the last one ends."""
    starts = np.flatnonzero(doc.word_sent_start == YES)
    if doc.n_words and not len(starts):
        starts = np.zeros(1, np.int64)
    return np.concatenate([starts, [doc.n_words]]).astype(np.int64)


def in_batches(
    docs: Sequence[Document], work: Callable[[Sequence[Document]], T], *, threads: int = 1
) -> list[T]:
    """What `work` makes of each batch of documents, in order."""
    groups = [docs[group.start : group.stop] for group in _groups([doc.n_words for doc in docs])]
    if threads == 1 or len(groups) <= 1:
        return [work(group) for group in groups]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, groups))


def write_trees(docs: Sequence[Document], parses: Sequence[Parse], labels: Sequence[str]) -> None:
    """Give words their heads and labels; labels that a document fixes stay as they are."""
    analyses = iter(parses)
    for run in runs(docs):
        ids = run[0].strings.ids(labels)
        for doc, parse in zip(run, analyses, strict=False):
            doc.deprel = Constraints.of(doc).obeyed_deprels(ids[parse.labels])
            doc.head = parse.heads


def _groups(sizes: Sequence[int]) -> list[range]:
    """Runs of documents of about `BATCH` words."""
    groups: list[range] = []
    begin, words = 0, 0
    for k, size in enumerate(sizes):
        words += size
        if words >= BATCH:
            groups.append(range(begin, k + 1))
            begin, words = k + 1, 0
    if begin < len(sizes):
        groups.append(range(begin, len(sizes)))
    return groups
