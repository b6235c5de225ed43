"""Alignment: edit scripts, accepted spellings, places in a raw text, other orders."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import Document
from caesura.errors import InputError
from caesura.evaluate import conll18, evaluate
from caesura.evaluate.align import pair
from caesura.evaluate.atoms import atoms
from caesura.evaluate.boundary_scores import segment_scores
from caesura.evaluate.edit_script import match
from caesura.evaluate.token_ranges import align_to_text
from tests.evaluate.making import document
from tests.reference.evaluate import lcs

# ---------------------------------------------------------------------------------------- alignment

LETTERS = st.lists(st.integers(0, 3), max_size=25)


def numbers(values: list[int]) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, dtype=np.int64)


@given(LETTERS, LETTERS)
@settings(max_examples=300, deadline=None)
def test_a_match_is_a_longest_common_subsequence(left: list[int], right: list[int]) -> None:
    partner = match(numbers(left), numbers(right)).tolist()
    pairs = [(i, j) for i, j in enumerate(partner) if j >= 0]
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(a < b for (_, a), (_, b) in pairwise(pairs))
    assert len(pairs) == len(lcs(left, right))


def test_long_texts_are_anchored() -> None:
    """A tenth of the characters changed and a paragraph missing: nearly all is found again."""
    rng = np.random.default_rng(3)
    text = rng.integers(97, 123, 60_000)
    changed = text.copy()
    places = rng.random(len(text)) < 0.1
    changed[places] = rng.integers(97, 123, int(places.sum()))
    shorter = np.concatenate((changed[:30_000], changed[34_000:]))
    partner = match(text, shorter)
    truth = np.concatenate((np.arange(30_000), np.full(4_000, -1), np.arange(30_000, len(shorter))))
    found = partner >= 0
    assert found.mean() > 0.82
    assert (partner[found] == truth[found]).mean() > 0.98
    assert np.all(np.diff(partner[found]) > 0)


def test_texts_that_have_nothing_in_common_take_linear_time() -> None:
    """The budget of the search ends it: this would take minutes in quadratic time."""
    rng = np.random.default_rng(4)
    left, right = rng.integers(0, 30, 200_000), rng.integers(0, 30, 200_000)
    partner = match(left, right)
    found = np.flatnonzero(partner >= 0)
    assert np.all(left[found] == right[partner[found]])


def spelled(text: str) -> str:
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    return "".join(chr(value) for value in atoms(points).value.tolist())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("``", '"'),
        ("''", '"'),
        ("“", '"'),
        ("«", '"'),
        ("`", "'"),
        ("’", "'"),
        ("-LRB-", "("),
        ("-RRB-", ")"),
        ("-LSB-", "["),
        ("-RCB-", "}"),
        ("…", "..."),
        ("–", "-"),
        ("—", "--"),
        ("---", "—"),
        (r"1\/2", "1/2"),
        (r"\*", "*"),
        ("£", "#"),
        ("ﬁ", "fi"),
        ("Ａ", "A"),
        ("é", "e\u0301"),
        ("co\u00adop", "coop"),
        ("&amp;", "&"),
        ("&lt;b&gt;", "<b>"),
        ("&quot;", '"'),
    ],
)
def test_accepted_spellings_are_the_same_atoms(one: str, other: str) -> None:
    assert spelled(one) == spelled(other)


@pytest.mark.parametrize(
    ("gold", "system", "kind"),
    [
        # Arabic without harakat, with a multi-word token; Hebrew without niqqud.
        ("كَتَبَ الوَلَدُ دَرسَهُ=دَرسَ+هُ فِي البَيتِ .", "كتب الولد درسه=درس+ه في البيت .", "marks"),
        ("הַיֶּלֶד כָּתַב אֶת הַשִּׁעוּר .", "הילד כתב את השעור .", "marks"),
        ("un été très naïf à Besançon", "un ete tres naif a Besancon", "marks"),
        ("I ❤️ the 👍🏽 you 👩🏿 gave", "I ❤ the 👍 you 👩 gave", "marks"),
        ("un e\u0301te\u0301 nai\u0308f la\u0300", "un \xe9t\xe9 na\xeff l\xe0", "spelling"),
        ("The boats didn't=did+n't come home", "THE BOATS DIDN'T=DID+N'T COME HOME", "case"),
        ("She saw the boats . | We left", "She saw the boats . | WE LEFT", "case"),
    ],
)
def test_letters_are_the_same_without_marks_and_case(gold: str, system: str, kind: str) -> None:
    one, other = document(gold), document(system)
    for left, right in ((one, other), (other, one)):
        report = evaluate(left, right)
        assert report["Tokens"].f1 == report["Words"].f1 == report["Sentences"].f1 == 100
        assert [name for name, count in report.comparison.loose.as_dict().items() if count] == [
            kind
        ]
        told = {"marks": "combining marks", "case": "upper and lower case", "spelling": "aligned"}
        for shape in (str(report), report.html(), " ".join(report.as_dict()["notes"])):
            assert told[kind] in shape
        assert report.as_dict()["matched_loosely"][kind] > 0


def test_letters_with_other_marks_are_no_second_choice() -> None:
    """Words that are the same letter for letter come first, whatever stands beside them."""
    report = evaluate(document("we resume work"), document("we résumé resume Work work"))
    assert report["Tokens"].recall == 100
    assert sum(report.comparison.loose.as_dict().values()) == 0


def test_vowel_signs_and_voicing_make_letters() -> None:
    """Signs that no text leaves out are not passed over."""
    assert spelled("की") != spelled("के")
    assert spelled("が") != spelled("か")


@pytest.mark.parametrize(
    ("token", "found"),
    [("boats", True), ("bxats", True), ("boxxs", True), ("bxxxs", False), ("xo", False)],
)
def test_a_token_is_found_if_most_of_its_letters_are(token: str, found: bool) -> None:
    raw = f"we saw the {'to' if token == 'xo' else 'boats'} come home"
    placed = align_to_text([document(f"we saw the {token} come home")], raw)
    assert (placed.lost == 0) is found
    assert bool(placed.start[3] < placed.end[3]) is found


def test_a_sentence_added_to_a_short_text_makes_no_other_text() -> None:
    gold = document("we go on")
    system = document("we go on | thousands wonder whether anybody understands everything")
    assert evaluate(gold, system)["Tokens"].recall == 100


def test_other_characters_stay_apart() -> None:
    assert len({spelled(c) for c in "a,.:;!?€$%/()[]{}"}) == 17


def test_tokens_of_a_treebank_find_their_place_in_the_raw_text() -> None:
    raw = "He said: “Half (1/2) of it …” — so."
    tree = document(r"He said : `` Half -LRB- 1\/2 -RRB- of it . . . '' -- so .")
    found = align_to_text([tree], raw)
    shown = [raw[a:b] for a, b in zip(found.start.tolist(), found.end.tolist(), strict=True)]
    assert found.lost == 0
    assert shown[:10] == ["He", "said", ":", "“", "Half", "(", "1/2", ")", "of", "it"]
    assert shown[10:] == ["…", "…", "…", "”", "—", "so", "."]


def test_token_ranges_are_written_into_misc() -> None:
    raw = "We  can’t go."
    found = align_to_text([document("We can't=ca+n't go .", misc=["A=b", "", "", "", ""])], raw)
    doc = found.docs[0]
    assert doc.column("misc") == [
        "A=b|TokenRange=0:2",
        "",
        "",
        "TokenRange=10:12",
        "TokenRange=12:13",
    ]
    assert doc.strings[doc.token_misc[1]] == "TokenRange=4:9"


def test_a_token_that_is_not_there_has_no_width_and_is_reported() -> None:
    found = align_to_text([document("One zzzz two three")], "One two three")
    assert found.lost == 1
    assert found.examples == ("zzzz",)
    assert (found.start[1], found.end[1]) == (3, 3)
    assert "1 of 4" not in found.summary
    assert "3 of 4 tokens" in found.summary


def test_a_changed_letter_does_not_narrow_its_token() -> None:
    raw = "The quick brown fox jumps"
    found = align_to_text([document("Xhe quick brewn foy jumps")], raw)
    shown = [raw[a:b] for a, b in zip(found.start.tolist(), found.end.tolist(), strict=True)]
    assert shown == raw.split()


WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()  # noqa: SIM905


def story(rng: random.Random, sentences: int) -> str:
    return " | ".join(
        " ".join(rng.choices(WORDS, k=rng.randint(3, 9))) + " ." for _ in range(sentences)
    )


def test_texts_that_differ_are_scored() -> None:
    """Characters changed, quotes normalised, a paragraph missing."""
    rng = random.Random(5)
    written = story(rng, 80)
    sentences = written.split(" | ")
    changed = [
        "".join("x" if c.isalpha() and rng.random() < 0.1 else c for c in sentence)
        for i, sentence in enumerate(sentences)
        if not 30 <= i < 40
    ]
    gold, system = document(written), document(" | ".join(changed))
    comparison = pair([gold], [system])
    scores = conll18([gold], [system])
    assert not comparison.same_characters
    assert scores["Tokens"].precision > 95
    assert 80 < scores["Tokens"].recall < 90
    assert scores["Sentences"].precision > 90


def test_with_a_raw_text_both_sides_are_laid_over_it() -> None:
    raw = "“Go!” he said (loudly)."
    gold = document("`` Go ! '' | he said -LRB- loudly -RRB- .")
    system = document('" Go! " | he said ( loudly ) .')
    comparison = pair([gold], [system], text=raw)
    start, end = comparison.offsets(comparison.gold.token_start, comparison.gold.token_end)
    shown = [raw[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    assert shown == ["“", "Go", "!", "”", "he", "said", "(", "loudly", ")", "."]
    scores = conll18([gold], [system], text=raw)
    assert (scores["Tokens"].correct, scores["Sentences"].correct) == (8, 2)


def test_different_documents_are_told_apart() -> None:
    rng = random.Random(6)
    gold = document(story(rng, 20))
    other = document(
        " | ".join(
            " ".join(w[::-1].upper() for w in s.split()) for s in story(rng, 20).split(" | ")
        )
    )
    with pytest.raises(InputError, match="different documents"):
        conll18([gold], [other])


@given(st.text(alphabet="ab c.\"'-", min_size=1, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_places_never_fall(text: str, rng: random.Random) -> None:
    """Whatever is changed, spans of tokens rise and stay in the text."""
    pieces = [piece for piece in text.split() if piece] or ["a"]
    doc = document(" ".join(piece.replace("=", "a").replace("|", "b") for piece in pieces))
    changed = "".join(c for c in text if rng.random() > 0.2) or "a"
    try:
        found = align_to_text([doc], changed)
    except InputError:
        return
    assert np.all(np.diff(found.start) >= 0)
    assert np.all(found.end >= found.start)
    assert found.end.max() <= len(changed)


def test_wsj_trees_align_with_their_raw_texts(data_dir: Path) -> None:
    from caesura.formats import read

    folder = data_dir / "WSJ-sample"
    names = sorted(path.stem for path in (folder / "mrg").glob("*.mrg"))[:8]
    if not names:
        pytest.skip("no trees of the WSJ sample")
    for name in names:
        raw = next((folder / "raw").glob(f"{name}*")).read_text(encoding="latin-1")
        docs: list[Document] = list(read(folder / "mrg" / f"{name}.mrg"))
        found = align_to_text(docs, raw)
        # A full stop after an abbreviation has no characters of its own.
        assert found.lost <= 0.01 * found.tokens + 1


@pytest.mark.parametrize(
    ("raw", "tokens"),
    [
        # Left out of the treebank: the run could begin at either "the".
        ("see the cat. the dog ran off", "see the dog ran off"),
        ("we thought these things over", "we these things over"),
        # Left out of the text.
        ("see the dog ran off", "see the cat . the dog ran off"),
        ("we these things over", "we thought these things over"),
    ],
)
def test_gaps_begin_where_tokens_begin(raw: str, tokens: str) -> None:
    found = align_to_text([document(tokens)], raw)
    shown = [raw[a:b] for a, b in zip(found.start.tolist(), found.end.tolist(), strict=True)]
    for form, text in zip(tokens.split(), shown, strict=True):
        assert text in ("", form)
    assert sum(bool(text) for text in shown) >= min(len(raw.split()), len(shown)) - 2


@given(
    st.lists(
        st.sampled_from(["the", "then", "a", "an", "at", "tan", "."]), min_size=8, max_size=40
    ),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_words_around_a_missing_run_keep_their_width(words: list[str], data: st.DataObject) -> None:
    """Whole words left out: the others are found unchanged, none is as wide as the gap."""
    first = data.draw(st.integers(0, len(words) - 2))
    last = data.draw(st.integers(first, min(first + 4, len(words) - 2)))
    kept = words[:first] + words[last:]
    raw = " ".join(words)
    found = align_to_text([document(" ".join(kept))], raw)
    for form, a, b in zip(kept, found.start.tolist(), found.end.tolist(), strict=True):
        assert raw[a:b].replace(" ", "") == form


def test_sentences_of_inserted_tokens_are_counted_apart() -> None:
    gold, system = document("A b . | C d ."), document("A b . | Zz yy . | C d . | Ww .")
    scores = segment_scores(pair([gold], [system]).pairs)
    assert (scores["StartsAll"].gold, scores["StartsAll"].system) == (2, 4)
    assert scores["StartsAll"].correct == 2
    assert (scores["Starts"].gold, scores["Starts"].system, scores["Starts"].correct) == (1, 3, 1)
    assert (scores["BoundaryPoints"].system, scores["BoundaryPoints"].correct) == (4, 2)
    assert scores["SentenceSpans"].system == 4


def test_a_sentence_that_is_replaced_has_no_start_in_common() -> None:
    gold, system = document("Aaaa bbbb | C d ."), document("Zzzz yyyy | C d .")
    scores = segment_scores(pair([gold], [system]).pairs)
    assert (scores["StartsAll"].gold, scores["StartsAll"].correct) == (2, 1)
    assert (scores["Starts"].gold, scores["Starts"].correct) == (1, 1)


# -------------------------------------------------------------------------------------------- order

TEXTS = (
    "the boats came home late | nobody saw them",
    "we waited at the harbour | it rained all night",
    "in spring the ice breaks | then the ferries run",
    "she counted every rope | he wrote the numbers down",
)


def titled(text: str, name: str | None, first: int = 0) -> Document:
    heads: list[int] = []
    for sentence in text.split("|"):
        heads += [0] + [1] * (len(sentence.split()) - 1)
    doc = document(text, heads, id=name, deprel=["root" if not h else "x" for h in heads])
    for number, token in enumerate(doc.sentence_bounds[:-1].tolist()):
        doc.comments[token] = (f"# sent_id = s{first + number}",)
    return doc


def stories(named: bool) -> list[Document]:
    return [titled(text, f"d{i}" if named else None, 2 * i) for i, text in enumerate(TEXTS)]


def test_documents_are_matched_by_their_id() -> None:
    gold, system = stories(True), stories(True)[::-1]
    report = evaluate(gold, system)
    assert report["LAS"].f1 == report["Sentences"].f1 == 100
    assert any("matched by newdoc id" in note for note in report.notes)
    for shape in (str(report), report.html(), " ".join(report.as_dict()["notes"])):
        assert "newdoc id" in shape


def test_documents_and_the_sentences_in_them_may_both_be_moved() -> None:
    system = []
    for doc in stories(True)[::-1]:
        middle = int(doc.sentence_bounds[1])
        parts = [doc.cut(middle, doc.n_tokens), doc.cut(0, middle)]
        joined = Document.join(parts)
        joined.continues = False
        system.append(joined)
    report = evaluate(stories(True), system)
    assert report["LAS"].f1 == report["Sentences"].f1 == 100
    assert sum("matched by" in note for note in report.notes) == 2


def test_pieces_of_a_document_stay_together() -> None:
    gold, parts = stories(True), []
    for doc in stories(True)[::-1]:
        middle = int(doc.sentence_bounds[1])
        parts += [doc.cut(0, middle), doc.cut(middle, doc.n_tokens)]
    assert evaluate(gold, parts)["LAS"].f1 == 100


def test_what_gold_does_not_know_stays_behind_its_neighbour() -> None:
    gold = stories(True)
    system = [gold[2], titled("quite another titled", "new", 90), gold[0], gold[1]]
    report = evaluate(gold, system)
    words = sum(doc.n_words for doc in gold[:3])
    assert (report["LAS"].correct, report["LAS"].system) == (words, words + 3)
    assert report["Sentences"].recall == 75


@pytest.mark.parametrize("seed", range(3))
def test_sentences_are_matched_by_their_id(seed: int) -> None:
    """One document without a name, its sentences shuffled; more of them than are cut at a time."""
    rng = random.Random(seed)
    count = 120
    words = "alpha beta gamma delta epsilon zeta eta theta".split()  # noqa: SIM905
    text = " | ".join(" ".join(rng.choices(words, k=rng.randint(2, 7))) for _ in range(count))
    gold = titled(text, None)
    bounds = gold.sentence_bounds.tolist()
    order = list(range(count))
    rng.shuffle(order)
    shuffled = Document.join([gold.cut(bounds[i], bounds[i + 1]) for i in order])
    report = evaluate(gold, shuffled)
    assert report["LAS"].f1 == report["Sentences"].f1 == report["Tokens"].f1 == 100
    assert any("matched by sent_id" in note for note in report.notes)


def test_names_that_occur_twice_say_nothing() -> None:
    gold = [titled(text, "d", 0) for text in TEXTS]
    assert not any("matched by" in note for note in evaluate(gold, gold[::-1]).notes)


def test_nothing_is_moved_where_the_text_is_the_same() -> None:
    gold, system = stories(True), stories(True)
    for doc, name in zip(system, "dcba", strict=True):
        doc.id = name
    report = evaluate(gold, system)
    assert report["LAS"].f1 == 100
    assert not report.notes or not any("matched by" in note for note in report.notes)
