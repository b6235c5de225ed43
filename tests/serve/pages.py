"""What the tests of the page do with it, whatever they test."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

DONE = "/sentence/.test(status.textContent) && !/Parsing/.test(status.textContent)"


def opened(browser: Any, server: Any) -> None:
    """The page, loaded anew in the same tab."""
    browser.open(server.address)
    browser.until("document.querySelectorAll('#model option').length === 2")
    browser.run("window.status_ = document.getElementById('status')")


def remember(browser: Any, server: Any, what: str | None) -> None:
    """Put something where the page keeps its text, from an address that has no script."""
    browser.open(f"{server.address}/health")
    browser.run("sessionStorage.clear()")
    if what is not None:
        browser.run("sessionStorage.setItem('caesura', arguments[0])", what)


def wait_done(page: Any, seconds: float = 90) -> None:
    page.until(DONE.replace("status.", "window.status_."), seconds=seconds)


def cards(page: Any) -> list[str]:
    found = page.run(
        "return [...document.querySelectorAll('#results .card:not(.other) p[role=group]')].map("
        "p => [...p.querySelectorAll('.token')].map(t => t.textContent).join(' '))"
    )
    return list(found)


def download(page: Any, kind: str) -> Path:
    path = page.downloads / f"caesura.{kind}"
    path.unlink(missing_ok=True)
    page.click(f"[data-to={kind}]")
    for _ in range(400):
        if path.exists() and path.stat().st_size:
            return Path(path)
        time.sleep(0.05)
    raise AssertionError("nothing was downloaded")


def word(sentence: int, number: int, kind: str = ".word") -> str:
    """A selector for a word in a tree: `.word`, `.arc`; in an outline `.row`, `li`."""
    return f'#results .card:nth-child({sentence + 1}) .tree {kind}[data-word="{number}"]'


def names(page: Any, sentence: int) -> list[str]:
    """What the words of a tree are called."""
    found = page.run(
        "return [...document.querySelectorAll('#results .card')][arguments[0]] && "
        "[...[...document.querySelectorAll('#results .card')][arguments[0]]"
        ".querySelectorAll('.tree .word, .tree .row')].map((e) => e.getAttribute('aria-label'))",
        sentence,
    )
    return list(found)
