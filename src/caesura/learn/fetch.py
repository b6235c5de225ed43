"""Asking for memory before it is needed: the waits for many places at once overlap.

A processor looks ahead by itself, but not past a branch that it guesses wrongly, as every search in
a hash table is one.
"""

from __future__ import annotations

from typing import Any

from caesura.jit import chosen

__all__ = ["fetch"]

#: Ask for an element of an array, or for the begin of a row (128 of bytes).
fetch: Any = chosen("caesura.learn.fetch_llvm", "caesura.learn.fetch_plain").fetch
