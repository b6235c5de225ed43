"""Pages of the API reference, made when the site is built: one for each public module."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import caesura

#: Modules outside the public interface.
HIDDEN = {"cli", "__main__"}


def public_modules() -> list[str]:
    """The public modules and folders of the package."""
    found = (module.name for module in pkgutil.iter_modules(caesura.__path__))
    return sorted(name for name in found if name not in HIDDEN and not name.startswith("_"))


def write_api(folder: Path) -> None:
    """Write the page of each module into `api/`, and remove pages of modules that are gone."""
    target = folder / "api"
    target.mkdir(exist_ok=True)
    wanted = {f"{name}.md": _page(name) for name in public_modules()}
    for file in target.glob("*.md"):
        if file.name not in wanted:
            file.unlink()
    for name, text in wanted.items():
        file = target / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def _page(name: str) -> str:
    # The parts of a document's base classes belong on its page.
    whole = "   :inherited-members: object\n" if name == "document" else ""
    return f"# caesura.{name}\n\n```{{eval-rst}}\n.. automodule:: caesura.{name}\n{whole}```\n"
