"""One small tree of exceptions; each carries what went wrong, where, and the remedy.

CaesuraError
├── InputError      the data are bad: a file, a line, a text (exit status 1)
│   └── FormatError     a line of a file does not follow its format
├── ModelError      a model file is missing, broken, of another kind or version (exit status 1)
├── UsageError      the call is wrong: an option, a combination of options (exit status 2)
├── MissingExtra    an optional package is not installed (exit status 1)
└── InternalError   Caesura itself is at fault (exit status 1)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

__all__ = [
    "DISTRIBUTION",
    "CaesuraError",
    "CaesuraWarning",
    "FormatError",
    "InputError",
    "InternalError",
    "MissingExtra",
    "ModelError",
    "OtherLanguage",
    "RenamedModel",
    "UsageError",
    "Where",
    "internal",
    "kind_of",
    "no_modes",
    "outside",
    "shown",
]

#: What `pip` installs; the name of the import belongs to another package on the index.
DISTRIBUTION: Final = "caesura-nlp"


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file; lines and columns count from 1."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    sent_id: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
            if self.column is not None:
                place += f":{self.column}"
        return place


class CaesuraError(Exception):
    """What went wrong, where, and what to do about it, as one sentence."""

    exit_status = 1

    def __init__(
        self,
        what: str,
        *,
        remedy: str = "",
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        sent_id: str | None = None,
    ) -> None:
        self.what = what
        self.remedy = remedy
        self.where = Where(file, line, column, sent_id)
        super().__init__(what)

    def __str__(self) -> str:
        return _sentence(self.where, self.what, self.remedy)


class InputError(CaesuraError):
    """The data given to Caesura are bad."""


class FormatError(InputError):
    """A line of a file does not follow its format."""


class ModelError(CaesuraError):
    """A model file is missing, broken, of another kind or of another version."""


class UsageError(CaesuraError):
    """The call itself is wrong."""

    exit_status = 2


class MissingExtra(CaesuraError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed",
            remedy=f'Install it with: pip install "{DISTRIBUTION}[{extra}]"',
        )


class InternalError(CaesuraError):
    """Something that cannot be has happened: the fault is in Caesura, not in the data."""

    def __init__(self, what: str, *, file: str | None = None) -> None:
        super().__init__(
            what,
            file=file,
            remedy="This is a mistake of Caesura: please report it, with the files if you can "
            "(CAESURA_TRACEBACK=1 shows all of it).",
        )


def internal(error: Exception, file: str | None = None) -> CaesuraError:
    """What nobody thought of, as an error of the file at which it happened; its cause is kept."""
    if isinstance(error, CaesuraError):
        return error
    if isinstance(error, MemoryError):
        what, remedy = "needs more memory than there is", "Cut it into smaller files."
        found: CaesuraError = InputError(what, file=file, remedy=remedy)
    else:
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        place = ""
        if at is not None:
            name = at.tb_frame.f_globals.get("__name__", "?")
            place = f" in {name}, line {at.tb_lineno}"
        told = f"{type(error).__name__}{place}: {error}" if str(error) else type(error).__name__
        found = InternalError(f"an internal error ({told})", file=file)
    found.__cause__ = error
    return found


@dataclass(frozen=True, slots=True)
class CaesuraWarning:
    """Something odd in the data that does not stop the work; the data are kept as they are."""

    what: str
    where: Where = Where()
    remedy: str = ""

    def __str__(self) -> str:
        return _sentence(self.where, self.what, self.remedy)


def kind_of(value: object) -> str:
    """What somebody gave instead of what was wanted, for messages."""
    return "None" if value is None else f"a value of the type {type(value).__name__}"


def no_modes(asked: str, choose: str, search: str) -> UsageError:
    """What became of the modes, for those who still ask for one, in a shell or in Python."""
    return UsageError(
        f"there is no {asked} any more: the model is the choice",
        remedy=f"{choose} en-fast for speed, en for accuracy; {search} the search.",
    )


class OtherLanguage(UserWarning):
    """A text is in another language than the model: a warning of Python, given once a model."""


class RenamedModel(UserWarning):
    """A model is asked for by a name that it once had: a warning of Python, given once a name."""


def outside() -> int:
    """The stack level, for a warning of the one who asks, of the first caller outside Caesura."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("caesura."):
        level, frame = level + 1, frame.f_back
    return level


#: A function that is told of each warning while a file is read.
WarningSink = Callable[[CaesuraWarning], None]


#: What a terminal would obey instead of showing: control characters, line ends among them, and the
#: marks that turn the direction of what follows.
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
#: The most characters of a fact or a remedy; a value that it quotes may be of any length.
_LONG: Final = 600


def shown(text: str) -> str:
    """Text of others as it may be shown: one line, and nothing that a terminal obeys."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def _sentence(where: Where, what: str, remedy: str) -> str:
    place = str(where)
    if len(what) > _LONG:
        what = f"{what[: _LONG // 2]} … {what[-_LONG // 3 :]}"
    text = f"{place}: {what}" if place else what
    if where.sent_id:
        text += f" (sent_id {where.sent_id[:_LONG]})"
    text = shown(text).rstrip(".") + "."
    return f"{text} {shown(remedy)}".rstrip() if remedy else text
