"""The model file of many languages: tokenisers, recogniser, network and lexica together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.models.file import load as load_file
from caesura.models.file import save
from caesura.neural.export import ExportOptions
from caesura.neural.languages import Languages
from caesura.neural.lemmas import LemmaLexicon
from caesura.neural.parser import NeuralParser
from caesura.neural.prepare import finish
from caesura.neural.settings import SearchSettings
from caesura.neural.tag_lexicon import TagLexicon
from caesura.tokenize.many import KIND
from caesura.train.many import Treebank
from multi_study.encoder import Packed
from multi_study.examples import MOST, Names, documents, needed_pieces

#: The longest window in sub-words.
LIMIT = 510
SEARCH = SearchSettings(unedited=1.5)
META = {"name": "multi", "version": "1.0", "licence": "CC-BY-SA-4.0"}


def weights(path: Path, packed: Packed) -> dict[str, NDArray[np.float32]]:
    """All weights of the network, those of the encoder that stayed as they were included."""
    found = {f"encoder.{name}": array for name, array in packed.arrays().items()}
    with np.load(path, allow_pickle=False) as arrays:
        found |= {n: arrays[n].astype(np.float32) for n in arrays.files if n != "epoch"}
    return found


def network(
    treebanks: Sequence[Treebank],
    work: Path,
    *,
    plain: bool = False,
    most: int = MOST,
    pieces: int = 0,
) -> NeuralParser:
    """The stage of the pipeline, with what the treebanks say of words.

    The embeddings stayed as they were, so that fewer of them, `pieces`, can be kept.
    """
    packed = Packed.load(work / "encoder.safetensors")
    names = Names.load(work / "names.json")
    docs = documents(treebanks, most)
    if pieces and pieces < packed.shape.vocabulary:
        packed = packed.only(needed_pieces(packed.subwords, docs, pieces))
    labels = names.labels
    languages = Languages.of(docs, names.attributes, labels.deprel, labels.lemma, names.rules)
    options = ExportOptions(plain=plain, exact=frozenset({"ff2"}), embedding_bits=4)
    return finish(
        weights(work / "net.npz", packed),
        packed.shape,
        labels,
        packed.subwords,
        SEARCH,
        limit=LIMIT,
        lexicon=LemmaLexicon.of_languages(docs, labels.lemma),
        options=options,
        languages=languages,
        tags=TagLexicon.of_languages(docs, labels.upos, names.attributes),
    )


def write(
    treebanks: Sequence[Treebank],
    work: Path,
    path: Path,
    *,
    most: int = MOST,
    plain: bool = False,
    pieces: int = 0,
) -> None:
    """Put the parts together."""
    parts: dict[str, Any] = {
        KIND: load_file(work / "tokens.caesura").part(KIND),
        "neural": network(treebanks, work, plain=plain, most=most, pieces=pieces).to_part(),
    }
    meta = {
        **META,
        "languages": sorted({treebank.language for treebank in treebanks}),
        "trained_on": sorted({treebank.name for treebank in treebanks}),
        "stages": sorted(parts),
    }
    save(path, parts, meta=meta, kind="pipeline")
