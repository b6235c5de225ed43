"""From a model file to the list of its stages, each after those that add what it needs."""

from __future__ import annotations

from functools import partial
from typing import Final

from caesura.errors import ModelError
from caesura.language import language_of_model
from caesura.models.file import ModelFile, Part
from caesura.models.store import load_model
from caesura.paths import trim
from caesura.stage import REGISTRY, Stage, stage_of

__all__ = ["stages_of"]

_DAMAGED: Final = "The file is damaged or made by another program; train or fetch it again."
_ORDER: Final = {name: number for number, name in enumerate(REGISTRY)}


def stages_of(file: ModelFile, *, threads: int = 1, release: bool = False) -> list[Stage]:
    """The stages of a model, told of each other; with `release` arrays of the file are let go."""
    if not file.parts:
        raise ModelError("the model has no parts", file=file.path or None, remedy=_DAMAGED)
    made: dict[str, Stage] = {}
    language = language_of_model(file.meta)
    # The largest first: its arrays are gone before others are unpacked.
    for name in sorted(file.parts, key=lambda name: (-_size(file.parts[name]), name)):
        part = file.parts[name]
        made[name] = stage = stage_of(part, name, threads=threads)
        if language:
            stage.speaks(language)
        if release:
            file.parts[name] = Part(part.kind, part.config, part.labels)
            stage.release(partial(_again, file, name) if file.path else None)
        del part
    if release:
        trim()
    found = [
        made[name] for name in sorted(made, key=lambda name: (_ORDER.get(name, len(_ORDER)), name))
    ]
    if sum("tokens" in stage.adds for stage in found) > 1:
        raise ModelError(
            "the model has two tokenisers",
            file=file.path or None,
            remedy=_DAMAGED,
        )
    if not any("tokens" in stage.adds for stage in found):
        kinds = [stage.tokens_by for stage in found if stage.tokens_by]
        found = [stage_of(Part(kind)) for kind in kinds[:1]] + found
    stages: list[Stage] = []
    for stage in reversed(_in_order(found)):
        stages = stage.placed(stages)
    return stages


def _size(part: Part) -> int:
    """The bytes of its arrays."""
    return sum(array.nbytes for array in part.arrays.values())


def _again(file: ModelFile, name: str) -> Part:
    """A part of a model file, read once more."""
    found = load_model(file.path)
    if found.meta.get("sha256") != file.meta.get("sha256") or name not in found.parts:
        raise ModelError(
            "the file has changed since it was loaded",
            file=file.path,
            remedy="Load the model again.",
        )
    return found.parts[name]


def _in_order(stages: list[Stage]) -> list[Stage]:
    """A stage after all others that add what it needs; else they stay as they are."""
    waiting, done = list(stages), []
    while waiting:
        ready = [
            stage
            for stage in waiting
            if not any(stage.needs & other.adds for other in waiting if other is not stage)
        ]
        stage = (ready or waiting)[0]
        waiting = [other for other in waiting if other is not stage]
        done.append(stage)
    return done
