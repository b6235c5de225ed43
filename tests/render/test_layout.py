"""Pictures: nothing overlaps, whatever the tree and however narrow the page."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caesura.document import ROOT, UNKNOWN
from caesura.formats import read
from caesura.render import LayoutOptions, Tree, lay_out, tree_of
from caesura.render.layout import runs_right_to_left, text_width
from tests.render.geometry import problems

LABELS = ["", "det", "nsubj", "nsubj:pass", "acl:relcl", "compound:prt", "обст", "主語"]
WORDS = ["a", "the", "harbour", "incomprehensibilities", "мама", "مرحبا", "東京", "W", "👍", "-"]
#: Treebanks with long sentences, multi-word tokens, crossing arcs and other scripts.
TREEBANKS = (
    "UD_English-EWT", "UD_Arabic-PADT", "UD_French-Rhapsodie", "UD_Dutch-LassySmall",
    "UD_Chinese-GSD", "UD_Turkish-IMST", "UD_German-GSD", "UD_Italian-ParTUT",
)  # fmt: skip


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    n = draw(st.integers(1, 25))
    word = st.sampled_from(WORDS)
    forms = draw(st.lists(word, min_size=n, max_size=n))
    heads = draw(st.lists(st.integers(UNKNOWN, n), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=n, max_size=n))
    groups = []
    at = 0
    while at < n - 1 and draw(st.booleans()):
        size = draw(st.integers(2, 3))
        if at + size <= n:
            groups.append((at, at + size, draw(word) * 2))
        at += size + draw(st.integers(0, 1))
    return Tree(tuple(forms), ("NOUN",) * n, tuple(heads), tuple(labels), tuple(groups))


def labels_shown(picture: object) -> list[str]:
    rows = picture.rows  # type: ignore[attr-defined]
    return sorted(s.label.text for row in rows for s in row.segments if s.label is not None)


WIDE = Tree(
    forms=("a",) * 10,
    tags=("NOUN",) * 10,
    heads=(0,) * 10,
    labels=("",) * 10,
    groups=((0, 2, "incomprehensibilitiesincomprehensibilities"),),
)
#: The token is much wider than its words, and a short word or another such token follows.
BEFORE_SHORT = Tree(("W", "a", "a"), ("X",) * 3, (0, 0, 0), ("",) * 3, ((0, 2, "W" * 20),))
BEFORE_WIDE = Tree(
    ("a",) * 4, ("X",) * 4, (0,) * 4, ("",) * 4, ((0, 2, "W" * 20), (2, 4, "W" * 20))
)


@settings(max_examples=150)
@given(tree=trees(), width=st.sampled_from([200, 320, 700, 2000]))
@example(tree=WIDE, width=200)
@example(tree=BEFORE_SHORT, width=2000)
@example(tree=BEFORE_WIDE, width=2000)
def test_nothing_overlaps_in_any_graph(tree: Tree, width: int) -> None:
    """Cycles, crossings, several roots, unknown heads: all of them are drawn."""
    picture = lay_out(tree, LayoutOptions(width=width))
    assert problems(picture) == []
    heads = tree.drawn_heads
    if any(head != UNKNOWN for head in heads):
        wanted = [
            (tree.labels[w] or "root")
            if head == ROOT
            else "?"
            if head == UNKNOWN
            else tree.labels[w]
            for w, head in enumerate(heads)
        ]
        assert labels_shown(picture) == sorted(filter(None, wanted))


def test_nothing_overlaps_on_real_sentences(data_dir: Path) -> None:
    """500 random sentences, at the width of a page and of a phone."""
    found = []
    for name in TREEBANKS:
        files = sorted((data_dir / name).glob("*dev*.conllu*"))
        if files:
            pieces = read(files[0], "conllu", pieces=4000)
            found += [s for _, doc in zip(range(3), pieces, strict=False) for s in doc.sentences]
    if not found:
        pytest.skip("no CoNLL-U files")
    chosen = random.Random(9).sample(found, min(500, len(found)))
    for number, sentence in enumerate(chosen):
        width = (340, 940)[number % 2]
        picture = lay_out(tree_of(sentence), LayoutOptions(width=width))
        assert problems(picture) == [], f"{sentence.id} at {width}"


def test_long_sentences_wrap_and_arcs_go_on() -> None:
    n = 40
    tree = Tree(("word",) * n, ("X",) * n, (ROOT, *range(n - 1)), ("dep",) * n)
    one = lay_out(tree, LayoutOptions(width=5000))
    many = lay_out(tree, LayoutOptions(width=400))
    assert len(one.rows) == 1
    assert len(many.rows) > 4
    assert many.width <= 460
    for row, following in pairwise(many.rows):
        assert row.last == following.first
        # The arc from the last word of a row to the first of the next is in both.
        assert any(s.open_b and s.word == row.last for s in row.segments)
        assert any(s.open_a and s.word == row.last for s in following.segments)


def test_multi_word_tokens_are_not_torn_apart() -> None:
    n = 30
    groups = tuple((w, w + 2, "xy") for w in range(0, n, 2))
    tree = Tree(("word",) * n, ("X",) * n, (ROOT,) + (0,) * (n - 1), ("dep",) * n, groups)
    for row in lay_out(tree, LayoutOptions(width=300)).rows:
        assert row.first % 2 == 0
        assert len(row.groups) == (row.last - row.first) // 2


def test_right_to_left_scripts_run_from_the_right() -> None:
    tree = Tree(("هذا", "بيت", "كبير"), ("", "", ""), (1, ROOT, 1), ("nsubj", "root", "amod"))
    picture = lay_out(tree)
    assert picture.right_to_left
    x = [box.x for box in picture.rows[0].forms]
    assert x == sorted(x, reverse=True)
    assert problems(picture) == []


def test_a_sentence_without_heads_is_drawn_without_question_marks() -> None:
    tree = Tree(("a", "b"), ("X", "X"), (UNKNOWN, UNKNOWN), ("", ""))
    assert not lay_out(tree).rows[0].segments
    some = Tree(("a", "b"), ("X", "X"), (ROOT, UNKNOWN), ("", ""))
    assert labels_shown(lay_out(some)) == ["?", "root"]


def test_an_empty_tree_is_an_empty_picture() -> None:
    picture = lay_out(Tree((), (), (), ()))
    assert picture.rows == []


def test_widths_know_scripts() -> None:
    assert text_width("iii", 10) < text_width("WWW", 10)
    assert text_width("東京", 10) > text_width("ab", 10)
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert runs_right_to_left(["שלום", "ok"])
    assert not runs_right_to_left(["hello", "!", "1984"])
