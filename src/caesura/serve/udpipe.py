"""The addresses of UDPipe's REST service, so that its clients can be pointed here.

`/process` takes a form with `data`, `model`, `tokenizer`, `tagger`, `parser`, `input` and `output`,
and answers with `model`, `acknowledgements` and `result`. With all three stages the result is what
`caesura parse` writes, byte for byte. The search decides boundaries and trees together, so all of
it is done even if less is asked for; what was not asked for is then left out.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import msgspec

import caesura
from caesura import formats, transform
from caesura.document import Document
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.options import Request
from caesura.pipeline.run import Failed, Unit, annotate_batch
from caesura.serve.forms import INPUTS, OUTPUTS, ProcessAnswer, ProcessForm, form_of
from caesura.serve.options import ServeOptions
from caesura.serve.parsing import checked_text, documents, real, written
from caesura.serve.refusals import Refused

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline
    from caesura.serve.models import Models
    from caesura.serve.worker import Job

__all__ = ["process"]

#: What may be asked of a text.
STAGES: Final = ("tokenizer", "tagger", "parser")
#: Values of a stage without options.
_PLAIN: Final = ("", "1", "true", "yes", "default")
#: What a tokeniser may be asked for: ranges of characters, lines that are sentences.
_TOKENIZER: Final = ("ranges", "presegmented")
_NAMELESS: Final = "stdin"
_TAGS: Final = ("upos", "xpos", "feats", "lemma")
_TREES: Final = ("head", "deprel")


def process(job: Job, models: Models, options: ServeOptions) -> ProcessAnswer:
    """The answer to a form."""
    fields, files = form_of(job.kind, job.query, job.body)
    if "data" not in fields:
        raise Refused(400, "The field data, which has the text, is missing.")
    try:
        form = msgspec.convert(
            {name: fields[name] for name in ProcessForm.__struct_fields__ if name in fields},
            ProcessForm,
        )
    except msgspec.ValidationError as error:
        raise Refused(400, f"The form is not as it should be: {error}.") from None
    checked_text(form.data, options)
    asked = _Asked(form, PurePosixPath(files["data"]).stem if "data" in files else _NAMELESS)
    name = models.called(form.model)
    nlp = models.get(name)
    job.model = name
    found = _counted(asked.found(nlp, job), job)
    return ProcessAnswer(name, _acknowledgements(name, nlp), _result(asked, found))


def _counted(docs: Iterator[Document], job: Job) -> Iterator[Document]:
    for doc in docs:
        job.words += doc.n_words
        yield doc


def _result(asked: _Asked, docs: Iterator[Document]) -> str:
    how = WriteOptions(file=asked.name, token_range="ranges" in asked.how, mode=asked.output[1])
    if asked.output[0] == "conllu":
        return b"".join(written(docs, "conllu", how)).decode("utf-8")
    stream = io.BytesIO()
    formats.write_stream(docs, stream, asked.output[0], how)
    return stream.getvalue().decode("utf-8")


def _acknowledgements(name: str, nlp: Pipeline) -> list[str]:
    meta: dict[str, Any] = getattr(nlp.file, "meta", {})
    said = [f"Caesura {caesura.__version__}"]
    data, licence = meta.get("trained_on"), meta.get("licence")
    if isinstance(data, list) and data:
        said.append(f"The model {name} was trained on {', '.join(map(str, data))}.")
    if licence:
        said.append(f"The model {name} is under the licence {licence}.")
    return said


class _Asked:
    """A form, understood."""

    def __init__(self, form: ProcessForm, name: str) -> None:
        self.form = form
        self.name = name
        self.tagger, self.parser = (getattr(form, stage) is not None for stage in STAGES[1:])
        self.how = _options("tokenizer", form.tokenizer, _TOKENIZER)
        for stage in STAGES[1:]:
            _options(stage, getattr(form, stage), ())
        self.output = _named("output", form.output, OUTPUTS)
        self.input = _named("input", form.input, INPUTS)
        if form.tokenizer is not None:
            self.input = ("text", None)

    def found(self, nlp: Pipeline, job: Job) -> Iterator[Document]:
        """The documents of the answer."""
        if self.input[0] != "text":
            yield from self._given(nlp, job)
            return
        # As from a file: a byte order mark is left out, and NUL is none of a text.
        reading = ReadOptions(file=self.name)
        raw = io.BytesIO(self.form.data.encode("utf-8"))
        text = "".join(part for part, _ in blocks(raw, reading, whole_lines=False, keep_crlf=True))
        how = Request(newline_is_boundary="presegmented" in self.how)
        for doc in documents(text, self.name, nlp, how, job):
            left_out = (*(() if self.tagger else _TAGS), *(() if self.parser else _TREES))
            yield transform.drop(doc, left_out) if left_out else doc

    def _given(self, nlp: Pipeline, job: Job) -> Iterator[Document]:
        """Documents that came with tokens, which are kept with all that was not asked for."""
        raw = io.BytesIO(self.form.data.encode("utf-8"))
        reading = ReadOptions(file=self.name, mode=self.input[1])
        keep = ["tokens", "sentences"]
        keep += [] if self.tagger else ["tags", "lemmas"]
        keep += [] if self.parser else ["heads"]
        unnamed = 0
        for doc in formats.read_stream(raw, self.input[0], reading):
            job.check()
            if doc.id is None and self.input[0] == "tokens":
                unnamed += 1
                doc.id = self.name if unnamed == 1 else f"{self.name}-{unnamed}"
            if doc.n_tokens and (self.tagger or self.parser):
                doc = self._found(doc, nlp, keep)
            yield doc

    def _found(self, doc: Document, nlp: Pipeline, keep: list[str]) -> Document:
        [event] = annotate_batch(nlp, [Unit(doc, tuple(keep))], Request())
        if isinstance(event, Failed):
            raise real(event.error)
        assert isinstance(event, Document)
        for asked, names in ((self.tagger, _TAGS), (self.parser, _TREES)):
            for name in names if not asked else ():
                if name == "head":
                    event.head = doc.head
                else:
                    event.set_column(name, doc.column(name))
        return event


def _options(stage: str, value: str | None, known: tuple[str, ...]) -> frozenset[str]:
    """The options of a stage, which UDPipe separates by semicolons."""
    if value is None or value.strip().lower() in _PLAIN:
        return frozenset()
    asked = [one.strip() for one in value.split(";") if one.strip()]
    for one in asked:
        if one not in known:
            can = f"can have {', '.join(known)}" if known else "has no options here"
            raise Refused(422, f"The {stage} {can}; one of those that came is none of that.")
    return frozenset(asked)


def _named(
    field: str, value: str, known: dict[str, tuple[str, str | None]]
) -> tuple[str, str | None]:
    # Options of a format stand behind its name.
    name = value.partition("=")[0].strip() or "conllu"
    if name not in known:
        raise Refused(422, f"The {field} is one of {', '.join(known)}.")
    return known[name]
