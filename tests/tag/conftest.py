"""A tagger trained once on the toy language."""

from __future__ import annotations

import pytest
from tests.tag import toy

from caesura.tag import Tagger, TaggerOptions, train_tagger


@pytest.fixture(scope="session")
def tagger() -> Tagger:
    return train_tagger(toy.documents(30), (), TaggerOptions(epochs=3))
