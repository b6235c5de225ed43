"""A branching parser trained on the toy grammar, shared by the tests of this room."""

from __future__ import annotations

import pytest

from tests.parse.toy import corpus


@pytest.fixture(scope="session")
def toy_training():
    """A trainer and its loop, run through a first model and one bootstrap."""
    from caesura.learn.branching_parser import BranchingLoop, BranchingTrainer, BranchTraining
    from caesura.stages.branching_parser import BranchOptions

    options = BranchTraining(search=BranchOptions(beam=8), rounds=(2, 1), bits=12)
    trainer = BranchingTrainer(corpus(1, 12), corpus(2, 4), options)
    loop = BranchingLoop(trainer, options.epochs, metric="LAS")
    loop.run()
    return trainer, loop


@pytest.fixture(scope="session")
def toy_parser(toy_training):
    from caesura.stages.branching_parser import BranchingParser

    return BranchingParser.from_part(toy_training[1].best["parser"])


@pytest.fixture(scope="session")
def weak_parser():
    """One that has seen little, so that it is often unsure."""
    from caesura.learn.branching_parser import BranchingTrainer, BranchTraining
    from caesura.stages.branching_parser import BranchOptions

    options = BranchTraining(search=BranchOptions(beam=8), rounds=(1,), bits=12)
    trainer = BranchingTrainer(corpus(3, 2), corpus(2, 1), options)
    trainer.epoch(1)
    return trainer.parser()
