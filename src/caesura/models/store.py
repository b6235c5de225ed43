"""Models by name: those in the package, and the user's own in CAESURA_HOME or the data folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from caesura.errors import ModelError
from caesura.paths import MODEL_SUFFIX, bundled_models, model_folder

__all__ = ["Installed", "digest", "find", "installed"]


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that has a name."""

    name: str
    path: Path
    bundled: bool


def installed() -> Iterator[Installed]:
    """All models that have names; the user's own come first and hide bundled ones."""
    seen: set[str] = set()
    for folder, bundled in ((model_folder(), False), (bundled_models(), True)):
        if not folder.is_dir():
            continue
        for path in sorted(folder.glob(f"*{MODEL_SUFFIX}")):
            name = path.name.removesuffix(MODEL_SUFFIX)
            if name not in seen:
                seen.add(name)
                yield Installed(name, path, bundled)


def find(model: str | os.PathLike[str]) -> Path:
    """The file of a model, given by its name or as a path."""
    given = os.fspath(model)
    if given.endswith(MODEL_SUFFIX) or os.sep in given or "/" in given or os.path.exists(given):
        return Path(given)
    names = []
    for entry in installed():
        if entry.name == given:
            return entry.path
        names.append(entry.name)
    raise ModelError(
        f"there is no model {given!r}",
        remedy=f"Name a file, or one of: {', '.join(names) or 'none is installed'}.",
    )


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
