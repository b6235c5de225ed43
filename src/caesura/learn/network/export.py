"""From trained weights to the stage of a pipeline, and back.

`finish` makes the stage, and `measure_scale` its calibration of the boundary bias. `quantised`
makes the 8-bit arrays of a model file; `floats` gives the weights as `Net.state_dict` names them,
for PyTorch and for further training. Encoder families (`pretrained.FAMILIES`) differ here only in
arrays: positions before the first are left out, and a bias by distance exists or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.learn.network.examples import Labels
from caesura.learn.network.pretrained import EncoderShape, relative_buckets
from caesura.learn.tuning import Count, boundaries, measured, sample
from caesura.models.packing import pack_embeddings, pack_product, unpack_embeddings
from caesura.stages.bias import BiasScale
from caesura.stages.network import NeuralParser
from caesura.stages.network_labels import Languages
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_options import SearchSettings
from caesura.stages.network_subwords import Subwords
from caesura.stages.network_tags import TagLexicon
from caesura.stages.network_weights import (
    DISTANCE,
    HEADS,
    LAYER,
    PIECES,
    POSITION,
    START,
    TAGS,
    Network,
    layer_shares,
)
from caesura.stages.word_table import is_edited

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]

#: Buckets of the bias by distance in every encoder that has one.
_BUCKETS: Final = 32


def finish(
    weights: Mapping[str, NDArray[Any]],
    shape: EncoderShape,
    labels: Labels,
    subwords: Subwords,
    settings: SearchSettings,
    *,
    limit: int,
    lexicon: LemmaLexicon | None = None,
    bits: int = 8,
    languages: Languages | None = None,
    features: NDArray[np.bool_] | None = None,
    tags: TagLexicon | None = None,
) -> NeuralParser:
    """The stage of a pipeline from trained weights; embeddings are stored in 4 or 8 `bits`."""
    return NeuralParser(
        quantised(weights, shape, bits=bits),
        subwords,
        labels.as_lists(),
        np.asarray(weights["label"], np.float32),
        settings,
        limit=limit,
        lexicon=lexicon,
        languages=languages,
        features=features,
        tags=tags,
    )


def measure_scale(parser: NeuralParser, docs: Sequence[Document]) -> BiasScale:
    """The scale of the parser's bias, measured on held-out documents with tokens."""
    kinds: dict[str, list[Document]] = {"edited": [], "unedited": []}
    for doc in docs:
        if doc.n_words:
            kinds["edited" if is_edited(doc) else "unedited"].append(doc)
    return measured(
        parser.scale,
        {kind: _counting(parser, sample(found)) for kind, found in kinds.items() if found},
    )


def _counting(parser: NeuralParser, docs: Sequence[Document]) -> Count:
    """Counts the boundaries of documents by bonus; the network reads them once."""
    plain = [replace(doc, fixed=frozenset()) for doc in docs]
    read = [(doc, parser.encoder.scores(doc)) for doc in plain]
    own = parser.settings.bonus

    def count(bonus: float) -> int:
        other = parser.with_search(bonus=own + bonus, bias=0.0)
        found = [other.decide(doc, scores).starts for doc, scores in read]
        return boundaries(int(np.count_nonzero(starts == 1)) for starts in found)

    return count


