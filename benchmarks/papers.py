"""The tables and figures of the papers as jobs, side by side, one small file of results for each.

    python benchmarks/papers.py list
    python benchmarks/papers.py run --jobs 8 --cache cache/ --out papers/
    python benchmarks/papers.py run --only figure4/GUM-speech --only table5 --out papers/
    python benchmarks/papers.py run --only table5/CDT-Danish/1 --jobs 1 --out papers/
    python benchmarks/papers.py collect --out papers/
    python benchmarks/papers.py draw --out figures/

Jobs are run in the order of the list, the most telling first. A job whose file is finished is not
run again; while it runs its file has what is known so far (`"done": false`). --only takes the
beginning of names. `collect` makes joint.json, branching.json and boundaries.json in results/ of
the files, with tests over documents; what those have beyond these files stays. `draw` makes
pictures of the learning curves in joint.json. Methods are those of `benchmarks/joint.py` and
`benchmarks/branching.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from data import DATA
from papers_study.jobs import JOBS, Job

RESULTS = Path(__file__).parent / "results"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def is_done(out: Path, job: Job) -> bool:
    path = out / job.file
    return path.exists() and bool(json.loads(path.read_text()).get("done"))


def one(job: Job, out: Path, cache: Path, data: Path) -> None:
    """Run a job in this process."""
    from papers_study import boundary_jobs, branching_jobs, joint_jobs

    kinds: dict[str, Any] = joint_jobs.KINDS | branching_jobs.KINDS | boundary_jobs.KINDS
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
    environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
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
            command = [sys.executable, __file__, "one", job.name]
            command += ["--out", str(out), "--cache", str(cache), "--data", str(data)]
            with (out / job.file).with_suffix(".log").open("wb") as log:
                running[job.name] = subprocess.Popen(command, stderr=log, env=environment)
            print(f"{job.name} started", file=sys.stderr, flush=True)
        time.sleep(0.5)
    return len(failed)


def keep(out: Path) -> None:
    """Write what the files of jobs say into the results of the repository."""
    from papers_study.collect import collect, merged
    from papers_study.store import dumped

    for name, found in collect(out).items():
        path = RESULTS / f"{name}.json"
        old = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(dumped(merged(old, found)), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["list", "run", "one", "collect", "draw"])
    parser.add_argument("name", nargs="?", help="the job of `one`")
    parser.add_argument("--only", action="append", help="jobs whose names begin so, default all")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument("--out", type=Path, default=Path("papers"))
    parser.add_argument("--cache", type=Path, default=Path("cache"))
    parser.add_argument("--data", type=Path, default=DATA)
    args = parser.parse_args()
    if args.what == "list":
        print("\n".join(JOBS))
        return 0
    if args.what == "collect":
        keep(args.out)
        return 0
    if args.what == "draw":
        from papers_study.draw import draw

        draw(args.out, json.loads((RESULTS / "joint.json").read_text())["curves"])
        return 0
    for folder in (args.out, args.cache):
        folder.mkdir(parents=True, exist_ok=True)
    if args.what == "one":
        if args.name not in JOBS:
            parser.error(f"there is no job {args.name!r}: see `list`")
        one(JOBS[args.name], args.out, args.cache, args.data)
        return 0
    wanted = tuple(args.only or ("",))
    chosen = [job for job in JOBS.values() if job.name.startswith(wanted)]
    if not chosen:
        parser.error("no job has such a name: see `list`")
    needed = {name for job in chosen for name in job.needs}
    chosen = [job for job in JOBS.values() if job in chosen or job.name in needed]
    return 1 if run(chosen, args.jobs, args.out, args.cache, args.data) else 0


if __name__ == "__main__":
    sys.exit(main())
