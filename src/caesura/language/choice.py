"""Which model parses a language: one of that name, or one that knows many languages.

A language is named by its code (`da`, `da-DK`, `dan`) or in English (`Danish`). What has a model of
its own (English) is parsed by that; any other by an installed model whose meta data name it among
their `languages`. What nobody has is told, with the nearest language that somebody has.
"""

from __future__ import annotations

import contextlib
import os
from typing import Final, NamedTuple

from caesura.errors import ModelError, UsageError
from caesura.language.box import BOX, PACKAGE, UNKNOWN, code_of, nearest
from caesura.language.guess import language_name
from caesura.models.store import install, installed, load_model
from caesura.paths import MODEL_SUFFIX

__all__ = ["DEFAULT", "Choice", "choose_model", "many_models", "named_language"]

#: What is taken if neither model nor language is named.
DEFAULT: Final = "en"


class Choice(NamedTuple):
    """A model, and the language to ask of it; nothing where it has but one or finds out."""

    model: str | os.PathLike[str]
    language: str = ""


def choose_model(model: str | os.PathLike[str] | None = None, lang: str | None = None) -> Choice:
    """The model for what was named: a model, a language, both or nothing."""
    if lang is not None and not isinstance(lang, str):
        raise UsageError("a language is named by a string", remedy="Give a code, such as da.")
    if lang is not None:
        code = named_language(lang)
        if model is not None:
            return Choice(model, code)
        return _of_language(code)
    if model is None:
        return Choice(DEFAULT)
    if not isinstance(model, str) or _is_model(model):
        return Choice(model)
    found = code_of(model)
    return Choice(model) if found is None else _of_language(found)


def named_language(lang: str) -> str:
    """The code of a language that somebody named; what is none is told of."""
    found = code_of(lang)
    if found is None:
        raise UsageError(
            f"{lang!r} is no language that is known here",
            remedy=f"Give a code of ISO 639, such as da. Languages of {PACKAGE}: {', '.join(BOX)}.",
        )
    return found


def _is_model(name: str) -> bool:
    """Whether this is the path of a file or the name of an installed model."""
    if name.endswith(MODEL_SUFFIX) or os.sep in name or "/" in name or os.path.isfile(name):
        return True
    return any(entry.name == name for entry in installed())


def many_models() -> list[tuple[str, tuple[str, ...]]]:
    """The installed models that know many languages, and which; broken ones are passed over."""
    many: list[tuple[str, tuple[str, ...]]] = []
    for entry in installed():
        if entry.trouble:
            continue
        with contextlib.suppress(ModelError):
            told = load_model(entry.path, arrays=False).meta.get("languages")
            if isinstance(told, list):
                many.append((entry.name, tuple(map(str, told))))
    return many


def _of_language(code: str) -> Choice:
    names = {entry.name for entry in installed()}
    if code in names:
        return Choice(code)
    many = many_models()
    for name, known in many:
        if code in known or code == UNKNOWN:
            return Choice(name, code)
    raise _nobody(code, many)


def _nobody(code: str, many: list[tuple[str, tuple[str, ...]]]) -> ModelError:
    """What to say about a language that no installed model has."""
    said = f"{language_name(code)} ({code})"
    if not many and (code in BOX or code == UNKNOWN):
        return ModelError(
            f"there is no model for {said}",
            remedy=f"{len(BOX)} languages are in one model: {install('multi')}",
        )
    name, known = many[0] if many else (PACKAGE, BOX)
    near = nearest(code, known)
    what = f"there is no model for {said}"
    first = "" if many else f"To install {PACKAGE}: {install('multi')}. "
    if near:
        named = ", ".join(f"{language_name(one)} ({one})" for one in near)
        way = f"{first}The nearest that {name} has: {named}; --lang {near[0]} takes it for that."
    else:
        way = f"{first}{name} has nothing near it."
    return ModelError(
        what,
        remedy=f"{way} With --lang {UNKNOWN} it is parsed as a language that was never learned, "
        "of which little may be expected. Or train one: caesura train pipeline.",
    )