def quantised(
    weights: Mapping[str, NDArray[Any]], shape: EncoderShape, *, bits: int = 8
) -> Network:
    """The network of trained weights: products in 8 bits, embeddings in 4 or 8."""
    plain = {name: np.asarray(array, np.float32) for name, array in weights.items()}
    tags = tuple(len(plain[f"{tag}.bias"]) for tag in TAGS)
    arrays: Arrays = {}
    arrays |= pack_embeddings(PIECES, plain.pop(f"{PIECES}.weight"), bits)
    arrays[POSITION] = plain.pop(POSITION)[shape.first_position :]
    table = plain.pop(f"{DISTANCE}.weight", None)
    if table is not None:
        arrays[DISTANCE] = np.ascontiguousarray(table[_buckets(len(arrays[POSITION]))].T)
    arrays["mixture"] = layer_shares(plain.pop("mixture", None), shape.layers)
    arrays[f"{START}.weight"] = plain.pop(f"{START}.weight")[0]
    together = [[plain.pop(f"{tag}.{end}") for tag in TAGS] for end in ("weight", "bias")]
    plain["tags.weight"], plain["tags.bias"] = (np.concatenate(parts) for parts in together)
    plain["arc.weight"], plain["arc.bias"] = plain.pop("arc").T, plain.pop("arc_bias")
    products = [f"encoder.layers.{n}.{name}" for n in range(shape.layers) for name in LAYER]
    for product in (*products, *HEADS):
        if product != START:
            arrays |= pack_product(product, plain.pop(f"{product}.weight").T)
    # Labels are scored separately, and only training uses the vectors of treebanks.
    rest = {n: a for n, a in plain.items() if n != "label" and not n.startswith("habits.")}
    return Network(arrays | rest, tags, shape.heads, float(np.float32(shape.eps)))


def shape_of(network: Network) -> EncoderShape:
    """The sizes of the encoder."""
    arrays = network.arrays
    return EncoderShape(
        vocabulary=network.pieces,
        hidden=len(arrays["root"]),
        layers=len(arrays["mixture"]),
        heads=network.heads,
        inner=len(arrays["encoder.layers.0.ff1.bias"]),
        # Positions before the first were left out.
        positions=len(arrays[POSITION]),
        eps=network.eps,
        buckets=_BUCKETS if DISTANCE in arrays else 0,
    )


def floats(network: Network) -> dict[str, Floats]:
    """The weights as `Net.state_dict` names them, without those of labels."""
    arrays = network.arrays
    found: dict[str, Floats] = {}
    for name, array in arrays.items():
        product, _, end = name.rpartition(".")
        if name == f"{PIECES}.weight":
            found[name] = unpack_embeddings(array, arrays.get(f"{PIECES}.scale"))
        elif f"{product}.scale" in arrays and product != PIECES:
            if end in ("weight", "bias"):
                found |= _plain_product(network, product, end)
        elif name not in (f"{PIECES}.scale", "mixture", DISTANCE):
            found[name] = np.array(array, np.float32)
    found[f"{START}.weight"] = found[f"{START}.weight"][None]
    shares = arrays["mixture"].astype(np.float64)
    if shares[:-1].any() or shares[-1] != 1.0:
        total = shares.sum()
        logs = np.log(np.maximum(shares / total, 1e-12))
        found["mixture"] = np.append(logs, total).astype(np.float32)
    if DISTANCE in arrays:
        values = arrays[DISTANCE]
        table = np.zeros((_BUCKETS, len(values)), np.float32)
        table[_buckets((values.shape[1] + 1) // 2)] = values.T
        found[f"{DISTANCE}.weight"] = table
    return found


def _plain_product(network: Network, product: str, end: str) -> dict[str, Floats]:
    """The weights or the bias of a product in 8 bits, as floats."""
    arrays = network.arrays
    array = arrays[f"{product}.{end}"].astype(np.float32)
    if end == "weight":
        array = array * arrays[f"{product}.scale"]
        if f"{product}.factor" in arrays:
            array = array * arrays[f"{product}.factor"][:, None]
    if product == "arc":
        return {"arc" if end == "weight" else "arc_bias": array}
    if product == "tags":
        parts = np.split(array, np.cumsum(network.tags)[:-1], -1)
        return {f"{tag}.{end}": part.T for tag, part in zip(TAGS, parts, strict=True)}
    return {f"{product}.{end}": np.ascontiguousarray(array.T)}


def _buckets(longest: int) -> NDArray[np.int64]:
    """The bucket of each distance, from the last position to the first one on."""
    row = relative_buckets(longest, _BUCKETS)
    return np.concatenate([row[longest - 1, : longest - 1], row[0, :longest]])
