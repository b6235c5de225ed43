"""Decoding under the guidelines: what is chosen breaks no rule, and what is given stays."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura
from caesura import _core
from caesura.cli import run
from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.formats import from_text
from caesura.guidelines import GENERAL, Guidelines, check
from caesura.guidelines.decoding import Rules, TagRules
from caesura.guidelines.table import DEPENDENTS_OF, UPOS, Tables, encoded
from caesura.models.store import find as find_model
from caesura.models.store import load_model

RELATIONS = """
    acl advmod aux case cc conj cop csubj det dep fixed flat mark nmod nsubj nsubj:outer
    nummod obj obl orphan parataxis punct root
"""
LABELS = tuple(RELATIONS.split())
#: What labels, heads and tags can mend; the rest needs features or tokens.
MENDED = ("leaf-", "rel-upos-", "upos-rel-", "right-to-left-", "too-many-", "obl-should", "punct-")


def treebank(rows: list[tuple[str, str, int, str]]) -> Document:
    """A document of one sentence: form, UPOS, head, relation."""
    lines = [
        f"{n}\t{form}\t{form}\t{upos}\t_\t_\t{head}\t{label}\t_\t_"
        for n, (form, upos, head, label) in enumerate(rows, 1)
    ]
    return from_text("\n".join(lines) + "\n\n", "conllu")


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Document, np.ndarray, np.ndarray]:
    """A random tree with random tags, and random scores of labels and of arcs."""
    n = draw(st.integers(1, 12))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for place in range(1, n):
        heads[order[place]] = order[draw(st.integers(0, place - 1))] + 1
    tags = draw(st.lists(st.sampled_from(sorted(UPOS)), min_size=n, max_size=n))
    doc = treebank(
        [
            (f"w{k}", tag, head, "dep" if head else "root")
            for k, (tag, head) in enumerate(zip(tags, heads, strict=True))
        ]
    )
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    points = rng.normal(size=(n, len(LABELS))).astype(np.float32)
    arcs = rng.normal(size=(n, n + 1)).astype(np.float32)
    return doc, points, arcs


def chosen(rules: Rules, doc: Document, points: np.ndarray, arcs: np.ndarray) -> Document:
    root = np.array([label == "root" for label in LABELS])
    allowed = np.where((doc.head < 0)[:, None] == root, points, np.float32(-np.inf))
    trees = SimpleNamespace(heads=doc.head, starts=np.eye(1, doc.n_words, dtype=np.int8)[0])
    heads, labels = rules.choose(doc, allowed, arcs, np.zeros(doc.n_words, np.int32), trees)
    doc.head, doc.deprel = heads, doc.strings.ids(LABELS)[labels]
    rules.finish([doc])
    return doc


def violations(doc: Document) -> set[str]:
    return {found.rule for found in check(doc) if found.rule.startswith(MENDED)}


@settings(deadline=None, max_examples=300)
@given(sentences())
def test_chosen_labels_break_no_rule(case: tuple[Document, np.ndarray, np.ndarray]) -> None:
    doc, points, arcs = case
    # What is below a mark that is the root stays there.
    root_is_mark = doc.column("upos")[doc.head.tolist().index(-1)] == "PUNCT"
    chosen(Rules(GENERAL, LABELS), doc, points, arcs)
    assert root_is_mark or not violations(doc), doc.to_conllu()
    assert {h for h in doc.head.tolist() if h < 0} == {-1}
    assert (doc.head == -1).sum() == 1
    state = doc.head.tolist()
    for word in range(doc.n_words):
        steps = 0
        while word >= 0:
            word, steps = state[word], steps + 1
            assert steps <= doc.n_words


@settings(deadline=None, max_examples=100)
@given(sentences())
def test_without_violations_the_best_labels_are_taken(
    case: tuple[Document, np.ndarray, np.ndarray],
) -> None:
    doc, points, arcs = case
    off = frozenset(found.rule for found in check(doc, GENERAL))
    every = Guidelines(off=frozenset({*off, *_all_rules()}))
    heads = doc.head.copy()
    root = np.array([label == "root" for label in LABELS])
    best = np.where((heads < 0)[:, None] == root, points, -np.inf).argmax(1)
    chosen(Rules(every, LABELS), doc, points, arcs)
    assert doc.column("deprel") == [LABELS[label] for label in best]
    assert np.array_equal(doc.head, heads)


def _all_rules() -> set[str]:
    relations = {label.partition(":")[0] for label in LABELS}
    return {
        *(f"{kind}-{name}" for kind in ("rel-upos", "right-to-left") for name in relations),
        *{rule for rule, _ in DEPENDENTS_OF.values()},
        "upos-rel-punct",
        "too-many-subjects",
        "too-many-objects",
        "obl-should-be-nmod",
        "punct-is-nonproj",
        "aux-lemma",
        "cop-lemma",
    }


def test_the_second_subject_gets_its_next_best_label() -> None:
    doc = treebank([("a", "NOUN", 3, "dep"), ("b", "NOUN", 3, "dep"), ("c", "VERB", 0, "root")])
    points = np.full((3, len(LABELS)), -9, np.float32)
    points[0, [LABELS.index("nsubj"), LABELS.index("obl")]] = 5, 4
    points[1, [LABELS.index("nsubj"), LABELS.index("obl")]] = 5, 1
    points[2, LABELS.index("root")] = 5
    arcs = np.full((3, 4), -99, np.float32)
    arcs[:2, 3] = 9
    chosen(Rules(GENERAL, LABELS), doc, points, arcs)
    assert doc.column("deprel") == ["obl", "nsubj", "root"]


def test_the_second_object_moves_where_that_costs_less() -> None:
    doc = treebank([("a", "VERB", 0, "root"), *((form, "NOUN", 1, "dep") for form in "bce")])
    points = np.full((4, len(LABELS)), -9, np.float32)
    for word, label in enumerate(("root", "obj", "parataxis", "obj")):
        points[word, LABELS.index(label)] = 5
    arcs = np.zeros((4, 5), np.float32)
    arcs[1, 1], arcs[3, [1, 3]] = 9, (2, 1)  # the head of e may as well be c
    chosen(Rules(GENERAL, LABELS), doc, points, arcs)
    assert doc.column("deprel") == ["root", "obj", "parataxis", "obj"]
    assert doc.head.tolist() == [-1, 0, 0, 2]


def test_given_heads_and_labels_stay() -> None:
    doc = treebank([*((form, "NOUN", 3, "nsubj") for form in "ab"), ("c", "PUNCT", 0, "root")])
    doc.fixed = frozenset({"tokens", "heads", "upos"})
    points = np.zeros((3, len(LABELS)), np.float32)
    chosen(Rules(GENERAL, LABELS), doc, points, np.zeros((3, 4), np.float32))
    assert doc.head.tolist() == [2, 2, -1]
    assert doc.column("deprel") == ["nsubj", "nsubj", "root"]


def test_parts_of_a_word_have_no_lemma() -> None:
    doc = treebank([("with", "ADP", 0, "root"), ("out", "ADP", 1, "goeswith")])
    Rules(GENERAL, LABELS).finish([doc])
    assert doc.column("lemma") == ["with", ""]
    assert doc.column("upos") == ["ADP", "X"]
    assert doc.column("feats") == ["Typo=Yes", ""]


def test_given_parts_of_a_word_stay_as_they_are() -> None:
    doc = treebank([("with", "ADP", 0, "root"), ("out", "ADP", 1, "goeswith")])
    doc.fixed = frozenset({"tokens", "heads"})
    Rules(GENERAL, LABELS).finish([doc])
    assert doc.column("upos") == ["ADP", "ADP"]
    assert doc.column("feats") == ["", ""]


def test_marks_move_up_until_they_cross_nothing() -> None:
    # The mark is below the last word, and the arc to the word behind it spans it.
    heads = np.array([-1, 0, 4, 1, 0], np.int32)
    marks = np.array([0, 0, 1, 0, 0], np.uint8)
    starts = np.array([1, 0, 0, 0, 0], np.int8)
    found = _core.mend_crossing(marks, starts, np.full(5, -2, np.int32), heads)
    assert found.tolist() == [-1, 0, 1, 1, 0]
    kept = _core.mend_crossing(marks, starts, heads, heads)
    assert kept.tolist() == heads.tolist()


def test_a_closed_class_word_is_no_punctuation() -> None:
    table = Guidelines(words=30_000, closed={"the": frozenset({"DET"})})
    rules = TagRules(table, ("DET", "NOUN", "PUNCT"), ("",))
    doc = treebank([("The", "X", 0, "root"), ("3-5290", "X", 1, "dep"), ("-", "X", 1, "dep")])
    points = np.array([[0, 1, 2], [1, 0, 2], [0, 1, 2]], np.float32)
    best = rules.limit(doc.strings, doc.form, points).argmax(1)
    assert best.tolist() == [0, 0, 2]


def test_tags_and_features_agree_by_their_joint_score() -> None:
    table = Guidelines(
        features={"NOUN": frozenset({"Number=Sing"}), "VERB": frozenset({"VerbForm=Inf"})}
    )
    rules = TagRules(table, ("NOUN", "VERB"), ("Number=Sing", "VerbForm=Inf"))
    upos = np.array([[3.0, 2.9], [3.0, 0.0]], np.float32)
    feats = np.array([[0.0, 1.0], [0.0, 1.0]], np.float32)
    tags, chosen_feats = rules.agree(upos, feats, feats.argmax(1))
    assert tags.tolist() == [1, 0]
    assert chosen_feats.tolist() == [1, 0]


def test_auxiliaries_have_a_lemma_of_the_language() -> None:
    table = Guidelines(words=5_000, auxiliaries=frozenset({"will"}))
    doc = treebank([("will", "AUX", 2, "aux"), ("wou", "AUX", 0, "root")])
    Rules(table, LABELS).retag([doc])
    assert doc.column("upos") == ["AUX", "VERB"]


def test_tables_of_many_languages(tmp_path: Path) -> None:
    folder = tmp_path
    assert Tables.beside(folder / "m.caesura").get("en") is None
    table = Guidelines(words=5, copulas=frozenset({"be"}))
    (folder / "guidelines.json").write_bytes(encoded({"en": table}))
    tables = Tables.beside(folder / "m.caesura")
    assert tables.get("en") == table
    assert tables.get("de") is None
    for damaged in (b"[]", b"{", b'{"version": 9, "tables": {}}', b'{"version": 1, "tables": 3}'):
        (folder / "guidelines.json").write_bytes(damaged)
        with pytest.raises(InputError, match=r"guidelines\.json"):
            Tables.beside(folder / "m.caesura")
    (folder / "guidelines.json").write_bytes(b'{"version": 1, "tables": {"en": {"words": "x"}}}')
    with pytest.raises(InputError, match="is no guideline table"):
        Tables.beside(folder / "m.caesura").get("en")


def test_a_trained_pipeline_has_the_table_of_its_treebank(tmp_path: Path) -> None:
    treebank = Path(__file__).parents[2] / "examples" / "harbour.conllu"
    first, second, other = (str(tmp_path / f"{name}.caesura") for name in "abc")
    assert run(["train", "pipeline", str(treebank), "-o", first, "-q"]) == 0
    assert run(["train", "pipeline", str(treebank), "--init", first, "-o", second, "-q"]) == 0
    for model in (first, second):
        table = Tables.of(load_model(model)).of_model(None)
        assert table is not None
        assert table.words > 100
    changed = tmp_path / "other.conllu"
    changed.write_text(treebank.read_text(encoding="utf-8").replace("\tVERB\t", "\tVV\t"))
    assert run(["train", "pipeline", str(changed), "-o", other, "-q"]) == 0
    assert Tables.of(load_model(other)).of_model(None) is None


def test_a_damaged_table_beside_a_model_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, text = tmp_path / "m.caesura", tmp_path / "a.txt"
    model.write_bytes(Path(find_model("en-fast")).read_bytes())
    text.write_text("Hello.", encoding="utf-8")
    (tmp_path / "guidelines.json").write_text("{", encoding="utf-8")
    assert run(["parse", "-m", str(model), str(text)]) == 1
    found = capsys.readouterr()
    assert not found.out
    assert found.err.count("\n") == 1
    assert "guidelines.json: is no guideline table" in found.err


def test_rules_are_obeyed_with_the_shipped_models_and_can_be_switched_off() -> None:
    text = "It he she went ."
    for name in ("en-fast", "en"):
        nlp = caesura.load(name)
        table = Tables.of(nlp.file).of_model("en")
        assert table is not None
        assert not list(check(nlp(text), table))
    plain = caesura.load("en-fast").with_search(guidelines="off")
    assert [found.rule for found in check(plain(text))] == ["too-many-subjects"]
    with pytest.raises(UsageError, match="guidelines"):
        caesura.load("en-fast").with_search(guidelines="maybe")
