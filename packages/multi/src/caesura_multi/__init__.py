"""The Caesura model multi: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "multi.caesura"),
        "sha256": "195cb944b60de9eb598770d2cb7f92efdda9c13cc0cc4e16573f6002dd3c6113",
    }
