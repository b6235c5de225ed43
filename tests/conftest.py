"""What tests share: where the treebanks are, how property tests run, and in which order.

The order is random (pytest-randomly); its seed is printed at the end, and `--randomly-seed=SEED`
repeats it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

# No deadline: the machine may be busy. In continuous integration the examples are the same every
# time, so that a change is not blamed for what it did not do.
settings.register_profile(
    "caesura",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("caesura")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed of the order, which `-q` hides with the rest of the header."""
    seed = getattr(terminalreporter.config.option, "randomly_seed", None)
    if isinstance(seed, int):
        terminalreporter.write_line(f"random order: --randomly-seed={seed}")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The treebanks: CAESURA_DATA, else ../shared/data beside the checkout; skips without them."""
    chosen = os.environ.get("CAESURA_DATA")
    folder = Path(chosen) if chosen else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no treebanks at {folder} (set CAESURA_DATA)")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a pipeline that learned from one page: it knows little, but obeys the laws."""
    from tests.pipeline import tiny

    return tiny.train(tiny.treebank(), tmp_path_factory.mktemp("model") / "tiny.caesura")


@pytest.fixture(scope="session")
def tiny(tiny_model: Path):
    """The pipeline of `tiny_model`."""
    import caesura.pipeline

    return caesura.pipeline.load(tiny_model)
