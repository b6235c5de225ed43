"""What is seen of a server from outside: how soon `/health` answers, and how much memory it has.

Run as a program it is the process that asks `/health`, which nothing else in the way may delay.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from pathlib import Path

#: Seconds between two questions.
EVERY = 0.1


def resident(pid: int) -> float:
    """MB of memory, where the system tells it."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0.0
    return int(pages) * 4096 / (1 << 20)


def workers_of(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except OSError:
        return []
    return [int(one) for one in found.split()]


class Health(threading.Thread):
    """Collects what the process that asks has measured: (when, seconds), infinite if refused."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        command = [sys.executable, __file__, str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.asked: list[tuple[float, float]] = []
        self.start()

    def run(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            when, seconds = line.split()
            self.asked.append((float(when), float(seconds)))

    def between(self, began: float, ended: float) -> list[float]:
        return sorted(seconds for when, seconds in self.asked if began <= when < ended)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Memory(threading.Thread):
    """Looks at the server and its workers each second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.server: list[float] = []
        self.workers: list[float] = []
        self.start()

    def run(self) -> None:
        while (found := resident(self.pid)) > 0:
            self.server.append(found)
            self.workers.append(max(map(resident, workers_of(self.pid)), default=0.0))
            time.sleep(1.0)


def ask(port: int) -> None:
    """Ask until killed, on a new connection each time."""
    while True:
        when = time.time()
        began = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/health")
            answer = connection.getresponse()
            good = answer.status == 200 and b'"ok"' in answer.read()
            connection.close()
        except (OSError, http.client.HTTPException):
            good = False
        spent = time.monotonic() - began if good else float("inf")
        print(f"{when:.3f} {spent:.4f}", flush=True)
        time.sleep(EVERY)


if __name__ == "__main__":
    ask(int(sys.argv[1]))
