"""What a file of Python does, as a hash: its code, and not its comments, docstrings and lines.

`caesura.jit` keys kernels by it, so that an upgrade that changes no code finds them again.
"""

from __future__ import annotations

import hashlib
import inspect
import opcode
import sys
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, cast

__all__ = ["code_hash"]

_STORE = opcode.opmap["STORE_NAME"]
_LOAD = opcode.opmap["LOAD_CONST"]


@cache
def code_hash(file: str) -> bytes:
    """A hash of what a file does; Python keeps its code for when the file is loaded."""
    digest = hashlib.sha256()
    name = Path(file).stem
    _add_code(digest, cast(CodeType, SourceFileLoader(name, file).get_code(name)))
    return digest.digest()


def _add_code(digest: Any, code: CodeType) -> None:
    """What compiled Python does, without docstrings, names of files and numbers of lines."""
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    numbers = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    digest.update(f"{names!r} {numbers!r}\n".encode("utf-8", "surrogatepass"))
    digest.update(code.co_code)
    told = _docstring(code)
    for number, value in enumerate(code.co_consts):
        if isinstance(value, CodeType):
            _add_code(digest, value)
        elif number != told:
            # The order of a set changes from run to run.
            said = sorted(map(repr, value)) if isinstance(value, frozenset) else value
            digest.update(f"{type(value).__name__} {said!r}\n".encode("utf-8", "surrogatepass"))


def _docstring(code: CodeType) -> int:
    """The number of the constant that is the docstring; -1 if there is none."""
    if code.co_flags & inspect.CO_OPTIMIZED:  # a function: its first constant, or None there
        has = code.co_flags & 0x4000000 or sys.version_info < (3, 13)
        named = has and not code.co_name.startswith("<") and code.co_consts
        return 0 if named and isinstance(code.co_consts[0], str | None) else -1
    bytecode = code.co_code
    for at in range(2, len(bytecode), 2):
        stored = bytecode[at] == _STORE and bytecode[at - 2] == _LOAD
        if stored and code.co_names[bytecode[at + 1] :][:1] == ("__doc__",):
            return bytecode[at - 1]
    return -1
