"""Rows as decoding reads them, and scores that are remembered, against the plain way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura._core import ParserRows
from caesura.models.packing import pack, unpack_sparse
from caesura.stages.joint_features import DEFAULT_TEMPLATES, compile_templates
from caesura.stages.joint_parser import Inventory, Parser
from caesura.stages.tree_parser import padded
from caesura.stages.word_table import Hasher, words_of
from tests.parse.test_transitions import choices
from tests.parse.toy import corpus, to_floats

testing: Any = pytest.importorskip("caesura._core")._testing


def some_table(rows: int, width: int, seed: int = 0) -> NDArray[np.int8]:
    """Rows of none, few and many weights."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-127, 128, (rows, width)).astype(np.int8)
    share = rng.choice([0.0, 0.02, 0.1, 0.3, 1.0], (rows, 1))
    table[rng.random((rows, width)) >= share] = 0
    table[:, -1] = rng.integers(0, 15, rows)
    return table


@pytest.mark.parametrize("width", [32, 128, 288])
def test_a_table_comes_back_as_it_was(width: int) -> None:
    table = some_table(256, width)
    assert np.array_equal(ParserRows.of_table(table, 1.0).table(), table)
    assert not ParserRows.of_table(np.zeros((16, 32), np.int8), 1.0).table().any()


@pytest.mark.parametrize("spread", [2, 40])
def test_rows_of_a_model_file_are_those_of_the_whole_table(spread: int) -> None:
    """Also where some rows are so small beside others that bits of them are lost."""
    size = 40
    rng = np.random.default_rng(2)
    table = some_table(128, padded(size))
    weights = to_floats(table, 0.5)[:, :size] * np.ldexp(1, -rng.integers(0, spread, (128, 1)))
    packed = pack(weights.astype(np.float32))
    rows = ParserRows(*unpack_sparse(packed, size), padded(size))
    dense = np.zeros((128, padded(size)), np.int8)
    at = np.repeat(np.arange(128), packed["counts"])
    dense[at, packed["columns"]] = packed["values"]
    lowest = max(int(packed["exponents"].max()), 0) - 14
    shifts = packed["exponents"] - lowest
    dense = np.rint(np.ldexp(dense, np.minimum(shifts, 0)[:, None])).astype(np.int8)
    dense[:, -1] = np.maximum(shifts, 0)
    assert rows.unit == 2.0**lowest
    assert np.array_equal(rows.table(), dense)


@pytest.mark.parametrize("most", [3, 15])
def test_scores_are_the_sums_of_the_rows_of_all_templates(variant: str, most: int) -> None:
    """On every way through the memory of sums: new keys, old ones, whole states.

    Of rows with low exponents the sums of many fit into 16 bits, of others hardly any.
    """
    rng = np.random.default_rng(5)
    inventory = Inventory(("dep", "mod", "root"), (0, 1), (0, 1), (2,), single_root=False)
    table = some_table(1 << 10, 32)
    table[:, -1] %= most
    templates = compile_templates(DEFAULT_TEMPLATES, decoding=True)
    rows = ParserRows.of_table(table, 0.25)
    scorer = testing.Scorer8(rows, *templates)
    plain = compile_templates(DEFAULT_TEMPLATES)
    wide = table.astype(np.int64) << table[:, -1:].astype(int)
    for doc in corpus(3, 3, 4):
        doc.start_evidence = rng.random(doc.n_tokens).astype(np.float32)
        words = words_of(doc, Hasher({"dog": 3, "cat": 3}))
        states = testing.JointStates(inventory.transitions, *words[:2])
        scorer.begin(states)
        for _ in range(3):  # several ways through the document, which meet now and then
            item = 0
            while not states.is_terminal(item):
                features = states.rows(item, *plain, len(table)).astype(np.int64)
                expected = wide[features].sum(axis=0) * 0.25
                scores = scorer.score(states, item)
                assert np.array_equal(scores[:-1], expected[:-1].astype(np.float32))
                item = states.apply(item, int(rng.choice(choices(states.legal(item), inventory))))


def test_a_loaded_parser_has_the_same_weights(toy_parser: Parser) -> None:
    again = Parser.from_part(toy_parser.to_part())
    assert np.array_equal(again.table, toy_parser.table)
