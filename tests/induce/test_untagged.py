"""Induction without tags: classes by context, frequent words, predicates, votes."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.cli import run
from caesura.cluster import cluster
from caesura.cluster.clustering import sentences_of
from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.induce import Grammar, InduceOptions, Inducer, checkpoint, class_number
from caesura.induce.arc_model import arc_places, arc_posteriors, arc_trees, tree_arcs, vote
from caesura.induce.class_number import USUAL, fewest, held_out_bits, numbers_tried
from caesura.induce.context import (
    FREQUENT,
    MARKS,
    PREDICATE,
    find_predicates,
    in_most_sentences,
    learn_context,
)
from caesura.induce.corpus import corpus
from caesura.induce.inference import least_risk
from caesura.induce.parameters import find_model, uniform
from caesura.induce.selection import bits_per_word
from caesura.induce.word_classes import (
    WordClassifier,
    classifier_of,
    group_frequent,
    learn_classifier,
    regroup,
)
from caesura.tokenize import RuleTokenizer

# ------------------------------------------------------------------------------------------ context

NOUNS = [f"n{letter}" for letter in "abcdefghijkl"]
VERBS = [f"v{letter}" for letter in "abcdefghijkl"]


def sentences(number: int = 600) -> list[list[str]]:
    """DET NOUN to VERB a NOUN, where `work` is a noun and a verb."""
    rng = np.random.default_rng(0)

    def one(words: list[str]) -> str:
        return "work" if rng.random() < 0.3 else str(rng.choice(words))

    return [
        [str(rng.choice(["The", "A"])), one(NOUNS), "has", "to", one(VERBS), "the", one(NOUNS), "."]
        for _ in range(number)
    ]


def text(number: int = 60) -> Document:
    lines = (" ".join(words) for words in sentences(number))
    return RuleTokenizer().tokenize(Document(" ".join(lines)))


def test_a_word_has_the_class_that_its_neighbours_ask_for() -> None:
    classifier = learn_classifier(sentences(), "5", context=10)
    doc = RuleTokenizer().tokenize(Document("The work has to work the na . The na has to va ."))
    of = dict(zip(range(doc.n_words), classifier.classify(doc), strict=True))
    assert of[1] != of[4]
    assert of[1] == of[6] == of[9]  # noun
    assert of[4] == of[12]  # verb
    assert of[0] == of[5] == of[8]  # article, at the beginning and inside
    assert of[7] == MARKS[0]


def test_frequent_words_of_a_class_are_parted_from_the_rest() -> None:
    known = learn_classifier(sentences(), "5", context=10)
    apart = regroup(sentences(), known, words=2)
    doc = RuleTokenizer().tokenize(Document("The work has to work the na ."))
    before, after = known.classify(doc), apart.classify(doc)
    changed = [form for form, a, b in zip(doc.column("form"), before, after, strict=True) if a != b]
    assert changed == ["The", "has", "the"]  # the two most frequent, in any case
    assert after[0] == f"{before[0]} frequent"
    assert after[1] != after[4]  # still by context


def test_frequent_words_are_seldom_heads_where_content_words_are_to_be() -> None:
    options = InduceOptions(classes="5", context=10, heads="content")
    grammar = Inducer([text(300)], options).run()
    doc = grammar.parse(text())
    apart = [kind.endswith(FREQUENT) for kind in grammar.classifier.classify(doc)]
    assert any(apart)
    assert not any(apart[head] for head in doc.head.tolist() if head >= 0)


def test_all_words_stay_in_their_classes_where_none_is_to_be_parted() -> None:
    options = InduceOptions(classes="4", context=3, frequent=0)
    assert not any("frequent" in name for name in Inducer([text()], options).run().names)


def test_unknown_words_are_classed_by_their_neighbours() -> None:
    classifier = learn_classifier(sentences(), "5", context=10)
    doc = RuleTokenizer().tokenize(Document("The zwx has to zwx the na ."))
    kinds = classifier.classify(doc)
    known = classifier.classify(RuleTokenizer().tokenize(Document("The na has to va the na .")))
    assert kinds == known


def test_marks_tell_what_they_do() -> None:
    found = learn_context([["(", "a", "-", "b", ")", ",", "c", "?"]] * 9, 2, 1, 5, 14)
    doc = RuleTokenizer().tokenize(Document("(a) - b, c!"))
    marks = [name for name in found.classify(doc) if name in MARKS]
    assert marks == [MARKS[1], MARKS[2], MARKS[3], MARKS[4], MARKS[0]]


def test_a_grammar_by_context_is_written_and_read(tmp_path: Path) -> None:
    grammar = Inducer([text()], InduceOptions(classes="4", context=3)).run()
    assert grammar.classifier.context is not None
    assert grammar.classifier.context.frequent
    part = grammar.to_part()
    again = Grammar.from_part(part)
    assert again.classifier.classify(text()) == grammar.classifier.classify(text())
    assert (again.parse(text()).head == grammar.parse(text()).head).all()
    part.arrays["context move"] = part.arrays["context move"] * 9.0
    with pytest.raises(ModelError, match="no probability"):
        Grammar.from_part(part)


def test_an_interrupted_induction_keeps_its_classes(tmp_path: Path) -> None:
    options = InduceOptions(classes="4", context=3)
    whole = Inducer([text()], options).run()
    path = tmp_path / "kept"
    events = iter(Inducer([text()], options, checkpoint=path))
    for event in events:
        if event.kind == "step":
            break
    events.close()
    resumed = Inducer([text()], options, checkpoint=path, resume=True).run()
    np.testing.assert_array_equal(resumed.parameters.attach, whole.parameters.attach)


@pytest.mark.parametrize(
    "settings", [{"classes": "upos"}, {"classes": "auto"}, {"morphology": 3.0}, {"context": -1}]
)
def test_context_needs_a_number_of_classes(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="context="):
        InduceOptions(**{"context": 10, **settings})  # type: ignore[arg-type]


def test_groups_of_frequent_words_do_not_go_with_context(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(text().text, encoding="utf-8")
    call = ["induce", str(file), "-o", str(tmp_path / "g"), "--groups", "5", "--set", "context=3"]
    assert run(call) == 2
    assert "--groups does not go with context=3" in capsys.readouterr().err


# ----------------------------------------------------------------------------------- frequent words

MANY_NOUNS = [f"n{i}" for i in range(60)]
MANY_VERBS = [f"v{i}" for i in range(60)]


def with_prepositions(number: int = 2000) -> list[list[str]]:
    """DET NOUN (PREP DET NOUN) VERB DET NOUN, with three articles and three prepositions."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(number):
        row = [str(rng.choice(["The", "A", "This"])), str(rng.choice(MANY_NOUNS))]
        if rng.random() < 0.5:
            row += [str(rng.choice(["in", "on", "of"])), str(rng.choice(["the", "a", "this"]))]
            row.append(str(rng.choice(MANY_NOUNS)))
        row += [str(rng.choice(MANY_VERBS)), str(rng.choice(["the", "a", "this"]))]
        found.append([*row, str(rng.choice(MANY_NOUNS)), "."])
    return found


