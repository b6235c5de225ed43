"""What tests share: where the treebanks are, and a folder for compiled kernels."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The treebanks: CAESURA_DATA, else ../shared/data beside the checkout; skips without them."""
    chosen = os.environ.get("CAESURA_DATA")
    folder = Path(chosen) if chosen else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no treebanks at {folder} (set CAESURA_DATA)")
    return folder
