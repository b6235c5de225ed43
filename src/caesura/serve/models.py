"""The models of a server: the server knows their names, a worker loads them at first use."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from caesura.models.store import RENAMED
from caesura.paths import trim
from caesura.serve.messages import ModelData
from caesura.serve.refusals import Refused

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["Models"]

#: What UDPipe calls the parts of a model.
_STAGES: Final = ("tokenizer", "tagger", "parser")


@dataclass
class Models:
    """The models that a server was started with; the first is the default."""

    paths: dict[str, Path]
    #: Module and function that make a pipeline of a path; its name goes to the workers.
    loader: str = "caesura.pipeline:load"
    #: The parts of those whose files say it.
    parts: dict[str, list[str]] = field(default_factory=dict)
    #: The languages of those that are models of many, asked for one.
    languages: dict[str, str] = field(default_factory=dict)
    #: The names of the languages, by code, of those that are models of many and asked for none.
    offered: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Where networks run.
    device: str = "cpu"
    _loaded: dict[str, Pipeline] = field(default_factory=dict, repr=False)

    @property
    def default(self) -> str:
        return next(iter(self.paths))

    def called(self, name: str | None) -> str:
        """The name of the model of a request, which may use an older name."""
        if not name:
            return self.default
        return name if name in self.paths else RENAMED.get(name, name)

    def get(self, name: str | None) -> Pipeline:
        """A pipeline, loaded when it is first asked for."""
        chosen = name if name == "" else self.called(name)
        if chosen not in self.paths:
            known = ", ".join(self.paths)
            raise Refused(404, f"There is no model of this name here. Models: {known}.")
        if chosen not in self._loaded:
            module, function = self.loader.split(":")
            load = getattr(importlib.import_module(module), function)
            how = {"lang": self.languages[chosen]} if chosen in self.languages else {}
            if self.device != "cpu":
                how["device"] = self.device
            self._loaded[chosen] = load(self.paths[chosen], **how)
            self._loaded[chosen].watch = None  # an answer says it, not the terminal
        return self._loaded[chosen]

    def unload(self, name: str) -> None:
        """Forget a pipeline, and give its memory back; it is loaded again at next use."""
        if self._loaded.pop(name, None) is not None:
            gc.collect()
            trim()

    @property
    def loaded(self) -> dict[str, list[str]]:
        """The parts of those that are loaded in this process."""
        return {name: sorted(nlp.file.parts) for name, nlp in self._loaded.items()}

    def stages(self, loaded: Mapping[str, list[str]]) -> dict[str, list[str]]:
        """What UDPipe's clients know of a model: whether it tokenises, tags and parses."""
        found: dict[str, list[str]] = {}
        for name in self.paths:
            parts = loaded.get(name) or self.parts.get(name) or list(_STAGES)
            # A network, or a grammar, does what its parts are not called.
            own: list[str] = [one for one in _STAGES if one in parts]
            found[name] = own if "parser" in own else [*own, *_STAGES[len(own) :]]
        return found

    def describe(self, loaded: Mapping[str, list[str]]) -> list[ModelData]:
        """Names, and what is known of those that some worker has loaded."""
        return [
            ModelData(
                name, name == self.default, name in loaded, loaded.get(name), self.offered.get(name)
            )
            for name in self.paths
        ]
