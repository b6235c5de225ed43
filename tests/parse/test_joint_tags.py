"""SHIFT chooses among the tags of a word: twin, brute force, given tags, walks, learning, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from research.joint_stream import JointStream

from caesura.document import Document, KBestTags
from caesura.errors import UsageError
from caesura.learn.templates import in_order
from caesura.models.file import load, save
from caesura.parse.constraints import no_limits
from caesura.parse.joint_tags import fill_option, score_options, with_choices
from caesura.parse.learning.trainer import ParserTrainer
from caesura.parse.options import SearchOptions, TrainOptions
from caesura.parse.parser import Parser
from caesura.parse.scorers.compact import compact
from caesura.parse.scorers.dispatch import score_into
from caesura.parse.scorers.features import (
    CHOICE_TEMPLATES,
    COLUMNS,
    DEFAULT_TEMPLATES,
    compile_templates,
    vocabulary,
)
from caesura.parse.scorers.linear import find_rows, new_choosing, new_scratch
from caesura.parse.scorers.linear8 import Linear8, new_scratch8
from caesura.parse.scorers.slots import fill_slots
from caesura.parse.transitions import joint
from caesura.parse.transitions.graph_stack import CHOICE, RECENT, SWAPPED, TOKEN, new_arena
from caesura.parse.transitions.inventory import CHOICE_BITS, SHIFT, Inventory
from caesura.parse.word_table import Choice, Hasher, words_of
from tests.parse.test_search import doc_of, is_forest
from tests.parse.test_transitions import choices
from tests.parse.toy import blank, corpus
from tests.reference import parse as naive

TAGS = ["NOUN", "VERB", "ADJ", "ADV"]
SMALL = TrainOptions(search=SearchOptions(beam=4), bits=14, epochs=4, choices=2, choice_floor=0.0)


@pytest.fixture(autouse=True)
def any_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exhaustive search needs a beam that nobody should ask for."""
    monkeypatch.setattr("caesura.parse.options.MOST_BEAM", 1 << 16)


def with_options(doc: Document, rng: np.random.Generator, k: int = 3) -> Document:
    """Random tags for every word, of which some words have one only; the first is the best."""
    tags = np.array([rng.permutation(TAGS)[:k] for _ in range(doc.n_words)])
    sure = np.sort(rng.dirichlet(np.ones(k), doc.n_words).astype(np.float32), axis=1)[:, ::-1]
    sure = np.where(rng.random((doc.n_words, k)) < 0.7, sure, 0)
    sure[:, 0] = np.maximum(sure[:, 0], np.float32(0.1))
    ids = doc.strings.ids(tags.ravel().tolist()).reshape(-1, k)
    lemmas = doc.strings.ids([f"{tag}-lemma" for tag in tags.ravel()]).reshape(-1, k)
    doc.upos, doc.lemma = ids[:, 0].copy(), lemmas[:, 0].copy()
    doc.tag_options = KBestTags("upos", ids, sure.astype(np.float32), {"lemma": lemmas})
    return doc


def random_parser(seed: int, k: int = 3, **search) -> Parser:
    """A parser with small random weights that chooses tags without any pattern."""
    rng = np.random.default_rng(seed)
    inventory = Inventory(("dep", "root"), (0,), (0,), (1,), choices=k)
    table = rng.integers(-20, 20, (1 << 12, 32)).astype(np.int8)
    table[:, -1] = rng.integers(0, 3, 1 << 12)
    parser = Parser(
        inventory,
        ("s0.wp", "s1.p s0.w", "b0.w flags", "t1", "b0-1.p", "s0l.p", "s0+1.p", "s1r.p length"),
        compact(table),
        0.5,
        tags=("upos",),
        choice=Choice(k, 0.0),
        search=SearchOptions(trust=2.0),
        choice_templates=("a.wp", "a.rank a.prob", "a.p s0.p", "a.p b1.p", "a.p b0-1.p"),
    )
    return parser.with_search(**search) if search else parser


