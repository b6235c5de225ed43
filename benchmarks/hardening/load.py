"""Load test of `caesura serve`: many clients, slow, broken and hostile ones among them.

    python -m benchmarks.hardening.load                                # a few minutes, 40 clients
    python -m benchmarks.hardening.load --clients 500 --pause 120 --attack-pause 900 \\
        --connections 700 --seconds 3600 --attack-seconds 0            # an hour for one core
    python -m benchmarks.hardening.load --ordinary --clients 200 --seconds 300   # no attacks
    python -m benchmarks.hardening.load --output benchmarks/results/load.json    # keep the figures

Starts a server on a free port. First no client, then each kind of client alone for some seconds,
then all kinds together. A separate process requests `/health` ten times a second, on a new
connection each time. Finally the server receives SIGTERM under load. Reported are the answers and
their times, answers that the documentation does not name, the times of `/health`, and memory.
docs/howto/serve.md shows the figures.
"""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import logging
import os
import platform
import subprocess
import sys
import threading
import time
from argparse import SUPPRESS, Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, keep_json, options, start_server
from benchmarks.hardening.clients import ATTACKS, BROKEN, ORDINARY, SLOW, Client, Tally, again

#: The last phase.
TOGETHER = "all together"


# ---------------------------------------------------------------------------------- observation


