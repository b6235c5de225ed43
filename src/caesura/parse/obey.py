"""Decoding a document of which something is given: boundaries, heads, labels, some or all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caesura.document import Document
from caesura.errors import InputError
from caesura.parse.arena import NEXT
from caesura.parse.limits import Given, completed, limits_of, no_limits

if TYPE_CHECKING:
    from caesura.parse.decode import Decoder
    from caesura.parse.settle import Result
    from caesura.parse.words import Words

__all__ = ["decode_given"]


def decode_given(
    decoder: Decoder, doc: Document, words: Words, given: Given, *, single_root: bool
) -> Result:
    """The best analysis that contradicts nothing given; refuses what cannot hold together."""
    n = len(given.heads)
    name = f"document {doc.id!r}" if doc.id else "the document"
    bounds = np.array([0, n], np.int64)
    limits = limits_of(given, single_root=single_root, name=name) if given.anything else no_limits()
    result = decoder.decode(words, bounds, limits)
    reach = 32
    while result is None:
        # No item of the beam could go on: fill open heads around the place where it stopped.
        at = int(decoder.arena.items[decoder.frontier.beam[0], NEXT])
        limits = completed(limits, at - reach, at + reach)
        result = decoder.decode(words, bounds, limits)
        if reach > 2 * n and result is None:
            raise InputError(
                f"the given heads and boundaries of {name} cannot hold together",
                file=doc.source,
                remedy="Leave some of them open.",
            )
        reach *= 4
    return result
