"""Options, each declared once: a field of a frozen dataclass with its help, range and spelling.

`epochs: int = option(10, "Passes over the data.", least=1)` is a field like any other. The command
line (`caesura.cli.options`), TOML files (`caesura.learn.config`), the keywords of Python functions
(`asks`) and the reference pages derive from it. `Request` is what a caller asks of a model; one
goes from every entry point to the stages. This module imports nothing that a command line without
a command does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from inspect import Parameter, signature
from typing import Any, Final, NamedTuple, Self, TypedDict, TypeVar

from caesura.errors import UsageError

__all__ = [
    "COLOR",
    "CONFIDENT",
    "DEVICE",
    "EPOCHS",
    "GUIDELINES",
    "KEEP",
    "PLAIN",
    "SEED",
    "THREADS",
    "WIDTH",
    "Asked",
    "AskedLines",
    "AskedMarked",
    "AskedPlain",
    "Declared",
    "Fields",
    "ModelChoice",
    "Option",
    "Reading",
    "Request",
    "Running",
    "Writing",
    "asks",
    "check_options",
    "declared",
    "help_of",
    "inner",
    "option",
    "options_of",
]

F = TypeVar("F", bound=Callable[..., Any])
_OPTION: Final = "option"
_INNER: Final = "options inside"


@dataclass(frozen=True, slots=True)
class Option:
    """How a field is written on a command line."""

    help: str
    #: Its spellings, separated by spaces, if they are not the field's name: `-o --output`.
    name: str = ""
    least: float | None = None
    most: float | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    #: The option takes no value, but stands for this one.
    value: Any = None
    #: Whether the help shows the default.
    shown: bool = False
    required: bool = False
    #: The commands that have it, separated by commas; empty: all that take its group.
    commands: str = ""
    #: Whether it names a file to read, or one to write, which must not be one that is read.
    reads: bool = False
    writes: bool = False
    #: A function, `module:name`, that returns the value or refuses it.
    check: str = ""
    #: Whether choices are taken in any case.
    fold: bool = False
    #: One option without a value for each of these names, with its help: `--keep-tokens`.
    switches: Mapping[str, str] = field(default_factory=dict)
    #: The switches of a command that does not have all of them.
    some: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def offered(self, command: str) -> bool:
        """Whether a command has this option."""
        names = self.commands.split(", ")
        return not self.commands or command in names or command.split(" ")[0] in names


class Declared(NamedTuple):
    """A declared option: its dotted path, what the command line calls it, type and default."""

    path: str
    parameter: str
    option: Option
    kind: str
    default: Any


def option(default: Any, help: str, **more: Any) -> Any:
    """A field with a default that is an option of commands; see `Option` for the keywords."""
    return field(default=default, metadata={_OPTION: Option(help, **more)})


def inner(factory: Callable[[], Any], names: Mapping[str, str]) -> Any:
    """A field of further options, some of which are options of the same commands.

    `names` maps them to their help; an empty one stands for the help of the field.
    """
    return field(default_factory=factory, metadata={_INNER: dict(names)})


def declared(group: Any, command: str = "") -> Iterator[Declared]:
    """The options that a dataclass declares for a command, in order."""
    for one in fields(group):
        found: Option | None = one.metadata.get(_OPTION)
        if found is not None and found.offered(command):
            yield Declared(one.name, one.name, found, _kind(one), one.default)


def options_of(options: Any) -> dict[str, Declared]:
    """All options of an instance by their dotted paths (`search.beam`), each with its default.

    >>> @dataclass(frozen=True)
    ... class Options:
    ...     epochs: int = option(10, "Passes over the data.", least=1)
    ...     rate: float = 0.1
    >>> [(name, one.option.help, one.default) for name, one in options_of(Options()).items()]
    [('epochs', 'Passes over the data.', 10)]
    """
    found: dict[str, Declared] = {}
    for one in fields(options):
        value = getattr(options, one.name)
        if own := one.metadata.get(_OPTION):
            found[one.name] = Declared(one.name, _spelled(own, one.name), own, _kind(one), value)
        names = one.metadata.get(_INNER, {})
        inside = options_of(value) if names else {}
        for name, help in names.items():
            own = inside[name].option
            own = replace(own, help=help) if help else own
            path = f"{one.name}.{name}"
            found[path] = inside[name]._replace(path=path, option=own)
    return found


def _spelled(option: Option, name: str) -> str:
    return option.name.lstrip("-").replace("-", "_") or name


def _kind(one: Field[Any]) -> str:
    kind = one.type if isinstance(one.type, str) else one.type.__name__
    return kind.removesuffix(" | None")


# ------------------------------------------------------------ shared declarations

EPOCHS: Final[dict[str, Any]] = {"help": "Passes over the data.", "least": 1}
SEED: Final[dict[str, Any]] = {
    "help": "Random seed: same seed, same input, same bytes out.",
    "least": 0,
    "shown": True,
}
THREADS: Final[dict[str, Any]] = {
    "help": "Threads; the result does not depend on them.",
    "name": "--threads",
    "least": 1,
    "shown": True,
}
DEVICE: Final[dict[str, Any]] = {
    "help": "Run a network on the processor or on a graphics card (needs PyTorch).",
    "choices": ("cpu", "cuda"),
}
GUIDELINES: Final[dict[str, Any]] = {
    "help": "Whether trees and tags obey the guidelines of UD, where the model knows them  "
    "[default: on]",
    "choices": ("on", "off"),
}
COLOR: Final[dict[str, Any]] = {
    "help": "Colours in text; else if stdout is a terminal.",
    "name": "--color/--no-color",
}
WIDTH: Final[dict[str, Any]] = {
    "help": "Width of pictures in pixels; longer sentences go on in the next row.",
    "least": 200,
    "most": 20_000,
    "shown": True,
}
#: What can be kept of the input.
KEEP: Final = {
    "tokens": "Keep the tokens and words of the input.",
    "sentences": "Keep the sentence boundaries of the input.",
    "tags": "Keep the tags of the input, where there are some.",
    "lemmas": "Keep the lemmas of the input, where there are some.",
    "heads": "Keep the heads and relations of the input, where there are some.",
}
#: Formats that can hold confidences.
CONFIDENT: Final = ("conllu", "jsonl", "spacy", "parquet")
_SEARCH: Final = (
    "beam",
    "margin",
    "bias",
    "device",
    "language",
    "regime",
    "threshold",
    "guidelines",
)


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks of a model. It goes from every entry point to the stages."""

    beam: int | None = option(None, "Width of the beam.", least=1, metavar="N", commands="parse")
    margin: float | None = option(
        None,
        "Open the beam where the best choice leads by no more than M.",
        metavar="M",
        commands="parse",
    )
    bias: float | None = option(
        None,
        "More sentence boundaries (1: about twice as many) or fewer (-1: about half); "
        "from -2 to 2.",
        metavar="X",
        check="caesura.stages.bias:check_bias",
        commands="parse, split",
    )
    regime: str | None = option(
        None,
        "Tag sentence by sentence or whole documents  [default: by what the input has]",
        choices=("auto", "sentences", "document"),
        commands="tag",
    )
    threshold: float | None = option(
        None,
        "For a boundary labeller: start a sentence where the probability reaches this.",
        least=0.0,
        most=1.0,
        commands="tag",
    )
    #: The language of the texts, for a model of many; empty: it is recognised.
    language: str | None = None
    #: What of the input is fixed: names of `KEEP`. All else is found anew.
    keep: tuple[str, ...] = option(
        (),
        "",
        switches=KEEP,
        some={"tokenize": ("tokens", "sentences"), "clauses": ("sentences", "heads")},
        commands="parse, tokenize, clauses",
    )
    newline_is_boundary: bool = option(
        False, "Every line ends a sentence.", commands="parse, split, tokenize"
    )
    across_turns: bool = option(
        False,
        "Transcripts: let a sentence go on where another speaker begins.",
        commands="parse, split, tokenize, tag",
    )
    quick: bool = option(
        False,
        "Use the boundary scorer alone, without trees: many times faster, a little less accurate.",
        commands="split",
    )
    within: int | None = option(
        None,
        "Print a sentence at most N words after its end, as text comes from a pipe.",
        least=2,
        metavar="N",
        commands="split",
    )
    confidence: bool = option(
        False, "Write confidences (CoNLL-U, JSON Lines, spaCy, Parquet).", commands="parse, tag"
    )
    k_best: int | None = option(
        None,
        "Write the N best analyses of each document, as documents of their own.",
        least=1,
        metavar="N",
        commands="parse",
    )
    device: str | None = option(None, **DEVICE, commands="parse, split")
    guidelines: str | None = option(None, **GUIDELINES, commands="parse")
    #: Whether documents are added to: all that no stage fills stays. Else they are analysed anew.
    added: bool = False
    #: Formats whose tokens are kept without being named.
    tokenised: tuple[str, ...] = ("tokens",)

    def __post_init__(self) -> None:
        if isinstance(self.keep, str):
            raise UsageError(
                f"`keep` is a list of names, not the string {self.keep!r}",
                remedy=f"Write keep=[{self.keep!r}].",
            )
        object.__setattr__(self, "keep", tuple(self.keep))
        if self.newline_is_boundary and "sentences" in self.keep:
            raise UsageError(
                "sentences are kept, or every line ends one: not both",
                remedy="Leave --keep-sentences or --newline-is-boundary out.",
            )

    @classmethod
    def of(cls, keywords: Mapping[str, Any], names: type) -> Self:
        """The request of the keywords of a Python function that takes those of a TypedDict."""
        for name in keywords:
            if name not in names.__annotations__:
                raise TypeError(f"got an unexpected keyword argument {name!r}")
        return cls(**keywords)

    @property
    def search(self) -> dict[str, Any]:
        """The options of the search that differ from the model's own."""
        chosen = {name: getattr(self, name) for name in _SEARCH}
        return {name: value for name, value in chosen.items() if value is not None}


