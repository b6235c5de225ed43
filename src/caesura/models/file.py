"""The model file: a zip of `model.safetensors`, `config.toml`, `labels.json`, `meta.json`, a card.

A file holds one or more parts (a tokeniser, a tagger, a parser, a grammar …), each with options,
labels and arrays of its own. A file is hostile until checked: names, sizes, versions, data types
and numbers are looked at before any array is used, and a bad file gets one clear sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from caesura.durable import replacing
from caesura.errors import DISTRIBUTION, InputError, ModelError
from caesura.models.tensors import read_tensors
from caesura.models.toml import dumps as to_toml

FORMAT_VERSION: Final = 1
MAX_BYTES: Final = 2 << 30

_ARRAYS, _CONFIG, _LABELS, _META, _CARD = (
    "model.safetensors",
    "config.toml",
    "labels.json",
    "meta.json",
    "README.md",
)
_ENTRIES: Final = (_META, _CONFIG, _LABELS, _CARD, _ARRAYS)
#: The most bytes of each entry, which is looked at before anything is unpacked.
_CAPS: Final = {
    _META: 1 << 20, _CONFIG: 1 << 20, _LABELS: 32 << 20, _CARD: 1 << 20, _ARRAYS: MAX_BYTES
}  # fmt: skip
#: Arrays that unpack to more than so many times their size hold nothing but one byte.
_MOST_RATIO: Final = 200
_SMALL: Final = 16 << 20
#: What the options of a model may hold: how deep, how many values, how large a number.
_DEEPEST: Final = 6
_MOST_VALUES: Final = 100_000
_LARGEST: Final = 1e12
_MOST_PARTS: Final = 32
#: How often, and how much of the arrays is packed to see what it gives.
_SAMPLES: Final = 32
_SAMPLE: Final = 1 << 16
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass
class Part:
    """One stage of a model: what it is, its options, its labels and its arrays."""

    kind: str
    config: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def array(
        self,
        name: str,
        dtype: DTypeLike | None = None,
        shape: tuple[int | None, ...] | None = None,
    ) -> NDArray[Any]:
        """An array that must be there, with this type and shape (None: any length)."""
        found = self.arrays.get(name)
        if found is None:
            raise ModelError(f"the model's {self.kind} has no array {name!r}", remedy=_AGAIN)
        if dtype is not None and found.dtype != np.dtype(dtype):
            raise ModelError(
                f"the model's {self.kind}: array {name!r} is {found.dtype}, not {np.dtype(dtype)}",
                remedy=_AGAIN,
            )
        fits = shape is None or (
            found.ndim == len(shape)
            and all(
                want is None or want == have for want, have in zip(shape, found.shape, strict=True)
            )
        )
        if not fits:
            raise ModelError(
                f"the model's {self.kind}: array {name!r} has shape {found.shape}, not {shape}",
                remedy=_AGAIN,
            )
        return found

    def option(self, name: str, type_: type | tuple[type, ...], default: Any = None) -> Any:
        """An option of the right type, or the default where it is absent."""
        value = self.config.get(name, default)
        kinds = type_ if isinstance(type_, tuple) else (type_,)
        # Python takes True for the number 1; the core does not.
        wrong = isinstance(value, bool) and bool not in kinds
        if value is not None and (wrong or not isinstance(value, kinds)):
            raise ModelError(
                f"the model's {self.kind}: option {name} has the wrong type ({value!r})",
                remedy=_AGAIN,
            )
        return value


_AGAIN: Final = "The file is damaged or made by another program; train or fetch it again."


@dataclass
class ModelFile:
    """What a model file says."""

    parts: dict[str, Part]
    meta: dict[str, Any] = field(default_factory=dict)
    card: str = ""
    path: str = ""

    @property
    def kind(self) -> str:
        """The kind of its only part, or `pipeline`."""
        return str(self.meta.get("kind", "pipeline"))

    @property
    def checksum(self) -> str:
        """The SHA-256 of all that it says; of its arrays, which may be gone, it knows theirs."""
        parts = {name: [part.kind, part.config, part.labels] for name, part in self.parts.items()}
        said = json.dumps([self.meta, parts], sort_keys=True).encode("ascii")
        return hashlib.sha256(said).hexdigest()

    def part(self, name: str) -> Part:
        """A part by name; its absence is told with what the file does hold."""
        if name not in self.parts:
            raise ModelError(
                f"this model has no {name} (it holds: {', '.join(sorted(self.parts))})",
                file=self.path or None,
                remedy=f"Use a model that was trained with a {name}.",
            )
        return self.parts[name]


def save(
    path: str | os.PathLike[str],
    parts: Mapping[str, Part],
    *,
    meta: Mapping[str, Any] | None = None,
    card: str = "",
    kind: str | None = None,
    compress: bool | Literal["all"] = True,
) -> None:
    """Write a model file under a temporary name and move it into place; same model, same bytes.

    Arrays are packed where that is worth its time at every start, with `all` in any case.
    """
    from safetensors.numpy import save as to_safetensors

    arrays = {
        f"{name}/{key}": np.ascontiguousarray(array)
        for name, part in sorted(parts.items())
        for key, array in sorted(part.arrays.items())
    }
    blob = to_safetensors(arrays)
    kinds = {name: part.kind for name, part in sorted(parts.items())}
    about = {
        **(meta or {}),
        "format": FORMAT_VERSION,
        "kind": kind or (next(iter(kinds.values())) if len(kinds) == 1 else "pipeline"),
        "parts": kinds,
        "sha256": hashlib.sha256(blob).hexdigest(),
    }
    labels = {name: part.labels for name, part in sorted(parts.items())}
    entries: dict[str, bytes] = {
        _META: json.dumps(about, ensure_ascii=False, indent=1, sort_keys=True).encode(),
        _CONFIG: to_toml({name: part.config for name, part in sorted(parts.items())}).encode(),
        _LABELS: json.dumps(labels, ensure_ascii=False).encode(),
        _CARD: card.encode(),
        _ARRAYS: blob,
    }
    try:
        with replacing(path) as raw, zipfile.ZipFile(raw, "w") as archive:
            for name, data in entries.items():
                info = zipfile.ZipInfo(name)  # the fixed date of 1980: same model, same bytes
                whole = name != _ARRAYS or compress == "all"
                packed = compress and (whole or _is_worth_packing(data))
                info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
                info.external_attr = 0o644 << 16
                archive.writestr(info, data)
    except OSError as error:
        raise InputError(
            f"cannot write the model: {error.strerror}",
            file=os.fspath(path),
            remedy="Choose a folder that exists, with room, and that you may write to.",
        ) from error


def _is_worth_packing(data: bytes) -> bool:
    """Whether arrays get smaller by more than a sixth; every start would pay for less than that."""
    step = max(len(data) // _SAMPLES, _SAMPLE)
    sample = b"".join(data[at : at + _SAMPLE] for at in range(0, len(data), step))
    return 6 * len(zlib.compress(sample)) < 5 * len(sample)


def load(path: str | os.PathLike[str], *, arrays: bool = True) -> ModelFile:
    """Read and check a model file; without `arrays` only what it says of itself, which is quick."""
    name = os.fspath(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode) and not os.path.isdir(name):
            raise ModelError(
                "is a device or a pipe, not a model file", file=name, remedy="Name a file."
            )
        with zipfile.ZipFile(name) as archive:
            return _decode(archive, _infos(archive, name), name, arrays)
    except FileNotFoundError as error:
        raise ModelError(
            "there is no such model file",
            file=name,
            remedy="Check the path; `caesura models` lists the models that have names.",
        ) from error
    except IsADirectoryError as error:
        raise ModelError("is a directory, not a model file", file=name) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ModelError(
            "is no Caesura model, or is cut short", file=name, remedy=_AGAIN
        ) from error
    except ModelError as error:
        raise ModelError(error.what, file=name, remedy=error.remedy) from error
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise ModelError("is damaged", file=name, remedy=_AGAIN) from error
    except (RecursionError, MemoryError) as error:
        raise ModelError("asks for more than there is", file=name, remedy=_AGAIN) from error
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", file=name) from error


def _infos(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    if sorted(info.filename for info in infos) != sorted(_ENTRIES):
        raise ModelError("is no Caesura model", file=name, remedy=_AGAIN)
    for info in infos:
        if info.file_size > _CAPS[info.filename]:
            most = f"{_CAPS[info.filename] >> 20:,} MB"
            what = f"its {info.filename} is larger than {most} unpacked"
            raise ModelError(what, file=name, remedy=_AGAIN)
        if info.file_size > _SMALL and info.file_size > _MOST_RATIO * info.compress_size:
            what = f"its {info.filename} unpacks to more than {_MOST_RATIO} times its size"
            raise ModelError(what, file=name, remedy=_AGAIN)
    return {info.filename: info for info in infos}


def _decode(
    archive: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo], name: str, with_arrays: bool
) -> ModelFile:
    def entry(which: str) -> bytes:
        with archive.open(infos[which]) as stream:
            data = stream.read(infos[which].file_size + 1)
        if len(data) != infos[which].file_size:
            raise ModelError("is cut short", file=name, remedy=_AGAIN)
        return data

    meta = _json(entry(_META), _DEEPEST)
    version = meta["format"]
    kinds = dict(meta["parts"])
    named = all(
        isinstance(one, str) and _NAME.fullmatch(one) for pair in kinds.items() for one in pair
    )
    if not named or len(kinds) > _MOST_PARTS:
        raise ModelError("its parts have no proper names", file=name, remedy=_AGAIN)
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise ModelError(
            f"has format {version}; this version of Caesura reads up to {FORMAT_VERSION}",
            file=name,
            remedy=f"Upgrade Caesura: pip install --upgrade {DISTRIBUTION}",
        )
    config = tomllib.loads(entry(_CONFIG).decode())
    _check_values(config, _DEEPEST)
    labels = json.loads(entry(_LABELS))
    card = entry(_CARD).decode()
    if not with_arrays:
        return ModelFile({part: Part(kind) for part, kind in kinds.items()}, meta, card, name)
    with archive.open(infos[_ARRAYS]) as opened:
        stream = cast(Any, opened)
        # Its SHA-256 is compared: zipfile need not add up a checksum of its own.
        stream._expected_crc = None
        arrays, digest = read_tensors(stream, infos[_ARRAYS].file_size)
    if digest != meta["sha256"]:
        raise ModelError("its arrays do not match their checksum", file=name, remedy=_AGAIN)
    for key, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelError(f"array {key} holds NaN or infinity", file=name, remedy=_AGAIN)
    parts = {}
    for part, kind in kinds.items():
        own = {k.removeprefix(f"{part}/"): a for k, a in arrays.items() if k.startswith(f"{part}/")}
        said = {str(key): _labels(values) for key, values in labels[part].items()}
        parts[part] = Part(kind, dict(config.get(part, {})), said, own)
    return ModelFile(parts, meta, card, name)


def _json(data: bytes, deepest: int) -> dict[str, Any]:
    """An object of JSON, whose values are plain and finite."""
    found = json.loads(data)
    if not isinstance(found, dict):
        raise TypeError("this is no object")
    _check_values(found, deepest)
    return found


def _labels(values: Any) -> list[str]:
    if not isinstance(values, list) or not {*map(type, values)} <= {str}:
        raise TypeError("labels are a list of strings")
    return values


def _check_values(value: Any, deepest: int) -> None:
    """Options are plain: not too deep, not too many, and numbers that the core can hold."""
    count = 0
    layer = [value]
    for _ in range(deepest):
        below: list[Any] = []
        for one in layer:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
            elif isinstance(one, float) and not abs(one) <= _LARGEST:  # nor is NaN
                raise ModelError(f"the option {one} is no number to count with", remedy=_AGAIN)
            elif not isinstance(one, str | int | float | bool | None) or (
                isinstance(one, int) and abs(one) >= 1 << 63
            ):
                raise ModelError("an option is neither text nor a number", remedy=_AGAIN)
        count += len(below)
        if count > _MOST_VALUES:
            raise ModelError(f"has more than {_MOST_VALUES:,} options", remedy=_AGAIN)
        layer = below
    if layer:
        raise ModelError(f"has options more than {deepest} deep", remedy=_AGAIN)
