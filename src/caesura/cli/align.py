"""`caesura align TREEBANK --text RAW`: write the place of each token in a raw text."""

from __future__ import annotations

import click

from caesura.cli.console import print_json
from caesura.cli.evaluate import read_side, read_text
from caesura.cli.files import is_folder, make_folder, plain_name
from caesura.cli.options import (
    from_option,
    json_option,
    output_option,
    quiet_option,
    skip_bad_option,
    strict_option,
)


@click.command()
@click.argument("treebank", metavar="TREEBANK")
@click.option("--text", "raw", metavar="RAW", required=True, help="The raw text of the treebank.")
@from_option
@output_option
@json_option
@skip_bad_option
@strict_option
@quiet_option
def command(
    treebank: str,
    raw: str,
    from_format: str | None,
    output: str | None,
    as_json: bool,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
) -> None:
    """Find the tokens of TREEBANK in a raw text and write their TokenRange as CoNLL-U.

    Treebank and text may differ in quotes, brackets, dashes, escapes and white space, and in
    characters that were changed or left out. Tokens that are not in the text get a range of no
    width and are counted on stderr; with --json only the counts are printed.
    """
    from caesura.evaluate.token_ranges import align_to_text
    from caesura.formats import write

    text = read_text(raw)
    assert text is not None
    docs = read_side(treebank, from_format, None, skip_bad=skip_bad, strict=strict, quiet=quiet)
    found = align_to_text(docs, text)
    if as_json:
        print_json(found.as_dict())
        if output is None:
            return
    if output is not None and is_folder(output):
        output = str(make_folder(output) / f"{plain_name(treebank)}.conllu")
    write(found.docs, output or "-", "conllu")
    if not quiet:
        click.echo(found.summary, err=True)
