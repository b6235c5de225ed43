"""Running a network: windows of a document in, scores of its words out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.layout.codes import BLANK, PARAGRAPH
from caesura.neural.evidence import log_odds
from caesura.neural.examples import paragraph_features, word_features
from caesura.neural.languages import Languages
from caesura.neural.subwords import Subwords
from caesura.neural.weights import TAGS, Network
from caesura.neural.windows import overlapping

__all__ = ["CPU", "DEVICES", "LIMIT", "READ", "TAGS", "Encoder", "Engine", "Scores"]

Floats = NDArray[np.float32]
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
#: The longest window that is read: attention to half as many sub-words is half the work, and costs
#: no accuracy that shows (LAS on EWT and GUM dev within 0.1). A network of many languages, which
#: knows less of each, reads all that it can: that is worth 0.3 LAS and more.
READ: Final = 254
#: The longest window that the core reads, with the two sub-words around it.
_LONGEST: Final = 1054
#: Log-odds of the tokeniser from which on the windows of such a network may end before a word:
#: they need not overlap there, and cost no more than shorter ones.
_SURE: Final = 2.0
#: Layout codes before which a paragraph starts.
_PARAGRAPHS: Final = (BLANK, PARAGRAPH)
_AGAIN: Final = "The file is damaged; train or fetch it again."


class Engine(Protocol):
    """What computes a network: `_core.Network`, or `TorchEngine`.

    Words are numbered through a batch of documents; a window is a row of first, last, keep_first
    and keep_last, as in `windows.Window`.
    """

    def scores(
        self,
        pieces: NDArray[np.int32],
        pointer: NDArray[np.int64],
        features: NDArray[np.int64],
        windows: NDArray[np.int64],
        begin_id: int,
        end_id: int,
        limit: int,
        columns: NDArray[np.int64] | None = None,
    ) -> Found:
        """The scores of all words, of the tags those in the `columns` that are named."""

    def starts(
        self,
        pieces: NDArray[np.int32],
        pointer: NDArray[np.int64],
        features: NDArray[np.int64],
        windows: NDArray[np.int64],
        begin_id: int,
        end_id: int,
        limit: int,
    ) -> Floats:
        """The scores of sentence starts alone."""


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


@dataclass(frozen=True)
class _Reading:
    """What a network reads of one or more documents."""

    pieces: NDArray[np.int32]
    #: Where the sub-words of each word begin; one more than words.
    pointer: NDArray[np.int64]
    features: NDArray[np.int64]
    windows: NDArray[np.int64]


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
        self.engine: Any = engine_of(network, device)
        #: Whether PyTorch runs it: then many windows are read at once.
        self.by_torch = device != CPU
        #: Columns of each kind of tags.
        self.sizes = dict(zip(TAGS, network.tags, strict=True))
        self.subwords = subwords
        self.limit = max(1, min(limit, network.positions - 2, _LONGEST - 2))
        self.threads = threads
        self.device = device
        #: Whether it was trained to see where lines end; older ones see paragraphs.
        self.layout = layout
        #: Those of a network of many.
        self.languages = languages

    def scores(self, doc: Document, bounds: NDArray[np.int64] | None = None) -> Scores:
        """The scores of all words of a document, read in windows that overlap.

        Of a joined document, `bounds` are those of its documents: no window spans two of them.
        """
        spoken = rules = values = None
        if self.languages is not None:
            spoken = self.languages.numbers(doc)
            rules, values = self.languages.rules(spoken), self.languages.values(spoken)
        columns, widths = self._columns(values, rules)
        text = self._reading(doc, spoken, bounds=bounds)
        begin, end, _ = self.subwords.special
        parts = self._in_threads(
            text, lambda part: self.engine.scores(*part, begin, end, self._reads, columns)
        )
        found = _scores(parts[0][1] if len(parts) == 1 else _joined(doc.n_words, parts), widths)
        found.languages, found.rules, found.values = spoken, rules, values
        return found

    def starts(self, doc: Document, spans: Sequence[tuple[int, int]] | None = None) -> Floats:
        """The scores of sentence starts alone; of `spans` of words, and 0 elsewhere."""
        spoken = None if self.languages is None else self.languages.numbers(doc)
        text = self._reading(doc, spoken, spans)
        begin, end, _ = self.subwords.special
        parts = self._in_threads(
            text, lambda part: self.engine.starts(*part, begin, end, self._reads)
        )
        start = np.zeros(doc.n_words, np.float32)
        for windows, own in parts:
            first, keep = int(windows[0, 0]), slice(int(windows[0, 2]), int(windows[-1, 3]))
            start[keep] = own[keep.start - first : keep.stop - first]
        return start

    def scores_of(self, docs: Sequence[Document]) -> list[Scores]:
        """The scores of several documents, whose windows a card reads together.

        There they may differ in the last digits from those of each alone.
        """
        if not self.by_torch or self.languages is not None:
            return [self.scores(doc) for doc in docs]
        texts = [self._reading(doc) for doc in docs]
        begin, end, _ = self.subwords.special
        joined, first = _together(texts)
        _, widths = self._columns(None, None)
        whole = self.engine.scores(
            joined.pieces, joined.pointer, joined.features, joined.windows,
            begin, end, self._reads,
        )  # fmt: skip
        found = _scores(whole, widths)
        return [found.part(a, b) for a, b in pairwise(first)]

    @property
    def _reads(self) -> int:
        """Sub-words of a window."""
        return self.limit if self.languages is not None else min(self.limit, READ)

    def _reading(
        self,
        doc: Document,
        spoken: NDArray[np.int64] | None = None,
        spans: Sequence[tuple[int, int]] | None = None,
        bounds: NDArray[np.int64] | None = None,
    ) -> _Reading:
        """A document in windows; `spoken` are the languages of its words, in a network of many."""
        if spans is None:
            spans = [(0, doc.n_words)] if bounds is None else list(pairwise(bounds.tolist()))
        limit = self._reads
        pieces, pointer = self.subwords.pieces(doc)
        features = (
            word_features(doc, bounds=bounds) if self.layout else paragraph_features(doc, bounds)
        )
        if spoken is not None:
            features = np.concatenate([features, spoken[:, None]], 1)
        shared = limit * OVERLAP // LIMIT
        ends = self.ends(doc, features) if self.layout else None
        windows = [
            (w.first, w.last, w.keep_first, w.keep_last)
            for first, last in spans
            for w in overlapping(pointer, first, last, limit, shared, ends)
        ]
        return _Reading(pieces, pointer, features, np.array(windows, np.int64).reshape(-1, 4))

    def ends(self, doc: Document, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """Words before which a window may end: none there needs what is beyond it.

        No sentence runs over the end of a paragraph, nor over what the tokeniser is sure of.
        """
        found = np.isin(features[:, 2], _PARAGRAPHS)
        if self.languages is not None and doc.start_evidence is not None:
            found |= log_odds(doc) > _SURE
        return np.flatnonzero(found)

    def _columns(
        self, values: NDArray[np.int64] | None, rules: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64] | None, dict[str, int]]:
        """The columns of tags that are wanted (None: all), and how many of each kind."""
        few = {"feats": values, "lemma": rules}
        columns, widths, first = [], {}, 0
        for name, size in self.sizes.items():
            own = few.get(name)
            own = np.arange(size) if own is None else own
            columns.append(first + own)
            widths[name] = len(own)
            first += size
        some = values is not None or rules is not None
        return np.concatenate(columns) if some else None, widths

    def _in_threads(
        self, text: _Reading, run: Callable[[tuple[Any, ...]], T]
    ) -> list[tuple[NDArray[np.int64], T]]:
        """What the engine makes of the windows, which threads share; and their windows."""
        windows = text.windows
        threads = min(self.threads, len(windows)) if not self.by_torch else 1
        if threads <= 1:
            whole = np.array([[0, len(text.features), 0, len(text.features)]])
            return [(whole, run((text.pieces, text.pointer, text.features, windows)))]
        groups = np.array_split(windows, threads)
        with ThreadPoolExecutor(threads) as pool:
            return list(zip(groups, pool.map(run, _parts(text, groups)), strict=True))


def engine_of(network: Network, device: str = CPU) -> Any:
    """What computes a network on a device; what is not there is refused."""
    if device not in DEVICES:
        raise UsageError(
            f"there is no device {device!r}", remedy=f"Devices are: {', '.join(DEVICES)}."
        )
    if device != CPU:
        return _on_card(network, device)
    try:
        return _core.Network(network.core_arrays(), network.heads, network.eps)
    except _core.DamagedModel as error:
        raise ModelError(f"its network cannot be used: {error}", remedy=_AGAIN) from error


def _on_card(network: Network, device: str) -> Any:
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
    from caesura.neural.torch_engine import TorchEngine

    return TorchEngine(network, device)


def _check(network: Network, subwords: Subwords, widths: Mapping[str, int], many: bool) -> None:
    """Refuse a network that does not fit its labels, its sub-words or its features."""
    found = dict(zip(TAGS, network.tags, strict=True))
    for name in ("label_dep", "label_head"):
        found[name] = len(network.arrays.get(f"{name}.linear.bias", ()))
    for name, width in widths.items():
        if found[name] != width:
            raise ModelError(
                f"its network gives {found[name]:,} numbers a word for {name}, of which there are "
                f"{width:,}",
                remedy=_AGAIN,
            )
    if subwords.size() > network.pieces:
        raise ModelError(
            f"its network knows {network.pieces:,} sub-words, of which there are "
            f"{subwords.size():,}",
            remedy=_AGAIN,
        )
    if network.features != 3 + many:
        raise ModelError(
            f"its network reads {network.features} features of a word and not {3 + many}",
            remedy=_AGAIN,
        )


def _parts(text: _Reading, groups: Sequence[NDArray[np.int64]]) -> Iterator[tuple[Any, ...]]:
    """The words of some windows alone."""
    for windows in groups:
        first, last = int(windows[0, 0]), int(windows[-1, 1])
        at, end = text.pointer[first], text.pointer[last]
        yield (
            text.pieces[at:end],
            text.pointer[first : last + 1] - at,
            text.features[first:last],
            windows - first,
        )


def _joined(n: int, parts: Sequence[tuple[NDArray[np.int64], Found]]) -> Found:
    """The scores of a document whose windows several threads read."""
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


def _scores(found: Found, widths: Mapping[str, int]) -> Scores:
    start, tags, arcs, base, sizes, dep, head, root = found
    parts = np.split(tags, np.cumsum([*widths.values()])[:-1], 1)
    named = dict(zip(widths, parts, strict=True))
    return Scores(start, named, arcs, base, sizes, dep, head, root)


def _together(texts: Sequence[_Reading]) -> tuple[_Reading, list[int]]:
    """Documents one after the other, as one, and the first word of each, and the end."""
    pieces = np.cumsum([0, *(len(text.pieces) for text in texts)])
    words = np.cumsum([0, *(len(text.features) for text in texts)])
    pointers = [text.pointer[:-1] + at for text, at in zip(texts, pieces[:-1], strict=True)]
    joined = _Reading(
        np.concatenate([text.pieces for text in texts]),
        np.concatenate([*pointers, pieces[-1:]]),
        np.concatenate([text.features for text in texts]),
        np.concatenate([text.windows + at for text, at in zip(texts, words[:-1], strict=True)]),
    )
    return joined, words.tolist()
