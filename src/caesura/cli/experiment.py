"""What all commands that train have in common: their files, options, checkpoints and reports.

`experiment` makes a command of a function from a `Run` to a `Result`. Flags are those that the
options declare (`caesura.learn.flags`); one that was not given changes nothing, so that `--config`
and `--set` are not overruled by the default of a flag.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from caesura.cli.console import print_json
from caesura.cli.files import input_paths
from caesura.cli.kept import interrupted
from caesura.cli.options import config_options, json_option, reading_options
from caesura.cli.refuse import given
from caesura.cli.training import Console, tell_result
from caesura.learn.flags import Flag, flags_of
from caesura.learn.run import Data, Kept, Result, Run

__all__ = ["experiment", "treebank_arguments"]

Command = Callable[..., Any]

_train_argument = click.argument("train", metavar="TRAIN…", nargs=-1, required=True)
_dev_option = click.option(
    "--dev", metavar="DEV", multiple=True, help="Dev data, scored after each epoch."
)
_output_option = click.option(
    "-o", "--output", required=True, metavar="MODEL", help="Write the model here."
)
_resume_option = click.option(
    "--resume", is_flag=True, help="Go on with an interrupted run to the same result."
)
_anew_option = click.option(
    "--anew", is_flag=True, help="Delete an interrupted run and start again."
)


def treebank_arguments(function: Command) -> Command:
    """TRAIN…, --dev and -o."""
    return _train_argument(_dev_option(_output_option(function)))


def experiment(
    options: Any, *, example: str, kept: Sequence[str], headings: bool = False
) -> Callable[[Command], Command]:
    """A command from a function that takes a `Run` and the options of the command's own.

    The flags are those of `options` (with their defaults); `example` is one of them for the help of
    `--set`; `kept` names the checkpoints by the output, such as `{output}.checkpoint`.
    """
    declared = flags_of(options)
    flags = {_parameter(path, told): (path, told) for path, (told, _) in declared.items()}

    def decorate(function: Callable[..., Result]) -> Command:
        @functools.wraps(function)
        def command(
            *,
            output: str,
            config: Path | None,
            settings: Sequence[str],
            from_format: str | None,
            skip_bad: bool,
            strict: bool,
            quiet: bool,
            as_json: bool,
            resume: bool,
            anew: bool,
            train: Sequence[str] = (),
            dev: Sequence[str] = (),
            no_spaces: bool = False,
            encoding: str = "utf-8",
            **own: Any,
        ) -> None:
            chosen = {}
            for name, (path, told) in flags.items():
                value = own.pop(name)
                if given(name) and value is not None:
                    chosen[path] = value if told.value is None else told.value
            paths = [Path(pattern.format(output=output)) for pattern in kept]
            here = Kept(paths, resume=resume, anew=anew)
            data = Data(
                input_paths(train),
                input_paths(dev) if dev else (),
                from_format,
                skip_bad=skip_bad,
                strict=strict,
                encoding=encoding,
                space=not no_spaces,
            )
            with Console(quiet=quiet, headings=headings) as report:
                run = Run(output, data, config, settings, chosen, here, report)
                try:
                    result = function(run, **own)
                except KeyboardInterrupt:
                    raise interrupted(here) from None
            plain = result.plain()
            tell_result(output, plain["next"], scores=result.scores, what=result.what, quiet=quiet)
            if as_json:
                print_json(plain)

        made: Command = _resume_option(_anew_option(command))
        made = config_options(example)(reading_options(json_option(made)))
        hints = _types(options)
        for path, (told, default) in reversed(declared.items()):
            made = _option(path, told, hints[path], default)(made)
        return made

    return decorate


def _parameter(path: str, told: Flag) -> str:
    """What click calls a flag."""
    name = told.name.removeprefix("--") or path.rpartition(".")[2]
    return name.replace("-", "_")


def _types(options: Any) -> dict[str, Any]:
    """The types of all flags, by their dotted names."""
    hints = typing.get_type_hints(type(options))
    found = {}
    for path in flags_of(options):
        name, _, rest = path.partition(".")
        found[path] = _types(getattr(options, name))[rest] if rest else hints[name]
    return found


def _option(path: str, told: Flag, kind: Any, default: Any) -> Callable[[Command], Command]:
    """A field of options as an option of a command."""
    name = told.name or "--" + path.rpartition(".")[2].replace("_", "-")
    more: dict[str, Any] = {"help": told.help, "metavar": told.metavar}
    if told.shown:
        more |= {"default": default, "show_default": True}
    if kind is bool or told.value is not None:
        more |= {"is_flag": True}
    elif told.choices:
        more |= {"type": click.Choice(told.choices)}
    elif kind in (int, float):
        ranges = click.IntRange if kind is int else click.FloatRange
        free = told.least is None and told.most is None
        more |= {"type": kind if free else ranges(told.least, told.most)}
    return click.option(name, **more)
