"""What parses with a model file: a pipeline, or an induced grammar in its place.

The command line and the workers of a cluster ask here, so that a model is the same to both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from caesura.errors import ModelError, UsageError

if TYPE_CHECKING:
    from caesura.models.file import ModelFile
    from caesura.pipeline.core import Mode
    from caesura.pipeline.files import Parses

__all__ = ["choose"]


def choose(
    file: ModelFile,
    *,
    mode: Mode = "accurate",
    threads: int = 1,
    search: Mapping[str, Any] | None = None,
) -> Parses:
    """The parser of a model, with options of its search; the arrays of the file are let go."""
    if file.kind == "grammar":
        from caesura.pipeline.induced import Induced

        for name in search or {}:
            raise UsageError(f"a grammar has no {name}", remedy=f"Leave --{name} out.")
        return cast("Parses", Induced(file))
    if not {"parser", "neural"} & set(file.parts):
        raise ModelError(
            f"this model has no parser (it holds: {', '.join(sorted(file.parts))})",
            file=file.path,
            remedy="Use a model from `caesura train pipeline`.",
        )
    from caesura.pipeline.core import Pipeline

    nlp = Pipeline(file, mode=mode, threads=threads, release=True)
    return cast("Parses", nlp.with_search(**(search or {})))
