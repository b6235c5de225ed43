"""A stage: its defaults, and the registry from the parts of a model file to the classes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Self

import pytest

from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.models.file import Part
from caesura.options import PLAIN, Request
from caesura.stage import REGISTRY, Stage, stage_of


class Shout(Stage):
    """Writes every form in capitals as its lemma."""

    kind = "shout"
    title = "a shout"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"tokens"})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset({"lemma"})

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        for doc in docs:
            doc.lemma = doc.strings.ids(form.upper() for form in doc.column("form"))

    def to_part(self) -> Part:
        return Part("shout")

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls()


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("shouting")
    module.Shout = Shout  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "shouting", module)
    monkeypatch.setitem(REGISTRY, "shout", "shouting:Shout")


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("config", [{}, {"system": "loud"}])
def test_the_registry_finds_the_class(config: dict[str, Any]) -> None:
    stage = stage_of(Part("shout", config))
    doc = Document.from_spans("ay me", [0, 3], [2, 5])
    stage.annotate([doc])
    assert doc.column("lemma") == ["AY", "ME"]
    assert type(stage_of(stage.to_part(), "cry")) is Shout


@pytest.mark.usefixtures("known")
def test_the_name_of_a_part_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "cry", "nowhere:Cry")
    with pytest.raises(ModuleNotFoundError):
        stage_of(Part("shout"), "cry")


def test_a_part_of_another_kind_is_one_sentence() -> None:
    with pytest.raises(ModelError, match=r"no stage for a part of kind 'oven \(hot\)'.*tagger"):
        stage_of(Part("oven", {"system": "hot"}))


def test_what_a_stage_does_not_offer_is_refused() -> None:
    stage = Shout()
    assert stage.with_options() is stage
    assert stage.offers == frozenset()
    with pytest.raises(UsageError, match="a shout has no beam"):
        stage.with_options(beam=2)
    with pytest.raises(UsageError, match="a shout has one best analysis"):
        stage.k_best(Document(), 2)
    with pytest.raises(UsageError, match=r"no beam. What can be changed: bias, width"):
        stage.refuse(["width", "beam"], ["width", "bias"])
