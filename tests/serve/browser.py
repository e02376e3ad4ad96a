"""A real browser for tests: Chromium without a window, spoken to over a pipe in its DevTools
protocol, so that no package is needed beside the browser.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find() -> str | None:
    """The browser, or None where none is installed or can be driven."""
    if sys.platform == "win32":  # no file descriptors 3 and 4 to pass there
        return None
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One window of a new, empty profile.

    Args:
        program: the browser.
        profile: an empty folder.
    """

    def __init__(self, program: str, profile: Path) -> None:
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()
        options = (
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--remote-debugging-pipe",
        )  # fmt: skip
        shift = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", shift, program, *options, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._out = os.fdopen(ours_out, "wb")
        self._in = os.fdopen(ours_in, "rb")
        self._number = 0
        self._rest = b""
        self.events: list[dict[str, Any]] = []
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method of the protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while True:
            got = self._read()
            if got.get("id") == self._number:
                assert "error" not in got, (method, got["error"])
                result: dict[str, Any] = got["result"]
                return result
            self.events.append(got)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._in.fileno(), 1 << 16)
            assert data, "the browser has ended"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in got, got["exceptionDetails"]
        return got["result"].get("value")

    def wait(self, expression: str, seconds: float = 30) -> None:
        """Until a JavaScript expression is true."""
        deadline = time.monotonic() + seconds
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, (expression, self.complaints())
            time.sleep(0.05)

    def key(self, name: str) -> None:
        """Presses a key, by its name in the UI Events specification."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)

    def type(self, text: str) -> None:
        """Types into what has the focus."""
        self.call("Input.insertText", text=text)

    def size(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    def touch(self, on: bool) -> None:
        """Fingers instead of a mouse, or a mouse again."""
        self.call("Emulation.setTouchEmulationEnabled", enabled=on)

    def tap(self, x: float, y: float) -> None:
        """A finger touches the page and leaves it."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def media(self, name: str) -> None:
        """Draws as for this medium: "screen" or "print"."""
        self.call("Emulation.setEmulatedMedia", media=name)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        got = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(got["data"]))

    def complaints(self) -> list[str]:
        """Errors of scripts, of the console and of the network so far."""
        messages = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                messages.append(str(parameters["exceptionDetails"]))
            elif event.get("method") == "Log.entryAdded":
                messages.append(str(parameters["entry"]["text"]))
        return messages

    def requested(self) -> list[str]:
        """Addresses that pages have asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def close(self) -> None:
        self._session = None
        self.call("Browser.close")
        self._process.wait(timeout=60)
        self._out.close()
        self._in.close()
