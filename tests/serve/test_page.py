"""The page in a real browser: paste, stream, fix a boundary, switch models, download, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesura.formats import read
from tests.pipeline.tiny import TEXT
from tests.serve.pages import cards, download, opened, remember, wait_done

MANY = (
    "The tide came in. Gulls cried over the pier. Nobody was up yet. We waited in the van. "
    "Then a lorry stopped; its driver waved. He asked the way."
)
DRAWN = "document.querySelectorAll('#results svg').length"


def test_paste_a_text_and_see_trees(page: Any) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    assert len(cards(page)) > 3
    assert "harbour" in cards(page)[0]
    page.until(f"{DRAWN} > 1")
    assert page.run("return document.querySelector('#results svg').getAttribute('aria-label')")


def test_fix_a_boundary_and_take_it_away(page: Any) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    before = cards(page)
    words = before[0].split()
    page.click("#results .card:first-child .gap[data-gap='3']")
    page.until("!document.getElementById('forget').hidden")
    wait_done(page)
    assert cards(page)[0].split() == words[:3]
    assert page.run("return document.querySelectorAll('.card')[1].classList.contains('pinned')")
    # The join button of the first sentence glues them together again.
    page.click("#results .card:first-child [data-join]")
    page.until("!document.querySelector('.pinned')")
    wait_done(page)
    assert cards(page)[0].split()[: len(words)] == words


def test_one_boundary_leaves_the_others_alone(page: Any) -> None:
    """Those that the model drew stay, whether one is added or taken away."""
    page.fill("#text", MANY)
    wait_done(page)
    before = cards(page)
    assert len(before) == 6
    page.until(f"{DRAWN} === 6")  # nothing moves any more
    page.click("#results .card:nth-child(3) .gap[data-gap='2']")
    page.until("document.querySelector('.pinned')")
    wait_done(page)
    words = before[2].split()
    cut = [" ".join(words[:2]), " ".join(words[2:])]
    assert cards(page) == [*before[:2], *cut, *before[3:]]
    page.until(f"{DRAWN} === 7")
    page.click("#results .card:nth-child(1) [data-join]")
    page.until("document.querySelectorAll('.card').length === 6")
    wait_done(page)
    joined = " ".join(before[:2])
    assert cards(page) == [joined, *cut, *before[3:]]
    assert page.run("return document.querySelectorAll('.pinned').length") == 1


def test_two_changes_at_once_are_made_one_after_the_other(page: Any) -> None:
    page.fill("#text", MANY)
    wait_done(page)
    before = cards(page)
    page.run(
        "document.querySelector('.card:nth-child(1) .gap[data-gap=\"2\"]').click();"
        "document.querySelector('.card:nth-child(5) .gap[data-gap=\"2\"]').click();"
    )
    page.until("document.querySelectorAll('.card').length === 8")
    first, fifth = before[0].split(), before[4].split()
    assert cards(page) == [
        " ".join(first[:2]), " ".join(first[2:]), *before[1:4],
        " ".join(fifth[:2]), " ".join(fifth[2:]), before[5],
    ]  # fmt: skip


def test_the_keyboard_is_enough(page: Any) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    words = cards(page)[0].split()
    page.run("document.querySelector('.token').focus()")
    page.press("Right")
    page.press("Right")
    assert page.run("return document.activeElement.textContent") == words[2]
    page.until("!document.getElementById('detail').hidden")
    page.press("Enter")
    page.until("!document.getElementById('forget').hidden")
    wait_done(page)
    assert cards(page)[0].split() == words[:2]
    # The focus stays on the word, which is now the first of its sentence.
    page.until(f"document.activeElement.textContent === '{words[2]}'")
    page.press("Backspace")
    page.until("!document.querySelector('.pinned')")
    wait_done(page)
    assert cards(page)[0].split()[:3] == words[:3]


def test_a_word_tells_how_sure_it_is_and_what_else_there_is(page: Any) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    page.run("document.querySelectorAll('.token')[1].focus()")
    page.until("/% sure/.test(document.getElementById('detail').textContent)")
    page.until("/Also considered/.test(document.getElementById('detail').textContent)")
    page.click("#status")  # elsewhere
    page.until("document.getElementById('detail').hidden")


def test_switch_models_and_compare_them(page: Any) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    page.run(
        "const other = document.getElementById('other'); other.value = 'other';"
        "other.dispatchEvent(new Event('change'));"
    )
    page.until("/differ|agree/.test(window.status_.textContent)", seconds=90)
    assert page.run("return document.querySelectorAll('.card.other').length") > 0
    page.until("document.querySelectorAll('.differs').length > 0")
    # Boundaries belong to one model: while two are compared none can be set.
    assert page.run("return document.querySelectorAll('.gap, [data-join]').length") == 0
    page.run(
        "document.getElementById('other').value = '';"
        "const model = document.getElementById('model'); model.value = 'other';"
        "model.dispatchEvent(new Event('change'));"
    )
    page.until("!document.querySelector('.card.other')")
    wait_done(page)
    assert len(cards(page)) > 1


def test_each_model_numbers_its_own_sentences(page: Any) -> None:
    page.fill("#text", MANY)
    wait_done(page)
    choose(page, "other", "other")
    page.until("/differ/.test(window.status_.textContent)")
    numbers = page.run(
        "return [...document.querySelectorAll('.card')].map((card) => ["
        "card.classList.contains('other'), card.querySelector('.number').textContent,"
        "card.querySelector('.token').textContent,"
        "card.querySelector('p[role=group]').getAttribute('aria-label')])"
    )
    mine = [(number, word) for other, number, word, _ in numbers if not other]
    theirs = [(number, word) for other, number, word, _ in numbers if other]
    assert mine == [("1", "The"), ("2", "Gulls"), ("3", "Nobody"), ("4", "We"), ("5", "Then"),
                    ("6", "He")]  # fmt: skip
    # The second model ends a sentence at the semicolon: its last sentence is the seventh.
    assert theirs == [("1", "The"), ("2", "Gulls"), ("3", "Nobody"), ("4", "We"), ("5", "Then"),
                      ("6", "its"), ("7", "He")]  # fmt: skip
    assert numbers[-1][3] == "Sentence 7 of other"


def choose(page: Any, name: str, value: str) -> None:
    page.run(
        "const menu = document.getElementById(arguments[0]); menu.value = arguments[1];"
        "menu.dispatchEvent(new Event('change'));",
        name,
        value,
    )


def test_the_switch_takes_case_and_punctuation_away(page: Any) -> None:
    page.fill("#text", "The harbour wakes. Nobody asks him why.")
    wait_done(page)
    page.click("#strip")
    page.until("/the harbour wakes/.test(document.getElementById('results').innerText)")
    wait_done(page)
    assert "." not in "".join(cards(page))
    assert "nobody" in " ".join(cards(page))


@pytest.mark.parametrize(
    ("kind", "file"), [("conllu", "caesura.conllu"), ("jsonl", "caesura.jsonl")]
)
def test_downloads_can_be_read(page: Any, kind: str, file: str) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    path = download(page, kind)
    [doc] = list(read(path, kind))
    assert doc.text.strip() == TEXT.strip()
    assert doc.n_sentences == len(cards(page))


def test_download_a_picture(page: Any) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    assert download(page, "svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_long_text_streams_in(page: Any) -> None:
    """200 kB: the first sentences are there while the rest is parsed; trees are drawn in sight."""
    text = (TEXT + "\n\n") * (200_000 // len(TEXT) + 1)
    # Watched from inside the page: on a busy machine the moment is over before we ask for it.
    page.run(
        "window.partly = false; window.setInterval(() => {"
        "if (document.querySelector('.card') && /so far/.test(window.status_.textContent))"
        " window.partly = true; }, 10);"
    )
    page.fill("#text", text)
    page.until(f"document.querySelectorAll('.card').length > 1000 && {DRAWN} > 0", seconds=300)
    wait_done(page, seconds=300)
    assert page.run("return window.partly")
    n = page.run("return document.querySelectorAll('.card').length")
    assert n > 1000
    assert page.run(f"return {DRAWN}") < n / 2


def test_an_error_is_shown_kindly(page: Any) -> None:
    page.fill("#text", "x " * 600_000)
    message = page.until(
        "!document.getElementById('error').hidden && document.getElementById('error').textContent"
    )
    assert "1,200,000 characters" in message
    assert page.run("return document.getElementById('error').getAttribute('role')") == "alert"
    page.fill("#text", TEXT)
    wait_done(page)
    assert page.run("return document.getElementById('error').hidden")


def test_script_in_a_text_is_text(page: Any) -> None:
    page.fill("#text", "<img src=x onerror=alert(1)> <script>document.title='bad'</script> came.")
    wait_done(page)
    page.until(f"{DRAWN} > 0")
    assert page.run("return document.title") == "Caesura"
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0


def test_evaluate_two_files(page: Any) -> None:
    gold = (Path(__file__).parents[2] / "examples" / "harbour.conllu").read_text(encoding="utf-8")
    page.click("#tab-evaluate")
    for name, text in (("gold", gold), ("system", gold.replace("\tnsubj\t", "\tobj\t"))):
        page.run("document.getElementById(arguments[0]).value = arguments[1]", name, text)
    page.click("#evaluate-form .first")
    page.until("document.querySelectorAll('#scores tbody tr').length > 5", seconds=240)
    table = page.run("return document.getElementById('scores').innerText")
    assert "LAS" in table
    page.run("document.getElementById('gold').value = '1\\tbroken'")
    page.click("#evaluate-form .first")
    message = page.until(
        "!document.getElementById('evaluate-error').hidden && "
        "document.getElementById('evaluate-error').textContent"
    )
    assert "gold:1" in message


def test_what_it_looks_like(page: Any, tmp_path: Path) -> None:
    """Screenshots in light, dark and at the width of a phone; nothing sticks out sideways."""
    for name, width, dark in (("light", 1200, False), ("dark", 1200, True), ("phone", 390, False)):
        page.size(width, 1000)
        page.dark(dark)
        page.fill("#text", TEXT)
        wait_done(page)
        page.until(f"{DRAWN} > 2")
        overflow = page.run("return document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, name
        page.screenshot(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_labels_do_not_overlap_as_drawn(page: Any) -> None:
    """What the layout promises holds with the fonts of a real browser."""
    page.fill("#text", TEXT)
    wait_done(page)
    page.until(f"{DRAWN} > 3")
    overlaps = page.run("""
      const found = [];
      for (const svg of document.querySelectorAll('#results svg')) {
        const boxes = [...svg.querySelectorAll('text')].map((t) => [t.textContent, t.getBBox()]);
        boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([two, b]) => {
          if (a.x < b.x + b.width - 0.5 && b.x < a.x + a.width - 0.5 &&
              a.y + 3 < b.y + b.height - 3 && b.y + 3 < a.y + a.height - 3)
            found.push(one + '/' + two);
        }));
      }
      return found;""")
    assert overlaps == []


def test_nothing_is_fetched_from_elsewhere(page: Any, server: Any) -> None:
    page.fill("#text", TEXT)
    wait_done(page)
    names = page.run("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert names
    assert all(name.startswith(server.address) for name in names), json.dumps(names)


# ------------------------------------------------- typing, reloading, nothing

REQUESTS = """
  window.asked = [];
  const fetch_ = window.fetch;
  window.fetch = (address, options) => {
    if (String(address).endsWith('/parse')) {
      const body = JSON.parse(options.body);
      if (body.stream) window.asked.push(body.text);
    }
    return fetch_(address, options);
  };
