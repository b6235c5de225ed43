"""Which model a command takes: the one that is named, that of a language, or that of the text.

English has models of its own, and they are taken unless something else is named. If a model of many
languages is installed, and what is read is plainly not English, that one is taken instead.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

import click

from caesura.errors import CaesuraError
from caesura.language.choice import DEFAULT, Choice, choose_model, many_models
from caesura.language.guess import Tally, language_name, other
from caesura.options import ModelChoice
from caesura.pipeline.jobs import Source

__all__ = ["take_model"]

#: Files that are looked at, and bytes of each.
_FILES: Final = 20
_BYTES: Final = 8000


def take_model(named: ModelChoice, sources: Iterable[Source], *, quiet: bool = False) -> Choice:
    """The model for some files; on stderr, if it is neither named nor the default."""
    if named.model is not None or named.lang is not None:
        return choose_model(named.model, named.lang)
    many = many_models()
    if not many:
        return Choice(DEFAULT)
    found = _foreign(sources, many[0][0])
    if found is None:
        return Choice(DEFAULT)
    if not quiet:
        file, language = found
        click.echo(f"{file} is in {language}: the model {many[0][0]} is taken.", err=True)
    return Choice(many[0][0])


def _foreign(sources: Iterable[Source], model: str) -> tuple[str, str] | None:
    """The first file that is not in English, and its language."""
    recogniser = None
    for number, source in enumerate(sources):
        if number == _FILES:
            break
        text = _head(source)
        tally = Tally()
        tally.add(text)
        paragraphs = text.split("\n\n")
        plain = tally.language() == DEFAULT and not any(other(own, DEFAULT) for own in paragraphs)
        if not text.strip() or plain:
            continue
        if recogniser is None:
            from caesura.stages.several_tokenizers import recogniser_of

            recogniser = recogniser_of(model)
        for region in recogniser.regions(text):
            own = text[region.start : region.end]
            found = recogniser.is_plainly_other(own, DEFAULT)
            if found is not None:
                return source.shown, language_name(found)
        if recogniser.of(text).language is None and tally.other(DEFAULT) is not None:
            return source.shown, "another language"
    return None


def _head(source: Source) -> str:
    """The beginning of a text; nothing of what is no text, or cannot be looked at."""
    if source.format != "text":
        return ""
    try:
        if source.path != "-":
            with open(source.path, "rb") as stream:
                return stream.read(_BYTES).decode("utf-8", "ignore")
        waiting = sys.stdin.buffer
        if sys.stdin.isatty() or not hasattr(waiting, "peek"):
            return ""
        return str(waiting.peek(_BYTES)[:_BYTES].decode("utf-8", "ignore"))
    except (OSError, ValueError, CaesuraError):
        return ""  # the reader reports it
