"""Runs by their names, the last part of which is the seed."""

from __future__ import annotations

from typing import Any

__all__ = ["seeds"]


def seeds(runs: dict[str, dict[str, Any]], begin: str) -> list[dict[str, Any]]:
    """The finished runs of a name, seed by seed."""
    return [
        runs[name]
        for name in sorted(runs)
        if name.rsplit("/", 1)[0] == begin and runs[name].get("done", True)
    ]
