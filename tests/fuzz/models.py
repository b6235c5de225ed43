"""Model files that are nearly right: one with some of its options, labels and numbers changed.

Their checksums fit, so that what is wrong has to be found by what is checked, not by chance.
"""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any, Final

import numpy as np

from caesura.models.file import ModelFile, Part, save

__all__ = ["changed_file", "changed_parts"]

_NUMBERS: Final = (
    0, 1, -1, 2, 7, 16, 127, 128, 255, 256, 65535, 65536, 10**6, 2**31, 2**62, -(2**31), 0.5, -0.5,
    1e9, 1e30, -1e30, 1e-30, True, False,
)  # fmt: skip
_VALUES: Final = (*_NUMBERS, "", "x", "\x1b[2J", "joint", "branching", [], [1], ["x"], {}, {"a": 1})
_KINDS: Final = ("tokenizer", "tagger", "parser", "grammar", "neural", "rules")
_TYPES: Final = (
    np.int8, np.uint8, np.int32, np.uint32, np.int64, np.float32, np.float64, np.uint16
)  # fmt: skip


def changed_parts(parts: dict[str, Part], rng: random.Random) -> dict[str, Part]:
    """Parts with one to four changes; the arrays that are changed are copied."""
    parts = {
        name: Part(
            part.kind,
            copy.deepcopy(part.config),
            {key: list(values) for key, values in part.labels.items()},
            dict(part.arrays),
        )
        for name, part in parts.items()
    }
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        name = rng.choice(sorted(parts))
        part = parts[name]
        change = rng.choice((_config, _config, _array, _array, _array, _labels, _part))
        if change is _part:
            _part(parts, name, rng)
        else:
            change(part, rng)
        if not parts:
            break
    return parts


def _part(parts: dict[str, Part], name: str, rng: random.Random) -> None:
    kind = rng.randrange(3)
    if kind == 0:
        del parts[name]
    elif kind == 1:
        parts[rng.choice(("x", "boundaries", "neural", "grammar", "rules"))] = parts.pop(name)
    else:
        parts[name].kind = rng.choice(
            ("tokenizer", "tagger", "parser", "grammar", "neural", "rules")
        )


def _config(part: Part, rng: random.Random) -> None:
    if not part.config or rng.random() < 0.1:
        part.config[rng.choice(("beam", "order", "bits", "x"))] = rng.choice(_VALUES)
        return
    key = rng.choice(sorted(part.config))
    old = part.config[key]
    kind = rng.randrange(4)
    if kind == 0:
        del part.config[key]
    elif kind == 1 and isinstance(old, list) and old:
        _list(old, rng)
    elif kind == 2 and isinstance(old, dict) and old:
        inner = rng.choice(sorted(old))
        old[inner] = rng.choice((rng.choice(_VALUES), old[inner]))
    else:
        number = isinstance(old, int | float) and rng.random() < 0.7
        part.config[key] = rng.choice(_NUMBERS if number else _VALUES)


def _list(values: list[Any], rng: random.Random) -> None:
    at = rng.randrange(len(values))
    kind = rng.randrange(4)
    if kind == 0:
        del values[at:]
    elif kind == 1:
        values[at] = rng.choice(_VALUES)
    elif kind == 2:
        values *= rng.choice((2, 30))
    else:
        values.append(values[at])


def _labels(part: Part, rng: random.Random) -> None:
    if not part.labels:
        return
    key = rng.choice(sorted(part.labels))
    values = part.labels[key]
    kind = rng.randrange(6)
    if kind == 0:
        del part.labels[key]
    elif kind == 1:
        del values[rng.randrange(len(values) + 1) :]
    elif kind == 2:
        values += [f"x{n}" for n in range(rng.choice((1, 10, 300, 70_000)))]
    elif values:
        odd = ("", "\n", "\t", "l9999/x/9999/y", "k0//0/" + "z" * 1000, "=", "\x1b]0;x\x07")
        values[rng.randrange(len(values))] = rng.choice(odd)


def _array(part: Part, rng: random.Random) -> None:
    if not part.arrays:
        return
    key = rng.choice(sorted(part.arrays))
    old = part.arrays[key]
    kind = rng.randrange(8)
    if kind == 0:
        del part.arrays[key]
    elif kind == 1:
        with np.errstate(all="ignore"):
            part.arrays[key] = old.astype(rng.choice(_TYPES))
    elif kind == 2:
        flat = old.ravel()
        size = rng.choice((0, 1, len(flat) // 2, max(0, len(flat) - 1), len(flat) + 1))
        part.arrays[key] = np.resize(flat, size)
    elif kind == 3:
        part.arrays[key] = old.reshape(-1, 1) if rng.random() < 0.5 else old.ravel()
    else:
        new = old.copy()
        flat = new.reshape(-1)
        if not len(flat):
            return
        count = rng.choice((1, 1, 3, len(flat)))
        places = [rng.randrange(len(flat)) for _ in range(min(count, 1000))]
        if new.dtype.kind == "f":
            flat[places] = rng.choice((0.0, -1.0, 1e4, 6e4, float("nan"), float("inf"), 1e-7))
        else:
            info = np.iinfo(new.dtype)
            value = rng.choice(
                (info.min, info.max, 0, 1, rng.randint(int(info.min), int(info.max)))
            )
            flat[places] = value
        part.arrays[key] = new


def changed_file(model: ModelFile, path: Path, rng: random.Random) -> None:
    """Write a model with changes; sometimes the bytes of the file are changed, too."""
    parts = changed_parts(model.parts, rng)
    card = "\x1b]0;x\x07" if rng.random() < 0.1 else model.card
    save(path, parts, meta={"name": "x"}, card=card, compress=False)
    if rng.random() < 0.1:
        data = bytearray(path.read_bytes())
        for _ in range(rng.choice((1, 3, 10))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
