"""What `caesura find` does with what it finds: lines, CoNLL-U, JSON, pictures, counts, changes.

Files are read as streams of documents, so that one of any size needs little memory, and a file that
is written appears only when all of it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from caesura import formats
from caesura.cli.files import PIECES, Inputs
from caesura.cli.interrupt import complete
from caesura.document import Document, Sentence
from caesura.errors import CaesuraWarning, InputError, UsageError, Where, shown
from caesura.find import (
    Counts,
    Match,
    Matches,
    Setting,
    marked_text,
    matching_sentences,
    rewrite,
    with_marks,
)
from caesura.find.changes import Rewritten
from caesura.find.counts import Field
from caesura.find.results import spoken
from caesura.formats.io import open_write
from caesura.markup import text_table
from caesura.options import Reading
from caesura.pipeline.jobs import Job, Source
from caesura.render import LayoutOptions, found_html, lay_out, tree_of
from caesura.render.svg import stacked_svg

if TYPE_CHECKING:
    from caesura.find import Bounds, Pattern

__all__ = ["Search", "count", "rewriting", "show"]

#: More trees than this in one picture are no picture any more.
MANY: Final = 200


class Before(NamedTuple):
    """What is before a piece of a document: sentences in the file, and all else in the document."""

    in_file: int = 0
    sentences: int = 0
    words: int = 0
    characters: int = 0

    def behind(self, doc: Document) -> Before:
        """What is before the next piece."""
        more = doc.n_sentences if doc.n_words else 0
        return Before(
            self.in_file + more,
            self.sentences + more,
            self.words + doc.n_words,
            self.characters + len(doc.text),
        )


class Search:
    """The matches of a pattern in files, one document (or piece of one) after the other."""

    def __init__(
        self,
        pattern: Pattern,
        bounds: Bounds,
        sources: Sequence[Source],
        reading: Reading,
        *,
        named: Container[str],
        limit: int | None,
    ) -> None:
        self.pattern = pattern
        self.bounds = bounds
        self.sources = sources
        #: The files that were named, not found in folders.
        self.named = named
        self.limit = limit
        self.strict, self.quiet = reading.strict, reading.quiet
        self.inputs = Inputs(
            [source.path for source in sources], reading, pieces=PIECES, what="Searching"
        )
        self.matches = self.with_matches = self.sentences = self.words = 0

    def of(self, sources: Iterable[Source]) -> Iterator[tuple[Source, Matches, Before]]:
        """Matches, and what is before the document, or the piece of one, that they are in."""
        for source in sources:
            before = Before()
            for doc in self.inputs.of(source.path, source.format):
                if not doc.n_words and doc.text.strip():
                    self._no_words(source)
                    break
                if not doc.continues:
                    before = Before(before.in_file)
                found = self._search(doc, source, before.in_file)
                yield source, found, before
                before = before.behind(doc)
                if self.limit is not None and self.matches >= self.limit:
                    return

    def _no_words(self, source: Source) -> None:
        """Refuse a file that holds only text; in a folder it is reported."""
        what, remedy = "there are no words to search, only text", "Parse it first: caesura parse."
        if source.path in self.named:
            raise InputError(what, file=source.shown, remedy=remedy)
        self.inputs.warnings(CaesuraWarning(what, Where(source.shown), remedy))

    def _search(self, doc: Document, source: Source, before: int) -> Matches:
        found = self.pattern.find(doc, self.bounds)
        for number in found.cut:
            self._tell(doc.sentences[number], source, before)
        if self.limit is not None and self.matches + len(found) > self.limit:
            found = found.head(self.limit - self.matches)
        self.matches += len(found)
        self.with_matches += found.n_sentences
        self.sentences += doc.n_sentences if doc.n_words else 0
        self.words += doc.n_words
        return found

    def _tell(self, sentence: Sentence, source: Source, before: int) -> None:
        name = "" if sentence.id else f" {before + sentence.index + 1}"
        what = (
            f"sentence{name} has more matches, or takes more steps, than allowed: some are missing"
        )
        remedy = "Relate the words of the pattern more closely, or raise --steps."
        if self.strict:
            raise InputError(what, file=source.shown, sent_id=sentence.id, remedy=remedy)
        where = Where(source.shown, sent_id=sentence.id)
        self.inputs.warnings(CaesuraWarning(what, where, remedy))

    def prefix(self, source: Source, sentence: Sentence, before: int) -> str:
        """What stands before a line: the file if there are several, and the sentence."""
        name = sentence.id or str(before + sentence.index + 1)
        return shown(f"{source.shown}: {name}" if len(self.sources) > 1 else name)

    def finish(self) -> None:
        """Say how much was found."""
        self.inputs.finish()
        if not self.quiet:
            click.echo(
                f"{_number(self.matches, 'match', 'matches')} in {self.with_matches:,} of "
                f"{_number(self.sentences, 'sentence')}.",
                err=True,
            )


def _number(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _targets(todo: Sequence[Job]) -> Iterator[tuple[str, list[Source]]]:
    """Each target with the files that go into it."""
    for target, group in groupby(todo, key=lambda job: job.target):
        yield target, [job.source for job in group]


def _write(parts: Iterable[str], target: str) -> None:
    with open_write(target) as stream:
        for part in complete(parts) if target == "-" else parts:
            stream.write(part.encode("utf-8", "replace"))


# --------------------------------------------------------------------- showing


def show(
    search: Search, todo: Sequence[Job], kind: str, *, color: bool, width: int, everything: bool
) -> None:
    """Write what is found to each target."""
    for target, sources in _targets(todo):
        if kind == "conllu":
            docs = _documents(search, sources, everything)
            formats.write(complete(docs) if target == "-" else docs, target, "conllu")
        elif kind == "text":
            _write(_lines(search, sources, color), target)
        elif kind == "jsonl":
            _write(_json(search, sources), target)
        elif kind == "html":
            page = found_html(_pictured(search, sources), title=search.pattern.text, width=width)
            _write(page, target)
        else:
            _write([_svg(search, sources, width)], target)


def _lines(search: Search, sources: Iterable[Source], color: bool) -> Iterator[str]:
    for source, found, before in search.of(sources):
        for sentence, matches in found.by_sentence():
            prefix = search.prefix(source, sentence, before.in_file)
            said = spoken(sentence)
            times = [f"{said[name]:.10g}" for name in ("start_time", "end_time") if name in said]
            seconds = ["-".join(times) + " s"] if times else []
            who = shown(", ".join(filter(None, [said.get("speaker", ""), *seconds])))
            prefix += f" ({who})" if who else ""
            for match in matches:
                yield f"{prefix}: {marked_text(sentence, _named(match), color=color)}\n"


def _named(match: Match) -> dict[int, str]:
    names = {index: name for name, index in match.named.items()}
    return {index: names.get(index, "") for index in match.indices}


def _json(search: Search, sources: Iterable[Source]) -> Iterator[str]:
    number = search.matches
    for source, found, before in search.of(sources):
        for match in found:
            number += 1
            data = match.to_dict()
            data["sentence"] += before.sentences
            data["nodes"] = {name: word + before.words for name, word in data["nodes"].items()}
            for word in data["words"]:
                word["word"] += before.words
                word["start"] += before.characters
                word["end"] += before.characters
            yield _line({"match": number, "file": source.shown, **data})


def _line(data: dict[str, Any]) -> str:
    import msgspec

    return msgspec.json.encode(data).decode("utf-8") + "\n"


def _documents(search: Search, sources: Iterable[Source], everything: bool) -> Iterator[Document]:
    number = 1 + search.matches
    for _, found, _ in search.of(sources):
        doc = with_marks(found, number)
        number += len(found)
        if everything:
            yield doc
        elif len(found):
            yield matching_sentences(doc, [s.index for s, _ in found.by_sentence()])


def _pictured(
    search: Search, sources: Iterable[Source]
) -> Iterator[tuple[Sentence, dict[int, str], str]]:
    """Sentences with all their matches, and their text."""
    for _, found, _ in search.of(sources):
        for sentence, matches in found.by_sentence():
            words: dict[int, str] = {}
            for match in matches:
                words.update(_named(match))
            yield sentence, words, marked_text(sentence, words)


def _svg(search: Search, sources: Iterable[Source], width: int) -> str:
    options = LayoutOptions(width=width)
    pictures = []
    for sentence, words, _ in _pictured(search, sources):
        pictures.append(lay_out(tree_of(sentence, found=words), options))
        if len(pictures) > MANY:
            raise UsageError(
                f"more than {MANY} trees do not fit into one picture",
                remedy="Take fewer with --limit N, or draw them with --to html.",
            )
    return stacked_svg(pictures, search.pattern.text, alone=True) + "\n"


# -------------------------------------------------------------------- counting


def count(search: Search, todo: Sequence[Job], fields: Sequence[Field], kind: str) -> None:
    """Write how often which values occur to each target."""
    for target, sources in _targets(todo):
        counts = Counts(fields)
        for _, found, _ in search.of(sources):
            counts.add(found)
        _write(_counted(counts, kind), target)


def _counted(counts: Counts, kind: str) -> Iterator[str]:
    names = [str(field) for field in counts.fields]
    rows = counts.rows()
    if kind == "jsonl":
        for number, values in rows:
            data = {"count": number, **dict(zip(names, values, strict=True))}
            yield _line(data)
        return
    lines = [("count", "%", *names)]
    for number, values in rows:
        share = f"{100 * number / counts.total:.1f}"
        lines.append((f"{number:,}", share, *(shown(value) or "_" for value in values)))
    yield text_table(lines, indent=0, right="rr") + "\n"


# ------------------------------------------------------------------- rewriting


class _Tally:
    """What changes, and what is refused."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.changed = 0
        self.refused: Counter[str] = Counter()

    def add(self, done: Rewritten) -> None:
        for change in done.changes:
            self.words[str(change.attribute)] += 1
        self.changed += len({change.word for change in done.changes})
        for refused in done.refused:
            self.refused[refused.why] += 1

    def line(self, done: bool) -> str:
        parts = ", ".join(f"{number:,} {name}" for name, number in self.words.most_common())
        what = "changed" if done else "would change"
        text = f"{_number(self.changed, 'word')} {what}{f' ({parts})' if parts else ''}."
        for why, number in self.refused.most_common():
            text += f" {_number(number, 'match', 'matches')} refused: {why}."
        if not done and self.changed:
            text += " Add -o FILE or --write to do it."
        return text


