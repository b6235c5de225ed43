"""Models side by side: what each is, how large, how fast and how accurate, and which to take.

All of it is what their files say: their meta data have `scores` (dev F1 from raw text) and `speed`
(words a second of one core).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caesura.errors import CaesuraError
from caesura.models.file import ModelFile
from caesura.models.store import Installed, load_model

__all__ = ["Overview", "Spoken", "advice", "kind_of_model", "overview", "spoken"]


@dataclass(frozen=True)
class Overview:
    """What is to be known of a model before it is used."""

    name: str
    kind: str = "broken"
    languages: tuple[str, ...] = ()
    bytes: int = 0
    #: Words a second; None where the file does not say.
    speed: float | None = None
    las: float | None = None
    licence: str = ""
    #: Where it comes from: the package, another package, a file.
    origin: str = ""
    error: str = ""

    @property
    def parses(self) -> bool:
        return self.kind in ("linear", "neural")


@dataclass(frozen=True)
class Spoken:
    """A language of a model of many: what it learned from, and how well it does."""

    code: str
    name: str
    words: int
    scores: Mapping[str, float]
    licences: tuple[str, ...]


def spoken(meta: Mapping[str, Any]) -> list[Spoken]:
    """The languages of a model, as far as its file says; by their names."""
    said = meta.get("by_language")
    found = []
    for code, one in said.items() if isinstance(said, Mapping) else ():
        if not isinstance(one, Mapping):
            continue
        scores = one.get("scores")
        licences = one.get("licences")
        found.append(
            Spoken(
                str(code),
                str(one.get("name", code)),
                int(_number(one.get("words")) or 0),
                {str(k): v for k, x in scores.items() if (v := _number(x)) is not None}
                if isinstance(scores, Mapping)
                else {},
                tuple(map(str, licences)) if isinstance(licences, list) else (),
            )
        )
    return sorted(found, key=lambda one: one.name)


def overview(entry: Installed) -> Overview:
    """What the file of an installed model says."""
    origin = "in the package" if entry.bundled else str(entry.path)
    if entry.package:
        origin = f"package {entry.package}"
    if entry.trouble:
        return Overview(entry.name, origin=origin, error=entry.trouble)
    try:
        file = load_model(entry.path, arrays=False)
    except CaesuraError as error:
        return Overview(entry.name, origin=origin, error=str(error))
    meta = file.meta
    return Overview(
        entry.name,
        kind_of_model(file),
        _languages(meta),
        entry.path.stat().st_size,
        _number(meta.get("speed")),
        _las(meta.get("scores")),
        str(meta.get("licence", meta.get("license", ""))),
        origin,
    )


def kind_of_model(file: ModelFile) -> str:
    """`neural` or `linear` for what makes trees; else what the file calls itself."""
    kinds = {part.kind for part in file.parts.values()}
    if "neural" in kinds:
        return "neural"
    return "linear" if "parser" in kinds else file.kind


def _languages(meta: Mapping[str, Any]) -> tuple[str, ...]:
    many = meta.get("languages")
    if isinstance(many, list):
        return tuple(str(one) for one in many)
    one = meta.get("language")
    return (str(one),) if isinstance(one, str) and one else ()


def _number(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and value > 0 else None


def _las(scores: Any) -> float | None:
    """LAS on dev; older files have scores by mode, the accurate one first."""
    if not isinstance(scores, Mapping):
        return None
    inner = scores.get("accurate")
    return _number((inner if isinstance(inner, Mapping) else scores).get("LAS"))


def advice(rows: Sequence[Overview]) -> list[str]:
    """Which model to take for what, for each language that several are for."""
    lines = []
    for language in sorted({code for row in rows for code in row.languages}):
        known = [row for row in rows if row.parses and language in row.languages]
        if len(known) < 2:
            continue
        # Of files that do not say, a network is the more accurate one, and the slower one.
        best = max(known, key=lambda row: (row.las or 0.0, row.kind == "neural", row.name))
        fast = max(known, key=lambda row: (row.speed or 0.0, row.kind == "linear", -row.bytes))
        usual = next((row for row in known if row.name == language), best)
        said = [f"take {usual.name}"]
        if best is not usual:
            said.append(f"{best.name} where accuracy counts most")
        if fast is not best and fast is not usual:
            said.append(f"{fast.name} for large collections")
        lines.append(f"{language}: {', '.join(said)}.")
    return lines
