"""Sentence starts and trees of text without case and punctuation.

    python benchmarks/speech.py                    # the bundled models on EWT-speech dev
    python benchmarks/speech.py --model my.caesura --treebank GUM-speech
    python benchmarks/speech.py --mixed --treebank UD_English-GUM

Tokens are given. With --mixed every second paragraph of a written treebank is made such a text, as
a page has a comment or a message that nobody punctuated; then the text alone is given, and what is
scored are sentence starts inside of those paragraphs, and inside of the others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from data import file_of

from caesura.document import YES, Document
from caesura.evaluate.conll import conll18
from caesura.evaluate.quick import boundaries
from caesura.formats import read
from caesura.parse.scores import f1
from caesura.pipeline import Pipeline, load
from caesura.transform import speech

#: Where paragraphs begin in a text, which of them are plain, and where sentences start.
Page = tuple[str, list[int], list[bool], set[int]]


def page(doc: Document) -> Page:
    """A document every second paragraph of which has no case and punctuation."""
    begins = [*np.flatnonzero(doc.token_paragraph_start).tolist(), doc.n_tokens]
    text, places, plain, starts = "", list[int](), list[bool](), set[int]()
    for k, (first, last) in enumerate(pairwise(begins)):
        piece = doc.cut(first, last)
        piece = speech(piece) if k % 2 else piece
        places.append(len(text))
        plain.append(k % 2 == 1)
        starts |= set((piece.token_start[piece.sent_start == YES] + len(text)).tolist())
        text += piece.text.strip() + "\n\n"
    return text, places, plain, starts


def inside(offsets: Iterable[int], page: Page, kind: bool) -> set[int]:
    """Those of the offsets that are inside of plain paragraphs, or of others."""
    _, places, plain, _ = page
    known = sorted(offsets)
    at = np.searchsorted(places, known, side="right") - 1
    return {
        offset
        for offset, k in zip(known, at.tolist(), strict=True)
        if plain[k] == kind and offset not in places
    }


def mixed(nlp: Pipeline, gold: list[Document]) -> dict[str, float]:
    """F1 of starts inside of paragraphs, of plain ones and of others."""
    pages = [page(doc) for doc in gold]
    found = [doc.token_start[doc.sent_start == YES] for doc in nlp.pipe(one[0] for one in pages)]
    row = {}
    for name, kind in (("Plain", True), ("Others", False)):
        pairs = [
            (inside(own.tolist(), one, kind), inside(one[3], one, kind))
            for own, one in zip(found, pages, strict=True)
        ]
        row[name] = f1(
            sum(len(own & right) for own, right in pairs),
            sum(len(own) for own, _ in pairs),
            sum(len(right) for _, right in pairs),
        )
    return row


def spoken(nlp: Pipeline, gold: list[Document]) -> dict[str, float]:
    system = list(nlp.pipe(gold, keep=("tokens",)))
    starts, scores = boundaries(gold, system), conll18(gold, system)
    return {
        "Starts": starts["Starts"].f1,
        "StartsAll": starts["StartsAll"].f1,
        "UPOS": scores["UPOS"].f1,
        "LAS": scores["LAS"].f1,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", action="append", help="a model; may be repeated")
    parser.add_argument("--treebank", default="EWT-speech")
    parser.add_argument("--mixed", action="store_true", help="every second paragraph")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    gold = list(read(file_of(arguments.treebank, "dev")))
    if not arguments.json and arguments.mixed:
        print("| model | starts inside plain paragraphs | inside others |")
        print("|---|---:|---:|")
    elif not arguments.json:
        print("| model | starts, not of documents | all starts | UPOS | LAS |")
        print("|---|---:|---:|---:|---:|")
    for model in arguments.model or ["en", "en-fast"]:
        row = (mixed if arguments.mixed else spoken)(load(model), gold)
        if arguments.json:
            print(json.dumps({"model": model, **row}))
        else:
            print(f"| {model} | " + " | ".join(f"{value:.2f}" for value in row.values()) + " |")


if __name__ == "__main__":
    main()
