"""Ends of cues as evidence of sentence boundaries, with a weight that is estimated for each file.

The pipeline splits the words of a transcript as if they were on one line. Then the rate of
boundaries is estimated at the starts of cues, by the pause before them, at pauses inside cues and
elsewhere, by the EM algorithm for changed class priors (Saerens et al. 2002, section 2.2) from the
probabilities of the model. Where a group of tokens has another rate than the model expects, its
probabilities are shifted by the difference in log-odds. Cues of a fixed length have the rate of all
words, so nothing changes; cues that are sentences have a rate of nearly one.

Descriptions of sounds are no speech: sentences are found in the words without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import CUE, MAYBE, NO, YES, Document, token_turn
from caesura.formats.units import SOUND
from caesura.layout import TURN, breaks
from caesura.stages.word_table import edited_tokens
from caesura.turns import changes

__all__ = [
    "are_open",
    "as_turns",
    "cue_tokens",
    "decide",
    "put_sounds",
    "sound_tokens",
    "take_turns",
    "without_sounds",
]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
#: Pauses in seconds that part the groups, and the rates that are expected there at least.
_PAUSES: Final = (0.15, 0.5)
_PAUSED: Final = (0.0, 0.3, 0.6)
#: Tokens that the prior of a group counts as, if the lengths of cues vary and if they do not.
_PRIOR: Final = 3.0
_FILLED_PRIOR: Final = 400.0
#: Cues whose lengths vary less (standard deviation by mean) are filled up to a limit.
_FILLED: Final = 0.3
#: Smaller differences in log-odds are noise.
_NOISE: Final = 0.7
#: If more cues than that are sentences, other boundaries are rarer than expected by this factor,
#: and fewer cues start at tokens that the model rules out, all cues are sentences: for edited text,
#: and for text without capitals and punctuation, where the model is less sure. In the same way all
#: pauses part sentences.
_MOST: Final = (0.65, 0.5)
_RARER: Final = (0.33, 0.6)
_FEW: Final = (0.25, 0.45)
_DOUBTFUL: Final = 0.02
_EDGE: Final = 1e-4
_ROUNDS: Final = 50
_TURN_COLUMNS: Final = ("turn_start", "turn_end", "turn_speaker", "turn_time", "turn_kind")


def are_open(doc: Document) -> bool:
    """Whether a document has cues whose ends are neither boundaries nor none."""
    kinds = doc.turn_kind
    return (
        kinds is not None
        and bool(np.any(kinds == CUE))
        and len(kinds) > 1
        and bool(np.any(doc.sent_start[1:] == MAYBE))
    )


@contextmanager
def as_turns(docs: Sequence[Document]) -> Iterator[None]:
    """Documents whose cues are joined to turns, for stages that know turns; none: without any."""
    kept: list[tuple[Document, dict[str, Any]]] = []
    for doc in docs:
        if doc.turn_kind is None or not np.any(doc.turn_kind == CUE):
            continue
        kept.append((doc, {name: getattr(doc, name) for name in _TURN_COLUMNS}))
        starts = changes(doc)
        first = np.minimum(np.searchsorted(doc.turn_start, starts), len(doc.turn_start) - 1)
        ends = np.append(starts[1:], len(doc.text))[: len(starts)]
        doc.turn_speaker, doc.turn_time = doc.turn_speaker[first], doc.turn_time[first]
        doc.turn_start, doc.turn_end, doc.turn_kind = starts, ends, None
    try:
        yield
    finally:
        for doc, columns in kept:
            for name, value in columns.items():
                setattr(doc, name, value)


def take_turns(doc: Document, source: Document) -> None:
    """Give another analysis of a document its turns."""
    for name in _TURN_COLUMNS:
        setattr(doc, name, getattr(source, name))
    doc.turn_speaker = doc.strings.ids(source.strings.take(source.turn_speaker))


def sound_tokens(doc: Document) -> Bools:
    """Which tokens describe sounds."""
    sounds = doc.markup_label == (doc.strings.find(SOUND) or -1)
    at = np.searchsorted(doc.markup_start[sounds], doc.token_start, side="right")
    ends = np.append(-1, doc.markup_end[sounds])
    found: Bools = doc.token_start < ends[at]
    return found


def without_sounds(doc: Document) -> Document | None:
    """A copy without the tokens of sounds; None: there are none, no others, or fixed arcs."""
    if not len(doc.markup_start) or Constraints.of(doc).heads is not None:
        return None
    sounds = sound_tokens(doc)
    if not sounds.any() or sounds.all():
        return None
    times = doc.turn_time.copy()
    spoken = np.unique(token_turn(doc)[~sounds])
    for turn in np.setdiff1d(token_turn(doc)[sounds], spoken)[::-1].tolist():
        if turn > 0:  # a sound is no pause
            times[turn - 1, 1] = times[turn, 1]
    timed = replace(doc, turn_time=times)
    speech = Document.join([timed.cut(a, b) for a, b in _runs(~sounds)])
    starts, codes = doc.sent_start.copy(), breaks(doc).copy()
    no_times = np.zeros(0, np.int8)
    guessed = no_times if doc.token_time_guessed is None else doc.token_time_guessed.copy()
    for first, last in _runs(sounds):  # a start at a sound is one of the words behind it
        if last < doc.n_tokens:
            guessed[last : last + 1] = 1
            if starts[last] == MAYBE and np.any(starts[first:last] == YES):
                starts[last] = YES
            if np.any(codes[first:last] == TURN):
                codes[last] = TURN
    speech.sent_start, speech.token_break = starts[~sounds], codes[~sounds]
    if len(guessed):
        speech.token_time_guessed = guessed[~sounds]
    return speech


def put_sounds(doc: Document, speech: Document) -> None:
    """Fix the sentence starts of a document by those of its words without sounds.

    A sound between two sentences is in that of its cue. If the cue has no words, the sound is a
    sentence of its own.
    """
    sounds, turn = sound_tokens(doc), token_turn(doc)
    starts = np.full(doc.n_tokens, NO, np.int8)
    starts[np.flatnonzero(~sounds)[speech.sentence_bounds[:-1]]] = YES
    for first, last in _runs(sounds):
        own = turn[first:last]
        if last < doc.n_tokens:
            if starts[last] != YES:
                continue
            starts[last] = NO
            starts[last - _same_at_end(own, turn[last])] = YES
        after = np.flatnonzero(own != turn[first - 1]) if first else np.zeros(1, np.int64)
        starts[first + after[:1]] = YES
    doc.sent_start = np.where(doc.sent_start == MAYBE, starts, doc.sent_start).astype(np.int8)
    doc.fixed |= {"sentences"}


def _same_at_end(values: NDArray[np.int64], value: int) -> int:
    """How many of the last values are a value."""
    return int(np.argmin(np.append(values[::-1] == value, False)))


def _runs(chosen: Bools) -> list[tuple[int, int]]:
    """The first chosen token of each run, and the token behind its last one."""
    edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def cue_tokens(doc: Document) -> NDArray[np.int64]:
    """The first token of each cue or turn that has tokens, rising."""
    at = np.searchsorted(doc.token_start, np.sort(doc.turn_start))
    found: NDArray[np.int64] = np.unique(at[at < doc.n_tokens])
    return found


def decide(doc: Document, found: NDArray[np.float32]) -> bool:
    """Fix the sentence starts of a document, given the model's probabilities; False: none changes.

    Starts that are known stay.
    """
    chances = np.clip(found.astype(np.float64), _EDGE, 1 - _EDGE)
    free = doc.sent_start == MAYBE
    free[:1] = False
    starts = np.zeros(doc.n_tokens, np.bool_)
    starts[cue_tokens(doc)] = True
    cues, others = free & starts, free & ~starts
    if not cues.any():
        return False
    rate = float(np.mean(chances[free]))
    pauses = _pauses(doc)
    steps = np.where(np.isnan(pauses), 0, np.digitize(pauses, _PAUSES))
    prior = _FILLED_PRIOR if _filled(doc) else _PRIOR
    shift = np.zeros(doc.n_tokens)
    plain = int(np.mean(edited_tokens(doc)) < 0.5)
    usual = {}
    for chosen, strength in ((cues, prior), (others, _PRIOR)):
        before = _rate(chances[chosen], rate, rate, strength)
        usual[chosen is cues] = before
        for step in np.unique(steps[chosen]).tolist():
            group = chosen & (steps == step)
            expected = max(before, _PAUSED[step])
            own = _rate(chances[group], rate, expected, _PRIOR if step else strength)
            shift[group] = _odds(own) - _odds(rate)
            if step and own > _MOST[plain] and _doubtful(chances[group]) < _FEW[plain]:
                shift[group] = np.inf
    rarer = usual[False] < _RARER[plain] * rate
    if usual[True] > _MOST[plain] and rarer and _doubtful(chances[cues]) < _FEW[plain]:
        shift[cues], shift[others] = np.inf, -np.inf
    shift[np.abs(shift) < _NOISE] = 0.0
    chosen = (_odds(chances) + shift >= 0) & free
    if np.array_equal(chosen, (chances >= 0.5) & free):
        return False
    doc.sent_start = np.where(free, np.where(chosen, YES, NO), doc.sent_start).astype(np.int8)
    doc.fixed |= {"sentences"}
    return True


def _doubtful(chances: Floats) -> float:
    return float(np.mean(chances < _DOUBTFUL))


def _odds(chance: Any) -> Any:
    return np.log(chance) - np.log1p(-chance)


def _rate(chances: Floats, known: float, before: float, prior: float) -> float:
    """The rate of boundaries among tokens whose probabilities suppose the rate `known`.

    The rate expected `before` counts as so many tokens.
    """
    ratio = np.exp(_odds(chances) - _odds(known))
    found = before
    for _ in range(_ROUNDS):
        odds = ratio * np.exp(_odds(found))
        found = float((np.sum(odds / (1 + odds)) + prior * before) / (len(chances) + prior))
        found = min(max(found, _EDGE), 1 - _EDGE)
    return found


def _filled(doc: Document) -> bool:
    """Whether cues have about the same length, in characters or in tokens."""
    first = cue_tokens(doc)
    sizes = doc.turn_end - doc.turn_start
    lengths = (sizes[sizes > 0], np.diff([*first.tolist(), doc.n_tokens]))
    return any(len(own) > 1 and float(np.std(own)) < _FILLED * np.mean(own) for own in lengths)


def _pauses(doc: Document) -> Floats:
    """The pause before each token in seconds; NaN if it is unknown."""
    found = np.full(doc.n_tokens, np.nan)
    times = doc.token_time
    if times is not None and doc.token_time_guessed is not None:
        known = doc.token_time_guessed == 0
        both = known[1:] & known[:-1]
        found[1:][both] = (times[1:, 0] - times[:-1, 1])[both]
    order = np.argsort(doc.turn_start, kind="stable")
    begins, ends = doc.turn_time[order, 0], doc.turn_time[order, 1]
    at = np.searchsorted(doc.token_start, doc.turn_start[order])
    gaps = np.concatenate([[np.nan], begins[1:] - ends[:-1]])
    inside = at < doc.n_tokens
    # A unit without tokens leaves its pause to the next one.
    better = np.isnan(found[at[inside]])
    found[at[inside][better]] = gaps[inside][better]
    return found
