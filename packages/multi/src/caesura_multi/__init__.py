"""The Caesura model multi: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "multi.caesura"),
        "sha256": "b610f9073f44be70885c232f3ce0fda8f3f63e946e367f98135c15bdb0182d08",
    }
