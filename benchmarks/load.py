"""Load test of `caesura serve` on this machine: many clients, slow and broken ones among them.

    python benchmarks/load.py                                    # a few minutes, 40 clients
    python benchmarks/load.py --clients 500 --pause 120 --attack-pause 900 --connections 700 \\
        --seconds 3600 --attack-seconds 0                        # an hour that one core can carry
    python benchmarks/load.py --ordinary --clients 200 --seconds 300  # nobody attacks
    nice -n -10 python benchmarks/load.py                        # on a busy machine
    python benchmarks/load.py -o benchmarks/results/load.json    # and keep the figures
    python benchmarks/load.py --show benchmarks/results/load.json

Starts a server of its own on a free port. First nothing, then one kind of client after the other
attacks it for some seconds; then all kinds come together for as long as is asked. A process of its
own asks `/health` ten times a second all the while, on a new connection each time. At last the
server gets SIGTERM in the midst of it. Reported are the answers, how long they took, what was
answered that the documentation does not name, how soon `/health` was, and how memory went.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import logging
import os
import platform
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from load_study.clients import (
    ATTACKS,
    BROKEN,
    ORDINARY,
    SLOW,
    Client,
    Tally,
    again,
)
from load_study.watch import Health, Memory

#: The last phase.
TOGETHER = "all together"


def start(arguments: list[str]) -> tuple[subprocess.Popen[str], int]:
    """The server, once it says where it is."""
    server = subprocess.Popen(
        [sys.executable, "-m", "caesura", "serve", "--port", "0", "--quiet", *arguments],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    for line in server.stderr:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        if found:
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return server, int(found.group(1))
    raise SystemExit("the server did not start")


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
    """So many of each for so long, with pauses between the requests of each."""
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
    """Half of the clients ordinary, a fifth each slow and broken, a tenth attacks; one at least."""
    made: list[tuple[Client, int]] = []
    parts = ((ORDINARY, 0.5), (SLOW, 0.2), (BROKEN, 0.2), (ATTACKS, 0.1))
    for kinds, share in ((ORDINARY, 1.0),) if ordinary else parts:
        whole = max(len(kinds), round(share * clients))
        each, more = divmod(whole, len(kinds))
        made += [(kind, each + (number < more)) for number, kind in enumerate(kinds)]
    return made


def measure(options: argparse.Namespace) -> dict[str, Any]:
    limits = {
        "model": options.model,
        "workers": options.workers,
        "waiting": options.waiting,
        "seconds": options.limit,
        "connections": options.connections,
    }
    server, port = start([f"--{name}={value}" for name, value in limits.items()])
    health = Health(port)
    memory = Memory(server.pid)
    rows = []
    odd: Counter[str] = Counter()

    def during(
        name: str, clients: Sequence[tuple[Client, int]], seconds: float
    ) -> dict[str, Tally]:
        began = time.time()
        rests = (options.pause, options.attack_pause) if name == TOGETHER else (0.1, 0.1)
        tallies = asyncio.run(attack(port, clients, seconds, *rests))
        if not clients:
            time.sleep(seconds)
        rows.append(health_row(name, health.between(began, time.time())))
        print(rows[-1], file=sys.stderr)
        for tally in tallies.values():
            odd.update(tally.odd)
        return tallies

    try:
        if options.attack_seconds > 0:
            during("nothing", [], options.attack_seconds)
            for kind in (*SLOW, *BROKEN, *ATTACKS) if not options.ordinary else ():
                during(kind.__name__, [(kind, options.attackers)], options.attack_seconds)
        at = len(memory.server)
        began = time.monotonic()
        mixed = shares(options.clients, options.ordinary)
        tallies = during(TOGETHER, mixed, options.seconds)
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
        "pauses": [options.pause, options.attack_pause],
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
    """Seconds from SIGTERM to the end of the server, while all kinds of clients are at it."""
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


def table(found: dict[str, Any]) -> str:
    """The tables of docs/howto/serve.md."""
    parsed, memory = found["parse"], found["memory_mb"]
    answers = ", ".join(f"{number:,} × {status}" for status, number in found["answers"].items())
    rows = {
        "clients, seconds": f"{sum(found['clients'].values())}, {found['seconds']:g}",
        "answers": answers,
        "answers that are not documented": str(sum(found["undocumented"].values())),
        "good answers to `parse`": f"{parsed['answers_per_second']:g} a second, "
        f"p50 {parsed['p50_ms']:g} ms, p99 {parsed['p99_ms']:g} ms",
        "memory of the server": f"{memory['server_first_quarter']} MB in the first quarter, "
        f"{memory['server_last_quarter']} MB in the last, at most {memory['server_most']} MB",
        "memory of a worker": _worker(memory),
        "from SIGTERM to the end": f"{found['sigterm_seconds']:g} seconds",
    }
    if "server_start" in memory:
        ends = f"{memory['server_start']} MB at the start, {memory['server_end']} MB at the end; "
        rows["memory of the server"] = ends + rows["memory of the server"]
    if "server_twelfths" in memory:
        means = ", ".join(map(str, memory["server_twelfths"]))
        rows["memory of the server, mean of each twelfth of the time"] = f"{means} MB"
    if "pauses" in found:
        rows["seconds between two requests"] = "{:g}, of an attacker {:g}".format(*found["pauses"])
    lines = ["| all together | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in rows.items()]
    lines += [
        "",
        "| `/health` during | asked | under 100 ms | p50 | p99 | most |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in found["health"]:
        times = " | ".join(f"{row[name]:g} ms" for name in ("p50_ms", "p99_ms", "most_ms"))
        name = row["during"].replace("_", " ")
        lines.append(f"| {name} | {row['asked']} | {row['under_100_ms']:g} % | {times} |")
    return "\n".join(lines)


def _worker(memory: dict[str, int]) -> str:
    most = f"at most {memory['worker_most']} MB"
    if "worker_last_quarter" not in memory:
        return most
    first, last = memory["worker_first_quarter"], memory["worker_last_quarter"]
    return f"{first} MB in the first quarter, {last} MB in the last, {most}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en-fast", help="name or file of a model")
    parser.add_argument("--clients", type=int, default=40, help="clients of all kinds together")
    parser.add_argument("--seconds", type=float, default=60, help="how long they come together")
    parser.add_argument("--ordinary", action="store_true", help="no slow, broken or hostile ones")
    parser.add_argument("--attackers", type=int, default=10, help="clients of one kind alone")
    parser.add_argument("--attack-seconds", type=float, default=5, help="0: no kind alone")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between two requests")
    parser.add_argument(
        "--attack-pause", type=float, default=0.1, help="between two of an attacker, all together"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--waiting", type=int, default=8)
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--limit", type=float, default=5, help="the server's --seconds")
    parser.add_argument("-o", "--output", type=Path, help="keep the figures as JSON")
    parser.add_argument("--show", type=Path, help="print the tables of figures that were kept")
    options = parser.parse_args()
    if options.show is not None:
        print(table(json.loads(options.show.read_text(encoding="utf-8"))))
        return
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # clients that are hung up on
    found = measure(options)
    text = json.dumps(found, indent=1) + "\n"
    if options.output is not None:
        options.output.parent.mkdir(exist_ok=True)
        options.output.write_text(text, encoding="utf-8")
    print(text)
    print(table(found))
    if found["undocumented"]:
        raise SystemExit("There were answers that nobody documented.")


if __name__ == "__main__":
    main()
