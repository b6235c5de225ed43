"""What the guidelines of Universal Dependencies leave to each language, learned from treebanks.

A table holds the lemmas of auxiliaries and copulas, the features of each UPOS, and the tags of
closed-class words. It is a small JSON file. A rule that a treebank's own annotation violates in
more than 0.5% of its cases is off.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from caesura.durable import replacing
from caesura.errors import InputError

__all__ = ["GENERAL", "VERSION", "Guidelines", "load", "names", "save"]

VERSION: Final = 1
Sets = dict[str, frozenset[str]]


def names(spaced: str) -> frozenset[str]:
    """A set of names that are written with spaces between them."""
    return frozenset(spaced.split())


class Guidelines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The guideline table of a language."""

    version: int = VERSION
    #: Words that the table was learned from.
    words: int = 0
    #: Identifiers of rules that are not checked.
    off: frozenset[str] = frozenset()
    #: Lemmas of words with the tag AUX, and of copulas; an empty set switches the rule off.
    auxiliaries: frozenset[str] = frozenset()
    copulas: frozenset[str] = frozenset()
    #: The features (`Case=Nom`) that a UPOS is used with; empty: any.
    features: Sets = {}
    #: The tags that closed-class words are used with.
    closed: Sets = {}
    #: Forms with letters or digits that are punctuation.
    punctuation: frozenset[str] = frozenset()


#: The rules that hold for every language.
GENERAL: Final = Guidelines()


def load(path: str | os.PathLike[str]) -> Guidelines:
    """Read a guideline table."""
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=name) from None
    remedy = "Make the table again with caesura validate --learn."
    try:
        version = msgspec.json.decode(data, type=dict[str, object]).get("version")
        if isinstance(version, int) and version != VERSION:
            what = f"is a guideline table of version {version}; this release reads {VERSION}"
            raise InputError(what, file=name, remedy=remedy)
        return msgspec.json.decode(data, type=Guidelines)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is no guideline table ({error})", file=name, remedy=remedy) from None


def save(table: Guidelines, path: str | os.PathLike[str]) -> None:
    """Write a guideline table; equal tables give equal bytes."""
    data = msgspec.json.format(msgspec.json.encode(table, order="deterministic"), indent=1)
    with replacing(path) as stream:
        stream.write(data + b"\n")
