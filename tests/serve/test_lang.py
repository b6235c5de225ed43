"""A server with a model of many languages: recognised, named in the request or for all of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from caesura.errors import ModelError
from caesura.models import load as load_file
from caesura.models import save

pytest.importorskip("starlette")

from caesura.serve.messages import CompleteRequest, ParseAnswer, ParseRequest
from caesura.serve.models import Models
from caesura.serve.options import ServeOptions
from caesura.serve.parsing import Task, complete
from caesura.serve.refusals import Refused
from caesura.serve.server import named_models
from caesura.serve.wire import JobHead
from caesura.serve.worker import Job
from tests.pipeline.test_languages import TEXTS, home, many_model, multi  # noqa: F401
from tests.serve.conftest import start
from tests.serve.pages import opened, remember, wait_done


def answer(models: Models, text: str, **request: Any) -> ParseAnswer:
    job = Job(JobHead("parse", 600), b"", 600)
    return Task(ParseRequest(text, **request), models, ServeOptions(), job).answer()


def test_the_language_of_a_request_is_obeyed(many_model: Path) -> None:  # noqa: F811
    models = Models({"multi": many_model})
    assert answer(models, TEXTS["da"]).warning is None
    assert answer(models, TEXTS["da"], lang="da").warning is None
    told = answer(models, TEXTS["da"], lang="English").warning
    assert told is not None
    assert "was said to be English" in told
    several = ParseRequest(texts=[TEXTS["da"], TEXTS["de"]], lang="de")
    job = Job(JobHead("parse", 600), b"", 600)
    found = Task(several, models, ServeOptions(), job).answer().results
    assert found is not None
    assert [one.warning is None for one in found] == [False, True]


@pytest.mark.parametrize(
    ("lang", "said"),
    [("klingon", "'klingon' is no language"), ("fi", "The model does not know Finnish")],
)
def test_a_language_that_it_lacks_is_refused(
    many_model: Path,  # noqa: F811
    lang: str,
    said: str,
) -> None:
    with pytest.raises(Refused) as refused:
        answer(Models({"multi": many_model}), TEXTS["da"], lang=lang)
    assert refused.value.status == 422
    assert said in str(refused.value)


def test_a_model_of_one_language_refuses_another(tiny_model: Path, tmp_path: Path) -> None:
    file = load_file(tiny_model)
    english = tmp_path / "english.caesura"
    save(english, file.parts, meta={"name": "english", "language": "en"})
    models = Models({"english": english})
    assert answer(models, TEXTS["en"], lang="en").sentences
    with pytest.raises(Refused, match="is for English, not for Danish"):
        answer(models, TEXTS["en"], lang="da")


def test_a_server_is_for_a_language(multi: Path) -> None:  # noqa: F811
    assert named_models(["en-fast", "multi"]).languages == {}
    assert named_models(["da"]).languages == {"da": "da"}
    found = named_models([None], "da")
    assert (list(found.paths), found.languages) == (["da"], {"da": "da"})
    found = named_models(["multi"], "da")
    assert (list(found.paths), found.languages) == (["multi"], {"multi": "da"})
    assert answer(found, TEXTS["de"]).warning is not None
    with pytest.raises(ModelError, match="there is no model for"):
        named_models([None], "fi")


def test_sentences_say_their_language(many_model: Path) -> None:  # noqa: F811
    models = named_models([str(many_model)])
    (told,) = models.describe({})
    assert told.languages == {"da": "Danish", "en": "English", "de": "German"}
    assert named_models([str(many_model)], "da").describe({})[0].languages is None
    found = answer(models, TEXTS["de"]).sentences
    assert found is not None
    assert {one.lang for one in found} == {"de"}
    fixed = answer(models, TEXTS["da"], lang="en").sentences
    assert fixed is not None
    assert {one.lang for one in fixed} == {"en"}
    job = Job(JobHead("complete", 600), b"", 600)
    again = complete(CompleteRequest(fixed), models, ServeOptions(), job).sentences
    assert again is not None
    assert {one.lang for one in again} == {"en"}
    elsewhere = [msgspec.structs.replace(one, lang="fi") for one in fixed]
    again = complete(CompleteRequest(elsewhere), models, ServeOptions(), job).sentences
    assert again is not None
    assert {one.lang for one in again} == {"da"}


def test_the_page_offers_the_languages_of_a_model(
    browser: Any,
    many_model: Path,  # noqa: F811
    tiny_model: Path,
) -> None:
    models = named_models([str(many_model), str(tiny_model)])
    running, server, thread = start(models, ServeOptions(port=0, workers=1))
    try:
        remember(browser, running, None)
        opened(browser, running)
        label = "document.getElementById('lang').closest('label')"
        assert not browser.run(f"return {label}.hidden")
        shown = browser.run("return [...document.getElementById('lang')].map(o => o.textContent)")
        assert shown == ["recognised", "Danish", "English", "German"]
        browser.fill("#text", TEXTS["da"])
        wait_done(browser)
        assert "recognised: Danish" in browser.run("return window.status_.textContent")
        choose(browser, "lang", "en")
        browser.until("/taken for English/.test(window.status_.textContent)")
        said = browser.run("return window.status_.textContent")
        assert "the text looks like Danish, and was said to be English" in said
        # A boundary that is given keeps the language.
        browser.click("#results .card .gap")
        browser.until("document.querySelector('.pinned')")
        browser.until("/taken for English/.test(window.status_.textContent)")
        # What was chosen outlives a reload.
        time.sleep(0.6)
        opened(browser, running)
        browser.until("/taken for English/.test(window.status_.textContent)")
        assert browser.run("return document.getElementById('lang').value") == "en"
        # A model of one language has nothing to choose from.
        choose(browser, "model", "tiny")
        browser.until(f"{label}.hidden")
        wait_done(browser)
        assert "English" not in browser.run("return window.status_.textContent")
        assert browser.complaints() == []
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def choose(page: Any, where: str, value: str) -> None:
    page.run(
        "const list = document.getElementById(arguments[0]); list.value = arguments[1];"
        "list.dispatchEvent(new Event('change', {bubbles: true}));",
        where,
        value,
    )
