"""The pipeline of a model file for those who need trees, or sentences at least.

The command line and the workers of a cluster ask here, so that a model is the same to both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from caesura.errors import ModelError
from caesura.models.store import holding
from caesura.pipeline.core import Pipeline

if TYPE_CHECKING:
    from caesura.models.file import ModelFile

__all__ = ["choose", "one_part"]


def choose(
    file: ModelFile,
    *,
    threads: int = 1,
    search: Mapping[str, Any] | None = None,
    enough: frozenset[str] = frozenset({"head"}),
) -> Pipeline:
    """The pipeline of a model, with options of its search; the arrays of the file are let go.

    It must add something of what is `enough`.
    """
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