"""


def test_a_text_is_parsed_as_it_is_typed(page: Any) -> None:
    page.run(REQUESTS)
    page.type("#text", "They left. Did you?")
    page.until("document.querySelectorAll('.card').length === 2")
    wait_done(page)
    # One request for each pause, not one for each key.
    assert page.run("return window.asked.length") < 10
    assert page.run("return window.asked.at(-1)") == "They left. Did you?"
    page.type("#text", " We did.")
    page.until("document.querySelectorAll('.card').length === 3")


def test_a_text_that_has_not_changed_is_not_asked_for_again(page: Any) -> None:
    page.fill("#text", "They left. Did you?")
    wait_done(page)
    page.run(REQUESTS)
    page.run(
        "const area = document.getElementById('text');"
        "const say = () => area.dispatchEvent(new InputEvent('input', {bubbles: true}));"
        "area.value += 'x'; say(); area.value = area.value.slice(0, -1); say();"
    )
    # Whatever was to come for that would have come before the answer to this.
    page.run("window.later = false; setTimeout(() => { window.later = true; }, 600)")
    page.until("window.later")
    assert page.run("return window.asked") == []
    assert cards(page) == ["They left .", "Did you ?"]


def test_an_answer_that_is_late_is_not_shown(page: Any) -> None:
    """The first text is answered after the second was asked for."""
    page.run(REQUESTS)
    page.run("""
      const asked = window.fetch;
      window.fetch = async (address, options) => {
        if (String(address).endsWith('/parse') && JSON.parse(options.body).text.startsWith('Old'))
          await new Promise((go) => { window.go = go; });
        return asked(address, options);
      };""")
    page.fill("#text", "Old text. Old news.")
    page.until("Boolean(window.go)")
    page.fill("#text", "New text.")
    page.until("document.querySelectorAll('.card').length === 1")
    page.run("window.go(); window.later = false; setTimeout(() => { window.later = true; }, 300)")
    page.until("window.later")
    assert cards(page) == ["New text ."]


def test_a_long_text_waits_and_says_so(page: Any) -> None:
    page.fill("#text", "The tide came in. " * 300)
    wait_done(page)
    assert len(cards(page)) == 300
    page.run(REQUESTS)
    page.type("#text", "Gulls cried.")
    page.until("/not parsed as you type: press Parse or Ctrl/.test(window.status_.textContent)")
    assert page.run("return window.asked") == []
    page.click("#parse")
    page.until("document.querySelectorAll('.card').length === 301")


def test_sentences_that_stay_keep_their_pictures(page: Any) -> None:
    page.fill("#text", "They left. Did you?")
    wait_done(page)
    page.until(f"{DRAWN} === 2")
    page.run("window.first = document.querySelector('.card')")
    page.type("#text", " We did.")
    page.until("document.querySelectorAll('.card').length === 3")
    assert page.run("return window.first === document.querySelector('.card')")
    page.until(f"{DRAWN} === 3")
    # The one that was the last can be joined with the next one now.
    assert page.run("return document.querySelectorAll('[data-join]').length") == 2


def test_boundaries_stay_while_one_types(page: Any) -> None:
    page.fill("#text", MANY)
    wait_done(page)
    page.until(f"{DRAWN} === 6")
    page.click("#results .card:nth-child(3) .gap[data-gap='2']")
    page.until("document.querySelectorAll('.card').length === 7")
    before = cards(page)
    page.type("#text", " We did.")
    page.until("/We did/.test(document.getElementById('results').innerText)")
    # The sentence that is being written is open; all others are as they were.
    assert cards(page)[:5] == before[:5]
    assert page.run("return document.querySelectorAll('.pinned').length") == 1
    # An edit at the boundary itself takes it away, and says so.
    text = MANY.replace("Nobody was up", "Nobody was never up")
    page.fill("#text", text)
    page.until("/1 change of yours had to be forgotten/.test(window.status_.textContent)")
    assert page.run("return document.querySelectorAll('.pinned').length") == 0


def test_the_text_is_there_after_a_reload(page: Any, server: Any) -> None:
    page.type("#text", MANY)
    page.until("document.querySelectorAll('.card').length === 6")
    page.until(f"{DRAWN} === 6")
    page.click("#results .card:nth-child(3) .gap[data-gap='2']")
    page.until("document.querySelectorAll('.card').length === 7")
    choose(page, "other", "other")
    page.until("document.querySelectorAll('.card.other').length > 0")
    choose(page, "other", "")
    page.until("!document.querySelector('.card.other')")
    wait_done(page)
    before = cards(page)
    opened(page, server)
    wait_done(page)
    assert page.run("return document.getElementById('text').value") == MANY
    assert cards(page) == before
    assert page.run("return document.querySelectorAll('.pinned').length") == 1
    page.click("#forget")
    page.until("document.querySelectorAll('.card').length === 6")
    page.run("const area = document.getElementById('text'); area.value = '';"
             "area.dispatchEvent(new InputEvent('input', {bubbles: true}));")  # fmt: skip
    page.until("!document.querySelector('.card')")
    opened(page, server)
    assert page.run("return document.getElementById('text').value") == ""


# A picture that is asked for never comes.
NEVER_DRAWN = """
  const fetch_ = window.fetch;
  window.fetch = (address, options) =>
    String(address).endsWith('/draw') ? new Promise(() => {}) : fetch_(address, options);
