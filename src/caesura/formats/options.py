"""Options of readers and writers, and how a reader reports problems.

A reader reports something odd but harmless to the warning sink and continues; under `strict` it
is fatal. A sentence that cannot be read is fatal too, unless `skip_bad` is set: then
it is left out and the sink receives a `Skipped`, so that a caller can count them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from caesura.errors import CaesuraWarning, FormatError, WarningSink, Where
from caesura.options import Fields

_SKIP_REMEDY = "Fix the line, or pass --skip-bad to leave the sentence out."


@dataclass(frozen=True, slots=True)
class Skipped(CaesuraWarning):
    """A sentence (or another unit of a format) that was left out because it cannot be read."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read; a format ignores what does not concern it."""

    #: The name of the file, for messages.
    file: str = "<stream>"
    #: Leave units that cannot be read out instead of stopping at the first.
    skip_bad: bool = False
    #: Make every warning fatal.
    strict: bool = False
    #: Receives each warning; None skips the checks that only give warnings.
    warn: WarningSink | None = None
    encoding: str = "utf-8"
    #: What becomes of bytes that are not of the encoding: "strict" stops, "replace" puts U+FFFD.
    errors: str = "strict"
    #: Yield a document in pieces of about so many tokens, cut between sentences.
    pieces: int | None = None
    #: CoNLL-U, CoNLL-X, tokens: join tokens by a space where the file does not say.
    space: bool = True
    #: CoNLL-U: place tokens where their TokenRange says.
    token_range: bool = False
    #: CoNLL-U, CoNLL-X: record the line of each sentence in `Document.sent_line`.
    lines: bool = False
    #: text: what ends a paragraph ("blank" or "line"); tokens: what is on a line ("sentence" or
    #: "token"); transcript: "srt", "vtt", "ttml" or "speaker"; asr: "json" or "ctm"; fields: "csv",
    #: "tsv", "json" or "jsonl". The file's extension decides otherwise.
    mode: str | None = None

    #: fields: the names of the fields; JSON and JSON Lines are read by them if they are given.
    fields: Fields | None = None

    @property
    def checking(self) -> bool:
        return self.strict or self.warn is not None

    def warning(
        self, what: str, line: int | None = None, *, sent_id: str | None = None, remedy: str = ""
    ) -> None:
        """Report to the sink, or stop if the reader is strict."""
        if self.strict:
            raise FormatError(what, file=self.file, line=line, sent_id=sent_id, remedy=remedy)
        if self.warn is not None:
            where = Where(self.file, line, None, sent_id)
            self.warn(CaesuraWarning(what, where, remedy))

    def error(
        self,
        what: str,
        line: int | None = None,
        column: int | None = None,
        *,
        sent_id: str | None = None,
        remedy: str = _SKIP_REMEDY,
    ) -> FormatError:
        return FormatError(
            what, file=self.file, line=line, column=column, sent_id=sent_id, remedy=remedy
        )

    def skip(self, error: FormatError) -> None:
        """Leave a unit out, or stop."""
        if not self.skip_bad:
            raise error
        if self.warn is not None:
            self.warn(Skipped(f"left out: {error.what}", error.where))

    def with_file(self, file: str) -> ReadOptions:
        return replace(self, file=file)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How to write; a format ignores what does not concern it."""

    #: The name of the file, for messages.
    file: str = "<stream>"
    #: CoNLL-U: write TokenRange=start:end into MISC.
    token_range: bool = False
    #: CoNLL-U: write the confidences that the document has into MISC.
    confidences: bool = True
    #: tokens: "sentence" (one a line) or "token" (one a line, a blank line after a sentence).
    #: transcript: "srt", "vtt" or "speaker"; the file's extension decides otherwise.
    mode: str | None = None
