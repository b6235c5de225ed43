"""The documentation builds without a warning, its code runs, and what is generated is fresh."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from docs._build_tools.docstrings import convert

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted({ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")})
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def with_code() -> list[Path]:
    pages = [page for page in PAGES if "_build" not in page.parts]
    return [page for page in pages if FENCE.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", with_code(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_on_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All blocks of a page, one after the other, beside a copy of `examples/`."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in FENCE.finditer(text):
        line = text[: block.start(1)].count("\n")
        code = "\n" * line + block.group(1)
        exec(compile(code, str(page), "exec"), names)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed")
    pytest.importorskip("myst_parser", reason="MyST is not installed")
    pytest.importorskip("furo", reason="furo is not installed")
    source = tmp_path / "docs"
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("_build", "api"))
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", source, tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "site" / "index.html").exists()


def test_the_command_reference_is_fresh() -> None:
    """In a Python of its own: a click command remembers how its help was first asked for."""
    call = [sys.executable, "-m", "docs._build_tools.commands", "--check"]
    result = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_command_is_documented() -> None:
    import click

    from caesura.cli import cli

    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    for name in cli.list_commands(click.Context(cli)):
        assert f"\n### caesura {name}\n" in text


def test_docstrings_become_what_sphinx_expects() -> None:
    assert convert(["Fold a `word` of *any* x_y."]) == [r"Fold a \ ``word``\  of \*any\* x\_y.", ""]
    assert convert(["- one", "  more", "- two"]) == ["- one more", "- two", ""]
    assert convert(["Look:", "", "    a | b"])[:4] == ["Look:", "", "::", ""]
    assert convert([">>> 1 + 1", "2"]) == [">>> 1 + 1", "2", ""]


def _command(file: Path, after: str) -> str:
    text = file.read_text(encoding="utf-8")
    found = re.search(r"```console\n(.*?)\n```", text[text.index(after) :], re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_readme_has_two_commands_to_set_up() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.count("python3 -m venv") == 2
    assert "\n" not in _command(ROOT / "README.md", "## Try it")
    example = re.search(r"examples/\S+", _command(ROOT / "README.md", "## Try it"))
    assert example is not None
    assert (ROOT / example.group()).exists()


def test_the_continuous_integration_runs_the_second_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = _command(ROOT / "README.md", "## Test it")
    assert f"\ncommand='{command}'\n" in script


def test_the_front_page_has_the_commands_of_the_readme() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for section in ("## Try it", "## Test it"):
        assert _command(ROOT / "README.md", section) in index
