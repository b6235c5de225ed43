"""`caesura induce`: learn a dependency grammar from text without trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from caesura.cli.experiment import experiment
from caesura.cli.options import options
from caesura.learn.grammar import INDUCE
from caesura.options import option

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["command"]


@dataclass(frozen=True)
class Files:
    output: str = option(
        "", "The file to write.", name="-o --output", metavar="GRAMMAR", required=True, writes=True
    )
    dev: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    class_text: tuple[str, ...] = option(
        (),
        "More text, from which only word classes are learnt. May be repeated.",
        metavar="FILE",
        reads=True,
    )
    transfer: str | None = option(
        None,
        "Start from the trees of a parser of another language, by universal tags.",
        metavar="MODEL|TREEBANK",
    )


@click.command()
@click.argument("train", metavar="FILES…", nargs=-1)
@options("induce", files=Files, own=Options)
@experiment("induce", INDUCE, example="limit=20", kept=["{output}.checkpoint"])
def command(run: Run, own: Options) -> Result:
    """Learn a dependency grammar from FILES (text, HTML, CoNLL-U …) without looking at trees.

    Heads in the input are ignored; tags are used only with --classes upos or xpos. Universal tags
    are the best classes: rules of what heads what lead the way then. With other tags, or without
    rules, eight restarts are joined, and that grammar or the one of a single start is kept
    (--restarts 1: one, in half the time). Of other restarts chains are refused, and the one is
    kept with which the others agree most. While it learns, a checkpoint is written beside GRAMMAR:
    an interrupted run goes on with --resume to the same result.

    \b
    caesura induce news.txt -o news.grammar
    caesura induce tagged.conllu --classes upos -o ud.grammar
    caesura induce tagged.conllu --classes upos --rules mine.rules -o my.grammar
    caesura parse --model news.grammar more-news.txt
    """
    from caesura.learn.grammar import induce_grammar

    return induce_grammar(run, class_text=own.class_text, transfer=own.transfer)
