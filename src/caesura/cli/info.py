"""`caesura info`: what is installed, and where things are kept."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from pathlib import Path
from typing import Any

import click

from caesura.cli.console import print_json, table
from caesura.cli.options import json_option

__all__ = ["command", "describe"]

_NEEDED = (
    "numpy",
    "numba",
    "click",
    "msgspec",
    "safetensors",
    "platformdirs",
    "regex",
)
_EXTRAS = {
    "progress": "rich",
    "zstd": "zstandard",
    "plot": "matplotlib",
    "pandas": "pandas",
    "spacy": "spacy",
    "serve": "starlette",
}


def describe() -> dict[str, Any]:
    """Version, packages, paths, models, threads and the compile cache, as plain data."""
    import caesura
    from caesura import paths

    kernels = paths.kernel_folder()
    compiled = list(kernels.rglob("*.nbc")) if kernels.is_dir() else []
    return {
        "version": caesura.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in _NEEDED},
        "extras": {extra: _version(name) for extra, name in _EXTRAS.items()},
        "paths": {
            "package": str(Path(caesura.__file__).parent),
            "python": sys.executable,
            "models": str(paths.model_folder()),
            "kernels": str(kernels),
        },
        "models": [
            {"name": file.stem, "file": str(file), "bytes": file.stat().st_size}
            for folder in (paths.bundled_models(), paths.model_folder())
            for file in sorted(folder.glob(f"*{paths.MODEL_SUFFIX}"))
        ],
        "threads": paths.threads_available(),
        "compiled_kernels": {
            "count": len(compiled),
            "bytes": sum(file.stat().st_size for file in compiled),
        },
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Print the version, the packages found, where models and compiled kernels are kept, how many
    threads can run at once.

    Put its output into a bug report.
    """
    found = describe()
    if as_json:
        print_json(found)
        return
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    there = [extra for extra, version in found["extras"].items() if version]
    missing = [extra for extra, version in found["extras"].items() if not version]
    models = [f"{model['name']} ({model['bytes'] / 1e6:.1f} MB)" for model in found["models"]]
    kernels = found["compiled_kernels"]
    rows = [
        ("version", found["version"]),
        ("python", f"{found['python']} on {found['platform']}"),
        ("packages", packages),
        ("extras", ", ".join(there) or "none"),
        ("not installed", ", ".join(missing) or "none"),
        ("package folder", found["paths"]["package"]),
        ("model folder", found["paths"]["models"]),
        ("models", ", ".join(models) or "none"),
        ("threads", str(found["threads"])),
        ("kernel folder", found["paths"]["kernels"]),
        ("compiled kernels", f"{kernels['count']} ({kernels['bytes'] / 1e6:.1f} MB)"),
    ]
    click.echo(table(rows, indent=0))
