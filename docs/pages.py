"""Pages made from the code when the site is built: one of the public functions of each room."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import caesura

#: Modules that are no part of the public interface.
HIDDEN = {"cli", "__main__"}


def rooms() -> list[str]:
    """The public modules and folders of the package."""
    found = (module.name for module in pkgutil.iter_modules(caesura.__path__))
    return sorted(name for name in found if name not in HIDDEN and not name.startswith("_"))


def write_api(folder: Path) -> None:
    """Write the page of each room into `api/`, and remove pages of rooms that are gone."""
    target = folder / "api"
    target.mkdir(exist_ok=True)
    wanted = {f"{room}.md": _page(room) for room in rooms()}
    for file in target.glob("*.md"):
        if file.name not in wanted:
            file.unlink()
    for name, text in wanted.items():
        file = target / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def _page(room: str) -> str:
    # A document is put together of classes whose parts belong on its page.
    whole = "   :inherited-members: object\n" if room == "document" else ""
    return f"# caesura.{room}\n\n```{{eval-rst}}\n.. automodule:: caesura.{room}\n{whole}```\n"
