"""Brackets to dependencies, by two tables, and checked against a treebank that has both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura import formats
from caesura.document import Document
from caesura.errors import UsageError
from caesura.transform.trees import percolate


def tree(tmp_path: Path, brackets: str) -> Document:
    path = tmp_path / "tree.mrg"
    path.write_text(brackets)
    return next(iter(formats.read(path)))


SIMPLE = (
    "( (S (NP-SBJ (DT The) (NN harbour)) (VP (MD will) (VP (VB open) (ADVP (RB soon)))) (. .)))"
)


@pytest.mark.parametrize("table", ["collins", "yamada-matsumoto"])
def test_a_sentence(tmp_path: Path, table: str) -> None:
    doc = percolate(tree(tmp_path, SIMPLE), table)
    assert doc.head.tolist() == [1, 2, -1, 2, 3, 2]
    assert doc.column("deprel")[2] == "root"


def test_coordination_differs_between_the_tables(tmp_path: Path) -> None:
    text = "( (NP (NN tea) (CC and) (NN milk)))"
    assert percolate(tree(tmp_path, text), "collins").head.tolist() == [-1, 0, 0]
    assert percolate(tree(tmp_path, text), "yamada-matsumoto").head.tolist() == [2, 2, -1]


def test_traces_leave_no_mark(tmp_path: Path) -> None:
    inner = "(S (NP (-NONE- *-1)) (VP (TO to) (VP (VB row))))"
    text = f"( (S (NP-SBJ-1 (PRP They)) (VP (VBD tried) {inner})))"
    doc = percolate(tree(tmp_path, text), "collins")
    assert doc.head.tolist() == [1, -1, 1, 2]


def test_an_unknown_table(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Tables are"):
        percolate(tree(tmp_path, SIMPLE), "magic")


@pytest.mark.parametrize(("table", "least"), [("collins", 70.0), ("yamada-matsumoto", 88.0)])
def test_agreement_with_the_sample_of_the_wall_street_journal(
    data_dir: Path, table: str, least: float
) -> None:
    """The sample's dependencies were made by others from the same brackets."""
    folder = data_dir / "WSJ-sample"
    same = total = 0
    for path in sorted((folder / "mrg").glob("*.mrg"))[:40]:
        dependencies = (folder / "dep" / path.name).with_suffix(".dp")
        rows = [r.split("\t") for r in dependencies.read_text().split("\n") if r.strip()]
        doc = percolate(next(iter(formats.read(path))), table)
        if len(rows) != doc.n_words:
            continue
        starts = np.flatnonzero(doc.word_sent_start == 1)
        begin = starts[doc.word_sentence]
        ours = np.where(doc.head < 0, 0, doc.head - begin + 1)
        same += int((ours == [int(r[2]) for r in rows]).sum())
        total += len(rows)
    assert total > 0
    assert 100 * same / total > least
