"""The search against brute force, and its laws: streams, threads, constraints, odd documents."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from caesura._core import JointDecoder, ParserRows
from caesura.document import MAYBE, NO, ROOT, UNKNOWN, YES, Document
from caesura.errors import InputError, UsageError
from caesura.layout import BLANK, breaks
from caesura.stages.joint_parser import Inventory, Parser, settings_of
from caesura.stages.parse_constraints import no_limits
from caesura.stages.word_table import (
    EVIDENCE_ODDS,
    LAYOUT_ODDS,
    PLAIN_COLUMN,
    Hasher,
    batch_of,
    words_of,
)
from tests.parse.test_transitions import choices
from tests.parse.toy import blank, corpus

testing: Any = pytest.importorskip("caesura._core")._testing


@pytest.fixture(autouse=True)
def any_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exhaustive search needs a beam that nobody should ask for."""
    monkeypatch.setattr("caesura.stages.joint_parser.MOST_BEAM", 1 << 16)


def random_parser(seed: int, **search) -> Parser:
    """A parser with small random weights, whose choices follow no pattern."""
    rng = np.random.default_rng(seed)
    inventory = Inventory(("dep", "root"), (0,), (0,), (1,))
    table = rng.integers(-20, 20, (1 << 12, 32)).astype(np.int8)
    table[:, -1] = rng.integers(0, 3, 1 << 12)
    templates = ("s0.w", "s1.w s0.w", "b0.w flags", "t1", "length")
    parser = Parser(inventory, templates, ParserRows.of_table(table, 0.5))
    return parser.with_search(**search) if search else parser


def doc_of(forms: str) -> Document:
    words = forms.split()
    ends = np.cumsum([len(w) + 1 for w in words]) - 1
    return Document.from_spans(forms, ends - [len(w) for w in words], ends)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_an_unlimited_beam_is_exhaustive_search(n: int) -> None:
    for seed in range(4 if n < 4 else 1):
        parser = random_parser(seed, beam=40_000)
        doc = doc_of(" ".join("abcdef"[(seed + i) % 6] for i in range(n)))
        [found] = parser.k_best_parses(doc, 1)
        assert found.score == pytest.approx(best_by_brute_force(parser, doc))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_states_with_the_same_future_are_merged_without_loss(n: int) -> None:
    for seed in range(4 if n < 4 else 1):
        doc = doc_of(" ".join("abcdef"[(seed + i) % 6] for i in range(n)))
        merged = random_parser(seed, beam=40_000, margin=1e6)
        decoders = merged.decoder, random_parser(seed, beam=40_000).decoder
        words = merged.words(doc)
        narrow, wide = (one.k_best(*words, no_limits(), 1) for one in decoders)
        assert narrow[0][0][1] == pytest.approx(wide[0][0][1])
        assert n < 3 or narrow[1].scored < wide[1].scored


def test_a_margin_of_nothing_is_greedy_search() -> None:
    doc = doc_of(" ".join("abcdefgh"[i * i % 8] for i in range(200)))
    for seed in range(4):
        [greedy] = random_parser(seed, beam=1).analyse([doc])
        parser = random_parser(seed, beam=16, margin=0.0)
        [narrow] = parser.analyse([doc])
        assert narrow.heads.tolist() == greedy.heads.tolist()
        assert narrow.starts.tolist() == greedy.starts.tolist()


def test_a_wider_margin_evaluates_more_and_finds_no_worse(toy_parser: Parser) -> None:
    [doc] = [blank(doc) for doc in corpus(3, 1)]
    bounds = np.array([0, doc.n_words])
    evaluated, scores = [], []
    for margin in (0.0, 0.05, 0.2, 1.0, np.inf):
        parser = toy_parser.with_search(beam=16, margin=margin)
        _, report = parser.decoder.decode(*parser.words(doc), bounds, no_limits())
        evaluated.append(report.scored)
        scores.append(report.score)
    assert evaluated == sorted(evaluated)
    assert evaluated[0] < evaluated[-1]
    assert scores[-1] >= scores[0]