def known() -> WordClassifier:
    return WordClassifier(
        {
            **dict.fromkeys(MANY_NOUNS, "N"),
            **dict.fromkeys(MANY_VERBS, "V"),
            "the": "1",
            "in": "2",
            "The": "3",
        }
    )


def test_articles_and_prepositions_come_together() -> None:
    groups = group_frequent(with_prepositions(), known(), 6, 2)
    assert sorted(map(sorted, groups)) == [["a", "the", "this"], ["in", "of", "on"]]


def test_groups_replace_the_classes_of_frequent_words() -> None:
    classifier = regroup(with_prepositions(), known(), 6, 2)
    assert len({classifier.of(w) for w in ("the", "The", "A", "this")}) == 1
    assert len({classifier.of(w) for w in ("in", "of", "on")}) == 1
    assert classifier.of("n7") == "N"
    assert classifier.of("the") != classifier.of("in")


def test_a_small_text_has_no_frequent_words() -> None:
    few = [["the", "boat", "leaves"]] * 9
    assert regroup(few, known()).words == known().words
    assert group_frequent([], known()) == []


def test_more_text_for_classes_changes_nothing_else() -> None:
    rules = RuleTokenizer()
    text = " ".join(" ".join(s[:-1]) + "." for s in with_prepositions(300))
    doc = rules.tokenize(Document(text=text))
    more = rules.tokenize(Document(text=re.sub("v[0-9]+", "walks", text)))
    assert next(sentences_of([doc]))[-1] == "."
    plain = Inducer([doc], InduceOptions(classes="8", recipe="standard", model="dmv"))
    wider = Inducer(
        [doc], InduceOptions(classes="8", recipe="standard", model="dmv"), class_text=[more]
    )
    one, two = plain.run(), wider.run()
    assert "walks" not in one.classifier.words
    assert "walks" in two.classifier.words
    assert one.prepare([doc]).sentences.n_words == two.prepare([doc]).sentences.n_words


