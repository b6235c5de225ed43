"""A new kind of stage takes one file (here: this one) and one line in the registry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import pytest

import caesura
from caesura.document import Document
from caesura.models.file import Part, save
from caesura.options import PLAIN, Request
from caesura.stage import REGISTRY, Stage


class Entities(Stage):
    """A named-entity tagger that copies gold: `Entity=…` of MISC becomes XPOS."""

    kind: ClassVar[str] = "entities"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"tokens", "misc"})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset({"xpos"})

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        for doc in docs:
            doc.xpos = doc.strings.ids(
                misc.removeprefix("Entity=") or "O" for misc in doc.column("misc")
            )

    def to_part(self) -> Part:
        return Part("entities")

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls()


def test_a_new_stage_is_loaded_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "entities", f"{__name__}:Entities")
    path = tmp_path / "entities.caesura"
    save(path, {"entities": Entities().to_part()})
    nlp = caesura.load(path)
    assert nlp.adds == {"xpos"}
    doc = Document.from_spans("Ada left", [0, 4], [3, 8])
    doc.misc = doc.strings.ids(["Entity=PER", ""])
    assert nlp(doc, keep=("tokens",)).column("xpos") == ["PER", "O"]
