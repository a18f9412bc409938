"""A headless Chromium at the other end of two pipes, by its DevTools protocol: messages of JSON, each ended by a zero
byte. No driver and no socket: the tests must run where there is no network at all."""

import base64
import json
import os
import subprocess
import tempfile


class Browser:
    """One page. Every network request and every error of its scripts is recorded."""

    def __init__(self, executable):
        self._profile = tempfile.TemporaryDirectory(prefix="broadside-browser-", ignore_cleanup_errors=True)
        command_read, self._command_write = os.pipe()
        self._answer_read, answer_write = os.pipe()
        self._process = subprocess.Popen(
            # The protocol is spoken over the descriptors 3 and 4. Root, as in a container, gets no sandbox, and
            # containers have little shared memory.
            [
                "/bin/sh",
                "-c",
                f'exec "$0" "$@" 3<&{command_read} 4>&{answer_write}',
                executable,
                "--headless",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={self._profile.name}",
                "about:blank",
            ],
            pass_fds=(command_read, answer_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(answer_write)
        self._buffer = b""
        self._last_id = 0
        self._session = None
        self.requests = []
        self.errors = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._command_write)
        os.close(self._answer_read)
        self._profile.cleanup()

    def call(self, method, **parameters):
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._command_write, json.dumps(message).encode() + b"\0")
        return self._wait(lambda answer: answer.get("id") == self._last_id).get("result", {})

    def _wait(self, is_wanted):
        while True:
            answer = self._read()
            self._note(answer)
            if "error" in answer:
                raise RuntimeError(f"the browser refuses: {answer['error']}")
            if is_wanted(answer):
                return answer

    def _read(self):
        while b"\0" not in self._buffer:
            piece = os.read(self._answer_read, 1 << 16)
            if not piece:
                raise RuntimeError(f"the browser ended with {self._process.wait()}")
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, answer):
        parameters = answer.get("params", {})
        if answer.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif answer.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        elif answer.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in (
            "error",
            "warning",
        ):
            self.errors.append(str(parameters["args"]))
        elif answer.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in (
            "error",
            "warning",
        ):
            self.errors.append(str(parameters["entry"]))

    def show(self, width, height, is_dark):
        """The window's size and the reader's theme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, url):
        """Loads a page and waits until it has loaded."""
        self.call("Page.navigate", url=url)
        self._wait(lambda answer: answer.get("method") == "Page.loadEventFired")
        self.settle()

    def settle(self):
        """Waits until the page has drawn."""
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"
        )

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self, path):
        """The whole page, to its bottom."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(picture))
