"""What the caller fixed: read off a document, kept, and obeyed by what stages find."""

from __future__ import annotations

import re

import numpy as np
import pytest

from caesura.constraints import (
    Constraints,
    add_to,
    fix_starts,
    fixed_starts,
    forget_moved,
    keep,
    keep_layout,
    with_fixed_starts,
)
from caesura.document import MAYBE, NO, ROOT, UNKNOWN, YES, Document, EmptyNode
from caesura.errors import InputError, UsageError
from caesura.options import Request


def known() -> Document:
    """`Go on . Stop .`, of which everything is known."""
    doc = Document.from_spans("Go on . Stop .", [0, 3, 6, 8, 13], [2, 5, 7, 12, 14])
    doc.sent_start = np.array([YES, NO, NO, YES, NO], np.int8)
    doc.set_column("upos", ["VERB", "ADV", "PUNCT", "VERB", "PUNCT"])
    doc.set_column("lemma", ["go", "on", ".", "stop", "."])
    doc.set_column("deprel", ["root", "advmod", "punct", "root", "punct"])
    doc.set_column("deps", ["0:root", "", "", "", ""])
    doc.set_column("misc", ["A=b", "", "", "", ""])
    doc.head = np.array([ROOT, 0, 0, ROOT, 3], np.int32)
    doc.comments = {0: ("# sent_id = 1",)}
    doc.empty_nodes = [EmptyNode(0, form="you")]
    # (S (NP you) (VP Go on))
    doc.node_label = doc.strings.ids(["S", "NP", "-NONE-", "VP", "VB", "RP"])
    doc.node_parent = np.array([-1, 0, 1, 0, 3, 3], np.int32)
    doc.node_leaf = np.array([-1, -1, -2, -1, 0, 1], np.int32)
    doc.arc_conf = np.ones(5, np.float32)
    doc.sent_conf = np.ones(5, np.float32)
    doc.paragraph_start = np.array([0, 8])
    doc.check()
    return doc


def test_what_is_not_kept_is_forgotten() -> None:
    doc = keep(known(), ())
    assert doc.fixed == frozenset()
    assert doc.column("form") == known().column("form")
    assert doc.column("misc") == known().column("misc")
    assert doc.sent_start.tolist() == [MAYBE] * 5
    assert doc.head.tolist() == [UNKNOWN] * 5
    for name in ("upos", "lemma", "deprel", "deps"):
        assert not getattr(doc, name).any(), name
    assert (doc.comments, doc.empty_nodes) == ({}, [])
    assert not len(doc.node_label)
    doc.check()
    assert doc.arc_conf is None
    assert doc.sent_conf is None
    assert doc.paragraph_start.tolist() == [0, 8]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("sentences", {"sent_start", "comments"}),
        ("tags", {"upos"}),
        ("lemmas", {"lemma"}),
        ("heads", {"head", "deprel"}),
    ],
)
def test_what_is_kept_stays_and_is_fixed(name: str, columns: set[str]) -> None:
    doc = keep(known(), [name])
    assert doc.fixed == ({name} if name == "sentences" else {name, "tokens"})
    said, before, nothing = doc.contents(), known().contents(), keep(known(), ()).contents()
    assert {column for column in said if said[column] != nothing[column]} == columns
    assert all(said[column] == before[column] for column in columns)


@pytest.mark.parametrize("names", [("tokens",), ("tokens", "sentences", "tags", "heads")])
def test_what_no_stage_obeys_is_not_kept(names: tuple[str, ...]) -> None:
    """Phrases may hold empty nodes, so that one without the other is a broken tree."""
    doc = keep(known(), names)
    assert not doc.empty_nodes
    for name in ("node_label", "node_parent", "node_leaf", "deps"):
        assert not getattr(doc, name).any(), name
    assert not len(doc.node_leaf)
    doc.check()


def test_what_is_not_found_anew_stays() -> None:
    doc = known()
    same = add_to(doc, frozenset({"upos"}), ("tags",))
    assert same.fixed == {"tokens", "tags"}
    same.fixed = frozenset()
    assert same.contents() == doc.contents()
    forget_moved(same, doc.sentence_bounds)
    assert same.contents() == doc.contents()


def test_new_sentences_forget_what_was_said_of_the_old() -> None:
    doc = known()
    doc.sent_start = np.array([YES, NO, YES, NO, NO], np.int8)
    forget_moved(doc, known().sentence_bounds)
    assert doc.column("upos") == known().column("upos")
    assert doc.column("misc") == known().column("misc")
    assert doc.head.tolist() == [UNKNOWN] * 5
    assert not doc.deprel.any()
    assert not doc.deps.any()
    assert (doc.comments, doc.empty_nodes, doc.arc_conf) == ({}, [], None)
    assert not len(doc.node_label)
    doc.check()


