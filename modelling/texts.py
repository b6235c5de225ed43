"""Raw texts that `build.py` makes: plain sentences by rule, and texts with other line ends.

The texts depend on the plan only, so that labels are the same on all machines. The root of a plain
sentence is known; sentences in which the teachers found another root are not learned from.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from modelling.plain_english import documents
from numpy.typing import NDArray

from caesura.document import ROOT, Document
from caesura.learn.raw_text import read_raw
from caesura.learn.run import Report
from caesura.learn.silver import Silver

__all__ = ["PLAIN", "learned_roots", "plain_text", "relaid_text"]

PLAIN = "plain-"
#: Of texts that are laid out anew, the share in which each paragraph is a line; others are wrapped.
_LINES = 0.25


def plain_text(path: Path, number: int, seed: int) -> Path:
    """A file of so many documents of plain sentences."""
    made = (
        f"# newdoc id = {PLAIN}{n}\n" + " ".join(text for text, _ in sentences) + "\n\n"
        for n, sentences in enumerate(documents(number, seed))
    )
    path.write_text("".join(made), encoding="utf-8")
    return path


def relaid_text(
    sources: Sequence[str], path: Path, share: float, seed: int, one_of: int = 1
) -> Path:
    """The documents of raw texts in one file, a share of them with other line ends.

    Of `one_of` documents one is taken.
    """
    with path.open("w", encoding="utf-8") as out:
        for source, docs in read_raw(sources, Report()).items():
            for n, doc in list(enumerate(docs))[::one_of]:
                name = doc.id or f"{Path(source).name}-{n}"
                out.write(f"# newdoc id = {name}\n{_laid(doc.text, f'{seed} {name}', share)}\n\n")
    return path


def _laid(text: str, seed: str, share: float) -> str:
    """A text as it is, wrapped at some width, or with a line for each paragraph."""
    chance = random.Random(seed)
    drawn = chance.random()
    paragraphs = [part.strip("\n") for part in text.strip().split("\n\n") if part.strip()]
    if drawn >= share:
        return "\n\n".join(paragraphs)
    if drawn < share * _LINES:
        return "\n".join(" ".join(part.split()) for part in paragraphs)
    width, indent = chance.randint(40, 100), "    " * (chance.random() < 0.2)
    return "\n\n".join(
        textwrap.fill(
            " ".join(part.split()),
            width,
            initial_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for part in paragraphs
    )


def learned_roots(silver: Silver, number: int, seed: int) -> Silver:
    """The same labels without plain sentences of which the teachers found another root."""
    roots = {f"{PLAIN}{n}": made for n, made in enumerate(documents(number, seed))}
    wrong = [_wrong(doc, roots) for doc in silver.docs]
    soft = silver.soft
    if soft is not None:
        soft = soft.forget(np.concatenate([np.zeros(0, bool), *wrong]))
    docs = [_forgotten(doc, out) for doc, out in zip(silver.docs, wrong, strict=True)]
    return replace(silver, docs=docs, soft=soft)


def _wrong(doc: Document, roots: Mapping[str, Sequence[tuple[str, str]]]) -> NDArray[np.bool_]:
    """The words of sentences that are not those that were made, or have other roots."""
    out = np.zeros(doc.n_words, bool)
    if (doc.id or "") not in roots:
        return out
    made = dict(roots[doc.id or ""])
    for sentence, words in _sentences(doc):
        root = made.get(" ".join(sentence.split()))
        forms = [doc.words[w].form for w in words if doc.head[w] == ROOT]
        out[words] = root is None or [form.casefold() for form in forms] != [root.casefold()]
    return out


def _sentences(doc: Document) -> Iterator[tuple[str, list[int]]]:
    for sentence in doc.sentences:
        yield sentence.text, list(range(sentence.first_word, sentence.last_word))


def _forgotten(doc: Document, out: NDArray[np.bool_]) -> Document:
    """A document in whose sentences no confidence is left where nothing shall be learned.

    A linear student passes over them if the plan asks for any confidence at all.
    """
    if not out.any() or doc.arc_conf is None:
        return doc
    return replace(doc, arc_conf=np.where(out, 0, doc.arc_conf).astype(np.float32))
