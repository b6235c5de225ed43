"""The k best analyses of a document: the beam is run to its end and read off item by item."""

from __future__ import annotations

from caesura.parse.decode import Decoder
from caesura.parse.parser import Parse
from caesura.parse.search import DONE, FULL, advance, expand
from caesura.parse.settle import new_result, write_path
from caesura.parse.transitions.joint import Limits, is_terminal
from caesura.parse.words import Words

__all__ = ["k_best"]


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
    if why != DONE:
        return []
    while not all(is_terminal(decoder.arena, b, n) for b in frontier.beam[: frontier.counts[0]]):
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
    found: list[Parse] = []
    seen = set()
    for item in frontier.beam[: frontier.counts[0]].tolist():
        result = new_result(n)
        write_path(decoder.system, decoder.arena, item, result)
        key = (result.heads.tobytes(), result.labels.tobytes(), result.starts.tobytes())
        if key not in seen and len(found) < k:
            seen.add(key)
            found.append(Parse.of(result, 0, n, float(decoder.arena.scores[item])))
    return found