def test_a_file_of_classes_is_regrouped_too(tmp_path: Path) -> None:
    rows = [("the", "7", 90), ("boat", "8", 20), ("rare", "9", 1)]
    assert classifier_of(rows).of("the") == "7"
    assert classifier_of(rows).of("rare").startswith("rare")


def test_endings_and_shapes_draw_rare_words_together() -> None:
    """Two kinds of words in the same places: only their endings tell them apart."""
    stems = ("bar", "kol", "tim", "ran", "sel", "pog", "dur", "wem")
    rng = np.random.default_rng(0)
    words = [stem + ending for stem in stems for ending in ("ness", "tion")]
    text = [["the", str(rng.choice(words)), "is"] for _ in range(60)]
    found = {w: c for w, c, _ in cluster(text, 4, min_count=1, morphology=20).rows()}
    ending = {word: found[word] for word in words if word in found}
    kinds = {e: {c for w, c in ending.items() if w.endswith(e)} for e in ("ness", "tion")}
    assert not kinds["ness"] & kinds["tion"]
    with pytest.raises(UsageError, match="morphology"):
        InduceOptions(morphology=-1.0)
    with pytest.raises(UsageError, match="exchange"):
        cluster(text, 4, method="brown", morphology=1)


# --------------------------------------------------------------------------------------- predicates


PAST = [f"w{letter}" for letter in "abcdef"]
BARE = [f"v{letter}" for letter in "abcdef"]
#: Nothing else is in these with_finite_verbs that every one has.
FINITE = {*PAST, "will", "may"}


def with_finite_verbs(number: int = 600) -> list[list[str]]:
    """Noun phrases in any number around one finite verb, which may be a modal verb."""
    rng = np.random.default_rng(0)

    def phrase() -> list[str]:
        noun = str(rng.choice(NOUNS))
        return ["the", noun] if rng.random() < 0.5 else [noun]

    def some() -> list[str]:
        return [word for _ in range(rng.integers(0, 4)) for word in ["of", *phrase()]]

    def verb() -> list[str]:
        if rng.random() < 0.5:
            return [str(rng.choice(PAST))]
        return [str(rng.choice(["will", "may"])), str(rng.choice(BARE))]

    return [[*phrase(), *some(), *verb(), *phrase(), *some(), "."] for _ in range(number)]


def finite_text(number: int = 200) -> Document:
    lines = (" ".join(words).capitalize() for words in with_finite_verbs(number))
    return RuleTokenizer().tokenize(Document(" ".join(lines)))


def test_a_set_of_classes_is_found_of_which_every_row_has_one() -> None:
    rng = np.random.default_rng(1)
    counts = rng.poisson(1.0, (400, 6)).astype(np.int32)
    counts[:, [1, 4]] = 0
    turn = rng.random(400) < 0.6
    counts[turn, 1] = 1
    counts[~turn, 4] = 1
    assert np.flatnonzero(in_most_sentences(counts)).tolist() == [1, 4]


def test_nothing_is_found_where_all_is_chance_or_hardly_anything_is_there() -> None:
    assert not in_most_sentences(np.zeros((0, 3), dtype=np.int32)).any()
    assert not in_most_sentences(np.full((9, 1), 4, dtype=np.int32)).any()  # all of the finite_text
    assert not in_most_sentences(np.eye(4, dtype=np.int32)).any()  # each class once


