"""Run tests and fuzz targets with a core that is compiled with sanitizers.

    python -m benchmarks.hardening.sanitize            # the tests of the core, then fuzzing
    python -m benchmarks.hardening.sanitize --short    # a selection
    python -m benchmarks.hardening.sanitize --threads  # ThreadSanitizer
    python -m benchmarks.hardening.sanitize -- python -m pytest tests/induce
    python -m benchmarks.hardening.sanitize -- python -m benchmarks.hardening.fuzz --inputs 10000

The core is compiled with AddressSanitizer and UBSan, and every index of a view is checked
(CAESURA_CHECKED). It is built in `build/sanitize` beside a copy of the package; the build of the
checkout stays as it is. The exit status is 1 after a finding, and 77 where the compiler has no
sanitizers.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.common import ROOT, options

SKIPPED: Final = 77
#: Folders of tests that call the core.
TESTS: Final = tuple(
    f"tests/{name}"
    for name in (
        "cluster", "document", "evaluate", "find", "formats", "induce", "language", "layout",
        "learn", "neural", "parse", "pipeline", "tag", "tokenize",
    )
)  # fmt: skip
#: Tests of inner functions against their reference implementations, which take a minute in all.
SHORT: Final = (
    "tests/cluster", "tests/evaluate/test_kernels.py", "tests/find/test_twin.py",
    "tests/induce/test_core.py", "tests/language/test_recognise.py", "tests/layout/test_core.py",
    "tests/learn/test_kernels.py", "tests/neural/test_network.py", "tests/parse/test_rows.py",
    "tests/parse/test_spanning.py", "tests/parse/test_updates.py", "tests/tag/test_core.py",
    "tests/tag/test_attributes.py", "tests/tag/test_inference.py", "tests/tokenize/test_kernels.py",
)  # fmt: skip
#: Tests whose names say that they call the core from threads, or cancel calls of others.
THREADED: Final = (
    "tests/induce/test_charts.py",
    "tests/neural/test_network.py", "tests/neural/test_parser.py",
    "tests/pipeline/test_pipeline.py", "-k", "thread or workers or interrupt",
)  # fmt: skip


class Unsupported(Exception):
    """The compiler has no sanitizer of this kind."""


@dataclass(frozen=True)
class Sanitizer:
    """A kind of build, and the environment in which Python loads it."""

    folder: Path
    #: The value of CAESURA_SANITIZE, and the flag and libraries of the compiler.
    setting: str
    flag: str
    libraries: tuple[str, ...]
    options: dict[str, str]

    def environment(self) -> dict[str, str]:
        """The variables with which the sanitized core runs."""
        folders = [self.folder / "package", ROOT]
        return {
            **os.environ,
            **self.options,
            "LD_PRELOAD": ":".join(_library(name) for name in self.libraries),
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            "PYTHONMALLOC": "malloc",
        }


MEMORY: Final = Sanitizer(
    ROOT / "build" / "sanitize",
    "1",
    "address,undefined",
    ("libasan.so", "libubsan.so", "libstdc++.so.6"),
    {
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    },
)
THREADS: Final = Sanitizer(
    ROOT / "build" / "sanitize-threads",
    "thread",
    "thread",
    ("libtsan.so", "libstdc++.so.6"),
    {"TSAN_OPTIONS": "halt_on_error=0:exitcode=66:report_signal_unsafe=0"},
)


def _path() -> str:
    """The PATH, with the programs of packages such as cmake first."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _compiler() -> str:
    return os.environ.get("CXX", "g++")


def _library(name: str) -> str:
    """The path of a library of the compiler."""
    call = [_compiler(), f"-print-file-name={name}"]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()


def check(kind: Sanitizer) -> None:
    """Raise `Unsupported` unless a program with the sanitizer compiles and runs."""
    if platform.system() != "Linux":
        raise Unsupported("sanitizer builds are supported on Linux only")
    for name in (_compiler(), "cmake", "ninja"):
        if shutil.which(name, path=_path()) is None:
            raise Unsupported(f"{name} is not installed")
    if importlib.util.find_spec("nanobind") is None:
        raise Unsupported("nanobind is not installed")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.cpp")
        source.write_text("int main() { return 0; }\n")
        call = [_compiler(), f"-fsanitize={kind.flag}", "-o", f"{folder}/program", str(source)]
        if subprocess.run(call, capture_output=True).returncode:
            raise Unsupported(f"{_compiler()} has no -fsanitize={kind.flag}")
        if not all(Path(_library(name)).is_absolute() for name in kind.libraries):
            raise Unsupported(f"{_compiler()} is not GCC, whose sanitizers are shared libraries")
        call = [*_launcher(kind), sys.executable, "-c", ""]
        done = subprocess.run(call, env=kind.environment(), capture_output=True, text=True)
        if done.returncode:
            said = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0]
            raise Unsupported(f"Python does not start with -fsanitize={kind.flag} ({said})")


def _launcher(kind: Sanitizer) -> list[str]:
    """ThreadSanitizer needs addresses that are not randomised on some kernels."""
    return ["setarch", "-R"] if kind is THREADS and shutil.which("setarch") else []


def build(kind: Sanitizer) -> None:
    """Compile the core, and put it beside a copy of the package."""
    package = kind.folder / "package" / "caesura"
    shutil.rmtree(package, ignore_errors=True)
    skipped = shutil.ignore_patterns("_core.*.so", "__pycache__")
    shutil.copytree(ROOT / "src" / "caesura", package, ignore=skipped)
    launcher = shutil.which("ccache")
    configure = [
        "cmake", "-S", ROOT, "-B", kind.folder, "-G", "Ninja",
        f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_CXX_COMPILER={_compiler()}",
        f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={package}",
        *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []),
    ]  # fmt: skip
    environment = {**os.environ, "PATH": _path(), "CAESURA_SANITIZE": kind.setting}
    for call in (configure, ["cmake", "--build", kind.folder]):
        done = subprocess.run(call, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout[-5000:] + done.stderr[-5000:])


def run(kind: Sanitizer, command: Sequence[str]) -> int:
    """Run a command with the sanitized core; its exit status."""
    call = [sys.executable if word == "python" else word for word in command]
    print(f"sanitize: {' '.join(command)}", flush=True)
    return subprocess.run([*_launcher(kind), *call], cwd=ROOT, env=kind.environment()).returncode


def commands(kind: Sanitizer, short: bool) -> list[list[str]]:
    """What is run where no command is given."""
    pytest = ["python", "-m", "pytest", "-p", "no:cacheprovider"]
    if kind is THREADS:
        return [[*pytest, *THREADED]]
    if short:
        return [[*pytest, "-x", *SHORT]]
    return [[*pytest, *TESTS], ["python", "-m", "benchmarks.hardening.fuzz", "--inputs", "300"]]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--short", action="store_true", help="a selection of the tests")
    parser.add_argument("--threads", action="store_true", help="use ThreadSanitizer")
    parser.add_argument("command", nargs="*", help="run this instead of the tests")
    given = parser.parse_args()
    kind = THREADS if given.threads else MEMORY
    try:
        check(kind)
    except Unsupported as error:
        print(f"sanitize: skipped: {error}")
        sys.exit(SKIPPED)
    build(kind)
    calls = [given.command] if given.command else commands(kind, given.short)
    sys.exit(max(run(kind, call) != 0 for call in calls))


if __name__ == "__main__":
    main()
