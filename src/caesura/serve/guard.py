"""Who may ask: host names, tokens, pages of other sites; and the id by which a request is known.

Everything here looks at headers alone. A token is compared in constant time, and comes as `Bearer`
or, so that a browser can ask its user for it, as the password of `Basic`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from typing import Final

from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Refused

__all__ = ["Guard", "request_id"]

_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
#: What an id may be that comes with a request; others are made here.
_ID: Final = re.compile(rb"[A-Za-z0-9._:+/=@-]{1,128}")
#: What pages of other sites may send and read, and seconds for which that is known.
_SENT: Final = b"accept, authorization, content-type, x-request-id"
_READ: Final = b"content-disposition, retry-after, x-caesura-warning, x-request-id"
_KNOWN: Final = b"600"
Headers = Mapping[bytes, bytes]
Pairs = list[tuple[bytes, bytes]]


def request_id(headers: Headers) -> str:
    """The id that a request came with, if it can be logged as it is; else a new one."""
    given = headers.get(b"x-request-id", b"")
    return given.decode("ascii") if _ID.fullmatch(given) else secrets.token_hex(8)


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


class Guard:
    """Looks at the head of each request before anything is done."""

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self._token = _digest(options.token.encode()) if options.token else None
        self._origins = frozenset(options.allow_origin)

    def check_host(self, headers: Headers) -> None:
        """A page elsewhere must not reach a local server through a name of its own."""
        if not self.options.local:
            return
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name not in _LOCAL:
            raise Refused(421, "This server answers to localhost only.")

    # ---------------------------------------------------------------- token

    def check_token(self, headers: Headers, *, page: bool = False) -> None:
        """Refuse who does not show the token; a browser on the page may ask its user for it."""
        if self._token is None:
            return
        shown = _shown(headers.get(b"authorization", b""))
        # Digests have one length, so that the time tells nothing of the token's either.
        if not hmac.compare_digest(_digest(shown), self._token):
            schemes = [(b"www-authenticate", b'Bearer realm="caesura"')]
            if page:
                schemes = [(b"www-authenticate", b'Basic realm="caesura", charset="UTF-8"')]
            raise Refused(
                401, "Show the token of this server: Authorization: Bearer TOKEN.", schemes
            )

    # -------------------------------------------------------------- origins

    def allowed(self, headers: Headers) -> bytes | None:
        """The origin that a request comes from, if its pages may read the answer."""
        origin = headers.get(b"origin")
        if origin is None or not self._origins:
            return None
        if "*" in self._origins:
            return b"*"
        return origin if origin.decode("latin-1").lower() in self._origins else None

    def cors(self, headers: Headers) -> Pairs:
        """What an answer says to a browser about the page that asked."""
        if not self._origins:
            return []
        pairs: Pairs = [] if "*" in self._origins else [(b"vary", b"Origin")]
        origin = self.allowed(headers)
        if origin is not None:
            pairs += [
                (b"access-control-allow-origin", origin),
                (b"access-control-expose-headers", _READ),
                (b"cross-origin-resource-policy", b"cross-origin"),
            ]
        return pairs

    def preflight(self, method: str, headers: Headers) -> Pairs | None:
        """The answer to a browser that asks before it asks; None if this is no such question."""
        asked = headers.get(b"access-control-request-method")
        if method != "OPTIONS" or asked is None or b"origin" not in headers or not self._origins:
            return None
        if self.allowed(headers) is None:
            raise Refused(403, "Pages of this origin may not ask here.")
        return [
            (b"access-control-allow-methods", b"GET, POST"),
            (b"access-control-allow-headers", _SENT),
            (b"access-control-max-age", _KNOWN),
        ]

    def check_site(self, headers: Headers) -> None:
        """Refuse what a page of another site can send without asking first, such as a form."""
        if self.allowed(headers) is not None:
            return
        origin = headers.get(b"origin")
        host = headers.get(b"host", b"")
        foreign = origin is not None and origin.split(b"://", 1)[-1].lower() != host.lower()
        if foreign or headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site"):
            raise Refused(403, "Pages of other sites may not ask here.")


def _shown(header: bytes) -> bytes:
    """The token in a header."""
    scheme, _, value = header.partition(b" ")
    if scheme.lower() == b"bearer":
        return value.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return b""
    return b""
