"""Options of a tagger and of its training, all with defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from caesura.learn.flags import EPOCHS, SEED, flag
from caesura.stages.tag_default_templates import (
    BOUNDARY_TEMPLATES,
    CHAIN_TEMPLATES,
    GIVEN_TEMPLATES,
    LEMMA_TEMPLATES,
)

__all__ = ["COLUMNS", "START", "TaggerOptions", "boundary_options"]

#: The column that says whether a word starts a sentence (B) or not (I).
START: Final = "start"
#: Columns that a tagger can learn.
COLUMNS: Final = ("upos", "xpos", "feats", "lemma", "deprel", "misc", START)


@dataclass(frozen=True)
class TaggerOptions:
    """How to train a tagger."""

    #: Columns that are one label of the chain; empty: UPOS and XPOS, or what there is of them.
    chain: tuple[str, ...] = ()
    #: Columns given the label; empty: FEATS and lemma, and XPOS where its tags are too many.
    given: tuple[str, ...] = ()
    order: Literal[1, 2] = 2
    learner: Literal["crf", "perceptron"] = "crf"
    epochs: int = flag(10, **EPOCHS)
    patience: int = 3
    #: Train on single sentences, on whole documents, or on both views of the data.
    views: Literal["sentences", "documents", "both"] = "both"
    rate: float = 0.1
    offset: float = 0.1
    l2: float = 0.0
    #: Features seen fewer times than this are left out.
    cutoff: int = 2
    #: At most this many candidate labels a word, within the margin of the best one: in training
    #: and for probabilities, and for the best labels alone.
    width: int = 8
    margin: float = 6.0
    narrow_width: int = 6
    narrow_margin: float = 3.5
    #: A label this far ahead by the words around alone is taken without looking at their pairs.
    clear: float = 4.0
    #: Words of a document that are one step of training.
    chunk: int = 64
    #: Weights smaller than this are dropped from the finished model.
    floor: float = 0.05
    bits: Literal[8, 16] = 8
    templates: tuple[str, ...] = CHAIN_TEMPLATES
    given_templates: tuple[str, ...] = GIVEN_TEMPLATES
    lemma_templates: tuple[str, ...] = LEMMA_TEMPLATES
    #: A language file of one's own for irregular forms, instead of that of the language that the
    #: text looks like.
    language_file: str = ""
    seed: int = flag(1, **SEED)


def boundary_options(chain: tuple[str, ...] = ("xpos", "start")) -> TaggerOptions:
    """Options of the boundary labeller: tag and sentence start are one label, whole documents."""
    return TaggerOptions(chain=chain, views="documents", templates=BOUNDARY_TEMPLATES)
