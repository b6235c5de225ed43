"""The guidelines of Universal Dependencies: tables, checks, and what decoders obey.

    for doc in caesura.formats.read("train.conllu"):
        for found in check(doc):
            print(found.sentence, found.rule, found.message)

`learn` makes the table of a language from its treebanks; without one, only the rules that hold for
every language are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.lazy import lazy

if TYPE_CHECKING:
    from caesura.guidelines.checks import Found, check, learn, table_of, views
    from caesura.guidelines.rules import RULES, Problem, SentenceView, check_sentence
    from caesura.guidelines.table import GENERAL, VERSION, Guidelines, load, save

__getattr__, __dir__ = lazy(
    __name__,
    {
        "caesura.guidelines.checks": ("Found", "check", "learn", "table_of", "views"),
        "caesura.guidelines.rules": ("RULES", "Problem", "SentenceView", "check_sentence"),
        "caesura.guidelines.table": ("GENERAL", "VERSION", "Guidelines", "load", "save"),
    },
)

__all__ = [
    "GENERAL",
    "RULES",
    "VERSION",
    "Found",
    "Guidelines",
    "Problem",
    "SentenceView",
    "check",
    "check_sentence",
    "learn",
    "load",
    "save",
    "table_of",
    "views",
]
