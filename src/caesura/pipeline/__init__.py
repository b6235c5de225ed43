"""The main job: raw text in, sentences, tokens, tags, lemmas and trees out.

nlp = caesura.load("en")
doc = nlp("They didn't. Did you?")
for doc in nlp.pipe(texts, threads=2): ...
for piece in nlp.stream("huge.txt"): ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.lazy import lazy

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline
    from caesura.pipeline.loading import load, split

__getattr__, __dir__ = lazy(
    __name__,
    {
        "caesura.pipeline.loading": ("Pipeline", "load", "split")  # which can also pickle one
    },
)

__all__ = ["Pipeline", "load", "split"]
