"""What is installed by which name: `pip install caesura-nlp`, `import caesura`, `caesura …`.

The plain name belongs to somebody else's package, so no page and no error may tell a user to
install it; and whatever extra they name must exist and bring the package that is missing.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura.errors import DISTRIBUTION, MissingExtra

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
TEXTS = sorted(
    file
    for pattern in (
        "*.md",
        "*.toml",
        "*.cff",
        ".ci/run",
        "docs/**/*.md",
        "docs/**/*.py",
        "src/**/*.py",
        "src/**/*.js",
        "src/**/*.html",
        "tests/**/*.py",
        "examples/*.ipynb",
        "benchmarks/**/*.py",
        "modelling/**/*.py",
        "research/**/*.py",
    )
    for file in ROOT.glob(pattern)
    if "_build" not in file.parts and ".venv" not in file.parts and file != Path(__file__)
)


def named(requirement: str) -> str:
    """The package that a requirement names."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return found.group().lower()


def packages_of(extra: str) -> set[str]:
    """The packages that an extra brings, those of the extras that it names included."""
    found: set[str] = set()
    for requirement in EXTRAS[extra]:
        own = re.match(rf"{DISTRIBUTION}\[([\w,-]+)\]", requirement)
        if own is None:
            found.add(named(requirement))
        for inner in own.group(1).split(",") if own else ():
            found |= packages_of(inner)
    return found


def test_the_distribution_has_a_name_of_its_own() -> None:
    assert PROJECT["name"] == DISTRIBUTION == "caesura-nlp"
    assert PROJECT["scripts"] == {"caesura": "caesura.cli:main"}


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_nobody_is_told_to_install_a_stranger(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"pip install [^`&\n]*\bcaesura(?![\w.-])", text)
    assert not re.search(r"(?<![\w.-])caesura\\?\[[a-z]", text)
    for extras in re.findall(rf"{DISTRIBUTION}\\?\[([a-z,-]+)\\?\]", text):
        assert set(extras.split(",")) <= EXTRAS.keys()


def asked_for() -> Iterator[tuple[str, str, str]]:
    """The packages and extras that errors name."""
    for file in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra":
                package, extra = node.args[:2]
                assert isinstance(extra, ast.Constant)
                if isinstance(package, ast.Constant):
                    yield file.name, package.value, extra.value


@pytest.mark.parametrize(("file", "package", "extra"), list(asked_for()))
def test_the_extra_that_an_error_names_brings_the_package(
    file: str, package: str, extra: str
) -> None:
    assert package in packages_of(extra)
    assert f'pip install "caesura-nlp[{extra}]"' in str(MissingExtra(package, extra, file))


def test_every_extra_for_users_is_in_all_or_too_large_for_it() -> None:
    apart = {"all", "docs", "fuzz", "neural-train", "ray", "test"}
    assert packages_of("all") == set().union(*map(packages_of, EXTRAS.keys() - apart))


def test_every_required_package_is_imported() -> None:
    source = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py"))
    for requirement in PROJECT["dependencies"]:
        name = named(requirement)
        assert re.search(rf"^\s*(import|from) {name}\b", source, re.MULTILINE), name