def test_labels_starts_and_states_have_margins_of_their_own(toy_parser: Parser) -> None:
    """Each of them opens the beam; counted in margins, so that none does without one."""
    [doc] = [blank(doc) for doc in corpus(3, 1)]
    bounds = np.array([0, doc.n_words])

    def evaluated(margin: float, **shares: float) -> int:
        decoder = toy_parser.with_search(beam=16, margin=margin, **shares).decoder
        return decoder.decode(*toy_parser.words(doc), bounds, no_limits())[1].scored

    plain = evaluated(0.3)
    assert plain == evaluated(0.3, labels=1.0, starts=2.0, behind=2.0)
    for name in ("labels", "starts", "behind"):
        assert evaluated(0.3, **{name: 0.0}) <= plain
    assert evaluated(0.3, labels=0.0, starts=0.0, behind=0.0) < plain
    assert evaluated(0.3, starts=8.0, behind=8.0) > plain
    assert evaluated(np.inf, labels=0.0, starts=0.0, behind=0.0) == evaluated(np.inf)
    with pytest.raises(UsageError, match="labels is -1"):
        toy_parser.with_search(labels=-1.0)


def test_the_margins_are_kept_in_the_model(toy_parser: Parser) -> None:
    assert "margin-starts" not in toy_parser.to_part().config
    parser = toy_parser.with_search(margin=0.15, labels=0.0, starts=2.5, behind=3.0)
    for one in (parser, toy_parser):
        again = Parser.from_part(one.to_part()).search
        for name in ("beam", "margin", "labels", "starts", "behind"):
            assert getattr(again, name) == getattr(one.search, name)


def best_by_brute_force(parser: Parser, doc: Document) -> float:
    scorer = testing.Scorer8(parser.rows, *parser.compiled)
    states = testing.JointStates(parser.inventory.transitions, *parser.words(doc)[:2])
    scorer.begin(states)
    best = -np.inf

    def extend(item: int, total: float) -> None:
        nonlocal best
        if states.is_terminal(item):
            best = max(best, total)
            return
        scores = scorer.score(states, item)
        for action in choices(states.legal(item), parser.inventory):
            extend(states.apply(item, action), total + float(scores[action]))

    extend(0, 0.0)
    return float(best)


def test_it_learns_the_toy_grammar(toy_parser: Parser) -> None:
    from caesura.learn.tuning import scores

    dev = corpus(3, 6)
    result = scores(dev, toy_parser.analyse(dev), toy_parser.inventory)
    assert result["LAS"] > 95
    assert result["Starts"] > 90


def is_forest(doc: Document) -> bool:
    """One root a sentence, no cycle, no head outside the sentence."""
    firsts = np.flatnonzero(doc.word_sent_start == YES).tolist()
    for a, b in zip(firsts, [*firsts[1:], doc.n_words], strict=True):
        heads = doc.head[a:b]
        if np.sum(heads == ROOT) != 1 or np.any((heads >= 0) & ((heads < a) | (heads >= b))):
            return False
        for word in range(a, b):
            steps = 0
            while word != ROOT and steps <= b - a:
                word, steps = int(doc.head[word]), steps + 1
            if word != ROOT:
                return False
    return True


@pytest.mark.parametrize("seed", range(4))
def test_trees_are_trees_even_with_random_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for beam in (1, 3):
        parser = random_parser(seed, beam=beam)
        doc = doc_of(" ".join(rng.choice(list("abcdefgh"), 300)))
        parser.parse(doc)
        assert is_forest(doc)


def test_threads_do_not_change_the_result(toy_parser: Parser, monkeypatch) -> None:
    monkeypatch.setattr("caesura.stages.tree_parser.BATCH", 40)
    docs = corpus(5, 12)
    one, two = toy_parser.analyse(docs), toy_parser.analyse(docs, threads=2)
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.heads, b.heads)
        assert np.array_equal(a.starts, b.starts)


