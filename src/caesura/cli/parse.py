"""`caesura parse`: texts in, sentences with trees out."""

from __future__ import annotations

import click

from caesura.cli.files import result_format
from caesura.cli.refuse import confidences, keeping, refuse
from caesura.cli.running import Call, annotates
from caesura.options import ModelChoice

__all__ = ["command"]


@click.command()
@annotates("parse", named=ModelChoice)
def command(call: Call, named: ModelChoice) -> int:
    """Find sentences, tokens, tags, lemmas and trees in FILES (or stdin).

    Any format is read: files with an unknown extension as plain text; folders are searched for
    files of known formats. CoNLL-U goes to stdout unless -o or --to say otherwise. A long text is
    streamed. Files that cannot be read or parsed are reported and skipped; the exit status is
    then 1.

    \b
    caesura parse letter.txt
    caesura parse brev.txt --lang da
    caesura parse corpus/ -o parsed/ --threads 4 --resume
    caesura parse half-done.conllu --keep-tokens --keep-tags --keep-heads
    """
    from caesura.formats import ready

    if call.request.k_best is not None:
        refuse("--k-best", "confidence")
    if call.running.engine == "ray":
        refuse("--engine ray", "threads", remedy="Workers are as many as the cluster has cores.")
    writing = call.writing
    to_format = result_format("heads", writing.output, writing.to_format, default="conllu")
    confidences(to_format)
    ready(to_format, writing.to_mode)
    sources = call.sources()
    keeping(call.request.keep, (source.format for source, _ in sources))
    plan = call.plan(sources, lambda source: to_format)
    return call.run(plan, lambda: call.pipeline(named, plan), "Parsing")
