"""What is learned around the network of many languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from modelling.multi import bonuses
from modelling.multi.examples import Names, examples_of, names_of, often, with_habits
from modelling.multi.states import State, learned_of, mean_of
from modelling.multi.tokenizers import Treebank
from modelling.multi.word_boundaries import CutOptions, Lessons, learn

from caesura.formats import read
from caesura.stages.network_word_boundaries import NEAR
from tests.encoders import character_pieces

ROOT = Path(__file__).parents[2]


def test_odds_are_learned_from_vectors_around_a_place() -> None:
    random = np.random.default_rng(3)
    vectors = random.standard_normal((3000, 6)).astype(np.float16)
    places = np.arange(NEAR, len(vectors) - NEAR)
    # A word begins where a number of the vector before is larger than one of that behind.
    begins = vectors[places - 1, 0] > vectors[places, 1]
    options = CutOptions(hidden=12, epochs=12, rate=1e-2, dropout=0.0, share=0.5)
    first, bias, second = learn(Lessons(vectors, places, begins), options)
    near = np.concatenate([vectors[places + step] for step in range(-NEAR, NEAR)], 1)
    points = np.maximum(near @ first + bias, 0) @ second[:-1] + second[-1]
    assert ((points > 0) == begins).mean() > 0.9
    doubled = learn(Lessons(vectors, places, begins), CutOptions(**vars(options) | {"share": 1.0}))
    assert np.allclose(doubled[2], 2 * second)


def test_treebanks_that_are_not_the_main_ones_are_told_apart(tmp_path: Path) -> None:
    file = ROOT / "examples" / "harbour.conllu"
    banks = [
        Treebank("A-Main", "aa", file, main=True),
        Treebank("A-Other", "aa", file),
        Treebank("B-First", "bb", file),
        Treebank("B-Second", "bb", file),
    ]
    docs = list(read(file))
    plain = names_of({"aa": docs, "bb": docs})
    assert with_habits(banks) == ("aa A-Other",)
    names = Names(plain.codes, plain.labels, plain.attributes, plain.rules, with_habits(banks))
    names.save(tmp_path / "names.json")
    assert Names.load(tmp_path / "names.json") == names
    subwords = character_pieces(docs)
    groups = [(bank, docs) for bank in banks]
    n = sum(doc.n_words for doc in docs)
    data = examples_of(groups, names, subwords, "written")
    made = data.features
    assert made[:, 3].tolist() == [1] * 2 * n + [2] * 2 * n
    assert made[:, 4].tolist() == [0] * n + [1] * n + [0] * 2 * n
    # The main one is read three times as often as the other, and the language as often as before.
    k = len(docs)
    assert often(data, 1.0, 3.0) == pytest.approx(np.repeat([1.5, 0.5, 1.0], [k, k, 2 * k]))
    twice = often(data, 1.0, 3.0, np.array([1.0, 1.0, 2.0]))
    assert twice == pytest.approx(np.repeat([1.5, 0.5, 2.0], [k, k, 2 * k]))
    assert examples_of(groups, plain, subwords, "written").features.shape[1] == 4


def test_states_of_a_run_and_of_a_model_have_a_mean(tmp_path: Path) -> None:
    from caesura.models.file import save
    from tests.neural.small import small_network

    model = tmp_path / "multi.caesura"
    save(model, {"neural": small_network()}, kind="pipeline")
    learned = learned_of(model)
    assert "label" in learned
    assert "encoder.pieces.weight" not in learned  # which stay as they are
    moved = {name: array + 0.5 for name, array in learned.items()}
    state = tmp_path / "net.npz"
    State(moved | {"habits.0.weight": np.ones((2, 2))}).save(state, 3)
    assert learned_of(state).keys() == learned.keys() | {"habits.0.weight"}
    mean = mean_of([model, state, model, state])
    assert mean.keys() == learned.keys()  # a model has no vectors of treebanks
    for name, array in learned.items():
        assert np.allclose(mean[name], array + 0.25, atol=2e-3), name


def test_little_gain_adds_nothing_to_boundaries(monkeypatch: pytest.MonkeyPatch) -> None:
    class Search:
        def with_search(self, bonus: float) -> float:
            return bonus

    doc = next(iter(read(ROOT / "examples" / "harbour.conllu")))
    for worth, wanted in ((bonuses.GAIN - 0.1, 0.0), (bonuses.GAIN + 0.1, 2.0)):
        monkeypatch.setattr(
            bonuses, "score", lambda found, _, worth=worth: worth if found == 2.0 else 0.0
        )
        assert bonuses.chosen(Search(), [(doc, doc, None)], "aa") == wanted
