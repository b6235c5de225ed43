"""A server on a free port with two simple pipelines, and a browser to look at it."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from caesura.serve.options import ServeOptions


@dataclass
class Running:
    """A server that runs in a thread."""

    address: str
    log: list[str]
    app: Any


def start(models: Any, options: ServeOptions) -> tuple[Running, Any, threading.Thread]:
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package, reason="the extra `serve` is not installed")
    from caesura.serve.server import make_server

    log: list[str] = []
    server, made, app = make_server(models, options, log.append)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [made]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    port = made.getsockname()[1]
    return Running(f"http://127.0.0.1:{port}", log, app), server, thread


def fake_models(**paths: Path) -> Any:
    """Pipelines of rules, which workers make of their files."""
    from caesura.serve.models import Models

    return Models(paths, loader="tests.serve.fake:load")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two pipelines that differ in their labels; the second ends a sentence at a semicolon too."""
    from tests.serve.fake import save

    folder = tmp_path_factory.mktemp("models")
    return fake_models(
        tiny=save(folder / "tiny.caesura"),
        other=save(folder / "other.caesura", label="mod", ends=".?!;"),
    )


@pytest.fixture(scope="session")
def server(models: Any) -> Iterator[Running]:
    options = ServeOptions(port=0, workers=2, waiting=20, max_body=4 << 20, body_seconds=2.0)
    running, server, thread = start(models, options)
    yield running
    server.should_exit = True
    thread.join(timeout=20)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Headless Chromium; skips where there is none."""
    from tests.serve.browser import Browser

    driver = shutil.which("chromedriver")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or chromium is None:
        pytest.skip("chromium and chromedriver are not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    made = Browser(driver, chromium, port, tmp_path_factory.mktemp("browser"))
    yield made
    made.close()


@pytest.fixture
def page(browser: Any, server: Any) -> Iterator[Any]:
    """The page, loaded anew; at the end nothing may have gone wrong in it."""
    from tests.serve.pages import opened, remember

    browser.size(1200, 900)
    browser.dark(False)
    remember(browser, server, None)
    opened(browser, server)
    yield browser
    # The page of a server that an earlier test has stopped may have asked it once more.
    own = [line for line in browser.complaints() if "//127." not in line or server.address in line]
    assert [line for line in own if " 4" not in line] == []
