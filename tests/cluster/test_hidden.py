"""Classes by context: the hidden Markov model against all rows of states, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import _core
from caesura.cluster.hidden import Hidden, best_states, fit
from tests.reference.cluster import hidden_paths

SENTENCES = [[0, 1, 2, 3], [3, 3], [], [2, 0, 1, 1, 0]]
TEXT = np.array([symbol for words in SENTENCES for symbol in words], dtype=np.int32)
STARTS = np.cumsum([0, *map(len, SENTENCES)])


def random_model(seed: int, states: int = 3, symbols: int = 4) -> Hidden:
    rng = np.random.default_rng(seed)
    return Hidden(
        rng.dirichlet(np.ones(states)),
        rng.dirichlet(np.ones(states), states),
        np.ascontiguousarray(rng.dirichlet(np.ones(symbols), states).T),
    )


@pytest.mark.parametrize("seed", range(3))
def test_expectations_are_those_of_all_rows_of_states(seed: int) -> None:
    model = random_model(seed)
    started, moved, emitted = np.zeros(3), np.zeros((3, 3)), np.zeros((4, 3))
    score = _core.expect_states(TEXT, STARTS, *model, started, moved, emitted)
    by_hand = [np.zeros_like(table) for table in (started, moved, emitted)]
    total = 0.0
    for words in filter(None, SENTENCES):
        paths = hidden_paths(words, model)
        whole = sum(chance for _, chance in paths)
        total += np.log(whole)
        for states, chance in paths:
            by_hand[0][states[0]] += chance / whole
            np.add.at(by_hand[1], (states[:-1], states[1:]), chance / whole)
            np.add.at(by_hand[2], (words, states), chance / whole)
    assert score == pytest.approx(total)
    for found, wanted in zip((started, moved, emitted), by_hand, strict=True):
        np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_row_of_states_is_the_most_probable_of_all(seed: int) -> None:
    model = random_model(seed)
    wanted: list[int] = []
    for words in filter(None, SENTENCES):
        wanted += max(hidden_paths(words, model), key=lambda path: path[1])[0]
    assert best_states(TEXT, STARTS, model).tolist() == wanted


def test_a_symbol_stays_in_the_states_that_it_may_have() -> None:
    allowed = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    model = fit(TEXT, STARTS, np.array([0, 1, 0, 2], np.int32), allowed, 5)
    assert not model.emit[~allowed].any()
    for shares in (model.start, *model.move, *model.emit.T):
        assert shares.sum() == pytest.approx(1.0)
    states = best_states(TEXT, STARTS, model)
    assert (states == 2).tolist() == (TEXT == 3).tolist()


def test_tables_that_do_not_fit_the_text_are_refused() -> None:
    model = random_model(0)
    with pytest.raises(ValueError, match="symbols has the value 3"):
        best_states(TEXT, STARTS, model._replace(emit=model.emit[:3]))
    with pytest.raises(ValueError, match="the same states"):
        best_states(TEXT, STARTS, model._replace(move=model.move[:2]))
    with pytest.raises(ValueError, match="must rise"):
        best_states(TEXT, STARTS + 1, model)
