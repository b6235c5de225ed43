"""Options of a tokeniser and of its training."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.errors import UsageError
from caesura.learn.flags import EPOCHS, SEED, flag

__all__ = ["TokenizerOptions"]


@dataclass(frozen=True)
class TokenizerOptions:
    """What can be set when a tokeniser is trained."""

    #: The tables have 2**bits rows.
    bits: int = 24
    #: Features seen less often are not learned: of token boundaries, and of sentence starts.
    rare_cut: int = 3
    rare_start: int = 4
    #: White-space chunks seen so often, and always cut the same way, are remembered.
    rare_chunk: int = 3
    epochs: int = flag(8, **EPOCHS)
    patience: int = 4
    rate: float = 0.15
    #: The rate of epoch n is rate / (1 + decay * (n - 1)).
    decay: float = 0.3
    #: From this epoch on the history is the model's own, as in use.
    own_from: int = 4
    #: A sentence starts where the probability is above this.
    threshold: float = 0.5
    #: Weights smaller than this are left out of the model file.
    prune: float = 0.02
    #: Also learn from copies in lower case and without punctuation, as transcripts are.
    speech: bool = True
    #: For each document also learn from so many copies that are laid out anew: wrapped at some
    #: width, a sentence a line, as a list, double-spaced, without blank lines.
    relaid: float = flag(
        1.0, "Copies of each document with other line breaks to learn from.", least=0, most=100
    )
    #: Look at what the layout says where a line begins.
    layout: bool = True
    #: Also learn from copies with the items of the language file, and from such as are written in
    #: another manner (quotation marks, dashes, spaces, case).
    exchange: bool = True
    roughen: bool = True
    #: Know the kinds of abbreviations and the case of words.
    types: bool = True
    #: The code of the language whose file is taken; empty: what the text looks like.
    language: str = ""
    #: A language file of one's own, instead.
    language_file: str = ""
    #: A file of raw text that shows more abbreviations than the treebank does.
    raw_text: str = ""
    seed: int = flag(1, **SEED)

    def __post_init__(self) -> None:
        if not 0 <= self.relaid <= 100:
            raise UsageError(f"relaid is {self.relaid}, but must be 0 to 100")
