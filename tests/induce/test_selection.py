"""Which grammar is kept: no chain, the one that the others agree with, the fewest bits."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce import Grammar, InduceOptions, Inducer, induction, supervised
from caesura.induce.corpus import corpus, gold_heads, word_classes
from caesura.induce.guidance import bare, transferred
from caesura.induce.initialise import harmonic, nudged
from caesura.induce.parameters import find_model
from caesura.induce.reparse import taught
from caesura.induce.selection import (
    Candidate,
    agreement,
    arc_length,
    attach_left,
    attach_right,
    choose,
    fewest_bits,
    looked_at,
    root_entropy,
)
from caesura.induce.sentences import Sentences
from tests.induce.test_learning import toy
from tests.reference.grammars import made_up

WORDS = Sentences.of([[1] * 5, [1] * 4])
CHAIN = attach_right(WORDS)
FLAT = np.array([-1, 0, 0, 0, 0, -1, 0, 0, 0], dtype=np.int32)
NEARLY = np.array([-1, 0, 0, 0, 3, -1, 0, 0, 0], dtype=np.int32)


def candidate(bits: float, heads: np.ndarray) -> Candidate:
    return Candidate(bits, heads, arc_length(WORDS, heads))


def test_arcs_are_measured_in_words() -> None:
    assert arc_length(WORDS, CHAIN) == arc_length(WORDS, attach_left(WORDS)) == 1.0
    assert arc_length(WORDS, FLAT) == pytest.approx((1 + 2 + 3 + 4 + 1 + 2 + 3) / 7)
    assert arc_length(WORDS, np.full(9, -1, dtype=np.int32)) == 0.0


def test_a_chain_is_refused_however_few_its_bits() -> None:
    chosen, _ = choose([candidate(1.0, CHAIN), candidate(1.1, CHAIN), candidate(5.0, FLAT)])
    assert chosen == 2


def test_of_chains_alone_the_one_with_the_fewest_bits_is_kept() -> None:
    assert choose([candidate(2.0, CHAIN), candidate(1.0, CHAIN)])[0] == 1


def test_agreement_goes_before_bits() -> None:
    other = np.array([1, 2, -1, 2, 2, 3, 3, 3, -1], dtype=np.int32)
    candidates = [candidate(1.0, other), candidate(3.0, NEARLY), candidate(2.0, FLAT)]
    chosen, shared = choose(candidates)
    assert chosen == 2  # FLAT and NEARLY agree alike with the rest, or better; FLAT has fewer bits
    assert shared[2] == pytest.approx((agreement(FLAT, NEARLY) + agreement(FLAT, other)) / 2)
    assert choose(candidates[:1]) == (0, [1.0])


def test_only_sentences_that_can_tell_are_looked_at() -> None:
    words = Sentences.of([[1], [1, 1], [1] * 4, [1] * 9])
    assert looked_at(words).tolist() == [False, False, True, True]


def test_a_nudge_moves_probabilities_and_leaves_them_some() -> None:
    start = harmonic(toy(), find_model("dbm3"), 4)
    moved = nudged(start, 0.5, 1)
    np.testing.assert_allclose(moved.attach.sum(axis=-1), 1.0)
    np.testing.assert_allclose(moved.root.sum(axis=-1), 1.0)
    np.testing.assert_allclose(moved.stop + moved.go, 1.0)
    assert not np.allclose(moved.attach, start.attach)
    np.testing.assert_array_equal(nudged(start, 0.5, 1).attach, moved.attach)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return made_up(80)


def test_restarts_of_a_recipe_without_chance_differ(documents: list[Document]) -> None:
    inducer = Inducer(documents, InduceOptions(classes="upos", rules="none", restarts=3))
    events = list(inducer)
    assert len({round(record["bits"], 6) for record in inducer.restarts}) > 1
    done = events[-1].stats
    assert set(done["baselines"]) == {"next", "previous"}
    assert 0.0 <= done["agreement"] <= 1.0
    assert done["arc"] > 1.0


def test_the_first_restart_is_the_run_without_restarts(documents: list[Document]) -> None:
    options = InduceOptions(classes="upos", restarts=1)
    one = Inducer(documents, options)
    two = Inducer(documents, InduceOptions(classes="upos", restarts=2))
    one.run()
    two.run()
    assert one.restarts[0]["bits"] == two.restarts[0]["bits"]


def test_odd_texts_are_told_of(documents: list[Document]) -> None:
    def told(docs: list[Document], **options: str) -> list[str]:
        inducer = Inducer(docs, InduceOptions(**options))  # type: ignore[arg-type]
        return [e.stats["what"] for e in inducer if e.kind == "warning"]

    assert not any("mark" in what for what in told(documents, classes="upos"))
    plain = Document.from_spans("ka ka ka", [0, 3, 6], [2, 5, 8])
    plain.sent_start[:] = [1, 0, 0]
    found = " ".join(told([plain], classes="form"))
    for what in ("no word of the text is a punctuation mark", "only 1 sentence ", "one class"):
        assert what in found


def test_transfer_starts_from_another_grammars_trees(documents: list[Document]) -> None:
    words = corpus(documents, word_classes("upos"), marks="upos")
    parser = supervised(documents, words, "dmv", source="upos", marks="upos")
    heads = gold_heads(transferred(parser, documents), words)[0]
    gold, _ = gold_heads(documents, words)
    assert (heads == gold).mean() > 0.5
    options = InduceOptions(classes="upos", rules="none")
    first = [
        next(e.step.bits for e in Inducer(documents, options, transfer=one) if e.step is not None)
        for one in (None, parser)
    ]
    assert first[0] > first[1]


def test_a_parser_of_another_language_sees_no_words(documents: list[Document]) -> None:
    seen = bare(documents[0])
    assert seen.column("form") == documents[0].column("upos")
    assert not any(seen.column("lemma"))
    assert (seen.head == -2).all()
    assert (documents[0].head != -2).any()


def test_transfer_needs_tags() -> None:
    doc = Document.from_spans("ka le", [0, 3], [2, 5])
    doc.sent_start[:] = [1, 0]
    with pytest.raises(UsageError, match="universal tags"):
        transferred(None, [doc])  # type: ignore[arg-type]


def test_the_restarts_to_join_are_no_chains_and_have_the_fewest_bits() -> None:
    bits = [(1.0, True), (5.0, False), (2.0, False), (3.0, False), (4.0, False)]
    records = [{"bits": b, "chain": chain} for b, chain in bits]
    assert fewest_bits(records) == [2, 3, 4]
    assert fewest_bits(records, 9) == [2, 3, 4, 1]
    assert fewest_bits(records[:1]) == [0]


@pytest.mark.parametrize("lexical", [0, 20])
def test_restarts_may_be_joined(documents: list[Document], lexical: int) -> None:
    options = InduceOptions(
        classes="upos",
        rules="none",
        heads="any",
        restarts=4,
        keep="join",
        limit=10,
        lexical=lexical,
    )
    inducer = Inducer(documents, options)
    events = list(inducer)
    done = events[-1].stats
    by_seed = {record["seed"]: record for record in inducer.restarts}
    fewest = sorted(by_seed, key=lambda seed: (by_seed[seed]["chain"], by_seed[seed]["bits"]))
    assert done["joined"] == fewest[:3]
    assert {e.step.stage for e in events if e.kind == "step" and e.restart == 4} == {"join"}
    assert inducer.grammar is not None
    assert inducer.grammar.history["bits"] == done["bits"]
    assert done["bits"] not in [record["bits"] for record in inducer.restarts]
    in_parallel = Inducer(documents, replace(options, workers=2))
    assert in_parallel.run().history["bits"] == done["bits"]


def test_of_the_recipe_and_of_joined_restarts_the_one_with_fewer_kinds_of_roots_is_kept(
    documents: list[Document],
) -> None:
    options = InduceOptions(
        classes="upos", rules="none", restarts=3, keep="roots", limit=10, lexical=20
    )
    assert [stage.name for stage in options.restart_stages()] == ["short", "long"]
    assert options.stages()[-1].name == "words"
    inducer = Inducer(documents, options)
    events = list(inducer)
    after = dict.fromkeys(e.step.stage for e in events if e.step is not None and e.restart == 3)
    assert list(after) == ["join", *(stage.name for stage in options.stages())]
    done = events[-1].stats
    assert done["roots"] <= done["rival"]
    # A tie is the recipe's own.
    assert ("joined" in done) == (done["roots"] < done["rival"])


def test_the_grammar_that_is_kept_is_reparsed(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = InduceOptions(
        classes="upos", rules="none", restarts=3, keep="roots", limit=10, lexical=20, reparse=1
    )
    entered: list[Grammar] = []

    def spied(grammar: Grammar, *more: Any) -> Generator[float, None, Grammar]:
        entered.append(grammar)
        return taught(grammar, *more)

    monkeypatch.setattr(induction, "taught", spied)
    inducer = Inducer(documents, options)
    events = list(inducer)
    done = events[-1].stats
    assert [event.kind for event in events if event.kind in ("round", "done")] == ["round", "done"]
    assert [grammar.history["bits"] for grammar in entered] == [done["bits"]]
    kept = Inducer(documents, replace(options, reparse=0)).run()
    np.testing.assert_array_equal(entered[0].parameters.attach, kept.parameters.attach)
    assert kept.arcs is None
    assert inducer.grammar is not None
    assert inducer.grammar.arcs is not None
    assert InduceOptions(classes="xpos", restarts=8, keep="roots").rounds == 9


@pytest.mark.parametrize(
    ("given", "kept_by", "runs"),
    [
        ({"classes": "xpos"}, "roots", 8),
        ({"classes": "upos", "rules": "none"}, "roots", 8),
        ({"classes": "upos", "rules": "none", "heads": "content"}, "join", 8),
        ({"classes": "xpos", "heads": "content", "keep": "roots"}, "roots", 8),
        ({"classes": "xpos", "keep": "join"}, "join", 1),
        ({"classes": "xpos", "restarts": 1}, "roots", 1),
        ({"classes": "xpos", "restarts": 3}, "roots", 3),
        ({"classes": "xpos", "keep": "agreement"}, "agreement", 1),
        ({"classes": "xpos", "recipe": "recombine"}, "agreement", 1),
        ({"classes": "upos"}, "agreement", 1),
        ({"classes": "upos", "rules": "function"}, "agreement", 1),
        ({"classes": "12"}, "agreement", 1),
        ({"classes": "form"}, "agreement", 1),
        ({}, "agreement", 1),
    ],
)
def test_roots_decide_where_there_are_tags_and_no_rules(
    given: dict[str, Any], kept_by: str, runs: int
) -> None:
    options = InduceOptions(**{"heads": "any", **given})
    assert (options.kept_by, options.runs) == (kept_by, runs)


def test_content_words_are_heads_by_default() -> None:
    assert InduceOptions().head_convention == "content"
    assert InduceOptions(classes="xpos").kept_by == "join"
    assert InduceOptions(classes="form").head_convention == "any"


def test_where_content_words_are_heads_restarts_are_joined(documents: list[Document]) -> None:
    options = InduceOptions(classes="upos", rules="none", heads="content", limit=10, reparse=0)
    assert [stage.name for stage in options.restart_stages()] == ["short", "long"]
    done = list(Inducer(documents, replace(options, restarts=3)))[-1].stats
    assert len(done["joined"]) == 3
    assert "rival" not in done
    # One start is the whole recipe.
    alone = replace(options, restarts=1)
    assert alone.restart_stages() == alone.stages()


def test_a_start_that_is_given_is_not_started_again(documents: list[Document]) -> None:
    words = corpus(documents, word_classes("upos"), marks="upos")
    parser = supervised(documents, words, "dmv", source="upos", marks="upos")
    options = InduceOptions(classes="upos", rules="none", limit=10, reparse=0)
    inducer = Inducer(documents, options, transfer=parser)
    assert "rival" not in list(inducer)[-1].stats
    assert len(inducer.restarts) == 1


def test_entropy_of_roots() -> None:
    heads = np.array([-1, 0, -1, 0, -1, 0, -1, 0])
    assert root_entropy(np.array([1, 2, 1, 2, 1, 2, 1, 2]), heads) == 0.0
    assert root_entropy(np.array([1, 2, 1, 2, 3, 2, 3, 2]), heads) == 1.0


def test_one_restart_has_nothing_to_join_and_other_ways_to_keep_are_refused(
    documents: list[Document],
) -> None:
    options = InduceOptions(classes="upos", recipe="short-first", rules="none", limit=10)
    alone = Inducer(documents, replace(options, keep="join"))
    assert "joined" not in list(alone)[-1].stats
    with pytest.raises(UsageError, match="keep=most"):
        InduceOptions(keep="most")
