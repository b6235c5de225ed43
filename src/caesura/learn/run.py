"""One training run: its data and options, what an interrupt leaves, its report and its result.

Everything that is trained takes a `Run` from the command line, or from a script, and returns a
`Result`. `Report` ignores progress; the command line draws it on the terminal.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from caesura import formats, transform
from caesura.document import Document
from caesura.errors import InputError, UsageError, WarningSink
from caesura.learn.config import configure
from caesura.learn.fingerprint import fingerprint
from caesura.learn.loop import Event, Loop
from caesura.learn.raw_text import refuse_garbled
from caesura.models.file import Part, save


def card(title: str, *paragraphs: str) -> str:
    """A card; empty paragraphs are left out.

    >>> print(card("Tagger", "Trained on 7 words."), end="")
    # Tagger
    <BLANKLINE>
    Trained on 7 words.
    """
    return "\n\n".join([f"# {title}", *filter(None, paragraphs)]) + "\n"


def score_table(head: Sequence[str], rows: Mapping[str, float | Sequence[float]]) -> str:
    """Scores by name, of one or of several models; nothing where there are none.

    >>> print(score_table(("", "F1"), {"LAS": 81.5}))
    | | F1 |
    |---|---|
    | LAS | 81.50 |
    """
    if not rows:
        return ""
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in head)]
    lines.append("|" + "---|" * len(head))
    for name, values in rows.items():
        numbers = [values] if isinstance(values, int | float) else values
        lines.append(f"| {name} | " + " | ".join(f"{value:.2f}" for value in numbers) + " |")
    return "\n".join(lines)


L = TypeVar("L", bound=Loop)

#: Warnings of one kind that are shown.
_SHOWN = 10


class Counting(Protocol):
    """Work that is counted while it is done."""

    def advance(self, amount: float = 1.0, note: str | None = None) -> None: ...

    def say(self, line: str) -> None: ...


class _Nobody:
    def advance(self, amount: float = 1.0, note: str | None = None) -> None: ...

    def say(self, line: str) -> None: ...


class Report:
    """Ignores progress; the command line and notebooks derive from it."""

    def __call__(self, stage: str, event: Event | str) -> None:
        """An event of a training loop, or a sentence about a stage."""

    def say(self, line: str) -> None:
        """A line for people."""

    def counting(
        self, what: str, *, unit: str = "", total: float | None = None
    ) -> AbstractContextManager[Counting]:
        """Work that may take long, to be counted."""
        return nullcontext(_Nobody())

    def warnings(self) -> AbstractContextManager[WarningSink | None]:
        """Takes the warnings of reading; None spares the checks."""
        return nullcontext()


def follow(loop: L, stage: str, report: Report) -> L:
    """Run a training loop to its end and tell what happens."""
    loop.inside = lambda event: report(stage, event)
    for event in loop:
        report(stage, event)
    return loop


def say_some(lines: Sequence[str], report: Report) -> None:
    """The first of many lines, and how many there were."""
    for line in lines[:_SHOWN]:
        report.say(line)
    if len(lines) > _SHOWN:
        report.say(f"… and {len(lines) - _SHOWN} more warnings of this kind")


def command_line(words: Sequence[str]) -> str:
    """Words as they are typed into a shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def quoted(*words: str) -> str:
    """A command line to copy."""
    return command_line(("caesura", *words))


class Kept:
    """The checkpoints of one run: files, or folders with files in them."""

    def __init__(self, paths: Sequence[Path], *, resume: bool = False, anew: bool = False) -> None:
        self.paths = list(paths)
        self.resume = resume
        self.anew = anew
        #: What must be given again besides the command line.
        self.note = ""
        #: Labels of raw text, which stay when the run is over.
        self.labels: Path | None = None
        self._checked = False

    def found(self) -> list[Path]:
        """Those that are there."""
        return [path for path in self.paths if _holds_something(path)]

    def check(self) -> None:
        """Refuse to start over an interrupted run; called before any work is done."""
        if self.resume and self.anew:
            raise UsageError("--resume and --anew exclude each other", remedy="Choose one.")
        found = self.found()
        if found and not (self.resume or self.anew):
            raise UsageError(
                "an interrupted run is kept here",
                file=str(found[0]),
                remedy="Add --resume to go on with it, or --anew to delete it and start again.",
            )
        self._checked = True

    def begin(self) -> None:
        """Delete what `--anew` gives up; called when the data are read and the work begins."""
        if not self.anew:
            return
        for path in self.paths:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def left(self) -> list[Path]:
        """What an interrupt leaves of this run; empty folders go."""
        for path in self.paths:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        found = self.found() if self._checked else []
        if self.labels is not None and self.labels.is_dir() and _holds_something(self.labels):
            found.append(self.labels)
        return found