def test_sentences_that_stay_keep_their_trees() -> None:
    doc = known()
    doc.sent_start = np.array([YES, NO, NO, YES, YES], np.int8)
    forget_moved(doc, known().sentence_bounds)
    assert doc.head.tolist() == [ROOT, 0, 0, UNKNOWN, UNKNOWN]
    assert doc.column("deprel") == ["root", "advmod", "punct", "", ""]
    assert doc.comments == known().comments
    assert doc.empty_nodes == known().empty_nodes
    assert len(doc.node_label) == len(known().node_label)
    doc.check()


def test_the_label_of_an_open_arc_is_open() -> None:
    doc = known()
    doc.head[1] = UNKNOWN
    assert keep(doc, ["heads"]).column("deprel") == ["root", "", "punct", "root", "punct"]


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot keep colours"):
        keep(known(), ["colours"])
    with pytest.raises(InputError, match="no tokens to keep"):
        keep(Document(text="Go on."), ["tokens"])
    with pytest.raises(UsageError, match="not both"):
        Request(keep=("sentences",), newline_is_boundary=True)


def test_constraints_are_read_off_a_document() -> None:
    nothing = Constraints.of(known())
    assert not nothing.tokens
    assert (nothing.heads, dict(nothing.columns)) == (None, {})
    fixed = Constraints.of(keep(known(), ["tags", "heads", "sentences"]))
    assert fixed.tokens
    assert set(fixed.columns) == {"upos", "xpos", "feats"}
    assert fixed.heads is not None
    assert fixed.has_head(5).all()


def test_what_is_found_gives_way_to_what_is_fixed() -> None:
    doc = keep(known(), ["tags", "heads", "sentences"])
    doc.upos[1] = 0
    doc.head[2], doc.deprel[2] = UNKNOWN, 0
    doc.sent_start[3] = MAYBE
    fixed = Constraints.of(doc)
    x = doc.strings.add("X")
    found = np.full(5, x, np.int32)
    assert doc.strings.take(fixed.with_fixed("upos", found)) == [
        "VERB",
        "X",
        "PUNCT",
        "VERB",
        "PUNCT",
    ]
    assert doc.strings.take(fixed.with_fixed("lemma", found)) == ["X"] * 5
    assert doc.strings.take(fixed.with_fixed_deprels(found))[1:4] == ["advmod", "X", "root"]
    assert fixed.has_head(5).tolist() == [True, True, False, True, True]
    assert with_fixed_starts(doc, np.full(5, YES, np.int8)).tolist() == [YES, NO, NO, YES, NO]
    free = Constraints.of(known())
    assert free.with_fixed("upos", found) is found
    assert free.with_fixed_deprels(found) is found
    assert not free.has_head(5).any()


def spaced(text: str) -> Document:
    """A text whose tokens stand between blanks."""
    ends = np.cumsum([len(part) for part in re.split(r"(\s+)", text)])
    return Document.from_spans(text, [0, *ends[1::2].tolist()], ends[::2].tolist())


def test_a_blank_line_starts_a_sentence() -> None:
    doc = spaced("go on\n\nthen stop\nhere")
    told = fixed_starts(doc)
    assert told is not None
    assert told.tolist() == [MAYBE, MAYBE, YES, MAYBE, MAYBE]
    assert with_fixed_starts(doc, np.zeros(5, np.int8)).tolist() == [NO, NO, YES, NO, NO]
    assert fixed_starts(spaced("go on\nthen stop")) is None


def test_a_blank_line_of_double_spaced_text_does_not() -> None:
    lines = [
        "the road went on along the river for most of the",
        "morning and we saw nobody but two men with a cart",
        "who did not know the way any better than we did",
    ]
    assert fixed_starts(spaced("\n\n".join(lines))) is None


def test_what_the_caller_fixed_stands_above_blank_lines() -> None:
    doc = spaced("go on\n\nthen stop")
    fix_starts(doc, [4], [7])
    told = fixed_starts(doc)
    assert told is not None
    assert told.tolist() == [MAYBE, MAYBE, NO, MAYBE]
    doc = spaced("go on\n\nthen stop")
    doc.head = np.array([UNKNOWN, UNKNOWN, 1, UNKNOWN], np.int32)
    doc.fixed = frozenset({"tokens", "heads"})
    told = fixed_starts(doc)
    assert told is not None
    assert told.tolist() == [MAYBE] * 4


def test_boundaries_are_fixed_by_offsets() -> None:
    doc = keep(known(), ["tokens"])
    fix_starts(doc, [8], [3])
    assert doc.sent_start.tolist() == [MAYBE, NO, MAYBE, YES, MAYBE]
    assert doc.fixed == {"tokens", "sentences"}


def test_the_layout_goes_to_new_tokens() -> None:
    source = known()
    source.id, source.turn_start, source.turn_end = "d", np.array([0]), np.array([7])
    source.turn_speaker, source.turn_time = source.strings.ids(["Ann"]), np.zeros((1, 2))
    doc = Document.from_spans(source.text, [0], [2])
    keep_layout(doc, source)
    assert (doc.id, doc.strings.take(doc.turn_speaker)) == ("d", ["Ann"])
    assert doc.turn_end.tolist() == [7]
    assert doc.paragraph_start.tolist() == [0, 8]
    assert doc.n_tokens == 1
