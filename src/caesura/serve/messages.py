"""What travels between the page and the server: requests, sentences, and how they become documents.

A sentence is a declared part of a JSON Lines document, cut into rows: `WordData` has columns of
words under their own names, and both ways lead through `formats.jsonl`. What differs, since a page
shows one sentence and edits it: `head` counts from 1 within the sentence (0 is the root, null is
unknown, as in CoNLL-U), `start_conf` is `sent_conf`, confidences have four digits, and a token has
its text and the gap after it. Offsets are code points of the text that was parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from caesura.document import NO, ROOT, UNKNOWN, YES, Document, Strings, span_of, token_turn
from caesura.formats.jsonl import said, take
from caesura.options import help_of
from caesura.serve.options import VERSION

__all__ = [
    "COLUMNS",
    "VERSION",
    "CompleteRequest",
    "ConvertRequest",
    "DrawAnswer",
    "DrawRequest",
    "Error",
    "ErrorAnswer",
    "EvaluateAnswer",
    "EvaluateRequest",
    "FindAnswer",
    "FindRequest",
    "Health",
    "Index",
    "Limits",
    "MatchData",
    "ModelData",
    "ModelsAnswer",
    "ParseAnswer",
    "ParseRequest",
    "Ready",
    "SentenceData",
    "TextAnswer",
    "TokenData",
    "UDPipeModels",
    "WordData",
    "document_of",
    "sentences_of",
]

Offset = Annotated[int, Meta(ge=0, le=1 << 31)]
Name = Annotated[str, Meta(max_length=300)]
Chance = Annotated[float, Meta(ge=0, le=1)]
#: What is no text is an error of its own, not of the others.
Texts = Annotated[list[Any], Meta(extra_json_schema={"items": {"type": "string"}})]


class WordData(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A word of a sentence."""

    form: str
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    feats: str = ""
    head: int | None = None
    deprel: str = ""
    tag_conf: Chance | None = None
    arc_conf: Chance | None = None


#: The columns of words that travel as they are in JSON Lines, confidences last.
COLUMNS: Final = tuple(name for name in WordData.__struct_fields__ if name != "head")


