"""Options that several verbs share, so that they are spelled and explained the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from caesura.errors import no_modes

__all__ = [
    "across_turns_option",
    "bias_option",
    "config_options",
    "device_option",
    "encoding_options",
    "fields_options",
    "from_option",
    "inputs_argument",
    "json_option",
    "mode_option",
    "output_option",
    "quiet_option",
    "reading_options",
    "resume_option",
    "seed_option",
    "skip_bad_option",
    "strict_option",
    "threads_option",
    "to_mode_option",
    "to_option",
    "writing_options",
]

F = TypeVar("F", bound=Callable[..., Any])
_FIELDS = {
    "text": "the text",
    "speaker": "the speaker",
    "start": "the time from which",
    "end": "the time to which",
}

inputs_argument = click.argument("inputs", metavar="FILES…", nargs=-1)
"""Files to read; none means stdin, as does `-`."""

from_option = click.option(
    "--from",
    "from_format",
    metavar="FORMAT",
    help="Format of the input; else told by the extension of the file.",
)
to_option = click.option(
    "--to",
    "to_format",
    metavar="FORMAT",
    help="Format of the output; else told by the extension of the file.",
)
to_mode_option = click.option(
    "--to-mode",
    metavar="MODE",
    help="Of parquet: what a row is (word, sentence). "
    "Of tokens: what is on a line (sentence, token).",
)
output_option = click.option(
    "-o",
    "--output",
    "output",
    metavar="FILE|DIR/",
    help="Write to this file, or one file for each input into this folder; else to stdout.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Leave broken sentences out, and count them."
)
strict_option = click.option("--strict", is_flag=True, help="Treat warnings as errors.")
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Neither progress nor warnings on stderr."
)


def _bias(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse what is no bias before anything is loaded, here and not on a cluster."""
    from caesura.stages.bias import check_bias

    return None if value is None else check_bias(value)


bias_option = click.option(
    "--bias",
    type=float,
    callback=_bias,
    metavar="X",
    help="More sentence boundaries (1: about twice as many) or fewer (-1: about half); "
    "from -2 to 2.",
)


def _mode(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Say what became of the modes to those who still ask for one."""
    if value is not None:
        raise no_modes("--mode", "Use -m", "--beam and --margin of `caesura parse` set")


mode_option = click.option("--mode", hidden=True, expose_value=False, is_eager=True, callback=_mode)
across_turns_option = click.option(
    "--across-turns",
    is_flag=True,
    help="Transcripts: let a sentence go on where another speaker begins.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Random seed: same seed, same input, same bytes out.",
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Threads; the result does not depend on them.",
)
device_option = click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    help="Run a network on the processor or on a graphics card (needs PyTorch).",
)
resume_option = click.option(
    "--resume", is_flag=True, help="With -o DIR/: pass over files that are done."
)
_encoding_option = click.option(
    "--encoding", default="utf-8", show_default=True, help="Encoding of the input."
)
_errors_option = click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="Stop at bytes that are not of the encoding, or put U+FFFD.",
)
_config_option = click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.toml",
    help="Read options from this file.",
)


def config_options(example: str) -> Callable[[F], F]:
    """`--config FILE.toml` and `--set OPTION=VALUE`: see `caesura.learn.config.configure`.

    The example is one of the verb's own options, with a value.
    """
    set_option = click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="OPTION=VALUE",
        help=f"Set one option, e.g. --set {example}; wins over --config. May be repeated.",
    )
    return lambda function: _config_option(set_option(function))


def reading_options(function: F) -> F:
    """What every verb that reads documents takes: --from, --skip-bad, --strict, --quiet."""
    return from_option(skip_bad_option(strict_option(quiet_option(function))))


def encoding_options(function: F) -> F:
    """What every verb that runs a model over files takes: --encoding and --errors."""
    return _encoding_option(_errors_option(function))


def fields_options(function: F) -> F:
    """--text-field and so on, which name the fields of JSON and CSV, as one argument `fields`."""

    @wraps(function)
    def packed(*arguments: Any, **options: Any) -> Any:
        from caesura.formats import Fields

        named = {name: options.pop(f"{name}_field") for name in _FIELDS}
        given = {name: value for name, value in named.items() if value}
        return function(*arguments, fields=Fields(**given) if given else None, **options)

    for name, what in reversed(_FIELDS.items()):
        packed = click.option(
            f"--{name}-field", metavar="A.B", help=f"JSON, CSV: the field with {what}."
        )(packed)
    return packed  # type: ignore[return-value]


def writing_options(function: F) -> F:
    """What every verb that writes documents takes: --to and -o."""
    return to_option(output_option(function))
