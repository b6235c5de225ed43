"""
Compiled core of Caesura: every loop over characters, words, states and vectors.
"""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class DamagedModel(ValueError):
    pass

def cancel_all() -> None:
    """Make every call of the core that is under way raise KeyboardInterrupt."""

def fill_gaps(a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gaps: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], partner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Align the parts of two sequences that lie in gaps (rows of a from, a to, b from, b to) by shortest edit scripts.
    """

def align_words(gold_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_multi: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_form: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], multi: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], form: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bare: bool) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """
    The word of the system that each word of gold is, or -1; `bare` for words of no width.
    """

def slide_gaps(at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ours: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], theirs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """Slide the gaps of an alignment to the edges of tokens."""

def hash_spans(chars: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """A hash of the characters of each span."""

def expand_tokens(at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], ours: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], theirs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], their_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], there: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """Match the letters of tokens that are matched."""

def prefer_alignment(best: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], other: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """Take the other alignment where it matches more."""

def gather_spans(parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], empty: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Widen every node to its children."""

def climb_heads(head: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], marks: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], unknown: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """
    The nearest ancestor of each word that is no mark; `unknown` if there is a circle.
    """

def find_circles(head: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], found: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Mark the sentences in which a word is its own ancestor."""

def find_family(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], next_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the first child and the next sibling of each word."""

def search_trees(code: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], tests: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], next_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, slots: int, most_steps: int, most_matches: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], cut: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    Search sentences from `begin` on; returns the rows written and the next sentence.
    """

def ngram_rows(folded: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], letters: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], mask: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """The rows of all n-grams of all words, for the language recogniser."""

def add_language_rows(rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Add the weights of rows to the score of each language."""
