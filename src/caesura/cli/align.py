"""`caesura align TREEBANK --text RAW`: write the place of each token in a raw text."""

from __future__ import annotations

from dataclasses import dataclass

import click

from caesura.cli.console import print_json
from caesura.cli.evaluate import read_side, read_text
from caesura.cli.files import is_folder, make_folder, plain_name
from caesura.cli.options import json_option, options
from caesura.options import Reading, Writing, option


@dataclass(frozen=True)
class Options:
    raw: str = option(
        "", "The raw text of the treebank.", name="--text", metavar="RAW", required=True, reads=True
    )


@click.command()
@click.argument("treebank", metavar="TREEBANK")
@options("align", own=Options, reading=Reading, writing=Writing)
@json_option
def command(treebank: str, own: Options, reading: Reading, writing: Writing, as_json: bool) -> None:
    """Find the tokens of TREEBANK in a raw text and write their TokenRange as CoNLL-U.

    Treebank and text may differ in quotes, brackets, dashes, escapes and white space, and in
    characters that were changed or left out. Tokens that are not in the text get a range of no
    width and are counted on stderr; with --json only the counts are printed.
    """
    from caesura.evaluate.token_ranges import align_to_text
    from caesura.formats import write

    text = read_text(own.raw)
    assert text is not None
    found = align_to_text(read_side(treebank, reading.from_format, None, reading), text)
    output = writing.output
    if as_json:
        print_json(found.as_dict())
        if output is None:
            return
    if output is not None and is_folder(output):
        output = str(make_folder(output) / f"{plain_name(treebank)}.conllu")
    write(found.docs, output or "-", "conllu")
    if not reading.quiet:
        click.echo(found.summary, err=True)