def resident(pid: int) -> float:
    """Megabytes of memory; 0 if the process has ended."""
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
    """Response times of `/health` by time, measured in a process of their own."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        command = [sys.executable, "-m", "benchmarks.hardening.load", "--ask", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
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
    """The memory of the server and of its largest worker, each second."""

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
    """Request `/health` until killed, on a new connection each time."""
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
        time.sleep(0.1)


# ---------------------------------------------------------------------------------- measurement


def percentile(times: Sequence[float], share: float) -> float | None:
    """In milliseconds; of sorted times."""
    return round(1000 * times[min(len(times) - 1, int(share * len(times)))], 1) if times else None


async def attack(
    port: int,
    clients: Sequence[tuple[Client, int]],
    seconds: float,
    pause: float,
    attack_pause: float,
) -> dict[str, Tally]:
    """Run clients of each kind for a time, with pauses between the requests of each."""
    ends = time.monotonic() + seconds
    tallies = {client.__name__: Tally() for client, _ in clients}
    await asyncio.gather(
        *(
            again(
                client,
                port,
                ends,
                tallies[client.__name__],
                attack_pause if client in ATTACKS else pause,
            )
            for client, number in clients
            for _ in range(number)
        )
    )
    return tallies


def health_row(name: str, times: list[float]) -> dict[str, Any]:
    return {
        "during": name,
        "asked": len(times),
        "under_100_ms": round(100 * sum(one < 0.1 for one in times) / max(1, len(times)), 1),
        "p50_ms": percentile(times, 0.5),
        "p99_ms": percentile(times, 0.99),
        "most_ms": percentile(times, 1.0),
    }


def shares(clients: int, ordinary: bool = False) -> list[tuple[Client, int]]:
    """Half of the clients ordinary, a fifth each slow and broken, a tenth attacks; at least one."""
    made: list[tuple[Client, int]] = []
    parts = ((ORDINARY, 0.5), (SLOW, 0.2), (BROKEN, 0.2), (ATTACKS, 0.1))
    for kinds, share in ((ORDINARY, 1.0),) if ordinary else parts:
        whole = max(len(kinds), round(share * clients))
        each, more = divmod(whole, len(kinds))
        made += [(kind, each + (number < more)) for number, kind in enumerate(kinds)]
    return made


def measure(given: Namespace) -> dict[str, Any]:
    limits = {
        "model": (given.model or ["en-fast"])[0],
        "workers": given.workers,
        "waiting": given.waiting,
        "seconds": given.limit,
        "connections": given.connections,
    }
    server, port = start_server("--quiet", *(f"--{n}={value}" for n, value in limits.items()))
    if port is None or server.stderr is None:
        raise SystemExit("the server did not start")
    threading.Thread(target=server.stderr.read, daemon=True).start()
    health = Health(port)
    memory = Memory(server.pid)
    rows = []
    odd: Counter[str] = Counter()

    def during(
        name: str, clients: Sequence[tuple[Client, int]], seconds: float
    ) -> dict[str, Tally]:
        began = time.time()
        rests = (given.pause, given.attack_pause) if name == TOGETHER else (0.1, 0.1)
        tallies = asyncio.run(attack(port, clients, seconds, *rests))
        if not clients:
            time.sleep(seconds)
        rows.append(health_row(name, health.between(began, time.time())))
        print(rows[-1], file=sys.stderr)
        for tally in tallies.values():
            odd.update(tally.odd)
        return tallies

    try:
        if given.attack_seconds > 0:
            during("nothing", [], given.attack_seconds)
            for kind in (*SLOW, *BROKEN, *ATTACKS) if not given.ordinary else ():
                during(kind.__name__, [(kind, given.attackers)], given.attack_seconds)
        at = len(memory.server)
        began = time.monotonic()
        mixed = shares(given.clients, given.ordinary)
        tallies = during(TOGETHER, mixed, given.seconds)
        spent = time.monotonic() - began
        seen, working = memory.server[at:] or [0.0], memory.workers[at:] or [0.0]
        ended = asyncio.run(end(server, port, mixed))
    finally:
        health.stop()
        server.kill()
    statuses = sum((tally.statuses for tally in tallies.values()), Counter[str]())
    parsed = sorted(one for name in ("parse", "stream") for one in tallies[name].seconds)
    quarter = max(1, len(seen) // 4)
    return {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "priority": os.nice(0),
        "server": limits,
        "clients": {kind.__name__: number for kind, number in mixed},
        "seconds": round(spent, 1),
        "pauses": [given.pause, given.attack_pause],
        "answers": dict(sorted(statuses.items())),
        "undocumented": dict(odd),
        "parse": {
            "answers_per_second": round(len(parsed) / spent, 2),
            "p50_ms": percentile(parsed, 0.5),
            "p99_ms": percentile(parsed, 0.99),
        },
        "memory_mb": {
            "server_start": round(seen[0]),
            "server_end": round(seen[-1]),
            "server_first_quarter": round(sum(seen[:quarter]) / quarter),
            "server_last_quarter": round(sum(seen[-quarter:]) / quarter),
            "server_most": round(max(seen)),
            "server_twelfths": twelfths(seen),
            "worker_first_quarter": round(sum(working[:quarter]) / quarter),
            "worker_last_quarter": round(sum(working[-quarter:]) / quarter),
            "worker_most": round(max(working)),
        },
        "health": rows,
        "sigterm_seconds": ended,
    }


def twelfths(seen: Sequence[float]) -> list[int]:
    """The mean of each twelfth: of an hour, of each five minutes."""
    edges = [round(len(seen) * part / 12) for part in range(13)]
    parts = [seen[a:b] for a, b in itertools.pairwise(edges)]
    return [round(sum(part) / len(part)) for part in parts if part]


async def end(
    server: subprocess.Popen[str], port: int, mixed: Sequence[tuple[Client, int]]
) -> float:
    """Seconds from SIGTERM to the end of the server, under load."""
    tally = Tally()
    ends = time.monotonic() + 3
    crowd = [
        asyncio.ensure_future(again(kind, port, ends, tally, 0.1))
        for kind, number in mixed
        for _ in range(number)
    ]
    await asyncio.sleep(2)
    began = time.monotonic()
    server.terminate()
    while server.poll() is None and time.monotonic() < began + 60:
        await asyncio.sleep(0.05)
    spent = time.monotonic() - began
    for one in crowd:
        one.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    return round(spent, 1)


def main() -> None:
    parser = options(__doc__, "--model", "--output")
    parser.add_argument("--clients", type=int, default=40, help="clients of all kinds together")
    parser.add_argument("--seconds", type=float, default=60, help="duration of the last phase")
    parser.add_argument("--ordinary", action="store_true", help="no slow, broken or hostile ones")
    parser.add_argument("--attackers", type=int, default=10, help="clients of one kind alone")
    parser.add_argument("--attack-seconds", type=float, default=5, help="0: no kind alone")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between two requests")
    parser.add_argument("--attack-pause", type=float, default=0.1, help="the same of an attacker")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--waiting", type=int, default=8)
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--limit", type=float, default=5, help="the server's --seconds")
    parser.add_argument("--ask", type=int, help=SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        ask(given.ask)
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # connections that the server closes
    found = measure(given)
    print(json.dumps(found, indent=1))
    if given.output is not None:
        keep_json(given.output, found)
    if found["undocumented"]:
        raise SystemExit("There were undocumented answers.")


if __name__ == "__main__":
    main()
