"""The Caesura model multi: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {
        "path": str(Path(__file__).parent / "multi.caesura"),
        "sha256": "da2fac4a627a0c8e8769e5cb15030ca91d6828d0a5382bb99e46f48e0671bbe4",
    }
