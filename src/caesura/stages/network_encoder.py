"""Running a network: windows of a document in, scores of its words out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.layout import BLANK, PARAGRAPH
from caesura.stages.network_labels import Languages
from caesura.stages.network_reading import (
    evidence_odds,
    overlapping,
    paragraph_features,
    word_features,
)
from caesura.stages.network_subwords import Subwords
from caesura.stages.network_weights import TAGS, Network

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
T = TypeVar("T")
#: What an engine returns: start, tags, arcs, base, sizes, label_dep, label_head, label_root.
Found = tuple[
    Floats, Floats, Floats, NDArray[np.int32], NDArray[np.int32], Floats, Floats, Floats
]  # fmt: skip

CPU: Final = "cpu"
#: What a network can run on.
DEVICES: Final = (CPU, "cuda")
#: Sub-words of a window, and how many of them two windows share.
LIMIT: Final = 510
OVERLAP: Final = 96
#: The longest window that is read: attention to half as many sub-words is half the work and costs
#: no measurable accuracy (LAS on EWT and GUM dev within 0.1). A network of many languages, which
#: knows less of each, reads up to `LIMIT`, which gains 0.3 LAS and more.
READ: Final = 254
#: The longest window that the core reads, with the two sub-words around it.
_LONGEST: Final = 1054
#: Log-odds of the tokeniser from which on the windows of such a network may end before a word:
#: they need not overlap there, and cost no more than shorter ones.
_SURE: Final = 2.0
#: Layout codes before which a paragraph starts.
_PARAGRAPHS: Final = (BLANK, PARAGRAPH)
_AGAIN: Final = "The file is damaged; train or fetch it again."


@dataclass
class Scores:
    """The scores of the words of a document.

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
    languages: Ints | None = None
    #: The lemma rules and columns of FEATS that `tags` has scores of; None: of all.
    rules: Ints | None = None
    values: Ints | None = None

    def part(self, first: int, last: int) -> Scores:
        """The scores of some words whose heads are among them."""
        own = slice(first, last)
        width = int(self.sizes[own].max(initial=1))
        return replace(
            self,
            start=self.start[own],
            tags={name: points[own] for name, points in self.tags.items()},
            arcs=np.ascontiguousarray(self.arcs[own, :width]),
            base=self.base[own] - np.int32(first),
            sizes=self.sizes[own],
            label_dep=self.label_dep[own],
            label_head=self.label_head[own],
            languages=None if self.languages is None else self.languages[own],
        )


class _Text(NamedTuple):
    """The input of an engine for one or more documents."""

    pieces: NDArray[np.int32]
    #: Where the sub-words of each word begin; one more than words.
    pointer: Ints
    features: Ints
    #: Rows of first, last, keep_first and keep_last: see `reading.Window`.
    windows: Ints


