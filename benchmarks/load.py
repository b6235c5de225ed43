"""Load test of `caesura serve` on this machine: many clients for a bounded time.

Starts a server of its own on a free port, lets CLIENTS ask it for SECONDS, and reports how many
requests were answered, refused (429) or failed, how long they took, and how the server's memory
went. The clients are threads that ask, read the whole answer, and ask again.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

TEXT = (Path(__file__).parents[1] / "examples" / "harbour.txt").read_text(encoding="utf-8")


def memory(pid: int) -> float:
    """Resident memory of a process in MB, where the system tells it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found.group(1)) / 1024 if found else float("nan")


class Client(threading.Thread):
    """Asks again and again until the time is up."""

    def __init__(self, port: int, ends: float, number: int) -> None:
        super().__init__()
        self.port = port
        self.ends = ends
        self.stream = number % 2 == 0
        self.statuses: Counter[str] = Counter()
        self.seconds: list[float] = []

    def run(self) -> None:
        body = json.dumps({"text": TEXT, "stream": self.stream})
        headers = {"content-type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while time.monotonic() < self.ends:
            began = time.monotonic()
            try:
                connection.request("POST", "/api/v1/parse", body, headers)
                answer = connection.getresponse()
                data = answer.read()
                status = str(answer.status)
                if self.stream and answer.status == 200 and b'"type":"end"' not in data:
                    status = "incomplete"
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
                connection.close()
            self.statuses[status] += 1
            if status == "200":
                self.seconds.append(time.monotonic() - began)
            elif status == "429":
                time.sleep(0.05)
        connection.close()


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


def ask_once(port: int) -> None:
    """Let kernels be compiled before the clock runs."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    body = json.dumps({"text": TEXT})
    for _ in range(3):
        connection.request("POST", "/api/parse", body, {"content-type": "application/json"})
        if (answer := connection.getresponse()).read() and answer.status == 200:
            return
    raise SystemExit("the server does not parse")


def measure(options: argparse.Namespace) -> dict[str, object]:
    arguments = ["-m", options.model, "--threads", str(options.threads), "--seconds", "600"]
    server, port = start([*arguments, "--waiting", str(options.waiting)])
    try:
        ask_once(port)
        rss = [memory(server.pid)]
        began = time.monotonic()
        clients = [Client(port, began + options.seconds, n) for n in range(options.clients)]
        for client in clients:
            client.start()
        while any(client.is_alive() for client in clients):
            time.sleep(min(5.0, options.seconds / 4))
            rss.append(memory(server.pid))
        spent = time.monotonic() - began
    finally:
        server.terminate()
        code = server.wait(timeout=30)
    statuses = sum((client.statuses for client in clients), Counter[str]())
    times = sorted(second for client in clients for second in client.seconds)
    words = len(TEXT.split())
    return {
        "clients": options.clients,
        "seconds": round(spent, 1),
        "statuses": dict(statuses),
        "requests_per_second": round(len(times) / spent, 1),
        "words_per_second": round(words * len(times) / spent),
        "p50_ms": round(1000 * times[len(times) // 2]) if times else None,
        "p99_ms": round(1000 * times[int(0.99 * (len(times) - 1))]) if times else None,
        "memory_mb": [round(value) for value in (rss[0], rss[len(rss) // 2], rss[-1])],
        "exit_status": code,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="en", help="name or file of a model")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--waiting", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):22}{value}")


if __name__ == "__main__":
    main()
