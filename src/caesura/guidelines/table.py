"""What the guidelines of Universal Dependencies leave to each language, learned from treebanks.

A table holds the lemmas of auxiliaries and copulas, the features of each UPOS, and the tags of
closed-class words. It is a small JSON file. A rule that a treebank's own annotation violates in
more than 0.5% of its cases is off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from caesura.durable import replacing
from caesura.errors import InputError
from caesura.models.file import ModelFile, Part

__all__ = [
    "DEPENDENTS_OF",
    "GENERAL",
    "NOMINALS",
    "NOMINAL_RELATIONS",
    "PART",
    "RIGHTWARD",
    "UPOS",
    "UPOS_OF",
    "VERSION",
    "Guidelines",
    "Tables",
    "base",
    "encoded",
    "load",
    "names",
    "part_of",
    "save",
]

VERSION: Final = 1
#: The name and kind of the part of a model file.
PART: Final = "guidelines"
_REMEDY: Final = "Make the table again with caesura validate --learn."
Sets = dict[str, frozenset[str]]


def names(spaced: str) -> frozenset[str]:
    """A set of names that are written with spaces between them."""
    return frozenset(spaced.split())


UPOS: Final = names(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
)
_NO_MARKER: Final = UPOS - {"ADJ", "AUX", "DET", "NUM", "PRON", "PROPN"}
#: The UPOS that a relation may have; other relations may have any.
UPOS_OF: Final[dict[str, frozenset[str]]] = {
    "advmod": names("ADJ ADV CCONJ DET PART SYM"),
    "aux": frozenset({"AUX"}),
    "case": _NO_MARKER,
    "cc": _NO_MARKER - {"INTJ", "NOUN", "VERB"},
    "cop": names("AUX DET PRON SYM"),
    "det": frozenset({"DET", "PRON"}),
    "expl": names("DET PART PRON"),
    "fixed": UPOS - {"PROPN"},
    "mark": _NO_MARKER - {"INTJ", "NOUN"},
    "nummod": names("NOUN NUM SYM"),
    "punct": frozenset({"PUNCT"}),
}
_FEW: Final = names("conj fixed goeswith punct reparandum")
_MARKED: Final = _FEW | {"cc", "advmod", "obl"}
#: The dependents that a function word may have, and the identifier of the rule.
DEPENDENTS_OF: Final[dict[str, tuple[str, frozenset[str]]]] = {
    "aux": ("leaf-aux-cop", _FEW | {"cc"}),
    "case": ("leaf-mark-case", _MARKED),
    "cc": ("leaf-cc", _FEW),
    "clf": ("leaf-clf", _MARKED),
    "cop": ("leaf-aux-cop", _FEW | {"cc"}),
    "det": (
        "leaf-det",
        _MARKED | names("case clf compound det discourse flat parataxis"),
    ),
    "fixed": ("leaf-fixed", _FEW - {"fixed"}),
    "goeswith": ("leaf-goeswith", frozenset()),
    "mark": ("leaf-mark-case", _MARKED),
    "punct": ("leaf-punct", frozenset({"punct"})),
}
#: Relations whose head comes before the dependent.
RIGHTWARD: Final = names("appos conj fixed flat goeswith")
#: Relations of a nominal that is no predicate, unless it has a copula or a subject.
NOMINAL_RELATIONS: Final = names("dislocated expl iobj nmod nsubj obj obl vocative")
NOMINALS: Final = names("NOUN PRON PROPN")


def base(relation: str) -> str:
    """A relation without its subtype."""
    return relation.partition(":")[0]


@dataclass(frozen=True, kw_only=True)
class Guidelines:
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
    features: Sets = field(default_factory=dict)
    #: The tags that closed-class words are used with.
    closed: Sets = field(default_factory=dict)
    #: Forms with letters or digits that are punctuation.
    punctuation: frozenset[str] = frozenset()

    @classmethod
    def of(cls, content: Any, name: str) -> Guidelines:
        """The table with this content of a JSON file."""
        values = _object(content, name)
        found: dict[str, Any] = {}
        for one in fields(cls):
            value = values.pop(one.name, None)
            if value is None:
                continue
            if one.name in ("version", "words"):
                if not isinstance(value, int):
                    raise _damaged(f"{one.name} is no number", name)
                found[one.name] = value
            elif one.name in ("features", "closed"):
                sets = _object(value, name).items()
                found[one.name] = {key: _strings(some, name) for key, some in sets}
            else:
                found[one.name] = _strings(value, name)
        if values:
            raise _damaged(f"{min(values)!r} is unknown", name)
        return cls(**found)

    def content(self) -> dict[str, Any]:
        """What a JSON file holds of the table; equal tables give equal content."""

        def plain(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: sorted(some) for key, some in sorted(value.items())}
            return sorted(value) if isinstance(value, frozenset) else value

        return {one.name: plain(getattr(self, one.name)) for one in fields(self)}


#: The rules that hold for every language.
GENERAL: Final = Guidelines()


def load(path: str | os.PathLike[str]) -> Guidelines:
    """Read a guideline table."""
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=name) from None
    return Guidelines.of(_read(data, name), name)


def save(table: Guidelines, path: str | os.PathLike[str]) -> None:
    """Write a guideline table; equal tables give equal bytes."""
    with replacing(path) as stream:
        stream.write(json.dumps(table.content(), indent=1, ensure_ascii=False).encode() + b"\n")


class Tables:
    """Guideline tables by language, each checked when it is needed."""

    def __init__(self, tables: Mapping[str, Any], name: str = "") -> None:
        self._tables, self._name = tables, name

    @classmethod
    def of(cls, model: ModelFile) -> Tables:
        """The tables of a model: in its file, or else in the folder of its file."""
        if PART in model.parts:
            data = model.parts[PART].array("tables", np.uint8, (None,)).tobytes()
            return cls._decoded(data, model.path)
        return cls.beside(model.path) if model.path else cls({})

    @classmethod
    def beside(cls, model: str | os.PathLike[str]) -> Tables:
        """The tables in the folder of a model file; none if there is no such file."""
        path = Path(model).parent / "guidelines.json"
        name = os.fspath(path)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return cls({})
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", file=name) from None
        return cls._decoded(data, name)

    @classmethod
    def _decoded(cls, data: bytes, name: str) -> Tables:
        return cls(_object(_read(data, name).get("tables"), name), name)

    def get(self, language: str) -> Guidelines | None:
        """The table of a language."""
        content = self._tables.get(language)
        return None if content is None else Guidelines.of(content, self._name)

    def of_model(self, language: str | None) -> Guidelines | None:
        """The table of a model of one language, which a model file keeps without its name."""
        return self.get("") or self.get((language or "").partition("-")[0])


def encoded(tables: Mapping[str, Guidelines]) -> bytes:
    """The JSON of tables by language; equal tables give equal bytes."""
    content = {code: table.content() for code, table in sorted(tables.items())}
    return json.dumps({"version": VERSION, "tables": content}, ensure_ascii=False).encode() + b"\n"


def part_of(table: Guidelines) -> Part:
    """The part of a model file with the table of its language."""
    return Part(PART, {}, {}, {"tables": np.frombuffer(encoded({"": table}), np.uint8)})


def _read(data: bytes, name: str) -> dict[str, Any]:
    """The content of a JSON file of this version."""
    try:
        content = _object(json.loads(data), name)
    except (ValueError, RecursionError) as error:
        raise _damaged(str(error), name) from None
    version = content.get("version")
    if isinstance(version, int) and version != VERSION:
        what = f"is a guideline table of version {version}; this release reads {VERSION}"
        raise InputError(what, file=name, remedy=_REMEDY)
    return content


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _damaged("an object is missing", name)
    return dict(value)


def _strings(value: Any, name: str) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _damaged("a list of strings is missing", name)
    return frozenset(value)


def _damaged(what: str, name: str) -> InputError:
    return InputError(f"is no guideline table ({what})", file=name, remedy=_REMEDY)
