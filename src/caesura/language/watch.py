"""Looking at the texts that a model is given, to say once if they are in another language."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from caesura.errors import OtherLanguage, outside
from caesura.language.box import BOX, PACKAGE, UNKNOWN
from caesura.language.guess import Tally, language_name
from caesura.language.words import NAMES
from caesura.models.store import install

if TYPE_CHECKING:
    from caesura.language.recognise import Recogniser

__all__ = ["REMEDY", "ManyWatch", "Watch", "language_of_model", "notice", "watch_for"]

REMEDY: Final = (
    "Expect little of the analysis; use a model of that language, or train one on a treebank of it."
)
_TREEBANK: Final = re.compile(r"UD_([A-Z][a-z]+)-|(?:^|/)([a-z]{2,3})_[a-z]+-ud-")
_CODES: Final = {name: code for code, name in NAMES.items()}


def language_of_model(meta: Mapping[str, Any]) -> str | None:
    """The language that a model says it is for, or whose treebanks it was trained on.

    Files of older versions do not say, and those of many languages know which a text is in; nothing
    is expected of a text then.
    """
    if meta.get("languages"):
        return None
    said = meta.get("language")
    if isinstance(said, str) and said:
        return said
    names = meta.get("trained_on")
    for name in names if isinstance(names, list) else ():
        match = _TREEBANK.search(str(name))
        if match is not None:
            return _CODES.get(match[1]) if match[1] else match[2]
    return None


def notice(text: str, language: str | None) -> str | None:
    """What to say about a text that is in another language than the model's; None: nothing."""
    if not language:
        return None
    tally = Tally()
    tally.add(text)
    found = tally.other(language)
    if found is None and not tally.is_surely_not(language):
        return None
    return _said(found, language)


def _said(found: str | None, language: str) -> str:
    if found is None:
        return f"the text does not look like {language_name(language)}, for which the model is"
    return (
        f"the text looks like {language_name(found)}, "
        f"and the model is for {language_name(language)}"
    )


def _remedy(found: str | None) -> str:
    """What to do about a text in a language; many are in one package."""
    if found is None:
        return (
            f"Expect little of the analysis; the package {PACKAGE} knows {len(BOX)} languages and "
            f"tells which it is: {install('multi')}."
        )
    if found not in BOX:
        return REMEDY
    return (
        f"Expect little of the analysis; the package {PACKAGE} has that language: "
        f"{install('multi')}; then --lang {found}."
    )


class Watch:
    """Looks at texts until one is in another language; short ones are judged together."""

    #: What to do about what was said last.
    remedy: str = REMEDY

    def __init__(self, language: str) -> None:
        self.language = language
        self.told = False
        self._short = Tally()
        self._lock = threading.Lock()

    def look(self, text: str) -> str | None:
        """What to say about a text, or those before it; at most once."""
        if self.told:
            return None
        tally = Tally()
        tally.add(text)
        with self._lock:
            if not tally.enough:
                self._short.update(tally)
                tally = self._short
                if not tally.enough:
                    return None
                self._short = Tally()
            found = tally.other(self.language)
            sure = found is not None or tally.is_surely_not(self.language)
            if not sure or self.told:
                return None
            self.told = True
        self.remedy = _remedy(found)
        return _said(found, self.language)

    def warn(self, texts: Iterable[str]) -> None:
        """Issue a Python warning about texts, once."""
        for text in texts:
            if self.told:
                return
            said = self.look(text)
            if said is not None:
                warnings.warn(f"{said}. {self.remedy}", OtherLanguage, stacklevel=outside())


class ManyWatch(Watch):
    """The same for a model of many languages: looks for texts that are in none of them.

    With a language named, it looks for texts that are plainly in another one.
    """

    def __init__(self, recogniser: Recogniser, language: str = "") -> None:
        super().__init__(language)
        self._recogniser = recogniser

    def look(self, text: str) -> str | None:
        if self.told or self.language == UNKNOWN:
            return None
        if not self.language:
            found = self._recogniser.of(text)
            if found.language is not None or not found.nearest:
                return None
            near = ", ".join(f"{language_name(code)} ({code})" for code, _ in found.nearest)
            self.remedy = (
                "It is parsed as a language that was never learned, of which little may be "
                f"expected; --lang takes it for one of these. Nearest: {near}."
            )
            self.told = True
            return "the text is in no language that the model knows"
        other = self._recogniser.is_plainly_other(text, self.language)
        if other is None:
            return None
        self.remedy = (
            f"It is parsed as {language_name(self.language)} all the same; without --lang the "
            "language is recognised."
        )
        self.told = True
        return (
            f"the text looks like {language_name(other)}, "
            f"and was said to be {language_name(self.language)}"
        )


def watch_for(meta: Mapping[str, Any]) -> Watch | None:
    """Who looks at the texts of a model that says something about its language."""
    language = language_of_model(meta)
    return None if language is None else Watch(language)
