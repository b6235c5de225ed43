"""Slow, obvious twins of the clustering kernels: objectives recomputed from scratch each time."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise, product

from caesura.cluster.clustering import Bigrams
from caesura.cluster.hidden import Hidden

Pairs = Counter[tuple[int, int]]


def word_pairs(bigrams: Bigrams) -> Pairs:
    pairs: Pairs = Counter()
    for word in range(len(bigrams.counts)):
        for i in range(bigrams.next_at[word], bigrams.next_at[word + 1]):
            pairs[word, int(bigrams.next_word[i])] += int(bigrams.next_count[i])
    return pairs


def _xlogx(x: int) -> float:
    return x * math.log(x) if x else 0.0


def objective(bigrams: Bigrams, classes: list[int]) -> float:
    pairs: Pairs = Counter()
    for (left, right), count in word_pairs(bigrams).items():
        pairs[classes[left], classes[right]] += count
    sums: Counter[int] = Counter()
    for word, count in enumerate(bigrams.counts.tolist()):
        sums[classes[word]] += count
    return sum(map(_xlogx, pairs.values())) - 2 * sum(map(_xlogx, sums.values()))


def exchange(bigrams: Bigrams, n: int, passes: int) -> list[int]:
    size = len(bigrams.counts)
    classes = [0, 1, *((word - 2) % n + 2 for word in range(2, size))]
    for _ in range(passes):
        moved = False
        for word in range(2, size):
            home = classes[word]
            if classes.count(home) == 1:
                continue
            values = []
            for candidate in range(2, n + 2):
                classes[word] = candidate
                values.append(objective(bigrams, classes))
            best = max(values)
            # Among equals the home class wins, then the first.
            if values[home - 2] > best - 1e-7:
                classes[word] = home
            else:
                classes[word] = 2 + next(i for i, v in enumerate(values) if v > best - 1e-7)
                moved = True
        if not moved:
            break
    return classes


def information(pairs: Pairs, slot: dict[int, int], counts: list[int], total: float) -> float:
    """Mutual information of neighbouring classes, of the words that have a class."""
    joint: Pairs = Counter()
    for (left, right), count in pairs.items():
        if left in slot and right in slot:
            joint[slot[left], slot[right]] += count
    sums: Counter[int] = Counter()
    for word, place in slot.items():
        sums[place] += counts[word]
    return sum(n / total * math.log(n * total / (sums[a] * sums[b])) for (a, b), n in joint.items())


def brown(bigrams: Bigrams, n: int) -> list[int]:
    """Classes of the words; every merger is the one that leaves the most information."""
    pairs, counts = word_pairs(bigrams), bigrams.counts.tolist()
    total = float(sum(pairs.values()))
    size = len(bigrams.counts)
    slot = {word: word for word in range(min(n + 2, size))}
    for word in range(len(slot), size):
        slot[word] = next(place for place in range(2, n + 3) if place not in slot.values())
        places = sorted({place for place in slot.values() if place >= 2})
        best, best_value = (0, 0), -math.inf
        for a, b in combinations(places, 2):
            merged = {w: (a if place == b else place) for w, place in slot.items()}
            value = information(pairs, merged, counts, total)
            if value > best_value + 1e-12:
                best, best_value = (a, b), value
        slot = {w: (best[0] if place == best[1] else place) for w, place in slot.items()}
    return [slot[word] for word in range(size)]


def hidden_paths(symbols: list[int], model: Hidden) -> list[tuple[tuple[int, ...], float]]:
    """Every row of states of a sentence, and its joint probability with the symbols."""
    found = []
    for states in product(range(len(model.start)), repeat=len(symbols)):
        chance = float(model.start[states[0]])
        for before, after in pairwise(states):
            chance *= float(model.move[before, after])
        for symbol, state in zip(symbols, states, strict=True):
            chance *= float(model.emit[symbol, state])
        found.append((states, chance))
    return found
