"""The first document of the example treebank."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura import Document, read

HARBOUR = Path(__file__).parents[2] / "examples" / "harbour.conllu"


@pytest.fixture
def doc() -> Document:
    return next(read(HARBOUR))
