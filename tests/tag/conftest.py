"""A tagger trained once on the toy language."""

from __future__ import annotations

import pytest

from caesura.tag import Tagger, TaggerOptions, train_tagger
from tests.tag import toy


@pytest.fixture(scope="session")
def tagger() -> Tagger:
    return train_tagger(toy.documents(30), (), TaggerOptions(epochs=3))
