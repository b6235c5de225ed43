"""The Caesura model en-large: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "en-large.caesura"),
        "sha256": "2b97ab448574c9469e145429035cc0869d84a8605d5d826e6d7df2e4690aeaa5",
    }
