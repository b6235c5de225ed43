"""Docstrings here are plain text with `code`; this turns them into what Sphinx expects.

A paragraph is escaped and its `code` becomes literal; a list stays a list; whatever is indented or
drawn (examples, tables, trees) becomes a literal block.
"""

from __future__ import annotations

import re
from typing import Any

_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_SPECIAL = re.compile(r"([\\*|_`])")
_BULLET = re.compile(r"[-*] |\d+\. ")
_DRAWN = re.compile(r"[│├└┌|+]|\S.*\S {3,}\S")


def process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of a docstring in place (the event `autodoc-process-docstring`)."""
    lines[:] = convert(lines)


def convert(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText."""
    out: list[str] = []
    for block in _blocks(lines):
        if block[0].startswith(">>>"):
            out += block
        elif _is_list(block):
            out += _list(block)
        elif any(line[:1].isspace() or _DRAWN.match(line) for line in block):
            out += ["::", "", *("    " + line for line in block)]
        else:
            out += _inline("\n".join(block)).split("\n")
        out.append("")
    return out


def _blocks(lines: list[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line.rstrip())
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _is_list(block: list[str]) -> bool:
    return bool(_BULLET.match(block[0])) and all(
        _BULLET.match(line) or line[:2] == "  " for line in block
    )


def _list(block: list[str]) -> list[str]:
    items: list[str] = []
    for line in block:
        if _BULLET.match(line):
            items.append(_BULLET.sub("", line, count=1))
        else:
            items[-1] += " " + line.strip()
    return ["- " + _inline(item) for item in items]


def _inline(text: str) -> str:
    """Text with `code` as literals and everything else without meaning."""
    out, at = [], 0
    for found in _CODE.finditer(text):
        out.append(_SPECIAL.sub(r"\\\1", text[at : found.start()]))
        code = found.group(2).strip()
        # A literal must end before a letter, hence the escaped space, which prints as nothing.
        out.append(f"\\ ``{code}``\\ ")
        at = found.end()
    out.append(_SPECIAL.sub(r"\\\1", text[at:]))
    return "".join(out)
