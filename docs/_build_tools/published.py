"""The figures of the papers that ours stand beside."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BRANCHING_TABLE4",
    "BRANCHING_TABLE5",
    "CONSTRAINTS",
    "DOCUMENT_PARSERS",
    "DOCUMENT_SEGMENTERS",
    "JOINT_TABLE2",
    "JOINT_TABLE3",
    "JOINT_TABLE4",
    "STOP_PREDICTORS",
]

#: Björkelund et al. (2016), F1 of sentence starts: dev, then test.
JOINT_TABLE2: Final = {
    "OpenNLP": {"WSJ": 98.09},
    "CoreNLP": {"WSJ": 98.60},
    "MarMoT": {"WSJ": 98.21, "Switchboard": 71.78},
}
JOINT_TABLE3: Final = {
    "MARMOT": {"WSJ": 97.64, "Switchboard": 71.87, "WSJ*": 53.02},
    "NOSYNTAX": {"WSJ": 98.21, "Switchboard": 76.31, "WSJ*": 55.15},
    "JOINT": {"WSJ": 98.21, "Switchboard": 76.65, "WSJ*": 65.34},
}
#: LAS on test.
JOINT_TABLE4: Final = {
    "GOLD": {"WSJ": 90.22, "Switchboard": 84.99, "WSJ*": 88.71},
    "MARMOT": {"WSJ": 89.81, "Switchboard": 78.93, "WSJ*": 83.37},
    "NOSYNTAX": {"WSJ": 89.95, "Switchboard": 80.30, "WSJ*": 83.61},
    "JOINT": {"WSJ": 89.71, "Switchboard": 79.97, "WSJ*": 85.66},
    "JOINT-REPARSED": {"WSJ": 89.93, "Switchboard": 80.61, "WSJ*": 85.38},
}
#: Choi & McCallum (2013) on section 23 of the Wall Street Journal, by the beams of training and of
#: decoding: UAS, LAS, seconds a sentence.
BRANCHING_TABLE4: Final = {
    (80, 80): (92.96, 91.93, 0.009),
    (80, 64): (92.96, 91.93, 0.009),
    (80, 32): (92.96, 91.94, 0.009),
    (80, 16): (92.96, 91.94, 0.008),
    (80, 8): (92.89, 91.87, 0.006),
    (80, 4): (92.76, 91.76, 0.004),
    (80, 2): (92.56, 91.54, 0.003),
    (80, 1): (92.26, 91.25, 0.002),
    (1, 1): (92.06, 91.05, 0.002),
}
#: LAS without punctuation, greedy and with a beam of 80, on the sets of the CoNLL-X shared task.
BRANCHING_TABLE5: Final = {
    "Danish": (86.75, 87.27),
    "Dutch": (80.75, 82.45),
    "Slovene": (75.66, 77.46),
    "Swedish": (86.32, 86.80),
}
#: Dridan & Oepen (2013), tables 1 and 3: F1 of labelled phrases on the English Web Treebank and
#: section 23 of the Wall Street Journal, from gold sentences and tokens, from raw text by default,
#: and from the best sentences and tokens of other tools.
DOCUMENT_PARSERS: Final = {
    "EWTB": {
        "Charniak & Johnson": (78.3, 74.8, 77.7),
        "Berkeley": (76.2, 76.5, 76.3),
        "Stanford": (73.6, 71.6, 72.4),
    },
    "WSJ 23": {
        "Charniak & Johnson": (90.9, 86.4, 89.9),
        "Berkeley": (89.8, 88.4, 88.8),
        "Stanford": (85.4, 83.8, 84.5),
    },
}
#: Table 2: F1 of sentence spans, or F1 of tokens and the share of sentences whose tokens are all
#: right.
DOCUMENT_SEGMENTERS: Final = {
    "EWTB": {
        "SENT": {"tokenizer": 85.2, "Stanford": 70.3},
        "TOK": {
            "Charniak & Johnson": (96.9, 77.8),
            "Berkeley": (97.3, 83.1),
            "Stanford": (97.8, 85.9),
            "REPP": (97.3, 81.4),
        },
    },
    "WSJ 23": {
        "SENT": {"tokenizer": 94.4, "Stanford": 93.5},
        "TOK": {
            "Charniak & Johnson": (99.1, 86.8),
            "Berkeley": (99.6, 94.8),
            "Stanford": (99.6, 94.9),
            "REPP": (99.9, 98.0),
        },
    },
}
#: Spitkovsky et al. (2011): fragments of the Wall Street Journal that satisfy each constraint.
CONSTRAINTS: Final = {"strict": 39.2, "loose": 74.0, "sprawl": 92.9, "tear": 94.7, "thread": 95.0}
#: Spitkovsky et al. (2012), table 3: adjusted R² of what predicts stops after a first dependent.
STOP_PREDICTORS: Final = {
    "direction": 0.0149,
    "descendants so far, direction": 0.0726,
    "head, direction": 0.0728,
    "fringe, direction": 0.2361,
    "head, fringe, direction": 0.3320,
}
