"""A small network of two languages with random weights, which needs no PyTorch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caesura.document import Document
from caesura.formats import read
from caesura.learn.network.examples import Labels
from caesura.learn.network.export import finish
from caesura.learn.network.pretrained import EncoderShape
from caesura.models.file import Part
from caesura.stages.network_labels import Attributes, Languages
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_options import SearchSettings
from caesura.stages.network_tags import TagLexicon
from tests.encoders import character_pieces
from tests.pipeline.tiny import EXAMPLES
from tests.reference.network import random_weights

PAIRS = ("Case=Abl", "Case=Gen", "Case=Nom", "Number=Plur", "Number=Sing",
         "Tense=Fut", "Tense=Past", "Tense=Pres")  # fmt: skip
RULES = ("l0//0/", *(f"l0//{n}/" for n in range(1, 13)))
LABELS = Labels(
    ("NOUN", "VERB", "PUNCT", "PRON", "DET", "ADP", "X"),
    tuple(f"x{n}" for n in range(9)),
    tuple(f"Odd={n}" for n in range(11)),
    RULES,
    ("root", "nsubj", "obj", "punct", "det"),
)


def harbour() -> list[Document]:
    """Our example, with features that its words show."""
    docs = list(read(EXAMPLES / "harbour.conllu"))
    for doc in docs:
        made = []
        for form, upos in zip(doc.column("form"), doc.column("upos"), strict=True):
            number = "Number=Plur" if form.endswith("s") else "Number=Sing"
            kinds = {"NOUN": number, "VERB": "Mood=Ind|Tense=Past", "PRON": f"Case=Nom|{number}"}
            made.append(kinds.get(upos, ""))
        doc.feats = doc.strings.ids(made).astype(np.int32)
    return docs


def small_network(*, many: bool = True) -> Part:
    """The part of a model file: a network of the languages aa and bb, or of one."""
    docs = harbour()
    subwords = character_pieces(docs)
    shape = EncoderShape(subwords.size(), 128, 3, 4, 256, 300)
    weights = random_weights(shape)
    weights["mixture"][-1] = 1.0
    if not many:
        parser = finish(
            weights, shape, LABELS, subwords, SearchSettings(), limit=254,
            lexicon=LemmaLexicon.of(docs, RULES), features=np.eye(9, 11, dtype=bool),
        )  # fmt: skip
        return parser.to_part()
    random = np.random.default_rng(7)
    for name in ("features.3.weight", "manner.weight"):
        weights[name] = (random.standard_normal((3, 128)) * 0.05).astype(np.float32)
        weights[name][0] = 0
    attributes = Attributes(PAIRS)
    labels = replace(LABELS, feats=PAIRS)
    masks = {
        "deprel": np.ones((3, 5), bool),
        "feats": np.ones((3, attributes.total), bool),
        "lemma": np.ones((3, 13), bool),
    }
    masks["lemma"][2, 5:] = False
    parser = finish(
        weights, shape, labels, subwords, SearchSettings(), limit=254,
        lexicon=LemmaLexicon.of_languages({"aa": docs}, RULES),
        languages=Languages(("aa", "bb"), attributes, masks),
        tags=TagLexicon.of_languages({"bb": docs}, labels.upos, attributes),
    )  # fmt: skip
    return parser.to_part()
