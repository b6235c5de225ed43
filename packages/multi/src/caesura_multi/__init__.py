"""The Caesura model multi: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "multi.caesura"),
        "sha256": "ad293b876b59bf02695310b979f18c285738f0423b2215a8f7d8d5a7e2d5f507",
    }
