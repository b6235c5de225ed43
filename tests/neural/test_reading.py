"""Windows cover every word once; documents that are read together get what each gets alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.document import Document
from caesura.learn.network.examples import random_cuts
from caesura.models.file import Part
from caesura.options import Request
from caesura.pipeline import load
from caesura.stages import network_reading as reading
from caesura.stages.network import NeuralParser
from caesura.stages.network_reading import overlapping
from tests.neural.small import harbour, small_network

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=200)


def pointer(sizes: list[int]) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


@given(SIZES, st.integers(10, 60), st.integers(0, 8))
def test_overlapping_windows_keep_every_word_once(
    sizes: list[int], limit: int, overlap: int
) -> None:
    at = pointer(sizes)
    windows = overlapping(at, 0, len(sizes), limit, overlap)
    kept = [word for w in windows for word in range(w.keep_first, w.keep_last)]
    assert kept == list(range(len(sizes)))
    for window in windows:
        assert window.first <= window.keep_first < window.keep_last <= window.last
        assert at[window.last] - at[window.first] <= limit


@given(SIZES, st.integers(10, 60), st.integers(0, 8), st.sets(st.integers(0, 200)))
def test_windows_that_end_with_paragraphs_keep_every_word_once(
    sizes: list[int], limit: int, overlap: int, breaks: set[int]
) -> None:
    at, ends = pointer(sizes), np.array(sorted(breaks), np.int64)
    windows = overlapping(at, 0, len(sizes), limit, overlap, ends)
    kept = [word for w in windows for word in range(w.keep_first, w.keep_last)]
    assert kept == list(range(len(sizes)))
    for window in windows:
        assert window.first <= window.keep_first < window.keep_last <= window.last
        assert at[window.last] - at[window.first] <= limit


def test_nothing_is_shared_where_a_paragraph_ends() -> None:
    at = pointer([1] * 100)
    windows = overlapping(at, 0, 100, 40, 8, np.array([10, 36, 80]))
    spans = [(w.first, w.last, w.keep_first, w.keep_last) for w in windows]
    # The break at 10 comes too early; behind 36 there is none, and 80 ends a window again.
    assert spans == [(0, 36, 0, 36), (36, 76, 36, 72), (68, 100, 72, 100)]
    last = overlapping(at, 0, 100, 44, 8, np.array([10, 36, 80]))
    assert [(w.first, w.last) for w in last] == [(0, 36), (36, 80), (80, 100)]


def test_a_long_document_costs_little_more_than_one_pass() -> None:
    at = pointer([1 + n % 3 for n in range(20_000)])
    windows = overlapping(at, 0, 20_000, 510, 96)
    assert sum(at[w.last] - at[w.first] for w in windows) <= 1.3 * at[-1]


@given(SIZES, st.integers(10, 60), st.integers(0, 5))
def test_training_cuts_use_every_word_once(sizes: list[int], limit: int, seed: int) -> None:
    at = pointer(sizes)
    bounds = np.array([0, len(sizes) // 2, len(sizes)])
    windows = random_cuts(at, bounds, limit, np.random.default_rng(seed))
    assert [n for w in windows for n in range(w.first, w.last)] == list(range(len(sizes)))
    assert not any(w.first < bounds[1] < w.last for w in windows)


@given(SIZES)
def test_a_batch_tells_which_pieces_belong_to_which_word(sizes: list[int]) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.device_data import DeviceText

    at = pointer(sizes)
    pieces = np.arange(1000, 1000 + at[-1], dtype=np.int32)
    features = np.arange(3 * len(sizes)).reshape(-1, 3)
    windows = overlapping(at, 0, len(sizes), 40, 6)
    text = DeviceText(pieces, at, features, (1, 2, 0), "cpu")
    place = text.place(windows, limit=40)
    found = text.inputs(torch.from_numpy(place.bounds), place.length, place.width)
    made = {name: tensor.numpy() for name, tensor in found.items()}
    for row, window in enumerate(windows):
        length = int(made["mask"][row].sum())
        assert made["ids"][row, 0] == 1
        assert made["ids"][row, length - 1] == 2
        for place_of, word in enumerate(range(window.first, window.last)):
            own = slice(made["first"][row, place_of], made["last"][row, place_of] + 1)
            assert made["ids"][row, own].tolist() == pieces[at[word] : at[word + 1]].tolist()
            assert set(made["word"][row, own].tolist()) == {place_of + 1}
        n = window.last - window.first
        assert made["features"][row, :n].tolist() == features[window.first : window.last].tolist()


def test_a_word_of_too_many_sub_words_is_cut() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.device_data import DeviceText

    pieces, at = np.arange(90, dtype=np.int32), pointer([90])
    text = DeviceText(pieces, at, np.ones((1, 3), np.int64), (1, 2, 0), "cpu")
    place = text.place(overlapping(at, 0, 1, 40, 6), limit=40)
    found = text.inputs(torch.from_numpy(place.bounds), place.length, place.width)
    assert found["ids"].tolist() == [[1, *range(40), 2]]
    assert (found["first"].item(), found["last"].item()) == (1, 40)


def test_windows_of_many_languages_end_where_the_tokeniser_is_sure_of_a_start() -> None:
    from caesura.stages.network import NeuralParser
    from caesura.stages.network_reading import word_features
    from tests.neural.small import small_network

    doc = Document.from_spans("a b c d", [0, 2, 4, 6], [1, 3, 5, 7])
    features = word_features(doc)
    for many, wanted in ((True, [2]), (False, [])):
        encoder = NeuralParser.from_part(small_network(many=many)).encoder
        doc.start_evidence = None
        assert not len(encoder.ends(doc, features))
        doc.start_evidence = np.array([0.1, 0.5, 0.95, 0.7], np.float32)
        assert encoder.ends(doc, features).tolist() == wanted


TEXTS = (
    "The boats did not come back.",
    "WHY?\n\nnobody asked, and nobody knew.\n- One\n- Two",
    "so we went home then i said it was late and nobody spoke",
    "",
    "😀",
    "They didn't!",
)


def documents() -> list[Document]:
    nlp = load("en")
    return [nlp.tokenise(Document(text=text)) for text in TEXTS]


@pytest.fixture(params=[True, False], ids=["many languages", "one language"])
def part(request: pytest.FixtureRequest) -> Part:
    return small_network(many=request.param)


@pytest.mark.parametrize("shared", [True, False])
def test_what_is_found_does_not_depend_on_other_documents(part: Part, shared: bool) -> None:
    parser = NeuralParser.from_part(part)
    docs = documents()
    if shared:  # as in a batch of a pipeline: one table of strings
        strings = docs[0].strings
        for doc in docs[1:]:
            doc.form, doc.strings = strings.ids(doc.column("form")).astype(np.int32), strings
    for doc, code in zip(docs, ("aa", "aa", "bb", "bb", "aa", "aa"), strict=True):
        doc.token_language = np.full(doc.n_tokens, doc.strings.ids([code])[0], np.int32)
    alone = [replace(doc) for doc in docs]
    parser.annotate(docs, Request(confidence=True))
    for doc, other in zip(docs, alone, strict=True):
        parser.annotate([other], Request(confidence=True))
        assert doc == other
        for name in ("tag_conf", "arc_conf", "sent_conf"):
            assert np.array_equal(getattr(doc, name), getattr(other, name))


def test_documents_are_joined_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    docs = harbour()
    one = docs[0]
    fixed = replace(one, fixed=frozenset({"tags"}))
    monkeypatch.setattr(reading, "_WORDS", 2 * one.n_words)
    found = reading.groups([one, one, one, fixed, one, Document(text="")])
    assert [len(group) for group in found] == [2, 1, 1, 1, 1]


def test_a_joined_document_has_what_networks_read() -> None:
    docs = documents()[:2]
    strings = docs[0].strings
    docs[1].form, docs[1].strings = strings.ids(docs[1].column("form")).astype(np.int32), strings
    whole, bounds = reading.joined(docs)
    assert bounds.tolist() == [0, docs[0].n_words, whole.n_words]
    assert whole.column("form") == docs[0].column("form") + docs[1].column("form")
    starts = np.concatenate([doc.token_paragraph_start for doc in docs])
    assert np.array_equal(whole.token_paragraph_start, starts)
    assert reading.joined(docs[:1])[0] is docs[0]
