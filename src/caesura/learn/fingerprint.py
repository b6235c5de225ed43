"""What a run depends on, as one number: its data, its options, and the version that ran it.

A checkpoint has the fingerprint of its run, and only a run with the same one goes on with it. What
changes how long a run takes and nothing else, as the number of threads, is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from caesura import __version__
from caesura.document import Document

#: What may differ between an interrupted run and the one that goes on with it.
FREE: Final = ("threads", "workers")
#: The version of the learners. It is raised when a learner changes, so that no run goes on from a
#: checkpoint of an older one.
LEARNERS: Final = 4
#: What trainings learn from: columns of strings, and arrays.
COLUMNS: Final = ("form", "lemma", "upos", "xpos", "feats", "deprel", "misc")
ARRAYS: Final = (
    *("token_start", "token_end", "word_token", "sent_start", "paragraph_start", "head"),
    *("markup_start", "markup_end", "node_parent", "node_leaf"),
)


def fingerprint(data: str, *told: Any, free: Sequence[str] = ()) -> str:
    """Return the fingerprint of data (their `digest`), of options and of other values.

    Options named in `free`, at any depth, do not count: a run may go on with more epochs.
    """
    without = frozenset((*FREE, *free))
    known = repr((__version__, LEARNERS, _plain(told, without)))
    return hashlib.sha256(f"{data} {known}".encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any, without: frozenset[str]) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        rows = [(one.name, getattr(value, one.name)) for one in fields(value)]
        return [(name, _plain(own, without)) for name, own in rows if name not in without]
    if isinstance(value, tuple | list):
        return [_plain(one, without) for one in value]
    return value


def digest(
    docs: Iterable[Document],
    columns: Sequence[str] = COLUMNS,
    arrays: Sequence[str] = ARRAYS,
    *,
    text: bool = True,
) -> str:
    """SHA-256 of what documents hold."""
    found = hashlib.sha256()
    for doc in docs:
        if text:
            found.update(doc.text.encode("utf-8", "surrogatepass"))
        for column in columns:
            found.update("\x1f".join(doc.column(column)).encode("utf-8", "surrogatepass"))
        for name in arrays:
            found.update(getattr(doc, name).tobytes())
    return found.hexdigest()


def file_digest(path: str | Path | None) -> str:
    """SHA-256 of a file; nothing for one that was not named."""
    return "" if path is None else hashlib.sha256(Path(path).read_bytes()).hexdigest()
