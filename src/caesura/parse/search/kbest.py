"""The k best analyses of a document: the beam is run to its end and read off item by item."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from caesura.document import Document
from caesura.parse.analysis import Parse
from caesura.parse.constraints import WordConstraints, limits_of, no_limits
from caesura.parse.documents import sentence_bounds
from caesura.parse.search.beam import DEAD, DONE, FULL, STUCK, advance, expand, most_steps
from caesura.parse.search.commit_prefix import new_result, write_path
from caesura.parse.search.decode import Decoder
from caesura.parse.transitions.graph_stack import ABSENT
from caesura.parse.transitions.joint import Limits, is_terminal
from caesura.parse.word_table import Words, cut

if TYPE_CHECKING:
    from caesura.parse.parser import Parser

__all__ = ["analyses", "k_best"]


def k_best(decoder: Decoder, words: Words, limits: Limits, k: int) -> list[Parse]:
    """Different analyses, best first; fewer than k if the beam holds no more."""
    decoder.restart()
    n = len(words.context)
    if n == 0:
        return [Parse.of(new_result(0), 0, 0)]
    search, frontier = decoder.search, decoder.frontier
    while True:
        arena = decoder.arena
        why = advance(
            decoder.scorer,
            decoder.system,
            limits,
            words,
            arena,
            frontier,
            decoder.how,
            True,
        )
        if why != FULL:
            break
        decoder.grow()
    if why == STUCK or (why == DEAD and not np.any(limits.heads != ABSENT)):
        raise decoder.nowhere(n, dead=why == DEAD)
    if why != DONE:
        return []
    while not all(is_terminal(decoder.arena, b, n) for b in frontier.beam[: frontier.counts[0]]):
        if frontier.counts[5] >= most_steps(n, len(limits.heads) > 0):
            break  # the best one has ended: whoever comes later has lost its way
        arena = decoder.arena
        full = arena.used[1] + search.beam > len(arena.items)
        if full or arena.used[0] + 2 * search.beam > len(arena.nodes):
            decoder.grow()
            continue
        expand(
            decoder.scorer,
            decoder.system,
            limits,
            words,
            arena,
            frontier,
            decoder.how,
        )
        frontier.counts[5] += 1
    found: list[Parse] = []
    seen = set()
    for item in frontier.beam[: frontier.counts[0]].tolist():
        if not is_terminal(decoder.arena, item, n):
            continue
        result = new_result(n)
        write_path(decoder.system, decoder.arena, item, result)
        key = (result.heads.tobytes(), result.labels.tobytes(), result.starts.tobytes())
        if key not in seen and len(found) < k:
            seen.add(key)
            found.append(Parse.of(result, 0, n, float(decoder.arena.scores[item])))
    return found


def analyses(parser: Parser, doc: Document, k: int) -> list[Parse]:
    """The k best analyses of a document; of a parser without SB, sentence by sentence."""
    given = WordConstraints.of(doc, parser.inventory.labels)
    single = parser.inventory.single_root or not parser.inventory.sb
    # States that are merged would take their trees with them.
    decoder = parser.with_search(margin=math.inf).decoder()

    def best(words: Words, told: WordConstraints) -> list[Parse]:
        limits = limits_of(told, single_root=single) if told.anything else no_limits()
        return k_best(decoder, words, limits, k)

    words = parser.words(doc)
    if parser.inventory.sb or not doc.n_words:
        return best(words, given)
    found: list[tuple[float, tuple[Parse, ...]]] = [(0.0, ())]
    bounds = sentence_bounds(doc)
    for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        trees = best(cut(words, np.array([a, b], np.int64)), given.sentence(a, b, doc))
        joined = [(x + tree.score, (*t, tree.moved(a))) for x, t in found for tree in trees]
        found = sorted(joined, key=lambda pair: -pair[0])[:k]
    return [replace(Parse.join(trees), score=score) for score, trees in found]
