"""What is in a treebank, counted in one pass, and what to mind before training on it."""

from __future__ import annotations

from caesura.inspect.advice import Advice, advise
from caesura.inspect.count import Inspection, Lengths, Share, inspect

__all__ = ["Advice", "Inspection", "Lengths", "Share", "advise", "inspect"]
