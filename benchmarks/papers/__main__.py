"""The tables and figures of the papers as jobs, side by side, one small file of results for each.

    python -m benchmarks.papers list
    python -m benchmarks.papers run --jobs 8 --cache cache/ --out papers/
    python -m benchmarks.papers run --only figure4/GUM-speech --only table5 --out papers/
    python -m benchmarks.papers run --only table5/CDT-Danish/1 --jobs 1 --out papers/
    python -m benchmarks.papers collect --out papers/

Jobs run in the order of the list, the most important first. A job whose file is finished is not run
again; the file of a running job has the results so far (`"done": false`). --only takes the
beginning of names. `collect` writes joint.json, branching.json and boundaries.json in results/,
with tests over documents; older results stay where there are no newer ones.
`docs._build_tools.tables` makes the tables of the documentation from them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.common import DATA, RESULTS, ROOT, dumped, environment, options, read_json
from benchmarks.papers.jobs import JOBS, Job


def is_done(out: Path, job: Job) -> bool:
    path = out / job.file
    return path.exists() and bool(json.loads(path.read_text()).get("done"))


def one(job: Job, out: Path, cache: Path, data: Path) -> None:
    """Run a job in this process."""
    from benchmarks.papers import boundaries, branching
    from benchmarks.papers.joint import jobs

    kinds: dict[str, Any] = jobs.KINDS | branching.KINDS | boundaries.KINDS
    head = {"job": job.name, "kind": job.kind, "settings": job.settings}
    told: dict[str, Any] = {}

    def write(found: dict[str, Any], done: bool = False) -> None:
        told.update(found)
        seconds = round(time.process_time(), 1)
        text = json.dumps({**head, "done": done, "seconds": seconds, **told}, default=_plain)
        path = out / job.file
        path.with_suffix(".part").write_text(text + "\n")
        path.with_suffix(".part").replace(path)

    kinds[job.kind](write, cache, data, **job.settings)
    write({}, done=True)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def run(chosen: list[Job], side_by_side: int, out: Path, cache: Path, data: Path) -> int:
    """Run jobs, so many at once; returns how many failed."""
    waiting = [job for job in chosen if not is_done(out, job)]
    running: dict[str, subprocess.Popen[bytes]] = {}
    failed: set[str] = set()
    while waiting or running:
        for name in [name for name, process in running.items() if process.poll() is not None]:
            if running.pop(name).returncode:
                failed.add(name)
                print(f"{name} failed", file=sys.stderr, flush=True)
        open_ones = {job.name for job in waiting} | set(running)
        for job in list(waiting):
            if len(running) >= side_by_side:
                break
            if open_ones & set(job.needs):
                continue
            waiting.remove(job)
            if failed & set(job.needs):
                failed.add(job.name)
                continue
            command = [sys.executable, "-m", "benchmarks.papers", "one", job.name]
            places = {"--out": out, "--cache": cache, "--data": data}
            command += [w for name, p in places.items() for w in (name, str(p.resolve()))]
            with (out / job.file).with_suffix(".log").open("wb") as log:
                running[job.name] = subprocess.Popen(
                    command, stderr=log, env=environment(), cwd=ROOT
                )
            print(f"{job.name} started", file=sys.stderr, flush=True)
        time.sleep(0.5)
    return len(failed)


def keep(out: Path) -> None:
    """Write what the files of jobs say into the results of the repository."""
    from benchmarks.papers.collect import collect, merged

    for name, found in collect(out).items():
        path = RESULTS / f"{name}.json"
        path.write_text(dumped(merged(read_json(path), found)), encoding="utf-8")


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("what", choices=["list", "run", "one", "collect"])
    parser.add_argument("name", nargs="?", help="the job of `one`")
    parser.add_argument("--only", action="append", help="jobs whose names begin so, default all")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument("--out", type=Path, default=Path("papers"))
    parser.add_argument("--cache", type=Path, default=Path("cache"))
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    if given.what == "list":
        print("\n".join(JOBS))
        return 0
    if given.what == "collect":
        keep(given.out)
        return 0
    for folder in (given.out, given.cache):
        folder.mkdir(parents=True, exist_ok=True)
    if given.what == "one":
        if given.name not in JOBS:
            parser.error(f"there is no job {given.name!r}: see `list`")
        one(JOBS[given.name], given.out, given.cache, given.data)
        return 0
    wanted = tuple(given.only or ("",))
    chosen = [job for job in JOBS.values() if job.name.startswith(wanted)]
    if not chosen:
        parser.error("no job has such a name: see `list`")
    needed = {name for job in chosen for name in job.needs}
    chosen = [job for job in JOBS.values() if job in chosen or job.name in needed]
    return 1 if run(chosen, given.jobs, given.out, given.cache, given.data) else 0


if __name__ == "__main__":
    sys.exit(main())
