"""What is fuzzed: an entry point each, with the laws that must hold for any input.

The only exception that may come out is a CaesuraError. A text keeps its characters and its tokens
their offsets; what a reader accepts is written as CoNLL-U that is read again to the same words; a
model file that is changed at random is refused or parses; a server answers as it is documented
(`service.py`); training, induction, clustering, evaluation and alignment are in `learning.py`.
Another entry point is a function from bytes to None, and a line in `door`.
"""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from caesura.document import NO, YES, Document, Word
from caesura.errors import CaesuraError, UsageError, shown
from caesura.find import Bounds, Pattern, PatternError, rewrite, setting
from caesura.formats import FORMATS, conllu
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.models.file import load as load_file
from tests.fuzz.learning import LEARNERS, learner_target
from tests.fuzz.models import changed_file
from tests.fuzz.service import http_target, requests_target
from tests.pipeline.laws import check

__all__ = [
    "DOORS",
    "PLAIN",
    "READERS",
    "Target",
    "door",
    "pipeline_target",
    "reader_target",
    "seeds",
]

#: Formats whose readers take bytes from anyone.
READERS: Final = (
    "conllu",
    "conllx",
    "text",
    "tokens",
    "transcript",
    "asr",
    "fields",
    "elan",
    "textgrid",
    "chat",
    "brackets",
    "html",
    "jsonl",
    "markdown",
    "spans",
)
#: Entry points that need no model.
PLAIN: Final = (*READERS, "find", *LEARNERS)
#: All entry points.
DOORS: Final = (*PLAIN, "pipeline", "constraints", "model", "requests", "http")
#: Ways of reading that lead through other code: options by the first byte of the input.
_WAYS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"skip_bad": True},
    {"pieces": 3},
    {"skip_bad": True, "token_range": True, "pieces": 50},
    {"errors": "replace", "space": False},
)
_CHOICES: Final = tuple(bytes([way]) for way in range(8))
_MODES: Final = {
    "text": ("line", "blank"),
    "tokens": ("token", "sentence"),
    "transcript": ("srt", "vtt", "speaker", "ttml"),
    "asr": ("json", "ctm"),
    "fields": ("csv", "tsv", "json", "jsonl"),
}
Target = Callable[[bytes], None]


def door(name: str, model: Path | None = None) -> Target:
    """The target of an entry point; those that are not in `PLAIN` use the file `model`."""
    if name in READERS:
        return reader_target(name)
    if name == "find":
        return find_target()
    if name in LEARNERS:
        return learner_target(name, _told)
    assert model is not None
    if name == "model":
        return model_target(model)
    if name in ("requests", "http"):
        return requests_target(model) if name == "requests" else http_target(model)
    from caesura.pipeline import load

    make = {"pipeline": pipeline_target, "constraints": constraints_target}[name]
    return make(load(model))


def reader_target(name: str) -> Target:
    """Read bytes in a format; what comes out is sound and survives CoNLL-U."""
    known = FORMATS[name]

    def one(data: bytes) -> None:
        # The first byte chooses the way only if it cannot be part of what is read.
        way, body = (data[0], data[1:]) if data[:1] in _CHOICES else (0, data)
        options = dict(_WAYS[way % len(_WAYS)])
        if name in _MODES and way:
            options["mode"] = _MODES[name][way % len(_MODES[name])]
        try:
            if name == "spans":
                docs = _of_files(body, ReadOptions(**options))
            else:
                docs = list(known.reader(io.BytesIO(body), ReadOptions(**options)))
        except CaesuraError as error:
            _told(error)
            return
        for doc in docs:
            doc.check()
        _round_trip(docs)

    return one


def _told(error: CaesuraError) -> None:
    """An error is one line of moderate length that no terminal obeys."""
    text = str(error)
    assert shown(text) == text
    assert len(text) < 3000


def _of_files(data: bytes, options: ReadOptions) -> list[Document]:
    """A text and its spans: what stands before and behind the first NUL."""
    text, _, rows = data.partition(b"\0")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.spans")
        path.write_bytes(rows or data)
        path.with_suffix(".txt").write_bytes(text)
        return list(FORMATS["spans"].reader(path, options))


