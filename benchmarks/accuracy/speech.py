"""Sentence starts and trees of text without case and punctuation.

    python -m benchmarks.accuracy.speech                    # the bundled models on EWT-speech dev
    python -m benchmarks.accuracy.speech --model my.caesura --treebank GUM-speech
    python -m benchmarks.accuracy.speech --mixed --treebank UD_English-GUM
    python -m benchmarks.accuracy.speech --cues --format srt --format whisper

Tokens are given. With --mixed every second paragraph of a written treebank is converted to such a
text; only the text is given, and sentence starts inside these paragraphs and inside the others are
scored.

With --cues the text of files of at least a thousand words is written as cues of 5, 8 or 12 words,
of 3 to 14 at random, of two lines of 42 characters, or of one sentence, without pauses and with
pauses of 0.6 s at 60% of the sentence boundaries. Sentence starts inside files are scored, found
from the files and, for comparison, in the same words on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from io import BytesIO
from itertools import pairwise

import numpy as np
from benchmarks.common import conll, dev_docs, options, show

from caesura.document import YES, Document
from caesura.evaluate.quick import boundaries
from caesura.formats import ReadOptions, read_stream
from caesura.learn.tuning import f1
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
    starts = boundaries(gold, system)
    row = {name: starts[name].f1 for name in ("Starts", "StartsAll")}
    return row | conll(gold, system, ("UPOS", "LAS"))


def words_of(docs: list[Document], size: int) -> list[list[tuple[str, bool]]]:
    """Files of so many words, separated by spaces: the text, and whether a sentence starts."""
    files: list[list[tuple[str, bool]]] = [[]]
    for doc in docs:
        if len(files[-1]) >= size:
            files.append([])
        starts = set(doc.token_start[doc.sent_start == YES].tolist()) | {int(doc.token_start[0])}
        for match in re.finditer(r"\S+", doc.text):
            inside = any(at in starts for at in range(match.start(), match.end()))
            files[-1].append((match[0], inside))
    return files


def cut(words: list[tuple[str, bool]], kind: str, rng: np.random.Generator) -> list[int]:
    """The first word of each cue, and the number of words."""
    bounds = [0]
    if kind == "sentences":
        return [0, *(n for n, (_, starts) in enumerate(words) if starts and n), len(words)]
    if kind == "2 lines":
        line, row = "", 0
        for n, (word, _) in enumerate(words):
            if line and len(line) + 1 + len(word) > 42:
                line, row = "", row + 1
                if row == 2:
                    bounds.append(n)
                    row = 0
            line = f"{line} {word}".strip()
        return [*bounds, len(words)]
    while bounds[-1] < len(words):
        size = int(rng.integers(3, 15)) if kind == "3-14" else int(kind)
        bounds.append(min(bounds[-1] + size, len(words)))
    return bounds


def clock(seconds: float, mark: str) -> str:
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    whole, part = divmod(milliseconds, 1000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{whole:02}{mark}{part:03}"


def file_of_cues(
    words: list[tuple[str, bool]], bounds: list[int], format: str, times: list[tuple[float, float]]
) -> str:
    """The words of a file as cues."""
    rows, segments = [], []
    for number, (first, last) in enumerate(pairwise(bounds), 1):
        text = " ".join(word for word, _ in words[first:last])
        begin, end = times[first][0], times[last - 1][1]
        mark = "," if format == "srt" else "."
        rows.append(f"{number}\n{clock(begin, mark)} --> {clock(end, mark)}\n{text}\n")
        own = [
            {"word": f" {word}", "start": a, "end": b}
            for (word, _), (a, b) in zip(words[first:last], times[first:last], strict=True)
        ]
        segments.append({"start": begin, "end": end, "text": f" {text}", "words": own})
    if format == "whisper":
        return json.dumps({"segments": segments})
    return "\n".join(["WEBVTT\n", *rows] if format == "vtt" else rows)


def found_starts(doc: Document, words: list[tuple[str, bool]]) -> set[int]:
    """Sentence starts by the number of characters of the words before them.

    Words that the reader took for labels or dashes are missing in the text.
    """
    places = np.full(len(doc.text) + 1, -1)
    known = list(re.finditer(r"\S+", doc.text))
    sizes = np.concatenate([[0], np.cumsum([len(word) for word, _ in words])])
    matcher = SequenceMatcher(None, [m[0] for m in known], [w for w, _ in words], autojunk=False)
    for a, b, size in matcher.get_matching_blocks():
        for k in range(size):
            begin, end = known[a + k].span()
            places[begin:end] = np.arange(sizes[b + k], sizes[b + k] + end - begin)
    return set(places[doc.token_start[doc.sentence_bounds[:-1]]].tolist()) - {0, -1}


def gold_starts(words: list[tuple[str, bool]]) -> set[int]:
    sizes = np.concatenate([[0], np.cumsum([len(word) for word, _ in words])])
    return {int(sizes[n]) for n, (_, starts) in enumerate(words) if starts} - {0}


def score(found: list[set[int]], gold: list[set[int]]) -> float:
    right = sum(len(own & true) for own, true in zip(found, gold, strict=True))
    return f1(right, sum(map(len, found)), sum(map(len, gold)))


def cued(
    nlp: Pipeline, docs: list[Document], formats: list[str], kinds: list[str], size: int
) -> dict[str, float]:
    """F1 of starts for the words on one line, and for each kind of cues."""
    files = words_of([doc for doc in docs if doc.n_tokens], size)
    gold = [gold_starts(words) for words in files]
    lines = nlp.pipe(" ".join(word for word, _ in words) for words in files)
    row = {"one line": score(list(map(found_starts, lines, files)), gold)}
    for format in formats:
        for kind in kinds:
            for pauses in (False, True):
                rng = np.random.default_rng(1)
                found = []
                for words in files:
                    at, times = 0.0, []
                    for _, starts in words:
                        at += 0.6 if pauses and starts and rng.random() < 0.6 else 0.0
                        times.append((round(at, 3), round(at + 0.3, 3)))
                        at += 0.3
                    text = file_of_cues(words, cut(words, kind, rng), format, times)
                    name = "asr" if format == "whisper" else "transcript"
                    mode = None if format == "whisper" else format
                    stream = BytesIO(text.encode())
                    (doc,) = read_stream(stream, name, ReadOptions(mode=mode))
                    found.append(found_starts(nlp(doc), words))
                title = f"{format}, {kind}" + (", pauses" if pauses else "")
                row[title] = score(found, gold)
    return row


KINDS = ("5", "8", "12", "3-14", "2 lines", "sentences")


def main() -> None:
    parser = options(__doc__, "--model", "--limit", "--json")
    parser.add_argument("--treebank", default="EWT-speech")
    parser.add_argument("--mixed", action="store_true", help="every second paragraph")
    parser.add_argument("--cues", action="store_true", help="the same words as cues")
    parser.add_argument("--format", action="append", choices=["srt", "vtt", "whisper"])
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--words", type=int, default=1000, help="words of a file with --cues")
    given = parser.parse_args()
    gold = dev_docs(given.treebank, given.limit)
    rows = []
    for model in given.model or ["en", "en-fast"]:
        nlp = load(model)
        if given.cues:
            formats = given.format or ["srt", "vtt", "whisper"]
            found = cued(nlp, gold, formats, given.kind or [*KINDS], given.words)
            rows += [
                {"model": model, "cues": name, "starts": value} for name, value in found.items()
            ]
        else:
            rows.append({"model": model, **(mixed if given.mixed else spoken)(nlp, gold)})
    show(rows, given.json)


if __name__ == "__main__":
    main()