@pytest.mark.parametrize("margin", [math.inf, 4.0])
def test_company_makes_no_difference_where_the_beam_does_not_agree(margin: float) -> None:
    """With small arenas that grow at odd times, as a long document makes them grow."""
    rng = np.random.default_rng(2)
    docs = [doc_of(" ".join(rng.choice(list("abcdefgh"), n))) for n in (30, 900, 700, 900)]
    parser = random_parser(5, beam=4, patience=24, margin=margin)
    alone = [parser.analyse([doc])[0].columns() for doc in docs]
    assert same(alone, [parse.columns() for parse in parser.analyse(docs)])
    assert same(alone[::-1], [parse.columns() for parse in parser.analyse(docs[::-1])])
    small = JointDecoder(
        parser.rows,
        parser.inventory.transitions,
        *parser.compiled,
        settings_of(parser.search),
        EVIDENCE_ODDS,
        LAYOUT_ODDS,
        arena_steps=8,
    )
    parser.__dict__["decoder"] = small
    assert same(alone, [parse.columns() for parse in parser.analyse(docs)])
    assert same(alone, [parser.analyse([doc])[0].columns() for doc in docs])


def same(left: list[list[np.ndarray]], right: list[list[np.ndarray]]) -> bool:
    pairs = [pair for a, b in zip(left, right, strict=True) for pair in zip(a, b, strict=True)]
    return all(np.array_equal(a, b) for a, b in pairs)


def test_a_piece_has_the_context_that_it_has_in_the_document() -> None:
    doc = corpus(4, 1, 12)[0]
    whole = words_of(doc, Hasher()).context[:, :PLAIN_COLUMN]
    assert set(whole[:, 0].tolist()) == {1, 2}
    for a in range(1, doc.n_tokens - 4):
        piece = words_of(doc.cut(a, a + 4), Hasher()).context[:, :PLAIN_COLUMN]
        assert piece.tolist() == whole[a : a + 4].tolist()


def test_documents_have_the_same_words_in_a_batch_and_alone() -> None:
    rng = np.random.default_rng(1)
    docs = [*corpus(4, 2), Document(), *corpus(5, 1), doc_of("a b c")]
    docs[0].start_evidence = rng.random(docs[0].n_tokens).astype(np.float32)
    docs[1].turn_start, docs[1].turn_speaker = docs[1].token_start[:1], np.ones(1, np.int32)
    hasher = Hasher({"dog": 3})
    batch, bounds = batch_of(docs, hasher)
    alone = [words_of(doc, hasher) for doc in docs]
    assert np.array_equal(batch.table, np.concatenate([words.table for words in alone]))
    assert np.array_equal(batch.context, np.concatenate([words.context for words in alone]))
    assert np.diff(bounds).tolist() == [doc.n_words for doc in docs]


@pytest.mark.parametrize("words", ["x", ". . ! ?", "a", "a b"])
def test_short_and_odd_documents(words: str) -> None:
    doc = doc_of(words)
    random_parser(3).parse(doc)
    assert is_forest(doc)


def test_an_empty_document() -> None:
    doc = Document()
    random_parser(3).parse(doc)
    assert doc.n_words == 0


