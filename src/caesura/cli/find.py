"""`caesura find`: search trees by patterns; show, count or draw what is found, or rewrite it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from caesura import formats
from caesura.cli.files import is_folder
from caesura.cli.inputs import find_sources, jobs
from caesura.cli.options import output_option, reading_options
from caesura.cli.outputs import refuse_own_input
from caesura.cli.refuse import refuse
from caesura.cli.search import Search, count, rewriting, show
from caesura.errors import UsageError
from caesura.find import fields, setting
from caesura.pipeline.runner import Job
from caesura.pipeline.tasks import Source

__all__ = ["command"]

#: What can be written, and the extensions that tell it.
TO: Final = {
    "text": (".txt", ".text"),
    "conllu": (".conllu",),
    "jsonl": (".jsonl", ".ndjson"),
    "svg": (".svg",),
    "html": (".html", ".htm"),
}
_COMPRESSED: Final = (".gz", ".xz", ".zst")


@click.command()
@click.argument("pattern", metavar="PATTERN")
@click.argument("inputs", metavar="FILES…", nargs=-1)
@click.option(
    "--to",
    "to_format",
    metavar="FORMAT",
    help="text, conllu, jsonl, svg or html; with --set and -o the format of the files. Else told "
    "by the extension of the output, else text.",
)
@output_option
@click.option(
    "--count",
    "counted",
    metavar="FIELDS",
    help="Count instead: attributes of the first word (upos,deprel) or of named ones (x.lemma).",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="x.ATTRIBUTE=VALUE",
    help="Rewrite what is found; without --write or -o say what would change. May be repeated.",
)
@click.option("--write", is_flag=True, help="With --set: change the files themselves.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Stop after so many matches."
)
@click.option("--all", "everything", is_flag=True, help="CoNLL-U: also sentences without a match.")
@click.option(
    "--color/--no-color", default=None, help="Colours in text; else if stdout is a terminal."
)
@click.option(
    "--width",
    type=click.IntRange(min=200, max=20_000),
    default=940,
    show_default=True,
    help="Width of pictures in pixels; longer sentences go on in the next row.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1, max=1_000_000_000),
    default=1_000_000,
    show_default=True,
    help="Words that may be tried for one sentence; one that takes more is told of.",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the input.")
@reading_options
def command(
    pattern: str,
    inputs: Sequence[str],
    to_format: str | None,
    output: str | None,
    counted: str | None,
    settings: tuple[str, ...],
    write: bool,
    limit: int | None,
    everything: bool,
    color: bool | None,
    width: int,
    steps: int,
    encoding: str,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
) -> None:
    """Find PATTERN in the trees of FILES (or stdin, as CoNLL-U), and in all files of folders.

    A word is [upos=NOUN]; attributes have values, sets (NOUN|PROPN) or regular expressions
    (/.*ing/). Relations start at the first word of a chain: > its child, < its head, >> and <<
    below and above, . .. - -- before and behind, $ its sibling; ! turns them, and >nsubj has a
    label. x[…] or […]=x names a word.

    \b
    caesura find '[upos=VERB]=v >nsubj []=s !>obj []' treebank.conllu
    caesura find '[deprel=obj]' treebank.conllu --count lemma,upos
    caesura find 'x[upos=NOUN] . y[lemma=x.lemma]' treebank/ -o repeated.html
    caesura find 'v[] >iobj x[] !>obj []' treebank.conllu --set x.deprel=obj
    """
    from caesura.find import Bounds, Pattern

    compiled = Pattern(pattern)
    wanted = fields(counted, compiled.names) if counted is not None else None
    changes = [setting(text, compiled.names) for text in settings]
    rewrites = bool(changes) and (write or output is not None)
    kind = _kind(to_format, output, rewrites=rewrites)
    _check(kind, counted, changes=bool(changes), rewrites=rewrites, write=write, output=output)
    sources = find_sources(inputs, from_format, output=output, default="conllu", quiet=quiet)

    def format_of(source: Source) -> str:
        return kind or source.format

    search = Search(
        compiled,
        Bounds(steps=steps),
        [source for source, _ in sources],
        named=inputs or ("-",),
        limit=limit,
        encoding=encoding,
        skip_bad=skip_bad,
        strict=strict,
        quiet=quiet,
    )
    if changes:
        todo: list[Job] | None = None
        if write and any(source.path == "-" for source, _ in sources):
            raise UsageError("--write changes files", remedy="Name them, or write with -o FILE.")
        if output is not None:
            todo = jobs(sources, output, format_of)[0]
        rewriting(search, changes, todo, write=write, as_json=kind == "jsonl" and not rewrites)
    else:
        if output is None or not is_folder(output):
            refuse_own_input([source.path for source, _ in sources], output)
        todo, _ = jobs(sources, output, format_of)
        if wanted is not None:
            count(search, todo, wanted, kind)
        else:
            painted = _use_color(color, output)
            show(search, todo, kind, color=painted, width=width, everything=everything)
    search.finish()


def _kind(to_format: str | None, output: str | None, *, rewrites: bool) -> str:
    """What is written; '' for rewritten files that stay in the format of the input."""
    file = output is not None and output != "-" and not is_folder(output)
    if rewrites:
        if to_format is not None and to_format not in formats.writable():
            raise UsageError(
                f"there is no format {to_format!r} to write",
                remedy=f"Formats are: {', '.join(formats.writable())}.",
            )
        return to_format or (formats.format_of(output or "") if file else "")
    if to_format is not None:
        if to_format not in TO:
            raise UsageError(f"cannot write {to_format!r}", remedy=f"There are: {', '.join(TO)}.")
        return to_format
    if not file:
        return "text"
    name = (output or "").lower()
    for extension in _COMPRESSED:
        name = name.removesuffix(extension)
    for kind, extensions in TO.items():
        if name.endswith(extensions):
            return kind
    raise UsageError(
        f"the extension of {output} tells nothing to write",
        remedy=f"Name it with --to: {', '.join(TO)}.",
    )


def _check(
    kind: str,
    counted: str | None,
    *,
    changes: bool,
    rewrites: bool,
    write: bool,
    output: str | None,
) -> None:
    """Refuse what means nothing together."""
    if write and not changes:
        raise UsageError("--write writes what --set changes", remedy="Add --set x.deprel=obl.")
    if write and output is not None:
        raise UsageError("--write changes the files themselves", remedy="Leave out it or -o.")
    if changes:
        refuse("--set", "counted", "everything", "color", "width")
        if write:
            refuse("--write", "to_format", remedy="The files keep their format.")
            refuse("--write", "skip_bad", "encoding", remedy="Write another file with -o.")
        if rewrites:
            refuse(
                "a rewritten file", "limit", remedy="Leave it out: a half is no mended treebank."
            )
        elif kind not in ("text", "jsonl"):
            raise UsageError(
                f"what would change cannot be written as {kind}", remedy="Use --to text or jsonl."
            )
    elif counted is not None:
        refuse("--count", "everything", "color", "width")
        if kind not in ("text", "jsonl"):
            raise UsageError(f"counts cannot be written as {kind}", remedy="Use text or jsonl.")
    else:
        if kind != "conllu":
            refuse(f"--to {kind}", "everything", remedy="It goes with --to conllu.")
        if kind != "text":
            refuse(f"--to {kind}", "color", remedy="Colours go with text.")
        if kind not in ("svg", "html"):
            refuse(f"--to {kind}", "width", remedy="It is the width of --to svg and html.")


def _use_color(color: bool | None, output: str | None) -> bool:
    if color is not None:
        return color
    return output in (None, "-") and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
