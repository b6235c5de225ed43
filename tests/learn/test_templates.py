"""The template compiler: tables, slots, groups, seeds, errors."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from caesura.errors import ModelError, UsageError
from caesura.stages.templates import (
    Vocabulary,
    compile_templates,
    in_order,
    parse_table,
    string_hashes,
)


def _by_length(atoms: Sequence[str]) -> int:
    return min(len(atoms), 3) - 1


def test_a_table_has_comments_bars_and_no_doubles() -> None:
    table = "# first\na.x | b.y  a.x # two\n\na.x | c"
    assert parse_table(table) == ("a.x", "b.y a.x", "c")


def test_slots_are_filled_up_and_seeds_follow_from_the_text() -> None:
    words = Vocabulary({"a": 0, "b": 5}, none=9)
    forth = compile_templates(["a b", "b"], words)
    assert forth.slots.tolist() == [[0, 5, 9, 9], [5, 9, 9, 9]]
    back = compile_templates(["b", "a b"], words)
    assert back.seeds.tolist() == forth.seeds.tolist()[::-1]
    assert forth.ends.tolist() == [2]


def test_groups_come_one_after_the_other_and_each_keeps_its_order() -> None:
    words = Vocabulary({"a": 0, "b": 1}, 2, group=_by_length, groups=3)
    templates = ["b a", "b", "a b", "a"]
    assert in_order(templates, words) == (["b", "a", "b a", "a b"], [2, 4, 4])
    assert compile_templates(templates, words).ends.tolist() == [2, 4, 4]


def test_no_templates_compile_to_empty_arrays() -> None:
    empty = compile_templates((), Vocabulary({"a": 0}, 1))
    assert empty.slots.shape == (0, 4)
    assert empty.seeds.shape == (0,)


def test_errors_name_the_atom_and_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"names 'c', which is no atom\. Atoms are: a b"):
        compile_templates(["a c"], Vocabulary({"a": 0, "b": 1}, 2))
    signed = Vocabulary({"a": 0}, 1, 2, "+", remedy="Write a.", error=ModelError)
    with pytest.raises(ModelError, match=r"names ''.*Write a\."):
        compile_templates(["a+"], signed)
    with pytest.raises(ModelError, match="joins 3 atoms, not 1 to 2"):
        compile_templates(["a+a+a"], signed)


def test_hashes_of_strings_stay() -> None:
    assert string_hashes(["", "a"]).tolist() == [0, 3405396810240292928]
