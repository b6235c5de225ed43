"""Where things are kept, and what else differs between platforms: the one module that knows them.

Models live in CAESURA_HOME/models, else in the user's data folder.
"""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

__all__ = [
    "MODEL_SUFFIX",
    "bundled_models",
    "end_with_parent",
    "hold_no_buffers",
    "model_folder",
    "reader_gone",
    "resident",
    "run_folder",
    "threads_available",
    "trim",
]

MODEL_SUFFIX = ".caesura"


def _home() -> Path | None:
    home = os.environ.get("CAESURA_HOME")
    return Path(home) if home else None


def model_folder() -> Path:
    """The folder of the user's own models."""
    home = _home()
    if home is not None:
        return home / "models"
    from platformdirs import user_data_path

    return user_data_path("caesura") / "models"


def bundled_models() -> Path:
    """The folder of the models that come with the package."""
    return Path(__file__).parent / "models"


def run_folder() -> Path:
    """The folder in which runs note what they have made of what."""
    home = _home()
    if home is not None:
        return home / "runs"
    from platformdirs import user_cache_path

    return user_cache_path("caesura") / "runs"


def end_with_parent() -> None:
    """Let the system end this process with the one that started it, where it can (Linux)."""
    import ctypes

    prctl = getattr(ctypes.CDLL(None), "prctl", None) if os.name == "posix" else None
    if prctl is not None:
        prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


def resident(pid: int | None = None) -> int:
    """Bytes that a process (this one, if none is named) has in memory; 0 where nobody tells."""
    told = Path("/proc", "self" if pid is None else str(pid), "statm")
    try:
        pages = int(told.read_text("ascii").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def trim() -> None:
    """Give memory that was freed back to the system, where it can be asked for that (glibc)."""
    import ctypes

    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if give_back is not None:
        give_back(0)


def hold_no_buffers() -> None:
    """Let each buffer of 128 KB or more go back to the system when it is freed (glibc).

    By itself glibc keeps ever larger ones for later once it has seen them come and go.
    """
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        mallopt(-3, 128 << 10)  # M_MMAP_THRESHOLD


def threads_available() -> int:
    """How many threads can run at once: cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def reader_gone(error: OSError) -> bool:
    """Whether an error means that nobody reads our output any more, as in `caesura … | head`."""
    if error.filename is not None:
        return False
    return error.errno == errno.EPIPE or (os.name == "nt" and error.errno == errno.EINVAL)
