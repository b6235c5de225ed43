"""The Dockerfile: what it promises, and its steps, run in a clean environment without Docker."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Set to run the steps, which takes minutes.
SLOW = "CAESURA_SLOW"


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage; lines that go on are joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    found: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            if name == "FROM":
                found.append([])
            found[-1].append((name, rest.strip()))
    return found


def said(stage: list[tuple[str, str]], name: str) -> list[str]:
    return [rest for own, rest in stage if own == name]


def test_the_image_is_small_and_its_user_nobody() -> None:
    build, final = stages()
    assert said(final, "FROM") == [said(build, "FROM")[0].removesuffix(" AS build")]
    assert "slim" in said(final, "FROM")[0]
    # The compiler and the sources stay behind.
    assert any("g++" in rest for rest in said(build, "RUN"))
    assert [rest.split()[0] for rest in said(final, "COPY")] == ["--from=build"]
    assert not any(re.search(r"apt-get|pip", rest) for rest in said(final, "RUN"))
    assert said(final, "USER") == ["10001"]
    assert said(final, "HEALTHCHECK")
    assert said(final, "ENTRYPOINT")[0].startswith('["caesura", "serve", "--host", "0.0.0.0"')
    assert not any(said(stage, "ADD") for stage in stages())


def test_the_image_gets_what_the_build_needs_and_no_more() -> None:
    ignored, *kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert ignored == "*"
    names = {line[1:] for line in kept if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {"CMakeLists.txt", "core", "pyproject.toml", "src", project["readme"]}
    assert names == needed | set(project["license-files"])
    assert all((ROOT / name).exists() for name in names)


def test_options_of_the_entry_are_those_of_the_command() -> None:
    import click

    from caesura.cli.serve import command

    _, final = stages()
    call = [*json.loads(said(final, "ENTRYPOINT")[0]), *json.loads(said(final, "CMD")[0])]
    parsed = command.make_context("serve", call[2:])
    assert isinstance(parsed, click.Context)
    assert parsed.params["names"] == ("en",)
    port = str(parsed.params["port"])
    assert said(final, "EXPOSE") == [port]
    assert f":{port}/ready" in said(final, "HEALTHCHECK")[0]


@pytest.mark.skipif(not os.environ.get(SLOW), reason=f"takes minutes; set {SLOW}=1")
def test_the_steps_in_a_clean_environment(tmp_path: Path) -> None:
    """The steps of the Dockerfile that install and serve, below another root."""
    build, final = stages()
    clean = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(tmp_path)}

    def moved(text: str) -> str:
        return text.replace("/opt/caesura", f"{tmp_path}/opt").replace("/source", str(ROOT))

    for name, rest in build:
        if name == "ENV":
            key, _, value = moved(rest).partition("=")
            clean[key] = value
        elif name == "RUN" and "apt-get" not in rest:
            subprocess.run(["sh", "-c", moved(rest)], env=clean, cwd=tmp_path, check=True)
    for rest in said(final, "ENV"):
        key, _, value = moved(rest).partition("=")
        clean[key] = value
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    call = [*json.loads(said(final, "ENTRYPOINT")[0]), *json.loads(said(final, "CMD")[0])]
    call = [str(port) if word == "8765" else word for word in call]
    server = subprocess.Popen([f"{tmp_path}/opt/bin/caesura", *call[1:]], env=clean, cwd=tmp_path)
    try:
        check = said(final, "HEALTHCHECK")[0].split("CMD ", 1)[1].replace("8765", str(port))
        command = json.loads(check)
        ends = time.monotonic() + 300
        while subprocess.run(command, env=clean, capture_output=True, check=False).returncode:
            assert server.poll() is None, shlex.join(call)
            assert time.monotonic() < ends
            time.sleep(1)
        body = json.dumps({"text": "They left. Did you?"}).encode()
        asked = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/v1/parse",
            data=body,
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            assert len(json.loads(answer.read())["sentences"]) == 2
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).read()
        assert b"<textarea" in page
    finally:
        server.terminate()
        assert server.wait(timeout=60) in (0, -15)  # ended by the signal, after its own end
