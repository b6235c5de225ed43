"""Boundaries of Switchboard: systems trained on it, and JOINT carried over from treebanks."""

from __future__ import annotations

import argparse
from typing import Any

from caesura.learn.tuning import tune_bonus
from joint_study.data import Data, blank, open_data, tagged
from joint_study.switchboard import switchboard
from joint_study.systems import crf, learn
from joint_study.tables import count


def spoken(options: argparse.Namespace) -> dict[str, Any]:
    """The labeller and NOSYNTAX trained on Switchboard, JOINT trained on speech variants."""
    data = Data("switchboard", switchboard(options.data / "Switchboard-sample"), [], options)
    nosyntax = learn(data, "nosyntax")
    labeller = crf(data)
    held = data.of(data.documents, "held")
    others = [open_data(name, options) for name in options.transfer]
    joints = [learn(other, "joint") for other in others]
    report: dict[str, Any] = {}
    for state in ("untuned", "tuned"):
        if state == "tuned":
            nosyntax = nosyntax.with_search(bonus=tune_bonus(nosyntax, held)[0])
            labeller = labeller.tune(data.of(data.gold, "held"))
        found = {"labeller": labeller.starts(data.dev)}
        dev = [blank(doc) for doc in data.dev_tagged("document")]
        found["NOSYNTAX"] = [parse.starts for parse in nosyntax.analyse(dev)]
        for k, other in enumerate(others):
            if state == "tuned":
                own = tagged(other.tagger, data.of(data.gold, "held"), "document")
                joints[k] = joints[k].with_search(bonus=tune_bonus(joints[k], own)[0])
            dev = tagged(other.tagger, [blank(doc) for doc in data.dev], "document")
            found[f"JOINT of {other.name}"] = [p.starts for p in joints[k].analyse(dev)]
        report[state] = [count(name, data.dev, s).row() for name, s in found.items()]
    return report
