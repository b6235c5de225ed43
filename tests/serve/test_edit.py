"""Editing trees on the page: by mouse, finger and keyboard, undone, refused, kept, linked.

The pipeline behind it hangs every word on the one before as far as what is fixed lets it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from caesura.document import Document
from caesura.formats import read
from tests.serve.pages import cards, download, names, opened, remember, wait_done, word

TEXT = "One two three four. Five six seven."
DRAWN = "document.querySelectorAll('#results .card:not(.stale) .tree > *').length"


def begin(page: Any, text: str = TEXT, sentences: int = 2) -> None:
    page.fill("#text", text)
    page.until(f"document.querySelectorAll('.card').length === {sentences}")
    wait_done(page)
    page.until(f"{DRAWN} === {sentences}")


def settled(page: Any, *said: str) -> None:
    """Wait until words of trees have these names."""
    for name in said:
        page.until(
            "[...document.querySelectorAll('.card:not(.stale) .word, .card:not(.stale) .row')]"
            ".some((e) => e.getAttribute('aria-label') === arguments[0])",
            name,
        )


def refused(page: Any, *parts: str, at: str = "error") -> None:
    """Wait until the page says no, in a sentence with these parts."""
    shown = f"document.getElementById('{at}')"
    said = page.until(f"!{shown}.hidden && {shown}.textContent")
    assert page.run(f"return {shown}.getAttribute('role')") == "alert"
    for part in parts:
        assert part in said


def downloaded(page: Any) -> Document:
    [doc] = list(read(download(page, "conllu"), "conllu"))
    return doc


def test_names_say_the_tree(page: Any) -> None:
    begin(page)
    assert names(page, 0) == [
        "One, X, root", "two, X, dep of One", "three, X, dep of two", "four, X, dep of three",
        "., PUNCT, dep of four",
    ]  # fmt: skip
    # In the line of words as well, which has its keys in its description.
    line = page.run(
        "return [...document.querySelectorAll('.card:first-child .token')]"
        ".map((e) => [e.getAttribute('aria-label'), document.getElementById("
        "e.getAttribute('aria-describedby')).textContent])"
    )
    assert line[1] == ["two, X, dep of One", "Enter starts a sentence here"]
    assert line[0][1] == "Backspace joins the sentence to the one before"


def test_drag_an_arc_to_another_head(page: Any) -> None:
    begin(page)
    page.drag(f"{word(0, 3, '.arc')} .label", f"{word(0, 0)} .form")
    settled(page, "four, X, dep of One, fixed by you")
    # The rest is as the parser has it under what is fixed; the other sentence is left alone.
    assert names(page, 0)[2] == "three, X, dep of two"
    assert names(page, 0)[4] == "., PUNCT, dep of four"
    assert names(page, 1)[1] == "six, X, dep of Five"
    assert page.run(f"return document.querySelector(`{word(0, 3, '.arc')}`).matches('.fixed')")
    doc = downloaded(page)
    assert doc.head.tolist()[:5] == [-1, 0, 1, 0, 3]


def test_drag_a_word_to_the_mark_for_the_root(page: Any) -> None:
    begin(page)
    # The mark appears above the tree while something is dragged.
    start = page.run(
        f"const box = document.querySelector(`{word(0, 2)} .form`).getBoundingClientRect();"
        "return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]"
    )
    top = page.run(
        "const box = document.querySelector('.tree').getBoundingClientRect();"
        "return [Math.round(box.x) + 20, Math.round(box.y) + 10]"
    )
    page.drag_from(start, top)
    settled(page, "three, X, root, fixed by you", "One, X, dep of three")
    assert not page.run("return document.querySelector('.drop, .dragging, .held, .target')")


def test_a_click_is_no_drag_and_a_drag_to_nowhere_changes_nothing(page: Any) -> None:
    begin(page)
    before = names(page, 0)
    page.drag(f"{word(0, 3, '.arc')} .label", "h1")
    assert names(page, 0) == before
    assert not page.run("return document.getElementById('editor').open")
    page.click(f"{word(0, 3, '.arc')} .label")
    assert page.run("return document.getElementById('editor').open")
    assert page.run("return document.getElementById('editor-title').textContent") == "four"


def test_on_a_phone_rows_are_dragged_with_a_finger(page: Any) -> None:
    page.size(390, 844)
    begin(page)
    assert not page.run("return document.querySelector('.tree > svg')")
    page.drag(".card:first-child .grip[data-word='3']", word(0, 0, "li"), kind="touch")
    settled(page, "four, X, dep of One, fixed by you")
    # Wide again, the same tree has arcs.
    page.size(1200, 900)
    page.until("document.querySelectorAll('.tree > svg').length === 2")
    assert names(page, 0)[3] == "four, X, dep of One, fixed by you"


def test_undo_and_redo(page: Any) -> None:
    begin(page)
    first = names(page, 0)
    assert page.run("return document.getElementById('undo').disabled")
    page.drag(f"{word(0, 3, '.arc')} .label", f"{word(0, 0)} .form")
    settled(page, "four, X, dep of One, fixed by you")
    page.click(".card:first-child .gap[data-gap='1']")
    page.until("document.querySelectorAll('.card').length === 2")
    refused(page, "No sentence can start here", "“four”", "“One”")
    page.click(".card:nth-child(2) .gap[data-gap='2']")
    page.until("document.querySelectorAll('.card').length === 3")
    wait_done(page)
    page.press("Control", "z")
    page.until("document.querySelectorAll('.card').length === 2")
    page.press("Control", "z")
    settled(page, "four, X, dep of three")
    assert names(page, 0) == first
    assert page.run("return document.getElementById('forget').hidden")
    page.press("Control", "Shift", "z")
    settled(page, "four, X, dep of One, fixed by you")
    page.click("#redo")
    page.until("document.querySelectorAll('.card').length === 3")
    assert page.run("return document.getElementById('redo').disabled")
    # To forget everything can be undone, too.
    page.click("#forget")
    settled(page, "four, X, dep of three")
    page.click("#undo")
    settled(page, "four, X, dep of One, fixed by you")
    # Another text has another history.
    page.fill("#text", "Something else.")
    page.until("document.querySelectorAll('.card').length === 1")
    page.until("document.getElementById('undo').disabled")


# ---------------------------------------------------------------- the dialog


def edit(page: Any, place: str) -> None:
    page.run("document.querySelector(arguments[0]).focus()", place)
    page.press("Enter")
    page.until("document.getElementById('editor').open")


def put(page: Any, field: str, value: str) -> None:
    page.run(
        "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
        "e.dispatchEvent(new Event('change', {bubbles: true}))",
        field,
        value,
    )


def test_change_a_tag_a_relation_and_let_the_parser_decide_again(page: Any) -> None:
    begin(page)
    edit(page, word(0, 1))
    put(page, "edit-tag", "NUM")
    page.press("Enter")
    settled(page, "two, NUM, dep of One, fixed by you")
    # The focus is on the word again, in the tree that was drawn anew.
    page.until("document.activeElement.getAttribute('aria-label') === arguments[0]",
               "two, NUM, dep of One, fixed by you")  # fmt: skip
    page.press("F2")
    page.until("document.getElementById('editor').open")
    assert "You fixed: tag." in page.run("return document.getElementById('editor-now').textContent")
    put(page, "edit-relation", "nummod")
    page.press("Enter")
    settled(page, "two, NUM, nummod of One, fixed by you")
    doc = downloaded(page)
    assert doc.column("upos")[1] == "NUM"
    assert doc.column("deprel")[1] == "nummod"
    edit(page, word(0, 1))
    page.click("#edit-release")
    settled(page, "two, X, dep of One")
    assert page.run("return document.getElementById('forget').hidden")


def test_suggestions_have_what_the_text_has(page: Any) -> None:
    begin(page)
    edit(page, word(0, 1))
    put(page, "edit-tag", "WEIRD")
    page.press("Enter")
    settled(page, "two, WEIRD, dep of One, fixed by you")
    edit(page, word(1, 1))
    tags = page.run("return [...document.querySelectorAll('#tags option')].map((o) => o.value)")
    assert "WEIRD" in tags
    assert {"NOUN", "VERB"} < set(tags)
    page.press("Escape")
    page.until("!document.getElementById('editor').open")
    page.until("document.activeElement.getAttribute('aria-label') === 'six, X, dep of Five'")


def test_a_whole_tree_is_kept(page: Any) -> None:
    begin(page)
    edit(page, word(0, 1))
    page.click("#edit-keep")
    page.until("document.querySelectorAll('.card:first-child .word.fixed').length === 5")
    before = downloaded(page).head.tolist()
    page.drag(f"{word(0, 3, '.arc')} .label", f"{word(0, 1)} .form")
    settled(page, "four, X, dep of two, fixed by you")
    after = downloaded(page).head.tolist()
    assert [w for w in range(9) if before[w] != after[w]] == [3]


def test_boundaries_from_the_dialog(page: Any) -> None:
    begin(page)
    edit(page, word(0, 2))
    assert page.run("return document.getElementById('edit-join').hidden")
    page.click("#edit-split")
    page.until("document.querySelectorAll('.card').length === 3")
    wait_done(page)
    assert cards(page) == ["One two", "three four .", "Five six seven ."]
    page.until(f"{DRAWN} === 3")
    edit(page, word(1, 0))
    page.click("#edit-join")
    page.until("document.querySelectorAll('.card').length === 2")


# ------------------------------------------------------------------ refusals


def test_a_circle_is_refused_but_an_arc_may_be_turned_round(page: Any) -> None:
    begin(page)
    # “two” hangs on “One” because the parser says so: it finds another head for “One”.
    page.drag(f"{word(0, 0)} .form", f"{word(0, 1)} .form")
    settled(page, "One, X, dep of two, fixed by you", "two, X, root")
    page.drag(f"{word(0, 1)} .form", f"{word(0, 2)} .form")
    settled(page, "two, X, dep of three, fixed by you")
    before = names(page, 0)
    page.drag(f"{word(0, 2)} .form", f"{word(0, 0)} .form")
    refused(page, "no circle", "One → two → three")
    assert names(page, 0) == before
    edit(page, word(0, 2))
    put(page, "edit-head", "0")
    page.press("Enter")
    refused(page, "no circle", at="editor-error")
    assert page.run("return document.getElementById('editor').open")


def test_a_head_in_another_sentence_is_refused(page: Any) -> None:
    begin(page)
    before = names(page, 0)
    page.drag(f"{word(0, 3)} .form", f"{word(1, 1)} .form")
    refused(page, "“six” is in another sentence", "Join the sentences first")
    assert names(page, 0) == before


def test_two_roots_are_refused(page: Any) -> None:
    begin(page)
    for sentence, number in ((0, 1), (1, 1)):
        edit(page, word(sentence, number))
        put(page, "edit-head", "-1")
        page.press("Enter")
        settled(page, ("two", "six")[sentence] + ", X, root, fixed by you")
    edit(page, word(0, 2))
    put(page, "edit-head", "-1")
    page.press("Enter")
    refused(page, "“two” is fixed as the root", at="editor-error")
    page.press("Escape")
    page.click("[data-join]")
    refused(page, "“two” and “six” are both fixed as roots")
    assert len(cards(page)) == 2


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("edit-tag", "two words", "A tag has no spaces"),
        ("edit-relation", "a\tb", "A relation has no spaces"),
        ("edit-relation", "root", "Only the root"),
    ],
)
def test_labels_that_cannot_be(page: Any, field: str, value: str, why: str) -> None:
    begin(page)
    edit(page, word(0, 1))
    put(page, field, value)
    page.press("Enter")
    refused(page, why, at="editor-error")


def test_hostile_labels_and_words_are_text(page: Any) -> None:
    evil = "<img/src=x/onerror=document['title']='bad'>"
    for width in (1200, 390):
        page.size(width, 900)
        begin(page, f"{evil} <script>document['title']='bad'</script> three.", 1)
        place = f".card .{'row' if width == 390 else 'word'}[data-word='2']"
        page.until("document.querySelector(arguments[0])", place)
        edit(page, place)
        put(page, "edit-tag", evil)
        put(page, "edit-relation", "<b>")
        page.press("Enter")
        page.until("document.querySelector('.tree').textContent.includes('<b>')")
        edit(page, place)
        assert page.run("return document.getElementById('edit-tag').value") == evil
        page.press("Escape")
        page.click("#forget")
        page.until("!document.querySelector('.tree').textContent.includes('<b>')")
    assert page.run("return document.title") == "Caesura"
    assert page.run("return document.querySelectorAll('body img, body script, main b').length") == 0


# ------------------------------------------------- typing, reloading, linking


def fixed(page: Any) -> None:
    """A head, a tag and a boundary of the user."""
    begin(page)
    page.drag(f"{word(0, 3, '.arc')} .label", f"{word(0, 0)} .form")
    settled(page, "four, X, dep of One, fixed by you")
    edit(page, word(1, 1))
    put(page, "edit-tag", "NUM")
    page.press("Enter")
    settled(page, "six, NUM, dep of Five, fixed by you")
    page.click(".card:nth-child(2) .gap[data-gap='2']")
    page.until("document.querySelectorAll('.card').length === 3")
    wait_done(page)
    page.until(f"{DRAWN} === 3")


def same(page: Any) -> None:
    page.until("document.querySelectorAll('.card').length === 3")
    settled(page, "four, X, dep of One, fixed by you", "six, NUM, dep of Five, fixed by you")
    assert cards(page) == ["One two three four .", "Five six", "seven ."]


def test_what_is_fixed_stays_while_one_types_elsewhere(page: Any) -> None:
    fixed(page)
    page.fill("#text", TEXT + " So.")
    page.until("/So/.test(document.getElementById('results').innerText)")
    settled(page, "four, X, dep of One, fixed by you", "six, NUM, dep of Five, fixed by you")
    page.fill("#text", TEXT.replace(" four", "") + " So.")
    page.until("/1 change of yours had to be forgotten/.test(window.status_.textContent)")
    settled(page, "., PUNCT, dep of three", "six, NUM, dep of Five, fixed by you")


def test_what_is_fixed_is_there_after_a_reload(page: Any, server: Any) -> None:
    fixed(page)
    page.until("(sessionStorage.getItem('caesura') ?? '').includes('NUM')")
    opened(page, server)
    same(page)


def test_a_link_holds_the_text_and_the_changes(page: Any, server: Any) -> None:
    fixed(page)
    asked = page.run("return performance.getEntriesByType('resource').length")
    page.click("#link")
    page.until("/The link to this text/.test(window.status_.textContent)")
    address = page.run("return location.href")
    assert "#v1=" in address
    # Nothing was sent anywhere for it.
    assert page.run("return performance.getEntriesByType('resource').length") == asked
    remember(page, server, None)
    page.open(address)
    page.run("window.status_ = document.getElementById('status')")
    same(page)
    assert page.run("return document.getElementById('text').value") == TEXT
    # It stays in the address until something is changed.
    assert page.run("return location.href") == address
    page.click("#forget")
    page.until("!location.hash")
    # Pasted into the address of a page that is open, it is taken as well.
    page.run("location.hash = arguments[0]", "#" + address.split("#")[1])
    page.run("window.status_ = document.getElementById('status')")
    same(page)


@pytest.mark.parametrize("hash", ["", "!!!", "AAAA", "eyJ0ZXh0Ijo"])
def test_a_broken_link_is_told(page: Any, server: Any, hash: str) -> None:
    remember(page, server, None)
    page.open(f"{server.address}/#v1={hash}")
    refused(page, "The link is broken")
    page.run("window.status_ = document.getElementById('status')")
    begin(page)


PACK = """
  const bytes = new TextEncoder().encode(arguments[0]);
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Response(stream).arrayBuffer().then((data) =>
    btoa(String.fromCharCode(...new Uint8Array(data)))
      .replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''));
