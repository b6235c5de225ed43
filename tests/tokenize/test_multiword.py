"""Which tokens are several words, and which."""

from __future__ import annotations

import numpy as np

from caesura.document import Document
from caesura.learn.multiword_tokens import learn_splitter
from caesura.stages.multiword_tokens import Splitter


def treebank(*tokens: tuple[str, tuple[str, ...]]) -> Document:
    text = " ".join(surface for surface, _ in tokens)
    ends = np.cumsum([len(surface) + 1 for surface, _ in tokens]) - 1
    starts = [end - len(surface) for end, (surface, _) in zip(ends, tokens, strict=True)]
    doc = Document.from_spans(text, starts, ends)
    words = [word for _, parts in tokens for word in parts]
    doc.word_token = np.repeat(np.arange(len(tokens)), [len(parts) for _, parts in tokens]).astype(
        np.int32
    )
    doc.form = doc.strings.ids(words)
    doc.blank_words()
    doc.check()
    return doc


def one(*words: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(word, (word,)) for word in words]


def test_case_is_carried_over() -> None:
    splitter = learn_splitter([treebank(("don't", ("do", "n't")), ("zum", ("zu", "dem")))])
    assert splitter.candidate("Don't") == ("Do", "n't")
    assert splitter.candidate("DON'T") == ("DO", "N'T")
    assert splitter.candidate("Zum") == ("Zu", "dem")
    assert splitter.candidate("ZUM") == ("ZU", "DEM")


def test_unseen_forms_follow_the_edits_of_seen_ones() -> None:
    seen = [("dirlo", ("dire", "lo")), ("darlo", ("dare", "lo")), ("farlo", ("fare", "lo"))]
    splitter = learn_splitter([treebank(*seen, *one("orlo", "perla"))])
    assert splitter.candidate("vederlo") == ("vedere", "lo")
    assert splitter.candidate("orlo") is None
    assert splitter.candidate("perla") is None


def test_contractions_in_a_row() -> None:
    seen = [
        *((f"{word}'d", (word, "'d")) for word in ("he", "she", "they")),
        *((f"{word}'ve", (word, "'ve")) for word in ("we", "you", "they")),
        *((f"{word}n't", (word, "n't")) for word in ("could", "should", "is", "was")),
        *((f"{word}'s", (word, "'s")) for word in ("dog", "cat", "hen")),
        ("'twas", ("'t", "was")),
    ]
    splitter = learn_splitter([treebank(*seen, *one("o'clock", "ya'd"))])
    assert splitter.candidate("He'd've") == ("He", "'d", "'ve")
    assert splitter.candidate("She’d’ve") == ("She", "’d", "’ve")
    assert splitter.candidate("couldn't've") == ("could", "n't", "'ve")
    assert splitter.candidate("SHOULDN'T'VE") == ("SHOULD", "N'T", "'VE")
    assert splitter.candidate("'Twasn't") == ("'T", "was", "n't")
    # A name with an apostrophe is one word, and so is what was seen as one.
    assert splitter.candidate("O'Hara's") == ("O'Hara", "'s")
    assert splitter.candidate("ya'd've") == ("ya'd", "'ve")


def test_beginnings_as_well_as_endings() -> None:
    seen = [("wakitab", ("wa", "kitab")), ("wabayt", ("wa", "bayt")), ("wadar", ("wa", "dar"))]
    splitter = learn_splitter([treebank(*seen)])
    assert splitter.candidate("wawalad") == ("wa", "walad")


def test_a_mark_inside_of_a_word_is_a_word_behind_it() -> None:
    seen = [("ո՞վ", ("ով", "՞")), ("ի՞նչ", ("ինչ", "՞")), ("ե՞րբ", ("երբ", "՞"))]
    splitter = learn_splitter([treebank(*seen, *one("ով", "այո՛"))])
    assert splitter.candidate("Որտե՞ղ") == ("Որտեղ", "՞")
    assert splitter.candidate("այո՛") is None
    arrays = splitter.to_arrays()
    odds, rows, weights = (arrays[f"doubtful_{name}"] for name in ("odds", "rows", "weights"))
    again = Splitter.from_parts(splitter.to_labels(), odds, rows, weights)
    assert again.marks == {"՞"}


def test_a_rule_that_is_mostly_wrong_is_not_used() -> None:
    plain = one("pears", "bears", "years", "gears")
    splitter = learn_splitter([treebank(("hears", ("hear", "s")), *plain)])
    assert splitter.candidate("tears") is None
    assert splitter.candidate("hears") == ("hear", "s")


def test_neighbours_decide_about_a_doubtful_form() -> None:
    docs = [treebank(("its", ("it", "s")), *one("raining", "today")) for _ in range(8)] + [
        treebank(*one("in", "its", "box")) for _ in range(12)
    ]
    splitter = learn_splitter(docs)
    assert splitter.is_doubtful("its")
    assert splitter.agrees("its", [], ["raining"])
    assert not splitter.agrees("its", ["in"], ["box"])


def test_a_splitter_survives_its_file() -> None:
    splitter = learn_splitter(
        [treebank(("don't", ("do", "n't")), *one("dont", "its"), ("its", ("it", "s")))] * 2
    )
    arrays = splitter.to_arrays()
    again = Splitter.from_parts(
        splitter.to_labels(),
        arrays["doubtful_odds"],
        arrays["doubtful_rows"],
        arrays["doubtful_weights"],
    )
    assert again.known == splitter.known
    assert again.endings == splitter.endings
    assert again.doubtful.keys() == splitter.doubtful.keys()
    assert np.array_equal(again.weights, splitter.weights)
