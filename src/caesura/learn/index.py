"""The bound on collisions in the tables of a model.

A model file may hold keys that were chosen to collide. A table whose entries take too long to place
is refused when it is made, so no later search is long.
"""

from __future__ import annotations

from typing import Final

from caesura.errors import ModelError

__all__ = ["PLACES", "refuse_crowded"]

#: Places that an entry may try, on average, before it finds a free one. Tables are filled by two
#: thirds at most, where entries that are not chosen to collide try two or three.
PLACES: Final = 64


def refuse_crowded(filled: bool, what: str) -> None:
    """Refuse a table whose entries could not all be placed in a reasonable time."""
    if not filled:
        raise ModelError(
            f"the model's {what} all want the same place of their table",
            remedy="The file is damaged or made to do harm; train or fetch it again.",
        )
