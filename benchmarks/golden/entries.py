"""The entries: a name and what is computed for it.

Outputs of commands are taken as they are. Left out is what differs by nature: the seconds in
answers of the server, and the way a model file is packed (its contents are all there).
"""

from __future__ import annotations

from benchmarks.golden.calls import Entry
from benchmarks.golden.data import data
from benchmarks.golden.learning import learning
from benchmarks.golden.parsing import parsing
from benchmarks.golden.server import serving


def entries() -> dict[str, Entry]:
    """All of them by name."""
    found: dict[str, Entry] = {}
    for make in (parsing, learning, data, serving):
        for name, entry in make():
            if name in found:
                raise ValueError(f"two entries have the name {name}")
            found[name] = entry
    return found
