"""The Caesura model en-large: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "en-large.caesura"),
        "sha256": "0404c6fbe896d39e7446639f74e280428651224fd250419d0ce2d8df286f10ef",
    }