def test_rows_equal_those_of_the_twin() -> None:
    rng = np.random.default_rng(5)
    k, size = 3, 1 << 16
    inventory = Inventory(
        ("dep", "mod", "root"), (0, 1), (0, 1), (2,), single_root=False, choices=k
    )
    system, limits = inventory.system(), no_limits()
    labels = {name: n for n, name in enumerate(inventory.labels)}
    templates = compile_templates(DEFAULT_TEMPLATES)
    ordered, _ = in_order(DEFAULT_TEMPLATES, vocabulary())
    of_tags, _ = in_order(CHOICE_TEMPLATES, vocabulary(option=True))
    choosing = new_choosing(CHOICE_TEMPLATES)
    names = ["SHIFT", "SWAP", "SB", "LA", "LA", "RA", "RA", "RA"]
    checked = 0
    for doc in corpus(3, 3, 4):
        words = words_of(with_options(doc, rng, k), Hasher(), choice=Choice(k, 0.0))
        table, context = words.table.tolist(), words.context.tolist()
        scratch, arena = new_scratch(templates, 32), new_arena(500, 1000)
        twin, item, history, chosen = naive.Configuration.initial(doc.n_words), 0, [], {}
        while not twin.terminal:
            fill_slots(scratch, words, arena, item)
            find_rows(scratch.rows, scratch.slots, templates, size, 0, len(templates.seeds))
            found = naive.atoms(twin, history, labels, table, context, COLUMNS, chosen, k)
            assert scratch.rows.tolist() == [
                naive.row(template, seed, found, size)
                for template, seed in zip(ordered, templates.seeds.tolist(), strict=True)
            ]
            action = int(rng.choice(choices(joint.legal(system, arena, item, doc.n_words), system)))
            code = action
            if action == SHIFT and arena.items[item, SWAPPED] < 0:
                word = twin.buffer[0]
                choice = chosen[word] = int(rng.choice(np.flatnonzero(words.choices[word])))
                code += choice << CHOICE_BITS
                fill_option(scratch.slots, words, word, choice)
                rows = len(choosing.rows)
                find_rows(choosing.rows, scratch.slots, choosing.templates, size, 0, rows)
                own = found | naive.option_atoms(
                    word, choice, table, words.choices.tolist(), COLUMNS
                )
                seeds = choosing.templates.seeds.tolist()
                assert choosing.rows.tolist() == [
                    naive.row(template, seed, own, size)
                    for template, seed in zip(of_tags, seeds, strict=True)
                ]
                checked += choice > 0
            item = joint.apply(system, limits, arena, item, code)
            label = inventory.labels[system.labels[action]] if action > 2 else ""
            twin = naive.apply(twin, (names[action], label))
            history.append(action)
    assert checked > 10


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_unlimited_beam_is_exhaustive_search_over_trees_and_tags(n: int) -> None:
    for seed in range(3):
        parser = random_parser(seed, 2, beam=40_000)
        doc = doc_of(" ".join("abcdef"[(seed + i) % 6] for i in range(n)))
        with_options(doc, np.random.default_rng(seed), 2)
        [found] = parser.k_best_parses(doc, 1)
        assert found.score == pytest.approx(best_by_brute_force(parser, doc))


def best_by_brute_force(parser: Parser, doc: Document) -> float:
    system, words = parser.inventory.system(), parser.words(doc)
    templates = compile_templates(parser.templates, decoding=True)
    scratch, choosing = new_scratch8(templates, 32), new_choosing(parser.choice_templates)
    scorer = Linear8(parser.rows, parser.unit, templates, scratch, choosing)
    arena = new_arena(200, 400)
    n = doc.n_words
    best = -np.inf

    def extend(item: int, total: float) -> None:
        nonlocal best
        if joint.is_terminal(arena, item, n):
            best = max(best, total)
            return
        scores, of_tags = np.zeros(32, np.float32), np.zeros(16, np.float32)
        score_into(scorer, words, arena, item, scores)
        moves = [
            (a, float(scores[a])) for a in choices(joint.legal(system, arena, item, n), system)
        ]
        state = arena.items[item].copy()
        if moves[0][0] == SHIFT and state[SWAPPED] < 0:
            word = int(state[4])
            score_options(scorer, words, word, parser.search.trust, of_tags)
            moves[:1] = [
                (SHIFT + (tag << CHOICE_BITS), moves[0][1] + float(of_tags[tag]))
                for tag in np.flatnonzero(words.choices[word]).tolist()
            ]
        used = arena.used.copy()
        for action, score in moves:
            extend(joint.apply(system, no_limits(), arena, item, action), total + score)
            arena.used[:] = used

    extend(0, 0.0)
    return float(best)


