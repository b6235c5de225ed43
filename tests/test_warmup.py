"""Warming up a room leaves no kernel of it to be compiled later."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: Kernels are plain functions here, so that calls of them can be seen. A kernel is compiled if it
#: is called, or if one that is compiled calls it somewhere.
CODE = """
import importlib, pkgutil, sys, types

room = importlib.import_module("caesura." + sys.argv[1])
kernels = {}
for found in pkgutil.iter_modules(room.__path__):
    module = importlib.import_module(f"{room.__name__}.{found.name}")
    for value in vars(module).values():
        plain = getattr(value, "__wrapped__", None)
        ours = getattr(plain, "__module__", "") == module.__name__
        if ours and isinstance(value, types.FunctionType):
            kernels[plain.__code__] = plain
called = set()
sys.setprofile(lambda frame, event, _: called.add(frame.f_code))
room.warmup()
sys.setprofile(None)
reached, wait = set(), [code for code in kernels if code in called]
while wait:
    code = wait.pop()
    if code not in reached:
        reached.add(code)
        values = (kernels[code].__globals__.get(name) for name in code.co_names)
        wait += [v.__wrapped__.__code__ for v in values if hasattr(v, "__wrapped__")]
        wait = [code for code in wait if code in kernels]
print(len(kernels), *(code.co_name for code in kernels if code not in reached))
"""


@pytest.mark.parametrize("room", ["cluster"])
def test_warming_up_compiles_every_kernel(room: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, room],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    count, *left_out = done.stdout.split()
    assert int(count) > 0
    assert left_out == []
