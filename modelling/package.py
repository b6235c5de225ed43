"""Make a package of a model file that pip installs.

    python -m modelling.package my.caesura -o packages/my --licence CC-BY-4.0
    python -m modelling.package en-large.caesura -o packages/en-large --wheel dist/

The folder has a pyproject.toml with the entry point of the group `caesura.models`, the card as
README.md, the licence, and a module that says where the file is and what its SHA-256 is; any
build tool makes a wheel of it. `--wheel` writes one without a tool: same model, same bytes. The
version is that of the model's meta data, unless one is given. A model that names no licence gets
one by `--licence`, which the file in the package keeps in its meta data and its card; the file that
was given stays as it is. Nothing that is there is overwritten, but for the folder of an earlier
call with the same name.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path

from benchmarks.common import errors_told, options
from modelling.cards import OWN

from caesura.errors import DISTRIBUTION, InputError, UsageError
from caesura.models.file import ModelFile, save
from caesura.models.licence import check_licence, licence_line
from caesura.models.store import digest, load_model
from caesura.paths import MODEL_SUFFIX

_MODULE = '''\
"""The Caesura model {name}: see README.md for what it learned from and how well it does."""

from pathlib import Path

__all__ = ["model"]


def model() -> dict[str, str]:
    """Where the model is, and its checksum: the entry point of the group `caesura.models`."""
    return {{
        "path": str(Path(__file__).parent / "{file}"),
        "sha256": "{sha256}",
    }}
'''
_PROJECT = """\
[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
name = "{distribution}"
version = "{version}"
description = {summary}
readme = "README.md"
license = {licence}
license-files = ["LICENSE"]
requires-python = ">=3.11"
dependencies = ["{caesura}"]

[project.entry-points."caesura.models"]
{name} = "{module}:model"

[tool.hatch.build.targets.wheel]
packages = ["src/{module}"]
"""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


def package(
    model: Path,
    folder: Path,
    *,
    name: str | None = None,
    version: str | None = None,
    licence: str | None = None,
    licence_file: Path | None = None,
) -> dict[str, str]:
    """Write the folder of a package; what it is called, by field.

    `licence` is for a model that names none.
    """
    file = load_model(model)
    name = name or str(file.meta.get("name") or model.name.removesuffix(MODEL_SUFFIX))
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be the name of a package", remedy="See --name.")
    said = str(file.meta.get("licence", file.meta.get("license", "")))
    spdx = said or (check_licence(licence) if licence else "")
    if not spdx:
        raise InputError(
            "the model says no licence",
            file=str(model),
            remedy="Name one with --licence, such as CC-BY-4.0.",
        )
    if licence not in (None, spdx):
        raise UsageError(
            f"the model is under {spdx}, not under {licence}",
            file=str(model),
            remedy="Leave --licence out.",
        )
    marker = folder / "pyproject.toml"
    if folder.exists() and any(folder.iterdir()):
        if not marker.exists() or f'"caesura.models"]\n{name} =' not in marker.read_text("utf-8"):
            raise UsageError("there is something else in it", file=str(folder))
        shutil.rmtree(folder / "src", ignore_errors=True)
    about = {
        "name": name,
        "distribution": f"caesura-{name}",
        "module": f"caesura_{name.replace('-', '_')}",
        "version": version or str(file.meta.get("version", "0.1.0")),
        "file": f"{name}{MODEL_SUFFIX}",
        "caesura": DISTRIBUTION,
        "licence": json.dumps(spdx),
        "summary": json.dumps(f"The model {name} for Caesura."),
    }
    inner = folder / "src" / about["module"]
    inner.mkdir(parents=True, exist_ok=True)
    inside = inner / about["file"]
    card = file.card or f"# {name}\n"
    if said:
        shutil.copyfile(model, inside)
    else:
        card = f"{card.rstrip()}\n\n{licence_line(spdx)}\n"
        _save_under(file, inside, spdx, card)
    about["sha256"] = digest(inside)
    marker.write_text(_PROJECT.format(**about), encoding="utf-8")
    (folder / "README.md").write_text(card, encoding="utf-8")
    text = licence_file.read_text("utf-8") if licence_file is not None else f"{spdx}\n"
    (folder / "LICENSE").write_text(text, encoding="utf-8")
    (inner / "__init__.py").write_text(_MODULE.format(**about), encoding="utf-8")
    return about


def _save_under(file: ModelFile, path: Path, licence: str, card: str) -> None:
    """Write a model that names this licence."""
    meta = {name: value for name, value in file.meta.items() if name not in OWN}
    save(path, file.parts, meta=meta | {"licence": licence}, card=card, kind=file.kind)


def wheel(folder: Path, about: dict[str, str], into: Path) -> Path:
    """The wheel of a package folder; files have the date of 1980, so that bytes are the same."""
    stem = f"{about['distribution'].replace('-', '_')}-{about['version']}"
    info = f"{stem}.dist-info"
    module = about["module"]
    source = folder / "src" / module
    metadata = "\n".join(
        [
            "Metadata-Version: 2.4",
            f"Name: {about['distribution']}",
            f"Version: {about['version']}",
            f"Summary: {json.loads(about['summary'])}",
            f"License-Expression: {json.loads(about['licence'])}",
            "License-File: LICENSE",
            "Requires-Python: >=3.11",
            f"Requires-Dist: {about['caesura']}",
            "Description-Content-Type: text/markdown",
            "",
            (folder / "README.md").read_text("utf-8"),
        ]
    )
    entry_points = f"[caesura.models]\n{about['name']} = {module}:model\n"
    files = {
        f"{module}/__init__.py": (source / "__init__.py").read_bytes(),
        f"{module}/{about['file']}": (source / about["file"]).read_bytes(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: caesura\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points.encode(),
        f"{info}/licenses/LICENSE": (folder / "LICENSE").read_bytes(),
    }
    record = "".join(f"{path},sha256={_short(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    into.mkdir(parents=True, exist_ok=True)
    target = into / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            # A model file is packed already.
            packed = path.endswith(MODEL_SUFFIX)
            entry.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return target


def _short(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--name", help="that of the model, unless it shall have another one")
    parser.add_argument("--version")
    parser.add_argument(
        "--licence", metavar="SPDX", help="of a model that names none: CC-BY-SA-4.0, CC0-1.0, MIT"
    )
    parser.add_argument("--licence-file", type=Path, metavar="FILE", help="the licence in full")
    parser.add_argument("--wheel", type=Path, metavar="DIR", help="write a wheel into this folder")
    given = parser.parse_args()
    with errors_told():
        about = package(
            given.model,
            given.output,
            name=given.name,
            version=given.version,
            licence=given.licence,
            licence_file=given.licence_file,
        )
        print(given.output)
        if given.wheel is not None:
            made = wheel(given.output, about, given.wheel)
            print(made, digest(made))


if __name__ == "__main__":
    main()
