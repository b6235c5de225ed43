"""`caesura split`: the sentences of texts, one a line, as offsets or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import msgspec
import numpy as np

from caesura.cli.interrupt import complete
from caesura.cli.refuse import refuse
from caesura.cli.running import Call, annotates
from caesura.document import Document, turn_of
from caesura.find.chunks import Chunk, Chunker, Limit
from caesura.formats.io import open_write
from caesura.options import ModelChoice, option
from caesura.pipeline.run import Write

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["command", "sentences", "write_lines", "write_sentences"]


def sentences(piece: Document, offset: int) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of the sentences of a piece of a text that begins at an offset."""
    bounds = piece.sentence_bounds
    starts, ends = piece.token_start.tolist(), piece.token_end.tolist()
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        start, end = starts[first], ends[last - 1]
        yield start + offset, end + offset, piece.text[start:end]


@dataclass(frozen=True)
class Options:
    paragraphs: bool = option(False, "Put an empty line between paragraphs.")
    offsets: bool = option(False, "Print start and end (code points) before each.")
    as_json: bool = option(False, "Print a JSON object for each sentence.", name="--json")
    max_chars: int | None = option(
        None,
        "Print chunks of at most N characters instead: they end at a sentence, else at a clause, "
        "a phrase or a word.",
        least=1,
        metavar="N",
    )
    max_words: int | None = option(
        None, "The same, of at most N tokens (words and marks).", least=1, metavar="N"
    )
    overlap: int = option(
        0, "A chunk repeats up to N characters or tokens of the one before.", least=0, metavar="N"
    )


@click.command()
@annotates("split", named=ModelChoice, own=Options)
def command(call: Call, named: ModelChoice, own: Options) -> int:
    """Split FILES (or stdin) into sentences, one a line; spaces and line ends in them are folded.

    With --offsets: start, end and sentence, separated by tabs, where text[start:end] is the
    sentence as it stands in the file. With --json the sentence is that, unchanged, with how sure
    the model is that it starts there, and of a transcript with speaker and times. Sentences are
    those that `caesura parse` finds, unless --quick or --within ask for others.

    \b
    caesura split letter.txt
    caesura split chat.log --newline-is-boundary --offsets
    caesura split corpus/ -o sentences/ --quick
    caesura split --within 20 < pipe
    caesura split book.txt --max-chars 500 --json
    """
    kind = "jsonl" if own.as_json else ("tsv" if own.offsets else "text")
    limit = None
    if own.max_chars is not None or own.max_words is not None or own.overlap:
        limit = Limit.of(own.max_chars, own.max_words, own.overlap)
        refuse("chunks", "within", "paragraphs")
    if call.request.within is not None:
        refuse("--within", "threads", remedy="Sentences are found as they come.")
    sources = call.sources()
    if any(source.format != "text" for source, _ in sources):
        refuse("a format other than plain text", "within", remedy="A file has no delay.")
    plan = call.plan(sources, lambda source: kind)

    def load() -> Pipeline:
        nlp = call.pipeline(named, plan, frozenset({"head", "sentences"}))
        return nlp.quick() if call.request.quick else nlp

    request = replace(call.request, confidence=own.as_json and limit is None)
    write: Write = partial(write_sentences, paragraphs=own.paragraphs)
    if limit is not None:
        write = partial(_write_chunks, limit)
    return call.run(plan, load, "Splitting", request=request, write=write)


def write_sentences(
    docs: Iterable[Document], path: str, kind: str, *, paragraphs: bool = False
) -> None:
    """The sentences of documents, one a line, as they come."""
    write_lines(map(_Rows(kind, paragraphs), docs), path)


def write_lines(found: Iterable[bytes], path: str) -> None:
    """Lines as they come; a file appears when it is complete."""
    if path == "-":
        for lines in complete(found):
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
        return
    with open_write(path) as out:
        for lines in found:
            out.write(lines)


def _write_chunks(limit: Limit, docs: Iterable[Document], path: str, kind: str) -> None:
    """The chunks of documents, one a line, when they are complete."""

    def lines() -> Iterator[bytes]:
        chunker, source = Chunker(limit), ""
        for piece in docs:
            if not piece.continues:
                yield _chunk_lines(chunker.finish(), source, kind)
                chunker = Chunker(limit)
            source = _name(piece)
            yield _chunk_lines(chunker.add(piece), source, kind)
        yield _chunk_lines(chunker.finish(), source, kind)

    write_lines(lines(), path)


def _chunk_lines(chunks: Iterable[Chunk], source: str, kind: str) -> bytes:
    lines = []
    for start, end, text in chunks:
        folded = " ".join(text.split())
        if kind == "jsonl":
            said = {"file": source, "start": start, "end": end, "text": text}
            lines.append(f"{msgspec.json.encode(said).decode()}\n")
        else:
            lines.append(f"{start}\t{end}\t{folded}\n" if kind == "tsv" else f"{folded}\n")
    return "".join(lines).encode("utf-8", "surrogatepass")


def _name(piece: Document) -> str:
    return "-" if piece.source in (None, "<stdin>") else str(piece.source)


class _Rows:
    """The lines of each piece of each document; offsets and paragraphs go on where it does."""

    def __init__(self, kind: str, paragraphs: bool) -> None:
        self._line = {"jsonl": self._json, "tsv": self._offsets}.get(kind, self._text)
        #: Where paragraphs are marked: between the lines, or in them.
        self._between = paragraphs and kind != "jsonl"
        self._within = paragraphs and kind == "jsonl"
        self._offset = self._paragraph = 0
        self._any = False

    def __call__(self, piece: Document) -> bytes:
        if not piece.continues:
            self._offset = self._paragraph = 0
        lines = []
        opens = set(np.searchsorted(piece.token_start, piece.paragraph_start).tolist())
        for number, (start, end, text) in enumerate(sentences(piece, self._offset)):
            token = int(piece.sentence_bounds[number])
            if token in opens or not self._paragraph:
                self._paragraph += 1
                if self._between and self._any:
                    lines.append("\n")
            self._any = True
            lines.append(f"{self._line(piece, token, start, end, text)}\n")
        self._offset += len(piece.text)
        return "".join(lines).encode("utf-8", "surrogatepass")

    def _text(self, piece: Document, token: int, start: int, end: int, text: str) -> str:
        return " ".join(text.split())

    def _offsets(self, piece: Document, token: int, start: int, end: int, text: str) -> str:
        return f"{start}\t{end}\t{' '.join(text.split())}"

    def _json(self, piece: Document, token: int, start: int, end: int, text: str) -> str:
        said: dict[str, Any] = {
            "file": _name(piece),
            "start": start,
            "end": end,
            "text": text,
        }
        if self._within:
            said["paragraph"] = self._paragraph
        said |= turn_of(piece, token, int(np.searchsorted(piece.token_end, end - self._offset)))
        sure = piece.start_evidence if piece.sent_conf is None else piece.sent_conf
        if sure is not None and np.isfinite(sure[token]):
            said["confidence"] = round(float(sure[token]), 4)
        return msgspec.json.encode(said).decode()
