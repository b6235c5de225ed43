"""What a server says when it does not do what it was asked: a status and one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from caesura.errors import CaesuraError

__all__ = ["Busy", "Refused", "error_body", "error_line", "headers_of", "message_of"]

#: What the router says, in our words.
_KNOWN: Final = {404: "There is no such page.", 405: "This method is not for this address."}


class Refused(Exception):
    """A request that cannot be served: the status and one sentence."""

    def __init__(
        self, status: int, message: str, headers: Sequence[tuple[bytes, bytes]] = ()
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        #: What its answer says besides.
        self.headers = headers


class Busy(Refused):
    """All places are taken."""

    def __init__(self) -> None:
        super().__init__(429, "The server is busy. Try again in a moment.")


def message_of(error: BaseException) -> tuple[int, str]:
    """The status and the sentence for an error."""
    if isinstance(error, Refused):
        return error.status, error.message
    if isinstance(error, CaesuraError):
        return 422, str(error)
    status = getattr(error, "status_code", None)
    if status in _KNOWN:
        return status, _KNOWN[status]
    return 500, "Something went wrong inside the server. It goes on; please report it."


def headers_of(error: BaseException) -> list[tuple[bytes, bytes]]:
    """What the answer to an error says besides: how to show a token, which methods there are."""
    said = getattr(error, "headers", None) or ()
    if isinstance(said, dict):
        return [(name.lower().encode(), value.encode()) for name, value in said.items()]
    return list(said)


def error_body(status: int, message: str) -> bytes:
    """An error as an answer."""
    return msgspec.json.encode({"error": {"status": status, "message": message}})


def error_line(error: BaseException, kind: str = "event") -> bytes:
    """An error as the last line of a stream: an event, a line of JSON, or a comment of CoNLL-U."""
    status, message = message_of(error)
    if kind == "comment":
        return f"# error = {status} {' '.join(message.split())}\n\n".encode()
    data: dict[str, object] = {"error": {"status": status, "message": message}}
    return msgspec.json.encode({"type": "error", **data} if kind == "event" else data) + b"\n"
