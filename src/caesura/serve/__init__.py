"""The page and its JSON API: `caesura serve` (extra `serve`).

One process talks to the network and looks into nothing that it is sent; worker processes, which it
may kill, do what is asked. It listens on this machine only unless told otherwise, keeps nothing,
and logs of a request no more than its size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.serve.app import make_app
    from caesura.serve.options import ServeOptions
    from caesura.serve.server import serve

__all__ = ["ServeOptions", "make_app", "serve"]


def __getattr__(name: str) -> Any:
    import importlib

    homes = {"ServeOptions": "options", "make_app": "app", "serve": "server"}
    if name not in homes:
        raise AttributeError(f"module 'caesura.serve' has no attribute {name!r}")
    return getattr(importlib.import_module(f"caesura.serve.{homes[name]}"), name)