class Encoder:
    """A network with its sub-word vocabulary. Threads may share one."""

    def __init__(
        self,
        network: Network,
        subwords: Subwords,
        *,
        limit: int = LIMIT,
        threads: int = 1,
        layout: bool = True,
        widths: Mapping[str, int] | None = None,
        languages: Languages | None = None,
        device: str = CPU,
    ) -> None:
        """`widths` are the numbers of labels that each output has to score."""
        _check(network, subwords, widths or {}, languages is not None)
        #: `_core.Network`, or `TorchEngine`, which has the same methods `scores` and `starts`.
        self.engine: Any = engine_of(network, device)
        #: Whether PyTorch runs it: then many windows are read at once.
        self.by_torch = device != CPU
        #: Columns of each kind of tags.
        self.sizes = dict(zip(TAGS, network.tags, strict=True))
        self.subwords = subwords
        self.limit = max(1, min(limit, network.positions - 2, _LONGEST - 2))
        self.threads = threads
        self.device = device
        #: Whether it was trained with layout codes; older networks read paragraph starts.
        self.layout = layout
        self.languages = languages
        self._widths = widths

    def on_device(self, network: Network, device: str) -> Encoder:
        """The same encoder on another device."""
        return Encoder(
            network,
            self.subwords,
            limit=self.limit,
            threads=self.threads,
            layout=self.layout,
            widths=self._widths,
            languages=self.languages,
            device=device,
        )

    def scores(self, doc: Document, bounds: Ints | None = None) -> Scores:
        """The scores of all words of a document.

        `bounds` are those of the documents in a joined one: no window spans two of them.
        """
        spoken = rules = values = None
        if self.languages is not None:
            spoken = self.languages.numbers(doc)
            rules, values = self.languages.rules(spoken), self.languages.values(spoken)
        columns, widths = self._columns(values, rules)
        spans = None if bounds is None else list(pairwise(bounds.tolist()))
        text = self._read(doc, spoken, spans, bounds)
        parts = self._in_threads(text, lambda part: self._scores(part, columns))
        found = _named(parts[0][1] if len(parts) == 1 else _merged(doc.n_words, parts), widths)
        found.languages, found.rules, found.values = spoken, rules, values
        return found

    def starts(self, doc: Document, spans: Sequence[tuple[int, int]] | None = None) -> Floats:
        """The scores of sentence starts alone; in `spans` of words, and 0 elsewhere."""
        spoken = None if self.languages is None else self.languages.numbers(doc)
        begin, end, _ = self.subwords.special
        parts = self._in_threads(
            self._read(doc, spoken, spans),
            lambda part: self.engine.starts(*part, begin, end, self._longest),
        )
        start = np.zeros(doc.n_words, np.float32)
        for windows, own in parts:
            first, keep = int(windows[0, 0]), slice(int(windows[0, 2]), int(windows[-1, 3]))
            start[keep] = own[keep.start - first : keep.stop - first]
        return start

    def scores_of(self, docs: Sequence[Document]) -> list[Scores]:
        """The scores of several documents, whose windows a GPU reads together.

        On a GPU they may differ in the last digits from those of each document alone.
        """
        if not self.by_torch or self.languages is not None:
            return [self.scores(doc) for doc in docs]
        together, first = _together([self._read(doc) for doc in docs])
        _, widths = self._columns(None, None)
        found = _named(self._scores(together, None), widths)
        return [found.part(a, b) for a, b in pairwise(first)]

    def _scores(self, text: _Text, columns: Ints | None) -> Found:
        begin, end, _ = self.subwords.special
        found: Found = self.engine.scores(*text, begin, end, self._longest, columns)
        return found

    @property
    def _longest(self) -> int:
        """Sub-words of a window."""
        return self.limit if self.languages is not None else min(self.limit, READ)

    def _read(
        self,
        doc: Document,
        spoken: Ints | None = None,
        spans: Sequence[tuple[int, int]] | None = None,
        bounds: Ints | None = None,
    ) -> _Text:
        """Spans of a document in windows; `spoken` are the languages of its words, if many."""
        limit = self._longest
        pieces, pointer = self.subwords.pieces(doc)
        features = (
            word_features(doc, bounds=bounds) if self.layout else paragraph_features(doc, bounds)
        )
        if spoken is not None:
            features = np.concatenate([features, spoken[:, None]], 1)
        ends = self.ends(doc, features) if self.layout else None
        windows = [
            window
            for first, last in ([(0, doc.n_words)] if spans is None else spans)
            for window in overlapping(pointer, first, last, limit, limit * OVERLAP // LIMIT, ends)
        ]
        return _Text(pieces, pointer, features, np.array(windows, np.int64).reshape(-1, 4))

    def ends(self, doc: Document, features: Ints) -> Ints:
        """Words before which a window may end.

        No sentence spans the end of a paragraph, nor a boundary that the tokeniser is sure of.
        """
        found = np.isin(features[:, 2], _PARAGRAPHS)
        if self.languages is not None and doc.start_evidence is not None:
            found |= evidence_odds(doc) > _SURE
        return np.flatnonzero(found)

    def _columns(
        self, values: Ints | None, rules: Ints | None
    ) -> tuple[Ints | None, dict[str, int]]:
        """The columns of tags to be scored (None: all), and how many of each kind."""
        few = {"feats": values, "lemma": rules}
        columns, first = {}, 0
        for name, size in self.sizes.items():
            own = few.get(name)
            columns[name] = first + (np.arange(size) if own is None else own)
            first += size
        some = values is not None or rules is not None
        widths = {name: len(own) for name, own in columns.items()}
        return np.concatenate(list(columns.values())) if some else None, widths

    def _in_threads(self, text: _Text, run: Callable[[_Text], T]) -> list[tuple[Ints, T]]:
        """The results of an engine for groups of windows, one group per thread."""
        threads = min(self.threads, len(text.windows)) if not self.by_torch else 1
        if threads <= 1:
            n = len(text.features)
            return [(np.array([[0, n, 0, n]]), run(text))]
        groups = np.array_split(text.windows, threads)
        with ThreadPoolExecutor(threads) as pool:
            return list(zip(groups, pool.map(run, _parts(text, groups)), strict=True))


def engine_of(network: Network, device: str = CPU) -> Any:
    """The engine of a network on a device; an unavailable device is refused."""
    if device not in DEVICES:
        raise UsageError(
            f"there is no device {device!r}", remedy=f"Devices are: {', '.join(DEVICES)}."
        )
    if device != CPU:
        return _on_gpu(network, device)
    try:
        return _core.Network(network.core_arrays(), network.heads, network.eps)
    except _core.DamagedModel as error:
        raise ModelError(f"its network cannot be used: {error}", remedy=_AGAIN) from error


def _on_gpu(network: Network, device: str) -> Any:
    try:
        import torch
    except ImportError as error:
        raise UsageError(
            f"the device {device} needs PyTorch, which cannot be imported here ({error})",
            remedy="Install it (pip install torch), or leave the device out.",
        ) from error
    if not torch.cuda.is_available():
        raise UsageError(
            f"PyTorch sees no device {device} here",
            remedy="See that the driver is installed (`nvidia-smi`), or leave the device out.",
        )
    from caesura.learn.network.torch_engine import TorchEngine

    return TorchEngine(network, device)


def _check(network: Network, subwords: Subwords, widths: Mapping[str, int], many: bool) -> None:
    """Refuse a network that does not fit its labels, its sub-words or its features."""
    found = dict(zip(TAGS, network.tags, strict=True))
    for name in ("label_dep", "label_head"):
        found[name] = len(network.arrays.get(f"{name}.linear.bias", ()))
    what = ""
    for name, width in widths.items():
        if found[name] != width and not what:
            what = f"gives {found[name]:,} numbers a word for {name}, of which there are {width:,}"
    if not what and subwords.size() > network.pieces:
        what = f"knows {network.pieces:,} sub-words, of which there are {subwords.size():,}"
    if not what and network.features != 3 + many:
        what = f"reads {network.features} features of a word and not {3 + many}"
    if what:
        raise ModelError(f"its network {what}", remedy=_AGAIN)


def _parts(text: _Text, groups: Sequence[Ints]) -> Iterator[_Text]:
    """The input for each group of windows."""
    for windows in groups:
        first, last = int(windows[0, 0]), int(windows[-1, 1])
        at, end = text.pointer[first], text.pointer[last]
        yield _Text(
            text.pieces[at:end],
            text.pointer[first : last + 1] - at,
            text.features[first:last],
            windows - first,
        )


def _merged(n: int, parts: Sequence[tuple[Ints, Found]]) -> Found:
    """The scores of a document from those of its groups of windows."""
    width = max(found[2].shape[1] for _, found in parts)
    start, tags, _, _, _, dep, head, root = parts[0][1]
    arcs = np.full((n, width), -np.inf, np.float32)
    base, sizes = np.zeros(n, np.int32), np.zeros(n, np.int32)
    start, tags, dep, head = (
        np.zeros((n, *array.shape[1:]), np.float32) for array in (start, tags, dep, head)
    )
    for windows, found in parts:
        first = int(windows[0, 0])
        keep = slice(int(windows[0, 2]), int(windows[-1, 3]))
        own = slice(keep.start - first, keep.stop - first)
        for whole, place in ((start, 0), (tags, 1), (dep, 5), (head, 6), (sizes, 4)):
            whole[keep] = found[place][own]
        arcs[keep, : found[2].shape[1]] = found[2][own]
        base[keep] = found[3][own] + first
    return start, tags, arcs, base, sizes, dep, head, root


def _named(found: Found, widths: Mapping[str, int]) -> Scores:
    start, tags, arcs, base, sizes, dep, head, root = found
    parts = np.split(tags, np.cumsum([*widths.values()])[:-1], 1)
    named = dict(zip(widths, parts, strict=True))
    return Scores(start, named, arcs, base, sizes, dep, head, root)


def _together(texts: Sequence[_Text]) -> tuple[_Text, list[int]]:
    """Documents one after the other, as one, and the first word of each, and the end."""
    pieces = np.cumsum([0, *(len(text.pieces) for text in texts)])
    words = np.cumsum([0, *(len(text.features) for text in texts)])
    pointers = [text.pointer[:-1] + at for text, at in zip(texts, pieces[:-1], strict=True)]
    joined = _Text(
        np.concatenate([text.pieces for text in texts]),
        np.concatenate([*pointers, pieces[-1:]]),
        np.concatenate([text.features for text in texts]),
        np.concatenate([text.windows + at for text, at in zip(texts, words[:-1], strict=True)]),
    )
    return joined, words.tolist()
