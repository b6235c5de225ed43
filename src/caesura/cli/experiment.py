"""What all commands that train have in common: their files, options, checkpoints and reports.

`experiment` makes a command of a function from a `Run` to a `Result`. An option that was not given
changes nothing, so that its default does not overrule `--config` and `--set`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from caesura.cli.console import print_json
from caesura.cli.files import input_paths
from caesura.cli.interrupt import interrupted
from caesura.cli.options import click_option, json_option, options
from caesura.cli.refuse import given
from caesura.cli.training import Console, tell_result
from caesura.learn.run import Data, Kept, Result, Run
from caesura.options import Reading, option, options_of

__all__ = ["Treebanks", "experiment", "treebank_arguments"]

Command = Callable[..., Any]


@dataclass(frozen=True)
class Treebanks:
    """What commands that train on treebanks read and write."""

    dev: tuple[str, ...] = option(
        (), "Dev data, scored after each epoch.", metavar="DEV", reads=True
    )
    output: str = option(
        "", "Write the model here.", name="-o --output", metavar="MODEL", required=True, writes=True
    )


@dataclass(frozen=True)
class Training:
    """What all commands that train take."""

    no_spaces: bool = option(
        False, "The language is written without spaces.", commands="train pipeline, train tokenizer"
    )
    resume: bool = option(False, "Go on with an interrupted run to the same result.")
    anew: bool = option(False, "Delete an interrupted run and start again.")
    config: Path | None = option(
        None, "Read options from this file.", metavar="FILE.toml", reads=True
    )
    settings: tuple[str, ...] = option(
        (),
        "Set one option, e.g. --set {example}; wins over --config. May be repeated.",
        name="--set",
        metavar="OPTION=VALUE",
    )


def treebank_arguments(function: Command) -> Command:
    """TRAIN…, --dev and -o."""
    made = options("train", files=Treebanks)(function)
    return click.argument("train", metavar="TRAIN…", nargs=-1, required=True)(made)


def experiment(
    name: str, defaults: Any, *, example: str, kept: Sequence[str], headings: bool = False
) -> Callable[[Command], Command]:
    """The command `name` from a function that takes a `Run` and the options of the command's own.

    Its options are those of `defaults`; `example` is one of them for the help of `--set`; `kept`
    names the checkpoints by the output, such as `{output}.checkpoint`.
    """
    found = options_of(defaults)

    def decorate(function: Callable[..., Result]) -> Command:
        @functools.wraps(function)
        def command(
            *,
            files: Treebanks,
            training: Training,
            reading: Reading,
            as_json: bool,
            train: Sequence[str] = (),
            **own: Any,
        ) -> None:
            chosen = {}
            for path, one in found.items():
                value = own.pop(one.parameter)
                if given(one.parameter) and value is not None:
                    chosen[path] = value if one.option.value is None else one.option.value
            paths = [Path(pattern.format(output=files.output)) for pattern in kept]
            here = Kept(paths, resume=training.resume, anew=training.anew)
            data = Data(
                input_paths(train),
                input_paths(files.dev) if files.dev else (),
                reading.from_format,
                skip_bad=reading.skip_bad,
                strict=reading.strict,
                encoding=reading.encoding,
                space=not training.no_spaces,
            )
            quiet = reading.quiet
            with Console(quiet=quiet, headings=headings) as report:
                run = Run(
                    files.output, data, training.config, training.settings, chosen, here, report
                )
                try:
                    result = function(run, **own)
                except KeyboardInterrupt:
                    raise interrupted(here) from None
            plain = result.plain()
            tell_result(
                files.output, plain["next"], scores=result.scores, what=result.what, quiet=quiet
            )
            if as_json:
                print_json(plain)

        made = options(name, example, training=Training, reading=Reading)(json_option(command))
        for one in reversed(found.values()):
            made = click_option(one)(made)
        return made

    return decorate
