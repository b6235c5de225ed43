"""The Caesura model multi: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "multi.caesura"),
        "sha256": "c3f2abc14d464832b52ba00b9fa37f0be32280bda20a9ff266b9bc42a7cc5114",
    }
