"""Which verbs there are, where they live, and a click group that loads one only when it is called.

The module of a verb exposes a click command named `command`. What it needs to do its work
it imports inside the function, so that `--help` stays quick.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import click

from caesura.cli.outputs import guard

__all__ = ["TRAIN", "VERBS", "LazyGroup", "Verb"]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb's module (none for a group), the heading that it stands under, and its summary."""

    module: str
    heading: str
    summary: str


VERBS: Final[Mapping[str, Verb]] = {
    "parse": Verb("parse", "Annotate", "Texts in, sentences with trees out."),
    "split": Verb("split", "Annotate", "Split texts into sentences."),
    "clauses": Verb("clauses", "Annotate", "Find the clauses of sentences."),
    "tokenize": Verb("tokenize", "Annotate", "Split texts into tokens and words."),
    "tag": Verb("tag", "Annotate", "Tag words: part of speech, features, lemma."),
    "render": Verb("render", "Annotate", "Draw trees as text, SVG or HTML."),
    "serve": Verb("serve", "Annotate", "Open a page in the browser that parses what you type."),
    "train": Verb("", "Learn", "Train a model on your own data."),
    "induce": Verb("induce", "Learn", "Learn a grammar from text without trees."),
    "cluster": Verb("cluster", "Learn", "Learn word classes from text."),
    "models": Verb("models", "Learn", "List, check and describe model files."),
    "evaluate": Verb("evaluate", "Measure", "Score an annotation against gold."),
    "compare": Verb("compare", "Measure", "Compare systems, with significance."),
    "align": Verb("align", "Measure", "Align the words of two versions of a text."),
    "inspect": Verb("inspect", "Data", "Say what is in a treebank and what to mind in training."),
    "validate": Verb("validate", "Data", "Check trees against the guidelines of UD."),
    "find": Verb("find", "Data", "Search trees by patterns, count, draw, and rewrite them."),
    "convert": Verb("convert", "Data", "Convert between formats, and change treebanks."),
    "info": Verb("info", "Other", "Version, paths, models, threads."),
    "warmup": Verb("warmup", "Other", "No longer needed: nothing is compiled at first use."),
}

TRAIN: Final[Mapping[str, Verb]] = {
    "pipeline": Verb("train_pipeline", "Models", "Everything, from raw text to trees."),
    "tokenizer": Verb("train_tokenizer", "Models", "A tokeniser."),
    "tagger": Verb("train_tagger", "Models", "A tagger."),
    "parser": Verb("train_parser", "Models", "A parser."),
}


class LazyGroup(click.Group):
    """A click group whose commands are loaded when they are called."""

    def __init__(self, *args: Any, verbs: Mapping[str, Verb], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.verbs = verbs
        #: Groups among the verbs.
        self.groups: dict[str, click.Group] = {}

    def _there(self, name: str) -> bool:
        group = self.groups.get(name)
        if group is not None:
            return bool(group.list_commands(click.Context(group)))
        verb = self.verbs[name]
        return bool(
            verb.module and importlib.util.find_spec(f"caesura.cli.{verb.module}") is not None
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in self.verbs if self._there(name)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.verbs or not self._there(name):
            return None
        if name in self.groups:
            return self.groups[name]
        module = importlib.import_module(f"caesura.cli.{self.verbs[name].module}")
        command = module.command
        assert isinstance(command, click.Command), f"{module.__name__}.command is no click command"
        command.name = name
        command.short_help = self.verbs[name].summary
        # Aliases such as -h hold for every verb.
        command.context_settings = {**ctx.command.context_settings, **command.context_settings}
        guard(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            known = self.list_commands(ctx)
            import difflib

            close = difflib.get_close_matches(args[0], known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Commands are: {', '.join(known)}."
            ctx.fail(f"No such command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under their headings, from the registry alone."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            verb = self.verbs[name]
            sections.setdefault(verb.heading, []).append((name, verb.summary))
        width = max((len(name) for rows in sections.values() for name, _ in rows), default=0)
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])
