"""The texts that we show come out right in the models that we bundle."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import caesura

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SPEECH = [
    "we waited at the harbour for an hour",
    "nobody came",
    "they did not tell me where they were going",
    "we waited all night",
]


#: The model of a package, which is in a checkout.
LARGE = ROOT / "packages" / "en-large" / "src" / "caesura_en_large" / "en-large.caesura"


@pytest.fixture(scope="module", params=["en", "en-fast", "en-large"])
def nlp(request: pytest.FixtureRequest) -> caesura.Pipeline:
    if request.param != "en-large":
        return caesura.load(request.param)
    if not LARGE.exists():
        pytest.skip("the package en-large is not here")
    return caesura.load(str(LARGE))


def sentences(doc: caesura.Document) -> list[str]:
    return [sentence.text for sentence in doc.sentences]


def test_the_first_example_of_the_readme(nlp: caesura.Pipeline) -> None:
    """The sentences and the words of the treebank beside it."""
    gold = list(caesura.read(EXAMPLES / "harbour.conllu"))[:2]
    doc = nlp((EXAMPLES / "harbour.txt").read_text(encoding="utf-8"))
    assert sentences(doc) == [text for part in gold for text in sentences(part)]
    forms = " ".join(form for part in gold for form in part.column("form"))
    assert " ".join(doc.column("form")) == forms


def test_the_example_of_the_page(nlp: caesura.Pipeline) -> None:
    script = ROOT / "src" / "caesura" / "serve" / "static" / "main.js"
    found = re.search(r"const EXAMPLE = `(.*?)`;", script.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert sentences(nlp(found.group(1))) == SPEECH


def test_the_text_of_the_notebook(nlp: caesura.Pipeline) -> None:
    cells = json.loads((EXAMPLES / "tutorial.ipynb").read_text(encoding="utf-8"))["cells"]
    [code] = [source for cell in cells if "text = " in (source := "".join(cell["source"]))]
    names: dict[str, object] = {"nlp": nlp}
    exec(code, names)
    doc = names["doc"]
    assert isinstance(doc, caesura.Document)
    assert sentences(doc) == SPEECH


def test_every_page_of_html_is_cut_at_its_blocks(nlp: caesura.Pipeline) -> None:
    for document in caesura.read(EXAMPLES / "island.html"):
        found = sentences(nlp(document))
        assert all(text.endswith((".", "?")) for text in found[1:])
        assert not re.search(r"[.?!]", found[0])
