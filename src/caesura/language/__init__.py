"""Which language a text is in, as far as its script and its common words tell.

    caesura.language.other("Das Boot kommt heute nicht, und niemand weiß warum …", "en")

A model is of little use for text in another language, and says nothing about it by itself. What
cannot be told (a short text, lists, names, code, a language that is not in the table) is passed
over: one who asks wants no false alarm.
"""

from __future__ import annotations

from caesura.language.guess import Tally, language_name, other
from caesura.language.watch import (
    REMEDY,
    Watch,
    language_of_model,
    notice,
    watch_for,
)

__all__ = [
    "REMEDY",
    "Tally",
    "Watch",
    "language_name",
    "language_of_model",
    "notice",
    "other",
    "watch_for",
]
