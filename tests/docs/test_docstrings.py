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
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
