"""Patterns by example: what each part of the language finds, and what is said of wrong ones."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import UsageError
from caesura.find import Bounds, CutShort, Pattern, PatternError, rewrite, setting


@pytest.fixture
def doc() -> Document:
    """Two sentences: `Old dogs chase young cats .` and `Dogs sleep .`"""
    rows = [
        # form, lemma, upos, feats, head, deprel
        ("Old", "old", "ADJ", "", 1, "amod"),
        ("dogs", "dog", "NOUN", "Number=Plur", 2, "nsubj"),
        ("chase", "chase", "VERB", "Mood=Ind|Number=Plur", -1, "root"),
        ("young", "young", "ADJ", "", 4, "amod"),
        ("cats", "cat", "NOUN", "Number=Plur", 2, "obj"),
        (".", ".", "PUNCT", "", 2, "punct"),
        ("Dogs", "dog", "NOUN", "Number=Plur", 7, "nsubj:pass"),
        ("sleep", "sleep", "VERB", "Mood=Ind", -1, "root"),
        (".", ".", "PUNCT", "", 7, "punct"),
    ]
    text = "Old dogs chase young cats. Dogs sleep."
    starts = [0, 4, 9, 15, 21, 25, 27, 32, 37]
    ends = [3, 8, 14, 20, 25, 26, 31, 37, 38]
    doc = Document.from_spans(text, starts, ends, id="pets")
    doc.sent_start[:] = [1, 0, 0, 0, 0, 0, 1, 0, 0]
    for column, at in (("lemma", 1), ("upos", 2), ("feats", 3), ("deprel", 5)):
        doc.set_column(column, [str(row[at]) for row in rows])
    doc.head = np.array([row[4] for row in rows], dtype=np.int32)
    doc.comments = {0: ("# sent_id = s1", "# speaker = Ada"), 6: ("# sent_id = s2",)}
    return doc


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[upos=NOUN]", ["dogs", "cats", "Dogs"]),
        ("[upos=NOUN|VERB, lemma!=dog]", ["chase", "cats", "sleep"]),
        ("[upos=NOUN & id=2]", ["dogs"]),
        ("[form=/dogs?/i]", ["dogs", "Dogs"]),
        ("[upos=ADJ | lemma=cat]", ["Old", "young", "cats"]),
        ('[form="."]', [".", "."]),
        ("[Number=Plur, !Mood]", ["dogs", "cats", "Dogs"]),
        ("[feats.Mood]", ["chase", "sleep"]),
        ("[deprel=nsubj]", ["dogs"]),
        ("[deprel=nsubj:*]", ["dogs", "Dogs"]),
        ("[udeprel=nsubj]", ["dogs", "Dogs"]),
        ("[sdeprel=pass]", ["Dogs"]),
        ("[misc.SpaceAfter=No]", ["cats", "sleep"]),
        ("[upos=NOUN, speaker=Ada]", ["dogs", "cats"]),
        ("[upos=NOUN, sent.id=s2]", ["Dogs"]),
        ("[upos=VERB, sent.length<4, doc.id=pets]", ["sleep"]),
        ("[head=0, children>2]", ["chase"]),
        ("[depth>=2]", ["Old", "young"]),
        ("[upos=VERB] >nsubj [upos=NOUN]", ["dogs chase"]),
        ("[upos=VERB] >nsubj:* []", ["dogs chase", "Dogs sleep"]),
        ("[] <amod []", ["Old dogs", "young cats"]),
        ("x -[nsubj]-> y", ["dogs chase"]),
        ("[upos=VERB] >nsubj [] >obj []", ["dogs chase cats"]),
        ("[upos=VERB] >obj ([] >amod [])", ["chase young cats"]),
        ("[upos=VERB] >> [upos=ADJ]", ["Old chase", "chase young"]),
        ("[upos=ADJ] <<{2} []", ["Old chase", "chase young"]),
        ("[upos=NOUN] $ [upos=NOUN]", ["dogs cats"]),
        ("[upos=NOUN] $+ []", ["dogs cats", "cats .", "Dogs ."]),
        ("[upos=ADJ] . [upos=NOUN]", ["Old dogs", "young cats"]),
        ("[upos=ADJ] ..{2,3} []", ["Old chase", "Old young", "young ."]),
        ("[upos=PUNCT] - []", ["cats .", "sleep ."]),
        ("[upos=VERB] !>obj []", ["sleep"]),
        ("[upos=NOUN] !>amod [lemma=old]", ["cats", "Dogs"]),
        ("[upos=VERB] (>obj []=x | >nsubj:pass []=x)", ["chase cats", "Dogs sleep"]),
        ("x[upos=NOUN]; y[upos=NOUN, feats.Number=x.feats.Number]; x .. y", ["dogs cats"]),
        ("[lemma=chase] | [lemma=sleep]", ["chase", "sleep"]),
        ("v[upos=VERB]; !(v >amod [] | v >obj [])", ["sleep"]),
        ("v[upos=VERB] >nsubj:* x[] !> [upos!=PUNCT, id!=x.id]", ["Dogs sleep"]),
        ("v[upos=VERB] > x[] !> [upos=PUNCT]", []),
        ("r[head=0]; !([upos=VERB])", []),
        ("r[head=0]; !(a[upos=NOUN]; b[upos=NOUN])", ["sleep"]),
    ],
)
def test_what_a_pattern_finds(doc: Document, pattern: str, expected: list[str]) -> None:
    found = [" ".join(word.form for word in match.words) for match in doc.find(pattern)]
    assert found == expected


def test_a_match_knows_its_words_by_name(doc: Document) -> None:
    match = doc.find("v[upos=VERB] >nsubj s[] >obj []")[0]
    assert match["v"].form == "chase"
    assert match.get("o") is None
    assert match.named == {"v": 2, "s": 1}
    assert match.indices == (1, 2, 4)
    assert match.sentence.id == "s1"
    assert repr(match) == "<Match s=dogs v=chase cats>"
    with pytest.raises(KeyError, match="its names are: v, s"):
        _ = match["o"]


def test_a_match_is_plain_data(doc: Document) -> None:
    (match,) = doc.find("[upos=VERB, sent.id=s2]=v > [upos=PUNCT]")
    data = match.to_dict()
    assert data["nodes"] == {"v": 7}
    assert (data["document"], data["sent_id"], data["sentence"]) == ("pets", "s2", 1)
    assert data["text"] == "Dogs sleep."
    verb, stop = data["words"]
    assert (verb["name"], verb["word"], verb["id"], verb["head"]) == ("v", 7, 2, 0)
    assert (stop["name"], stop["head"], stop["start"], stop["end"]) == (None, 2, 37, 38)


def test_a_name_bound_in_one_alternative_only_is_missing_in_the_other(doc: Document) -> None:
    first, second = doc.find("v[upos=VERB] >obj o[] | v[upos=VERB] >nsubj:pass s[]")
    assert first.named == {"v": 2, "o": 4}
    assert second.named == {"v": 7, "s": 6}


@pytest.mark.parametrize(
    ("pattern", "at", "said"),
    [
        ("", 0, "empty"),
        ("[upos=NOUN", 10, "character 1 is still open"),
        ("[upos=NOUN]]", 11, "not open"),
        ("[colour=red]", 1, "no attribute 'colour'"),
        ("[upos=]", 6, "must be a value"),
        ("[upos=NOUN] [upos=VERB]", 12, "between two words"),
        ("[] >nsubj", 9, "must be a word"),
        ("[] >x", 5, "must be a word"),
        ("[] % []", 3, "is no relation"),
        ("[] >{2} []", 4, "takes no distance"),
        ("[] ..{3,1} []", 5, "no distance from 3 to 1"),
        ("[] ..{0} []", 5, "no distance from 0"),
        ('[form="a]', 6, "quotes are not closed"),
        ("[form=/a]", 6, "is not closed"),
        ("[form=/(/]", 8, "regular expression is wrong"),
        ("[id>many]", 4, "must be a number"),
        ("[lemma=y.lemma]", 7, "no word 'y'"),
        ("!([])", 0, "no word to find"),
        ("! []", 2, "must be ("),
        ("x > x", 2, "to itself"),
        ("x[]=y", 4, "has a name already"),
        ("[]=", 3, "must be the name"),
        ("([] > []) . []", 10, "cannot have a relation"),
        ("[] (| > [])", 4, "must be a relation"),
        ("; ".join(["([]|[])"] * 9), 0, "multiply to more than 200"),
        ("; ".join(["[]"] * 41), 160, "more than 40 words"),
        ("(" * 50, 40, "nested more than 40"),
        ("[]" + " " * 10_000, 10_000, "more than 10,000 characters"),
        ("; ".join(f"x{n}[id={n}]" for n in range(70)), 0, "more than"),
    ],
)
def test_errors_point_at_the_character(pattern: str, at: int, said: str) -> None:
    with pytest.raises(PatternError, match="character") as caught:
        Pattern(pattern)
    error = caught.value
    assert said in str(error)
    if said not in ("more than",):
        assert error.at == at
    assert error.exit_status == 2
    assert pickle.loads(pickle.dumps(error)).at == error.at


def test_the_caret_stands_below_the_character() -> None:
    with pytest.raises(PatternError) as caught:
        Pattern("[form=漢字, kolour=x]")
    assert caught.value.caret == "  [form=漢字, kolour=x]\n" + " " * 14 + "^"


def test_only_a_string_is_a_pattern(doc: Document) -> None:
    with pytest.raises(UsageError, match="not int"):
        doc.find(5)  # type: ignore[arg-type]


def test_an_expression_that_explodes_is_an_error() -> None:
    doc = Document.from_spans("a" * 60, [0], [60])
    with pytest.raises(PatternError, match="takes too long for 'aaa") as caught:
        doc.find("[form=/(a|aa)+b(a|aa)+/ | lemma=x]")
    assert caught.value.at == 6


def test_a_sentence_that_takes_too_many_steps_is_told() -> None:
    n = 60
    doc = Document.from_spans("a " * n, [2 * i for i in range(n)], [2 * i + 1 for i in range(n)])
    with pytest.warns(CutShort, match="sentence 1 took more steps"):
        found = doc.find("a[]; b[]; c[]; d[]; a . b; a[form=b.form]; c .. d")
    assert found.cut == (0,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not doc.find("[] . []").cut
    few = Pattern("[] .. []").find(doc, Bounds(matches=5))
    assert (len(few), few.cut) == (5, (0,))
    with pytest.raises(UsageError, match="at least one"):
        Bounds(steps=0)


def test_patterns_are_copied_and_pickled(doc: Document) -> None:
    pattern = Pattern("[upos=NOUN]=x")
    again = pickle.loads(pickle.dumps(pattern))
    assert again == copy.deepcopy(pattern) == pattern
    assert again.names == ("x",)
    assert len(again.find(doc)) == 3


def test_a_document_without_words_has_no_match() -> None:
    assert len(Document().find("[]")) == 0


def test_sentences_with_their_matches(doc: Document) -> None:
    found = [(s.id, len(matches)) for s, matches in doc.find("[upos=NOUN]").by_sentence()]
    assert found == [("s1", 2), ("s2", 1)]


def test_heads_outside_a_sentence_are_none() -> None:
    doc = Document.from_spans("a b", [0, 2], [1, 3])
    doc.sent_start[:] = [1, 1]
    doc.head = np.array([1, -1], dtype=np.int32)
    assert len(doc.find("[] > []")) == 0
    assert len(doc.find("[head]")) == 1


def test_who_speaks(doc: Document) -> None:
    """Turns tell it where there are some, else the comment."""
    assert [match.first.form for match in doc.find("[upos=VERB, !speaker]")] == ["sleep"]
    doc.turn_start, doc.turn_end = np.array([0, 27]), np.array([26, 38])
    doc.turn_speaker = doc.strings.ids(["Ben", "Cleo"])
    doc.turn_time = np.full((2, 2), np.nan)
    assert [match.first.form for match in doc.find("[upos=VERB, speaker=Cleo]")] == ["sleep"]


def test_all_matches_as_plain_data(doc: Document) -> None:
    data = doc.find("x[upos=VERB]").to_dict()
    assert [match["nodes"] for match in data["matches"]] == [{"x": 2}, {"x": 7}]
    assert data["cut"] == []


def test_the_first_word_is_the_one_that_is_mentioned_first(doc: Document) -> None:
    (match,) = doc.find("[upos=NOUN] <nsubj v[]")
    assert match.first.form == "dogs"
    assert doc.find("[upos=NOUN] <nsubj v[]").column().tolist() == [1]


def test_confidences_are_asked_for_as_in_misc(doc: Document) -> None:
    doc.arc_conf = np.array([0.5, np.nan, 1, 1, 0.25, 1, 1, 1, 1], dtype=np.float32)
    assert [m.words[0].form for m in doc.find("[misc.ArcConf<0.9]")] == ["Old", "cats"]
    doc.sent_conf = np.array([1, 1, 1, 1, 1, 1, 0.5, 1, 1], dtype=np.float32)
    assert [m.words[0].form for m in doc.find("[misc.SentConf<0.9]")] == ["Dogs"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("lemma", "hound"), ("upos", "PROPN"), ("deprel", "obj"), ("feats", "Number=Sing"),
     ("misc", "Gloss=Hunde"), ("xpos", "NN")],
)  # fmt: skip
def test_a_rewritten_document_is_one_whose_words_were_set(
    doc: Document, name: str, value: str
) -> None:
    """Confidences too: what was set by hand has none, by whichever way."""
    doc.arc_conf = doc.tag_conf = np.full(doc.n_words, 0.5, np.float32)
    before = doc.copy()
    by_hand = doc.copy()
    for word in (1, 6):
        setattr(by_hand[word], name, value)
    pattern = Pattern("x[lemma=dog]")
    done = rewrite(pattern.find(doc), [setting(f'x.{name}="{value}"', pattern.names)])
    assert done.doc == by_hand
    for column in ("arc_conf", "tag_conf"):
        assert np.array_equal(getattr(done.doc, column), getattr(by_hand, column), equal_nan=True)
    assert doc == before
    assert len(done.changes) == 2
