"""`caesura tokenize`: texts to tokens, words and sentences, with a model or by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.files import Inputs, is_folder, targets
from caesura.cli.options import inputs_argument, reading_options, writing_options
from caesura.cli.refuse import keeping, refuse
from caesura.errors import UsageError

if TYPE_CHECKING:
    from caesura.document import Document
    from caesura.tokenize import RuleTokenizer, Tokenizer

__all__ = ["command", "tokenize_files"]

_BLOCK = 1 << 20


@click.command()
@inputs_argument
@click.option("-m", "--model", metavar="MODEL", help="A model with a tokeniser.")
@click.option("--rules", is_flag=True, help="Use rules that need no model.")
@click.option(
    "--keep",
    multiple=True,
    type=click.Choice(["tokens", "sentences"]),
    help="Obey the tokens or the sentences of the input. May be repeated.",
)
@click.option("--newline-is-boundary", is_flag=True, help="Every line ends a sentence.")
@click.option("--token-range", is_flag=True, help="CoNLL-U: write TokenRange=start:end.")
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the input.")
@reading_options
@writing_options
def command(
    inputs: tuple[str, ...],
    model: str | None,
    rules: bool,
    keep: tuple[str, ...],
    newline_is_boundary: bool,
    token_range: bool,
    encoding: str,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    to_format: str | None,
    output: str | None,
) -> None:
    """Split texts into tokens, words and sentences; CoNLL-U on stdout by default.

    A model comes from `caesura train tokenizer`; --rules needs none and serves any language.
    """
    from caesura.cli.console import WarningPrinter
    from caesura.formats import format_of, write
    from caesura.language import watched

    if rules == bool(model):
        raise UsageError(
            "it needs either a model or the rules", remedy="Give --model MODEL or --rules."
        )
    if newline_is_boundary:
        refuse("--newline-is-boundary", "keep", remedy="Leave one of them out.")
    files = Inputs(inputs, from_format)
    keeping(keep, (from_format or format_of(file, default="text") for file in files.paths))
    told = output is not None and output != "-" and not is_folder(output)
    chosen = targets(files, output, to_format or (None if told else "conllu"), adds="tokens")
    tool: Tokenizer | RuleTokenizer
    meta: Mapping[str, Any] = {}
    if model:
        from caesura.models.store import load_model
        from caesura.tokenize import Tokenizer

        found = load_model(model)
        tool, meta = Tokenizer.from_part(found.part("tokenizer")), found.meta
    else:
        from caesura.tokenize import RuleTokenizer

        tool = RuleTokenizer()
    warn = WarningPrinter(quiet=quiet, strict=strict)
    reading: dict[str, Any] = {
        "skip_bad": skip_bad,
        "strict": strict,
        "warn": warn,
        "encoding": encoding,
    }
    for target in chosen:
        docs = tokenize_files(target.sources, tool, from_format, keep, newline_is_boundary, reading)
        heard = watched(docs, meta, None if quiet else warn)
        write(heard, target.path, target.format, token_range=token_range)
    warn.close()


def tokenize_files(
    files: Sequence[str],
    tool: Tokenizer | RuleTokenizer,
    from_format: str | None,
    keep: Sequence[str],
    newline_is_boundary: bool,
    reading: dict[str, Any],
) -> Iterator[Document]:
    """Documents of the files; a plain text comes in pieces, so that its size does not matter."""
    from caesura.formats import format_of, read
    from caesura.tokenize import RuleTokenizer

    for file in files:
        kind = from_format or format_of(file, default="text")
        streamed = kind == "text" and not newline_is_boundary
        if streamed and not isinstance(tool, RuleTokenizer):
            yield from _stream(file, tool, reading)
            continue
        for doc in read(file, kind, **reading):
            yield _one(doc, tool, keep, newline_is_boundary)


def _one(
    doc: Document, tool: Tokenizer | RuleTokenizer, keep: Sequence[str], lines: bool
) -> Document:
    from dataclasses import replace

    doc = replace(doc, fixed=frozenset(keep))
    if not lines:
        return tool.tokenize(doc)
    import re

    from caesura.tokenize import RuleTokenizer

    if isinstance(tool, RuleTokenizer):
        tool.newline_is_boundary = True
        return tool.tokenize(doc)
    starts = [match.end() for match in re.finditer(r"\n\s*(?=\S)", doc.text.rstrip())]
    split = tool.tokenize(doc.text, sentence_starts=starts, strings=doc.strings)
    split.id, split.source = doc.id, doc.source
    split.paragraph_start = doc.paragraph_start
    return split


def _stream(file: str, tool: Tokenizer, reading: dict[str, Any]) -> Iterator[Document]:
    from caesura.formats.io import blocks, open_read
    from caesura.formats.options import ReadOptions

    options = ReadOptions(file="<stdin>" if file == "-" else file, **reading)
    stream = tool.stream(whole_sentences=True)
    with open_read(file) as raw:
        for text, _ in blocks(raw, options, size=_BLOCK, whole_lines=False, keep_crlf=True):
            piece = stream.feed(text)
            if piece.n_tokens:
                piece.source = file
                yield piece
    piece = stream.feed("", last=True)
    piece.source = file
    if piece.n_tokens or piece.text:
        yield piece
