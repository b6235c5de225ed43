"""Writing the small part of TOML that options need; the standard library only reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["dumps"]


def dumps(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Tables of scalars, lists of scalars, and mappings of those; None is left out."""
    lines: list[str] = []
    for name, table in tables.items():
        lines.append(f"[{_key(name)}]")
        lines.extend(
            f"{_key(key)} = {_value(value)}" for key, value in table.items() if value is not None
        )
        lines.append("")
    return "\n".join(lines)


def _key(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isalnum() and bare.isascii() else _string(name)


def _string(text: str) -> str:
    # A JSON string is a TOML basic string but for DEL and lone surrogates, which are escaped.
    return (
        json.dumps(text, ensure_ascii=True) if _odd(text) else json.dumps(text, ensure_ascii=False)
    )


def _odd(text: str) -> bool:
    return "\x7f" in text or any(0xD800 <= ord(c) < 0xE000 for c in text)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        items = (f"{_key(str(k))} = {_value(v)}" for k, v in value.items() if v is not None)
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if hasattr(value, "item"):
        return _value(value.item())
    raise TypeError(f"cannot write {type(value).__name__} as TOML")
