"""Running the network without PyTorch: windows of a document in, scores of its words out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import ModelError
from caesura.layout.codes import BLANK, PARAGRAPH
from caesura.models.store import without
from caesura.neural.evidence import log_odds
from caesura.neural.examples import paragraph_features, word_features
from caesura.neural.graph import check_graph, check_promises, unlike
from caesura.neural.languages import Languages
from caesura.neural.providers import CPU, check_used, providers, runs_by_torch
from caesura.neural.subwords import Subwords
from caesura.neural.surgery import COLUMNS, WIDTHS, only, with_columns, without_mask
from caesura.neural.windows import Batch, Window, batch, overlapping

__all__ = ["OUTPUTS", "TAGS", "Encoder", "Scores"]

Floats = NDArray[np.float32]

TAGS: Final = ("upos", "xpos", "feats", "lemma")
_INPUTS: Final = ("ids", "mask", "word", "first", "last", "features")
OUTPUTS: Final = ("start", *TAGS, "arc", "label_dep", "label_head")
#: Sub-words of a window, and how many of them two windows share.
LIMIT: Final = 510
OVERLAP: Final = 96
#: The most that is read at once: attention to half as many sub-words is half the work, and costs
#: no accuracy that shows (LAS on EWT and GUM dev within 0.1). A network of many languages, which
#: knows less of each, reads all that it can: that is worth 0.3 LAS and more.
READ: Final = 254
#: Log-odds of the tokeniser from which on the windows of such a network may end before a word:
#: they need not overlap there, and cost no more than shorter ones.
_SURE: Final = 2.0
#: Before what the layout says that a paragraph starts.
_PARAGRAPHS: Final = (BLANK, PARAGRAPH)
#: Windows that a card reads at once, and sub-words, where it reads several documents.
_AT_ONCE: Final = 32
_PIECES: Final = 16384


@dataclass
class Scores:
    """What the network says of each word of a document.

    `arcs[d, j]` is the score of head `base[d] + j - 1` for word d, where j = 0 is the root;
    `sizes[d]` counts the heads.
    """

    start: Floats
    tags: dict[str, Floats]
    arcs: Floats
    base: NDArray[np.int32]
    sizes: NDArray[np.int32]
    label_dep: Floats
    label_head: Floats
    label_root: Floats
    #: The language of each word, in a network of many.
    languages: NDArray[np.int64] | None = None
    #: Which lemma rules and columns of FEATS `tags` has scores of: those of the languages; None:
    #: of all.
    rules: NDArray[np.int64] | None = None
    values: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class _Reading:
    """What a network reads of a document."""

    pieces: NDArray[np.int32]
    #: Where the sub-words of each word begin; one more than words.
    pointer: NDArray[np.int64]
    features: NDArray[np.int64]
    windows: list[Window]

    @property
    def width(self) -> int:
        """Heads that a word may have in the longest window."""
        return max((w.last - w.first for w in self.windows), default=0) + 1


class Encoder:
    """A network in an ONNX file, with its sub-word vocabulary. Threads may share one."""

    def __init__(
        self,
        graph: NDArray[np.uint8],
        subwords: Subwords,
        *,
        limit: int = LIMIT,
        threads: int = 1,
        layout: bool = True,
        widths: Mapping[str, int] | None = None,
        languages: Languages | None = None,
        outputs: tuple[str, ...] = OUTPUTS,
        device: str = "cpu",
    ) -> None:
        """With some `outputs` alone the rest of the network is left out."""
        try:
            import onnxruntime as ort
        except ImportError as error:
            raise _no_runtime(error) from error
        data = graph.data
        check_graph(data)
        #: Numbers that each output has for a word: as many as there are labels.
        self.widths = dict(widths or {})
        #: Windows that are read at once. A processor reads one as quickly as several, and nothing
        #: is padded; a card wants many.
        self.at_once = 1 if device == CPU else _AT_ONCE
        available = ort.get_available_providers()
        self.session: Any
        #: Whether the session can leave out lemma rules and values of features.
        self.picks = False
        #: Whether PyTorch runs it.
        self.by_torch = runs_by_torch(device, available)
        if self.by_torch:
            from caesura.neural.torch_session import TorchSession

            self.session = TorchSession(data.tobytes(), device)
        else:
            chosen = providers(device, available)
            tags = [self.widths.get(name, 0) for name in TAGS] if languages is not None else None
            self.session, self.picks = self._session(ort, data, threads, chosen, outputs, tags)
            check_used(device, self.session)
            check_promises(self.session, {"start": 0, **self.widths})
        self.outputs = outputs
        self.subwords = subwords
        self.limit = limit
        self.threads = threads
        self.device = device
        #: Whether it was trained to see where lines end; older ones see paragraphs.
        self.layout = layout
        #: Those of a network of many.
        self.languages = languages

    @staticmethod
    def _session(
        ort: Any,
        data: memoryview,
        threads: int,
        chosen: list[str],
        outputs: tuple[str, ...],
        tags: list[int] | None,
    ) -> tuple[Any, bool]:
        """A session of onnxruntime, and whether it takes the columns of tags that are wanted.

        With `tags`, their widths, it does where it can.
        """
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            # It is large, so no more than one copy is there when the runtime reads it.
            changed = without_mask(data)
            if outputs != OUTPUTS:
                changed = only(changed, outputs)
            elif tags is not None:
                changed = with_columns(changed, tags, TAGS)
            session = ort.InferenceSession(changed, options, providers=chosen)
        except Exception as error:  # onnxruntime has no common class for its errors
            raise ModelError("its network cannot be read by onnxruntime") from error
        names = [entry.name for entry in session.get_inputs()]
        gives = [entry.name for entry in session.get_outputs()]
        picks = tags is not None and COLUMNS in names
        names = [name for name in names if not (picks and name in (COLUMNS, WIDTHS))]
        if sorted(names) != sorted(_INPUTS) or sorted(gives) != sorted(outputs):
            raise ModelError(
                f"its network takes {', '.join(names)} and not {', '.join(_INPUTS)}",
                remedy="The file was made by another program or version; train or fetch it again.",
            )
        return session, picks

    def scores(self, doc: Document, spans: Sequence[tuple[int, int]] | None = None) -> Scores:
        """The scores of all words of a document, read in windows that overlap.

        With `spans` of words only those are read; a start has the score 0 elsewhere.
        """
        n = doc.n_words
        spoken = rules = values = None
        if self.languages is not None:
            spoken = self.languages.numbers(doc)
            rules, values = self.languages.rules(spoken), self.languages.values(spoken)
        text = self._reading(doc, spoken, spans)
        few = {name: own for name, own in (("feats", values), ("lemma", rules)) if own is not None}
        picked = self._picked(few)
        found: Scores | None = None
        for at in range(0, len(text.windows), self.at_once):
            group = text.windows[at : at + self.at_once]
            inputs = self._batch(text, group)
            out = dict(zip(self.outputs, self._run(inputs, few, picked), strict=True))
            if found is None:
                found = _empty(n, text.width, out)
            for row, window in enumerate(group):
                _keep(found, out, row, window)
        if found is None:
            found = replace(_nothing(), start=np.zeros(n, np.float32))
        found.languages, found.rules, found.values = spoken, rules, values
        return found

    def scores_of(self, docs: Sequence[Document]) -> list[Scores]:
        """The scores of several documents, whose windows a card reads together.

        There they may differ in the last digits from those of each alone.
        """
        if self.at_once == 1 or self.languages is not None:
            return [self.scores(doc) for doc in docs]
        texts = [self._reading(doc) for doc in docs]
        joined, first = _joined(texts)
        windows = [(n, window) for n, text in enumerate(texts) for window in text.windows]
        sizes = [int(texts[n].pointer[w.last] - texts[n].pointer[w.first]) for n, w in windows]
        # Windows of about the same length go together, so that little is padded.
        order = np.argsort(sizes, kind="stable")[::-1].tolist()
        found: list[Scores | None] = [None] * len(docs)
        while order:
            number = max(1, _PIECES // (sizes[order[0]] + 2))
            group, order = [windows[i] for i in order[:number]], order[number:]
            inputs = self._batch(joined, [_moved(window, first[n]) for n, window in group])
            out = dict(zip(self.outputs, self._run(inputs, {}, {}), strict=True))
            for row, (n, window) in enumerate(group):
                own = found[n]
                if own is None:
                    own = found[n] = _empty(docs[n].n_words, texts[n].width, out)
                _keep(own, out, row, window)
        return [
            own if own is not None else replace(_nothing(), start=np.zeros(doc.n_words, np.float32))
            for own, doc in zip(found, docs, strict=True)
        ]

    @property
    def _reads(self) -> int:
        """Sub-words of a window."""
        return self.limit if self.languages is not None else min(self.limit, READ)

    def _reading(
        self,
        doc: Document,
        spoken: NDArray[np.int64] | None = None,
        spans: Sequence[tuple[int, int]] | None = None,
    ) -> _Reading:
        """A document in windows; `spoken` are the languages of its words, in a network of many."""
        limit = self._reads
        pieces, pointer = self.subwords.pieces(doc)
        features = word_features(doc) if self.layout else paragraph_features(doc)
        if spoken is not None:
            features = np.concatenate([features, spoken[:, None]], 1)
        shared = limit * OVERLAP // LIMIT
        ends = self.ends(doc, features) if self.layout else None
        windows = [
            window
            for first, last in ([(0, doc.n_words)] if spans is None else spans)
            for window in overlapping(pointer, first, last, limit, shared, ends)
        ]
        return _Reading(pieces, pointer, features, windows)

    def _batch(self, text: _Reading, windows: Sequence[Window]) -> Batch:
        begin, end, pad = self.subwords.special
        return batch(
            text.pieces, text.pointer, text.features, windows,
            begin_id=begin, end_id=end, pad_id=pad, limit=self._reads,
        )  # fmt: skip

    def ends(self, doc: Document, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """Words before which a window may end, for nobody there needs what is beyond it.

        No sentence runs over the end of a paragraph, nor over what the tokeniser is sure of.
        """
        found = np.isin(features[:, 2], _PARAGRAPHS)
        if self.languages is not None and doc.start_evidence is not None:
            found |= log_odds(doc) > _SURE
        return np.flatnonzero(found)

    def _picked(self, few: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
        """The inputs that name the columns of tags; `few` has those of which not all are wanted."""
        if not self.picks:
            return {}
        columns, first = [], 0
        for name in TAGS:
            columns.append(first + few.get(name, np.arange(self.widths[name])))
            first += self.widths[name]
        return {COLUMNS: np.concatenate(columns), WIDTHS: np.array([len(own) for own in columns])}

    def _run(
        self,
        inputs: Batch,
        few: Mapping[str, NDArray[np.int64]],
        picked: Mapping[str, NDArray[np.int64]],
    ) -> list[Any]:
        """What the network gives out, of some tags the few columns that are wanted."""
        try:
            found = list(self.session.run(list(self.outputs), {**inputs.inputs(), **picked}))
        except Exception as error:  # onnxruntime has no common class for its errors
            said = (str(error).splitlines() or [""])[0]
            raise ModelError(
                f"its network fails: {said[:200]}",
                remedy="Its sub-words or its window may not fit it; train or fetch it again.",
            ) from error
        told = {name: len(own) for name, own in few.items()} if self.picks else {}
        self._check(found, inputs, told)
        for name, own in few.items() if not self.picks else ():
            if name in self.outputs:
                place = self.outputs.index(name)
                found[place] = found[place][:, :, own]
        return found

    def _check(self, found: list[Any], inputs: Batch, picked: Mapping[str, int]) -> None:
        """A graph may have left its dimensions open, or lied."""
        windows, places = inputs.first.shape
        widths = {**self.widths, "start": 0, "arc": places + 1, **picked}
        for name, array in zip(self.outputs, found, strict=True):
            width = widths.get(name, -1)
            rows = places + (name == "label_head")
            shape = (windows, rows, width) if width else (windows, rows)
            if array.dtype != np.float32 or array.ndim != len(shape) or array.shape[0] != windows:
                raise ModelError(f"its network gives something else than numbers for {name}")
            if array.shape[1] != rows:
                raise unlike(f"{name} in all", array.shape[1], rows)
            if width > 0 and array.shape[2] != width:
                raise unlike(name, array.shape[2], width)


def _no_runtime(error: ImportError) -> ModelError:
    """What to say where networks cannot run; linear models can."""
    others = without("neural")
    instead = f", or use a linear model: {', '.join(others)}" if others else ""
    return ModelError(
        f"a neural model needs the package onnxruntime, which cannot be imported here ({error})",
        remedy=f"Install it (pip install onnxruntime){instead}.",
    )


def _joined(texts: Sequence[_Reading]) -> tuple[_Reading, list[int]]:
    """Documents one after the other, as one, and the first word of each; windows are left out."""
    pieces = np.cumsum([0, *(len(text.pieces) for text in texts)])
    words = np.cumsum([0, *(len(text.features) for text in texts)])
    pointers = [text.pointer[:-1] + at for text, at in zip(texts, pieces[:-1], strict=True)]
    joined = _Reading(
        np.concatenate([text.pieces for text in texts]),
        np.concatenate([*pointers, pieces[-1:]]),
        np.concatenate([text.features for text in texts]),
        [],
    )
    return joined, words.tolist()


def _moved(window: Window, by: int) -> Window:
    return Window(
        window.first + by, window.last + by, window.keep_first + by, window.keep_last + by
    )


def _empty(n: int, width: int, out: dict[str, Any]) -> Scores:
    if "arc" not in out:
        return replace(_nothing(), start=np.zeros(n, np.float32))
    return Scores(
        np.zeros(n, np.float32),
        {name: np.zeros((n, out[name].shape[2]), np.float32) for name in TAGS},
        np.full((n, width), -np.inf, np.float32),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros((n, out["label_dep"].shape[2]), np.float32),
        np.zeros((n, out["label_head"].shape[2]), np.float32),
        np.array(out["label_head"][0, 0], np.float32),
    )


def _nothing() -> Scores:
    none = np.zeros((0, 1), np.float32)
    no = np.zeros(0, np.int32)
    return Scores(none[:, 0], dict.fromkeys(TAGS, none), none, no, no, none, none, none[0:0, 0])


def _keep(found: Scores, out: dict[str, Any], row: int, window: Window) -> None:
    keep = slice(window.keep_first, window.keep_last)
    own = slice(window.keep_first - window.first, window.keep_last - window.first)
    heads = window.last - window.first + 1
    found.start[keep] = out["start"][row, own]
    if "arc" not in out:
        return
    for name in TAGS:
        found.tags[name][keep] = out[name][row, own]
    found.arcs[keep, :heads] = out["arc"][row, own, :heads]
    found.base[keep] = window.first
    found.sizes[keep] = heads
    found.label_dep[keep] = out["label_dep"][row, own]
    found.label_head[keep] = out["label_head"][row, own.start + 1 : own.stop + 1]