def test_finite_verbs_are_predicates() -> None:
    known = regroup(
        with_finite_verbs(), learn_classifier(with_finite_verbs(), "6", context=5), words=2
    )
    assert known.context is not None
    found = find_predicates(with_finite_verbs(), known.context, 12)
    assert found == FINITE
    classifier = replace(known, context=replace(known.context, predicates=found))
    doc = RuleTokenizer().tokenize(Document("the na will va nb ."))
    kinds = classifier.classify(doc)
    assert [PREDICATE in kind for kind in kinds] == [False, False, True, False, False, False]
    assert kinds[0].endswith(FREQUENT)


def test_predicates_are_drawn_to_be_roots() -> None:
    options = InduceOptions(classes="6", context=5, predicates=12)
    grammar = Inducer([finite_text()], options).run()
    doc = grammar.parse(finite_text(50))
    forms = doc.column("form")
    roots = [forms[at] in FINITE for at in np.flatnonzero(doc.head == -1).tolist()]
    assert np.mean(roots) > 0.9
    again = Grammar.from_part(grammar.to_part())
    assert again.classifier.classify(doc) == grammar.classifier.classify(doc)
    assert (again.parse(finite_text(50)).head == doc.head).all()
    assert grammar.to_part().config["version"] == 4


def test_they_are_looked_for_where_heads_are_of_any_kind() -> None:
    assert InduceOptions(heads="any").clusters == 100
    assert InduceOptions(heads="content").clusters == 0
    assert InduceOptions(heads="content", predicates=30).clusters == 30
    assert InduceOptions(predicates=0).clusters == 0
    assert InduceOptions(classes="30").clusters == 0
    assert InduceOptions(classes="upos").clusters == 0
    options = InduceOptions(classes="4", context=3, predicates=0)
    assert not any(PREDICATE in name for name in Inducer([finite_text()], options).run().names)


@pytest.mark.parametrize("settings", [{"classes": "30"}, {"classes": "upos"}, {"context": 0}])
def test_they_need_classes_by_context(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="predicates=30 is about classes by context"):
        InduceOptions(**{"predicates": 30, **settings})  # type: ignore[arg-type]


def test_a_number_of_clusters_is_not_below_zero() -> None:
    with pytest.raises(UsageError, match="predicates=-1"):
        InduceOptions(predicates=-1)


@pytest.mark.parametrize("when", [10, 100])
def test_all_grammars_that_vote_share_them(when: int, tmp_path: Path) -> None:
    options = InduceOptions(classes="4,6", context=3, predicates=12)
    whole = Inducer([finite_text()], options).run()
    (other,) = whole.others
    assert whole.classifier.context is not None
    assert other.classifier.context is not None
    assert whole.classifier.context.predicates == other.classifier.context.predicates == FINITE
    path = tmp_path / "kept"
    with closing(iter(Inducer([finite_text()], options, checkpoint=path))) as events:
        for number, _ in enumerate(events):
            if number == when:
                break
    resumed = Inducer([finite_text()], options, checkpoint=path, resume=True).run()
    np.testing.assert_array_equal(resumed.parameters.attach, whole.parameters.attach)
    assert resumed.classifier.context is not None
    assert resumed.classifier.context.predicates == FINITE


# ---------------------------------------------------------------------------- the number of classes

KINDS = {
    "article": ["the", "a", "this"],
    "noun": [f"{a}{b}" for a in ("sea", "gull", "sail", "rope", "quay") for b in ("s", "er", "et")],
    "verb": [f"{a}{b}" for a in ("leav", "hold", "pull", "moor") for b in ("es", "ed", "s")],
    "place": ["here", "there", "outside", "below"],
}


def text_of_kinds(seed: int = 0, sentences: int = 400) -> Document:
    """Sentences of four kinds of words, in an order that only the kinds decide."""
    rng = np.random.default_rng(seed)
    orders = (
        ("article", "noun", "verb", "article", "noun"),
        ("article", "noun", "verb", "place"),
        ("place", "article", "noun", "verb"),
    )
    lines = [
        " ".join(str(rng.choice(KINDS[kind])) for kind in orders[int(rng.integers(3))]) + "."
        for _ in range(sentences)
    ]
    return RuleTokenizer().tokenize(Document(text="\n\n".join(lines)))


def test_kinds_of_words_are_cheaper_than_one_class_and_than_one_class_a_word() -> None:
    bits = dict(numbers_tried([text_of_kinds(sentences=150)], numbers=(1, 5, 30), frequent=0))
    assert fewest(bits) == 5  # the full stop is a class, too
    assert bits[5] < min(bits[1], bits[30])


