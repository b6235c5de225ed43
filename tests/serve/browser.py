"""A browser by the WebDriver protocol, which is plain HTTP: no package is needed for it."""

from __future__ import annotations

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--disable-dev-shm-usage",
)  # fmt: skip
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Enter": "\ue007", "Backspace": "\ue003", "Tab": "\ue004", "Right": "\ue014", "Left": "\ue012",
    "Up": "\ue013", "Down": "\ue015", "Home": "\ue011", "End": "\ue010", "Escape": "\ue00c",
    "Shift": "\ue008", "Control": "\ue009", "F2": "\ue032", "Space": " ",
}  # fmt: skip


class Browser:
    """One window of a headless Chromium."""

    def __init__(self, driver: str, chromium: str, port: int, folder: Path) -> None:
        self.downloads = folder / "downloads"
        self.downloads.mkdir()
        self.process = subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.root = f"http://127.0.0.1:{port}"
        self._until_ready()
        options = {
            "binary": chromium,
            "args": [*ARGUMENTS, f"--user-data-dir={folder / 'profile'}"],
            "prefs": {"download.default_directory": str(self.downloads)},
        }
        always = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self._send("POST", "/session", {"capabilities": {"alwaysMatch": always}})
        self.session = f"/session/{made['sessionId']}"

    def _until_ready(self) -> None:
        for _ in range(200):
            try:
                if self._send("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("chromedriver does not start")

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.root + path, data, {"content-type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.loads(error.read())["value"]["message"]) from None

    def close(self) -> None:
        try:
            self._send("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait(timeout=10)

    # ------------------------------------------------------------- actions

    def open(self, address: str) -> None:
        self._send("POST", f"{self.session}/url", {"url": address})

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script and return what it returns."""
        body = {"script": script, "args": list(arguments)}
        return self._send("POST", f"{self.session}/execute/sync", body)

    def find(self, selector: str) -> str:
        body = {"using": "css selector", "value": selector}
        return str(self._send("POST", f"{self.session}/element", body)[ELEMENT])

    def click(self, selector: str) -> None:
        self._send("POST", f"{self.session}/element/{self.find(selector)}/click", {})

    def type(self, selector: str, text: str) -> None:
        place = f"{self.session}/element/{self.find(selector)}/value"
        self._send("POST", place, {"text": text})

    def press(self, *keys: str) -> None:
        """Press keys together, as `press("Control", "z")`."""
        codes = [KEYS.get(key, key) for key in keys]
        down = [{"type": "keyDown", "value": code} for code in codes]
        up = [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self._act({"type": "key", "id": "keyboard", "actions": down + up})

    def write(self, text: str) -> None:
        """Type into whatever has the focus."""
        pairs = [{"type": kind, "value": c} for c in text for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": pairs})

    def drag(self, start: str, end: str, kind: str = "mouse") -> None:
        """Drag from the middle of one element to that of another."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", start)
        places = [
            self.run(
                "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                "return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]",
                selector,
            )
            for selector in (start, end)
        ]
        self.drag_from(*places, kind=kind)

    def drag_from(self, start: list[int], end: list[int], kind: str = "mouse") -> None:
        def to(place: list[int]) -> dict[str, Any]:
            return {"type": "pointerMove", "x": place[0], "y": place[1], "duration": 20}

        middle = [(a + b) // 2 for a, b in zip(start, end, strict=True)]
        steps = [to(start), {"type": "pointerDown", "button": 0}, to(middle), to(end), to(end)]
        steps.append({"type": "pointerUp", "button": 0})
        self._act(
            {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps}
        )

    def _act(self, *sources: Any) -> None:
        self._send("POST", f"{self.session}/actions", {"actions": list(sources)})

    def fill(self, selector: str, text: str) -> None:
        """Set the value of a text area at once, as a paste does."""
        self.run(
            "const area = document.querySelector(arguments[0]); area.value = arguments[1];"
            "area.dispatchEvent(new Event('paste', {bubbles: true}));",
            selector,
            text,
        )

    def until(self, script: str, *arguments: Any, seconds: float = 60) -> Any:
        """Wait until a script returns something true."""
        ends = time.monotonic() + seconds
        while True:
            found = self.run(f"return ({script});", *arguments)
            if found:
                return found
            if time.monotonic() > ends:
                page = self.run("return document.body.innerText.slice(0, 600)")
                raise AssertionError(f"never true: {script}\n{page}")
            time.sleep(0.05)

    def size(self, width: int, height: int) -> None:
        parameters = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", parameters)

    def dark(self, on: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.devtools("Emulation.setEmulatedMedia", {"features": [scheme]})

    def devtools(self, command: str, parameters: Any) -> Any:
        body = {"cmd": command, "params": parameters}
        return self._send("POST", f"{self.session}/goog/cdp/execute", body)

    def screenshot(self, path: Path) -> None:
        data = self._send("GET", f"{self.session}/screenshot")
        path.write_bytes(base64.b64decode(data))

    def complaints(self) -> list[str]:
        """What the page wrote to the console that is an error."""
        lines = self._send("POST", f"{self.session}/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] == "SEVERE"]
