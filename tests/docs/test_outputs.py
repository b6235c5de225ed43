"""What pages say that commands print is what they print now."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from docs._build_tools import outputs

from tests.docs.test_site import DOCS, ROOT


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("page", outputs.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_outputs_are_fresh(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "import spacy" in text:
        pytest.importorskip("spacy", reason="spaCy is not installed")
    assert outputs.fresh(text) == text, "run: python -m docs._build_tools.outputs"


def block(*lines: str) -> str:
    return "\n".join(["```console", *lines, "```", ""])


def test_a_wrong_output_is_noticed() -> None:
    instruction = block("$ exit 3")
    page = block("$ echo one", "uno", "$ echo two > x", "$ cat x") + instruction
    now = block("$ echo one", "one", "$ echo two > x", "$ cat x", "two") + instruction
    assert outputs.fresh(page) == now
    loop = (">>> for i in range(x):", "...     print(i)")
    page = block(">>> x = 3", ">>> x + 1", "5", *loop)
    assert outputs.fresh(page) == block(">>> x = 3", ">>> x + 1", "4", *loop, "0", "1", "2")
    with pytest.raises(SystemExit, match="exit status 3"):
        outputs.fresh(block("$ exit 3", "something"))


def test_prompts_are_not_mixed() -> None:
    """Where one line has a prompt the first one has, or its output would not be checked."""
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        for inside in outputs._blocks(page.read_text(encoding="utf-8")):
            if re.search(r"^(\$|>>>) ", inside, re.MULTILINE):
                assert inside.startswith(("$ ", ">>> ")), f"{page.name}: {inside}"
