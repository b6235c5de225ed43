"""From a model to its pipeline, and from a pipeline to a pickle.

A pipeline is pickled by the name or path of its model and a checksum, never by what is in it: other
processes load the model from the file, once each, and refuse one that was changed since.
"""

from __future__ import annotations

import contextlib
import copyreg
import gc
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Unpack

from caesura.errors import ModelError, UsageError, no_modes
from caesura.language.choice import choose_model
from caesura.language.guess import language_name, plain_code
from caesura.models.file import ModelFile
from caesura.models.store import find, holding, load_model, name_of
from caesura.options import AskedLines, Request, asks
from caesura.pipeline.core import Pipeline

__all__ = ["choose", "in_language", "load", "load_once", "one_part", "split"]


def load(
    model: str | os.PathLike[str] | None = None,
    *,
    lang: str | None = None,
    threads: int = 1,
    device: str = "cpu",
    mode: None = None,
) -> Pipeline:
    """The pipeline of a model: the name of an installed one, the path of a file, or a language.

    `lang` fixes the language of a model that knows many, which else finds out by itself. A network
    runs on the `device` "cpu" or "cuda" (needs PyTorch). A `mode` of an earlier version is
    refused.
    """
    if mode is not None:
        raise no_modes("mode=", "Load", "`with_search(beam=…, margin=…)` sets")
    chosen = choose_model(model, lang)
    with _uncollected():
        nlp = Pipeline(load_model(chosen.model), threads=threads, release=True)
    nlp = in_language(nlp, chosen.language)
    return nlp if device == "cpu" else nlp.with_search(device=device)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Modules and tables that are loaded are no garbage: look for none meanwhile."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def choose(
    file: ModelFile,
    *,
    threads: int = 1,
    search: Mapping[str, Any] | None = None,
    enough: frozenset[str] = frozenset({"head"}),
) -> Pipeline:
    """The pipeline of a model with options of its search. It must add something of `enough`."""
    nlp = Pipeline(file, threads=threads, release=True)
    if not enough & nlp.adds:
        raise ModelError(
            f"this model has no parser (it holds: {', '.join(sorted(file.parts))})",
            file=file.path,
            remedy="Use a model from `caesura train pipeline`.",
        )
    return nlp.with_search(**(search or {}))


def one_part(file: ModelFile, name: str) -> Pipeline:
    """The pipeline of one part of a model alone, such as its tagger."""
    if name not in file.parts and (others := holding(name)):
        raise ModelError(
            f"this model has no {name} (it holds: {', '.join(sorted(file.parts))})",
            file=file.path or None,
            remedy=f"Use one that has: {', '.join(others)}.",
        )
    return Pipeline(replace(file, parts={name: file.part(name)}), release=True)


def in_language(nlp: Pipeline, language: str) -> Pipeline:
    """The same pipeline for texts in one language; an error if its model has another one."""
    if not language:
        return nlp
    if "language" in nlp.offers:
        return nlp.with_search(language=language)
    if nlp.language is not None and plain_code(nlp.language) != plain_code(language):
        raise UsageError(
            f"the model {nlp.name} is for {language_name(nlp.language)}, "
            f"not for {language_name(language)}",
            remedy="Leave the model out, and it is chosen by the language.",
        )
    return nlp


def load_once(
    model: str | os.PathLike[str] | None = None,
    *,
    lang: str | None = None,
    threads: int = 1,
    release: bool = True,
) -> Pipeline:
    """The same, but what was loaded not long ago is not loaded again unless its file changed."""
    chosen = choose_model(model, lang)
    path = find(chosen.model)
    try:
        written = os.stat(path).st_mtime_ns
    except OSError:
        written = 0  # loading says what is wrong
    return in_language(_loaded(os.fspath(path), written, threads, release), chosen.language)


@lru_cache(maxsize=2)
def _loaded(path: str, written: int, threads: int, release: bool) -> Pipeline:
    with _uncollected():
        return Pipeline(load_model(path), threads=threads, release=release)


@asks(AskedLines)
def split(
    text: str,
    model: str | os.PathLike[str] | Pipeline = "en",
    *,
    quick: bool = False,
    max_chars: int | None = None,
    max_words: int | None = None,
    overlap: int = 0,
    **keywords: Unpack[AskedLines],
) -> list[str]:
    """The sentences of a text, or chunks of at most so many characters or words.

    They are those that `parse` finds, unless they shall be found `quick`, by the boundary scorer
    of the model alone: that needs no trees, is about 5 times faster with a linear model on edited
    text, and costs less than 1 point of F1 of boundaries (see the page on splitting). A model is
    loaded once. Chunks end at a sentence, else at a clause, a phrase or a word, and each repeats up
    to `overlap` characters or words of the one before; `caesura.find.chunks` has their offsets.
    """
    chunker = None
    if max_chars is not None or max_words is not None or overlap:
        from caesura.find.chunks import Chunker, Limit

        chunker = Chunker(Limit.of(max_chars, max_words, overlap))
    nlp = model if isinstance(model, Pipeline) else load_once(model)
    if quick:
        nlp = nlp.quick()
    Request.of(keywords, AskedLines)
    doc = nlp(text, **keywords)
    if chunker is not None:
        return [chunk.text for chunk in (*chunker.add(doc), *chunker.finish())]
    return [sentence.text for sentence in doc.sentences]


def _reduced(nlp: Pipeline) -> tuple[Any, ...]:
    """What a pickle holds of a pipeline."""
    path = nlp.file.path
    if not path:
        raise UsageError(
            "this pipeline has no model file, by whose name it could be pickled",
            remedy="Save the model with caesura.models.save and load that.",
        )
    model = name_of(path) or os.path.abspath(path)
    return _restored, (model, nlp.file.checksum, *nlp.how, nlp.steps)


def _restored(
    model: str,
    checksum: str,
    threads: int,
    release: bool,
    steps: tuple[tuple[str, dict[str, Any]], ...],
) -> Pipeline:
    """A pipeline that was pickled: its model loaded, and changed by the same steps."""
    nlp = load_once(model, threads=threads, release=release)
    if nlp.file.checksum != checksum:
        raise ModelError(
            "is not the model that was pickled: the file has changed since",
            file=nlp.file.path,
            remedy="Put the old file back, or load the new one with caesura.load and pickle that.",
        )
    for name, options in steps:
        nlp = getattr(nlp, name)(**options)
    return nlp


copyreg.pickle(Pipeline, _reduced)