def rewriting(
    search: Search,
    settings: Sequence[Setting],
    todo: Sequence[Job] | None,
    *,
    write: bool,
    as_json: bool,
) -> None:
    """Rewrite files into others or in place, or say what would change."""
    tally = _Tally()
    if todo is not None:
        for target, sources in _targets(todo):
            kind = next(job.format for job in todo if job.target == target)
            docs = _rewritten(search, settings, sources, tally)
            formats.write(complete(docs) if target == "-" else docs, target, kind)
    elif write:
        for source in search.sources:
            _in_place(search, settings, source, tally)
    else:
        _write(_changes(search, settings, tally, as_json), "-")
    if not search.quiet:
        click.echo(tally.line(write or todo is not None), err=True)


def _rewritten(
    search: Search, settings: Sequence[Setting], sources: Iterable[Source], tally: _Tally
) -> Iterator[Document]:
    for _, found, _ in search.of(sources):
        done = rewrite(found, settings)
        tally.add(done)
        yield done.doc


def _in_place(search: Search, settings: Sequence[Setting], source: Source, tally: _Tally) -> None:
    """Change a file; one in which nothing changes is not touched."""
    if source.format not in formats.writable():
        raise UsageError(
            f"{source.path} is {source.format}, which cannot be written", remedy="Use -o FILE."
        )
    changed = _Tally()
    for _ in _rewritten(search, settings, [source], changed):
        pass
    if changed.changed:
        formats.write(_again(search, settings, source), source.path, source.format)
    tally.words.update(changed.words)
    tally.changed += changed.changed
    tally.refused.update(changed.refused)


