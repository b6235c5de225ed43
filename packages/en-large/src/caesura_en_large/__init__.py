"""The Caesura model en-large: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "en-large.caesura"),
        "sha256": "82dd5aa28d439999a923073de46efd0819c67bb16a87ee0444616c6499618fef",
    }
