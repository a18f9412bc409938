"""A page of the viewer in a browser, and recordings made for it: what the tests of the viewer share."""

import json
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from browser import Browser  # noqa: E402

# Messages of the browser about its own software rendering.
OF_THE_BROWSER = ("Automatic fallback to software WebGL", "GPU stall due to ReadPixels")
IS_READY = """
new Promise(done => {
  const wait = setInterval(() => {
    const failure = document.getElementById("failure");
    if (!window.page && failure.hidden) return;
    clearInterval(wait);
    done(failure.textContent);
  }, 20);
})
"""


def write_recording(path, frames):
    with open(path, "wb") as stream:
        stream.write(b"BOXREC01" + struct.pack("<I", len(frames)))
        for boxes in frames:
            stream.write(struct.pack("<I", len(boxes)))
            for name, (kind, low, high) in sorted(boxes.items()):
                stream.write(struct.pack("<II6f", name, kind, *low, *high))


class PageTest(unittest.TestCase):
    """One browser for all."""

    browser = None
    # Of the browser; the program that holds the tests sets it.
    executable = None

    @classmethod
    def setUpClass(cls):
        if PageTest.browser is None:
            PageTest.browser = Browser(PageTest.executable)
            unittest.addModuleCleanup(PageTest.browser.__exit__)

    @staticmethod
    def run_tool(*arguments):
        return subprocess.run([*map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def open_page(self, path, width=900, height=560, is_dark=False, still="#still", has_shadow=False):
        self.browser.show(width, height, is_dark)
        self.browser.requests.clear()
        self.browser.errors.clear()
        # The same page with another fragment would not be loaded again.
        self.browser.open("about:blank")
        self.browser.open(path.as_uri() + still)
        self.assertEqual(self.browser.evaluate(IS_READY), "")
        # The most expensive part of a frame that software draws.
        self.browser.evaluate(f"page.view.has_shadow = {json.dumps(has_shadow)}; 0")

    def page_errors(self):
        return [text for text in self.browser.errors if not any(known in text for known in OF_THE_BROWSER)]

    def press(self, key, **more):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def point(self, kind, x, y, buttons=0):
        self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1)

    def click(self, x, y):
        self.point("mousePressed", x, y, 1)
        self.point("mouseReleased", x, y)
