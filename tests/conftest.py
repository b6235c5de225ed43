"""What tests share: where the treebanks are, and how property tests run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

# No deadline: the first example of a kernel waits for the compiler.
settings.register_profile(
    "caesura", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("caesura")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The treebanks: CAESURA_DATA, else ../shared/data beside the checkout; skips without them."""
    chosen = os.environ.get("CAESURA_DATA")
    folder = Path(chosen) if chosen else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no treebanks at {folder} (set CAESURA_DATA)")
    return folder
