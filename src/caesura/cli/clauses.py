"""`caesura clauses`: the clauses of texts or trees, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import msgspec

from caesura.cli.refuse import keeping
from caesura.cli.running import Call, annotates
from caesura.cli.split import write_lines
from caesura.document import Document
from caesura.options import ModelChoice, option

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    as_json: bool = option(False, "Print a JSON object for each clause.", name="--json")


@click.command()
@annotates("clauses", named=ModelChoice, own=Options)
def command(call: Call, named: ModelChoice, own: Options) -> int:
    """Find the clauses of FILES (or stdin): a line for each, with tabs between the columns.

    The columns are the number of the clause in its text, that of the clause that it depends on
    (0: a main clause), its type, its start and end (code points), and the clause itself. Types are
    main, coordinated, complement, relative, adverbial and quoted. With --json there are also the
    parts: the places of the words that are in no clause inside it.

    \b
    caesura clauses letter.txt
    caesura clauses treebank.conllu --keep-heads --json
    """
    kind = "jsonl" if own.as_json else "tsv"
    sources = call.sources()
    keeping(call.request.keep, (source.format for source, _ in sources))
    plan = call.plan(sources, lambda source: kind)

    def load() -> Pipeline:
        return call.pipeline(named, plan)

    def write(docs: Iterable[Document], path: str, kind: str) -> None:
        write_lines(map(_Rows(as_json=own.as_json), docs), path)

    return call.run(plan, load, "Finding clauses", write=write)


class _Rows:
    """The lines of each piece of each document; offsets and numbers go on where it does."""

    def __init__(self, *, as_json: bool) -> None:
        self._line = _json if as_json else _columns
        self._offset = self._number = 0

    def __call__(self, piece: Document) -> bytes:
        if not piece.continues:
            self._offset = self._number = 0
        lines = [f"{self._line(said)}\n" for said in self._rows(piece)]
        self._offset += len(piece.text)
        return "".join(lines).encode("utf-8", "surrogatepass")

    def _rows(self, piece: Document) -> Iterator[dict[str, Any]]:
        found = piece.clauses
        numbers = {id(clause): self._number + n for n, clause in enumerate(found, 1)}
        self._number += len(found)
        for clause in found:
            yield {
                "file": "-" if piece.source in (None, "<stdin>") else piece.source,
                "clause": numbers[id(clause)],
                "parent": numbers.get(id(clause.parent), 0),
                "type": clause.type,
                "start": clause.start + self._offset,
                "end": clause.end + self._offset,
                "text": clause.text,
                "parts": [
                    [part.start + self._offset, part.end + self._offset] for part in clause.parts
                ],
            }


def _json(said: dict[str, Any]) -> str:
    return msgspec.json.encode(said).decode()


def _columns(said: dict[str, Any]) -> str:
    text = " ".join(said["text"].split())
    numbers = (said[name] for name in ("clause", "parent", "type", "start", "end"))
    return "\t".join(map(str, (*numbers, text)))
