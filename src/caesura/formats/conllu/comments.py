"""Comments that mean something: a new document or paragraph, the name and text of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["NEWDOC", "NEWPAR", "TEXT", "newdoc_id", "sent_id", "starts_paragraph"]

#: `# newdoc`, `# newdoc id = x`, `# newdoc_id = x`; not `# newpar_block`.
#: Values are stripped behind the match: a pattern that does it tries every blank as their end.
NEWDOC: Final = re.compile(r"#\s*newdoc(?:[ _]id)?\s*(?:=(.*))?$")
NEWPAR: Final = re.compile(r"#\s*newpar(?:[\s=]|$|_id\b)")
TEXT: Final = re.compile(r"#\s*text\s*=\s*(.*)")
_SENT_ID: Final = re.compile(r"#\s*sent_id\s*=(.*)")


def newdoc_id(comments: Iterable[str]) -> tuple[bool, str | None]:
    """Whether comments start a document, and its id."""
    for comment in comments:
        if "newdoc" in comment:
            match = NEWDOC.match(comment)
            if match:
                return True, (match[1] or "").strip() or None
    return False, None


def starts_paragraph(comments: Iterable[str]) -> bool:
    return any("newpar" in comment and NEWPAR.match(comment) for comment in comments)


def sent_id(comments: Iterable[str]) -> str | None:
    """The name of a sentence."""
    for comment in comments:
        match = _SENT_ID.match(comment)
        if match and match[1].strip():
            return match[1].strip()
    return None
