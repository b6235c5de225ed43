"""Learning: what updates do, what they may not do, and that training is repeatable."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from caesura._core import cancel_all
from caesura.document import ROOT, UNKNOWN, YES
from caesura.errors import InputError, ModelError, UsageError
from caesura.learn.joint_parser import (
    DELAYED,
    Learner,
    ParserTrainer,
    Reparsed,
    TrainOptions,
    finish,
    parser_loop,
    recipe_stages,
)
from caesura.learn.loop import Loop
from caesura.learn.tuning import scores
from caesura.models.file import load, save
from caesura.stages.joint_parser import SB, Parser, SearchOptions
from tests.parse.toy import blank, corpus, to_floats

SMALL = TrainOptions(search=SearchOptions(beam=4), bits=12, epochs=2)


@pytest.fixture(autouse=True)
def any_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exhaustive search needs a beam that nobody should ask for."""
    monkeypatch.setattr("caesura.stages.joint_parser.MOST_BEAM", 1 << 16)


def trained(options: TrainOptions, docs=None, epochs: int = 2) -> ParserTrainer:
    trainer = ParserTrainer(docs or corpus(1, 12), (), options)
    for epoch in range(1, epochs + 1):
        trainer.epoch(epoch)
    return trainer


def weights_of(learner: Learner, *, totals: bool = False) -> np.ndarray:
    """The table of all weights, or of their totals."""
    places, *values = learner.weights.entries()
    table = np.zeros(len(learner.weights) * learner.weights.width, np.float32)
    table[places.astype(np.int64)] = values[totals]
    return table


@pytest.mark.parametrize("update", ["dlaso", "max-violation", "early", "laso", "greedy"])
@pytest.mark.parametrize("step", ["perceptron", "pa"])
def test_every_update_learns(update, step) -> None:
    trainer = trained(replace(SMALL, update=update, step=step), corpus(1, 30, 3), epochs=6)
    dev = corpus(2, 4)
    assert scores(dev, trainer.parser().analyse(dev), trainer.inventory)["LAS"] > 70


def test_a_run_of_sentences_sees_the_words_after_it() -> None:
    docs = corpus(1, 2, 6)
    options = replace(SMALL, chunk=2, ahead=2, update="laso")
    trainer = ParserTrainer(docs, (), options)
    plain = ParserTrainer(docs, (), replace(options, ahead=0))
    for one, other in zip(trainer.instances(1), plain.instances(1), strict=True):
        assert len(one.words.context) == len(other.words.context) + one.ahead
        actions, without = trainer.learner.derivation(one), plain.learner.derivation(other)
        if not one.ahead:  # the end of the document
            assert actions.tolist() == without.tolist()
            continue
        # The boundary after the run is announced when its last word was taken, nothing else.
        at = int(np.flatnonzero(actions == SB)[-1])
        assert np.delete(actions, at).tolist() == without.tolist()
        assert np.count_nonzero(actions == SB) == np.count_nonzero(one.starts)
    assert {one.ahead for one in trainer.instances(1)} == {0, 2}
    assert trainer.epoch(1)["updates"] > 0


def test_words_ahead_are_seen_before_early_boundaries_alone() -> None:
    with pytest.raises(UsageError, match="early boundaries, not late"):
        replace(SMALL, ahead=2, boundaries="late", single_root=False)


def test_a_parser_that_learned_greedily_decides_greedily(tmp_path) -> None:
    options = TrainOptions(search=SearchOptions(beam=4, margin=2.0), bits=12, update="greedy")
    trainer = trained(options)
    assert trainer.parser().search == SearchOptions(beam=1, margin=2.0)
    save(tmp_path / "greedy.caesura", trainer.parts())
    parser = Parser.load(tmp_path / "greedy.caesura")
    assert parser.search.beam == 1
    assert trained(replace(options, update="laso")).parser().search.beam == 4
    docs = corpus(2, 4)
    for parse, other in zip(parser.analyse(docs), trainer.parser().analyse(docs), strict=True):
        assert parse.heads.tolist() == other.heads.tolist()


@pytest.mark.parametrize("delayed", DELAYED)
def test_delayed_updates_learn_as_one_step_as_many_and_in_turn(delayed) -> None:
    trainer = trained(replace(SMALL, dlaso_pa=delayed), corpus(1, 30, 3), epochs=6)
    dev = corpus(2, 4)
    assert scores(dev, trainer.parser().analyse(dev), trainer.inventory)["LAS"] > 70


