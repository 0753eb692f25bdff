"""A headless Chromium, spoken to over a pipe in its own debugging protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
#: Where ``python -m tests.viewer.install_browser`` puts one if there is none.
INSTALLED = Path(sys.prefix) / "browser" / "chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find_browser() -> str | None:
    """Return the browser that EQUIFORM_BROWSER names, the first on the path, or the one beside our environment."""
    return os.environ.get("EQUIFORM_BROWSER") or next(filter(None, map(shutil.which, (*NAMES, str(INSTALLED)))), None)


class Browser:
    """One page in a browser of its own; what it logs and what it asks the network for is kept."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._sent = 0
        self._buffer = b""

    def __enter__(self) -> Browser:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self._write = os.pipe()
        self._read, back = os.pipe()

        def place_pipes() -> None:  # the protocol's pipes are files 3 and 4
            first, second = os.dup(theirs), os.dup(back)
            high = [os.dup(first), os.dup(second)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        held = [os.open(os.devnull, os.O_RDONLY)]
        while held[-1] <= 4:  # Popen's own pipe to the child must not be file 3 or 4
            held.append(os.open(os.devnull, os.O_RDONLY))
        self._process = subprocess.Popen(
            [self.program, *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=place_pipes,
            close_fds=False,  # ours are not inherited anyway, and files 3 and 4 exist in the child alone
        )
        for file in (theirs, back, *held):
            os.close(file)
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(30)
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol and return its result."""
        self._sent += 1
        message: dict[str, Any] = {"id": self._sent, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._sent:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._read, 1 << 16)
            assert chunk, "the browser has gone"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, event: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(event["exceptionDetails"])[:500])
        elif method == "Log.entryAdded" or (
            method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning")
        ):
            self.complaints.append(json.dumps(event)[:500])
        elif method == "Network.requestWillBeSent" and not event["request"]["url"].startswith(("file:", "data:")):
            self.requests.append(event["request"]["url"])

    def open(self, file: Path, state: str = "") -> None:
        """Open an explorer page and wait until it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=file.resolve().as_uri() + state)
        for _ in range(600):
            if self.js("document.documentElement?.dataset.ready === 'true'"):
                return
            time.sleep(0.05)
        raise AssertionError(f"the page does not get ready: {self.complaints}")

    def js(self, expression: str) -> Any:
        """Evaluate JavaScript in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """Return the visible text of the first element that a selector finds."""
        return str(self.js(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def click(self, selector: str) -> None:
        """Click into the middle of an element with the mouse."""
        find = f"document.querySelector({json.dumps(selector)})"
        self.js(f"{find}.scrollIntoView({{block: 'center'}})")
        x, y = self.js(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({find}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def answer_time(self, selector: str) -> tuple[float, float]:
        """Click and return the milliseconds until the page has been drawn anew: elapsed, and of processor time.

        The second is what the page's thread worked, however busy the machine is with other things.
        """
        find = f"document.querySelector({json.dumps(selector)})"
        drawn = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
        click = f'{find}.dispatchEvent(new MouseEvent("click"))'
        body = f"const t = performance.now(); {click}; await {drawn}; return performance.now() - t;"
        before = self._worked()
        elapsed = float(self.js(f"(async () => {{ {body} }})()"))
        return elapsed, self._worked() - before

    def _worked(self) -> float:
        """Return the milliseconds of processor time that the page's thread has spent on tasks."""
        self.call("Performance.enable", timeDomain="threadTicks")
        found = {m["name"]: m["value"] for m in self.call("Performance.getMetrics")["metrics"]}
        return 1000 * float(found["TaskDuration"])

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def look(self, width: int, height: int, *, dark: bool = False) -> None:
        """Set the size of the screen and the colours that the reader prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path: Path, part: str = "") -> None:
        """Store what the page shows, or the first element that a selector finds."""
        area = {}
        if part:
            find = f"document.querySelector({json.dumps(part)}).getBoundingClientRect()"
            x, y, width, height = self.js(f"(r => [r.x + scrollX, r.y + scrollY, r.width, r.height])({find})")
            area = {"clip": {"x": x, "y": y, "width": width, "height": height, "scale": 1}}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=bool(part), **area)
        path.write_bytes(base64.b64decode(shot["data"]))
