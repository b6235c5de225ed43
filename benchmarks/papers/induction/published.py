"""Figures of the papers: directed accuracy in per cent, and how they are averaged.

S12 is Spitkovsky, Alshawi & Jurafsky (2012), table 8, S11 their paper of 2011, table 6. A data set
is a language and a year of the CoNLL shared tasks; a language of both years weighs a half in each.
The years of Bulgarian and Greek are swapped in S12 by a misprint and right here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

__all__ = ["S11", "S11_COLUMNS", "S12", "S12_COLUMNS", "average", "weighted_mean"]

S12_COLUMNS = ("dmv", "dbm1", "dbm2", "dbm3", "+sprawl", "+sprawl@10")
S12: dict[str, tuple[float, ...]] = {
    "Arabic 06": (12.9, 10.6, 11.0, 11.1, 10.9, 34.5),
    "Arabic 07": (36.6, 43.9, 44.0, 44.4, 44.9, 48.8),
    "Basque 07": (32.7, 34.1, 33.0, 32.7, 33.3, 36.5),
    "Bulgarian 06": (24.7, 59.4, 63.6, 64.6, 65.2, 70.4),
    "Catalan 07": (41.1, 61.3, 61.1, 61.1, 62.1, 78.1),
    "Chinese 06": (50.4, 63.1, 63.0, 63.2, 63.2, 65.7),
    "Chinese 07": (55.3, 56.8, 57.0, 57.1, 57.0, 59.8),
    "Czech 06": (31.5, 51.3, 52.8, 53.0, 55.1, 61.8),
    "Czech 07": (34.5, 50.5, 51.2, 53.3, 54.2, 67.3),
    "Danish 06": (22.4, 21.3, 19.9, 21.8, 22.2, 27.4),
    "Dutch 06": (44.9, 45.9, 46.5, 46.0, 46.6, 48.6),
    "English 07": (32.3, 29.2, 28.6, 29.0, 29.6, 51.4),
    "German 06": (27.7, 36.3, 37.9, 38.4, 39.1, 52.1),
    "Greek 07": (36.3, 28.1, 26.1, 26.1, 26.9, 36.8),
    "Hungarian 07": (23.6, 43.2, 52.1, 57.4, 58.2, 68.4),
    "Italian 07": (25.5, 41.7, 39.8, 39.9, 40.7, 41.8),
    "Japanese 06": (42.2, 22.8, 22.7, 22.7, 22.7, 32.5),
    "Portuguese 06": (37.1, 68.9, 72.3, 71.1, 72.4, 80.6),
    "Slovenian 06": (33.4, 30.4, 33.0, 34.1, 35.2, 36.8),
    "Spanish 06": (22.0, 25.0, 26.7, 27.1, 28.2, 51.8),
    "Swedish 06": (30.7, 48.6, 50.3, 50.0, 50.7, 63.2),
    "Turkish 06": (43.4, 32.9, 33.7, 33.4, 34.4, 38.1),
    "Turkish 07": (58.5, 44.6, 44.2, 43.7, 44.8, 44.4),
}

#: Each step without and with sprawl decoding: started @15, trained @15, lexicalised @45, the same
#: under loose.
S11_COLUMNS = ("start", "start+", "short", "short+", "lexical", "lexical+", "loose", "loose+")
S11: dict[str, tuple[float, ...]] = {
    "Arabic 06": (23.3, 23.6, 32.8, 33.1, 31.5, 31.6, 32.1, 32.6),
    "Arabic 07": (25.6, 26.4, 33.7, 34.2, 32.7, 33.6, 34.9, 35.3),
    "Basque 07": (19.3, 20.8, 29.9, 30.9, 29.3, 30.1, 29.3, 29.9),
    "Bulgarian 06": (23.7, 24.7, 39.3, 40.7, 38.8, 39.9, 39.9, 40.5),
    "Catalan 07": (33.2, 34.1, 54.8, 55.5, 54.3, 55.1, 54.3, 55.2),
    "Czech 06": (18.6, 19.6, 34.6, 35.8, 34.8, 35.7, 37.0, 37.8),
    "Czech 07": (17.6, 18.4, 33.5, 35.4, 33.4, 34.4, 35.2, 36.2),
    "Danish 06": (22.9, 24.0, 35.6, 36.7, 36.9, 37.8, 36.5, 37.1),
    "Dutch 06": (15.8, 16.5, 11.2, 12.5, 11.0, 11.9, 13.7, 14.0),
    "English 07": (25.0, 25.4, 47.2, 49.5, 47.5, 48.8, 49.3, 50.3),
    "German 06": (19.2, 19.6, 27.4, 28.0, 27.0, 27.8, 28.2, 28.6),
    "Greek 07": (18.5, 18.8, 20.7, 21.4, 20.5, 21.0, 20.9, 21.2),
    "Hungarian 07": (17.4, 17.7, 6.7, 7.2, 6.6, 7.0, 7.8, 8.0),
    "Italian 07": (25.0, 26.3, 29.6, 29.9, 29.7, 29.7, 28.3, 28.8),
    "Japanese 06": (30.0, 30.0, 27.3, 27.3, 27.4, 27.4, 27.5, 27.5),
    "Portuguese 06": (27.3, 27.5, 32.8, 33.7, 32.7, 33.4, 33.3, 33.5),
    "Slovenian 06": (21.8, 21.9, 28.3, 30.4, 28.4, 30.4, 29.8, 31.2),
    "Spanish 06": (25.3, 26.2, 31.7, 32.4, 31.6, 32.3, 31.9, 32.3),
    "Swedish 06": (31.0, 31.5, 44.1, 45.2, 45.6, 46.1, 46.1, 46.4),
    "Turkish 06": (22.3, 22.9, 39.1, 39.5, 39.9, 39.9, 40.6, 40.9),
    "Turkish 07": (22.7, 23.3, 41.7, 42.3, 41.9, 42.1, 41.6, 42.0),
}


def weighted_mean(languages: Iterable[str], values: Iterable[float]) -> float:
    """The mean in which every language weighs the same, however many data sets it has."""
    names = list(languages)
    sets = Counter(names)
    weights = [1.0 / sets[name] for name in names]
    return float(np.average(list(values), weights=weights))


def average(rows: Mapping[str, Sequence[float]]) -> tuple[float, ...]:
    """The papers' average of every column."""
    languages = [name.split()[0] for name in rows]
    return tuple(weighted_mean(languages, column) for column in zip(*rows.values(), strict=True))
