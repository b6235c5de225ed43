"""How the core is built: which compiler, which flags, and what an import without it says."""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
#: Set it to 1 to build without a compiler: two minutes, and 100 MB from the package index.
SLOW = "CAESURA_TEST_ZIG"


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`core/compilers.py`, with a Python that names no compiler of its own."""
    monkeypatch.syspath_prepend(str(ROOT / "core"))
    module = importlib.import_module("compilers")
    monkeypatch.setattr(module.sysconfig, "get_config_var", lambda _: None)
    return module


def path_with(folder: Path, **programs: int) -> dict[str, str]:
    """An environment whose PATH has programs that end with these exit statuses, and no others."""
    folder.mkdir()
    for name, status in programs.items():
        program = folder / name.replace("_", "+")
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
    return {"PATH": str(folder)}


@pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
class TestCompilers:
    @pytest.mark.parametrize("name", ["c__", "g__", "clang__"])
    def test_a_compiler_that_works_is_used(
        self, compilers: ModuleType, name: str, tmp_path: Path
    ) -> None:
        assert compilers.missing(path_with(tmp_path / "bin", **{name: 0})) is None

    def test_an_empty_path_has_no_compiler(self, compilers: ModuleType, tmp_path: Path) -> None:
        assert compilers.missing(path_with(tmp_path / "bin")) == "no C++ compiler was found"

    def test_an_old_compiler_is_named(self, compilers: ModuleType, tmp_path: Path) -> None:
        found = compilers.missing(path_with(tmp_path / "bin", g__=1))
        assert found == "g++ does not compile C++20"

    @pytest.mark.parametrize(
        "setting",
        [
            {"CXX": "my-compiler"},
            {"CMAKE_ARGS": "-DCMAKE_CXX_COMPILER=my-compiler"},
            {"CMAKE_TOOLCHAIN_FILE": "mine.cmake"},
        ],
        ids=str,
    )
    def test_a_setting_of_the_user_is_obeyed(
        self, compilers: ModuleType, setting: dict[str, str], tmp_path: Path
    ) -> None:
        assert compilers.missing({**path_with(tmp_path / "bin"), **setting}) is None

    def test_the_compiler_of_python_is_tried(
        self, compilers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        environment = path_with(tmp_path / "bin", own=0)
        monkeypatch.setattr(compilers.sysconfig, "get_config_var", lambda _: "own -pthread")
        assert compilers.missing(environment) is None

    def test_without_zig_one_sentence_says_what_to_install(
        self, compilers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compilers, "_zig", lambda: None)
        with pytest.raises(compilers.NoCompiler, match=r"^No C\+\+ compiler .*pip install ziglang"):
            compilers.toolchain(tmp_path)

    def test_zig_is_called_for_processors_of_every_age(
        self, compilers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compilers, "_zig", lambda: tmp_path / "zig")
        target = compilers.Target("Linux", "aarch64", "aarch64-linux-gnu.2.17")
        file = compilers.toolchain(tmp_path, target)
        assert 'CMAKE_SYSTEM_PROCESSOR "aarch64"' in file.read_text()
        script = (tmp_path / "zig-c++").read_text()
        assert "/zig c++ -target aarch64-linux-gnu.2.17 -mcpu=baseline" in script


@pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
def test_the_build_requires_zig_only_without_a_compiler(
    compilers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scikit_build_core")
    backend = importlib.import_module("build_backend")
    monkeypatch.chdir(ROOT)
    for name in ("CXX", "CMAKE_ARGS", "CMAKE_TOOLCHAIN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", path_with(tmp_path / "with", g__=0)["PATH"])
    assert compilers.REQUIREMENT not in backend.get_requires_for_build_wheel()
    monkeypatch.setenv("PATH", path_with(tmp_path / "without")["PATH"])
    for requires in (backend.get_requires_for_build_wheel, backend.get_requires_for_build_editable):
        assert compilers.REQUIREMENT in requires()


@pytest.mark.skipif(os.environ.get(SLOW) != "1", reason=f"two minutes; set {SLOW}=1")
@pytest.mark.parametrize("editable", [False, True], ids=["installed", "editable"])
def test_a_machine_without_a_compiler_builds_the_core(tmp_path: Path, editable: bool) -> None:
    """The commands of the README with a PATH that has a shell and `uname`."""
    download = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "-q",
        "-d",
        tmp_path,
        "ziglang",
    ]
    if subprocess.run(download, capture_output=True).returncode:
        pytest.skip("the package ziglang cannot be downloaded")
    tree = tmp_path / "tree"
    ignore = shutil.ignore_patterns(".git", ".venv", "build", "tests", "_core.*.so", ".*_cache")
    shutil.copytree(ROOT, tree, ignore=ignore)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "uname"):
        (programs / name).symlink_to(shutil.which(name) or name)
    environment = {"PATH": str(programs), "HOME": str(tmp_path), "PIP_FIND_LINKS": str(tmp_path)}
    environment = {**os.environ, **environment}
    for name in ("CXX", "CMAKE_ARGS", "CMAKE_TOOLCHAIN_FILE", "PYTHONPATH"):
        environment.pop(name, None)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [
        python,
        "-m",
        "pip",
        "install",
        "-v",
        "--no-deps",
        *(["-e"] if editable else []),
        ".",
    ]
    done = subprocess.run(install, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert "no C++ compiler was found; the build uses the compiler of the package" in done.stdout
    check = "import caesura._core as core; assert callable(core.cancel_all); print(core.__file__)"
    done = subprocess.run([python, "-c", check], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tree / "src" if editable else tmp_path / "venv"))


SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]


@pytest.mark.parametrize(
    ("module", "text", "says"),
    [
        (None, "", r"Caesura is not compiled in \S+: run `pip install -e \.` in the checkout, or "),
        (
            "_core.cpython-27-m68k-amiga.so",
            "",
            r"\S+_core\S+\.so was compiled for another Python than \w+ 3\.\d+ on \S+: install ",
        ),
        (f"_core{SUFFIX}", "no program", r"\S+_core\S+ does not load with .*\(.+\): install "),
    ],
    ids=["source folder", "another Python", "another machine"],
)
def test_an_import_without_the_core_says_why_in_one_sentence(
    module: str | None, text: str, says: str, tmp_path: Path
) -> None:
    package = tmp_path / "caesura"
    package.mkdir()
    for name in ("__init__.py", "extension.py"):
        shutil.copy(ROOT / "src" / "caesura" / name, package)
    if module is not None:
        (package / module).write_text(text)
    call = [sys.executable, "-c", "import caesura"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(call, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert re.fullmatch(rf"ImportError: {says}.*\.", done.stderr.splitlines()[-1])
    assert "During handling" not in done.stderr


def test_free_threaded_python_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from caesura.extension import explain

    (tmp_path / "_core.abi3.so").touch()
    monkeypatch.setattr("caesura.extension.EXTENSION_SUFFIXES", [".cpython-313t-x86_64.so"])
    monkeypatch.setattr("caesura.extension.sysconfig.get_config_var", lambda _: 1)
    assert explain(str(tmp_path / "__init__.py"), ImportError("x")).endswith(
        "that is not free-threaded."
    )
