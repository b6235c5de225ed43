"""Fields that are no JSON: queries, forms and forms of several parts; what UDPipe's clients send.

Read inside workers, in time proportional to their size, and no more of them than anybody needs.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs

import msgspec

from caesura.serve.accept import FORM, MULTIPART, media_type
from caesura.serve.refusals import Refused

__all__ = ["INPUTS", "OUTPUTS", "ProcessAnswer", "ProcessForm", "form_of", "query_of"]

#: Formats under UDPipe's names: ours, and the mode of it.
INPUTS: Final[dict[str, tuple[str, str | None]]] = {
    "conllu": ("conllu", None),
    "generic_tokenizer": ("text", None),
    "horizontal": ("tokens", "sentence"),
    "vertical": ("tokens", "token"),
}
OUTPUTS: Final[dict[str, tuple[str, str | None]]] = {
    "conllu": ("conllu", None),
    "horizontal": ("tokens", "sentence"),
    "plaintext": ("text", None),
    "vertical": ("tokens", "token"),
}
#: Fields of one request.
_MOST: Final = 50
#: The parameters of a header; values are quoted or not.
_BOUNDARY: Final = re.compile(r';\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
_NAME: Final = re.compile(r';\s*(file)?name="([^"\r\n]*)"', re.IGNORECASE)


class ProcessForm(msgspec.Struct, frozen=True):
    """The fields of a form; a stage is wanted if its field is there."""

    data: str
    model: str = ""
    tokenizer: str | None = None
    tagger: str | None = None
    parser: str | None = None
    input: str = "conllu"
    output: str = "conllu"


class ProcessAnswer(msgspec.Struct, frozen=True):
    """What UDPipe's service answers."""

    model: str
    acknowledgements: list[str]
    result: str


def query_of(text: str | bytes) -> dict[str, list[str]]:
    """The fields of a query or of a form, each with its values."""
    try:
        said = text if isinstance(text, str) else text.decode("utf-8")
        return parse_qs(said, keep_blank_values=True, max_num_fields=_MOST, errors="strict")
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
    ends = re.compile(b"\r\n" + re.escape(mark) + rb"(?=--|[ \t]*\r\n)")
    pieces = ends.split(b"\r\n" + body, _MOST + 2)
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
            text = value.decode("utf-8")
            # Typed lines end in CRLF in such a form; a file is left as it is.
            file = names.get("file", "")
            parts.append((names[""], file, text if file else text.replace("\r\n", "\n")))
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