def find_target() -> Target:
    """Search a document for bytes as a pattern: a match is words of one sentence, or an error.

    The first line is the pattern; others are settings, by which what is found is rewritten.
    """
    docs = list(FORMATS["conllu"].reader(io.BytesIO(_TREES), ReadOptions()))
    (doc,) = docs
    bounds = Bounds(steps=20_000, matches=100)

    def one(data: bytes) -> None:
        # The first byte that mutations put in front chooses a way to read, which there is not.
        body = data[1:] if data[:1] in _CHOICES else data
        text, *rest = body.decode("utf-8", "replace").split("\n")
        try:
            pattern = Pattern(text)
            settings = [setting(line, pattern.names) for line in rest[:4] if line]
            found = pattern.find(doc, bounds)
        except PatternError as error:
            _told(UsageError(error.sentence))
            _points(error)
            return
        except CaesuraError as error:
            _told(error)
            return
        assert Pattern(pattern.text) == pattern
        for match in found:
            assert len({Word(doc, word).sentence.start for word in match.indices}) == 1
        changed = rewrite(found, settings).doc
        changed.check()
        for sentence in changed.sentences:
            assert sum(word.is_root for word in sentence.words) == 1
        _round_trip([changed])

    return one


def _points(error: PatternError) -> None:
    """An error of a pattern is one line, the pattern, and a caret below a character of it."""
    lines = str(error).split("\n")
    assert len(lines) == 3
    assert all(shown(line) == line for line in lines)
    assert 0 <= error.at <= len(error.pattern)


#: Two sentences, one with a word that regular expressions choke on and a circle of heads.
_TREES: Final = (
    "1\tBoats\tboat\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\tGloss=a\n"
    "2\tcame\tcome\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "3\thome\thome\tADV\tRB\t_\t2\tadvmod\t_\tSpaceAfter=No\n"
    "4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
    f"1\t{'a' * 60}!\ta\tX\t_\t_\t0\troot\t_\t_\n"
    f"2\t{'ab' * 300}\tb\tX\t_\tFoo=Yes\t1\tdep:x\t_\t_\n\n"
).encode()


def pipeline_target(nlp: Any) -> Target:
    """Parse bytes as a text; the laws of texts and trees hold, and the result is valid CoNLL-U."""

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "replace").replace("\0", "")
        doc = nlp(text)
        check(doc, text)
        _round_trip([doc])

    return one


def constraints_target(nlp: Any) -> Target:
    """Parse a text of which anything may be given; what was given is obeyed or refused."""

    def one(data: bytes) -> None:
        rng = random.Random(data)
        text = data.decode("utf-8", "replace").replace("\0", "")
        plain = nlp(text)
        n = plain.n_tokens
        if not n:
            return
        doc = plain.cut(0, n)
        known = np.array([rng.random() < 0.4 for _ in range(doc.n_words)])
        doc.head = np.where(known, doc.head, -2).astype(np.int32)
        wild = rng.random() < 0.3  # heads that are no trees: refused, or mended where unknown
        if wild:
            doc.head = np.array(
                [rng.randrange(-2, doc.n_words) for _ in range(doc.n_words)], np.int32
            )
        doc.sent_start = np.array([rng.choice((YES, NO, 0)) for _ in range(n)], np.int8)
        keep = rng.sample(["tokens", "sentences", "tags", "lemmas", "heads"], rng.randrange(1, 6))
        try:
            made = nlp(doc, keep=keep)
        except CaesuraError as error:
            _told(error)
            return
        assert made.text == plain.text
        made.check()
        if "sentences" in keep:
            asked = doc.sent_start[1:] == YES
            assert np.all(made.sent_start[1:][asked] == YES)
        if not wild and "heads" in keep and "sentences" not in keep:
            assert np.array_equal(made.head[known], plain.head[known])

    return one


def model_target(model: Path) -> Target:
    """Load a model that was changed at random, build it and parse a line."""
    from caesura.pipeline import load

    file = load_file(model)
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "changed.caesura")

    def one(data: bytes, folder: Any = folder) -> None:
        changed_file(file, path, random.Random(data))
        try:
            doc = load(path)("The boats didn't come back. 12 men waited\nthere")
        except CaesuraError as error:
            _told(error)
            return
        doc.check()

    return one


def _round_trip(docs: list[Document]) -> None:
    out = io.BytesIO()
    try:
        conllu.write_conllu(docs, out, WriteOptions())
    except CaesuraError:
        return
    data = out.getvalue()
    again = list(conllu.read_conllu(io.BytesIO(data), ReadOptions()))
    assert sum(doc.n_words for doc in again) == sum(doc.n_words for doc in docs)
    back = io.BytesIO()
    conllu.write_conllu(again, back, WriteOptions())
    assert back.getvalue() == data


def seeds(name: str = "") -> Sequence[bytes]:
    """Small inputs to start from: the project's own examples and mistakes, and a door's corpus."""
    root = Path(__file__).parents[2]
    paths = [*root.glob("examples/*.*"), *root.glob("tests/cases/*-*/*")]
    if name == "find" or name in LEARNERS:  # most others are refused at once
        paths = []
    paths += (root / "tests" / "fuzz" / "corpus").glob(f"{name or '*'}/*")
    found = [path.read_bytes() for path in sorted(paths) if path.is_file()]
    return [data for data in found if len(data) < 4096]
