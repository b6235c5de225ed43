"""`caesura render FILES`: trees as text, SVG, HTML, PNG or PDF."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Final

import click

from caesura.cli.files import Inputs
from caesura.cli.options import inputs_argument, reading_options
from caesura.cli.refuse import refuse
from caesura.document import Document
from caesura.errors import InputError, UsageError

#: What can be drawn, and the extensions that tell it.
TO: Final = {"text": ".txt", "svg": ".svg", "html": ".html", "png": ".png", "pdf": ".pdf"}
#: More trees than this in one image are no picture any more.
MANY: Final = 200


@click.command()
@inputs_argument
@click.option(
    "--to",
    "to_format",
    type=click.Choice(list(TO)),
    help="What to draw; else told by the extension of the output, else text.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file; else to stdout.")
@click.option("--compare", "other", metavar="OTHER", help="Mark what differs from this file.")
@click.option(
    "--width",
    type=click.IntRange(min=200, max=20_000),
    default=940,
    show_default=True,
    help="Width of pictures in pixels; longer sentences go on in the next row.",
)
@click.option(
    "--sentence",
    "numbers",
    multiple=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="Draw only the sentence of this number. May be repeated.",
)
@click.option(
    "--color/--no-color", default=None, help="Colours in text; else if stdout is a terminal."
)
@reading_options
def command(
    inputs: tuple[str, ...],
    to_format: str | None,
    output: str | None,
    other: str | None,
    width: int,
    numbers: tuple[int, ...],
    color: bool | None,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
) -> None:
    """Draw the trees of annotated FILES (or stdin): in the terminal, or as pictures.

    \b
    caesura render parsed.conllu
    caesura render parsed.conllu -o trees.html
    caesura render parsed.conllu --compare gold.conllu -o differences.html
    caesura render parsed.conllu --sentence 3 -o third.svg
    """
    kind = to_format or _told_by(output)
    if kind == "text":
        refuse("text", "width", remedy="Draw a picture: --to svg, html, png or pdf.")
    else:
        refuse(f"--to {kind}", "color", remedy="Pictures have their own colours.")
    if other is not None:
        refuse("--compare", "numbers", remedy="Leave one of them out.")
    reader = Inputs(inputs, from_format, skip_bad=skip_bad, strict=strict, quiet=quiet)
    documents = list(reader)
    reader.finish()
    _check(documents, reader.paths[0])
    others: list[Document] | None = None
    if other is not None:
        second = Inputs((other,), from_format, skip_bad=skip_bad, strict=strict, quiet=quiet)
        others = list(second)
        second.finish()
        documents, others = _paired(documents, others, reader.paths[0], other)
    if numbers:
        documents = _chosen(documents, numbers)
    if kind in ("png", "pdf") and output in (None, "-") and sys.stdout.isatty():
        raise UsageError(f"a {kind.upper()} is no text for a terminal", remedy="Add -o FILE.")
    names = (os.path.basename(reader.paths[0]), os.path.basename(other or ""))
    _write(_drawn(kind, documents, others, names, width, _use_color(color, output)), output)


def _told_by(output: str | None) -> str:
    if output is None or output == "-":
        return "text"
    ending = os.path.splitext(output)[1].lower()
    known = {extension: kind for kind, extension in TO.items()}
    if ending not in known:
        raise UsageError(
            f"the extension of {output} tells nothing to draw",
            remedy=f"Name it with --to: {', '.join(TO)}.",
        )
    return known[ending]


def _use_color(color: bool | None, output: str | None) -> bool:
    if color is not None:
        return color
    return output in (None, "-") and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _check(documents: list[Document], path: str) -> None:
    if not any(doc.n_tokens for doc in documents):
        raise InputError(
            "there is nothing to draw: no words",
            file=path,
            remedy="Draw an annotated file; make one with `caesura parse`.",
        )


def _paired(
    documents: list[Document], others: list[Document], path: str, other: str
) -> tuple[list[Document], list[Document]]:
    """Document by document if there are as many, else both sides as one."""
    if len(documents) != len(others):
        if not others or not documents:
            raise InputError("there is nothing to compare", file=other if documents else path)
        return [Document.join(documents)], [Document.join(others)]
    return documents, others


def _chosen(documents: list[Document], numbers: tuple[int, ...]) -> list[Document]:
    found, before = [], 0
    for doc in documents:
        for sentence in doc.sentences:
            if before + sentence.index + 1 in numbers:
                found.append(doc.cut(sentence.first_token, sentence.last_token))
        before += doc.n_sentences if doc.n_tokens else 0
    if not found:
        raise UsageError(
            f"there is no sentence {', '.join(map(str, numbers))}",
            remedy=f"There are {before} sentences.",
        )
    return found


def _drawn(
    kind: str,
    documents: list[Document],
    others: list[Document] | None,
    names: tuple[str, str],
    width: int,
    color: bool,
) -> Iterable[str | bytes]:
    from caesura.render import page_html

    if kind == "html":
        title = f"{names[0]} and {names[1]}" if others is not None else names[0]
        return page_html(documents, title=title, others=others, names=names, width=width)
    if kind == "text":
        return _texts(documents, others, color)
    return [_picture(kind, documents, others, width)]


def _texts(documents: list[Document], others: list[Document] | None, color: bool) -> Iterator[str]:
    from caesura.render import compare, document_text, sentence_text

    if others is None:
        for doc in documents:
            for text in document_text(doc, color=color):
                yield text + "\n"
        return
    for doc, other in zip(documents, others, strict=True):
        difference = compare(doc, other)
        for region in difference.regions():
            if region.same:
                continue
            for sign, sentences, marks in (
                ("<", region.left, difference.left_marks),
                (">", region.right, difference.right_marks),
            ):
                for sentence in sentences:
                    yield f"{sign} {sentence_text(sentence, color=color, marks=marks)}\n"


def _picture(
    kind: str, documents: list[Document], others: list[Document] | None, width: int
) -> str | bytes:
    from caesura.render import LayoutOptions, compare, lay_out, tree_of
    from caesura.render.svg import stacked_svg

    options = LayoutOptions(width=width)
    trees = []
    for number, doc in enumerate(documents):
        if others is None:
            trees += [tree_of(sentence) for sentence in doc.sentences]
            continue
        difference = compare(doc, others[number])
        for region in difference.regions():
            trees += [tree_of(sentence, difference.left_marks) for sentence in region.left]
            if not region.same:
                trees += [tree_of(sentence, difference.right_marks) for sentence in region.right]
    if len(trees) > MANY and kind != "svg":
        raise UsageError(
            f"{len(trees):,} trees do not fit into one {kind.upper()}",
            remedy="Choose some with --sentence N, or draw them with --to html.",
        )
    pictures = [lay_out(tree, options) for tree in trees]
    if kind == "svg":
        return stacked_svg(pictures, documents[0].id or "trees", alone=True) + "\n"
    from caesura.render.image import pictures_image

    return pictures_image(pictures, kind)


def _write(parts: Iterable[str | bytes], output: str | None) -> None:
    from caesura.formats.io import open_write

    with open_write(output or "-") as stream:
        for part in parts:
            stream.write(part.encode("utf-8", "replace") if isinstance(part, str) else part)
