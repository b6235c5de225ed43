"""Faults of a Ray cluster on this machine: a worker or the node dies, or the network is gone.

The command runs in its own session and starts its own cluster. As soon as it has written a file,
one of its descendants is killed, or (as root on Linux, where the command has its own network) its
network is taken down. The command may then fail, and is killed if it hangs. Every result must be
absent or complete, and `--resume` without a cluster must give the output of an undisturbed run.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

#: Seconds for a cluster to start and write something, and to end after it was disturbed.
START: Final = 300
PATIENCE: Final = 90
#: What is taken away, and how the processes that are killed for it are called.
FAULTS: Final = {
    "worker": "ray::_work",
    "node": "raylet/raylet",
    "store": "gcs_server",
    "network": "",
}


def possible() -> list[str]:
    """The faults that can be made here."""
    if importlib.util.find_spec("ray") is None or not Path("/proc/self/task").is_dir():
        return []
    tools = all(shutil.which(tool) for tool in ("unshare", "nsenter", "ip"))
    return [name for name in FAULTS if name != "network" or (tools and os.geteuid() == 0)]


def below(pid: int) -> list[int]:
    """All processes that a process and those below it have started."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path("/proc", str(pid), "task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *below(int(child))]
    return found


def _called(pid: int) -> str:
    try:
        return Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _disturb(fault: str, pid: int) -> bool:
    """Whether there was something to disturb."""
    if fault == "network":
        call = ["nsenter", "-t", str(pid), "-n", "ip", "link", "set", "lo", "down"]
        return subprocess.run(call).returncode == 0
    for process in below(pid):
        if FAULTS[fault] in _called(process):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
                return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and whatever it has started."""
    family = [*below(process.pid), process.pid]
    for pid in family:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def disturbed(fault: str, call: list[str], out: Path) -> str:
    """Run a command on a cluster and disturb it once it has written; what came of it."""
    inside = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    command = [sys.executable, "-m", "caesura", *call, "--engine", "ray"]
    environment = {**os.environ, "RAY_raylet_start_wait_time_s": str(START)}
    process = subprocess.Popen(
        [*inside, *command] if fault == "network" else command,
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        limit = time.monotonic() + START
        while process.poll() is None and not any(out.glob("*.conllu")):
            if time.monotonic() > limit:
                return "the cluster did not start in time"
            time.sleep(0.1)
        if process.poll() is None and not _disturb(fault, process.pid):
            return "nothing to disturb"
        try:
            return f"ended with {process.wait(PATIENCE)}"
        except subprocess.TimeoutExpired:
            return f"waited longer than {PATIENCE} s, and was killed"
    finally:
        _end(process)
