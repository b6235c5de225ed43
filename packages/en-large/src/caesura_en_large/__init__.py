"""The Caesura model en-large: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "en-large.caesura"),
        "sha256": "01fbd4fbb2b41f67e08fdd575799cbe6b6825d75c51d6d9860475f2fcf630b4a",
    }