def test_passive_aggressive_steps_for_every_update_need_a_cap() -> None:
    unbounded = replace(SMALL, step="pa")
    with pytest.raises(UsageError, match="grow without bound"):
        replace(unbounded, dlaso_pa="per-update")
    trainer = trained(replace(unbounded, dlaso_pa="per-update", cap=0.1), corpus(1, 30, 3))
    dev = corpus(2, 4)
    assert scores(dev, trainer.parser().analyse(dev), trainer.inventory)["LAS"] > 50
    learner = trainer.learner
    places = np.zeros(1, np.uint64)
    for huge in (1e30, np.nan):
        learner.weights.set_entries(places, np.full(1, huge, np.float32), np.zeros(1, np.float32))
        with pytest.raises(UsageError, match="grow without bound"):
            trainer.parser()


def test_in_turn_the_same_mistake_is_mended_once() -> None:
    """Without weights every sentence of a document goes wrong alike."""
    docs = corpus(3, 1, 30)
    largest = {}
    for delayed in ("accumulated", "in-turn"):
        options = replace(SMALL, chunk=0, step="perceptron", dlaso_pa=delayed)
        trainer = trained(options, docs, epochs=1)
        assert len(trainer.learner.core.updates) > 30
        largest[delayed] = np.abs(weights_of(trainer.learner)).max()
    assert largest["in-turn"] < largest["accumulated"] / 4


def test_in_turn_by_the_loss_gold_has_to_lead_by_the_errors() -> None:
    """More is left to mend than by who is ahead, and less than if nothing were looked at again."""
    docs = corpus(3, 1, 30)
    moved = {}
    for delayed in ("in-turn", "in-turn-loss", "per-update"):
        options = replace(SMALL, chunk=0, step="perceptron", dlaso_pa=delayed)
        moved[delayed] = np.abs(weights_of(trained(options, docs, epochs=1).learner)).sum()
    assert moved["in-turn"] < moved["in-turn-loss"] < moved["per-update"]


def test_features_that_an_update_has_no_room_for_are_counted(monkeypatch) -> None:
    docs, told = corpus(1, 4), []
    options = replace(SMALL, chunk=0, dlaso_pa="accumulated")
    assert "dropped" not in ParserTrainer(docs, (), options, warn=told.append).epoch(1)
    assert not told
    monkeypatch.setattr("caesura.learn.joint_parser._MOST_BITS", 8)
    stats = ParserTrainer(docs, (), options, warn=told.append).epoch(1)
    assert stats["dropped"] > 0
    (warning,) = told
    assert f"{stats['dropped']:,.0f} features" in str(warning)


def test_shares_of_the_gold_sequence() -> None:
    docs = corpus(3, 8, 12)
    shares = {}
    for update in ("dlaso", "max-violation", "early"):
        options = replace(SMALL, update=update, chunk=0, step="perceptron")
        shares[update] = ParserTrainer(docs, (), options).epoch(1)["share"]
    assert shares["dlaso"] == 1.0
    assert shares["early"] < 0.5
    assert shares["max-violation"] <= 1.0


@pytest.mark.parametrize("update", ["dlaso", "max-violation", "early"])
def test_every_update_is_a_violation(update) -> None:
    """score(prediction) >= score(gold) since their common ancestor, for each recorded pair."""
    trainer = ParserTrainer(corpus(4, 6), (), replace(SMALL, update=update))
    learner = trainer.learner
    seen = 0
    for instance in trainer.instances(1):
        actions = learner.derivation(instance)
        learner.run([instance])
        for gold, predicted, step in learner.core.updates:
            assert predicted >= gold - 1e-6
            assert 0 < step <= len(actions)
            seen += 1
    assert seen >= 5


def test_dlaso_with_an_unlimited_beam_is_the_structured_perceptron() -> None:
    """Gold never falls out of the beam, so the only update is that of the full sequences."""
    doc = corpus(5, 1)[0].cut(0, 3)
    doc.head = np.array([2, 2, ROOT], np.int32)
    doc.set_column("deprel", ["det", "nsubj", "root"])
    docs = [doc]
    wide = replace(SMALL, search=SearchOptions(beam=60_000), bits=10, boundaries="none")
    tables = []
    for update in ("dlaso", "early"):
        trainer = ParserTrainer(docs, (), replace(wide, update=update, step="perceptron"))
        for epoch in (1, 2, 3):
            trainer.epoch(epoch)
            assert len(trainer.learner.core.updates) <= 1
        tables.append(weights_of(trainer.learner))
    assert np.array_equal(*tables)


