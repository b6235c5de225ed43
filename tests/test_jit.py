"""What a kernel is compiled from is in its key: a change in any of it is a new key."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

import caesura
from caesura import jit, jit_code, jit_numba, jit_thrift

PACKAGE = Path(caesura.__file__).parent
ROOMS = sorted({path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*/*.py")})

MINI = {
    "__init__.py": "",
    "near/__init__.py": "",
    "near/kernels.py": '"""Near."""\n\n'
    "from caesura.far.middle import *\n"
    "from caesura.far.middle import STEP\n"
    "from caesura.jit import kernel\n\n\n"
    '@kernel\ndef twice(x):\n    """Twice."""\n    return x + 2 * STEP\n',
    "far/__init__.py": "",
    "far/middle.py": "from caesura.constants import (  # as everywhere\n    STEP,\n)\n",
    "far/other.py": "LABEL = 1\n",
    "constants.py": "STEP = 1\n",
}


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A package with a kernel that freezes a constant which comes from another room, by a third."""
    package = tmp_path / "caesura"
    for name, source in MINI.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(source)
    for file in PACKAGE.glob("jit*.py"):
        shutil.copy(file, package / file.name)
    return package


CODE = """
from caesura.jit import is_cold
cold = is_cold("near")
from caesura.near.kernels import twice
import sys
print(twice(10), cold, is_cold("near"), int("numba" not in sys.modules))
"""


def answer(package: Path) -> list[str]:
    env = {**os.environ, "PYTHONPATH": str(package.parent), "NUMBA_DISABLE_JIT": "0"}
    env["NUMBA_CACHE_DIR"] = str(package.parent / "kernels")
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=env, check=True, capture_output=True, text=True
    )
    return done.stdout.split()


def test_a_constant_of_another_room_is_in_the_key(mini: Path) -> None:
    assert answer(mini) == ["12", "True", "False", "0"]
    assert answer(mini) == ["12", "False", "False", "1"]  # compiled once
    (mini / "constants.py").write_text("STEP = 100\n")
    assert answer(mini) == ["210", "True", "False", "0"]


def test_what_a_kernel_does_not_see_is_not_in_the_key(mini: Path) -> None:
    assert answer(mini) == ["12", "True", "False", "0"]
    (mini / "far" / "other.py").write_text("LABEL = 2000\n")
    assert answer(mini) == ["12", "False", "False", "1"]


def test_what_changes_no_code_is_not_in_the_key(mini: Path) -> None:
    assert answer(mini) == ["12", "True", "False", "0"]
    file = mini / "near" / "kernels.py"
    told = file.read_text().replace('"""Near."""\n', '"""Kernels that are near."""\n\n# Said so.\n')
    file.write_text(told.replace('"""Twice."""\n', '"""Two steps more."""\n\n    # Indeed.\n'))
    os.utime(mini / "constants.py", (1, 1))
    assert answer(mini) == ["12", "False", "False", "1"]
    file.write_text(file.read_text().replace("2 * STEP", "3 * STEP"))
    assert answer(mini) == ["13", "True", "False", "0"]


def test_a_package_that_was_moved_finds_its_kernels(mini: Path) -> None:
    assert answer(mini) == ["12", "True", "False", "0"]
    elsewhere = mini.parent / "elsewhere" / "caesura"
    shutil.copytree(mini, elsewhere)
    shutil.move(mini.parent / "kernels", elsewhere.parent / "kernels")
    assert answer(elsewhere) == ["12", "False", "False", "1"]


@pytest.mark.parametrize(
    ("room", "file", "counts"),
    [
        ("parse", "parse/scorers/features.py", True),  # whose constants kernels freeze
        ("evaluate", "document/document.py", True),
        ("parse", "parse/transitions/hybrid.py", True),
        ("tag", "tag/tagger.py", False),
        ("parse", "parse/parser.py", False),
    ],
)
def test_the_key_covers_what_kernels_see(
    tmp_path: Path, room: str, file: str, counts: bool
) -> None:
    package = tmp_path / "caesura"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("*.caesura", "__pycache__"))
    before = jit._sources_hash(room, str(package))
    assert jit._sources_hash(room) == before, "the key does not depend on where the package lies"
    with (package / file).open("r+") as stream:
        stream.seek(0, os.SEEK_END)
        stream.write("\nFROZEN = 1\n")
    for cached in (jit._imported, jit_code.code_hash, jit._sources_hash, jit.sources):
        cached.cache_clear()
    assert (jit._sources_hash(room, str(package)) != before) == counts


