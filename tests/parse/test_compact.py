"""Rows as decoding reads them, and scores that are remembered, against the plain way."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura.models.packing import pack, unpack_sparse
from caesura.parse.constraints import no_limits
from caesura.parse.parser import Parser
from caesura.parse.quantised import padded, shifted_rows, to_floats
from caesura.parse.scorers.compact import compact, compact_sparse, to_table, weight
from caesura.parse.scorers.dispatch import score_into
from caesura.parse.scorers.features import DEFAULT_TEMPLATES, compile_templates
from caesura.parse.scorers.linear import find_rows, new_scratch
from caesura.parse.scorers.linear8 import Linear8, new_scratch8
from caesura.parse.scorers.slots import fill_slots
from caesura.parse.search.decode import Decoder
from caesura.parse.transitions import joint
from caesura.parse.transitions.graph_stack import new_arena
from caesura.parse.transitions.inventory import Inventory
from caesura.parse.word_table import Hasher, words_of
from tests.parse.test_transitions import choices
from tests.parse.toy import corpus


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
    rows = compact(table)
    assert np.array_equal(to_table(rows), table)
    assert rows.full.ctypes.data % 64 == 0
    # The fullest rows come first.
    filled = np.count_nonzero(rows.full[:, :-1], axis=1)
    assert np.all(np.diff(filled) <= 0)
    weights = np.count_nonzero(table[:, :-1], axis=1)
    assert len(rows.full) == np.sum(weights > (8 if width <= 256 else 0))
    assert len(rows.short) == (np.sum((weights > 3) & (weights <= 8)) if width <= 256 else 0)
    rng = np.random.default_rng(1)
    for row, column in zip(rng.integers(0, 256, 50), rng.integers(0, width - 1, 50), strict=True):
        assert weight(rows, row, column) == int(table[row, column]) << int(table[row, -1])


def test_a_table_without_weights_can_be_asked() -> None:
    rows = compact(np.zeros((16, 32), np.int8))
    assert weight(rows, 3, 4) == 0
    assert not to_table(rows).any()


@pytest.mark.parametrize("spread", [2, 40])
def test_rows_of_a_model_file_are_those_of_the_whole_table(spread: int) -> None:
    """Also where some rows are so small beside others that bits of them are lost."""
    size = 40
    rng = np.random.default_rng(2)
    table = some_table(128, padded(size))
    weights = to_floats(table, 0.5)[:, :size] * np.ldexp(1, -rng.integers(0, spread, (128, 1)))
    packed = pack(weights.astype(np.float32))
    rows, unit = compact_sparse(unpack_sparse(packed, size), padded(size))
    dense = np.zeros((128, padded(size)), np.int8)
    at = np.repeat(np.arange(128), packed["counts"])
    dense[at, packed["columns"]] = packed["values"]
    expected, other = shifted_rows(dense, packed["exponents"])
    assert unit == other
    assert np.array_equal(to_table(rows), expected)


@pytest.mark.parametrize("most", [3, 15])
def test_scores_are_the_sums_of_the_rows_of_all_templates(most: int) -> None:
    """On every way through the memory of sums: new keys, old ones, whole states.

    Of rows with low exponents the sums of many fit into 16 bits, of others hardly any.
    """
    rng = np.random.default_rng(5)
    inventory = Inventory(("dep", "mod", "root"), (0, 1), (0, 1), (2,), single_root=False)
    system, limits = inventory.system(), no_limits()
    table = some_table(1 << 10, 32)
    table[:, -1] %= most
    templates = compile_templates(DEFAULT_TEMPLATES, decoding=True)
    scorer = Linear8(compact(table), 0.25, templates, new_scratch8(templates, 32))
    plain = compile_templates(DEFAULT_TEMPLATES)
    scratch, wide = new_scratch(plain, 32), table.astype(np.int64) << table[:, -1:].astype(int)
    scores = np.zeros(32, np.float32)
    for doc in corpus(3, 3, 4):
        doc.start_evidence = rng.random(doc.n_tokens).astype(np.float32)
        words = words_of(doc, Hasher({"dog": 3, "cat": 3}))
        arena = new_arena(3000, 6000)
        scorer.scratch.keys[:] = 0
        for _ in range(3):  # several ways through the document, which meet now and then
            item = 0
            while not joint.is_terminal(arena, item, doc.n_words):
                score_into(scorer, words, arena, item, scores)
                fill_slots(scratch, words, arena, item)
                find_rows(scratch.rows, scratch.slots, plain, len(table), 0, len(plain.seeds))
                expected = wide[scratch.rows.astype(np.int64)].sum(axis=0) * 0.25
                assert np.array_equal(scores[:-1], expected[:-1].astype(np.float32))
                options = choices(joint.legal(system, arena, item, doc.n_words), system)
                action = int(rng.choice(options))
                item = joint.apply(system, limits, arena, item, action)


def test_a_loaded_parser_holds_no_whole_table(toy_parser: Parser) -> None:
    again = Parser.from_part(toy_parser.to_part())
    assert np.array_equal(again.table, toy_parser.table)
    held = sum(array.nbytes for array in again.rows)
    assert held < again.table.nbytes / 2
    decoder = again.decoder()
    assert isinstance(decoder, Decoder)
