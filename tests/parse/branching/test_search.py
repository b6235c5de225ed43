"""Branching: what is counted, its bounds, and that it ends in trees."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from caesura._core import ParserRows
from caesura.document import MAYBE, UNKNOWN, YES
from caesura.errors import InputError, ModelError, UsageError
from caesura.learn.weights import to_bytes
from caesura.stages.branching_parser import KINDS, BranchOptions
from tests.parse.toy import corpus, to_floats


def heads(parser, docs):
    return np.concatenate([parse.heads for parse in parser.analyse(docs)])


def sentences(seed, documents=4):
    """Documents of one sentence each, so that counts are those of a sentence."""
    return [doc.cut(a, b) for doc in corpus(seed, documents) for a, b in _spans(doc)]


def _spans(doc):
    starts = [*np.flatnonzero(doc.sent_start == YES).tolist(), doc.n_tokens]
    return itertools.pairwise(starts)


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("beam", [2, 4, 16])
def test_evaluations_stay_below_the_bound(weak_parser, beam, memory):
    parser = weak_parser.with_search(beam=beam, margin=1.0, memory=memory)
    for doc in sentences(4):
        parser.analyse([doc])
        told = parser.counters
        # d sequences of t steps share at least d (d - 1) / 2 evaluations.
        assert told["evaluations"] <= told["bound"]
        assert told["sequences"] <= beam


def test_remembering_decisions_changes_nothing_but_their_number(weak_parser):
    docs = corpus(5, 4)
    with_memory = weak_parser.with_search(beam=16, margin=0.95)
    without = with_memory.with_search(memory=False)
    assert np.array_equal(heads(with_memory, docs), heads(without, docs))
    assert with_memory.counters["evaluations"] < without.counters["evaluations"]
    assert with_memory.counters["remembered"] > 0


def test_a_margin_of_0_without_ties_is_greedy(weak_parser):
    docs = corpus(5, 4)
    parser, greedy = weak_parser.with_search(margin=0.0), weak_parser.with_search(beam=1)
    assert np.array_equal(heads(parser, docs), heads(greedy, docs))
    assert parser.counters["sequences"] == parser.counters["sentences"]
    assert parser.counters["evaluations"] == parser.counters["steps"]


def test_a_margin_of_1_branches_wherever_there_is_a_choice(weak_parser):
    wide = weak_parser.with_search(beam=1000, margin=1.0)
    narrow = weak_parser.with_search(beam=5, margin=1.0)
    for doc in sentences(6):
        wide.analyse([doc])
        choices = wide.counters["unsure"]
        assert wide.counters["sequences"] == 1 + choices
        narrow.analyse([doc])
        assert narrow.counters["sequences"] == min(5, 1 + choices)


def test_k_of_1_never_branches_and_a_larger_one_branches_more(weak_parser):
    docs = corpus(5, 2)
    counted = []
    for k in (1, 2, 4):
        parser = weak_parser.with_search(k=k, beam=500, margin=1.0)
        parser.analyse(docs)
        counted.append(parser.counters["unsure"])
    assert counted[0] == 0 < counted[1] < counted[2]


def test_the_best_sequence_scores_no_less_than_the_greedy_one(weak_parser):
    for doc in sentences(7, 2):
        parser = weak_parser.with_search(beam=16, margin=1.0)
        found = parser.all_trees(parser.words(doc).table)
        assert max(score for score, _ in found) >= found[0][0]


@pytest.mark.parametrize("memory", [True, False])
def test_more_waves_find_sequences_that_score_no_less(weak_parser, memory):
    # Weights by chance, so that the first sequence is seldom the best one.
    table = (
        np.random.default_rng(4).integers(-9, 10, weak_parser.rows.table().shape).astype(np.int8)
    )
    table[:, -1] = 0
    random = replace(weak_parser, rows=ParserRows.of_table(table, 0.02), packed=None)
    once = random.with_search(beam=64, memory=memory)
    again = once.with_search(waves=3)
    more = 0
    for doc in sentences(15):
        bests, counts = [], []
        for parser in (once, again):
            found = parser.all_trees(parser.words(doc).table)
            bests.append(max(score for score, _ in found))
            counts.append(len(found))
        assert bests[1] >= bests[0]
        assert counts[0] <= counts[1] <= 64
        more += counts[1] - counts[0]
    assert more > 0


@pytest.mark.parametrize("headless", ["single-root", "root", "clearnlp"])
def test_every_word_gets_a_head_and_there_is_no_cycle(weak_parser, headless):
    parser = weak_parser.with_search(headless=headless)
    for doc in sentences(8):
        (parse,) = parser.analyse([doc])
        assert (parse.heads >= -1).all()
        roots = int((parse.heads == -1).sum())
        assert roots >= 1
        if headless == "single-root":
            assert roots == 1
        for word in range(doc.n_words):
            for _ in range(doc.n_words + 1):
                if word < 0:
                    break
                word = int(parse.heads[word])
            assert word == -1


def test_threads_do_not_matter(weak_parser):
    docs = corpus(9, 6) * 30
    one = weak_parser.analyse(docs)
    two = weak_parser.analyse(docs, threads=2)
    assert all(np.array_equal(a.heads, b.heads) for a, b in zip(one, two, strict=True))


def test_given_heads_are_obeyed(weak_parser):
    rng = np.random.default_rng(3)
    for gold in sentences(10):
        doc = gold.cut(0, gold.n_tokens)
        doc.head = np.where(rng.random(doc.n_words) < 0.4, gold.head, UNKNOWN).astype(np.int32)
        doc.deprel = np.where(doc.head == UNKNOWN, 0, gold.deprel).astype(np.int32)
        doc.fixed = frozenset({"heads"})
        given, labels = doc.head.copy(), doc.deprel.copy()
        weak_parser.parse(doc)
        assert np.array_equal(doc.head[given != UNKNOWN], given[given != UNKNOWN])
        assert np.array_equal(doc.deprel[given != UNKNOWN], labels[given != UNKNOWN])
        assert (doc.head == -1).sum() == 1


def test_given_heads_that_make_a_cycle_are_refused(weak_parser):
    doc = sentences(10)[0]
    doc.head = np.full(doc.n_words, UNKNOWN, np.int32)
    doc.head[:2] = [1, 0]
    doc.fixed = frozenset({"heads"})
    with pytest.raises(InputError, match="cycle"):
        weak_parser.parse(doc)


def test_k_best_trees_differ_and_get_worse(weak_parser):
    (doc,) = corpus(11, 1, 2)
    found = weak_parser.with_search(margin=1.0).k_best_parses(doc, 4)
    assert len(found) == 4
    assert [parse.score for parse in found] == sorted((p.score for p in found), reverse=True)
    assert len({parse.heads.tobytes() + parse.labels.tobytes() for parse in found}) == 4
    (best,) = weak_parser.with_search(margin=1.0).analyse([doc])
    assert np.array_equal(found[0].heads, best.heads)


def test_confidences_are_probabilities(toy_parser):
    (doc,) = corpus(12, 1)
    doc.sent_conf = None
    toy_parser.parse(doc, confidence=True)
    assert ((doc.arc_conf > 0) & (doc.arc_conf <= 1)).all()


def test_options_that_cannot_be_are_refused():
    with pytest.raises(UsageError, match=r"margin is 1\.2"):
        BranchOptions(margin=1.2)
    with pytest.raises(UsageError, match="beam is 0"):
        BranchOptions(beam=0)


def test_a_document_without_sentences_is_refused(toy_parser):
    (doc,) = corpus(12, 1)
    doc.sent_start[:] = MAYBE
    with pytest.raises(InputError, match="not split"):
        toy_parser.parse(doc)


def passing(parser):
    """The parser with weights that want to pass all words of the stack before the next one."""
    actions = parser.inventory.actions
    no_shift, no_pass = KINDS.index("NO-SHIFT"), KINDS.index("NO-PASS")
    inventory = replace(parser.inventory, actions=(*actions[:-1], (no_pass, -1)))
    weights = np.full_like(to_floats(parser.rows.table(), parser.rows.unit), -1.0)
    weights[:, actions.index((no_shift, -1))] = 0.5
    weights[:, len(actions) - 1] = 1.0
    rows = ParserRows.of_table(*to_bytes(weights))
    return replace(parser, rows=rows, packed=None, inventory=inventory)


@pytest.mark.parametrize("beam", [1, 4])
def test_a_parser_that_only_passes_stops(toy_parser, beam):
    parser = passing(toy_parser).with_search(beam=beam)
    (doc,) = corpus(3, 1, sentences=80)
    doc.sent_start[1:] = 0
    doc.fixed = frozenset({"sentences"})
    with pytest.raises(ModelError, match="goes nowhere"):
        parser.analyse([doc])
    with pytest.raises(ModelError, match="goes nowhere"):
        parser.k_best_parses(doc, 2)
    (doc,) = corpus(3, 1, sentences=4)
    parser.analyse([doc])  # the square of few words is little


def test_arguments_that_do_not_fit_are_refused(weak_parser):
    doc = sentences(3, 1)[0]
    table, none = weak_parser.words(doc).table, np.zeros(0, np.int32)
    n = doc.n_words
    brancher, bounds = weak_parser.brancher, np.array([0, n])
    places = np.full(n + 1, -1, np.int32)
    with pytest.raises(ValueError, match="does not fit the bounds"):
        brancher.decode(table[1:], bounds, none, none, False)
    with pytest.raises(ValueError, match="bounds must rise"):
        brancher.decode(table, np.array([0, n + 1, n]), none, none, False)
    with pytest.raises(ValueError, match="a place for each word"):
        brancher.decode(table, bounds, places[1:], places[1:], False)
    with pytest.raises(ValueError, match="heads has the value"):
        brancher.decode(table, bounds, places + n + 2, places, False)
    with pytest.raises(ValueError, match="labels has the value 99"):
        brancher.decode(table, bounds, places, places + 100, False)


def test_given_heads_in_a_cycle_end_too(weak_parser):
    """The package refuses them before; the core must not hang or crash."""
    doc = max(sentences(10), key=lambda doc: doc.n_words)
    table = weak_parser.words(doc).table
    heads = np.roll(np.arange(doc.n_words + 1, dtype=np.int32), 1)
    heads[:2] = [-1, doc.n_words]
    bounds, labels = np.array([0, doc.n_words]), np.full_like(heads, -1)
    trees, _ = weak_parser.brancher.decode(table, bounds, heads, labels, True)
    assert len(trees[0]) == doc.n_words
