"""A command that runs a model over files: `annotates` gives it a `Call` with the common work.

A call lists the files to read (`sources`), plans where each result goes (`plan`), loads the model
(`pipeline`) and runs it (`run`), with progress, warnings and errors on stderr.
"""

from __future__ import annotations

import functools
import os
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from caesura.cli.console import WarningPrinter
from caesura.cli.files import find_sources, is_folder, jobs
from caesura.cli.interrupt import complete
from caesura.cli.language import take_model
from caesura.cli.options import inputs_argument, mode_option, options
from caesura.cli.outputs import refuse_own_input
from caesura.cli.progress import Progress
from caesura.cli.refuse import refuse
from caesura.document import Document
from caesura.errors import CaesuraError, InternalError, UsageError
from caesura.models.file import ModelFile
from caesura.options import ModelChoice, Reading, Request, Running, Writing
from caesura.paths import MODEL_SUFFIX, bundled_models
from caesura.pipeline.jobs import Job, Source
from caesura.pipeline.run import Report, Tally, Write, engine_of, run, still_to_do

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["Call", "Plan", "annotates"]

F = TypeVar("F", bound=Callable[..., Any])
#: Models of the package.
_DEFAULT: Final = f"en{MODEL_SUFFIX}"
_FASTER: Final = f"en-fast{MODEL_SUFFIX}"
#: Set to print the traceback of an internal error.
TRACEBACK: Final = "CAESURA_TRACEBACK"


@dataclass(frozen=True, slots=True)
class Plan:
    """The files, the jobs to do, whether every file has a target, and how many are done."""

    sources: list[Source]
    jobs: list[Job]
    one_each: bool
    skipped: int = 0

    @property
    def to_stdout(self) -> bool:
        return not self.one_each and all(job.target == "-" for job in self.jobs)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a command that runs a model over files."""

    inputs: tuple[str, ...]
    request: Request
    running: Running
    reading: Reading
    writing: Writing

    def sources(self, **more: Any) -> list[tuple[Source, str]]:
        """The files to read: see `find_sources`."""
        reading, output = self.reading, self.writing.output
        return find_sources(
            self.inputs, reading.from_format, output=output, quiet=reading.quiet, **more
        )

    def plan(
        self, sources: Sequence[tuple[Source, str]], format_of: Callable[[Source], str]
    ) -> Plan:
        """Where each file goes, in which format; with --resume those that are done are left out."""
        output = self.writing.output
        if not output or not is_folder(output):  # of a folder, `jobs` checks every target
            first = format_of(sources[0][0])
            refuse_own_input([source.path for source, _ in sources], output, first)
        todo, one_each = jobs(sources, output, format_of)
        files = [source for source, _ in sources]
        if not self.writing.resume:
            return Plan(files, todo, one_each)
        if not one_each:
            raise UsageError("--resume needs a file for each input", remedy="Add -o DIR/.")
        left = still_to_do(todo)
        return Plan(files, left, one_each, len(todo) - len(left))

    def pipeline(
        self, named: ModelChoice, plan: Plan, enough: frozenset[str] = frozenset({"head"})
    ) -> Pipeline:
        """The pipeline for the files, which must add something of `enough`.

        Options of the command for which the model has no use are refused.
        """
        from caesura.models.store import load_model
        from caesura.pipeline.loading import choose, in_language

        quiet = self.reading.quiet
        chosen = take_model(named, plan.sources, quiet=quiet)
        file = load_model(chosen.model)
        _mention_faster(quiet, file, plan)
        nlp = choose(file, threads=self.running.threads, enough=enough)
        nlp = in_language(nlp, chosen.language)
        missing = {"beam", "margin", "bias", "confidence", "device", "k_best"} - nlp.offers
        # A parser without boundaries reports itself why it has no bias.
        if missing - {"device"} != {"bias"}:
            refuse(nlp.title, *sorted(missing))
        return nlp.with_search(**self.request.search)

    def run(
        self,
        plan: Plan,
        load: Callable[[], Pipeline],
        what: str,
        *,
        request: Request | None = None,
        write: Write | None = None,
    ) -> int:
        """Run the jobs; returns the exit status, which is 1 if anything failed.

        The model is loaded if there is a job.
        """
        tally = Tally(skipped=plan.skipped)
        quiet = self.reading.quiet
        if plan.jobs:
            cluster = self.running.engine == "ray"
            engine = engine_of(load(), threads=self.running.threads, cluster=cluster)
            tally.began = time.monotonic()
            warnings = WarningPrinter(quiet=quiet, strict=self.reading.strict)
            with Progress(what, unit="words", quiet=quiet) as progress:
                run(
                    engine,
                    plan.jobs,
                    request or self.request,
                    write or self._write,
                    reading=self.reading,
                    one_each=plan.one_each,
                    report=_Printed(progress, warnings),
                    tally=tally,
                )
            warnings.close()
        if not quiet and (not plan.to_stdout or tally.errors):
            click.echo(tally.line(), err=True)
        return 1 if tally.errors else 0

    def _write(self, docs: Iterable[Document], path: str, to_format: str) -> None:
        """Write documents; Ctrl-C waits until one that goes to stdout is complete."""
        from caesura import formats

        found = complete(docs) if path == "-" else docs
        writing = self.writing
        formats.write(found, path, to_format, token_range=writing.token_range, mode=writing.to_mode)


def annotates(command: str, **groups: type) -> Callable[[F], F]:
    """FILES and the options of a command that runs a model; the function receives a `Call`."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def packed(
            inputs: tuple[str, ...],
            request: Request,
            running: Running,
            reading: Reading,
            writing: Writing,
            **own: Any,
        ) -> Any:
            return function(Call(inputs, request, running, reading, writing), **own)

        groups.update(request=Request, running=Running, reading=Reading, writing=Writing)
        made: Any = options(command, **groups)(packed)
        return inputs_argument(mode_option(made))  # type: ignore[no-any-return]

    return decorate


class _Printed(Report):
    """Progress, warnings and errors on stderr."""

    def __init__(self, progress: Progress, warnings: WarningPrinter) -> None:
        self.warn = None if warnings.quiet else warnings
        self._progress = progress

    def done(self, doc: Document, tally: Tally) -> None:
        self._progress.advance(doc.n_words, f"{tally.words / tally.seconds:,.0f} words/s")

    def failed(self, error: CaesuraError) -> None:
        self._progress.clear()
        click.echo(str(error), err=True)
        if isinstance(error, InternalError) and os.environ.get(TRACEBACK):
            click.echo("".join(traceback.format_exception(error.__cause__)), err=True)


def _mention_faster(quiet: bool, file: ModelFile, plan: Plan) -> None:
    """Mention the faster model if many files are parsed with the default one."""
    if quiet or len(plan.jobs) < 2 or Path(file.path) != bundled_models() / _DEFAULT:
        return
    if (bundled_models() / _FASTER).exists():
        click.echo("For large collections, -m en-fast is many times faster.", err=True)
