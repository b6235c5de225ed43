"""`caesura find`: search trees by patterns; show, count or draw what is found, or rewrite it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import click

from caesura import formats
from caesura.cli.console import use_color
from caesura.cli.files import find_sources, is_folder, jobs
from caesura.cli.options import options
from caesura.cli.outputs import refuse_own_input
from caesura.cli.refuse import refuse
from caesura.cli.search import Search, count, rewriting, show
from caesura.errors import UsageError
from caesura.find import fields, setting
from caesura.options import COLOR, WIDTH, Reading, Writing, option
from caesura.pipeline.jobs import Job, Source

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


@dataclass(frozen=True)
class Options:
    to_format: str | None = option(
        None,
        "text, conllu, jsonl, svg or html; with --set and -o the format of the files "
        "[default: from the extension of the output, else text]",
        name="--to",
        metavar="FORMAT",
    )
    counted: str | None = option(
        None,
        "Count instead: attributes of the first word (upos,deprel) or of named ones (x.lemma).",
        name="--count",
        metavar="FIELDS",
    )
    settings: tuple[str, ...] = option(
        (),
        "Rewrite what is found; without --write or -o say what would change. May be repeated.",
        name="--set",
        metavar="x.ATTRIBUTE=VALUE",
    )
    write: bool = option(False, "With --set: change the files themselves.")
    limit: int | None = option(None, "Stop after so many matches.", least=1, metavar="N")
    everything: bool = option(False, "CoNLL-U: also sentences without a match.", name="--all")
    color: bool | None = option(None, **COLOR)
    width: int = option(940, **WIDTH)
    steps: int = option(
        1_000_000,
        "Words that may be tried for one sentence; one that takes more is reported.",
        least=1,
        most=1_000_000_000,
        shown=True,
    )


@click.command()
@click.argument("pattern", metavar="PATTERN")
@click.argument("inputs", metavar="FILES…", nargs=-1)
@options("find", own=Options, writing=Writing, reading=Reading)
def command(
    pattern: str, inputs: Sequence[str], own: Options, writing: Writing, reading: Reading
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
    output = writing.output
    wanted = fields(own.counted, compiled.names) if own.counted is not None else None
    changes = [setting(text, compiled.names) for text in own.settings]
    rewrites = bool(changes) and (own.write or output is not None)
    kind = _kind(own.to_format, output, rewrites=rewrites)
    _check(kind, own, output, changes=bool(changes), rewrites=rewrites)
    sources = find_sources(
        inputs, reading.from_format, output=output, default="conllu", quiet=reading.quiet
    )

    def format_of(source: Source) -> str:
        return kind or source.format

    search = Search(
        compiled,
        Bounds(steps=own.steps),
        [source for source, _ in sources],
        reading,
        named=inputs or ("-",),
        limit=own.limit,
    )
    if changes:
        todo: list[Job] | None = None
        if own.write and any(source.path == "-" for source, _ in sources):
            raise UsageError("--write changes files", remedy="Name them, or write with -o FILE.")
        if output is not None:
            todo = jobs(sources, output, format_of)[0]
        as_json = kind == "jsonl" and not rewrites
        rewriting(search, changes, todo, write=own.write, as_json=as_json)
    else:
        if output is None or not is_folder(output):
            refuse_own_input([source.path for source, _ in sources], output)
        todo, _ = jobs(sources, output, format_of)
        if wanted is not None:
            count(search, todo, wanted, kind)
        else:
            painted = use_color(own.color, output)
            show(search, todo, kind, color=painted, width=own.width, everything=own.everything)
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


def _check(kind: str, own: Options, output: str | None, *, changes: bool, rewrites: bool) -> None:
    """Refuse options that exclude each other."""
    if own.write and not changes:
        raise UsageError("--write writes what --set changes", remedy="Add --set x.deprel=obl.")
    if own.write and output is not None:
        raise UsageError("--write changes the files themselves", remedy="Leave out it or -o.")
    if changes:
        refuse("--set", "counted", "everything", "color", "width")
        if own.write:
            refuse("--write", "to_format", remedy="The files keep their format.")
            refuse("--write", "skip_bad", "encoding", remedy="Write another file with -o.")
        if rewrites:
            remedy = "Leave it out: a half is no mended treebank."
            refuse("a rewritten file", "limit", remedy=remedy)
        elif kind not in ("text", "jsonl"):
            raise UsageError(
                f"what would change cannot be written as {kind}", remedy="Use --to text or jsonl."
            )
    elif own.counted is not None:
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
