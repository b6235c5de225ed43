"""The model file of many languages: tokenisers, recogniser, network and lexica together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from modelling.cards import OWN
from modelling.multi.bonuses import bonuses
from modelling.multi.encoder import Packed
from modelling.multi.examples import MOST, Names, documents, first_words, needed_pieces
from modelling.multi.lexica import with_lexica
from modelling.multi.states import mean_of
from modelling.multi.tokenizers import Treebank
from modelling.multi.word_boundaries import CutOptions, boundaries_of
from numpy.typing import NDArray

from caesura.document import Document
from caesura.formats import read
from caesura.learn.network.export import finish, measure_scale
from caesura.learn.pipeline import dev_confidences
from caesura.learn.run import transcripts
from caesura.models.file import ModelFile, Part, save
from caesura.models.file import load as load_file
from caesura.pipeline.confidence import META as BOUNDARIES
from caesura.stages.network import NeuralParser
from caesura.stages.network_labels import Languages
from caesura.stages.network_options import SearchSettings
from caesura.stages.network_word_boundaries import Layer
from caesura.stages.several_tokenizers import KIND

#: The longest window in sub-words: with 510 LAS is 0.3 higher, and it takes a fifth more time.
LIMIT = 320
#: Words of the dev files of each main treebank that bias and confidences are measured on.
HELD = 300
SEARCH = SearchSettings(unedited=1.2)
#: Languages without blanks whose words the network helps to cut; on the dev files of Japanese and
#: Thai it does not.
CUT = ("zh", "yue")
#: Words behind those that are scored by which it is chosen how readily sentences end.
TUNED = 2500
#: Where a model file has that.
BONUS = "start-bonus"
META = {"name": "multi", "version": "1.0", "licence": "CC-BY-SA-4.0"}


def weights(paths: Sequence[Path], packed: Packed) -> dict[str, NDArray[np.float32]]:
    """All weights of the network, those of the encoder that stayed as they were included.

    Of several states, of a run or of models, the mean is taken.
    """
    return {f"encoder.{n}": array for n, array in packed.arrays().items()} | mean_of(paths)


def held_out(treebanks: Sequence[Treebank], words: int = HELD) -> list[Document]:
    """The first words of dev files, which know their language."""
    found: list[Document] = []
    for treebank in treebanks:
        for doc in first_words(read(treebank.dev), words) if treebank.dev is not None else ():
            found.append(_in(doc, treebank))
    return found


def network(
    treebanks: Sequence[Treebank],
    work: Path,
    nets: Sequence[Path],
    *,
    most: int = MOST,
    pieces: int = 0,
) -> NeuralParser:
    """The stage of the pipeline, without lexica.

    The embeddings stayed as they were, so that fewer of them, `pieces`, can be kept.
    """
    packed = Packed.load(work / "encoder.safetensors")
    names = Names.load(work / "names.json")
    docs = documents(treebanks, most)
    if pieces and pieces < packed.shape.vocabulary:
        packed = packed.only(needed_pieces(packed.subwords, docs, pieces))
    labels = names.labels
    languages = Languages.of(docs, names.attributes, labels.deprel, labels.lemma, names.rules)
    return finish(
        weights(nets, packed),
        packed.shape,
        labels,
        packed.subwords,
        SEARCH,
        limit=LIMIT,
        bits=4,
        languages=languages,
    )


def write(
    treebanks: Sequence[Treebank],
    work: Path,
    nets: Sequence[Path],
    path: Path,
    *,
    most: int = MOST,
    pieces: int = 0,
) -> None:
    """Put the parts together, and measure what a bias and confidences of boundaries are worth."""
    stage = network(treebanks, work, nets, most=most, pieces=pieces)
    with_lexica(stage, treebanks, most)
    _learn_cuts(stage, documents([t for t in treebanks if t.language in CUT], most))
    dev = held_out([treebank for treebank in treebanks if treebank.main])
    stage.scale = measure_scale(stage, [*dev, *transcripts(dev)])
    meta: dict[str, Any] = {
        **META,
        "languages": sorted({treebank.language for treebank in treebanks}),
        "trained_on": sorted({treebank.name for treebank in treebanks}),
    }
    parts = {KIND: load_file(work / "tokens.caesura").part(KIND), "neural": stage.to_part()}
    meta["stages"] = sorted(parts)
    save(path, parts, meta=meta, kind="pipeline")
    settle(path, treebanks)
    meta[BOUNDARIES] = dev_confidences(str(path), dev)
    save(path, load_file(path).parts, meta=meta, kind="pipeline")


def renew(treebanks: Sequence[Treebank], work: Path, old: Path, path: Path, most: int) -> None:
    """The network of a model file with lexica and what cuts words made anew.

    Tokenisers are those of `work`, or the old ones where there are none. What a bias and the
    confidences of boundaries are worth stays: that is the network's.
    """
    file = load_file(old)
    stage = NeuralParser.from_part(file.part("neural"))
    assert stage.languages is not None, "it is a network of many languages"
    with_lexica(stage, treebanks, most)
    _learn_cuts(stage, documents([t for t in treebanks if t.language in CUT], most))
    tokens = work / "tokens.caesura"
    parts = {KIND: (load_file(tokens) if tokens.exists() else file).part(KIND)}
    meta = {name: value for name, value in file.meta.items() if name not in OWN}
    save(path, parts | {"neural": stage.to_part()}, meta=meta, card=file.card, kind="pipeline")
    settle(path, treebanks)


def settle(path: Path, treebanks: Sequence[Treebank]) -> None:
    """Write into a model how readily sentences end in each of its languages."""
    file = load_file(path)
    part = file.part("neural")
    plain = {name: array for name, array in part.arrays.items() if name != BONUS}
    _replace(file, path, replace(part, arrays=plain))
    found = bonuses(path, treebanks, TUNED)
    _replace(file, path, replace(part, arrays=plain | {BONUS: found.astype(np.float16)}))


def _replace(file: ModelFile, path: Path, part: Part) -> None:
    """The model with another part for its network."""
    meta = {name: value for name, value in file.meta.items() if name not in OWN}
    save(path, file.parts | {"neural": part}, meta=meta, card=file.card, kind=file.kind)


def _in(doc: Document, treebank: Treebank) -> Document:
    """A document that knows its language."""
    code = int(doc.strings.ids([treebank.language])[0])
    doc.token_language = np.full(doc.n_tokens, code, np.int32)
    return doc


def _learn_cuts(stage: NeuralParser, docs: dict[str, list[Document]]) -> None:
    """What the network says of words in languages without blanks."""
    if docs and stage.languages is not None:
        layer = Layer(stage.encoder.engine, stage.encoder.subwords, CutOptions.layer)
        stage.word_boundaries = boundaries_of(docs, layer, stage.languages.codes)
