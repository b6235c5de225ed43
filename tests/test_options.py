"""Options are declared once: the command line, Python and TOML derive from the same fields."""

from __future__ import annotations

import inspect
from dataclasses import fields

import msgspec
import pytest

from caesura import Pipeline, cli, split
from caesura.errors import UsageError
from caesura.options import KEEP, Asked, AskedLines, Request, declared, help_of
from caesura.serve.messages import CompleteRequest, ParseRequest

HARBOUR = "examples/harbour.conllu"


def test_keywords_of_python_are_fields_of_a_request_with_their_defaults() -> None:
    defaults = {one.name: one.default for one in fields(Request)}
    for function, names in (
        (Pipeline.__call__, Asked),
        (Pipeline.pipe, Asked),
        (split, AskedLines),
    ):
        shown = inspect.signature(function).parameters
        for name in names.__annotations__:
            assert shown[name].default == defaults[name]
            assert shown[name].kind is inspect.Parameter.KEYWORD_ONLY


def test_other_keywords_are_refused() -> None:
    assert Request.of({"keep": ["tags"]}, Asked).keep == ("tags",)
    for name in ("k_best", "beam", "colour"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            Request.of({name: 1}, Asked)
    with pytest.raises(UsageError, match="`keep` is a list of names"):
        Request(keep="tags")  # type: ignore[arg-type]


def test_a_command_has_the_options_that_are_declared_for_it() -> None:
    assert {one.path for one in declared(Request, "tag")} == {
        "regime",
        "threshold",
        "across_turns",
        "confidence",
    }
    assert Request(beam=4, bias=0.5).search == {"beam": 4, "bias": 0.5}


def test_the_server_takes_what_the_command_line_takes() -> None:
    schema = msgspec.json.schema(ParseRequest)["$defs"]["ParseRequest"]["properties"]
    assert schema["across_turns"]["description"] == help_of("across_turns")
    kept = msgspec.json.schema(CompleteRequest)["$defs"]["CompleteRequest"]["properties"]["keep"]
    assert set(kept["items"]["enum"]) == set(KEEP)


def test_the_deprecated_option_names_its_replacement(
    tiny_model: object, capfd: pytest.CaptureFixture[str]
) -> None:
    call = ["parse", HARBOUR, "-m", str(tiny_model)]
    found = []
    for more in (["--keep", "tokens"], ["--keep-tokens"]):
        assert cli.run([*call, *more]) == 0
        found.append(capfd.readouterr())
    assert found[0].out == found[1].out
    assert "--keep NAME is deprecated. Write --keep-tokens." in found[0].err
    assert not found[1].err
    assert list(KEEP) == ["tokens", "sentences", "tags", "lemmas", "heads"]
