"""Places where a sentence surely ends at its mark, with or without a blank behind it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.constraints import fixed_starts
from caesura.document import NO, YES, Document
from caesura.document.characters import code_points
from caesura.layout import ENDED, LayoutReader, breaks
from caesura.tokenize import RuleTokenizer


def parts(text: str) -> list[str]:
    """A text cut at the sure places; each character that is no blank is a token."""
    doc = characters(text)
    at = doc.token_start[breaks(doc) == ENDED].tolist()
    return [text[a:b].strip() for a, b in zip([0, *at], [*at, len(text)], strict=True)]


def characters(text: str) -> Document:
    starts = [at for at, sign in enumerate(text) if not sign.isspace()]
    return Document.from_spans(text, starts, [at + 1 for at in starts])


@pytest.mark.parametrize(
    "text",
    [
        "これはペンです。|それはマーカーです。",
        "すごい！！|やった！",
        "你好！|我是小王。",
        "他说：“我不去。”|大家都很惊讶。",
        "Πού πας; |Στο σπίτι.",
        "Τι κάνεις;|Καλά είμαι.",
        "ما اسمك؟|اسمي أحمد.",
        "هل وصلت الرسالة؟ |لا أعرف.",
        "وصل القطار. |ذهبنا إلى البيت.",
        "वह घर गया।|वह सो गया।",
        "ሰላም ነው።|እንዴት ነህ፧|ደህና ነኝ።",
        "Դուռը բացվեց։|Ոչ ոք չկար։",
        "문이 열렸다.|아무도 없었다.",
        "Yes.|No.|Maybe.",
        "Done . . . . |Next we go.",
    ],
)
def test_a_final_mark_ends_a_sentence_in_its_script(text: str) -> None:
    assert parts(text.replace("|", "")) == [part.strip() for part in text.split("|")]


@pytest.mark.parametrize(
    "text",
    [
        "他想了想……还是没有回答。",  # an ellipsis is weak
        "「行くの？」と聞いた。",  # a question within a quotation
        "「もう帰るよ。」と兄は言った。",  # a particle behind a quotation
        "「帰る。急ぐ。」",  # both are inside of one quotation
        "モーニング娘。の新曲",
        "（详见第3章。）",
        "価格は3.5万円です",
        "«Πού πας;» ρώτησε η Μαρία.",
        "Ήρθε ο κ. Παπαδόπουλος.",
        "د. أحمد هنا",  # one letter and a period: Dr.
        "จ.เชียงใหม่ สน. เตาปูน",
        "Dr. Smith met J.R.R. Tolkien at 5 p.m. sharp.",
        "See README.md, Example.com and www.Example.Org.",
        "“Great!” Tom said.",
        "U.S.A., Ph.D. and the S.E.C.",
        "Wait... What? Yes!",  # marks with blanks are for models to decide
        "ဤသည်၊ထို",
        "the founder, Dr.Michael Brown",
        "Node.JS and ASP.NET",
    ],
)
def test_other_places_are_left_to_models(text: str) -> None:
    assert parts(text) == [text.strip()]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ('"Great!" Tom said.', 9),
        ("“What is this?” Mr. Brown wondered.", 16),
        ("Wait . . . what?", 11),
    ],
)
def test_a_sentence_goes_on(text: str, at: int) -> None:
    doc = characters(text)
    fixed = fixed_starts(doc)
    assert fixed is not None
    assert fixed[doc.token_start == at].tolist() == [NO]


@pytest.mark.parametrize("text", ['"Great!" She said no.', '"Great!" Tom left.', "Wait ... what"])
def test_other_quotations_are_left_to_models(text: str) -> None:
    assert fixed_starts(characters(text)) is None


def test_the_place_is_fixed_unless_the_caller_fixed_it() -> None:
    doc = characters("你好！我是小王。")
    fixed = fixed_starts(doc)
    assert fixed is not None
    assert fixed[2:4].tolist() == [NO, YES]
    doc.fixed = frozenset({"sentences"})
    doc.sent_start = np.array([1, 0, 0, 0, 0, 0, 0, 0], np.int8)
    fixed = fixed_starts(doc)
    assert fixed is not None
    assert fixed.tolist() == doc.sent_start.tolist()


def test_the_tokeniser_by_rule_obeys_a_place() -> None:
    doc = RuleTokenizer().tokenize("হ্যাঁ।না।")
    assert [one.text for one in doc.sentences] == ["হ্যাঁ।", "না।"]


@given(
    st.text(alphabet="字あبΠa.!？。;؟”“」「(Aአ። \n", max_size=300),
    st.lists(st.integers(1, 90), max_size=6),
)
def test_blocks_give_the_places_of_the_whole(text: str, sizes: list[int]) -> None:
    doc = characters(text)
    reader = LayoutReader()
    at = 0
    for size in sizes:
        reader.feed(code_points(text[at : at + size]))
        at += size
    reader.feed(code_points(text[at:]), last=True)
    found = reader.take(doc.token_start.astype(np.int64), doc.token_end.astype(np.int64))
    assert (found == ENDED).tolist() == (breaks(doc) == ENDED).tolist()
