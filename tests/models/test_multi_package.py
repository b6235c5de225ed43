"""The package of many languages as it ships: found whole, and right on plain sentences."""

from __future__ import annotations

import importlib.util
import unicodedata
import warnings
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.document import Document
from caesura.language.box import BOX
from caesura.models.store import digest
from caesura.pipeline import Pipeline
from tests.pipeline.laws import check

PACKAGE = Path(__file__).parents[2] / "packages" / "multi" / "src" / "caesura_multi"

pytestmark = pytest.mark.skipif(
    not (PACKAGE / "multi.caesura").exists(), reason="packages/multi is not in this copy"
)

#: Sentences of our own with the root of each.
PLAIN = {
    "da": ("Drengen læser en bog i haven.", "læser"),
    "de": ("Die Kinder spielen im Garten.", "spielen"),
    "es": ("La niña lee un libro en la escuela.", "lee"),
    "fr": ("Le garçon mange une pomme dans la cuisine.", "mange"),
    "fi": ("Poika lukee kirjaa puutarhassa.", "lukee"),
    "it": ("Il bambino mangia una mela in cucina.", "mangia"),
    "pl": ("Chłopiec czyta książkę w ogrodzie.", "czyta"),
    "ru": ("Мальчик читает книгу в саду.", "читает"),
    "tr": ("Çocuk bahçede kitap okuyor.", "okuyor"),
    "zh": ("我喜欢这本书。", "喜欢"),
}


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return caesura.load(str(PACKAGE / "multi.caesura"))


def quietly(nlp: Pipeline, text: str) -> Document:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nlp(text)


def test_the_file_is_the_one_that_the_package_names(nlp: Pipeline) -> None:
    spec = importlib.util.spec_from_file_location("caesura_multi", PACKAGE / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    said = module.model()
    assert said["sha256"] == digest(PACKAGE / "multi.caesura")
    assert Path(said["path"]).name == "multi.caesura"
    assert sorted(nlp.file.meta["languages"]) == sorted(BOX)
    assert sorted(nlp.file.meta["by_language"]) == sorted(BOX), "each has its scores and licences"
    assert (PACKAGE / "multi.caesura").stat().st_size <= 80_000_000


@pytest.mark.parametrize("code", PLAIN)
def test_plain_sentences_have_the_right_roots(nlp: Pipeline, code: str) -> None:
    text, root = PLAIN[code]
    doc = quietly(nlp.with_search(language=code), text)
    check(doc, text)
    (sentence,) = doc.sentences
    assert [word.form for word in sentence.words if word.head is None] == [root]


def test_the_language_of_each_paragraph_is_recognised(nlp: Pipeline) -> None:
    danish = "Båden kommer ikke i dag, og ingen ved hvorfor. Fiskerne sidder på kajen og taler."
    german = "Das Boot kommt heute nicht, und niemand weiß warum. Die Fischer sitzen auf der Mauer."
    doc = quietly(nlp, f"{danish}\n\n{german}")
    assert doc.token_language is not None
    found = [doc.strings[i] for i in doc.token_language.tolist()]
    assert {found[0], found[-1]} == {"da", "de"}
    assert len(doc.sentences) == 4


@pytest.mark.parametrize(
    "text",
    [
        "Båden kommer ikke. 他们今天没有来。 Лодка не пришла. The boat is late.",
        "قال John Smith إن القارب لم يأت اليوم، وكتب Mary Jones رسالة.",
        "xqz vrtkk bbbp 12 # @@ zzzzz qqq " * 20,
        "他们今天没有来港口因为天气很不好" * 60,
        "เรือไม่มาวันนี้และไม่มีใครรู้ว่าทำไม" * 30,
        unicodedata.normalize("NFD", "Där låg båten än, sade hon. Müller kam später."),
        "👩‍👩‍👧 🙏🙏🌹 ok",
        "",
    ],
)
def test_bad_input_gets_a_result_whose_offsets_hold(nlp: Pipeline, text: str) -> None:
    doc = quietly(nlp, text)
    check(doc, text)
    assert np.all(doc.token_start < doc.token_end)
