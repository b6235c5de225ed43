"""Learning curves: updates, beam widths, with and without syntax, share of the data used."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from typing import Any

from caesura.parse import SearchOptions
from caesura.parse.recipes import recipe_options
from caesura.train import parser_loop
from joint_study.data import Data, Rows, say
from joint_study.systems import common


def curve(data: Data, system: str, name: str, **changes: Any) -> Rows:
    """Scores on dev after every epoch, with the share of the gold sequences that was used."""
    alone = system == "gold"
    docs = data.sentences if alone else data.documents
    dev = data.dev_tagged("sentences" if alone else "document")
    base = common(data, chunk=data.options.chunk)
    options = recipe_options(system, replace(base, **changes))
    options = replace(options, search=options.in_use())
    train = docs[: data.options.limit]
    key = hashlib.sha256(repr((system, len(train), options)).encode()).hexdigest()[:12]
    path = data.path(f"curve-{key}.json")
    if path.exists():
        return [{**row, "run": name} for row in json.loads(path.read_text())]
    rows: Rows = []
    start = time.process_time()
    for event in parser_loop(train, dev, options):
        if event.kind != "epoch":
            continue
        scores = {"Starts*": event.scores["Starts"], "LAS": event.scores.get("LAS")}
        if alone:
            del scores["Starts*"]
        rows.append(
            {"run": name, "epoch": event.epoch}
            | {key: value for key, value in scores.items() if value is not None}
            | {"share": 100 * event.stats["share"], "updates": event.stats["updates"]}
            | {"CPU s": time.process_time() - start}
        )
        say(f"{data.name} {name} {rows[-1]}")
    path.write_text(json.dumps(rows))
    return rows


def updates(data: Data) -> dict[str, Any]:
    """Figures 3 and 4: all updates at equal epochs, on whole documents."""
    chosen = data.options.updates
    return {"updates": [row for u in chosen for row in curve(data, "joint", u, update=u)]}


def beams(data: Data) -> dict[str, Any]:
    """Figure 5: beam widths under DLaSO and max-violation."""
    rows = []
    for update in ("dlaso", "max-violation"):
        for width in data.options.widths:
            search = SearchOptions(beam=width)
            rows += curve(data, "joint", f"{update}, beam {width}", update=update, search=search)
    return {"beams": rows}


def syntax(data: Data) -> dict[str, Any]:
    """Figure 6: the same learner with trees and with chains of words."""
    names = {"joint": "with syntax", "nosyntax": "without syntax"}
    return {"syntax": [row for s, name in names.items() for row in curve(data, s, name)]}


def share(data: Data) -> dict[str, Any]:
    """Figure 3: what early update and max-violation use of sentences and of documents."""
    rows = []
    for update in ("early", "max-violation"):
        for system, unit in (("gold", "sentences"), ("joint", "documents")):
            rows += curve(data, system, f"{update}, {unit}", update=update)
    return {"share": rows}
