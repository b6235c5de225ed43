"""From a model to its pipeline, and from a pipeline to a pickle.

A pipeline is pickled by the name or path of its model and a checksum, never by what is in it: other
processes load the model from the file, once each, and refuse one that was changed since.
"""

from __future__ import annotations

import contextlib
import copyreg
import gc
import os
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from caesura.errors import ModelError, UsageError, no_modes
from caesura.language.choice import choose_model
from caesura.language.guess import language_name, plain_code
from caesura.models.store import find, load_model, name_of
from caesura.pipeline.core import Pipeline

__all__ = ["in_language", "load", "load_once"]


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
    runs on the `device` "cpu" or "cuda" (needs PyTorch). There is no `mode` any more:
    whoever gives one is told so.
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
