"""The ordinary beam over the hybrid system, beside selectional branching."""

import numpy as np
from research.hybrid_beam import BeamSearcher, _copy

from caesura.parse.branching_options import BranchOptions
from caesura.parse.transitions.hybrid import NEXT
from tests.parse.branching.test_search import sentences


def test_branching_with_one_sequence_equals_a_beam_of_one(weak_parser):
    parser = weak_parser.with_search(beam=1)
    for doc in sentences(13, 1):
        bounds = np.array([0, doc.n_words])
        table = parser.words(doc).table
        beam = BeamSearcher(parser.classifier(), parser.search, parser.inventory.root, doc.n_words)
        greedy = parser.brancher(doc.n_words)
        assert np.array_equal(beam.decode(table, bounds).heads, greedy.decode(table, bounds).heads)
        assert beam.counters()["evaluations"] == greedy.counters()["evaluations"]


def test_a_wider_beam_finds_a_sequence_that_is_no_less_likely(weak_parser):
    for doc in sentences(14, 1):
        bounds = np.array([0, doc.n_words])
        table = weak_parser.words(doc).table
        likely = []
        for width in (1, 4):
            search = BranchOptions(beam=width, score="sum")
            beam = BeamSearcher(
                weak_parser.classifier(), search, weak_parser.inventory.root, doc.n_words
            )
            beam.decode(table, bounds)
            steps = beam.paths.begin[1]
            likely.append(np.log(beam.paths.chances[:steps].astype(float)).sum())
        assert likely[1] >= likely[0] - 1e-5


def test_remembered_decisions_change_no_tree_and_save_evaluations(weak_parser):
    needed = {True: 0, False: 0}
    for doc in sentences(15, 4):
        bounds = np.array([0, doc.n_words])
        table = weak_parser.words(doc).table
        trees = []
        for memory in (True, False):
            search = BranchOptions(beam=8, score="sum", memory=memory)
            beam = BeamSearcher(
                weak_parser.classifier(), search, weak_parser.inventory.root, doc.n_words
            )
            trees.append(beam.decode(table, bounds))
            told = beam.counters()
            needed[memory] += told["evaluations"]
            assert memory or told["remembered"] == 0
        for one, other in zip(*trees, strict=True):
            assert np.array_equal(one, other)
    assert needed[True] < needed[False]


def test_a_state_at_the_end_of_the_longest_sentence_is_copied_whole(weak_parser):
    search, words = BranchOptions(beam=2), 5
    bank = BeamSearcher(weak_parser.classifier(), search, weak_parser.inventory.root, words).bank
    bank.at[0, NEXT] = words + 1
    bank.heads[0] = np.arange(words + 1)
    plain = getattr(_copy, "py_func", _copy)  # compiled code does not look at bounds
    plain(bank, 0, 1)
    assert bank.heads[1].tolist() == bank.heads[0].tolist()
    assert bank.at[1, NEXT] == words + 1
