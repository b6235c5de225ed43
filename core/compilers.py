"""Finds a C++ compiler for the build, or uses the one of Zig.

The package `ziglang` contains Clang, libc++ and the headers of every target. The build requires it
only where no C++ compiler works. CMake needs programs for the compiler and the archiver, so
`toolchain` writes one small script for each and a toolchain file that names them.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: The version that was tested, and those after it.
REQUIREMENT: Final = "ziglang>=0.15"
#: Names of compilers that CMake looks for on the PATH.
NAMES: Final = ("c++", "g++", "clang++", "cl")
NOTICE: Final = (
    "caesura: {reason}; the build uses the compiler of the package ziglang "
    "(a download of about 100 MB, not installed)."
)
#: What the core needs of a compiler and its library.
_PROGRAM: Final = """\
#include <concepts>
#include <span>
template <std::integral T> T first(std::span<const T> values) { return values[0]; }
int main() { const int one[] = {0}; return first(std::span<const int>(one)); }
"""


class NoCompiler(Exception):
    """There is no compiler, and none can be used in its place."""


def missing(environment: Mapping[str, str] = os.environ) -> str | None:
    """Why no C++ compiler of this machine can be used; None if one can.

    A compiler that `CXX` or `CMAKE_ARGS` names is used as it is.
    """
    if environment.get("CXX") or "CMAKE_CXX_COMPILER" in environment.get("CMAKE_ARGS", ""):
        return None
    if "CMAKE_TOOLCHAIN_FILE" in environment or _visual_studio(environment):
        return None
    found = list(dict.fromkeys(_candidates(environment)))
    if not found:
        return "no C++ compiler was found"
    # CMake takes the first that exists.
    if _compiles(found[0]):
        return None
    return f"{Path(found[0]).name} does not compile C++20"


def _candidates(environment: Mapping[str, str]) -> Iterator[str]:
    """Paths of compilers: those that CMake tries, and the one that compiled Python."""
    path = environment.get("PATH", os.defpath)
    own = shlex.split(sysconfig.get_config_var("CXX") or "")[:1]
    for name in (*NAMES, *own):
        found = shutil.which(name, path=path)
        # On macOS a program of this name exists without a compiler; to run it opens a window.
        if found == "/usr/bin/c++" and sys.platform == "darwin" and not _developer_tools():
            continue
        if found is not None:
            yield found


def _developer_tools() -> bool:
    try:
        return subprocess.run(["xcode-select", "-p"], capture_output=True).returncode == 0
    except OSError:
        return False


def _visual_studio(environment: Mapping[str, str]) -> bool:
    """Whether Visual Studio and its Clang are installed; CMake finds them without the PATH."""
    if sys.platform != "win32":
        return False
    programs = environment.get("ProgramFiles(x86)", r"C:\Program Files (x86)")
    finder = Path(programs, "Microsoft Visual Studio", "Installer", "vswhere.exe")
    tools = "Microsoft.VisualStudio.Component.VC.Llvm.Clang"
    if not finder.exists():
        return False
    call = [finder, "-products", "*", "-requires", tools, "-property", "installationPath"]
    return bool(subprocess.run(call, capture_output=True).stdout.strip())


def _compiles(compiler: str) -> bool:
    """Whether a compiler translates a program in C++20."""
    options = ["/std:c++20", "/c"] if Path(compiler).stem == "cl" else ["-std=c++20", "-c"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.cpp")
        source.write_text(_PROGRAM, encoding="utf-8")
        try:
            done = subprocess.run(
                [compiler, *options, source.name], cwd=folder, capture_output=True
            )
        except OSError:
            return False
    return done.returncode == 0


@dataclass(frozen=True)
class Target:
    """A kind of machine, as CMake and Zig name it."""

    system: str
    processor: str
    triple: str

    @staticmethod
    def here() -> Target:
        """This machine. Other kinds of machines of its system can run the result as well."""
        machine = platform.machine().lower()
        processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
        system = platform.system()
        if system == "Linux":
            library = "gnu.2.17" if platform.libc_ver()[0] == "glibc" else "musl"
            return Target(system, processor, f"{processor}-linux-{library}")
        if system == "Darwin":
            return Target(system, processor, f"{processor}-macos")
        return Target(system, processor, f"{processor}-windows-gnu")


def toolchain(folder: Path, target: Target | None = None) -> Path:
    """Write a CMake toolchain file that compiles with Zig; with `target`, for another machine."""
    zig = _zig()
    if zig is None:
        raise NoCompiler(
            "No C++ compiler was found. Install one (GCC 11, Clang 14 or the Clang of Visual "
            "Studio 2022), or run `pip install ziglang`."
        )
    goal = target or Target.here()
    # `baseline`: without it, Zig uses every instruction of the processor that compiles.
    tools = {
        "CMAKE_CXX_COMPILER": ("c++", "-target", goal.triple, "-mcpu=baseline"),
        "CMAKE_AR": ("ar",),
        "CMAKE_RANLIB": ("ranlib",),
    }
    # A cross build must not look for programs; a native one must not set the system.
    lines = [f'set({name} "{_script(folder, zig, call)}")' for name, call in tools.items()]
    lines.append("set(CAESURA_ZIG ON)")
    if target is not None:
        lines += [
            f'set(CMAKE_SYSTEM_NAME "{target.system}")',
            f'set(CMAKE_SYSTEM_PROCESSOR "{target.processor}")',
        ]
    file = folder / "zig.cmake"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _zig() -> Path | None:
    """The program of the package ziglang."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).with_name("zig.exe" if os.name == "nt" else "zig")


def _script(folder: Path, zig: Path, call: tuple[str, ...]) -> str:
    """Write a script that calls a part of Zig, with its cache in the same folder."""
    cache = folder / "cache"
    if os.name == "nt":
        script = folder / f"zig-{call[0]}.cmd"
        text = (
            f'@if "%ZIG_GLOBAL_CACHE_DIR%"=="" set "ZIG_GLOBAL_CACHE_DIR={cache}"\r\n'
            f'@"{zig}" {" ".join(call)} %*\r\n'
        )
    else:
        script = folder / f"zig-{call[0]}"
        text = (
            "#!/bin/sh\n"
            f": ${{ZIG_GLOBAL_CACHE_DIR:={shlex.quote(str(cache))}}}\n"
            "export ZIG_GLOBAL_CACHE_DIR\n"
            f'exec {shlex.join([str(zig), *call])} "$@"\n'
        )
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    return script.as_posix()
