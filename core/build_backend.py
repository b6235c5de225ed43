"""The build backend of `pip install .`: scikit-build-core's, with two additions.

Without a C++ compiler, the build requires the package `ziglang` and compiles with it
(`compilers.py`). An editable install puts the extension module into `src/caesura/` and one line
into a `.pth` file: there is no import hook, and nothing is rebuilt when the package is imported.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import compilers
from scikit_build_core import build as scikit_build
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = Mapping[str, list[str] | str] | None

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "src" / "caesura"
#: The rest of the package stays where it is; the inner functions that tests use are compiled, too.
EDITABLE: Final[dict[str, list[str] | str]] = {
    "wheel.packages": [],
    "cmake.define.CAESURA_TESTING": "ON",
}

prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """CMake and Ninja where they are missing, and Zig's compiler if there is no other."""
    requires = scikit_build.get_requires_for_build_wheel(config_settings)
    reason = compilers.missing()
    if reason is not None:
        print(compilers.NOTICE.format(reason=reason), file=sys.stderr)
        requires.append(compilers.REQUIREMENT)
    return requires


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Compile the module and build a wheel; the name of its file."""
    with _compiler() as settings:
        return scikit_build.build_wheel(
            wheel_directory, {**settings, **(config_settings or {})}, metadata_directory
        )


@contextmanager
def _compiler() -> Iterator[dict[str, list[str] | str]]:
    """The settings that select a compiler; exits with one sentence if there is none."""
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if not headers.exists():
        sys.exit(
            f"caesura: {headers} is missing. Install the headers of Python "
            "(the package python3-dev or python3-devel of most Linux distributions)."
        )
    with tempfile.TemporaryDirectory(prefix="caesura-zig-") as folder:
        if compilers.missing() is None:
            if sys.platform == "win32":
                os.environ.setdefault("CMAKE_GENERATOR_TOOLSET", "ClangCL")
            yield {}
            return
        if os.environ.get("CAESURA_SANITIZE"):
            sys.exit("caesura: CAESURA_SANITIZE needs GCC or Clang; Zig has no AddressSanitizer.")
        try:
            file = compilers.toolchain(Path(folder))
        except compilers.NoCompiler as error:
            sys.exit(f"caesura: {error}")
        yield {"cmake.define.CMAKE_TOOLCHAIN_FILE": str(file)}


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Compile the module into the source folder; a wheel that names this folder."""
    with tempfile.TemporaryDirectory() as place:
        build = Path(place, "build")
        settings = {"build-dir": str(build), **EDITABLE, **(config_settings or {})}
        name = build_wheel(place, settings, metadata_directory)
        database = build / "compile_commands.json"
        if database.exists():  # for editors, and for the test of compiler flags
            (ROOT / "build").mkdir(exist_ok=True)
            shutil.copy(database, ROOT / "build")
        _point_to_sources(Path(place, name), Path(wheel_directory, name))
    return name


def _point_to_sources(built: Path, wheel: Path) -> None:
    """Write a wheel like the one that was built, with its modules moved to the source folder."""
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(built) as archive:
        for name in archive.namelist():
            if name.startswith("caesura/"):
                _replace(PACKAGE / Path(name).name, archive.read(name))
            else:
                files[name] = archive.read(name)
    files["caesura_nlp.pth"] = f"{ROOT / 'src'}\n".encode()
    record = next(name for name in files if name.endswith(".dist-info/RECORD"))
    del files[record]
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = "".join(f"{line}\n" for line in (*lines, f"{record},,")).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _replace(path: Path, data: bytes) -> None:
    """Write a module beside the old one and rename it: a running process keeps the old one."""
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(data)
    new.chmod(0o755)
    new.replace(path)
