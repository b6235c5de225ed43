"""`caesura parse`: texts in, sentences with trees out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from caesura.cli.files import is_folder
from caesura.cli.inputs import Job, find_sources, jobs, still_to_do
from caesura.cli.interrupt import complete
from caesura.cli.options import (
    bias_option,
    inputs_argument,
    reading_options,
    threads_option,
    writing_options,
)
from caesura.cli.outputs import refuse_loss, refuse_own_input
from caesura.cli.progress import Progress
from caesura.cli.refuse import confidences, keeping, refuse
from caesura.document import Document
from caesura.errors import CaesuraError, UsageError

if TYPE_CHECKING:
    from caesura.models.file import ModelFile
    from caesura.pipeline.core import Mode
    from caesura.pipeline.files import Engine, Event, FileOptions, Source

__all__ = ["KEEP", "Tally", "announce_compiling", "command", "make_engine", "write_jobs"]

#: What can be kept of the input, and what the switch of each says.
KEEP = {
    "tokens": "Keep the tokens and words of the input.",
    "sentences": "Keep the sentence boundaries of the input.",
    "tags": "Keep the tags of the input, where there are some.",
    "lemmas": "Keep the lemmas of the input, where there are some.",
    "heads": "Keep the heads and relations of the input, where there are some.",
}


@dataclass
class Tally:
    """What was done, and what went wrong."""

    words: int = 0
    sentences: int = 0
    files: int = 0
    skipped: int = 0
    #: Documents that failed in files that were otherwise read.
    bad_documents: int = 0
    errors: list[CaesuraError] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def line(self) -> str:
        seconds = max(time.monotonic() - self.began, 1e-9)
        text = f"{self.words:,} words, {self.sentences:,} sentences, {self.files:,} files, "
        text += f"{seconds:.1f} s, {self.words / seconds:,.0f} words/s"
        if self.skipped:
            text += f"; {self.skipped:,} files were done already"
        bad_files = len(self.errors) - self.bad_documents
        for number, name in ((bad_files, "file"), (self.bad_documents, "document")):
            if number:
                text += f"; {number:,} {name}{'' if number == 1 else 's'} failed"
        return text


class _Follower:
    """Takes events apart into files, counting them and telling of errors."""

    def __init__(self, events: Iterator[Event], tally: Tally, progress: Progress) -> None:
        self.events = events
        self.tally = tally
        self.progress = progress
        self.open = False

    def documents(self) -> Iterator[Document]:
        """All documents of all files; errors are told and passed over."""
        for event in self.events:
            if isinstance(event, Document):
                self._count(event)
                yield event
            else:
                self._note(event)

    def next_file(self) -> Source | None:
        """The next file that begins; what is left of the last one is passed over."""
        from caesura.pipeline.files import Begin

        for event in self.events:
            if isinstance(event, Begin):
                self.open = True
                return event.source
            if not isinstance(event, Document):
                self._note(event)
        return None

    def of_file(self) -> Iterator[Document]:
        """The documents of the file that began; an error in it is raised."""
        from caesura.pipeline.files import End, Failed

        for event in self.events:
            if isinstance(event, Document):
                self._count(event)
                yield event
            elif isinstance(event, Failed):
                raise event.error
            elif isinstance(event, End):
                self.open = False
                if event.error is not None:
                    raise event.error
                return

    def fail(self, error: CaesuraError) -> None:
        self.tally.errors.append(error)
        self.progress.clear()
        click.echo(str(error), err=True)

    def _note(self, event: Event) -> None:
        from caesura.pipeline.files import End, Failed

        if isinstance(event, Failed):
            self.tally.bad_documents += 1
            self.fail(event.error)
        elif isinstance(event, End):
            if event.error is not None:
                self.fail(event.error)
            else:
                self.tally.files += 1

    def _count(self, doc: Document) -> None:
        tally = self.tally
        tally.words += doc.n_words
        tally.sentences += doc.n_sentences
        rate = tally.words / max(time.monotonic() - tally.began, 1e-9)
        self.progress.advance(doc.n_words, f"{rate:,.0f} words/s")


class _NothingParsed(Exception):
    """Every file failed, so that an older output must not be replaced by an empty one."""


def _some(documents: Iterable[Document], tally: Tally) -> Iterator[Document]:
    """The same documents; there must be one if anything failed."""
    none = True
    for doc in documents:
        none = False
        yield doc
    if none and tally.errors:
        raise _NothingParsed


def write_jobs(
    engine: Engine,
    todo: Sequence[Job],
    options: FileOptions,
    *,
    output: str | None,
    to_format: str,
    one_each: bool,
    token_range: bool = False,
    tally: Tally | None = None,
    quiet: bool = False,
) -> Tally:
    """Parse all files and write the results; one bad file does not stop the others."""
    import os

    from caesura import formats
    from caesura.cli.console import WarningPrinter
    from caesura.pipeline.files import parse_files

    tally = tally or Tally()
    warnings = WarningPrinter(quiet=quiet, strict=options.strict)
    with Progress("Parsing", unit="words", quiet=quiet) as progress:
        events = parse_files(
            engine, [job.source for job in todo], options, warn=None if quiet else warnings
        )
        follower = _Follower(events, tally, progress)
        if not one_each:
            documents = follower.documents()
            to_stdout = output is None or output == "-"
            with suppress(_NothingParsed):
                formats.write(
                    complete(documents) if to_stdout else _some(documents, tally),
                    output or "-",
                    to_format,
                    token_range=token_range,
                )
        else:
            targets = {job.source: job.target for job in todo}
            while (source := follower.next_file()) is not None:
                target = targets[source]
                assert target is not None
                try:
                    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
                    formats.write(follower.of_file(), target, to_format, token_range=token_range)
                    tally.files += 1
                except OSError as error:
                    follower.fail(CaesuraError(f"cannot be written ({error})", file=target))
                except CaesuraError as error:
                    follower.fail(error)
    warnings.close()
    return tally


def announce_compiling(quiet: bool) -> None:
    """Tell that the first run ever has to compile."""
    if quiet:
        return
    from caesura.jit import is_cold

    if is_cold("tokenize", "tag", "parse"):
        click.echo(
            "The first run compiles for about half a minute; later ones start at once.", err=True
        )


@click.command()
@inputs_argument
@click.option("-m", "--model", default="en", show_default=True, help="A model: name or file.")
@click.option(
    "--mode",
    type=click.Choice(["accurate", "fast"]),
    default="accurate",
    show_default=True,
    help="A wide beam where the text is ambiguous, or a narrower one that is faster.",
)
@click.option("--beam", type=click.IntRange(min=1), metavar="N", help="Width of the beam.")
@click.option(
    "--margin",
    type=float,
    metavar="M",
    help="Open the beam where the best choice leads by no more than M.",
)
@bias_option
@click.option(
    "--keep",
    "keep_list",
    multiple=True,
    type=click.Choice(list(KEEP)),
    help="Keep this of the input, as the switches below. May be repeated.",
)
@click.option("--keep-tokens", is_flag=True, help=KEEP["tokens"])
@click.option("--keep-sentences", is_flag=True, help=KEEP["sentences"])
@click.option("--keep-tags", is_flag=True, help=KEEP["tags"])
@click.option("--keep-lemmas", is_flag=True, help=KEEP["lemmas"])
@click.option("--keep-heads", is_flag=True, help=KEEP["heads"])
@click.option("--newline-is-boundary", is_flag=True, help="Every line ends a sentence.")
@click.option("--confidence", is_flag=True, help="Write confidences (CoNLL-U, JSON Lines, spaCy).")
@click.option(
    "--k-best",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write the N best analyses of each document, as documents of their own.",
)
@click.option("--token-range", is_flag=True, help="CoNLL-U: write TokenRange=start:end.")
@threads_option
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Parse here, or on a Ray cluster (extra `ray`).",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the input.")
@click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="Stop at bytes that are not of the encoding, or put U+FFFD.",
)
@click.option("--resume", is_flag=True, help="With -o DIR/: pass over files that are done.")
@reading_options
@writing_options
def command(
    inputs: tuple[str, ...],
    model: str,
    mode: Mode,
    beam: int | None,
    margin: float | None,
    bias: float | None,
    keep_list: tuple[str, ...],
    keep_tokens: bool,
    keep_sentences: bool,
    keep_tags: bool,
    keep_lemmas: bool,
    keep_heads: bool,
    newline_is_boundary: bool,
    confidence: bool,
    k_best: int | None,
    token_range: bool,
    threads: int,
    engine: str,
    encoding: str,
    errors: str,
    resume: bool,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    to_format: str | None,
    output: str | None,
) -> int:
    """Find sentences, tokens, tags, lemmas and trees in FILES (or stdin).

    Any format is read: a file whose extension tells none is plain text, and a folder is looked
    through for files of known formats. CoNLL-U goes to stdout unless -o or --to say otherwise.
    A long text is streamed. A file that cannot be read or parsed is told of and passed over; the
    exit status is then 1.

    \b
    caesura parse letter.txt
    caesura parse corpus/ -o parsed/ --threads 4 --resume
    caesura parse half-done.conllu --keep-tokens --keep-tags --keep-heads
    """
    from caesura import formats
    from caesura.pipeline.files import FileOptions

    switches = (keep_tokens, keep_sentences, keep_tags, keep_lemmas, keep_heads)
    kept = dict(zip(KEEP, switches, strict=True))
    options = FileOptions(
        keep=tuple(name for name in KEEP if kept[name] or name in keep_list),
        newline_is_boundary=newline_is_boundary,
        confidence=confidence,
        k_best=k_best or 0,
        encoding=encoding,
        errors=errors,
        skip_bad=skip_bad,
        strict=strict,
    )
    if to_format is None:
        named = output is not None and output != "-" and not is_folder(output)
        to_format = formats.format_of(output or "", default="conllu") if named else "conllu"
        refuse_loss("heads", output or "-", to_format)
    elif to_format not in formats.FORMATS:
        raise UsageError(
            f"there is no format {to_format!r}",
            remedy=f"Formats are: {', '.join(formats.FORMATS)}.",
        )
    confidences(to_format)
    if k_best is not None:
        refuse("--k-best", "confidence")
    sources = find_sources(inputs, from_format, output=output, quiet=quiet)
    keeping(options.keep, (source.format for source, _ in sources))
    if not output or not is_folder(output):  # of a folder, `jobs` looks at every target
        refuse_own_input([source.path for source, _ in sources], output, to_format)
    todo, one_each = jobs(sources, output, to_format)
    tally = Tally()
    if resume:
        if not one_each:
            raise UsageError("--resume needs a file for each input", remedy="Add -o DIR/.")
        left = [job for job in todo if still_to_do(job)]
        tally.skipped = len(todo) - len(left)
        todo = left
    if todo:
        run = make_engine(
            engine,
            model,
            mode=mode,
            threads=threads,
            beam=beam,
            margin=margin,
            bias=bias,
            quiet=quiet,
        )
        tally.began = time.monotonic()
        write_jobs(
            run,
            todo,
            options,
            output=output,
            to_format=to_format,
            one_each=one_each,
            token_range=token_range,
            tally=tally,
            quiet=quiet,
        )
    if not quiet and (one_each or output not in (None, "-") or tally.errors):
        click.echo(tally.line(), err=True)
    return 1 if tally.errors else 0


def make_engine(
    engine: str,
    model: str | ModelFile,
    *,
    mode: Mode,
    threads: int,
    beam: int | None,
    bias: float | None,
    quiet: bool,
    margin: float | None = None,
    enough: frozenset[str] = frozenset({"head"}),
) -> Engine:
    """What parses: this process or a cluster, with a model that adds what is `enough`."""
    from caesura.models.file import ModelFile
    from caesura.models.store import find, load_model
    from caesura.pipeline.choose import choose
    from caesura.pipeline.files import Local

    given = {"beam": beam, "margin": margin, "bias": bias}
    search = {name: value for name, value in given.items() if value is not None}
    if engine == "ray":
        refuse("--engine ray", "threads", remedy="Workers are as many as the cluster has cores.")
    file = model if isinstance(model, ModelFile) else load_model(model)
    if "grammar" not in file.parts:
        announce_compiling(quiet)
    nlp = choose(file, mode=mode, threads=threads, enough=enough)
    missing = {"mode", "beam", "margin", "bias", "confidence", "k_best"} - nlp.offers
    if missing != {"bias"}:  # a parser without boundaries says itself why it has no bias
        refuse(nlp.title, *sorted(missing))
    nlp = nlp.with_search(**search)
    if engine == "ray":
        from caesura.pipeline.ray import Ray

        assert isinstance(model, str)
        return Ray(find(model), mode=mode, search=search)
    return Local(nlp, threads)
