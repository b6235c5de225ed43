"""Scores, conversions, pictures, help and errors."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.golden.calls import EXTENSIONS, Named, cli, content, into
from benchmarks.golden.work import Work

FORMATS = ("conllu", "conllx", "jsonl", "tokens", "text", "spans", "brackets", "transcript", "html",
           "brat", "spacy")  # fmt: skip


def data() -> Named:
    yield from _measuring()
    yield from _converting()
    yield from _drawing()
    yield from _helping()
    yield from _failing()


def _measuring() -> Named:
    pair = ("dev.conllu", "system.conllu")
    yield "evaluate/text", cli("evaluate", "-q", *pair)
    yield "evaluate/json", cli("evaluate", "-q", "--json", *pair)
    for by in ("document", "sentence length", "arc length", "label", "tag"):
        yield f"evaluate/by/{by}", cli("evaluate", "-q", "--json", "--by", by, *pair)
    yield "evaluate/confusions", cli("evaluate", "-q", "--confusions", "--induced", *pair)
    yield "evaluate/mismatches", cli("evaluate", "-q", "--mismatches", *pair)
    yield "evaluate/tuples", cli("evaluate", "-q", "--tuples", "system", *pair)
    yield "evaluate/brackets", cli("evaluate", "-q", "--json", "gold.mrg", "system.mrg")

    # Other tokens and sentences than gold's.
    yield "evaluate/parsed", cli("evaluate", "-q", "--json", "dev.conllu", "parsed-dev.conllu")

    def report(work: Work) -> bytes:
        told = work.cli("evaluate", "-q", *pair, "--html", "report.html")
        return told + content(work.folder / "report.html")

    yield "evaluate/html", report
    three = ("dev.conllu", "one=system.conllu", "two=other.conllu")

    def compared(work: Work, *options: str) -> bytes:
        for name in ("system.conllu", "other.conllu"):
            work.path(name)
        return work.cli("compare", "-q", "--samples", "500", *options, *three)

    yield "compare/text", compared
    yield "compare/json", lambda work: compared(work, "--json")
    yield "compare/sentences", lambda work: compared(work, "--unit", "sentence", "--metric", "LAS")
    yield "align/conllu", cli("align", "-q", "dev.conllu", "--text", "raw.txt")
    yield "align/json", cli("align", "-q", "--json", "other.conllu", "--text", "raw.txt")


def _converting() -> Named:
    yield "inspect/text", cli("inspect", "-q", "gold.conllu")
    yield "inspect/json", cli("inspect", "-q", "--json", "--all", "gold.conllu")
    yield "inspect/boundaries", cli("inspect", "-q", "--boundaries", "upos", "gold.conllu")
    yield "inspect/brackets", cli("inspect", "-q", "--json", "gold.mrg")
    sources = ("gold.conllu", "gold.mrg", "written.txt", "talk.transcript", "island.html")
    for source in sources:
        for to in FORMATS:
            place = source.replace(".", "-")
            name = f"converted-{place}-{to}.{EXTENSIONS.get(to, to)}"
            yield f"convert/{place}/{to}", into(name, "convert", "-q", source, "--to", to)
    changes = {
        "speech": ("--lower", "--drop-punct"),
        "drop": ("--drop", "feats,lemma,multiword"),
        "keep": ("--keep", "head,deprel,sentences"),
        "projective": ("--projectivise",),
    }
    for name, options in changes.items():
        yield f"convert/{name}", cli("convert", "-q", *options, "gold.conllu")
    yield "convert/folds", into("folds/", "convert", "-q", "gold.conllu", "--split", "3")
    for rules in ("collins", "yamada-matsumoto"):
        yield (
            f"convert/heads/{rules}",
            cli("convert", "-q", "--heads", rules, "--to", "conllu", "gold.mrg"),
        )


def _drawing() -> Named:
    for to in ("text", "svg", "html"):
        yield f"render/{to}", cli("render", "-q", "--to", to, "dev.conllu")
    yield "render/narrow", cli("render", "-q", "--to", "svg", "--width", "300", "dev.conllu")
    yield "render/one", cli("render", "-q", "--sentence", "3", "dev.conllu")
    yield "render/color", cli("render", "-q", "--color", "--sentence", "2", "dev.conllu")
    for to in ("text", "html"):

        def compared(work: Work, to: str = to) -> bytes:
            work.path("system.conllu")
            return work.cli("render", "-q", "--to", to, "--compare", "system.conllu", "dev.conllu")

        yield f"render/compare-{to}", compared


def _helping() -> Named:
    import click

    from caesura.cli import cli as group

    def walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield path
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                if below is not None:
                    yield from walk(below, (*path, name))

    for path in walk(group, ()):
        yield f"help/{' '.join(path) or 'caesura'}", cli(*path, "--help")


def _failing() -> Named:
    wrong = {
        "no-file": ("parse", "nowhere.txt"),
        "no-model": ("parse", "-m", "nothing", "tiny.txt"),
        "no-format": ("convert", "tiny.txt", "--to", "nothing"),
        "broken": ("inspect", "broken.conllu"),
        "skip-bad": ("convert", "--skip-bad", "broken.conllu"),
        "no-option": ("parse", "--nothing", "tiny.txt"),
        "keep-of-text": ("parse", "--keep-tags", "tiny.txt"),
        "no-set": ("train", "tagger", "gold.conllu", "-o", "x.caesura", "--set", "nothing=1"),
        "one-side": ("evaluate", "dev.conllu", "gold.mrg"),
    }
    for name, arguments in wrong.items():
        yield f"wrong/{name}", cli(*arguments)