def test_averages_are_those_of_a_running_sum() -> None:
    trainer = ParserTrainer(corpus(6, 4), (), replace(SMALL, step="perceptron"))
    learner = trainer.learner
    total = np.zeros(len(learner.weights) * learner.weights.width)
    # Tick t changes the weights that hold from then on; the average is over ticks 1..n.
    for instance in trainer.instances(1):
        total += weights_of(learner)
        learner.run([instance])
    expected = total / learner.ticks
    found = weights_of(learner) - weights_of(learner, totals=True) / learner.ticks
    assert np.allclose(found, expected, atol=1e-3)
    table = trainer.parser().rows
    rounded = to_floats(table.table(), table.unit)
    assert np.abs(rounded.ravel() - found).max() <= np.abs(found).max() / 127


def test_same_seed_same_weights() -> None:
    a, b = trained(SMALL), trained(SMALL)
    assert np.array_equal(weights_of(a.learner), weights_of(b.learner))
    c = trained(replace(SMALL, seed=2))
    assert not np.array_equal(weights_of(a.learner), weights_of(c.learner))


def test_mixing_does_not_depend_on_threads() -> None:
    tables = [
        weights_of(trained(replace(SMALL, shards=3, threads=threads)).learner)
        for threads in (1, 2, 3)
    ]
    assert np.array_equal(tables[0], tables[1])
    assert np.array_equal(tables[0], tables[2])


def test_an_interrupted_run_goes_on_to_the_same_result(tmp_path) -> None:
    docs, dev = corpus(1, 8), corpus(2, 2)
    whole = Loop(ParserTrainer(docs, dev, SMALL), 3, metric="mean")
    whole.run()
    path = tmp_path / "checkpoint"
    first = Loop(ParserTrainer(docs, dev, SMALL), 2, metric="mean", checkpoint=path)
    first.run()
    again = Loop(ParserTrainer(docs, dev, SMALL), 3, metric="mean", checkpoint=path, resume=True)
    again.run()
    assert [e.scores for e in whole.history] == [e.scores for e in again.history]


def test_a_model_file_parses_as_before(toy_parser: Parser, tmp_path) -> None:
    save(tmp_path / "m", {"parser": toy_parser.to_part()})
    again = Parser.from_part(load(tmp_path / "m").part("parser"))
    docs = corpus(9, 3)
    for a, b in zip(toy_parser.analyse(docs), again.analyse(docs), strict=True):
        assert np.array_equal(a.heads, b.heads)
        assert np.array_equal(a.labels, b.labels)
        assert np.allclose(a.arc_margins, b.arc_margins)


# --------------------------------------------------------- trees that are not as they should be


def test_bad_trees_are_used_where_they_can_be() -> None:
    docs = corpus(7, 6)
    told: list[str] = []
    first, second, third = docs[:3]
    bounds = np.flatnonzero(first.word_sent_start == YES)
    first.head[bounds[0]], first.head[bounds[0] + 1] = bounds[0] + 1, bounds[0]  # a cycle
    roots = np.flatnonzero(second.head == ROOT)
    second.head[roots[0] - 1] = ROOT  # two roots
    third.head[:4] = UNKNOWN  # a partial tree
    trainer = ParserTrainer(docs, (), SMALL, warn=lambda warning: told.append(str(warning)))
    stats = trainer.epoch(1)
    assert (stats["cyclic"], stats["several_roots"], stats["partial"]) == (1, 1, 1)
    assert "skipped" not in stats
    assert any("a cycle" in line for line in told)
    assert any("several roots" in line for line in told)


def test_no_tree_at_all() -> None:
    with pytest.raises(InputError, match="no root"):
        ParserTrainer([blank_with_sentences()], (), SMALL)


def blank_with_sentences():
    doc = corpus(8, 1)[0]
    plain = blank(doc)
    plain.sent_start = doc.sent_start
    return plain


@pytest.mark.parametrize("boundaries", ["late", "latent"])
def test_late_and_latent_boundaries(boundaries) -> None:
    options = replace(SMALL, boundaries=boundaries, single_root=False)
    trainer = trained(options, epochs=3)
    dev = corpus(2, 4)
    result = scores(dev, trainer.parser().analyse(dev), trainer.inventory)
    assert result["Starts"] > 60


def test_a_single_root_needs_early_boundaries() -> None:
    with pytest.raises(UsageError, match="single root cannot be guaranteed with late"):
        TrainOptions(boundaries="late")


# --------------------------------------------------------------------------------------- recipes