def imported(file: Path) -> set[str]:
    """The files that Python loads with a file, by its syntax tree."""
    found: set[str] = set()

    def add(*parts: str) -> bool:
        path = PACKAGE.joinpath(*parts)
        for each in (path.with_suffix(".py"), path / "__init__.py"):
            if each.exists() and path != PACKAGE:
                found.add(str(each))
                return True
        return path == PACKAGE

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "caesura":
                    assert add(*alias.name.split(".")[1:])
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "caesura":
            parts = (node.module or "").split(".")[1:]
            assert add(*parts)
            if PACKAGE.joinpath(*parts).is_dir():
                for alias in node.names:
                    add(*parts, alias.name)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(file.read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_no_import_is_overlooked(room: str) -> None:
    for file in (PACKAGE / room).rglob("*.py"):
        missed = (
            imported(file) - jit._imported(str(file), str(PACKAGE)) - {str(PACKAGE / "__init__.py")}
        )
        assert not missed, f"{file} imports {missed}"


def test_start_up_reads_each_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    opened = open

    def counting(file, *args, **kwargs):
        read.append(str(file))
        return opened(file, *args, **kwargs)

    for cached in (jit._imported, jit_code.code_hash, jit._sources_hash, jit.sources):
        cached.cache_clear()
    monkeypatch.setattr("builtins.open", counting)
    for room in ("tokenize", "tag", "parse"):
        jit._sources_hash(room)
    monkeypatch.undo()
    assert len(read) == len(set(read))
    assert not any("/formats/" in file or "/evaluate/" in file for file in read)


@jit.kernel
def _times(x: int, n: int, more: int = 0) -> int:
    return x * n + more


@jit.kernel
def _many_times(x: int) -> int:
    return _times(x, 2) + _times(x, 3) + _times(x, x) + _times(x, 5, more=7) + _times(x, 5, more=x)


@pytest.mark.skipif(not jit.compiled(), reason="there is no compiler without JIT")
def test_kernels_are_compiled_once_for_all_numbers() -> None:
    assert _many_times(10) == 20 + 30 + 100 + 57 + 60
    of_calls = {str(types) for types in _times.callees}  # type: ignore[attr-defined]
    assert of_calls == {"(int64, int64, omitted(default=0))", "(int64, int64, int64)"}


@jit.kernel
def _root_of(x: float) -> float:
    if x < 0:
        raise ValueError("it has none")
    return x**0.5


@jit.kernel(forceinline=True)
def _twice_the_root(x: float) -> float:
    return 2 * _root_of(x)


@jit.kernel
def _roots(numbers: NDArray[np.float64]) -> float:
    found = 0.0
    for x in numbers:
        found += _twice_the_root(x)
    return found


@pytest.mark.skipif(not jit_numba._LINKED, reason="this Numba compiles callees in its own way")
def test_callees_are_compiled_for_their_callers_alone() -> None:
    callee: Any = _root_of
    assert _roots(np.array([1.0, 4.0])) == 6.0
    assert len(callee.callees) == 1
    assert not callee.overloads, "nobody has called it from Python"
    with pytest.raises(ValueError, match="it has none"):
        _roots(np.array([-1.0]))
    assert callee(9.0) == 3.0
    assert len(callee.overloads) == 1, "now somebody has"


def test_hashes_of_sources_are_noted_until_a_file_changes(
    mini: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = mini.parent / "kernels" / "sources"
    first = answer(mini)
    noted = {file.name: file.read_text() for file in kept.iterdir()}
    assert len(noted) == 1
    assert answer(mini) == [first[0], "False", "False", "1"]
    assert {file.name: file.read_text() for file in kept.iterdir()} == noted
    before = (mini / "constants.py").stat()
    (mini / "constants.py").write_text("STEP = 7\n")  # as long as it was, and as old
    os.utime(mini / "constants.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert answer(mini) == ["24", "True", "False", "0"]
    assert len(list(kept.iterdir())) == 2


def test_a_damaged_note_of_a_hash_is_made_again(mini: Path) -> None:
    answer(mini)
    (note,) = (mini.parent / "kernels" / "sources").iterdir()
    note.write_text("half a ha")
    assert answer(mini) == ["12", "False", "False", "1"]
    assert len(note.read_text()) == 64


def test_a_kernel_that_counts_no_references_does_not_count_them() -> None:
    def of(arrays: tuple[NDArray[np.int64], ...]) -> int:
        first, second = arrays
        return int(first[0] + second[0])

    arrays = (np.array([3]), np.array([4]))
    counted: Any = jit.kernel(cache=False)(of)
    uncounted: Any = jit.kernel(cache=False, counted=False)(of)
    assert counted(arrays) == uncounted(arrays) == 7
    if jit.compiled():
        (code,) = uncounted.inspect_llvm().values()
        body = code.split("define", 2)[1]
        assert "NRT_incref" not in body


@pytest.mark.skipif(not jit.compiled(), reason="there is no compiler without JIT")
def test_numba_is_as_it_was_once_a_kernel_is_compiled() -> None:
    kept = jit_thrift._answers()
    before = [getattr(place, name) for place, name, _ in kept.patches()]

    def wrong(x: int) -> int:
        return x + "a"  # type: ignore[operator]

    assert jit.kernel(cache=False)(lambda x: x + x * 2)(7) == 21
    asked = len(kept._calls)
    assert asked
    with pytest.raises(TypingError):
        jit.kernel(cache=False)(wrong)(1)
    assert jit.kernel(cache=False)(lambda x: x * 2 + x)(7) == 21
    assert [getattr(place, name) for place, name, _ in kept.patches()] == before
    assert not jit_thrift._Answers.asked
