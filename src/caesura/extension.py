"""Explains why the extension module `caesura._core` cannot be imported."""

from __future__ import annotations

import platform
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

__all__ = ["explain"]


def explain(package: str, error: ImportError) -> str:
    """One sentence for the package of this file, whose extension module is missing or broken."""
    folder = Path(package).parent
    built = sorted(path.name for path in folder.glob("_core.*") if path.suffix in (".so", ".pyd"))
    if not built:
        return (
            f"Caesura is not compiled in {folder}: run `pip install -e .` in the checkout, "
            "or start Python in another folder to import an installed caesura-nlp."
        )
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    python = f"{platform.python_implementation()} {version} on {sysconfig.get_platform()}"
    remedy = "install caesura-nlp with the pip of this Python."
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        python = f"free-threaded {python}"
        remedy = "use the Python of the same version that is not free-threaded."
    fitting = [f"_core{suffix}" for suffix in EXTENSION_SUFFIXES if f"_core{suffix}" in built]
    if not fitting:
        return f"{folder / built[0]} was compiled for another Python than {python}: {remedy}"
    return f"{folder / fitting[0]} does not load with {python} ({error}): {remedy}"
