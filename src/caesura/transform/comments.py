"""Which comments of a sentence survive a change of its text."""

from __future__ import annotations

from collections.abc import Iterable

#: Comments that hold whatever happens to the text.
_KEPT = ("newdoc", "sent_id", "speaker", "global.columns")
#: Those that belong to a document or file rather than to a sentence.
_OF_DOCUMENT = ("newdoc", "global.columns")


def _key(comment: str) -> str:
    return comment.lstrip("#").strip()


def is_text(comment: str) -> bool:
    """Whether it is the comment `# text = …`."""
    key, equals, _ = _key(comment).partition("=")
    return bool(equals) and key.strip() == "text"


def document_comments(comments: Iterable[str]) -> tuple[str, ...]:
    """The comments that move on to the next sentence when theirs disappears."""
    return tuple(c for c in comments if _key(c).startswith(_OF_DOCUMENT))


def spoken_comments(comments: Iterable[str], text: str) -> tuple[str, ...]:
    """The comments that a sentence keeps when it is made to look like speech."""
    return (*(c for c in comments if _key(c).startswith(_KEPT)), f"# text = {text}")
