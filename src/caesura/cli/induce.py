"""`caesura induce`: learn a dependency grammar from text without trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.console import print_json, table
from caesura.cli.files import Inputs
from caesura.cli.kept import Kept, resumable
from caesura.cli.options import (
    config_options,
    inputs_argument,
    json_option,
    reading_options,
    seed_option,
    threads_option,
)
from caesura.cli.progress import Progress
from caesura.cli.refuse import refuse
from caesura.cli.training import quoted, tell_result

if TYPE_CHECKING:
    from caesura.document import Document
    from caesura.induce import Grammar, InduceOptions

__all__ = ["command", "show_grammar"]


@click.command()
@inputs_argument
@click.option("-o", "--output", required=True, metavar="GRAMMAR", help="The file to write.")
@click.option(
    "--recipe",
    help="short-first (default), curriculum, standard, fixed, basic, lexicalised, scaffold.",
)
@click.option("--model", help="gb, dmv, evg, dbm1, dbm2, dbm3 (default).")
@click.option(
    "--classes",
    metavar="N|upos|xpos|form|FILE",
    help="Word classes: a number to learn (default 30), tags, words, or a file of classes.",
)
@click.option(
    "--class-text",
    multiple=True,
    metavar="FILE",
    help="More text, from which only word classes are learnt. May be repeated.",
)
@click.option(
    "--groups",
    type=click.IntRange(min=1),
    help="Groups into which the most frequent words are put (default 10).",
)
@click.option("--marks", help="How punctuation is told: unicode, upos, xpos; else by --classes.")
@click.option(
    "--markup",
    is_flag=True,
    default=None,
    help="Constraints from the inline mark-up of HTML instead of punctuation.",
)
@click.option(
    "--constraints",
    "constraint",
    help="In training: none, thread, tear, sprawl, loose, strict, loose-split.",
)
@click.option(
    "--heads",
    type=click.Choice(["any", "content"]),
    help="content: open classes tend to be heads, as in Universal Dependencies.",
)
@click.option(
    "--init", "initialiser", help="random, distance, distance-pairs, harmonic, uniform, brackets."
)
@click.option(
    "--max-length",
    "longest",
    type=click.IntRange(min=1),
    help="Leave longer sentences out (default 45).",
)
@click.option("--restarts", type=click.IntRange(min=1), help="Runs with seeds of their own.")
@config_options("limit=20")
@seed_option
@threads_option
@reading_options
@json_option
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the input.")
@resumable("{output}.checkpoint")
def command(
    inputs: Sequence[str],
    output: str,
    kept: Kept,
    config: Path | None,
    settings: Sequence[str],
    seed: int,
    threads: int,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    as_json: bool,
    encoding: str,
    class_text: Sequence[str],
    **flags: Any,
) -> None:
    """Learn a dependency grammar from FILES (text, HTML, CoNLL-U …) without looking at trees.

    Heads in the input are ignored; tags are used only with --classes upos or xpos. Of several
    restarts the one with the fewest bits a word on its own training sentences is kept. While it
    learns, a checkpoint is written beside GRAMMAR: an interrupted run goes on with --resume to the
    same result.

    \b
    caesura induce news.txt -o news.grammar
    caesura induce train.conllu --classes upos --heads content -o ud.grammar
    caesura parse --model news.grammar more-news.txt
    """
    from caesura.cli.config import configure
    from caesura.induce import InduceOptions, Inducer
    from caesura.induce.options import COLUMNS
    from caesura.models import save

    kept.check()
    if not inputs or "-" in inputs:
        kept.note = " the same text on the standard input and"
    chosen = flags.pop("classes")
    known = None
    if chosen is not None and Path(chosen).is_file():
        from caesura.cluster import load_classes
        from caesura.induce.word_classifier import classifier_of

        known = classifier_of(load_classes(chosen).rows())
        chosen = "file"
    given = {**flags, "classes": chosen, "seed": seed, "workers": threads}
    options = configure(InduceOptions(), config, settings, given, section="induce")
    options.stages()  # a recipe that is not there is told before anything is read
    if options.classes in COLUMNS:
        refuse(f"--classes {options.classes}", "groups", "class_text")
    elif not options.frequent:
        refuse("frequent=0", "groups")
    reading = Inputs(
        inputs,
        from_format,
        skip_bad=skip_bad,
        strict=strict,
        quiet=quiet,
        encoding=encoding,
    )
    more: list[Document] = []
    if class_text:
        others = Inputs(
            class_text, skip_bad=skip_bad, strict=strict, quiet=quiet, encoding=encoding
        )
        more = list(_tokenised(others))
        others.finish()
    inducer = Inducer(
        _tokenised(reading),
        options,
        classifier=known,
        class_text=more,
        checkpoint=Path(f"{output}.checkpoint"),
        resume=kept.resume,
    )
    reading.finish()
    kept.begin()
    summary: dict[str, Any] = {}
    with (
        Progress("Inducing", unit="steps", quiet=quiet) as progress,
        closing(iter(inducer)) as events,  # an interrupt ends its threads, too
    ):
        for event in events:
            if event.kind == "start":
                summary["data"] = dict(event.stats)
                progress.say(_data_line(event.stats))
            elif event.kind == "resumed":
                progress.say(_resumed_line(event.stats))
            elif event.step is not None:
                step = event.step
                note = f"{step.stage} {step.iteration}: {step.bits:.4f} bits a word"
                progress.advance(1, note)
            elif event.kind == "restart":
                lifted = event.stats["lifted"]
                progress.say(
                    f"restart {event.restart + 1}: seed {event.stats['seed']}, "
                    f"{event.stats['bits']:.4f} bits a word"
                    + (f", {lifted} sentences beyond the constraint" if lifted else "")
                )
            elif event.kind == "done":
                summary.update(event.stats)
                progress.say(
                    f"kept seed {event.stats['seed']}: fewest bits a word "
                    f"({event.stats['bits']:.4f}; spread over restarts {event.stats['spread']:.4f})"
                )
    grammar = inducer.grammar
    assert grammar is not None
    meta = {"summary": summary, "restarts": inducer.restarts, "options": _plain(options)}
    save(output, {"grammar": grammar.to_part()}, meta=meta, card=_card(grammar, options, summary))
    inducer.finish()
    tagged = ("--keep-tokens", "--keep-tags", "tagged.conllu")
    file = tagged if options.classes in ("upos", "xpos") else ("text.txt",)
    command = quoted("parse", "-m", output, *file)
    bits = f"{summary['bits']:.4f} bits a word on its own text"
    tell_result(output, command, scores=f"Fit: {bits}", what="Grammar", quiet=quiet)
    if as_json:
        print_json({"file": output, **summary, "restarts": inducer.restarts, "next": command})


def _tokenised(documents: Iterator[Document] | Inputs) -> Iterator[Document]:
    """Documents with tokens and sentences; those without are split by rule."""
    from caesura.tokenize import RuleTokenizer

    rules = RuleTokenizer()
    for doc in documents:
        yield doc if doc.n_tokens or not doc.text else rules.tokenize(doc)


def _plain(options: InduceOptions) -> dict[str, Any]:
    import msgspec

    found: dict[str, Any] = msgspec.to_builtins(options)
    return {name: value for name, value in found.items() if value is not None}


def _data_line(stats: Any) -> str:
    return (
        f"{stats['sentences']:,} sentences, {stats['words']:,} words, {stats['classes']} classes; "
        f"{stats['with_marks_inside']:,} with punctuation inside, {stats['complete']:,} complete, "
        f"{stats['too_long']:,} too long"
    )


def _resumed_line(stats: Mapping[str, Any]) -> str:
    done = [f"restart {stats['restarts']}"] if stats["restarts"] else []
    if "stage" in stats:
        done.append(f"stage {stats['stage']}, iteration {stats['iteration']}")
    return f"goes on after {', '.join(done) or 'the word classes'}"


def _card(grammar: Grammar, options: InduceOptions, summary: dict[str, Any]) -> str:
    data = summary.get("data", {})
    return (
        f"# A grammar induced from text\n\n"
        f"Model {grammar.model}, recipe {options.recipe}, classes {options.classes}, "
        f"{data.get('sentences', 0):,} sentences, {data.get('words', 0):,} words.\n"
        f"No tree was looked at"
        + ("" if options.classes in ("upos", "xpos") else ", and no tag")
        + f". Seed {summary.get('seed')}, {summary.get('bits', 0.0):.4f} bits a word.\n"
    )


def show_grammar(grammar: Grammar, number: int = 15) -> str:
    """The strongest roots, attachments and stops of a grammar, for people."""
    rows = grammar.strongest(number)
    parts = [
        f"Grammar {grammar.model} over {len(grammar.names) - 1} classes "
        f"({grammar.source}), recipe {grammar.history.get('recipe', '')}",
        "Roots, per cent\n" + table(rows["roots"], right="lr"),
        "Attachments, per cent of the head's dependents on that side, by frequency\n"
        + table(rows["attachments"], right="lr"),
        "Stops, per cent (left: none yet, some; right: none yet, some)\n"
        + table(rows["stops"], right="lrrrr"),
    ]
    return "\n\n".join(parts)