def help_of(name: str) -> str:
    """The help text of an option of a request."""
    return next(one.option.help for one in declared(Request, "parse") if one.path == name)


#: The request without any option.
PLAIN: Final = Request()


class AskedLines(TypedDict, total=False):
    """Keywords of `split`: where sentences may not run on."""

    newline_is_boundary: bool
    across_turns: bool


class AskedPlain(AskedLines, total=False):
    """Keywords of `Pipeline.stream`."""

    confidence: bool


class AskedMarked(AskedLines, total=False):
    """Keywords of `Pipeline.k_best`."""

    keep: Iterable[str]


class Asked(AskedPlain, total=False):
    """Keywords of a pipeline, of `Pipeline.pipe` and `Pipeline.batch`."""

    keep: Iterable[str]


def asks(names: type) -> Callable[[F], F]:
    """Show the keywords of a TypedDict, with the defaults of `Request`, in a signature."""
    defaults = {one.name: one.default for one in fields(Request)}

    def decorate(function: F) -> F:
        known = signature(function)
        own = [one for one in known.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        for name, kind in names.__annotations__.items():
            kind = getattr(kind, "__forward_arg__", kind)
            own.append(
                Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=kind)
            )
        function.__signature__ = known.replace(parameters=own)  # type: ignore[attr-defined]
        return function

    return decorate


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of the fields of JSON and CSV, paths such as `a.b`; an empty one is none."""

    text: str = "text"
    speaker: str = ""
    start: str = ""
    end: str = ""


_NAMED: Final[dict[str, Any]] = {"metavar": "A.B", "commands": "parse, split, tokenize, convert"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read."""

    from_format: str | None = option(
        None,
        "Input format  [default: from the file extension]",
        name="--from",
        metavar="FORMAT",
        commands="parse, split, clauses, tokenize, tag, render, cluster, train, induce, align, "
        "inspect, validate, find, convert",
    )
    encoding: str = option(
        "utf-8",
        "Encoding of the input.",
        shown=True,
        commands="parse, split, clauses, tokenize, tag, cluster, induce, train pipeline, inspect, "
        "validate, find, convert",
    )
    errors: str = option(
        "strict",
        "Stop at bytes that are not of the encoding, or put U+FFFD.",
        choices=("strict", "replace"),
        shown=True,
        commands="parse, split, tokenize, tag",
    )
    mode: str | None = option(
        None,
        "Of text: what ends a paragraph (blank, line, none). "
        "Of tokens: what is on a line (sentence, token).",
        metavar="MODE",
        commands="convert",
    )
    text_field: str = option("", "JSON, CSV: the field with the text.", **_NAMED)
    speaker_field: str = option("", "JSON, CSV: the field with the speaker.", **_NAMED)
    start_field: str = option("", "JSON, CSV: the field with the start time.", **_NAMED)
    end_field: str = option("", "JSON, CSV: the field with the end time.", **_NAMED)
    skip_bad: bool = option(
        False,
        "Leave broken sentences out, and count them.",
        commands="parse, tokenize, tag, render, cluster, train, induce, align, inspect, find, "
        "convert, evaluate, compare",
    )
    strict: bool = option(
        False,
        "Treat warnings as errors.",
        commands="parse, tokenize, tag, render, cluster, train, induce, align, inspect, find, "
        "convert, evaluate, compare",
    )
    quiet: bool = option(False, "Suppress progress and warnings.", name="-q --quiet")

    @property
    def fields(self) -> Fields | None:
        """The names of the fields of JSON and CSV, if any is given."""
        names = ("text", "speaker", "start", "end")
        chosen = {name: own for name in names if (own := getattr(self, f"{name}_field"))}
        return Fields(**chosen) if chosen else None

    @property
    def how(self) -> dict[str, Any]:
        """The keywords of `formats.read`."""
        names = ("encoding", "errors", "mode", "skip_bad", "strict", "fields")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Writing:
    """Where results are written, and how."""

    to_format: str | None = option(
        None,
        "Output format  [default: from the file extension]",
        name="--to",
        metavar="FORMAT",
        commands="parse, tokenize, tag, convert",
    )
    output: str | None = option(
        None,
        "Write to this file, or one file for each input into this folder; else to stdout.",
        name="-o --output",
        metavar="FILE|DIR/",
        writes=True,
    )
    to_mode: str | None = option(
        None,
        "Of text: what ends a paragraph (blank, line, none). Of tokens: what is on a line "
        "(sentence, token). Of parquet: what a row is (word, sentence).",
        metavar="MODE",
        commands="parse, tokenize, tag, convert",
    )
    token_range: bool = option(
        False, "CoNLL-U: write TokenRange=start:end.", commands="parse, tokenize"
    )
    resume: bool = option(
        False,
        "With -o DIR/: pass over files that are done.",
        commands="parse, split, tokenize, tag",
    )


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that a command takes: by name or file, or by language."""

    model: str | None = option(
        None,
        "A model: name or file, or the code of a language.  "
        "[default: en, or one for the language of the text]",
        name="-m --model",
        metavar="MODEL",
        reads=True,
    )
    lang: str | None = option(
        None, "The language of the text, such as da; else it is recognised.", metavar="CODE"
    )


@dataclass(frozen=True, slots=True)
class Running:
    """What a model runs on."""

    threads: int = option(1, **THREADS)
    engine: str = option(
        "local",
        "Parse here, or on a Ray cluster (extra `ray`).",
        choices=("local", "ray"),
        shown=True,
        commands="parse",
    )


def check_options(
    options: Any,
    choices: Mapping[str, Iterable[str]] | None = None,
    **ranges: tuple[float, float | None],
) -> None:
    """Refuse options outside of their ranges (least, most), or that are none of their choices."""
    for name, (least, most) in ranges.items():
        value = getattr(options, name)
        if not value >= least or (most is not None and not value <= most):
            limits = f"at least {least}" if most is None else f"{least} to {most:,}"
            raise UsageError(f"{name} is {value}, but must be {limits}")
    for name, known in (choices or {}).items():
        if (value := getattr(options, name)) not in known:
            raise UsageError(f"{name} is {value!r}", remedy=f"It can be: {', '.join(known)}.")