def _holds_something(path: Path) -> bool:
    """Whether it is a file, or a folder with files other than half-written ones."""
    if path.is_dir():
        return any(not inner.name.startswith(".") for inner in path.iterdir())
    return path.exists()


@dataclass(frozen=True)
class Data:
    """The files of a run: those to learn from, and those on which it is scored."""

    train: Sequence[str]
    dev: Sequence[str] = ()
    format: str | None = None
    skip_bad: bool = False
    strict: bool = False
    encoding: str = "utf-8"
    #: Whether the language is written with spaces, where a file does not say.
    space: bool = True

    def read(self, paths: Iterable[str], report: Report) -> Iterator[Document]:
        """The documents of files; the report counts them while they are read.

        Where another encoding than UTF-8 was named, a file that is UTF-8 all the same is refused.
        """
        plain = self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
        with report.warnings() as warn:
            for path in paths:
                name = "stdin" if path == "-" else os.path.basename(path)
                texts: list[str] = []
                with report.counting(f"Reading {name}", unit="words") as count:
                    for doc in formats.read(
                        path,
                        self.format,
                        skip_bad=self.skip_bad,
                        strict=self.strict,
                        warn=warn,
                        encoding=self.encoding,
                        space=self.space,
                    ):
                        yield doc
                        count.advance(doc.n_words)
                        if not plain:
                            texts.append("\n".join(doc.column("form")) or doc.text)
                if texts:
                    refuse_garbled(path, texts, encoding=self.encoding, option="--encoding")

    def both(self, report: Report) -> tuple[list[Document], list[Document]]:
        """The documents to learn from, and those to score on, if there are any."""
        return list(self.read(self.train, report)), list(self.read(self.dev, report))


def refuse_empty(paths: Sequence[str], docs: Sequence[Document]) -> None:
    """Refuse files without a token, from which nothing can be learned."""
    if paths and not any(doc.n_tokens for doc in docs):
        raise InputError("there is no sentence in it", file=paths[0], remedy="Check the path.")


def transcripts(docs: Iterable[Document]) -> list[Document]:
    """The documents as transcripts would have them, but for those of punctuation alone."""
    return [doc for doc in map(transform.speech, docs) if doc.n_words]


T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """What a run made: a file, what it scores, and the command that tries it."""

    file: str
    #: What there is to tell, as plain data.
    told: Mapping[str, Any]
    #: A sentence; scores by name; or several columns of them, by their titles.
    scores: str | Mapping[str, float] | Mapping[str, Mapping[str, float]] = ""
    what: str = "Model"
    #: The words of the command to try next.
    next: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """All of it, as plain data."""
        return {**self.told, "next": quoted(*self.next)}


@dataclass(frozen=True)
class Run:
    """A training run: its data, its options, its checkpoints and its report."""

    output: str
    data: Data
    #: What changes the options: a file, `a.b=value` settings, and flags by their dotted names.
    config: Path | None = None
    settings: Sequence[str] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    kept: Kept = field(default_factory=lambda: Kept(()))
    report: Report = field(default_factory=Report)

    def options(self, defaults: T, section: str, flags: Mapping[str, Any] | None = None) -> T:
        """The options of the run; its flags, unless others are given."""
        chosen = self.flags if flags is None else flags
        return configure(defaults, self.config, self.settings, chosen, section=section)

    def read(self) -> tuple[list[Document], list[Document]]:
        """The documents to learn from and to score on."""
        return self.data.both(self.report)

    def checkpoint(self, name: str = "") -> Path:
        """Where an interrupted loop is kept, beside the output."""
        return Path(f"{self.output}.{name}.checkpoint" if name else f"{self.output}.checkpoint")

    def keep(self, name: str, data: str, *told: Any) -> dict[str, Any]:
        """What a `Loop` needs to be kept and resumed: it depends on data, options and the rest."""
        return {
            "checkpoint": self.checkpoint(name),
            "resume": self.kept.resume,
            "fingerprint": fingerprint(data, *told, free=("epochs",)),
        }

    def sources(self) -> list[str]:
        """The names of the files to learn from, for the card."""
        return [Path(path).name for path in self.data.train]

    def save(
        self, parts: Mapping[str, Part], meta: Mapping[str, Any], card: str, kind: str | None = None
    ) -> None:
        """Write the model with its card."""
        save(self.output, parts, meta=meta, card=card, kind=kind)
