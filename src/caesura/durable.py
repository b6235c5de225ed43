"""Files that appear whole or not at all: written under another name, synced, and moved into place.

Whoever writes holds a lock on the temporary file. What a killed process has left is not locked any
more and is removed by the next one that writes into the folder. Locks and syncs of folders are what
POSIX has; elsewhere files are written in the same way without them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from caesura.paths import run_folder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["FolderInUse", "Record", "batch", "exclusive", "replacing", "sweep", "sync_folder"]

_TEMPORARY: Final = re.compile(r"\..+\.[0-9a-f]{16}~")
#: Files that are moved into place in a batch before their folders are synced.
_AT_ONCE: Final = 256
#: Folders that were swept by this process, and those to sync at the end of a batch (None: at once).
_swept: set[str] = set()
_waiting: dict[str, int] | None = None


class FolderInUse(Exception):
    """Another run writes into the same folder."""


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream whose bytes appear under `path` when the block ends without an error.

    A symbolic link stays, and what it points to is replaced.
    """
    target = Path(os.path.realpath(path))
    sweep(target.parent)
    while True:
        # The name is known before the file is made, so that an interruption never leaves one.
        temporary = os.path.join(target.parent, f".{target.name[:200]}.{os.urandom(8).hex()}~")
        try:
            with open(temporary, "xb") as raw:
                if not _keeps(raw.fileno(), temporary):
                    continue
                yield raw
                raw.flush()
                os.fsync(raw.fileno())
                if fcntl is not None:
                    # While it is locked: else another process might sweep it away before.
                    _put(temporary, target)
            if fcntl is None:
                _put(temporary, target)  # what is open cannot be moved there
            break
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    _moved(str(target.parent))


def _put(temporary: str, target: Path) -> None:
    """Give a file that is complete its name."""
    if os.name == "posix" and target.exists():
        os.chmod(temporary, target.stat().st_mode & 0o777)
    os.replace(temporary, target)


def _keeps(descriptor: int, temporary: str) -> bool:
    """Lock a new file; False if another process took it for a dead one before that."""
    if not _lock(descriptor):
        return False
    return os.path.exists(temporary)


def _lock(descriptor: int) -> bool:
    """Lock a file until it is closed; False if somebody else has."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # A file system without locks is used without them.
        return not isinstance(error, BlockingIOError)
    return True


def sweep(folder: str | os.PathLike[str]) -> None:
    """Remove what killed processes have left in a folder; once for each process."""
    name = os.fspath(folder)
    if fcntl is None or name in _swept:
        return
    _swept.add(name)
    with contextlib.suppress(OSError), os.scandir(name) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_dead(entry.path)


def _remove_dead(path: str) -> None:
    with contextlib.suppress(OSError), open(path, "rb") as stream:
        if _lock(stream.fileno()):
            os.unlink(path)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Make the names in a folder survive a loss of power, where the platform can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _moved(folder: str) -> None:
    if _waiting is None:
        sync_folder(folder)
        return
    _waiting[folder] = _waiting.get(folder, 0) + 1
    if _waiting[folder] >= _AT_ONCE:
        del _waiting[folder]
        sync_folder(folder)


@contextlib.contextmanager
def batch() -> Iterator[None]:
    """Within it folders are synced once for many files, and at the end."""
    global _waiting
    outer = _waiting
    _waiting = {} if outer is None else outer
    try:
        yield
    finally:
        if outer is None:
            folders, _waiting = list(_waiting), None
            for folder in folders:
                sync_folder(folder)


class Record:
    """What runs into a folder have made of what: the size and the time that each source had.

    It is kept among the user's caches, not in the folder. A line is added when a result is in
    place. A line that is cut off, or a result without one, says nothing: then the times of the two
    files tell whether the result is older.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        place = os.path.realpath(folder)
        name = hashlib.sha256(os.fsencode(place)).hexdigest()[:32]
        self._path = run_folder() / f"{name}.jsonl"
        self._known: dict[str, list[int]] = {}
        with contextlib.suppress(OSError), open(self._path, "rb") as stream:
            for line in stream:
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    said = json.loads(line)
                    self._known[str(said["target"])] = [int(said["size"]), int(said["time"])]

    def note(self, target: str, source: os.stat_result | None) -> None:
        """Note that a target is made of a source that was like this when it was opened."""
        if source is None:
            return
        name = os.path.basename(target)
        said = {"target": name, "size": source.st_size, "time": source.st_mtime_ns}
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(OSError), open(self._path, "ab") as stream:
            # A line end on either side: a killed run may have left half a line.
            stream.write(b"\n" + json.dumps(said).encode() + b"\n")

    def is_fresh(self, target: str, source: str) -> bool:
        """Whether a target is there, not older than the source, and made of it as it is now."""
        try:
            made, now = os.stat(target), os.stat(source)
        except OSError:
            return False
        known = self._known.get(os.path.basename(target))
        same = known is None or known == [now.st_size, now.st_mtime_ns]
        return same and now.st_mtime_ns <= made.st_mtime_ns


@contextlib.contextmanager
def exclusive(folder: str | os.PathLike[str]) -> Iterator[None]:
    """No other run on this machine writes into the folder meanwhile; else FolderInUse."""
    if fcntl is None:
        yield
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # a folder that cannot be opened: writing will say so
        yield
        return
    try:
        if not _lock(descriptor):
            raise FolderInUse
        yield
    finally:
        os.close(descriptor)
