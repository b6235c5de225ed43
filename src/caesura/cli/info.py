"""`caesura info`: what is installed, and where things are kept."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
from pathlib import Path
from typing import Any

import click

from caesura.cli.console import print_json
from caesura.cli.options import json_option
from caesura.errors import DISTRIBUTION
from caesura.markup import text_table

__all__ = ["command", "describe"]

#: A requirement in a distribution's metadata: `rich>=13.7; extra == 'progress'`.
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[(?P<own>[\w,-]+)\])?[^;]*(;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?"
)


def describe() -> dict[str, Any]:
    """Version, packages, paths, models and threads, as plain data."""
    import caesura
    from caesura import paths
    from caesura.models.store import installed

    needed, extras = _requirements()
    return {
        "version": caesura.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in needed},
        "extras": {
            extra: {name: _version(name) for name in names} for extra, names in extras.items()
        },
        "paths": {
            "package": str(Path(caesura.__file__).parent),
            "python": sys.executable,
            "models": str(paths.model_folder()),
        },
        "models": [
            {"name": entry.name, "file": str(entry.path), "bytes": entry.path.stat().st_size}
            for entry in installed()
            if not entry.trouble
        ],
        "threads": paths.threads_available(),
    }


def _requirements() -> tuple[list[str], dict[str, list[str]]]:
    """The packages that are always needed and those of each extra, by our own metadata."""
    try:
        about = importlib.metadata.metadata(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return [], {}
    needed: list[str] = []
    extras: dict[str, list[str]] = {extra: [] for extra in about.get_all("Provides-Extra") or ()}
    made_of: dict[str, list[str]] = {}
    for line in about.get_all("Requires-Dist") or ():
        found = _REQUIREMENT.match(line)
        assert found is not None, line
        name, extra = found["name"], found["extra"]
        if extra is None:
            needed.append(name)
        elif name == DISTRIBUTION:
            made_of.setdefault(extra, []).extend(found["own"].split(","))
        else:
            extras[extra].append(name)

    def packages(extra: str) -> list[str]:
        others = [name for other in made_of.get(extra, ()) for name in packages(other)]
        return sorted({*extras[extra], *others})

    return needed, {extra: packages(extra) for extra in extras}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Print the version, the packages found, all extras, where models are kept, how many threads
    can run at once.

    Put its output into a bug report.
    """
    found = describe()
    if as_json:
        print_json(found)
        return
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    unknown = "" if found["packages"] else "unknown: the package was not installed by pip"
    there, missing = [], []
    for extra, versions in found["extras"].items():
        lacking = [name for name, version in versions.items() if version is None]
        if not lacking:
            there.append(extra)
        elif len(lacking) == len(versions):
            missing.append(extra)
        else:
            missing.append(f"{extra} (no {', '.join(lacking)})")
    models = [f"{model['name']} ({model['bytes'] / 1e6:.1f} MB)" for model in found["models"]]
    rows = [
        ("version", found["version"]),
        ("python", f"{found['python']} on {found['platform']}"),
        ("packages", unknown or packages),
        ("extras", unknown or ", ".join(there) or "none"),
        ("not installed", unknown or ", ".join(missing) or "none"),
        ("package folder", found["paths"]["package"]),
        ("model folder", found["paths"]["models"]),
        ("models", ", ".join(models) or "none"),
        ("threads", str(found["threads"])),
    ]
    click.echo(text_table(rows, indent=0))
