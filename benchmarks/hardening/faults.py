"""Kill processes at random, limit the size of files, slow down the input: nothing may be half done.

    python -m benchmarks.hardening.faults
    python -m benchmarks.hardening.faults --kills 40 --output benchmarks/results/faults.json

A command (`parse` and `split` of a folder with --resume, `parse` into one file that exists already,
`train tokenizer`, `induce`) runs in a forked process that is killed (SIGKILL) after a random part
of the time that it takes. Every result must then be absent, as it was before, or complete; starting
again (with --resume where there is one) must end with the bytes of an undisturbed run and leave no
temporary file. Then files may not grow beyond a size (as on a full disk), and the input
comes a few bytes at a time. A server is killed while it starts and while it parses: its workers
must end, and another one must start. `--only cluster` tries Ray (`cluster.py`): a
worker, the node or its store is killed, or the network taken away, while a folder is parsed. The
exit status is 1 if anything differs. POSIX only.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.common import keep_json, options, start_server
from benchmarks.hardening import cluster

from tests.pipeline import tiny

SENTENCES: Final = (
    "The boats came back before dawn.", "Nobody knew why the harbour was empty.",
    "they did not tell me where they were going i think they went home",
    "“Wait,” she said; it's 3.20 already!", "Men (twelve of them) waited.\n\nThen it rained.",
)  # fmt: skip


@dataclass
class Scene:
    """A command, the folder it works in, and what it writes."""

    name: str
    folder: Path
    call: list[str]
    #: Added when it starts again.
    again: list[str] = field(default_factory=list)
    outputs: Callable[[Path], list[Path]] = lambda folder: sorted(folder.rglob("out/*.*"))
    #: What stands at the place of the result before.
    before: bytes | None = None
    reference: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0


def forked(arguments: list[str], limit: int | None = None, wait: float | None = None) -> int | None:
    """Run a command in a copy of this process; its exit status, or None if it was killed."""
    from caesura import cli

    child = os.fork()
    if child == 0:
        status = 1
        try:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            status = cli.run(arguments)
        finally:
            os._exit(status)
    if wait is not None:
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
    _, ended = os.waitpid(child, 0)
    return None if os.WIFSIGNALED(ended) else os.waitstatus_to_exitcode(ended)


def contents(scene: Scene) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in scene.outputs(scene.folder)
        if path.is_file() and not path.name.startswith(".")
    }


def clean(scene: Scene) -> None:
    for path in scene.folder.iterdir():
        if path.name != "in":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (scene.folder / "out").mkdir()
    if scene.before is not None:
        (scene.folder / "out" / "all.conllu").write_bytes(scene.before)


def prepare(scene: Scene) -> None:
    """Run it undisturbed: what it writes, and how long it takes."""
    clean(scene)
    begin = time.monotonic()
    if forked(scene.call) != 0:
        raise SystemExit(f"{scene.name}: the command itself fails")
    scene.seconds = time.monotonic() - begin
    scene.reference = contents(scene)
    if not scene.reference:
        raise SystemExit(f"{scene.name}: the command writes nothing")


def kill(scene: Scene, rng: random.Random, times: int) -> list[str]:
    """Kill it some times in a row, then let it end; what was wrong."""
    clean(scene)
    wrong = []
    again: list[str] = []
    for _ in range(times):
        forked([*scene.call, *again], wait=rng.uniform(0, 1.05 * scene.seconds))
        again = scene.again
        for name, data in contents(scene).items():
            if data not in (scene.reference.get(name), scene.before):
                wrong.append(f"{scene.name}: {name} is half written")
    status = forked([*scene.call, *again])
    if status == 2 and again:  # nothing was kept yet: it starts anew
        status = forked(scene.call)
    if status != 0:
        wrong.append(f"{scene.name}: starting again ends with {status}")
    if contents(scene) != scene.reference:
        wrong.append(f"{scene.name}: starting again gives something else")
    left = [path.name for path in scene.folder.rglob(".*~")]
    left += [path.name for path in scene.folder.rglob(".*.part")]
    if left:
        wrong.append(f"{scene.name}: temporary files are left: {', '.join(left[:3])}")
    return wrong


def full_disk(scene: Scene) -> list[str]:
    """Files may not grow beyond a size: nothing may be half written, and the status is not 0."""
    wrong = []
    largest = max(map(len, scene.reference.values()))
    for size in (0, 1, largest // 2, largest - 1):
        clean(scene)
        status = forked(scene.call, limit=size)
        if status == 0:
            wrong.append(f"{scene.name}: a full disk is not noticed")
        for name, data in contents(scene).items():
            if data not in (scene.reference[name], scene.before):
                wrong.append(f"{scene.name}: {name} is half written on a full disk")
    return wrong


def short_reads(model: Path, folder: Path) -> list[str]:
    """The same text through a pipe a few bytes at a time."""
    text = "\n".join(SENTENCES * 20).encode()
    (folder / "whole.txt").write_bytes(text)
    target = folder / "whole.conllu"
    plain = ["parse", "-m", str(model), "--quiet", "-o", str(target)]
    if forked([*plain, str(folder / "whole.txt")]) != 0:
        return ["short reads: the command itself fails"]
    wanted = target.read_bytes()
    pipe = folder / "pipe.txt"
    os.mkfifo(pipe)
    writer = os.fork()
    if writer == 0:
        with open(pipe, "wb", buffering=0) as out:
            for at in range(0, len(text), 7):
                out.write(text[at : at + 7])
        os._exit(0)
    status = forked([*plain, str(pipe)])
    os.waitpid(writer, 0)
    found = target.read_bytes().replace(b"pipe", b"whole")
    return [] if status == 0 and found == wanted else ["short reads: the result differs"]


def killed_servers(model: Path, rng: random.Random, times: int) -> list[str]:
    """Kill a server while it starts or works: its workers must end, and another one start."""
    wrong = []
    for number in range(times + 1):
        server, port = start_server(f"--model={model}")
        if number != times and rng.random() > 0.7:
            port = None
        if port is not None:
            asker = threading.Thread(target=_ask, args=(port,), daemon=True)
            asker.start()
            if number == times:
                asker.join(60)
                if not _well(port):
                    wrong.append("serve: a server that starts after the others is not well")
        time.sleep(rng.uniform(0, 1.0))
        below = _children(server.pid)
        server.kill()
        server.wait()
        if server.stderr is not None:
            server.stderr.close()
        end = time.monotonic() + 30
        while any(Path("/proc", str(pid)).exists() for pid in below) and time.monotonic() < end:
            time.sleep(0.1)
        if any(Path("/proc", str(pid)).exists() for pid in below):
            wrong.append("serve: workers outlive their server")
    return wrong


def _ask(port: int) -> None:
    body = json.dumps({"text": " ".join(SENTENCES * 50)}).encode()
    with contextlib.suppress(OSError, http.client.HTTPException):
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        line.request("POST", "/api/parse", body, {"Content-Type": "application/json"})
        line.getresponse().read()


def _well(port: int) -> bool:
    try:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        line.request("GET", "/health")
        return line.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False


def _children(pid: int) -> list[int]:
    """The processes that a process has started, where the system tells."""
    try:
        told = Path("/proc", str(pid), "task", str(pid), "children").read_text()
    except OSError:
        return []
    return [int(child) for child in told.split()]


def lost_clusters(model: Path, folder: Path, times: int) -> tuple[dict[str, str], list[str]]:
    """Disturb runs on a cluster, and resume them without one: what came of it, what was wrong."""
    came: dict[str, str] = {}
    wrong: list[str] = []
    faults = cluster.possible()
    if not faults:
        return came, wrong
    own = folder / "cluster"
    (own / "in").mkdir(parents=True)
    for number in range(40):
        text = " ".join(SENTENCES * 60)
        (own / "in" / f"t{number:02}.txt").write_text(text[number:], encoding="utf-8")
    call = ["parse", str(own / "in"), "-m", str(model), "--quiet", "-o", f"{own / 'out'}/"]
    scene = Scene("cluster", own, call, ["--resume"])
    prepare(scene)
    for number in range(times):
        fault = faults[number % len(faults)]
        clean(scene)
        came[f"{fault} {number // len(faults) + 1}"] = cluster.disturbed(fault, call, own / "out")
        for name, data in contents(scene).items():
            if data != scene.reference.get(name):
                wrong.append(f"cluster: {name} is half written after the {fault} was lost")
        if forked([*call, "--resume"]) != 0 or contents(scene) != scene.reference:
            wrong.append(f"cluster: after the {fault} was lost resuming gives something else")
    return came, wrong


def scenes(model: Path, folder: Path) -> list[Scene]:
    found = []
    for name in ("parse", "split", "one file", "train", "induce"):
        own = folder / name
        (own / "in").mkdir(parents=True)
        for number in range(12):
            some = SENTENCES[number % 5 :] + SENTENCES[: number % 5]
            (own / "in" / f"t{number}.txt").write_text(" ".join(some * 4), encoding="utf-8")
        out, texts = str(own / "out"), str(own / "in")
        quiet = ["-m", str(model), "--quiet"]
        if name in ("parse", "split"):
            call = [name, texts, *quiet, "-o", f"{out}/"]
            found.append(Scene(name, own, call, ["--resume"]))
        elif name == "one file":
            call = ["parse", texts, *quiet, "-o", f"{out}/all.conllu"]
            found.append(Scene(name, own, call, before=b"# what was there before\n"))
        elif name == "train":
            data = str(tiny.EXAMPLES / "harbour.conllu")
            call = ["train", "tokenizer", data, "-o", f"{out}/t.caesura", "--quiet"]
            call += ["--set", "bits=14", "--set", "epochs=3"]
            found.append(Scene(name, own, call, ["--resume"], lambda f: [f / "out/t.caesura"]))
        else:
            call = [
                "induce",
                str(tiny.EXAMPLES / "harbour.conllu"),
                "-o",
                f"{out}/g.caesura",
                "--quiet",
            ]
            found.append(Scene(name, own, call, ["--resume"], lambda f: [f / "out/g.caesura"]))
    return found


def study(model: Path, folder: Path, kills: int, seed: int, only: list[str]) -> dict[str, Any]:
    """All of it; what was done and what was wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    done: dict[str, int] = {}
    every = [scene for scene in scenes(model, folder) if not only or scene.name in only]
    for scene in every:
        prepare(scene)
    while every and sum(done.values()) < kills:
        for scene in every:
            times = min(rng.choice((1, 2, 3)), kills - sum(done.values()))
            if times > 0:
                wrong += kill(scene, rng, times)
                done[scene.name] = done.get(scene.name, 0) + times
    if not only or "serve" in only:
        done["serve"] = max(1, kills // 10)
        wrong += killed_servers(model, rng, done["serve"])
    came: dict[str, str] = {}
    if "cluster" in only:  # takes minutes, and a machine that has them
        came, lost = lost_clusters(model, folder, max(4, kills // 10))
        wrong += lost
    for scene in every:
        wrong += full_disk(scene)
    wrong += short_reads(model, folder)
    found = {"kills": done, "full disks": 4 * len(every), "short reads": 1, "wrong": wrong}
    return {**found, "cluster": came} if came else found


def main() -> None:
    parser = options(__doc__, "--output")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    kinds = "parse, split, one file, train, induce, serve, cluster"
    parser.add_argument("--only", nargs="*", default=[], help=kinds)
    given = parser.parse_args()
    if os.name != "posix":
        parser.error("this needs POSIX signals")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        model = tiny.train(tiny.treebank(), folder / "tiny.caesura")
        found = study(model, folder, given.kills, given.seed, given.only)
    for line in found["wrong"]:
        print(line)
    print(json.dumps({key: found[key] for key in found if key != "wrong"}))
    if given.output:
        keep_json(given.output, found)
    sys.exit(bool(found["wrong"]))


if __name__ == "__main__":
    main()
