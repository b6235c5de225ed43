"""The search box of the page: matches marked in sentences and trees, gone through, found again."""

from __future__ import annotations

from typing import Any

from tests.serve.pages import wait_done, word

TEXT = "One two three four. Five six seven."
DRAWN = "document.querySelectorAll('#results .card:not(.stale) .tree > *').length"


def begin(page: Any, text: str = TEXT, sentences: int = 2) -> None:
    page.fill("#text", text)
    page.until(f"document.querySelectorAll('.card').length === {sentences}")
    wait_done(page)
    page.until(f"{DRAWN} === {sentences}")


def search(page: Any, pattern: str, said: str) -> None:
    """Put a pattern into the box; `said` is the beginning of the answer."""
    page.run("const box = document.getElementById('pattern'); box.value = ''; box.focus()")
    page.write(pattern)
    page.press("Enter")
    # The first search compiles its kernels.
    page.until(
        "document.getElementById('found').textContent.startsWith(arguments[0])", said, seconds=240
    )


def marked(page: Any, kind: str = "found") -> list[str]:
    """The words that are marked, in the lines of words."""
    found = page.run(
        f"return [...document.querySelectorAll('.token.{kind}')].map((e) => e.textContent)"
    )
    return list(found)


def test_search_and_go_from_match_to_match(page: Any) -> None:
    begin(page)
    search(page, "[form=/t.*/]=x", "2 matches in 1 sentence; this is 1, in sentence 1: x = two")
    assert marked(page) == ["two", "three"]
    assert marked(page, "current") == ["two"]
    trees = "[...document.querySelectorAll('.tree .word.found')].map((e) => e.dataset.word)"
    assert page.run(f"return {trees}") == ["1", "2"]
    # Two matches, of one word each: the arc between them belongs to neither.
    assert page.run("return document.querySelectorAll('.arc.found').length") == 0
    page.press("Enter")
    page.until("/this is 2.*x = three/.test(document.getElementById('found').textContent)")
    assert marked(page, "current") == ["three"]
    page.click("#find-next")
    page.until("/this is 1/.test(document.getElementById('found').textContent)")
    page.click("#find-back")
    page.until("/this is 2/.test(document.getElementById('found').textContent)")
    search(page, "[form=two]=a >dep []=b", "1 match in 1 sentence")
    assert page.run("return document.querySelectorAll('.arc.found').length") == 1
    assert page.run("return document.getElementById('find-next').hidden")
    search(page, "[form=nothing]", "No match.")
    assert marked(page) == []


def test_what_was_found_is_found_again_after_a_change(page: Any) -> None:
    begin(page)
    search(page, "[form=One] > []=d", "1 match in 1 sentence; this is 1, in sentence 1: d = two")
    page.drag(f"{word(0, 3, '.arc')} .label", f"{word(0, 0)} .form")
    page.until("document.getElementById('found').textContent.startsWith('2 matches')")
    assert marked(page) == ["One", "two", "four"]
    page.press("Control", "z")
    page.until("document.getElementById('found').textContent.startsWith('1 match ')")
    # An outline has the marks as well.
    page.size(390, 844)
    page.until("document.querySelectorAll('.outline .found').length === 2")
    page.run("document.getElementById('pattern').focus()")
    page.press("Escape")
    page.until("document.getElementById('found').textContent === ''")
    assert marked(page) == []


def test_a_pattern_that_is_none_is_told(page: Any) -> None:
    begin(page)
    page.run("document.getElementById('pattern').focus()")
    page.write("[upos=NOUN <img src=x>")
    page.press("Enter")
    shown = "document.getElementById('find-error')"
    said = page.until(f"!{shown}.hidden && {shown}.textContent")
    assert said
    assert page.run("return document.querySelectorAll('main img').length") == 0
    assert page.run(f"return {shown}.getAttribute('role')") == "alert"
    search(page, "[upos=PUNCT]", "2 matches")
    assert page.run(f"return {shown}.hidden")


def test_a_hostile_name_is_text(page: Any) -> None:
    begin(page, "<b>one</b> two.", 1)
    search(page, "[form=one]=x", "1 match in 1 sentence; this is 1, in sentence 1: x = one")
    search(page, '[form="<"]=y', "2 matches")
    assert page.run("return document.querySelectorAll('#found *').length") == 0
