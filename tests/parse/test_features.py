"""Templates: the table, its compilation, and the kernel against its twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import UsageError
from caesura.layout import breaks
from caesura.learn.weights import to_bytes
from caesura.stages.joint_features import (
    COLUMNS,
    DEFAULT_TEMPLATES,
    atoms,
    compile_templates,
    vocabulary,
)
from caesura.stages.joint_parser import Inventory
from caesura.stages.templates import in_order, parse_table
from caesura.stages.tree_parser import padded
from caesura.stages.word_table import Hasher, words_of
from tests.parse.test_transitions import choices
from tests.parse.toy import corpus, to_floats
from tests.reference import parse as naive

testing: Any = pytest.importorskip("caesura._core")._testing


def test_a_researcher_adds_a_template_in_one_line() -> None:
    table = "s0.w | s1.p s0.p  # two\nb0.w b1.w  # and one more"
    assert parse_table(table) == ("s0.w", "s1.p s0.p", "b0.w b1.w")
    assert compile_templates(parse_table(table)).slots.shape == (3, 4)


@pytest.mark.parametrize(("template", "message"), [("s9.w", "no atom"), ("t1 t2 t1 t2 t1", "5")])
def test_bad_templates_are_refused(template: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compile_templates([template])


def test_the_default_table_names_every_atom_group() -> None:
    used = {name for template in DEFAULT_TEMPLATES for name in template.split()}
    assert used <= set(atoms())
    assert {"break", "speaker", "evidence", "layout", "length", "flags", "t1", "t2"} <= used
    assert len(set(compile_templates(DEFAULT_TEMPLATES).seeds.tolist())) == len(DEFAULT_TEMPLATES)


def test_rows_equal_those_of_the_twin() -> None:
    rng = np.random.default_rng(5)
    inventory = Inventory(("dep", "mod", "root"), (0, 1), (0, 1), (2,), single_root=False)
    labels = {name: k for k, name in enumerate(inventory.labels)}
    templates = compile_templates(DEFAULT_TEMPLATES)
    ordered, _ = in_order(DEFAULT_TEMPLATES, vocabulary())
    size = 1 << 16
    for doc in corpus(3, 3, 4):
        doc.start_evidence = rng.random(doc.n_tokens).astype(np.float32)
        words = words_of(doc, Hasher({"dog": 3, "cat": 3}))
        table, context = words.table.tolist(), words.context.tolist()
        states = testing.JointStates(inventory.transitions, *words[:2])
        twin, item, history = naive.Configuration.initial(doc.n_words), 0, []
        while not twin.terminal:
            found = naive.atoms(twin, history, labels, table, context, COLUMNS)
            expected = [
                naive.row(template, seed, found, size)
                for template, seed in zip(ordered, templates.seeds.tolist(), strict=True)
            ]
            assert states.rows(item, *templates, size).tolist() == expected
            action = int(rng.choice(choices(states.legal(item), inventory)))
            item = states.apply(item, action)
            kind, _, label = inventory.names()[action].partition(":")
            twin = naive.apply(twin, (kind.rstrip("0"), label))
            history.append(action)


def test_context_before_words() -> None:
    doc = corpus(1, 1, 4)[0]
    words = words_of(doc, Hasher())
    starts = np.flatnonzero(doc.token_paragraph_start)
    assert words.context[starts, 0].tolist() == [2] * len(starts)
    assert np.sum(words.context[:, 0] == 2) == len(starts)
    plain = words_of(doc, Hasher(), breaks=False)
    assert not plain.context.any()
    doc.text = doc.text.replace(" ", "\n", 1)
    doc.token_break = None
    assert words_of(doc, Hasher()).context[1, 3] == breaks(doc)[1] > 0
    # A further piece of a document does not open a paragraph by itself.
    piece = doc.cut(1, doc.n_tokens)
    assert words_of(piece, Hasher()).context[0, 0] == 1


def test_8_bit_rows_keep_what_matters() -> None:
    rng = np.random.default_rng(1)
    width = padded(40)
    weights = (rng.normal(size=(64, width)) * 10.0 ** rng.integers(-1, 3, (64, 1))).astype(
        np.float32
    )
    weights[:, -1] = 0
    weights[5] = 0
    table, unit = to_bytes(weights)
    again = to_floats(table, unit)
    top = np.abs(weights).max(axis=1, keepdims=True)
    assert np.all(np.abs(again - weights) <= top / 120 + unit)


def test_hashes_do_not_depend_on_the_table_of_strings() -> None:
    a, b = corpus(1, 1)[0], Document.join([corpus(1, 1)[0]])
    b.strings.add("something else")
    assert np.array_equal(words_of(a, Hasher()).table, words_of(b, Hasher()).table)
