"""What a server says when it does not do what it was asked: a status and one sentence."""

from __future__ import annotations

from typing import Final

import msgspec

from caesura.errors import CaesuraError

__all__ = ["Busy", "Refused", "error_body", "error_line", "message_of"]

#: What the router says, in our words.
_KNOWN: Final = {404: "There is no such page.", 405: "This method is not for this address."}


class Refused(Exception):
    """A request that cannot be served: the status and one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


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


def error_body(status: int, message: str) -> bytes:
    """An error as an answer."""
    return msgspec.json.encode({"error": {"status": status, "message": message}})


def error_line(error: BaseException) -> bytes:
    """An error as the last line of a stream."""
    status, message = message_of(error)
    data = {"type": "error", "error": {"status": status, "message": message}}
    return msgspec.json.encode(data) + b"\n"
