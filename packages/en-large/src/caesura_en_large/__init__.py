"""The Caesura model en-large: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "en-large.caesura"),
        "sha256": "75e9822694b0fc8cc778f7b2a6c7d3f3309920000a56112a4f236ebbf9e80826",
    }
