"""A parser trained on the toy grammar, shared by the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.parse.toy import corpus


@pytest.fixture(scope="session")
def toy_parser():
    from caesura.learn.joint_parser import ParserTrainer, TrainOptions
    from caesura.stages.joint_parser import SearchOptions

    options = TrainOptions(search=SearchOptions(beam=4), bits=14, epochs=4)
    trainer = ParserTrainer(corpus(1, 30), corpus(2, 5), options)
    for epoch in range(1, 5):
        trainer.epoch(epoch)
    return trainer.parser()


@pytest.fixture(params=["portable", "avx2", "avx512"])
def variant(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each instruction set that the processor has."""
    testing: Any = pytest.importorskip("caesura._core")._testing
    if not testing.restrict_cpu(request.param):
        pytest.skip(f"this processor has no {request.param}")
    yield request.param
    testing.restrict_cpu("")
