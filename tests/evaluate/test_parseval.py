"""Phrase structure: equal to evalb for the same parameters, whatever the tokens."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from caesura.document import Document
from caesura.errors import FormatError
from caesura.evaluate import Evalb, SpanOptions, evaluate, read_parameters
from caesura.formats import read
from tests.evaluate.making import document
from tests.reference import evaluate as twin

Tree = twin.Tree


def parse(text: str) -> list[Tree]:
    """Trees of a bracketed text."""
    stack: list[list[object]] = [[]]
    for part in re.findall(r"[()]|[^\s()]+", text):
        if part == "(":
            stack.append([])
        elif part == ")":
            inside = stack.pop()
            label = str(inside[0]) if inside and isinstance(inside[0], str) else ""
            rest = inside[1:] if label else inside
            leaf = len(rest) == 1 and isinstance(rest[0], str)
            stack[-1].append((label, rest[0] if leaf else rest))
        else:
            stack[-1].append(part)
    return stack[0]  # type: ignore[return-value]


def show(tree: Tree) -> str:
    label, inside = tree
    shown = inside if isinstance(inside, str) else " ".join(show(child) for child in inside)
    return f"({label} {shown})"


def disturb(tree: Tree, rng: random.Random, labels: list[str]) -> Tree:
    """Change labels, drop brackets and put new ones in; the words stay."""
    label, inside = tree
    if isinstance(inside, str):
        return tree
    children: list[Tree] = []
    for child in inside:
        new = disturb(child, rng, labels)
        if not isinstance(new[1], str) and rng.random() < 0.1:
            children += new[1]
        else:
            children.append(new)
    if len(children) > 2 and rng.random() < 0.15:
        cut = rng.randint(1, len(children) - 1)
        children = [(rng.choice(labels), children[:cut]), *children[cut:]]
    if label not in ("", "TOP") and rng.random() < 0.1:
        label = rng.choice(labels)
    return label, children


def without_empties(tree: Tree) -> Tree | None:
    """The tree without empty elements and function tags, as PYEVALB needs it."""
    label, inside = tree
    if isinstance(inside, str):
        return None if label == "-NONE-" else tree
    children = [new for child in inside if (new := without_empties(child)) is not None]
    short = label if label[:1] in "-=" else re.split("[-=]", label)[0]
    return (short or "TOP", children) if children else None


def files(tmp_path: Path, gold: list[Tree], system: list[Tree]) -> tuple[list[Document], ...]:
    for name, trees in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.mrg").write_text("\n".join(map(show, trees)), encoding="utf-8")
    return list(read(tmp_path / "gold.mrg")), list(read(tmp_path / "system.mrg"))


def wsj(data_dir: Path, count: int) -> list[Tree]:
    paths = sorted((data_dir / "WSJ-sample" / "mrg").glob("*.mrg"))[:count]
    if not paths:
        pytest.skip("no trees of the WSJ sample")
    return [tree for path in paths for tree in parse(path.read_text(encoding="utf-8"))]


EXAMPLE = """
(TOP (S (NP-SBJ (DT The) (NN dog)) (VP (VBD ran) (ADVP (RB away)) (NP (-NONE- *))) (. .)))
(TOP (S (NP (NP (NNS Cats))) (VP (VBP sleep) (PRT (RP in))) (. .)))
"""


def test_the_counts_are_those_of_evalb(tmp_path: Path) -> None:
    gold = parse(EXAMPLE)
    rng = random.Random(1)
    system = [disturb(tree, rng, ["NP", "VP", "PRT", "ADVP"]) for tree in gold]
    report = evaluate(*files(tmp_path, gold, system), levels=["PS"])
    score = report.levels["PS"].score
    expected = twin.parseval(gold, system, {"TOP", "-NONE-"}, {"PRT": "ADVP"})
    assert (score.gold, score.system, score.correct) == expected


@pytest.mark.parametrize("seed", range(3))
def test_disturbed_trees_of_the_wsj_sample(seed: int, data_dir: Path, tmp_path: Path) -> None:
    gold = wsj(data_dir, 25)
    rng = random.Random(seed)
    system = [disturb(tree, rng, ["NP", "VP", "S", "PP-LOC", "ADVP", "PRT"]) for tree in gold]
    left, right = files(tmp_path, gold, system)
    collins = {"TOP", "-NONE-", ",", ":", "``", "''", "."}
    for delete in ({"TOP", "-NONE-"}, collins):
        options = SpanOptions(evalb=Evalb(delete=frozenset(delete)))
        score = evaluate(left, right, levels=["PS"], options=options).levels["PS"].score
        # The outermost bracket without a label is TOP.
        expected = twin.parseval(gold, system, delete | {""}, {"PRT": "ADVP"})
        assert (score.gold, score.system, score.correct) == expected


def test_equals_pyevalb_on_the_wsj_sample(data_dir: Path, tmp_path: Path) -> None:
    scorer = pytest.importorskip("PYEVALB.scorer")
    parser = pytest.importorskip("PYEVALB.parser")
    rng = random.Random(9)
    gold, system = [], []
    for tree in wsj(data_dir, 25):
        plain = without_empties(tree)
        if plain is None:
            continue
        other = disturb(plain, rng, ["NP", "VP", "S", "PP", "ADVP"])
        # PYEVALB counts a label once that is repeated on a span; evalb counts it twice.
        counts = [twin.brackets(t, set(), {}, truncate=False) for t in (plain, other)]
        if max(n for count in counts for n in count.values()) == 1:
            gold.append(plain)
            system.append(other)
    assert len(gold) > 100
    options = SpanOptions(evalb=Evalb(delete=frozenset(), equate=()))
    report = evaluate(*files(tmp_path, gold, system), levels=["PS", "POS"], options=options)
    found = [0, 0, 0, 0]
    for one, other in zip(gold, system, strict=True):
        result = scorer.Scorer().score_trees(
            parser.create_from_bracket_string(show(one)),
            parser.create_from_bracket_string(show(other)),
        )
        found[0] += result.gold_brackets
        found[1] += result.test_brackets
        found[2] += result.matched_brackets
        found[3] += result.correct_tags
    score = report.levels["PS"].score
    assert [score.gold, score.system, score.correct] == found[:3]
    assert report.levels["POS"].score.correct == found[3]


def test_a_parameter_file(tmp_path: Path) -> None:
    path = tmp_path / "collins.prm"
    path.write_text(
        "# Collins\nDEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 40\nLABELED 1\nDELETE_LABEL TOP\n"
        "DELETE_LABEL -NONE-\nDELETE_LABEL ,\nDELETE_LABEL_FOR_LENGTH -NONE-\nEQ_LABEL ADVP PRT\n"
    )
    found = read_parameters(path)
    assert found == Evalb(delete=frozenset({"TOP", "-NONE-", ","}), equate=(("ADVP", "PRT"),))
    assert "CUTOFF_LEN 40" in found.ignored
    doc = document("A b", heads=[2, 0])
    notes = evaluate(doc, doc, options=SpanOptions(evalb=found)).notes
    assert any("CUTOFF_LEN 40" in note for note in notes)


@pytest.mark.parametrize("line", ["DELETE_LABELS X", "EQ_LABEL ADVP", "DELETE_LABEL"])
def test_a_bad_parameter_file_names_its_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.prm"
    path.write_text(f"LABELED 1\n{line}\n")
    with pytest.raises(FormatError, match=r"bad\.prm:2"):
        read_parameters(path)


def test_phrases_are_compared_although_tokens_differ(tmp_path: Path) -> None:
    gold = parse("(TOP (S (NP (PRP I)) (VP (MD can) (RB not) (VP (VB go))) (. .)))")
    system = parse("(TOP (S (NP (PRP I)) (VP (MD cannot) (VP (VB go))) (. .)))")
    report = evaluate(*files(tmp_path, gold, system))
    assert report.levels["PS"].score.f1 == 100
    assert report.levels["TOK"].score.correct == 3


def test_brackets_against_dependencies_score_what_both_have(tmp_path: Path) -> None:
    from tests.evaluate.making import document

    gold, _ = files(tmp_path, parse(EXAMPLE), parse(EXAMPLE))
    system = document("The dog ran away . | Cats sleep in .", heads=[2, 3, 0, 3, 3, 2, 0, 2, 2])
    report = evaluate(gold, [system])
    assert report["Sentences"].f1 == 100
    assert "LAS" not in report
    assert any("only gold has phrase structure" in note for note in report.notes)
    assert any("only the system has dependencies" in note for note in report.notes)
