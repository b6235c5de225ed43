"""`caesura render FILES`: trees as text, SVG, HTML, PNG or PDF."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import click

from caesura.cli.console import use_color
from caesura.cli.files import Inputs
from caesura.cli.options import inputs_argument, options
from caesura.cli.refuse import refuse
from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.options import COLOR, WIDTH, Reading, option

#: What can be drawn, and the extensions that tell it.
TO: Final = {"text": ".txt", "svg": ".svg", "html": ".html", "png": ".png", "pdf": ".pdf"}
#: More trees than this in one image are no picture any more.
MANY: Final = 200


@dataclass(frozen=True)
class Options:
    to_format: str | None = option(
        None,
        "What to draw [default: from the extension of the output, else text]",
        name="--to",
        choices=tuple(TO),
    )
    output: str | None = option(
        None, "Write to this file; else to stdout.", name="-o --output", metavar="FILE", writes=True
    )
    other: str | None = option(
        None, "Mark what differs from this file.", name="--compare", metavar="OTHER", reads=True
    )
    width: int = option(940, **WIDTH)
    numbers: tuple[int, ...] = option(
        (),
        "Draw only the sentence of this number. May be repeated.",
        name="--sentence",
        least=1,
        metavar="N",
    )
    color: bool | None = option(None, **COLOR)


@click.command()
@inputs_argument
@options("render", own=Options, reading=Reading)
def command(inputs: tuple[str, ...], own: Options, reading: Reading) -> None:
    """Draw the trees of annotated FILES (or stdin): in the terminal, or as pictures.

    \b
    caesura render parsed.conllu
    caesura render parsed.conllu -o trees.html
    caesura render parsed.conllu --compare gold.conllu -o differences.html
    caesura render parsed.conllu --sentence 3 -o third.svg
    """
    kind = own.to_format or _told_by(own.output)
    if kind == "text":
        refuse("text", "width", remedy="Draw a picture: --to svg, html, png or pdf.")
    else:
        refuse(f"--to {kind}", "color", remedy="Pictures have their own colours.")
    if own.other is not None:
        refuse("--compare", "numbers", remedy="Leave one of them out.")
    reader = Inputs(inputs, reading)
    documents = list(reader)
    reader.finish()
    _check(documents, reader.paths[0])
    others: list[Document] | None = None
    if own.other is not None:
        second = Inputs((own.other,), reading)
        others = list(second)
        second.finish()
        documents, others = _paired(documents, others, reader.paths[0], own.other)
    if own.numbers:
        documents = _chosen(documents, own.numbers)
    output = own.output
    if kind in ("png", "pdf") and output in (None, "-") and sys.stdout.isatty():
        raise UsageError(f"a {kind.upper()} is no text for a terminal", remedy="Add -o FILE.")
    names = (os.path.basename(reader.paths[0]), os.path.basename(own.other or ""))
    color = use_color(own.color, output)
    _write(_drawn(kind, documents, others, names, own.width, color), output)


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
