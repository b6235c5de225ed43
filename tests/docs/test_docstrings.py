"""Examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import caesura

PACKAGE = Path(caesura.__file__).parent


def modules_with_examples() -> list[str]:
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        if ">>> " in file.read_text(encoding="utf-8"):
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            found.append(".".join(parts).removesuffix(".__init__"))
    return found


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings(name: str) -> None:
    """Those of the document speak of `doc`, as the docstrings of the modules say."""
    doc = next(caesura.read(PACKAGE.parents[1] / "examples" / "harbour.conllu"))
    given = {"doc": doc, "Document": caesura.Document}
    result = doctest.testmod(
        importlib.import_module(name),
        optionflags=doctest.ELLIPSIS,
        extraglobs=given if name.startswith("caesura.document") else None,
    )
    assert result.failed == 0


def test_every_public_part_of_a_document_has_an_example() -> None:
    """Columns have comments instead, and constructors the examples of their classes."""
    from caesura.document import Document, Sentence, Span, Token, Word

    without = [
        f"{kind.__name__}.{name}"
        for kind in (Document, Sentence, Span, Token, Word)
        for name, member in vars(kind).items()
        if callable(member) or isinstance(member, property | classmethod | staticmethod)
        if not name.startswith("_")
        if ">>> " not in (member.__doc__ or "")
    ]
    assert without == []
