"""A tagger without any weights, made without training: enough to compile the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.models.file import Part
from caesura.tag.default_templates import CHAIN_TEMPLATES, GIVEN_TEMPLATES, LEMMA_TEMPLATES
from caesura.tag.lattice import empty_transitions
from caesura.tag.tables import moves_arrays, table_arrays
from caesura.tag.tagger import Tagger

__all__ = ["empty_tagger"]


def empty_tagger() -> Tagger:
    """A tagger with two labels, all of whose weights are zero."""
    keys = np.zeros(0, np.uint32)
    table = np.zeros((0, 2), np.float32)
    config: dict[str, Any] = {
        "chain": ["upos", "xpos"],
        "given": ["feats", "lemma"],
        "templates": list(CHAIN_TEMPLATES),
        "templates-feats": list(GIVEN_TEMPLATES),
        "templates-lemma": list(LEMMA_TEMPLATES),
    }
    labels = {"chain": ["A\ta", "B\tb"], "feats": ["", "X=Y"], "lemma": ["l0//0/", "k0//0/"]}
    arrays = table_arrays("chain", keys, table, 8, 0.0)
    arrays |= moves_arrays(empty_transitions(2, 2), 8, 0.0)
    for column in ("feats", "lemma"):
        arrays |= table_arrays(column, keys, table, 8, 0.0)
        arrays[f"{column}.bounds"] = np.array([0, 2, 4], np.int32)
        arrays[f"{column}.options"] = np.array([0, 1, 0, 1], np.int32)
    return Tagger(Part("tagger", config, labels, arrays))
