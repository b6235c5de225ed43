"""The page for everybody: the keyboard alone, names for screen readers, and what axe-core finds.

axe-core is no part of this repository: `CAESURA_AXE` names its `axe.min.js`, which `.ci/run` gets.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caesura.formats import read
from tests.serve.pages import cards, names, wait_done, word

TEXT = "One two three four. Five six seven."
DRAWN = "document.querySelectorAll('#results .card:not(.stale) .tree > *').length"
#: Desktop, phone, dark; and a phone in the dark.
SIZES = {
    "desktop": (1200, 900, False), "phone": (390, 844, False),
    "dark": (1200, 900, True), "dark phone": (390, 844, True),
}  # fmt: skip


@pytest.fixture(scope="module")
def axe() -> str:
    path = os.environ.get("CAESURA_AXE")
    if not path or not Path(path).is_file():
        pytest.skip("CAESURA_AXE does not name axe.min.js (npm install axe-core)")
    return Path(path).read_text(encoding="utf-8")


@pytest.fixture(params=SIZES)
def shown(page: Any, request: pytest.FixtureRequest) -> Any:
    """The page at each size and in each scheme, with a text parsed."""
    width, height, dark = SIZES[request.param]
    page.size(width, height)
    page.dark(dark)
    return page


def begin(page: Any, text: str = TEXT, sentences: int = 2) -> None:
    page.fill("#text", text)
    page.until(f"document.querySelectorAll('.card').length === {sentences}")
    wait_done(page)
    page.until(f"{DRAWN} === {sentences}")


def violations(page: Any, axe: str) -> list[str]:
    """What axe-core finds on the page as it is now."""
    page.run(f"if (!window.axe) {{ {axe} }}")
    # What fades in is not measured on its way.
    page.until("document.getAnimations().every((a) => a.playState === 'finished')")
    found = page.run(
        "return axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map("
        "(v) => v.id + ': ' + v.nodes.map((n) => n.target + ' ' + n.failureSummary).join(' | ')))"
    )
    return list(found)


def test_axe_finds_nothing_while_one_parses_and_edits(shown: Any, axe: str) -> None:
    assert violations(shown, axe) == [], "an empty page"
    begin(shown)
    assert violations(shown, axe) == [], "trees"
    shown.run("document.getElementById('pattern').focus()")
    shown.write("[form=/t.*/]")
    shown.press("Enter")
    shown.until("document.querySelectorAll('.token.found').length === 2", seconds=240)
    assert violations(shown, axe) == [], "matches"
    shown.run("document.querySelector('.tree .word, .tree .row').focus()")
    shown.press("Right")
    shown.press("Enter")
    shown.until("document.getElementById('editor').open")
    shown.run("document.querySelector('#editor details').open = true")
    assert violations(shown, axe) == [], "the dialog"
    shown.press("Tab")
    shown.press("Tab")
    shown.write("two words")
    shown.press("Enter")
    shown.until("!document.getElementById('editor-error').hidden")
    assert violations(shown, axe) == [], "a refusal in the dialog"
    shown.press("Escape")
    shown.run("document.querySelector('#tools details').open = true")
    assert violations(shown, axe) == [], "the help"
    shown.fill("#text", "x " * 600_000)
    shown.until("!document.getElementById('error').hidden")
    assert violations(shown, axe) == [], "an error"


def test_axe_finds_nothing_where_models_are_compared(shown: Any, axe: str) -> None:
    begin(shown)
    shown.run(
        "const other = document.getElementById('other'); other.value = 'other';"
        "other.dispatchEvent(new Event('change'))"
    )
    shown.until("document.querySelectorAll('.card.other').length > 0")
    wait_done(shown)
    shown.until(f"{DRAWN} > 1")
    if shown.run("return innerWidth < 500"):
        # The labels differ, and nothing else does: all words but the roots are marked.
        marked = "document.querySelectorAll('.card:first-child .row.differs').length"
        assert shown.run(f"return {marked}") == 4
    assert violations(shown, axe) == []


def test_axe_finds_nothing_in_rows_of_parts_and_of_open_heads(page: Any, axe: str) -> None:
    """What rows show is in their names, also of a part of a token and where no head is known."""
    parts = {
        "tokens": [{"text": "zum", "words": 2}, {"text": "Haus"}],
        "words": [
            {"form": "zu", "upos": "ADP", "head": 3, "deprel": "case"},
            {"form": "dem", "upos": "DET", "deprel": "det"},
            {"form": "Haus", "upos": "NOUN", "head": 0, "deprel": "root"},
        ],
    }
    page.run(
        "return import('/static/outline.js').then((m) => document.querySelector('main').append("
        "m.outline(arguments[0], {name: 'Rows', still: true})))",
        parts,
    )
    shown = page.run("return [...document.querySelectorAll('.row')].map((row) => row.innerText)")
    assert [" ".join(row.split()) for row in shown] == [
        "zu ADP case (zum)", "dem DET det", "Haus NOUN root",
    ]  # fmt: skip
    assert violations(page, axe) == []


def test_axe_finds_nothing_in_an_evaluation(shown: Any, axe: str) -> None:
    gold = (Path(__file__).parents[2] / "examples" / "harbour.conllu").read_text(encoding="utf-8")
    shown.click("#tab-evaluate")
    for name in ("gold", "system"):
        shown.run("document.getElementById(arguments[0]).value = arguments[1]", name, gold)
    shown.click("#evaluate-form .first")
    shown.until("document.querySelectorAll('#scores tbody tr').length > 5", seconds=240)
    assert violations(shown, axe) == []


# ------------------------------------------------------------ keyboard alone


def tab_to(page: Any, condition: str, most: int = 60) -> None:
    """Press Tab until the focus is where it is wanted."""
    for _ in range(most):
        if page.run(f"const e = document.activeElement; return Boolean({condition});"):
            return
        page.press("Tab")
    raise AssertionError(f"Tab never leads to {condition}")


def until_downloaded(page: Any, name: str) -> Path:
    path = page.downloads / name
    for _ in range(400):
        if path.exists() and path.stat().st_size:
            return Path(path)
        time.sleep(0.05)
    raise AssertionError("nothing was downloaded")


@pytest.mark.parametrize("width", [1200, 390])
def test_five_tasks_with_the_keyboard_alone(page: Any, width: int) -> None:
    """Parse, fix a boundary, fix a head, search, download: no mouse, no script but for looking."""
    page.size(width, 844)
    focused: Callable[[], str] = lambda: page.run(  # noqa: E731
        "return document.activeElement.getAttribute('aria-label')"
    )
    # Parse.
    tab_to(page, "e.id === 'text'")
    page.write("One two three four five six.")
    page.press("Control", "Enter")
    page.until("document.querySelectorAll('.card').length === 1")
    wait_done(page)
    page.until(f"{DRAWN} === 1")
    # Fix a boundary.
    tab_to(page, "e.matches('.token')")
    for _ in range(4):
        page.press("Right")
    assert focused() == "five, X, dep of four"
    page.press("Enter")
    page.until("document.querySelectorAll('.card').length === 2")
    wait_done(page)
    assert cards(page) == ["One two three four", "five six ."]
    page.until(f"{DRAWN} === 2")
    page.press("Up")
    assert focused() == "One, X, root"
    # Fix a head: into the tree, to the word, its head by the first letters of the choice.
    page.press("Tab")
    assert page.run("return document.activeElement.matches('.tree .word, .tree .row')")
    page.press("End")
    assert focused() == "four, X, dep of three"
    # Up leads to the head in a picture; in an outline that is the way back.
    page.press("Up" if width == 1200 else "Left")
    assert focused() == "three, X, dep of two"
    page.press("End")
    page.press("Enter")
    page.until("document.getElementById('editor').open")
    tab_to(page, "e.id === 'edit-head'")
    page.write("1 O")
    page.press("Enter")
    if page.run("return document.getElementById('editor').open"):
        tab_to(page, "e.matches('#editor .first')")
        page.press("Enter")
    page.until("document.activeElement.getAttribute('aria-label') === arguments[0]",
               "four, X, dep of One, fixed by you")  # fmt: skip
    # Search.
    tab_to(page, "e.id === 'pattern'")
    page.write("[form=One] >dep []=d")
    page.press("Enter")
    page.until(
        "/^2 matches in 1 sentence.*d = two/.test(document.getElementById('found').textContent)",
        seconds=240,
    )
    page.press("Enter")
    page.until("/d = four/.test(document.getElementById('found').textContent)")
    # Download.
    file = page.downloads / "caesura.conllu"
    file.unlink(missing_ok=True)
    tab_to(page, "e.dataset.to === 'conllu'")
    page.press("Space")
    [doc] = list(read(until_downloaded(page, file.name), "conllu"))
    assert doc.head.tolist() == [-1, 0, 1, 0, -1, 4, 5]


def test_arrow_keys_walk_the_tree(page: Any) -> None:
    page.fill("#text", TEXT)
    page.until(f"{DRAWN} === 2")
    at = "document.activeElement.getAttribute('aria-label')"
    page.run("document.querySelector(arguments[0]).focus()", word(0, 0))
    for key, name in (
        ("Right", "two, X, dep of One"), ("End", "., PUNCT, dep of four"),
        ("Up", "four, X, dep of three"), ("Up", "three, X, dep of two"),
        ("Down", "four, X, dep of three"), ("Left", "three, X, dep of two"),
        ("Home", "One, X, root"), ("Up", "One, X, root"),
    ):  # fmt: skip
        page.press(key)
        assert page.run(f"return {at}") == name, key
    # One word of each tree is in the order of Tab: the one that had the focus last.
    page.press("Right")
    stops = "[...document.querySelectorAll('.card:first-child .word')].map((e) => e.tabIndex)"
    assert page.run(f"return {stops}") == [-1, 0, -1, -1, -1]
    page.size(390, 844)
    page.until("document.querySelectorAll('.outline').length === 2")
    page.run("document.querySelector(arguments[0]).focus()", word(0, 1, ".row"))
    for key, name in (
        ("Down", "three, X, dep of two"), ("Left", "two, X, dep of One"),
        ("Right", "three, X, dep of two"), ("Up", "two, X, dep of One"),
    ):  # fmt: skip
        page.press(key)
        assert page.run(f"return {at}") == name, key


def test_an_outline_runs_from_the_right_where_the_text_does(page: Any) -> None:
    page.size(390, 844)
    begin(page, "هذا بيت كبير", 1)
    assert page.run("return document.querySelector('.outline').dir") == "rtl"
    assert names(page, 0)[1] == "بيت, X, dep of هذا"
    left = page.run(
        "const [form, grip] = ['.row .form', '.grip'].map((s) => "
        "document.querySelector(s).getBoundingClientRect().x); return form > grip"
    )
    assert left
    assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    # Arrow keys go the way they point.
    page.size(1200, 900)
    page.until("document.querySelector('.tree > svg.rtl')")
    page.run("document.querySelector('.tree .word').focus()")
    page.press("Left")
    assert page.run("return document.activeElement.getAttribute('aria-label')") == names(page, 0)[1]
