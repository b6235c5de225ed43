"""Calibration of the confidences of boundaries, measured on dev data.

A model file may hold, for edited text and for text without capitals and punctuation apart, and for
boundaries that were drawn and that were not, how often a sentence does start where the model gives
some probability. It is a monotone map, by isotonic regression on bins (Zadrozny and Elkan 2002),
straight between its knots in logarithms of odds. Texts without capitals and punctuation differ more
from one another than edited ones, so that there the model's own probability keeps a say. A boundary
that was drawn has at least 0.5, and what was left open less, since the search had its reasons. What
is certain (the first token, what was given) stays so, and a file without a map keeps the
probabilities of its stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura.document import YES, Document
from caesura.errors import ModelError
from caesura.stages.word_table import edited_tokens

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["META", "StartMaps", "fit_starts", "maps_of"]

#: The key in a model file; maps are of the search and of the quick way.
META: Final = "boundaries"
WAYS: Final = ("search", "quick")
_KINDS: Final = tuple(
    f"{text} {drawn}" for text in ("edited", "unedited") for drawn in ("drawn", "open")
)
#: Probabilities nearer to 0 and 1 were not a matter of choice.
_SURE: Final = 1e-7
#: Bins of logarithms of odds, and the decisions that one must have.
_WIDTH: Final = 0.5
_LIMIT: Final = 12.0
_ENOUGH: Final = 40

#: How much of a map is believed, in logarithms of odds; the rest is the model's own probability. A
#: map of the one speech set is off by up to 9.7 points in a bin of the other, this by at most 6.9.
_BELIEVED: Final = {"edited": 1.0, "unedited": 0.6}

#: Just below one half: what is open is not said to be likelier than not.
_OPEN: Final = 0.4999

Floats = NDArray[np.float64]
#: Pairs of log-odds, as scored and calibrated, both rising.
Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class StartMaps:
    """Calibration maps of the probabilities of sentence starts."""

    maps: Mapping[str, Knots] = field(default_factory=dict)

    def apply(self, doc: Document) -> None:
        """Calibrate the confidences of a document in place."""
        if doc.sent_conf is None or not self.maps:
            return
        raw = doc.sent_conf.astype(np.float64)
        found = raw.copy()
        for name, chosen in _kinds(doc):
            knots = self.maps.get(name)
            if knots:
                at = chosen & (raw > _SURE) & (raw < 1.0 - _SURE)
                x, y = zip(*knots, strict=True)
                own, believed = _odds(raw[at]), _BELIEVED[name.split()[0]]
                worth = _chance(believed * np.interp(own, x, y) + (1.0 - believed) * own)
                drawn = name.endswith("drawn")
                found[at] = np.maximum(worth, 0.5) if drawn else np.minimum(worth, _OPEN)
        doc.sent_conf = found.astype(np.float32)

    def as_config(self) -> dict[str, list[list[float]]]:
        return {name: [list(knot) for knot in knots] for name, knots in self.maps.items()}

    @classmethod
    def from_config(cls, config: Any) -> Self:
        """The maps of a model file, checked."""
        maps: dict[str, Knots] = {}
        for name, knots in config.items() if isinstance(config, Mapping) else [("", ())]:
            try:
                pairs = np.array(knots, np.float64).reshape(-1, 2)
            except (TypeError, ValueError):
                pairs = np.zeros((0, 2))
            rising = len(pairs) > 0 and np.isfinite(pairs).all() and (np.diff(pairs.T) >= 0).all()
            if name not in _KINDS or not rising:
                raise ModelError(
                    f"the model's calibration of boundaries is damaged ({name or config!r})",
                    remedy="Train it again, or leave --confidence out.",
                )
            maps[name] = tuple((float(x), float(y)) for x, y in pairs)
        return cls(maps)


def maps_of(meta: Mapping[str, Any], way: str) -> StartMaps:
    """The calibration maps of a model, of its search or of its quick way."""
    known = meta.get(META) or {}
    return StartMaps.from_config(known.get(way, {}) if isinstance(known, Mapping) else known)


def _odds(chance: Floats) -> Floats:
    found: Floats = np.log(chance) - np.log1p(-chance)
    return found


def _chance(odds: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-odds))
    return found


# ------------------------------------------------------------------- fitting


def fit_starts(nlp: Pipeline, docs: Sequence[Document]) -> dict[str, Any]:
    """What a model file keeps, measured on documents with gold sentences that it has not seen.

    Their tokens are kept, so that every decision has its truth.
    """
    found: dict[str, Any] = {}
    for way in WAYS:
        own = nlp.quick() if way == "quick" else nlp
        if "confidence" not in own.offers:
            continue
        maps = _fit(own.uncalibrated(), docs)
        if maps.maps:
            found[way] = maps.as_config()
    return found


def _kinds(doc: Document) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The tokens that each map is for."""
    edited, drawn = edited_tokens(doc), doc.sent_start == YES
    for text, written in (("edited", edited), ("unedited", ~edited)):
        yield f"{text} drawn", written & drawn
        yield f"{text} open", written & ~drawn


def _fit(nlp: Pipeline, docs: Sequence[Document]) -> StartMaps:
    rows: dict[str, list[tuple[Floats, NDArray[np.bool_]]]] = {}
    known = [doc for doc in docs if doc.n_tokens]
    for gold, doc in zip(known, nlp.pipe(known, keep=("tokens",), confidence=True), strict=True):
        if doc.sent_conf is None:
            continue
        raw = doc.sent_conf.astype(np.float64)
        free = (raw > _SURE) & (raw < 1.0 - _SURE)
        free[:1] = False
        for name, chosen in _kinds(doc):
            at = free & chosen
            rows.setdefault(name, []).append((_odds(raw[at]), (gold.sent_start == YES)[at]))
    maps = {}
    for name, parts in rows.items():
        knots = isotonic(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        if knots:
            maps[name] = knots
    return StartMaps(maps)


def isotonic(odds: Floats, right: NDArray[np.bool_]) -> Knots:
    """Knots of the monotone map from scores to the share that is right; none of too few scores."""
    place = np.clip(odds, -_LIMIT, _LIMIT) // _WIDTH
    blocks: list[list[float]] = []  # number, sum of scores, right ones
    for value in np.unique(place):
        inside = place == value
        own = [float(inside.sum()), float(odds[inside].sum()), float(right[inside].sum())]
        if blocks and blocks[-1][0] < _ENOUGH:
            own = [a + b for a, b in zip(blocks.pop(), own, strict=True)]
        blocks.append(own)
    if len(blocks) > 1 and blocks[-1][0] < _ENOUGH:
        last = blocks.pop()
        blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    if not blocks or blocks[0][0] < _ENOUGH:
        return ()
    pooled: list[list[float]] = []
    for block in blocks:  # neighbours that would fall are pooled
        pooled.append(block)
        while len(pooled) > 1 and pooled[-2][2] / pooled[-2][0] >= pooled[-1][2] / pooled[-1][0]:
            last = pooled.pop()
            pooled[-1] = [a + b for a, b in zip(pooled[-1], last, strict=True)]
    counts, totals, hits = (np.array(column) for column in zip(*pooled, strict=True))
    worth = np.maximum.accumulate(_odds((hits + 0.5) / (counts + 1.0)))
    return tuple(zip((totals / counts).round(4).tolist(), worth.round(4).tolist(), strict=True))
