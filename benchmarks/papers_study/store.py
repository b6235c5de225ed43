"""How results are kept in the repository: JSON that is small and whose changes can be read."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["dumped"]

_FLAT = re.compile(r"[\[{][^\[\]{}]*[\]}]")


def dumped(results: Any) -> str:
    """JSON with one line for each row of a table."""
    text = json.dumps(_rounded(results), ensure_ascii=False, indent=1)
    return _FLAT.sub(lambda match: " ".join(match[0].split()), text) + "\n"


def _rounded(value: Any) -> Any:
    """Numbers with five decimals, which is more than is shown."""
    if isinstance(value, dict):
        return {key: _rounded(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(own) for own in value]
    return round(value, 5) if isinstance(value, float) else value
