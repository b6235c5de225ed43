"""Parts within a part of a model file: the grammars that vote with another."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.errors import ModelError
from caesura.models.file import Part

__all__ = ["get_nested", "put_nested"]

#: More than these no file has.
MOST = 32


def put_nested(part: Part, inner: Sequence[Part]) -> None:
    """Add parts to a part, under names of their own."""
    for number, other in enumerate(inner, start=1):
        name = f"other-{number}"
        part.config[name] = other.config
        part.labels |= {f"{name} {key}": value for key, value in other.labels.items()}
        part.arrays |= {f"{name} {key}": value for key, value in other.arrays.items()}


def get_nested(part: Part) -> list[Part]:
    """The parts that are in a part, in their order."""
    found: list[Part] = []
    while (name := f"other-{len(found) + 1}") in part.config:
        config = part.option(name, dict)
        if len(found) == MOST or any(key.startswith("other-") for key in config):
            raise ModelError("the grammar holds more grammars than can vote")
        start = f"{name} "
        labels = {k.removeprefix(start): v for k, v in part.labels.items() if k.startswith(start)}
        arrays = {k.removeprefix(start): v for k, v in part.arrays.items() if k.startswith(start)}
        found.append(Part(part.kind, config, labels, arrays))
    return found