class TokenData(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A token: its text, the gap after it, how many words it has, how likely a start it is."""

    text: str
    start: Offset
    end: Offset
    after: str = ""
    words: Annotated[int, Meta(ge=1, le=1000)] = 1
    start_conf: Chance | None = None


class SentenceData(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A sentence; `before` is what stands before it at the beginning of a text."""

    start: Offset
    end: Offset
    tokens: list[TokenData]
    words: list[WordData]
    before: str = ""
    #: The speaker and the times (seconds), in a transcript.
    speaker: str = ""
    start_time: float | None = None
    end_time: float | None = None
    #: The code of its language, if the model knows many and this is one of them.
    lang: Name = ""


class ParseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text to parse, or several, and how."""

    text: str | None = None
    #: Several at once, each with an answer of its own; one that is bad has its error there.
    texts: Texts | None = None
    model: Name | None = None
    #: The language of the text, for a model of many; else it is recognised.
    lang: Name | None = None
    #: The name of the document in CoNLL-U and JSON Lines.
    id: Name | None = None
    #: Offsets at which a sentence must start, and must not.
    starts: list[Offset] = []
    joins: list[Offset] = []
    #: Take case and punctuation away first.
    strip: bool = False
    #: Answer line by line as sentences are decided.
    stream: bool = False
    #: Whether to say how sure it is; if nothing is said: in JSON, and not in the other formats.
    confidence: bool | None = None
    across_turns: Annotated[bool, Meta(description=help_of("across_turns"))] = False
    #: So many analyses, the best first.
    k: Annotated[int, Meta(ge=1, le=64)] = 1


class DrawRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences to draw, each as a picture of its own."""

    sentences: Annotated[list[SentenceData], Meta(max_length=100)]
    width: Annotated[int, Meta(ge=150, le=20_000)] = 940
    #: Another analysis of the same text; what differs from it is marked.
    other: Annotated[list[SentenceData], Meta(max_length=100)] | None = None


class CompleteRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences of which something is known; the parser finds the rest.

    Of what `keep` names the known values stay: a tag that is empty and a head that is null are
    open. The label of an arc stays with its head.
    """

    sentences: list[SentenceData]
    model: Name | None = None
    keep: tuple[Literal["tokens", "sentences", "tags", "lemmas", "heads"], ...] = (
        "tokens",
        "sentences",
        "tags",
        "heads",
    )
    confidence: bool = True


class Error(msgspec.Struct, frozen=True):
    """A status of HTTP and one sentence."""

    status: int
    message: str


class TextAnswer(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What became of one of several texts: its sentences, or why there are none."""

    sentences: list[SentenceData] | None = None
    warning: str | None = None
    error: Error | None = None


class ParseAnswer(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """The sentences of a text, several analyses of it, or the results of several texts."""

    version: int
    model: str
    #: The text looks like another language than the model's.
    warning: str | None = None
    sentences: list[SentenceData] | None = None
    analyses: list[list[SentenceData]] | None = None
    results: list[TextAnswer] | None = None
    seconds: float | None = None


class ConvertRequest(ParseAnswer, forbid_unknown_fields=True):
    """Sentences to write as a file; what `parse` answers may be sent as it came."""

    version: int = VERSION
    model: str = ""
    #: May also be said in the address: `?to=conllu`.
    to: Literal["conllu", "jsonl", "svg", "html", "text"] | None = None
    width: Annotated[int, Meta(ge=150, le=20_000)] = 940


class EvaluateRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two annotated files as text."""

    gold: str
    system: str
    format: Literal["conllu", "conllx", "brackets", "jsonl", "tokens"] = "conllu"
    html: bool = False


class DrawAnswer(msgspec.Struct, frozen=True):
    """A picture of each sentence, null for one that is too long; the words that differ."""

    version: int
    pictures: list[str | None]
    differs: list[int]


class EvaluateAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """Scores by metric, as a table of text, and as a page if that was asked for."""

    version: int
    report: dict[str, Any]
    text: str
    html: str | None = None


class FindRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern, and what to look for it in: a text, an answer of `parse`, or a document."""

    pattern: Annotated[str, Meta(min_length=1, max_length=5_000)]
    text: str | None = None
    #: An answer of `parse` (its sentences are enough), or a line of JSON Lines.
    document: dict[str, Any] | None = None
    model: Name | None = None
    #: Matches in the answer, the first ones.
    limit: Annotated[int, Meta(ge=1, le=10_000)] = 1_000


class MatchData(msgspec.Struct, frozen=True):
    """A match: numbers of the document, of its sentence, and of words in that, all from 0."""

    document: int
    sentence: int
    words: list[int]
    nodes: dict[str, int]
    text: str


class FindAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The matches, how many there are in all, and what is missing if a search was cut short."""

    version: int
    matches: list[MatchData]
    found: int
    warning: str | None = None
    #: Of a text that was sent: what was found in it.
    sentences: list[SentenceData] | None = None


# ------------------------------------------------ answers without a worker


class ErrorAnswer(msgspec.Struct, frozen=True):
    """Why a request was refused; the status is also that of the answer."""

    error: Error


class ModelData(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model: its name, its parts once some worker has loaded it, its languages if many."""

    name: str
    default: bool
    loaded: bool
    parts: list[str] | None = None
    #: Of a model of many languages, by their codes; one of them may be asked for as `lang`.
    languages: dict[str, str] | None = None


class ModelsAnswer(msgspec.Struct, frozen=True):
    """The models here; requests that name none get the default."""

    version: int
    models: list[ModelData]


class UDPipeModels(msgspec.Struct, frozen=True):
    """The models as UDPipe's service tells them: the stages of each."""

    models: dict[str, list[str]]
    default_model: str


class Health(msgspec.Struct, frozen=True):
    """That the server lives, and how many of its places are taken."""

    status: str
    version: str
    api: int
    running: int
    places: int


class Ready(msgspec.Struct, frozen=True):
    """That there are workers to send a request to."""

    ready: bool
    workers: int


class Limits(msgspec.Struct, frozen=True):
    """What a request may hold and cost; `seconds` is the time of an answer."""

    max_body: int
    max_chars: int
    max_texts: int
    max_given: int
    seconds: float
    max_k: int
    max_drawn: int


class Index(msgspec.Struct, frozen=True):
    """What the API offers."""

    version: int
    endpoints: list[str]
    limits: Limits


# --------------------------------------------- sentences and documents


def sentences_of(doc: Document, offset: int = 0) -> Iterator[SentenceData]:
    """The sentences of a document; `offset` is where its text begins in a longer one."""
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    first_word = doc.first_word.tolist()
    columns = {name: rows for name in COLUMNS if (rows := _rows(doc, name)) is not None}
    heads = doc.head.tolist()
    edge = _rows(doc, "sent_conf")
    turns = token_turn(doc)
    spoken = None if doc.token_language is None else doc.token_language.tolist()
    for sentence in doc.sentences:
        tokens = []
        for token in range(sentence.first_token, sentence.last_token):
            after = starts[token + 1] if token + 1 < doc.n_tokens else len(doc.text)
            tokens.append(
                TokenData(
                    doc.text[starts[token] : ends[token]],
                    starts[token] + offset,
                    ends[token] + offset,
                    doc.text[ends[token] : after],
                    first_word[token + 1] - first_word[token],
                    None if edge is None else edge[token],
                )
            )
        first, last = first_word[sentence.first_token], first_word[sentence.last_token]
        words = [
            WordData(
                head=_local(heads[word], first, last),
                **{name: rows[word] for name, rows in columns.items()},
            )
            for word in range(first, last)
        ]
        before = doc.text[: sentence.start] if sentence.index == 0 else ""
        yield SentenceData(
            sentence.start + offset,
            sentence.end + offset,
            tokens,
            words,
            before,
            *_turn(doc, turns, sentence.first_token, sentence.last_token - 1),
            "" if spoken is None else doc.strings[spoken[sentence.first_token]],
        )


def _turn(
    doc: Document, turns: NDArray[np.int64], first: int, last: int
) -> tuple[str, float | None, float | None]:
    """The speaker at a token, and the times from it to another token."""
    begin, end = span_of(doc, turns, first, last)
    speaker = doc.strings[int(doc.turn_speaker[turns[first]])] if turns[first] >= 0 else ""
    return speaker, begin, end


def _rows(doc: Document, name: str) -> list[Any] | None:
    """A column as JSON Lines has it, with four digits of confidences."""
    rows = said(doc, name)
    if rows is None or doc.schema.by_name[name].confidence is None:
        return rows
    return [None if value is None else round(value, 4) for value in rows]


def _local(head: int, first: int, last: int) -> int | None:
    if head == ROOT:
        return 0
    return head - first + 1 if first <= head < last else None


def _take_turns(doc: Document, sentences: Sequence[SentenceData]) -> None:
    """Turns of what the sentences say of their speakers; neighbours that say the same are one."""
    bounds = doc.sentence_bounds.tolist()
    turns: list[list[Any]] = []
    for number, sentence in enumerate(sentences):
        said = [sentence.speaker, sentence.start_time, sentence.end_time]
        if bounds[number] == bounds[number + 1] or said == ["", None, None]:
            continue
        start, end = doc.token_start[bounds[number]], doc.token_end[bounds[number + 1] - 1]
        if turns and number and turns[-1][2:] == [*said, number - 1]:
            turns[-1][1], turns[-1][-1] = end, number
        else:
            turns.append([start, end, *said, number])
    doc.turn_start = np.array([turn[0] for turn in turns], np.int64)
    doc.turn_end = np.array([turn[1] for turn in turns], np.int64)
    doc.turn_speaker = doc.strings.ids([turn[2] for turn in turns])
    doc.turn_time = np.array([turn[3:5] for turn in turns], np.float64).reshape(-1, 2)


def document_of(sentences: Sequence[SentenceData]) -> Document:
    """A document of sentences; offsets are counted anew, heads that are none are unknown."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    firsts: list[int] = []
    word_token: list[int] = []
    heads: list[int] = []
    words: list[WordData] = []
    at = 0
    for sentence in sentences:
        number = len(words)
        size = sum(token.words for token in sentence.tokens)
        if size != len(sentence.words):
            raise ValueError(f"a sentence has {len(sentence.words)} words, its tokens {size}")
        parts.append(sentence.before)
        at += len(sentence.before)
        for place, token in enumerate(sentence.tokens):
            word_token += [len(starts)] * token.words
            starts.append(at)
            ends.append(at + len(token.text))
            firsts.append(YES if place == 0 else NO)
            parts += [token.text, token.after]
            at += len(token.text) + len(token.after)
        for word in sentence.words:
            if word.head == 0:
                heads.append(ROOT)
            elif word.head is not None and 0 < word.head <= size:
                heads.append(number + word.head - 1)
            else:
                heads.append(UNKNOWN)
        words += sentence.words
    doc = Document(text="".join(parts), strings=Strings())
    doc.token_start, doc.token_end = np.array(starts, np.int64), np.array(ends, np.int64)
    doc.sent_start = np.array(firsts, np.int8)
    doc.token_misc = np.zeros(len(starts), np.int32)
    doc.word_token = np.array(word_token, np.int32)
    doc.head = np.array(heads, np.int32)
    for name in COLUMNS:
        rows = [getattr(word, name) for word in words]
        if not doc.schema.by_name[name].optional or any(value is not None for value in rows):
            take(doc, name, rows)
    doc.blank_words()
    _take_turns(doc, sentences)
    if doc.arc_conf is not None:
        edges = [token.start_conf for sentence in sentences for token in sentence.tokens]
        take(doc, "sent_conf", edges)
    return doc
