"""In which format a client wants its answer: what the header Accept says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from caesura.serve.refusals import Refused

__all__ = ["CONLLU", "FORM", "JSON", "JSONL", "MULTIPART", "TYPES", "chosen", "media_type"]

JSON: Final = "application/json"
JSONL: Final = "application/x-ndjson"
CONLLU: Final = "text/x-conllu"
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
#: Other names of the same.
_ALSO: Final = {
    "application/jsonl": JSONL,
    "application/jsonlines": JSONL,
    "application/x-jsonlines": JSONL,
    "application/ndjson": JSONL,
    "application/conllu": CONLLU,
    "application/x-conllu": CONLLU,
    "text/conllu": CONLLU,
}
#: The name of a format by its type.
TYPES: Final = {JSON: "json", JSONL: "jsonl", CONLLU: "conllu"}
#: Characters of the header, which is read by the process that serves everybody.
_MOST: Final = 1000
_RANGE: Final = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+/[a-z0-9!#$%&'*+.^_`|~-]+")
_QUALITY: Final = re.compile(r"q=([01](?:\.[0-9]{0,3})?)", re.IGNORECASE)


def media_type(header: bytes) -> str:
    """The type of a body without its parameters, under its first name."""
    name = header.split(b";", 1)[0].strip().decode("latin-1").lower()
    return _ALSO.get(name, name)


def chosen(header: str | None, offered: Sequence[str]) -> str:
    """The type among those offered that a client prefers; the first if it does not care.

    Refuses with 406 where it wants none of them, and with 400 what is no such header.
    """
    if header is None or not header.strip():
        return offered[0]
    if len(header) > _MOST:
        raise Refused(400, f"The header Accept is longer than {_MOST:,} characters.")
    ranges = [_range(part) for part in header.split(",") if part.strip()]
    best = max(offered, key=lambda kind: (_quality(kind, ranges), -offered.index(kind)))
    if _quality(best, ranges) == 0:
        raise Refused(406, f"Nothing that is asked for is made here: {', '.join(offered)}.")
    return best


def _range(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip() for piece in part.split(";"))
    name = name.lower()
    if _RANGE.fullmatch(name) is None:
        raise Refused(400, "The header Accept is a list of types such as application/json.")
    quality = 1.0
    for parameter in parameters:
        if parameter[:2].lower() == "q=":
            found = _QUALITY.fullmatch(parameter)
            if found is None:
                raise Refused(400, "A quality in the header Accept is a number from 0 to 1.")
            quality = min(1.0, float(found.group(1)))
    return _ALSO.get(name, name), quality


def _quality(kind: str, ranges: Sequence[tuple[str, float]]) -> float:
    """What the most specific range that fits says."""
    for name in (kind, kind.split("/")[0] + "/*", "*/*"):
        found = [quality for own, quality in ranges if own == name]
        if found:
            return max(found)
    return 0.0
