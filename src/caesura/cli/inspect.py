"""`caesura inspect`: what is in a treebank, and what to mind before training on it."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zipfile import is_zipfile

import click

from caesura.cli.console import print_json
from caesura.cli.files import PIECES, Inputs
from caesura.cli.options import inputs_argument, json_option, options
from caesura.cli.refuse import refuse
from caesura.inspect import Inspection, Share, inspect
from caesura.markup import text_table
from caesura.options import Reading, option

if TYPE_CHECKING:
    from caesura.induce import Grammar

__all__ = ["command", "show", "show_grammar"]

#: So many labels are shown.
LABELS = 12


@dataclass(frozen=True)
class Options:
    everything: bool = option(False, "Show all labels, not the most frequent.", name="--all")
    boundaries: str | None = option(
        None,
        "Instead: what punctuation and boundaries say about the trees, by these tags.",
        choices=("upos", "xpos"),
    )
    plot: str | None = option(
        None, "With --boundaries: also draw a picture.", metavar="FILE", writes=True
    )


@click.command()
@inputs_argument
@options("inspect", own=Options, reading=Reading)
@json_option
def command(inputs: Sequence[str], own: Options, reading: Reading, as_json: bool) -> None:
    """Say what is in FILES (or stdin): counts, documents, sentence lengths, labels, trees.

    It ends with what to mind before training, e.g. that there are no document boundaries, that no
    SpaceAfter=No tells where tokens touch, or that every sentence ends in a full stop.

    A grammar made by `caesura induce` is shown as tables of its strongest attachments and stops.

    \b
    caesura inspect examples/harbour.conllu
    caesura inspect train.conllu.gz --json | jq .warnings
    """
    if own.boundaries is None:
        refuse("counts", "plot", remedy="It draws what --boundaries finds.")
    else:
        refuse("--boundaries", "everything")
    model = _model(inputs)
    if model is not None:
        others = ("everything", "boundaries", "plot", "from_format", "skip_bad", "strict")
        refuse("a grammar", *others, "encoding")
        _show_grammar(model, as_json)
        return
    source = Inputs(inputs, reading, pieces=None if own.boundaries else PIECES, what="Inspecting")
    if own.boundaries:
        _show_boundaries(source, own.boundaries, own.plot, as_json)
        return
    found = inspect(source)
    source.finish()
    if as_json:
        print_json(found)
    else:
        click.echo(show(found, limit=None if own.everything else LABELS))


def _model(inputs: Sequence[str]) -> str | None:
    """The model among the inputs: a file that is one, or a name that no file has."""
    from caesura.models.store import installed

    if len(inputs) != 1:
        return None
    (given,) = inputs
    if os.path.exists(given):
        return given if is_zipfile(given) else None
    return given if given in {entry.name for entry in installed()} else None


def _show_grammar(model: str, as_json: bool) -> None:
    from caesura.induce import Grammar
    from caesura.models.store import load_model

    grammar = Grammar.from_part(load_model(model).part("grammar"))
    if as_json:
        print_json(grammar.strongest())
    else:
        click.echo(show_grammar(grammar))


def _beside(grammar: Grammar) -> str:
    """What else chooses trees."""
    if grammar.others:
        return f"; the last of {len(grammar.others) + 1} grammars that vote"
    return "; its trees are those of an arc model" if grammar.arcs is not None else ""


def show_grammar(grammar: Grammar, number: int = 15) -> str:
    """The strongest roots, attachments and stops of a grammar, for people."""
    rows = grammar.strongest(number)
    parts = [
        f"Grammar {grammar.model} over {len(grammar.names) - 1} classes "
        f"({grammar.source}), recipe {grammar.history.get('recipe', '')}" + _beside(grammar),
        "Roots, per cent\n" + text_table(rows["roots"], right="lr"),
        "Attachments, per cent of the head's dependents on that side, by frequency\n"
        + text_table(rows["attachments"], right="lr"),
        "Stops, per cent (left: none yet, some; right: none yet, some)\n"
        + text_table(rows["stops"], right="lrrrr"),
    ]
    return "\n\n".join(parts)


def _show_boundaries(reading: Inputs, column: str, picture: str | None, as_json: bool) -> None:
    from caesura.induce import analyses

    found = analyses.boundaries(list(reading), column)
    reading.finish()
    if picture:
        analyses.plot(found, picture)
    if as_json:
        print_json(found)
    else:
        click.echo(analyses.show(found))


def show(found: Inspection, *, limit: int | None = LABELS) -> str:
    """What was found, for people."""
    if not found.words:
        return _sections([("Size", _rows(_size(found))), ("Mind before training", _advice(found))])
    lengths = found.sentence_lengths
    sections = [
        ("Size", _rows(_size(found))),
        (
            "Sentence lengths, in words",
            _rows(
                {
                    "mean": f"{lengths.mean:.1f}",
                    "median": f"{lengths.median:,}",
                    "95% are up to": f"{lengths.percentile_95:,}",
                    "longest": f"{lengths.longest:,}",
                }
            )
            + "\n"
            + _bars(lengths.histogram),
        ),
        (
            "Columns",
            _rows({n.upper(): _share(share) for n, share in found.filled.items() if share.count}),
        ),
        (
            "Trees",
            _rows(
                {
                    "with crossing arcs": _share(found.nonprojective_sentences),
                    "crossing arcs": _share(found.nonprojective_arcs),
                    "with several roots": _share(found.multi_root_sentences),
                    "without a root": _share(found.rootless_sentences),
                    "with a cycle": _share(found.cyclic_sentences),
                }
            )
            if found.filled["head"].count
            else "",
        ),
        (
            "Text",
            _rows(
                {
                    "tokens that touch the next": _share(found.no_space_after),
                    "sentences that end in . ! ? …": _share(found.final_mark),
                    "sentences that start with a capital": _share(found.initial_capital),
                    "sentences that repeat another": _share(found.repeated_sentences),
                }
            ),
        ),
    ]
    for name in ("upos", "deprel", "xpos"):
        labels: Mapping[str, int] = getattr(found, name)
        sections.append((f"{name.upper()}: {len(labels)} labels", _labels(labels, limit)))
    if found.warnings:
        sections.append(("Mind before training", _advice(found)))
    return _sections(sections)


def _sections(sections: Sequence[tuple[str, str]]) -> str:
    return "\n\n".join(f"{title}\n{body}" for title, body in sections if body)


def _advice(found: Inspection) -> str:
    return "\n".join(
        textwrap.fill(a.message, 98, initial_indent="  - ", subsequent_indent="    ")
        for a in found.warnings
    )


def _size(found: Inspection) -> dict[str, str]:
    counts = {
        "files": found.files,
        "documents": found.documents,
        "paragraphs": found.paragraphs,
        "sentences": found.sentences,
        "tokens": found.tokens,
        "words": found.words,
        "distinct forms": found.distinct_forms,
        "characters": found.characters,
        "multi-word tokens": found.multiword_tokens,
        "empty nodes": found.empty_nodes,
        "phrases": found.phrases,
        "turns": found.turns,
    }
    always = ("documents", "sentences", "tokens", "words", "multi-word tokens")
    return {name: f"{n:,}" for name, n in counts.items() if n or name in always}


def _rows(values: Mapping[str, str]) -> str:
    return text_table([(name, value) for name, value in values.items()], right="lr")


def _share(share: Share) -> str:
    return f"{share.count:,} of {share.of:,} ({share.percent:.1f}%)"


def _bars(histogram: Mapping[str, int], width: int = 40) -> str:
    most = max(histogram.values(), default=0)
    if not most:
        return ""
    rows = [
        (name, f"{count:,}", "█" * round(width * count / most)) for name, count in histogram.items()
    ]
    return text_table(rows, right="rr")


def _labels(labels: Mapping[str, int], limit: int | None) -> str:
    shown = list(labels.items())[:limit]
    text = ", ".join(f"{name} {count:,}" for name, count in shown)
    if len(labels) > len(shown):
        text += f", … and {len(labels) - len(shown)} more (--all shows them)"
    return textwrap.fill(text, 98, initial_indent="  ", subsequent_indent="  ")
