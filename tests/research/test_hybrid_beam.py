"""The ordinary beam over the hybrid system, beside selectional branching."""

import numpy as np
from research.hybrid_beam import decode

from tests.parse.branching.test_search import sentences


def found(parser, doc):
    return decode(parser, parser.words(doc).table, np.array([0, doc.n_words]))


def test_branching_with_one_sequence_equals_a_beam_of_one(weak_parser):
    parser = weak_parser.with_search(beam=1)
    for doc in sentences(13, 1):
        beam = found(parser, doc)
        greedy, _ = parser.decode(parser.words(doc).table, np.array([0, doc.n_words]))
        parser.analyse([doc])
        assert np.array_equal(beam.heads, greedy.heads)
        assert beam.counters["evaluations"] == parser.counters["evaluations"]


def test_a_wider_beam_finds_a_sequence_that_is_no_less_likely(weak_parser):
    for doc in sentences(14, 1):
        likely = [
            found(weak_parser.with_search(beam=width, score="sum"), doc).log_probabilities[0]
            for width in (1, 4)
        ]
        assert likely[1] >= likely[0] - 1e-5


def test_remembered_decisions_change_no_tree_and_save_evaluations(weak_parser):
    needed = {True: 0, False: 0}
    for doc in sentences(15, 4):
        trees = []
        for memory in (True, False):
            beam = found(weak_parser.with_search(beam=8, score="sum", memory=memory), doc)
            trees.append((beam.heads, beam.labels))
            needed[memory] += beam.counters["evaluations"]
            assert memory or beam.counters["remembered"] == 0
        assert np.array_equal(*trees)
    assert needed[True] < needed[False]
