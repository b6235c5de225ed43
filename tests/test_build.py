"""How the core is built: which compiler, which flags, and what an import without it says."""

from __future__ import annotations

import importlib
import importlib.machinery
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
#: Set it to 1 to run tests that build the core: minutes each, and 100 MB from the package index.
SLOW = "CAESURA_SLOW"


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


@pytest.fixture
def wheels(compilers: ModuleType) -> ModuleType:
    """`core/wheels.py`."""
    return importlib.import_module("wheels")


#: Files of a wheel that was built, without the module.
BUILT = {
    "caesura/__init__.py": b"",
    "caesura_nlp-0.1.0.dist-info/METADATA": b"Name: caesura-nlp\n",
    "caesura_nlp-0.1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n\n",
    "caesura_nlp-0.1.0.dist-info/RECORD": b"",
}


@pytest.mark.parametrize(
    ("platform", "tags", "head", "module", "tag"),
    [
        (
            "linux-aarch64",
            ("cp311", "cp311"),
            b"\x7fELF" + bytes(14) + b"\xb7\0",
            "_core.cpython-311-aarch64-linux-gnu.so",
            "cp311-cp311-manylinux_2_17_aarch64.manylinux2014_aarch64",
        ),
        (
            "macos-arm64",
            ("cp312", "abi3"),
            b"\xcf\xfa\xed\xfe\x0c\0\0\x01",
            "_core.abi3.so",
            "cp312-abi3-macosx_11_0_arm64",
        ),
    ],
)
def test_a_wheel_has_the_names_of_its_platform(
    wheels: ModuleType,
    platform: str,
    tags: tuple[str, str],
    head: bytes,
    module: str,
    tag: str,
    tmp_path: Path,
) -> None:
    files = {**BUILT, "caesura/_core.cpython-311-x86_64-linux-gnu.so": head + bytes(100)}
    wheel = wheels.write(files, tags, wheels.PLATFORMS[platform], tmp_path)
    assert wheel.name == f"caesura_nlp-0.1.0-{tag}.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        said = archive.read("caesura_nlp-0.1.0.dist-info/WHEEL").decode()
        record = archive.read("caesura_nlp-0.1.0.dist-info/RECORD").decode()
    assert [name for name in names if "_core" in name] == [f"caesura/{module}"]
    assert [line[5:] for line in said.splitlines() if line.startswith("Tag: ")] == [
        f"{'-'.join(tags)}-{one}" for one in tag.split("-")[-1].split(".")
    ]
    assert [line.partition(",")[0] for line in record.splitlines()] == names


@pytest.mark.parametrize(
    ("module", "says"),
    [
        (b"\x7fELF" + bytes(14) + b"\xb7\0", "not for x86_64 and Linux"),
        (b"MZ", "not for x86_64 and Linux"),
        (b"\x7fELF" + bytes(14) + b"\x3e\0\0GLIBC_2.4\0GLIBC_2.28\0", r"needs glibc \(2, 28\)"),
    ],
    ids=["another machine", "another system", "a newer library"],
)
def test_a_module_that_does_not_run_on_the_platform_is_refused(
    wheels: ModuleType, module: bytes, says: str
) -> None:
    with pytest.raises(SystemExit, match=says):
        wheels.check(module, wheels.PLATFORMS["linux-x86_64"])


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


@pytest.mark.skipif(os.environ.get(SLOW) != "1", reason=f"takes minutes; set {SLOW}=1")
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


@pytest.mark.skipif(os.environ.get(SLOW) != "1", reason=f"takes minutes; set {SLOW}=1")
def test_calls_from_threads_have_no_data_race() -> None:
    """Threads that share a model, under ThreadSanitizer."""
    call = [sys.executable, "-m", "benchmarks.hardening.sanitize", "--threads"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_type_stubs_are_fresh() -> None:
    pytest.importorskip("nanobind")
    call = [sys.executable, "core/stubs.py", "--check"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_file_is_compiled_with_inexact_arithmetic() -> None:
    """Results must not depend on the compiler: no contraction, no reordering, no native code."""
    databases = [ROOT / "build" / name for name in ("compile_commands.json", "dev")]
    databases = [path / "compile_commands.json" if path.is_dir() else path for path in databases]
    (database, *_) = [path for path in databases if path.exists()] or [None]
    if database is None:
        pytest.skip("the core was not compiled in this checkout")
    entries = json.loads(database.read_text(encoding="utf-8"))
    core = [entry for entry in entries if f"{os.sep}core{os.sep}" in entry["file"]]
    assert len(core) >= len(list((ROOT / "core").glob("*/*.cpp"))) // 2
    for entry in core:
        flags = entry["command"].split()
        assert {"-ffp-contract=off", "-fno-fast-math"} <= set(flags) or "/fp:precise" in flags
        wrong = r"-(Ofast|ffast-math|funsafe-.*|fassociative-.*|ffp-contract=(on|fast)|m.*=native)"
        assert not [flag for flag in flags if re.fullmatch(wrong, flag)], entry["file"]


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
    for name in ("__init__.py", "extension.py", "lazy.py"):
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