@pytest.mark.parametrize("seed", range(3))
def test_random_walks_keep_the_tags_they_chose(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = 4
    system = Inventory(("dep", "root"), (0,), (0,), (1,), choices=k).system()
    arena = new_arena(2000, 4000)
    for _ in range(300):
        n = int(rng.integers(1, 12))
        arena.used[:] = 1
        item, chosen = 0, []
        while not joint.is_terminal(arena, item, n):
            options = choices(joint.legal(system, arena, item, n), system)
            assert options, "dead end"
            action = int(rng.choice(options))
            if action == SHIFT and arena.items[item, SWAPPED] < 0:
                chosen.append(int(rng.integers(k)))
                action += chosen[-1] << CHOICE_BITS
            item = joint.apply(system, no_limits(), arena, item, action)
            for ago, choice in enumerate(chosen[::-1][:7]):
                assert arena.items[item, RECENT] >> 4 * ago & 15 == choice
        for node in arena.nodes[1 : arena.used[0]]:
            assert node[CHOICE] == node[TOKEN] * k + chosen[node[TOKEN]]


@pytest.mark.parametrize("beam", [1, 4])
def test_the_chosen_tags_come_out_with_what_belongs_to_them(beam: int) -> None:
    rng = np.random.default_rng(beam)
    doc = with_options(doc_of(" ".join(rng.choice(list("abcdefgh"), 60))), rng)
    doc.tag_conf = doc.tag_options.probabilities[:, 0].copy()
    parser = random_parser(beam, beam=beam)
    [parse] = parser.analyse([doc])
    before = doc.upos.copy()
    parser.write(doc, parse)
    words = np.arange(doc.n_words)
    assert parse.choices.any()
    assert np.any(doc.upos != before)
    assert np.array_equal(doc.upos, doc.tag_options.ids[words, parse.choices])
    assert np.array_equal(doc.tag_conf, doc.tag_options.probabilities[words, parse.choices])
    assert doc.column("lemma") == [f"{tag}-lemma" for tag in doc.column("upos")]
    assert np.all(doc.tag_options.probabilities[words, parse.choices] > 0)
    assert is_forest(doc)


def test_without_options_every_word_keeps_its_tag() -> None:
    doc = with_options(doc_of("a b c d e f"), np.random.default_rng(1))
    doc.tag_options = None
    before = doc.upos.copy()
    random_parser(1).parse(doc)
    assert np.array_equal(doc.upos, before)


def test_a_tag_that_somebody_decided_is_kept() -> None:
    rng = np.random.default_rng(3)
    doc = with_options(doc_of(" ".join(rng.choice(list("abcdefgh"), 50))), rng)
    given = rng.random(doc.n_words) < 0.5
    doc.upos = np.where(given, doc.strings.ids(["X"])[0], doc.upos).astype(np.int32)
    random_parser(3).parse(doc)
    tags = np.array(doc.column("upos"))
    assert set(tags[given]) == {"X"}
    assert "X" not in tags[~given]


@pytest.mark.parametrize("size", [3, 20])
def test_a_stream_chooses_as_the_whole_document_does(size: int) -> None:
    rng = np.random.default_rng(7)
    doc = with_options(corpus(7, 1, 40)[0], rng)
    parser = random_parser(7, beam=3, patience=400)
    whole = parser.analyse([doc])[0]
    stream, found, heads = JointStream(parser), [], []
    for at in range(0, doc.n_tokens, size):
        piece = doc.cut(at, min(at + size, doc.n_tokens))
        parse = stream.feed(piece, last=at + size >= doc.n_tokens)
        heads += [h + len(heads) if h >= 0 else h for h in parse.heads.tolist()]
        found += parse.choices.tolist()
    assert found == whole.choices.tolist()
    assert heads == whole.heads.tolist()


# ------------------------------------------------------------------------------------- learning


def doubtful(seed: int, documents: int) -> tuple[list[Document], list[Document]]:
    """Toy documents whose tagger takes a fifth of nouns and verbs for the other, and the gold."""
    gold = corpus(seed, documents)
    rng = np.random.default_rng(seed)
    found = []
    for doc in gold:
        noun, verb = doc.strings.ids(["NOUN", "VERB"]).tolist()
        open_ = np.isin(doc.upos, [noun, verb])
        wrong = open_ & (rng.random(doc.n_words) < 0.2)
        other = np.where(doc.upos == noun, verb, noun)
        best = np.where(wrong, other, doc.upos)
        second = np.where(open_, np.where(wrong, doc.upos, other), 0)
        sure = np.where(open_[:, None], [0.6, 0.4], [1.0, 0.0]).astype(np.float32)
        new = replace(doc, upos=best.astype(np.int32))
        ids = np.stack([best, second], axis=1).astype(np.int32)
        new.tag_options = KBestTags("upos", ids, sure, right=wrong.astype(np.int32))
        found.append(new)
    return found, gold


def accuracy(docs: list[Document], gold: list[Document]) -> float:
    same = [a.upos == b.upos for a, b in zip(docs, gold, strict=True)]
    return float(np.concatenate(same).mean())


@pytest.mark.parametrize("update", ["dlaso", "max-violation", "laso"])
def test_syntax_overrules_the_tagger(update, tmp_path: Path) -> None:
    trainer = ParserTrainer(doubtful(1, 20)[0], (), replace(SMALL, update=update))
    for epoch in range(1, 5):
        trainer.epoch(epoch)
    parser = trainer.parser()
    docs, gold = doubtful(2, 6)
    before = accuracy(docs, gold)
    blanks = [blank(doc) for doc in docs]
    parser.parse(blanks)
    assert before < 0.95
    assert accuracy(blanks, gold) > 0.99
    # The model file carries the choice, and comes back the same.
    save(tmp_path / "m.caesura", trainer.parts())
    again = Parser.from_part(load(tmp_path / "m.caesura").part("parser"))
    assert again.choice == Choice(2, 0.0)
    assert again.search.trust == parser.search.trust == 0.3
    assert again.choice_templates == parser.choice_templates
    for a, b in zip(parser.analyse(docs), again.analyse(docs), strict=True):
        assert np.array_equal(a.choices, b.choices)
        assert np.array_equal(a.heads, b.heads)


def test_a_file_without_choices_loads_as_before(toy_parser: Parser) -> None:
    part = toy_parser.to_part()
    assert not any(name.startswith("choice") for name in part.config)
    assert Parser.from_part(part).choice.most == 1


def test_gold_derivations_choose_the_right_tags_also_of_partial_trees() -> None:
    docs, _ = doubtful(3, 4)
    docs[0].head[3] = -2
    trainer = ParserTrainer(docs, (), SMALL)
    for instance in trainer.instances(1):
        actions = trainer.learner.derivation(instance)
        assert actions is not None
        fresh = with_choices(actions & 0xFFFF, instance.choices, CHOICE_BITS)
        assert np.array_equal(fresh, actions)
        assert np.sum(actions >> CHOICE_BITS) == np.sum(instance.choices)


def test_the_right_tag_counts_only_where_it_may_be_chosen() -> None:
    docs, _ = doubtful(4, 2)
    far = ParserTrainer(docs, (), replace(SMALL, choice_floor=0.9))
    assert not any(instance.choices.any() for instance in far.instances(1))


def test_seventeen_tags_are_too_many() -> None:
    with pytest.raises(UsageError, match="choices is 17"):
        TrainOptions(choices=17)
