"""The network of the core computes what the reference does, with the same bits everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura import _core
from caesura._core import DamagedModel, LabelScorer, Network, _testing
from caesura.learn.network.export import quantised
from caesura.learn.network.pretrained import EncoderShape
from caesura.models.packing import pack_product
from caesura.stages.network_weights import TAGS
from tests.reference.network import forward, random_weights

Arrays = dict[str, NDArray[Any]]

NAMES = ("start", "tags", "arcs", "base", "sizes", "label_dep", "label_head", "label_root")
#: Encoders with and without padding, of the families and of all widths of attention heads.
SHAPES = {
    "bert": EncoderShape(60, 128, 2, 4, 256, 80),
    "roberta": EncoderShape(60, 128, 2, 2, 256, 82, first_position=2, eps=1e-5),
    "mpnet": EncoderShape(60, 128, 2, 4, 256, 82, first_position=2, eps=1e-5, buckets=32),
    "tiny": EncoderShape(60, 8, 2, 1, 32, 80),
    "uneven": EncoderShape(60, 72, 1, 3, 100, 82, first_position=2, buckets=32),
    "wide heads": EncoderShape(60, 192, 1, 2, 64, 80),
}
VARIANTS = ("portable", "avx2", "avxvnni", "vnni", "amx", "dotprod", "i8mm")


def network_arrays(weights: Arrays, shape: EncoderShape) -> Arrays:
    """The arrays of the core: products in 8 bits, embeddings as floats."""
    found: Arrays = {**quantised(weights, shape).arrays}
    del found["encoder.pieces.scale"]
    return found | {"encoder.pieces.weight": weights["encoder.pieces.weight"]}


def network_of(shape: EncoderShape) -> Network:
    return Network(network_arrays(random_weights(shape), shape), shape.heads, shape.eps)


def text(n: int, seed: int = 0) -> dict[str, Any]:
    """Words of one to three sub-words."""
    random = np.random.default_rng(seed)
    pointer = np.concatenate([[0], np.cumsum(random.integers(1, 4, n))])
    return {
        "pieces": random.integers(2, 60, pointer[-1]).astype(np.int32),
        "pointer": pointer,
        "features": random.integers(0, 3, (n, 3)),
        "begin_id": 0,
        "end_id": 1,
        "limit": 78,
    }


def windows(*rows: tuple[int, int, int, int]) -> NDArray[np.int64]:
    return np.array(rows, np.int64).reshape(-1, 4)


def reference(
    weights: Arrays, shape: EncoderShape, words: dict[str, Any], window: tuple[int, ...]
) -> dict[str, NDArray[Any]]:
    """The float outputs for one window."""
    first, last = window[:2]
    pointer = words["pointer"][first : last + 1]
    pieces = words["pieces"][pointer[0] : pointer[-1]]
    pointer = pointer - pointer[0]
    word = np.repeat(np.arange(1, last - first + 1), np.diff(pointer))
    inputs = {
        "ids": np.concatenate([[0], pieces, [1]]),
        "mask": np.ones(len(pieces) + 2, np.int64),
        "word": np.concatenate([[0], word, [0]]),
        "first": pointer[:-1] + 1,
        "last": pointer[1:],
        "features": words["features"][first:last],
    }
    found = forward(weights, shape, {name: array[None] for name, array in inputs.items()})
    return {name: array[0] for name, array in found.items()}


def scores(network: Network, words: dict[str, Any], spans: NDArray[np.int64], **more: Any) -> Any:
    return dict(zip(NAMES, network.scores(**words, windows=spans, **more), strict=True))


def close(found: NDArray[Any], wanted: NDArray[Any], most: float = 0.05) -> bool:
    return bool(np.abs(found - wanted).max() <= most * np.abs(wanted).max())


@pytest.fixture(params=list(SHAPES))
def shape(request: pytest.FixtureRequest) -> EncoderShape:
    return SHAPES[request.param]


@pytest.fixture
def restricted() -> Iterator[Callable[[str], bool]]:
    """Restricts the instruction set until the test ends."""
    yield _testing.restrict_cpu
    _testing.restrict_cpu("")


def test_scores_are_those_of_the_reference(shape: EncoderShape) -> None:
    weights = random_weights(shape)
    network = Network(network_arrays(weights, shape), shape.heads, shape.eps)
    words = text(40)
    spans = windows((0, 25, 0, 20), (15, 40, 20, 40))
    found = scores(network, words, spans)
    for first, last, keep, end in spans.tolist():
        wanted = reference(weights, shape, words, (first, last))
        own = slice(keep - first, end - first)
        n = last - first
        assert close(found["start"][keep:end], wanted["start"][own])
        tags = np.concatenate([wanted[name] for name in TAGS], 1)
        assert close(found["tags"][keep:end], tags[own])
        assert close(found["arcs"][keep:end, : n + 1], wanted["arc"][own])
        assert close(found["label_dep"][keep:end], wanted["label_dep"][own])
        assert close(found["label_head"][keep:end], wanted["label_head"][1:][own])
        assert close(found["label_root"], wanted["label_head"][0])
        assert (found["base"][keep:end] == first).all()
        assert (found["sizes"][keep:end] == n + 1).all()


def test_every_instruction_set_gives_the_same_bits(
    shape: EncoderShape, restricted: Callable[[str], bool]
) -> None:
    arrays = network_arrays(random_weights(shape), shape)
    label = random_weights(shape)["label"]
    heads = np.random.default_rng(1).integers(-1, 40, 40).astype(np.int32)
    found = {}
    for variant in VARIANTS:
        if restricted(variant):
            network = Network(arrays, shape.heads, shape.eps)
            result = network.scores(**text(40), windows=windows((0, 40, 0, 40)))
            dep, head, root = result[5:]
            result = (*result, LabelScorer(label).scores(dep, head, root, heads))
            found[network.variant] = [array.tobytes() for array in result]
    assert len(found) > 1
    assert all(result == found["portable"] for result in found.values())


def test_words_do_not_depend_on_the_windows_that_are_read_with_them() -> None:
    network = network_of(SHAPES["mpnet"])
    words = text(400)
    spans = windows(*((at, at + 20, at, at + 20) for at in range(0, 400, 20)))
    found = scores(network, words, spans)
    starts = network.starts(**words, windows=spans)
    assert (starts == found["start"]).all()
    for span in spans:
        alone = scores(network, words, span[None])
        own = slice(span[0], span[1])
        assert all((alone[name][own] == found[name][own]).all() for name in NAMES[:-1])


def test_threads_share_a_network() -> None:
    network = network_of(SHAPES["bert"])
    span = windows((0, 35, 0, 35))
    texts = [text(35, seed) for seed in range(8)]
    alone = [network.scores(**one, windows=span)[1].tobytes() for one in texts]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda one: network.scores(**one, windows=span)[1].tobytes(), texts)
    assert list(found) == alone


def test_some_columns_of_tags() -> None:
    network = network_of(SHAPES["bert"])
    words, span = text(20), windows((0, 20, 0, 20))
    found = scores(network, words, span)
    for columns in ([0, 3, 17, 39], [], [5], list(range(40))):
        wanted = np.array(columns, np.int64)
        some = scores(network, words, span, columns=wanted)
        assert (some["tags"] == found["tags"][:, columns]).all()
    with pytest.raises(ValueError, match="columns has the value 40"):
        scores(network, words, span, columns=np.array([40]))


@pytest.mark.parametrize("bits", [4, 8])
def test_vectors_of_sub_words_have_few_bits(bits: int) -> None:
    shape = SHAPES["bert"]
    weights = random_weights(shape)
    arrays = network_arrays(weights, shape)
    random = np.random.default_rng(3)
    name = "encoder.pieces"
    if bits == 8:
        table = random.integers(-127, 128, (60, 128)).astype(np.int8)
        scale = random.random(60, np.float32)
        weights[f"{name}.weight"] = table * scale[:, None]
    else:
        table = random.integers(0, 256, (60, 64)).astype(np.uint8)
        scale = random.random((60, 4), np.float32)
        values = np.concatenate([table & 15, table >> 4], 1).astype(np.float32) - 8
        weights[f"{name}.weight"] = values * np.repeat(scale, 32, 1)
    few = Network({**arrays, f"{name}.weight": table, f"{name}.scale": scale}, 4, 1e-12)
    arrays[f"{name}.weight"] = weights[f"{name}.weight"]
    words, span = text(20), windows((0, 20, 0, 20))
    wanted = Network(arrays, 4, 1e-12).scores(**words, windows=span)
    assert few.scores(**words, windows=span)[1].tobytes() == wanted[1].tobytes()


def test_factors_are_part_of_a_product() -> None:
    shape = SHAPES["tiny"]
    weights = random_weights(shape)
    arrays = network_arrays(weights, shape)
    factors = np.random.default_rng(5).uniform(0.5, 2, 32).astype(np.float32)
    for name, size in (("out", 8), ("ff1", 8), ("ff2", 32)):
        own = f"encoder.layers.1.{name}"
        arrays[f"{own}.factor"] = factors[:size]
        divided = weights[f"{own}.weight"].T / factors[:size, None]
        arrays |= pack_product(own, divided)
    words = text(20)
    network = Network(arrays, 1, 1e-12)
    found = scores(network, words, windows((0, 20, 0, 20)))
    wanted = reference(weights, shape, words, (0, 20))
    assert close(found["arcs"], wanted["arc"])


def test_the_language_is_added_to_words() -> None:
    shape = SHAPES["bert"]
    weights = random_weights(shape)
    arrays = network_arrays(weights, shape)
    plain = Network(arrays, 4, 1e-12)
    words, span = text(20), windows((0, 20, 0, 20))
    words["features"][:, 2] = 1
    arrays["manner.weight"] = np.zeros((3, 128), np.float32)
    none = Network(arrays, 4, 1e-12)
    assert (
        none.scores(**words, windows=span)[1].tobytes()
        == plain.scores(**words, windows=span)[1].tobytes()
    )
    arrays["manner.weight"][1] = 1
    weights["root"] = weights["root"] * 0 + 1
    found = Network(arrays, 4, 1e-12).scores(**words, windows=span)
    assert not close(found[1], plain.scores(**words, windows=span)[1])


def test_long_words_are_cut_and_empty_ones_borrow() -> None:
    network = network_of(SHAPES["bert"])
    words = text(3)
    words |= {
        "pieces": np.arange(90, dtype=np.int32) % 60,
        "pointer": np.array([0, 2, 2, 90]),
        "limit": 10,
    }
    cut = words | {"pieces": words["pieces"][:10], "pointer": np.array([0, 2, 2, 10])}
    span = windows((0, 3, 0, 3))
    found = network.scores(**words, windows=span)
    assert found[2].tobytes() == network.scores(**cut, windows=span)[2].tobytes()
    assert np.isfinite(found[2]).all()


def test_states_of_a_layer() -> None:
    network = network_of(SHAPES["roberta"])
    words = text(20)
    one = network.states(1, **words)
    assert one.shape == (20, 128)
    assert np.abs(one.mean(1)).max() < 0.2  # after a norm
    assert network.states(2, **words).tobytes() != one.tobytes()
    with pytest.raises(DamagedModel, match="no such layer"):
        network.states(3, **words)


def test_label_scores_are_biaffine() -> None:
    random = np.random.default_rng(0)
    weights = random.standard_normal((97, 37, 97)).astype(np.float32)
    dep, head = (np.abs(random.standard_normal((150, 96))).astype(np.float32) for _ in range(2))
    root = head[0] / 2
    heads = random.integers(-1, 150, 150).astype(np.int32)
    one = np.ones((150, 1), np.float32)
    vectors = np.where(heads[:, None] < 0, root, head[np.maximum(heads, 0)])
    left, right = np.concatenate([dep, one], 1), np.concatenate([vectors, one], 1)
    wanted = np.einsum("na,alb,nb->nl", left, weights, right, optimize=True)
    scorer = LabelScorer(weights)
    found = scorer.scores(dep, head, root, heads)
    assert close(found, wanted, 0.02)
    labels = np.array([3, 0, 36])
    assert (scorer.scores(dep, head, root, heads, labels) == found[:, labels]).all()
    assert scorer.scores(dep[:0], head, root, heads[:0]).shape == (0, 37)


def _without(name: str) -> Callable[[Arrays], object]:
    return lambda arrays: arrays.pop(name)


def _changed(name: str, array: NDArray[Any]) -> Callable[[Arrays], object]:
    return lambda arrays: arrays.update({name: array})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_without("root"), "lacks an array: root"),
        (_without("encoder.layers.1.qkv.scale"), "lacks an array: encoder.layers.1.qkv.scale"),
        (_changed("other", np.zeros(3, np.float32)), "unknown array: other"),
        (_changed("root", np.zeros(8)), "does not fit: root"),
        (_changed("root", np.full(8, np.nan, np.float32)), "not finite: root"),
        (_changed("root", np.zeros((8, 1), np.float32)), "does not fit: root"),
        (_changed("tags.bias", np.zeros(39, np.float32)), "does not fit: tags.weight"),
        (_changed("arc.weight", np.zeros((128, 128), np.float32)), "does not fit: arc.weight"),
        (_changed("mixture", np.zeros(3, np.float32)), "lacks an array: encoder.layers.2"),
        (_changed("encoder.pieces.weight", np.zeros((60, 8), np.int8)), "encoder.pieces.scale"),
        (_changed("encoder.pieces.weight", np.zeros((60, 9), np.float32)), "encoder.pieces"),
        (_changed("encoder.distance", np.zeros((1, 158), np.float32)), "encoder.distance"),
    ],
)
def test_damaged_arrays_are_refused(damage: Callable[[Arrays], object], message: str) -> None:
    shape = SHAPES["tiny"]
    arrays = network_arrays(random_weights(shape), shape)
    damage(arrays)
    with pytest.raises(DamagedModel, match=message):
        Network(arrays, 1, 1e-12)


def test_heads_must_divide_the_width() -> None:
    shape = SHAPES["tiny"]
    arrays = network_arrays(random_weights(shape), shape)
    for heads in (0, 3, -1):
        with pytest.raises(DamagedModel, match="attention heads"):
            Network(arrays, heads, 1e-12)
    with pytest.raises(DamagedModel, match="shape"):
        LabelScorer(np.zeros((3, 2, 4), np.float32))
    with pytest.raises(DamagedModel, match="finite"):
        LabelScorer(np.full((3, 2, 3), np.inf, np.float32))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"pieces": np.full(40, 60, np.int32)}, DamagedModel, "all of its sub-words"),
        ({"end_id": -1}, DamagedModel, "all of its sub-words"),
        ({"features": np.full((20, 3), 99)}, DamagedModel, "feature of a word"),
        ({"features": np.zeros((20, 2), np.int64)}, ValueError, "column for each table"),
        ({"windows": windows((0, 21, 0, 20))}, ValueError, "within the text"),
        ({"windows": windows((3, 3, 3, 3))}, ValueError, "within the text"),
        ({"pointer": np.array([0, 3, 2] + [40] * 18)}, ValueError, "pointer must rise"),
        ({"limit": 0}, ValueError, "limit is below 1"),
    ],
)
def test_text_that_does_not_fit_is_refused(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    network = network_of(SHAPES["tiny"])
    given = text(20) | {"pieces": np.full(40, 5, np.int32), "pointer": np.arange(0, 41, 2)}
    given |= {"windows": windows((0, 20, 0, 20))}
    network.scores(**given)
    with pytest.raises(error, match=message):
        network.scores(**(given | change))


def test_windows_longer_than_the_positions_are_refused() -> None:
    network = network_of(SHAPES["tiny"])
    long = text(20) | {"pieces": np.full(80, 5, np.int32), "pointer": np.arange(0, 81, 4)}
    network.scores(**long, windows=windows((0, 20, 0, 20)))
    with pytest.raises(DamagedModel, match="longer than its network can read"):
        network.scores(**(long | {"limit": 80}), windows=windows((0, 20, 0, 20)))


def test_tiles_stay_in_registers() -> None:
    """Compilers that keep accumulators on the stack make a product up to three times slower."""
    tool = shutil.which("objdump")
    if tool is None:
        pytest.skip("objdump is not installed")
    command = (tool, "-d", "--no-show-raw-insn", _core.__file__)
    code = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = 0
    for function in code.split("\n\n"):
        name, _, body = function.partition(":\n")
        if "multiply_tile" in name or "multiply_pairs" in name:
            found += 1
            assert not re.search(r"%[yz]mm.*\(%rsp|\(%rsp.*%[yz]mm", body), name
    if not found:
        pytest.skip("the core has no symbols")
