from __future__ import annotations

import pytest

from caesura.tokenize import Tokenizer, TokenizerOptions, train
from tests.tokenize.corpus import documents, unspaced_document

SMALL = TokenizerOptions(bits=16, epochs=4, rare_cut=2, rare_start=2)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return train(documents(40), SMALL)


@pytest.fixture(scope="session")
def unspaced() -> Tokenizer:
    return train([unspaced_document(seed) for seed in range(20)], SMALL)