"""


def test_the_picture_of_another_sentence_is_not_pointed_at(page: Any) -> None:
    """Until its own comes a card shows the picture of the sentence whose place it took."""
    page.fill("#text", MANY)
    wait_done(page)
    page.until(f"{DRAWN} === 6")
    page.run(NEVER_DRAWN)
    page.click("#results .card:nth-child(2) .gap[data-gap='1']")
    stale = "#results .card:nth-child(2).stale .word[data-word='4']"
    page.until("document.querySelector(arguments[0])", stale)
    wait_done(page)
    page.run("document.getElementById('detail').hidden = true;")
    page.drag(stale, stale)
    assert page.run("return document.getElementById('detail').hidden")
    assert not page.run("return document.querySelector('dialog[open]')")
    # Its own words can be.
    page.drag("#results .card:nth-child(2) .token", "#results .card:nth-child(1) .token")
    page.until("!document.getElementById('detail').hidden")


def test_what_was_kept_is_taken_for_text_only(page: Any, server: Any) -> None:
    evil = (
        "<img src=x onerror=\"document.title='bad'\"> <script>document.title='bad'</script> came."
    )
    kept = {
        "text": evil, "model": "<b>", "second": ["x"], "strip": "yes", "given": "x",
        "pins": {"starts": ["1", -1, 1e9, None], "joins": 7},
    }  # fmt: skip
    remember(page, server, json.dumps(kept))
    opened(page, server)
    wait_done(page)
    assert page.run("return document.getElementById('text').value") == evil
    assert page.run("return document.title") == "Caesura"
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0
    for broken in ("{", "null", "[]", '{"text": {"a": 1}}', '"x"'):
        remember(page, server, broken)
        opened(page, server)
        assert page.run("return document.getElementById('text').value") == ""
        assert page.run("return !document.getElementById('empty').hidden")


def test_an_empty_page_explains_itself(page: Any) -> None:
    said = page.run("return document.getElementById('empty').innerText")
    assert "Nothing is parsed yet" in said
    assert "as you type" in said.replace("\n", " ")
    assert "Ctrl+Enter" in page.run("return document.querySelector('.buttons kbd').textContent")
    page.click("#empty .example")
    wait_done(page)
    assert len(cards(page)) > 0
    assert page.run("return document.getElementById('empty').hidden")
    page.run("const area = document.getElementById('text'); area.value = '';"
             "area.dispatchEvent(new InputEvent('input', {bubbles: true}));")  # fmt: skip
    page.until("!document.getElementById('empty').hidden")
    assert cards(page) == []
    assert page.run("return window.status_.textContent") == ""
