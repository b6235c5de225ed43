"""The layers of the package: imports go down only, and `import caesura` stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

import caesura

PACKAGE = Path(caesura.__file__).parent

#: The modules and packages of each layer, the lowest first. Each may import those of lower layers,
#: and itself. What networks and grammars share with the other learners is a layer: see `SHARED`.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("extension", "lazy", "markup"),
    ("errors", "paths"),
    ("options",),
    ("durable",),
    ("document",),
    ("layout", "turns"),
    ("constraints",),
    ("models", "formats", "transform", "render"),
    ("guidelines",),
    ("find", "inspect", "stage"),
    ("cluster", "language"),
    ("stages",),
    ("learn.shared",),
    ("induce", "evaluate"),
    ("pipeline",),
    ("learn",),
    ("tokenize", "tag", "parse"),
    ("serve", "spacy", "engines"),
    ("cli",),
    ("__main__",),
)
#: Modules of `learn` that are used below it.
SHARED = ("fingerprint", "folds", "loop", "tuning", "weights")
LAYER = {name: number for number, layer in enumerate(LAYERS) for name in layer}
#: Imports of a higher layer: a document that is displayed, converted or searched imports the
#: package that does it inside the method.
EXCEPTIONS = {("document", "render"), ("document", "formats"), ("document", "find")}
#: PyTorch, which only `learn.network` imports, runs a network on a GPU: imported when requested.
ON_GPU = "caesura.learn.network.torch_engine"


def parts_of_package() -> list[str]:
    """The modules and packages of which the layers consist."""
    found = [p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()]
    return sorted(name for name in found if name != "__init__")


def imports(file: Path) -> set[str]:
    """What a file imports, inside functions too, for running and not just for types."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            module = node.module or ""
            names = [module]
            if module == "caesura":
                names = [f"caesura.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if name == ON_GPU and "stages" in file.parts:
                continue
            if parts[0] == "caesura" and len(parts) > 1 and parts[1] in known:
                found.add(part(parts[1:]))
        for child in ast.iter_child_nodes(node):
            visit(child)

    known = set(parts_of_package())
    visit(ast.parse(file.read_text(encoding="utf-8")))
    return found


def part(parts: Sequence[str]) -> str:
    """The name of a module in `LAYERS`: its folder, or the shared part of `learn`."""
    if parts[0] != "learn" or len(parts) < 2:
        return parts[0]
    return f"learn{'.shared' * (parts[1] in SHARED)}"


def files(name: str) -> list[Path]:
    folder = PACKAGE / name
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


def test_everything_has_a_layer() -> None:
    assert set(parts_of_package()) <= set(LAYER), "add new modules and packages to a layer above"


@pytest.mark.parametrize("name", parts_of_package())
def test_imports_go_downwards(name: str) -> None:
    for file in files(name):
        own = part((name, file.stem))
        for other in imports(file) - {own}:
            allowed = LAYER[other] < LAYER[own] or (name, other) in EXCEPTIONS
            assert allowed, f"{file.relative_to(PACKAGE)} imports {other}, which is not below it"


def loads(file: Path, known: dict[str, Path]) -> set[str]:
    """The modules of its package that a file imports when it is loaded."""
    found: set[str] = set()
    wait: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while wait:
        node = wait.pop()
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if inside or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(names)
            if names - known.keys():
                found.add(node.module)
        wait += ast.iter_child_nodes(node)
    return found & known.keys()


@pytest.mark.parametrize("name", [p for p in parts_of_package() if (PACKAGE / p).is_dir()])
def test_modules_of_a_package_load_without_cycles(name: str) -> None:
    known = {
        ".".join(("caesura", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): file
        for file in files(name)
    }
    below = {name: loads(file, known) for name, file in known.items()}
    while ready := {name for name, wanted in below.items() if not wanted}:
        below = {name: wanted - ready for name, wanted in below.items() if name not in ready}
    assert not below, f"these modules import each other: {', '.join(sorted(below))}"


HEAVY = {
    "scipy",
    "rich",
    "zstandard",
    "matplotlib",
    "networkx",
    "pandas",
    "pyarrow",
    "spacy",
    "starlette",
    "uvicorn",
    "torch",
    "ray",
    "click",
}


def loaded(code: str) -> set[str]:
    """The heavy packages that some code loads in a fresh Python."""
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in result.stdout.split()} & HEAVY


def test_import_caesura_is_light() -> None:
    assert loaded("import caesura") == set()


def test_documents_and_formats_are_light() -> None:
    code = "import caesura.formats, caesura.transform, caesura.inspect, caesura.render"
    assert loaded(code + "; caesura.Document()") == set()


def test_parsing_a_text_loads_what_it_needs() -> None:
    spare = {"numpy.ma", "concurrent.futures", "difflib", "logging", "caesura.formats.asr"}
    code = "import sys, caesura; caesura.load('en-fast')('They came.')"
    subprocess.run(
        [sys.executable, "-c", f"{code}; assert not {spare} & {{*sys.modules}}"], check=True
    )


#: Modules of ours that `caesura parse` may load.
MODULES: Final = 90


def test_parsing_loads_few_modules_and_no_learner(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("It rains. He went home.\n", encoding="utf-8")
    code = """
import sys
from caesura.cli import run
assert run(["parse", "-q", "-m", "en-fast", "text.txt", "-o", "parsed.conllu"]) == 0
print(*(name for name in sys.modules if name.partition(".")[0] == "caesura"))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    names = [name for name in result.stdout.split() if not name.startswith("caesura._core")]
    others = {"cluster", "evaluate", "find", "induce", "inspect", "learn", "serve", "transform"}
    assert not [name for name in names if others & {*name.split(".")}]
    assert len(names) <= MODULES, names


#: Packages that come with an extra, and modules that cannot be loaded without one.
EXTRAS = {
    "matplotlib",
    "networkx",
    "pandas",
    "pyarrow",
    "ray",
    "rich",
    "spacy",
    "torch",
    "uvicorn",
    "zstandard",
    "caesura.learn.network.net",
    "caesura.learn.network.torch_engine",
    "caesura.learn.network.trainer",
    "caesura.serve.app",
    "caesura.serve.connections",
}
#: Other imports inside functions, by file and what is imported, each with its reason.
INSIDE = {
    ("document/document.py", "caesura.render"): "looks up, when a document is shown",
    ("document/document.py", "caesura.formats"): "looks up, when a document is written",
    ("document/document.py", "caesura.find"): "looks up, when a document is searched",
    ("document/views.py", "caesura.render"): "looks up, when a sentence is shown",
    ("paths.py", "ctypes"): "light start: only workers of a server need it",
    ("paths.py", "platformdirs"): "light start: no path is asked for where a folder is named",
    ("models/store.py", "importlib.metadata"): "light start: only models of packages need it",
    ("models/store.py", "http.client"): "light start: only downloads need it",
    ("models/store.py", "urllib.request"): "light start: only downloads need it",
    ("models/file.py", "safetensors.numpy"): "light start: only writing needs it",
    ("stages/token_knowledge.py", "regex"): "light start: compiling patterns takes long",
    ("document/characters.py", "regex"): "light start: compiling patterns takes long",
    ("stages/rules_tokenizer.py", "regex"): "light start: compiling patterns takes long",
    ("cli", "msgspec"): "light start: only JSON needs it",
    ("cli", "difflib"): "light start: only a wrong command needs it",
    ("stages/lemmas.py", "difflib"): "light start: only training needs it",
    ("pipeline", "concurrent.futures"): "light start: only threads need it",
    ("stages/tree_parser.py", "concurrent.futures"): "light start: only threads need it",
    ("pipeline/loading.py", "caesura.find"): "light start: only chunks need it",
    ("pipeline/run.py", "caesura.pipeline.ray"): "light start: only clusters need it",
    ("formats/__init__.py", "caesura.formats"): "light start: only segments of other tools need it",
    ("cli", "caesura"): "light start: a command loads what it runs, not what its help says",
    ("__init__.py", "caesura"): "light start: names are loaded when they are first used",
    ("__init__.py", "importlib"): "light start: names are loaded when they are first used",
    ("__init__.py", "numpy"): "light start: names are loaded when they are first used",
}


def imports_inside(file: Path) -> list[tuple[int, str]]:
    """The modules that functions of a file import, with their lines."""
    found: list[tuple[int, str]] = []

    def visit(node: ast.AST, inside: bool) -> None:
        if inside and isinstance(node, ast.Import):
            found.extend((node.lineno, alias.name) for alias in node.names)
        elif inside and isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.module or ""))
        inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(file.read_text(encoding="utf-8")), False)
    return found


def may_be_inside(place: str, module: str) -> bool:
    """Whether a file may import a module inside a function: see `EXTRAS` and `INSIDE`."""
    names = module.split(".")
    begins = {".".join(names[:n]) for n in range(1, len(names) + 1)}
    if begins & EXTRAS:
        return True
    if begins & {"caesura.cli", "caesura.errors"}:
        return False
    places = {place, place.split("/")[0], place.split("/")[-1]}
    return any((place, name) in INSIDE for place in places for name in begins)


def test_imports_are_at_the_top_of_their_files() -> None:
    """But for optional extras, and where a light start or the map needs them inside functions."""
    wrong = [
        f"{place}:{line}: {module}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if (place := file.relative_to(PACKAGE).as_posix())
        for line, module in imports_inside(file)
        if not may_be_inside(place, module)
    ]
    assert not wrong, wrong


def test_public_names_are_found_and_sorted() -> None:
    assert caesura.__all__ == sorted(caesura.__all__, key=_order)
    for name in caesura.__all__:
        assert getattr(caesura, name) is not None
        assert name in dir(caesura)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = caesura.nothing


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, as ruff sorts them."""
    kind = 0 if name.isupper() else (1 if name[0].isupper() else 2)
    return kind, name


def test_the_package_imports_nothing_that_is_not_in_the_wheel() -> None:
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                assert name.split(".")[0] not in ("research", "benchmarks", "modelling", "tests"), (
                    file
                )


def test_only_constraints_tell_what_is_fixed() -> None:
    """Stages ask `Constraints` instead of `Document.fixed`, which others only set or hand on."""
    for file in PACKAGE.rglob("*.py"):
        place = file.relative_to(PACKAGE)
        if place.as_posix() == "constraints.py" or place.parts[0] == "document":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for side in node.comparators if isinstance(node, ast.Compare) else []:
                asked = isinstance(side, ast.Attribute) and side.attr == "fixed"
                assert not asked, f"{place}:{node.lineno} asks for what is fixed"


def test_only_one_module_knows_about_platforms() -> None:
    for file in PACKAGE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if file.name == "paths.py":
            continue
        assert "sys.platform" not in text, file
        assert "import resource" not in text, file