"""


@pytest.mark.parametrize(
    "what",
    [
        {"text": TEXT, "fixes": [["0.0", {"upos": "<img src=x>", "head": {}, "deprel": "a b"}]]},
        {"text": TEXT, "fixes": [["0.0", {"head": "4.0"}], ["4.0", {"head": "0.0"}]]},
        {"text": TEXT, "fixes": [["0.0", {"head": "root"}], ["4.0", {"head": "root"}]]},
        {"text": TEXT, "fixes": [["0.0", {"head": "0.0"}], ["1.7", {"upos": "X"}], 7, [None]]},
        {"text": TEXT, "fixes": [["0.0", {"head": "25.0"}]], "pins": {"starts": ["x"], "joins": 1}},
        {"text": TEXT, "fixes": {"0.0": 1}, "model": ["<b>"], "given": {"starts": [-5, 1e99]}},
    ],
)
def test_whatever_a_link_says_is_checked(page: Any, server: Any, what: Any) -> None:
    packed = page.run(PACK, json.dumps(what))
    remember(page, server, None)
    page.open(f"{server.address}/#v1={packed}")
    page.run("window.status_ = document.getElementById('status')")
    page.until("document.querySelectorAll('.card').length >= 2")
    wait_done(page)
    assert page.run("return document.getElementById('error').hidden")
    assert page.run("return document.querySelectorAll('main img').length") == 0
    heads = downloaded(page).head.tolist()
    assert heads.count(-1) == len(cards(page))


def test_a_link_that_would_fill_the_memory_is_not_unpacked(page: Any, server: Any) -> None:
    packed = page.run(PACK, json.dumps({"text": "a " * 4_000_000}))
    remember(page, server, None)
    page.open(f"{server.address}/#v1={packed}")
    refused(page, "The link is broken")