@pytest.mark.parametrize("recipe", ["joint", "gold", "nosyntax", "joint-reparsed"])
def test_recipes(recipe: str) -> None:
    parsers = [
        Parser.from_part(parser_loop(corpus(1, 12), corpus(2, 2), own).run()["parser"])
        for _, own in recipe_stages(recipe, SMALL).values()
    ]
    parser = Reparsed(*parsers) if len(parsers) == 2 else parsers[0]
    dev = corpus(3, 3)
    docs = [blank(doc) for doc in dev]
    if recipe == "gold":
        with pytest.raises(InputError, match="trained on single sentences"):
            parser.parse(docs)
        for doc, gold in zip(docs, dev, strict=True):
            doc.sent_start = gold.sent_start
    parser.parse(docs)
    assert isinstance(parser, Reparsed) == (recipe == "joint-reparsed")
    starts = sum(int((a.sent_start == b.sent_start).sum()) for a, b in zip(docs, dev, strict=True))
    assert starts > 0.8 * sum(doc.n_tokens for doc in dev)


def test_an_unknown_recipe_is_refused() -> None:
    with pytest.raises(UsageError, match="no recipe 'best'"):
        recipe_stages("best", SMALL)


def test_chains_and_dropout() -> None:
    docs = corpus(1, 8)
    spoken = corpus(1, 8)
    options = replace(SMALL, dropout=0.5)
    trainer = ParserTrainer(docs, (), options, unedited=spoken)
    assert trainer.epoch(1)["updates"] > 0
    with pytest.raises(InputError, match="unedited"):
        ParserTrainer(docs, (), options, unedited=spoken[:3])


def test_calibrated_confidences(toy_parser: Parser) -> None:
    held = corpus(21, 12)
    parser = finish(toy_parser, held, tune=True)
    doc = blank(corpus(22, 1)[0])
    parser.parse(doc, confidence=True)
    assert doc.sent_conf is not None
    assert doc.arc_conf is not None
    assert np.all((doc.arc_conf >= 0) & (doc.arc_conf <= 1))
    assert doc.sent_conf[doc.sent_start == YES].min() > doc.sent_conf[doc.sent_start != YES].mean()
    assert set(parser.calibration) == {"arcs", "starts"}
    assert math.isfinite(parser.search.bonus)


def test_a_forced_arc_is_not_certain_and_a_given_one_is(toy_parser: Parser) -> None:
    """The last arc of a sentence goes to the root, whatever went wrong before it."""
    held = corpus(21, 12)
    for doc in held[:6]:
        doc.head[doc.head == ROOT] = 0
    parser = finish(toy_parser, held)
    doc = blank(corpus(22, 1)[0])
    parser.parse(doc, confidence=True)
    assert doc.arc_conf is not None
    assert doc.arc_conf[doc.head == ROOT].max() < 0.9
    again = replace(doc, fixed=frozenset({"heads", "sentences"}))
    parser.parse(again, confidence=True)
    assert again.arc_conf is not None
    assert np.all(again.arc_conf == 1)


def test_a_learner_makes_room() -> None:
    trainer = ParserTrainer(corpus(1, 1, 60), (), replace(SMALL, chunk=0))
    assert isinstance(trainer.learner, Learner)
    assert trainer.epoch(1)["share"] == 1.0


def test_a_long_instance_can_be_cancelled() -> None:
    trainer = ParserTrainer(
        corpus(1, 1, 300), (), replace(SMALL, chunk=0, search=SearchOptions(beam=512))
    )
    [instance] = trainer.instances(1)
    actions = trainer.learner.derivation(instance)
    assert actions is not None
    timer = threading.Timer(0.2, cancel_all)
    clock = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        trainer.learner.run([instance])
    assert time.perf_counter() - clock < 1.0
    # The same learner goes on with other instances.
    short = ParserTrainer(corpus(1, 4), (), trainer.options).instances(1)
    assert trainer.learner.run(short).instances == len(short)


def test_templates_that_tell_nothing_are_left_out() -> None:
    trainer = ParserTrainer(corpus(1, 2), (), SMALL)
    used = " ".join(trainer.chosen)
    assert "s0.p" in used
    assert "break" in used
    assert not any(atom in used for atom in ("s0.x", "s0.m", "s0.c", "speaker", "evidence"))
    assert trainer.parser().templates == trainer.chosen


def test_without_tags() -> None:
    trainer = trained(replace(SMALL, tags=False), epochs=4)
    dev = corpus(2, 4)
    assert trainer.tags == ()
    assert scores(dev, trainer.parser().analyse(dev), trainer.inventory)["LAS"] > 70


def test_a_parser_that_chooses_tags_is_refused(toy_parser: Parser) -> None:
    part = toy_parser.to_part()
    part.config["choices"] = 3
    with pytest.raises(ModelError, match="chooses among several tags"):
        Parser.from_part(part)
