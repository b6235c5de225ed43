"""The parser that is often unsure, for what branching is compared with."""

from tests.parse.branching.conftest import weak_parser

__all__ = ["weak_parser"]