def test_bits_are_those_of_classes_and_of_words_in_them() -> None:
    lines = "one two two.\n\none two."
    both = corpus([RuleTokenizer().tokenize(Document(text=lines))], lambda doc: ["x"] * doc.n_words)
    train, held = (both.select(np.arange(2) == number) for number in (0, 1))
    grammar = uniform(find_model("dbm1"), 2)
    # two types, and ten that were not seen: 3 tokens and 12 tenths
    by_hand = -np.log2([1.1 / 4.2, 2.1 / 4.2]).mean()
    found = held_out_bits(train, held, grammar)
    assert found == pytest.approx(bits_per_word(held.sentences, grammar) + by_hand)


def test_a_sentence_that_is_held_out_is_not_clustered(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def learn(sentences: list[list[str]], *rest: object) -> object:
        seen.extend(word for words in sentences for word in words)
        return real(sentences, *rest)  # type: ignore[arg-type]

    real = class_number.learn_classifier
    monkeypatch.setattr(class_number, "learn_classifier", learn)
    lines = [f"word{number} sails here." for number in range(40)]
    doc = RuleTokenizer().tokenize(Document(text="\n\n".join(lines)))
    list(numbers_tried([doc], numbers=(2,)))
    held = {f"word{number}" for number in range(9, 40, 10)}
    assert held.isdisjoint(seen)
    assert {f"word{number}" for number in range(40)} - held <= set(seen)


def test_a_long_text_is_looked_at_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_number, "SAMPLE", 100)
    part = class_number._parts([5] * 60)
    assert part.tolist() == [*[1] * 9, -1, *[0] * 20, *[1] * 9, -1, *[0] * 20]


def test_a_text_that_is_too_small_to_tell_gets_the_usual_number() -> None:
    few = RuleTokenizer().tokenize(Document(text="A gull sails. It lands."))
    bits = dict(numbers_tried([few], numbers=(2, 3)))
    assert np.isinf(list(bits.values())).all()
    assert fewest(bits) == USUAL


def test_of_equal_numbers_the_smallest_is_taken() -> None:
    assert fewest({50: 3.0, 20: 3.0, 30: 3.1}) == 20


def test_an_induction_tells_of_the_numbers_it_tries_and_keeps_the_best(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        numbers_tried, "__kwdefaults__", numbers_tried.__kwdefaults__ | {"numbers": (1, 4)}
    )
    options = InduceOptions(classes="auto", frequent=0, recipe="short-first")
    inducer = Inducer([text_of_kinds()], options, checkpoint=tmp_path / "kept")
    events = list(inducer)
    assert [e.stats["number"] for e in events if e.kind == "classes"] == [1, 4]
    assert events[2].kind == "start"
    assert events[2].stats["classes"] <= 4 + 2
    assert events[2].stats["numbers"] == inducer.numbers
    # classes that an interrupted run has kept are not chosen again
    again = Inducer([text_of_kinds()], options, checkpoint=tmp_path / "kept", resume=True)
    assert next(iter(again)).kind == "start"


# -------------------------------------------------------------------------------------------- votes

OPTIONS = InduceOptions(classes="3,4,5", context=3)


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Inducer([text()], OPTIONS).run()


def test_several_numbers_are_as_many_grammars(grammar: Grammar) -> None:
    assert len(grammar.others) == 2
    assert not any(other.others for other in grammar.others)
    doc = grammar.parse(text())
    for number in range(doc.n_sentences):
        assert (doc.head[doc.word_sentence == number] == -1).sum() == 1


def test_the_tree_with_the_largest_sum_of_posteriors_wins(grammar: Grammar) -> None:
    members = [grammar, *grammar.others]
    views = [(one.prepare([text()]).sentences, one.parameters) for one in members]
    heads, total = vote(views, "sprawl")
    np.testing.assert_array_equal(grammar.trees([text()])[1], heads)
    words = views[0][0]
    assert total[tree_arcs(words, heads)].sum() == pytest.approx(
        max(total[tree_arcs(words, h)].sum() for h in [heads, *(least_risk(*v) for v in views)])
    )


