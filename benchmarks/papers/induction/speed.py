"""Speed of the charts by sentence length, and a picture that shows the cube."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from caesura.induce import inference
from caesura.induce.parameters import MODELS, Parameters, empty, normalise
from caesura.induce.sentences import Sentences


def speed() -> list[dict[str, Any]]:
    """Sentences a CPU second of the E-step and of the best tree, 17 classes, one thread."""
    rng = np.random.default_rng(0)
    rows = []
    for model, constraint in (("dmv", "none"), ("dbm3", "loose")):
        shape = empty(MODELS[model], 17)
        random = Parameters(*(rng.random(t.shape) for t in shape[:4]), shape.fringe)
        parameters = normalise(random, MODELS[model], 0.1)
        for n in (5, 10, 15, 20, 40, 80, 160, 200):
            count = max(20, 40_000_000 // (n**3 * 20 + 5000))
            marks = [np.cumsum(rng.random(n) < 0.12).tolist() for _ in range(count)]
            words = Sentences.of(rng.integers(0, 17, (count, n)).tolist(), marks)
            row: dict[str, Any] = {"model": model, "constraint": constraint, "length": n}
            for name, work in (
                ("E-step", partial(inference.expect, words, parameters, MODELS[model], constraint)),
                ("best", partial(inference.best, words, parameters, constraint)),
            ):
                work()
                times = []
                for _ in range(3):
                    clock = time.process_time()
                    work()
                    times.append(time.process_time() - clock)
                row[name] = round(count / max(min(times), 1e-9))
                row[f"{name} µs/n³"] = round(1e6 * min(times) / count / n**3, 4)
            rows.append(row)
    return rows


def draw(rows: list[dict[str, Any]], path: str) -> None:
    """Time a sentence against its length, on logarithmic axes, with a cube for comparison."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for model in dict.fromkeys(row["model"] for row in rows):
        mine = [row for row in rows if row["model"] == model]
        lengths = np.array([row["length"] for row in mine])
        for name, style in (("E-step", "o-"), ("best", "s--")):
            label = f"{model}, {mine[0]['constraint']}: {name}"
            axes.loglog(lengths, [1000 / row[name] for row in mine], style, label=label)
    last = rows[0]["model"]
    base = [row for row in rows if row["model"] == last][-1]
    cube = 1000 / base["E-step"] * (lengths / base["length"]) ** 3
    axes.loglog(lengths, cube, "k:", label="n³")
    axes.set(xlabel="words", ylabel="milliseconds a sentence, one core")
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
