"""The CoNLL 2018 scores: equal to the twin on disturbed files, and to the official figures."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from caesura.evaluate import conll18
from caesura.formats import read
from tests.evaluate.making import document
from tests.reference import evaluate as twin

PEERS = ("spacy_EWT_dev", "udpipe-weak_EWT_dev", "spacy_GUM_dev", "udpipe-weak_GUM_dev")
FORMS = "we do n't can not al le dog cat . , !".split()  # noqa: SIM905
RELATIONS = ["nsubj", "obj", "obl:tmod", "det", "case", "aux", "punct", "cc", "acl:relcl"]


@pytest.mark.parametrize("name", PEERS)
def test_official_figures(name: str, data_dir: Path) -> None:
    peers = data_dir.parent / "peers"
    if not peers.is_dir():
        pytest.skip("no outputs of peers beside the treebanks")
    expected = json.loads((peers / "expected.json").read_text())[name]
    bank = "EWT" if "EWT" in name else "GUM"
    gold = data_dir / f"UD_English-{bank}" / f"en_{bank.lower()}-ud-dev.conllu.gz"
    found = conll18(list(read(gold)), list(read(peers / f"{name}.conllu.gz")))
    shown = {
        metric: [round(x, 2) for x in (score.precision, score.recall, score.f1)]
        for metric, score in found.items()
    }
    assert shown == expected


def random_file(rng: random.Random, characters: str) -> str:
    """A random analysis of a run of characters: tokens, multi-word tokens, sentences, trees."""
    lines: list[str] = []
    rest = characters
    while rest:
        # One sentence: some tokens, each of one or several words.
        tokens: list[tuple[str, list[str]]] = []
        for _ in range(rng.randint(1, 6)):
            if not rest:
                break
            size = rng.randint(1, 5)
            surface, rest = rest[:size], rest[size:]
            parts = [surface]
            if rng.random() < 0.35:
                parts = [rng.choice([*FORMS, surface, surface.upper()]) for _ in range(2)]
                parts += [rng.choice(FORMS)] * rng.randint(0, 1)
            tokens.append((surface, parts))
        count = sum(len(parts) for _, parts in tokens)
        order = list(range(1, count + 1))
        rng.shuffle(order)
        heads = {order[0]: 0}
        for place in range(1, count):
            heads[order[place]] = order[rng.randrange(place)]
        word = 1
        for surface, parts in tokens:
            if len(parts) > 1:
                ids = f"{word}-{word + len(parts) - 1}"
                lines.append("\t".join([ids, surface, *"________"]))
            for form in parts:
                relation = "root" if not heads[word] else rng.choice(RELATIONS)
                feats = rng.choice(["_", "Case=Nom", "Case=Nom|Odd=Yes", "Number=Sing|Case=Acc"])
                lemma = rng.choice(["_", form, form.lower()])
                columns = [str(word), form, lemma, rng.choice("AB"), rng.choice("XY"), feats]
                columns += [str(heads[word]), relation, "_", "_"]
                lines.append("\t".join(columns))
                word += 1
        lines.append("")
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("seed", range(60))
def test_equals_the_twin_on_random_files(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    characters = "".join(rng.choice("abAB.") for _ in range(rng.randint(5, 80)))
    files = [random_file(rng, characters) for _ in range(2)]
    expected = twin.conll18(*(twin.load(io.StringIO(text)) for text in files))
    paths = [tmp_path / "gold.conllu", tmp_path / "system.conllu"]
    for path, text in zip(paths, files, strict=True):
        path.write_text(text, encoding="utf-8")
    found = conll18(*(list(read(path)) for path in paths))
    for metric, values in expected.items():
        score = found[metric]
        assert (score.precision, score.recall, score.f1) == pytest.approx(values), metric


def test_relations_count_without_subtypes_and_heads_by_alignment() -> None:
    gold = document("A b c", heads=[2, 0, 2], deprel=["nsubj:pass", "root", "obj"])
    system = document("A b c", heads=[2, 0, 1], deprel=["nsubj", "root", "obj"])
    found = conll18([gold], [system])
    assert found["LAS"].correct == 2
    assert found["UAS"].f1 == pytest.approx(200 / 3)


def test_gold_without_a_lemma_agrees_with_anything() -> None:
    gold = document("A b", heads=[0, 1], lemma=["", "b"])
    system = document("A b", heads=[0, 1], lemma=["x", "y"])
    assert conll18([gold], [system])["Lemmas"].correct == 1


def test_documents_may_be_cut_differently() -> None:
    whole = document("A b | C d", heads=[0, 1, 0, 1], deprel=["root", "x"] * 2)
    parts = [document("A b", heads=[0, 1], deprel=["root", "x"])]
    parts.append(document("C d", heads=[0, 1], deprel=["root", "x"]))
    assert conll18([whole], parts)["LAS"].f1 == 100


def test_one_giant_multi_word_token_is_aligned_in_linear_space() -> None:
    """The region is too large for a table; the number of aligned words is the same."""
    words = [f"w{i % 50}" for i in range(2500)]
    gold = document(" ".join(words))
    system = document("".join(words) + "=" + "+".join(words))
    assert conll18([gold], [system])["Words"].correct == 2500