def _again(search: Search, settings: Sequence[Setting], source: Source) -> Iterator[Document]:
    """The rewritten documents of a file, whose warnings and matches were reported before."""
    for doc in formats.read(source.path, source.format, pieces=PIECES):
        yield rewrite(search.pattern.find(doc, search.bounds), settings).doc


def _changes(
    search: Search, settings: Sequence[Setting], tally: _Tally, as_json: bool
) -> Iterator[str]:
    for source, found, before in search.of(search.sources):
        done = rewrite(found, settings)
        tally.add(done)
        words = found.doc.words
        sentence_of = found.doc.word_sentence
        sentences = found.doc.sentences
        for change in done.changes:
            sentence = sentences[int(sentence_of[change.word])]
            number = change.word - sentence.first_word + 1
            form = words[change.word].form
            if as_json:
                data = {
                    "file": source.shown,
                    "sent_id": sentence.id,
                    "sentence": before.sentences + sentence.index,
                    "id": number,
                    "form": form,
                    "attribute": str(change.attribute),
                    "old": change.old,
                    "new": change.new,
                }
                yield _line(data)
            else:
                what = (
                    f"{number} {form}: {change.attribute} {change.old or '_'} → {change.new or '_'}"
                )
                yield f"{search.prefix(source, sentence, before.in_file)}: {shown(what)}\n"
