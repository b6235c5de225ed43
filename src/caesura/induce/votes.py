"""Several grammars that vote: over different numbers of classes, decoded together.

Which arcs a grammar finds depends much on the classes that it is given, and no number of classes is
the best for all texts. Grammars over several numbers err in different places; the tree whose arcs
have the largest sum of posteriors (see `arcs`) is better than most of them and steadier than all.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.induce.arcs import vote
from caesura.induce.checkpoint import read_done
from caesura.induce.grammar import Grammar
from caesura.induce.inference import best
from caesura.induce.runs import Event
from caesura.induce.selection import CHAIN, agreement, arc_length, looked_at
from caesura.induce.sentences import Sentences

if TYPE_CHECKING:
    from caesura.induce.induction import Inducer

__all__ = ["votes"]

#: Where a checkpoint has the records of the restarts of a grammar that is done.
RECORDS = "restarts"


def votes(whole: Inducer) -> Generator[Event, None, None]:
    """Induce a grammar for each number of classes, and let them vote."""
    path, numbers = whole.checkpoint, whole.options.numbers
    done = read_done(path) if path is not None and whole.resume else []
    done = done[: len(numbers) - 1]
    members = [Grammar.from_part(part) for part in done]
    samples = [_sample(whole, member) for member in members]
    for one in members:
        if one.classifier.context is not None:
            whole.predicates = one.classifier.context.predicates
    whole.restarts = [json.loads(one) for part in done for one in part.labels.get(RECORDS, ())]
    if members:
        yield Event("resumed", stats={"members": numbers[: len(members)]})
    stats: dict[str, Any] = {}
    for number in numbers[len(members) :]:
        member = whole.member(number, done)
        for event in member:
            if event.kind == "done":
                stats = dict(event.stats)
                yield Event("member", stats={"number": number, **stats})
            else:
                yield event
        whole.predicates = member.predicates
        assert member.grammar is not None
        assert member.sample is not None
        members.append(member.grammar)
        samples.append(member.sample)
        records = [{"classes": number, **record} for record in member.restarts]
        whole.restarts += records
        done.append(member.grammar.to_part())
        done[-1].labels[RECORDS] = [json.dumps(record) for record in records]
        whole.rules = member.rules
    history = {**members[-1].history, "rules": whole.rules, "restarts": list(whole.restarts)}
    first = replace(members[-1], others=tuple(members[:-1]), history=history)
    whole.grammar = first
    whole.sample = samples[-1]
    yield Event("done", stats=stats | {"voted": list(numbers)} | _looks(members, samples))


def _sample(whole: Inducer, member: Grammar) -> Sentences:
    """The sentences on which a grammar is compared, over its classes."""
    words = member.prepare(whole.documents).sentences
    longest = max(stage.limit for stage in whole.options.restart_stages())
    return words.select(words.up_to(longest) & looked_at(words))


def _looks(members: list[Grammar], samples: list[Sentences]) -> dict[str, Any]:
    """The mean arc of the trees that win, and how far those of the members agree with them."""
    views = [(words, one.parameters) for one, words in zip(members, samples, strict=True)]
    if not samples[0].n_words:
        return {"arc": None, "chain": False, "agreement": 1.0}
    heads, _ = vote(views, "sprawl")
    arc = arc_length(samples[0], heads)
    alike = [agreement(heads, best(*view, "sprawl").heads) for view in views]
    return {"arc": round(arc, 4), "chain": arc < CHAIN, "agreement": float(np.mean(alike))}
