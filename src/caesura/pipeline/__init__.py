"""The main job: raw text in, sentences, tokens, tags, lemmas and trees out.

nlp = caesura.load("en")
doc = nlp("They didn't. Did you?")
for doc in nlp.pipe(texts, threads=2): ...
for piece in nlp.stream("huge.txt"): ...
"""

from caesura.pipeline.core import Pipeline
from caesura.pipeline.loading import load
from caesura.pipeline.splitting import split

__all__ = ["Pipeline", "load", "split"]
