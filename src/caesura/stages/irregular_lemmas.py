"""Lemmas that no rule makes: `sang`, `fled`, `oxen`, from the file of a language.

A treebank shows each rare irregular form once or never. Those that it does not show with their tag
come from the language file and are kept with the model, as lines of form, XPOS and lemma; a form is
known by its lower case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from caesura.document import Document
from caesura.errors import ModelError
from caesura.language.lexicon import Lexicon

__all__ = ["LABELS", "Irregular", "irregular_forms", "read_irregular"]

#: What a tagger calls them in its file.
LABELS: Final = "irregular"

#: Lemmas by form in lower case and XPOS.
Irregular = Mapping[tuple[str, str], str]


def irregular_forms(lexicon: Lexicon, docs: Iterable[Document]) -> list[str]:
    """The irregular forms of a language that documents do not show with their tag, as lines."""
    if not lexicon.lemmas:
        return []
    seen: set[tuple[str, str]] = set()
    for doc in docs:
        for form, xpos in set(zip(doc.form.tolist(), doc.xpos.tolist(), strict=True)):
            seen.add((doc.strings[form].lower(), doc.strings[xpos]))
    return sorted(
        f"{form}\t{xpos}\t{lemma}"
        for xpos, lemmas in lexicon.lemmas.items()
        for form, lemma in lemmas.items()
        if (form, xpos) not in seen
    )


def read_irregular(lines: Iterable[str]) -> Irregular:
    """The lemmas that such lines hold."""
    found: dict[tuple[str, str], str] = {}
    for line in lines:
        parts = line.split("\t")
        if len(parts) != 3 or not all(parts):
            raise ModelError(
                f"the model's irregular form {line!r} is none",
                remedy="Train or fetch the model again.",
            )
        found[parts[0], parts[1]] = parts[2]
    return found
