"""A parser trained on the toy grammar, shared by the tests of this room."""

from __future__ import annotations

import pytest

from tests.parse.toy import corpus


@pytest.fixture(scope="session")
def toy_parser():
    from caesura.parse.learning.trainer import ParserTrainer
    from caesura.parse.options import SearchOptions, TrainOptions

    options = TrainOptions(search=SearchOptions(beam=4), bits=14, epochs=4)
    trainer = ParserTrainer(corpus(1, 30), corpus(2, 5), options)
    for epoch in range(1, 5):
        trainer.epoch(epoch)
    return trainer.parser()
