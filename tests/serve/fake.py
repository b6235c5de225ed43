"""A pipeline of rules, quick and the same everywhere: what is tested here is the server.

A "model" is a file of JSON with the arguments of `FakePipeline`, which a worker reads with `load`.
A sentence ends with its punctuation; every word hangs on the one before it. It obeys boundaries
that are given, streams, and has second best analyses, as the real one does. As in a real search a
boundary that is given may cost others: near it, punctuation ends a sentence only if that is given
as well.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from caesura import constraints
from caesura.document import NO, ROOT, UNKNOWN, YES, Document
from caesura.options import Request

_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
#: Tokens on both sides of a boundary that is given where no other is drawn by itself.
_NEAR = 25


#: What is left of texts that ask for memory.
_KEPT: list[bytearray] = []


def save(path: Path, **arguments: Any) -> Path:
    """A file of which `load` makes a pipeline."""
    path.write_text(json.dumps(arguments), encoding="utf-8")
    return path


def load(path: Path) -> FakePipeline:
    return FakePipeline(path, **json.loads(path.read_text(encoding="utf-8")))


def misbehave(text: str) -> None:
    """What a bug, or an input that finds one, may do to the process it runs in."""
    if text.startswith("HANG"):
        if (named := text.removeprefix("HANG").strip()).startswith("/"):
            Path(named).touch()  # from now on it does
        re.match(r"(a|a)*$", "a" * 60 + "b")  # for ages, and no other thread gets a turn
    if text.startswith("DIE"):
        os.abort()
    if text.startswith("BUG"):
        raise ZeroDivisionError("a secret of the text")
    if text.startswith("KEEP "):
        _KEPT.append(bytearray(b"x") * (int(text.split()[1]) << 20))
    if text.startswith("GROW"):
        while True:
            _KEPT.append(bytearray(b"x") * (16 << 20))
            time.sleep(0.01)


def _tree(heads: list[int], word: int, head: int) -> bool:
    """Whether a word may hang there without a cycle."""
    while head >= 0 and head != word:
        head = heads[head]
    return head != word


class FakePipeline:
    has_tokenizer = True
    watch = None

    def __init__(
        self,
        path: Path,
        label: str = "dep",
        delay: float = 0.0,
        ends: str = ".?!",
        ballast: int = 0,
    ) -> None:
        #: So many MB, as a large model has.
        self.ballast = bytearray(b"x") * (ballast << 20)
        self.file = SimpleNamespace(path=str(path), parts={"tokenizer": None, "parser": None})
        self.label = label
        self.delay = delay
        self.ends = ends

    def batch_of(self, sources: Sequence[str | Document], request: Request) -> list[Document]:
        found = []
        for source in sources:
            assert isinstance(source, Document)
            doc = self(source.text, confidence=request.confidence)
            doc.id = source.id
            found.append(doc)
        return found

    def __call__(
        self,
        source: str | Document,
        *,
        sentence_starts: Iterable[int] = (),
        no_boundary: Iterable[int] = (),
        keep: Iterable[str] = (),
        confidence: bool = False,
        across_turns: bool = False,
    ) -> Document:
        if isinstance(source, Document):
            return self._complete(source, keep, confidence)
        misbehave(source)
        if self.delay:
            time.sleep(self.delay)
        spans = [match.span() for match in _TOKEN.finditer(source)]
        doc = Document.from_spans(source, [a for a, _ in spans], [b for _, b in spans])
        yes, no = set(sentence_starts), set(no_boundary)
        starts = []
        forced = [token for token, (a, _) in enumerate(spans) if a in yes and token]
        for token, (a, _) in enumerate(spans):
            ended = token == 0 or source[spans[token - 1][0]] in self.ends
            if token and any(abs(token - other) <= _NEAR for other in forced):
                ended = False
            starts.append(YES if a in yes or (ended and a not in no) else NO)
        doc.sent_start = np.array(starts, np.int8)
        heads = [ROOT if start == YES else word - 1 for word, start in enumerate(starts)]
        doc.head = np.array(heads, np.int32)
        doc.set_column("deprel", ["root" if h == ROOT else self.label for h in heads])
        doc.set_column("upos", ["PUNCT" if not f.isalnum() else "X" for f in doc.column("form")])
        if confidence:
            self._sure(doc)
        return doc

    def _sure(self, doc: Document) -> None:
        sure = [1 / (1 + word % 5) for word in range(doc.n_words)]
        doc.arc_conf = doc.tag_conf = np.array(sure, np.float32)
        doc.sent_conf = np.where(doc.sent_start == YES, 0.9, 0.1).astype(np.float32)

    def _complete(self, source: Document, keep: Iterable[str], confidence: bool) -> Document:
        """Words hang on the one before as far as what is fixed lets them."""
        doc = constraints.keep(source, keep)
        assert {"tokens", "sentences"} <= doc.fixed
        known = doc.head.tolist() if "heads" in doc.fixed else [UNKNOWN] * doc.n_words
        heads = list(known)
        for sentence in doc.sentences:
            words = range(sentence.first_word, sentence.last_word)
            roots = [word for word in words if known[word] == ROOT]
            open_ = [word for word in words if known[word] == UNKNOWN]
            root = (roots or open_)[0]
            heads[root] = ROOT
            for word in open_:
                if word != root:
                    tries = (word - 1, root, *words)
                    heads[word] = next(h for h in tries if h in words and _tree(heads, word, h))
        doc.head = np.array(heads, np.int32)
        for name in ("deprel", "upos"):
            plain = ["root" if h == ROOT else self.label for h in heads]
            if name == "upos":
                plain = ["PUNCT" if not f.isalnum() else "X" for f in doc.column("form")]
            doc.set_column(name, [a or b for a, b in zip(doc.column(name), plain, strict=True)])
        if confidence:
            self._sure(doc)
        doc.fixed = frozenset()
        return doc

    def stream_of(self, blocks: Iterable[str], request: Request) -> Iterator[Document]:
        doc = self("".join(blocks), confidence=request.confidence)
        bounds = doc.sentence_bounds.tolist()
        for first in range(0, len(bounds) - 1, 50):
            last = bounds[min(first + 50, len(bounds) - 1)]
            if first >= 500:
                time.sleep(0.03)  # a long text takes a while
            yield doc.cut(bounds[first], last)

    def k_best_of(self, source: Any, request: Request) -> list[Document]:
        best = self(source) if isinstance(source, str) else source
        other = best.cut(0, best.n_tokens)
        other.set_column("deprel", ["other"] * other.n_words)
        return [best, other][: request.k_best]
