"""A command that runs a model over files: what it names becomes jobs, and the runner does them.

`plan` says which file goes where and what is done already; `run_plan` does the rest, draws
progress, prints warnings and errors, and says at the end what was done.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from caesura.cli.console import WarningPrinter
from caesura.cli.files import is_folder, jobs
from caesura.cli.interrupt import complete
from caesura.cli.outputs import refuse_own_input
from caesura.cli.progress import Progress
from caesura.document import Document
from caesura.errors import CaesuraError, InternalError, UsageError
from caesura.models.file import ModelFile
from caesura.options import Reading, Request, Writing
from caesura.paths import MODEL_SUFFIX, bundled_models
from caesura.pipeline.jobs import Job, Source
from caesura.pipeline.run import Engine, Report, Tally, Write, run, still_to_do

__all__ = [
    "Plan",
    "mention_faster",
    "plan",
    "run_plan",
    "written",
]

#: Models of the package.
_DEFAULT = f"en{MODEL_SUFFIX}"
_FASTER = f"en-fast{MODEL_SUFFIX}"
#: Set for the whole traceback of what nobody thought of.
TRACEBACK = "CAESURA_TRACEBACK"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to do, whether every file has a target of its own, and how many are done."""

    jobs: list[Job]
    one_each: bool
    skipped: int = 0

    @property
    def to_stdout(self) -> bool:
        return not self.one_each and all(job.target == "-" for job in self.jobs)


def plan(
    sources: Sequence[tuple[Source, str]], writing: Writing, format_of: Callable[[Source], str]
) -> Plan:
    """Where each file goes, in which format; with `--resume` those that are done are left out."""
    output = writing.output
    if not output or not is_folder(output):  # of a folder, `jobs` checks every target
        first = format_of(sources[0][0])
        refuse_own_input([source.path for source, _ in sources], output, first)
    todo, one_each = jobs(sources, output, format_of)
    if not writing.resume:
        return Plan(todo, one_each)
    if not one_each:
        raise UsageError("--resume needs a file for each input", remedy="Add -o DIR/.")
    left = still_to_do(todo)
    return Plan(left, one_each, len(todo) - len(left))


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


def run_plan(
    plan: Plan,
    make_engine: Callable[[], Engine],
    request: Request,
    reading: Reading,
    write: Write,
    *,
    what: str,
) -> int:
    """Run the jobs; returns the exit status, which is 1 if anything failed.

    The engine is made if there is a job.
    """
    tally = Tally(skipped=plan.skipped)
    if plan.jobs:
        engine = make_engine()
        tally.began = time.monotonic()
        warnings = WarningPrinter(quiet=reading.quiet, strict=reading.strict)
        with Progress(what, unit="words", quiet=reading.quiet) as progress:
            report = _Printed(progress, warnings)
            run(
                engine,
                plan.jobs,
                request,
                write,
                reading=reading,
                one_each=plan.one_each,
                report=report,
                tally=tally,
            )
        warnings.close()
    if not reading.quiet and (not plan.to_stdout or tally.errors):
        click.echo(tally.line(), err=True)
    return 1 if tally.errors else 0


def written(writing: Writing) -> Write:
    """How documents are written; Ctrl-C waits until one that goes to stdout is complete."""
    from caesura import formats

    def write(docs: Iterable[Document], path: str, to_format: str) -> None:
        found = complete(docs) if path == "-" else docs
        formats.write(found, path, to_format, token_range=writing.token_range, mode=writing.to_mode)

    return write


def mention_faster(quiet: bool, file: ModelFile, plan: Plan) -> None:
    """Tell who parses many files with the model that is there by default of the faster one."""
    if quiet or len(plan.jobs) < 2 or Path(file.path) != bundled_models() / _DEFAULT:
        return
    if (bundled_models() / _FASTER).exists():
        click.echo("For large collections, -m en-fast is many times faster.", err=True)