def test_posteriors_lie_flat_with_roots_on_the_diagonal(grammar: Grammar) -> None:
    words = grammar.prepare([text()]).sentences
    flat, places = arc_posteriors(words, grammar.parameters, "sprawl"), arc_places(words)
    n = words.lengths[3]
    mine = flat[places[3] : places[4]].reshape(n, n)
    alone = arc_posteriors(words.select(np.arange(len(words)) == 3), grammar.parameters, "sprawl")
    np.testing.assert_array_equal(mine, alone.reshape(n, n))
    np.testing.assert_allclose(mine.sum(axis=0), 1.0)
    assert np.diag(mine).sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(
        arc_trees(words, flat, "sprawl"), least_risk(words, grammar.parameters, "sprawl")
    )


def test_all_of_them_are_written_and_read(grammar: Grammar) -> None:
    part = grammar.to_part()
    again = Grammar.from_part(part)
    assert len(again.others) == 2
    assert (again.parse(text()).head == grammar.parse(text()).head).all()
    part.config["other-1"] = {**part.config["other-1"], "other-1": {}}
    with pytest.raises(ModelError, match="more grammars than can vote"):
        Grammar.from_part(part)


def test_they_vote_without_tags_and_nothing_else_is_asked_for() -> None:
    options = InduceOptions()
    assert options.numbers == ("10", "12", "15", "20")
    assert (options.iterations, options.frequent_words, options.rounds) == (10, 100, 0)
    assert options.chosen_recipe == "short-first"
    assert not InduceOptions(classes="upos").numbers
    alone = InduceOptions(classes="30")
    assert (alone.numbers, alone.iterations, alone.frequent_words) == ((), 0, 60)


@pytest.mark.parametrize("when", [1, 75, 100, 150, 200])
def test_an_interrupted_vote_goes_on(
    grammar: Grammar, when: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    path = tmp_path / "run"
    with closing(iter(Inducer([text()], OPTIONS, checkpoint=path))) as events:
        steps = 0
        for event in events:
            steps += event.kind == "step"
            if steps == when:
                break
    assert path.exists()
    with pytest.raises(UsageError, match="interrupted"):
        Inducer([text()], OPTIONS, checkpoint=path).run()
    rest = Inducer([text()], OPTIONS, checkpoint=path, resume=True)
    said = list(rest)
    assert rest.grammar is not None
    one, two = grammar.to_part(), rest.grammar.to_part()
    assert (one.config, one.labels) == (two.config, two.labels)
    assert grammar.history["restarts"] == rest.grammar.history["restarts"]
    assert all(np.array_equal(one.arrays[name], two.arrays[name]) for name in one.arrays)
    assert sum(event.kind == "step" for event in said) <= 210 - when + 2
    rest.finish()
    assert not path.exists()


def test_a_vote_goes_on_with_its_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with closing(iter(Inducer([text()], OPTIONS, checkpoint=path))) as events:
        for event in events:
            if event.kind == "member":
                break
    other = replace(OPTIONS, classes="3,4,6")
    with pytest.raises(ModelError, match="other options"):
        Inducer([text()], other, checkpoint=path, resume=True).run()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"classes": "3,x"}, "not different numbers"),
        ({"classes": "3,3"}, "not different numbers"),
        ({"classes": "3,"}, "not different numbers"),
        ({"classes": "0,3"}, "not different numbers"),
        ({"classes": ",".join(map(str, range(1, 30)))}, "do not vote"),
        ({"classes": "3,4", "reparse": 2}, "--reparse 2 is for one grammar"),
        ({"classes": "12", "reparse": -1}, "not below 0"),
    ],
)
def test_what_cannot_vote_is_told(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        InduceOptions(**settings)  # type: ignore[arg-type]


def test_the_command_says_who_votes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, model = tmp_path / "text.txt", tmp_path / "text.grammar"
    file.write_text(text().text, encoding="utf-8")
    call = ["induce", str(file), "-o", str(model), "--classes", "3,4", "--set", "context=2"]
    assert run(call) == 0
    said = "".join(capsys.readouterr())
    assert "grammars over 3, 4 classes vote" in said
    assert "Fit of the grammar over 4 classes" in said
    assert run(["inspect", str(model)]) == 0
    assert "2 grammars" in capsys.readouterr().out
