"""Fields that are no JSON: queries, forms and forms of several parts.

Read inside workers, in time proportional to their size, and no more of them than anybody needs.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs

from caesura.serve.accept import FORM, MULTIPART, media_type
from caesura.serve.refusals import Refused

__all__ = ["form_of", "query_of"]

#: Fields of one request.
_MOST: Final = 50
#: The parameters of a header; values are quoted or not.
_BOUNDARY: Final = re.compile(r';\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
_NAME: Final = re.compile(r';\s*(file)?name="([^"\r\n]*)"', re.IGNORECASE)


def query_of(text: str | bytes) -> dict[str, list[str]]:
    """The fields of a query or of a form, each with its values."""
    said = text.encode("latin-1", "replace") if isinstance(text, str) else text
    try:
        found = parse_qs(said, keep_blank_values=True, max_num_fields=_MOST)
        return {
            name.decode("utf-8"): [value.decode("utf-8") for value in values]
            for name, values in found.items()
        }
    except UnicodeDecodeError:
        raise Refused(400, "A field of the form is not UTF-8.") from None
    except ValueError:
        raise Refused(400, f"The form has more than {_MOST} fields.") from None


def form_of(kind: str, query: str, body: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """The fields of a request, those of its body first, and the names of files among them."""
    fields = {name: values[-1] for name, values in query_of(query).items()}
    files: dict[str, str] = {}
    media = media_type(kind.encode("latin-1", "replace"))
    if media == FORM:
        fields |= {name: values[-1] for name, values in query_of(body).items()}
    elif media == MULTIPART:
        for name, file, value in _parts(kind, body):
            fields[name] = value
            if file:
                files[name] = file
    return fields, files


def _parts(kind: str, body: bytes) -> list[tuple[str, str, str]]:
    """The name, the file and the text of each part."""
    found = _BOUNDARY.search(kind)
    if found is None:
        raise Refused(400, "The type of the body does not say what stands between its parts.")
    mark = b"--" + (found.group(1) or found.group(2)).encode("latin-1")
    # Each part stands between two marks at the beginning of a line; the last one ends with --.
    pieces = (b"\r\n" + body).split(b"\r\n" + mark, _MOST + 2)
    if len(pieces) > _MOST + 2:
        raise Refused(400, f"The form has more than {_MOST} fields.")
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise Refused(400, "The form ends before its last part does.")
    parts = []
    for piece in pieces[1:-1]:
        head, between, value = piece.lstrip(b" \t").removeprefix(b"\r\n").partition(b"\r\n\r\n")
        names = dict(_NAME.findall(_disposition(head)))
        if not between or "" not in names:
            raise Refused(400, "A part of the form does not say which field it is.")
        try:
            parts.append((names[""], names.get("file", ""), value.decode("utf-8")))
        except UnicodeDecodeError:
            raise Refused(400, "A field of the form is not UTF-8.") from None
    return parts


def _disposition(head: bytes) -> str:
    """The header of a part that names it."""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-disposition":
            return value.decode("utf-8", "replace")
    return ""