def test_100000_tokens_in_one_sentence() -> None:
    n = 100_000
    doc = doc_of("a b c d e " * (n // 5))
    doc.sent_start[1:] = NO
    doc.fixed = frozenset({"sentences"})
    random_parser(1, beam=2).parse(doc)
    assert np.sum(doc.head == ROOT) == 1
    assert np.sum(doc.sent_start == YES) == 1


# ------------------------------------------------------------------------------- what is given


@pytest.mark.parametrize("seed", range(10))
def test_given_boundaries_are_obeyed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    doc = doc_of(" ".join(rng.choice(list("abcdefgh"), 40)))
    told = rng.choice([MAYBE, NO, YES], 40, p=[0.5, 0.3, 0.2]).astype(np.int8)
    doc.sent_start = told.copy()
    doc.fixed = frozenset({"sentences"})
    random_parser(seed, beam=2).parse(doc)
    known = told[1:] != MAYBE
    assert np.array_equal(doc.sent_start[1:][known], told[1:][known])
    assert is_forest(doc)


def test_words_of_one_token_never_part() -> None:
    doc = doc_of("a b c d e f g h")
    doc.token_start, doc.token_end = doc.token_start[::2], doc.token_end[1::2]
    doc.sent_start, doc.token_misc = doc.sent_start[::2], doc.token_misc[::2]
    doc.word_token = np.repeat(np.arange(4, dtype=np.int32), 2)
    for seed in range(10):
        random_parser(seed, beam=2).parse(doc)
        doc.check()
        assert is_forest(doc)


def random_document(rng: np.random.Generator, sentences: int) -> Document:
    from tests.parse.test_transitions import random_document as make

    heads, starts = make(rng, sentences)
    doc = doc_of(" ".join(rng.choice(list("abcdefgh"), len(heads))))
    doc.head = np.array(heads, np.int32)
    doc.sent_start[:] = NO
    doc.sent_start[starts] = YES
    doc.set_column("deprel", ["root" if h < 0 else "dep" for h in heads])
    return doc


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 1.0])
def test_given_heads_are_obeyed(share: float) -> None:
    rng = np.random.default_rng(int(share * 10))
    for seed in range(60):
        gold = random_document(rng, int(rng.integers(1, 5)))
        doc = blank(gold)
        given = rng.random(doc.n_words) < share
        doc.head = np.where(given, gold.head, UNKNOWN).astype(np.int32)
        doc.deprel = np.where(given, gold.deprel, 0).astype(np.int32)
        sentences = seed % 2 == 0
        if sentences:
            doc.sent_start = gold.sent_start.copy()
        doc.fixed = frozenset({"heads", "sentences"} if sentences else {"heads"})
        random_parser(seed, beam=3).parse(doc)
        assert np.array_equal(doc.head[given], gold.head[given])
        assert np.array_equal(doc.deprel[given], gold.deprel[given])
        assert is_forest(doc)
        if sentences:
            assert np.array_equal(doc.sent_start, gold.sent_start)


def given(heads: list[int], starts: list[int] | None = None) -> Document:
    doc = doc_of(" ".join("abcdefgh"[: len(heads)]))
    doc.head = np.array(heads, np.int32)
    doc.fixed = frozenset({"heads"})
    if starts is not None:
        doc.sent_start = np.array(starts, np.int8)
        doc.fixed |= {"sentences"}
    return doc


@pytest.mark.parametrize(
    ("doc", "message"),
    [
        (given([1, 0, UNKNOWN]), "cycle: 1 → 2"),
        (given([2, UNKNOWN, UNKNOWN], [1, 1, -1]), "word 2 .* must start a sentence"),
        (given([ROOT, ROOT, UNKNOWN], [1, 0, 0]), "words 1 and 2 .* both given as roots"),
        (given([0, UNKNOWN]), "word 1 .* cannot be"),
    ],
)
def test_what_cannot_hold_together_is_refused_by_name(doc: Document, message: str) -> None:
    with pytest.raises(InputError, match=message):
        random_parser(1).parse(doc)


def test_tags_are_asked_for(toy_parser: Parser) -> None:
    doc = doc_of("the dog sleeps")
    with pytest.raises(InputError, match="trained with UPOS tags"):
        toy_parser.parse(doc)


def test_unused_tags_are_mentioned() -> None:
    doc = corpus(1, 1)[0]
    told: list[str] = []
    random_parser(1).parse(doc, warn=lambda warning: told.append(str(warning)))
    assert "trained without tags" in told[0]


def test_k_best(toy_parser: Parser) -> None:
    doc = blank(corpus(11, 1, 2)[0])
    found = toy_parser.with_search(beam=16).k_best_parses(doc, 5)
    assert 1 < len(found) <= 5
    assert all(a.score >= b.score for a, b in itertools.pairwise(found))
    keys = {(p.heads.tobytes(), p.labels.tobytes(), p.starts.tobytes()) for p in found}
    assert len(keys) == len(found)
    best = toy_parser.with_search(beam=16).analyse([doc])[0]
    assert np.array_equal(best.heads, found[0].heads)


def test_a_bonus_trades_precision_for_recall(toy_parser: Parser) -> None:
    docs = corpus(12, 4)
    counts = [
        sum(int(p.starts.sum()) for p in toy_parser.with_search(bonus=bonus).analyse(docs))
        for bonus in (-1e4, 0.0, 1e4)
    ]
    # Blank lines start sentences whatever the bonus.
    given = sum(1 + int((breaks(doc) == BLANK).sum()) for doc in docs)
    assert counts[0] == given > len(docs)
    assert counts[0] < counts[1] < counts[2]
