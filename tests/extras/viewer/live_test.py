"""The live page in a real browser: its pairs are those of brute force, and every control works.

Arguments: the browser, the page. With --write, the kept pictures are written anew."""

import json
import math
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
from kept_pictures import difference_from_kept, picture_of  # noqa: E402
from viewer_page import OF_THE_BROWSER, Browser  # noqa: E402

IS_WRITING = "--write" in sys.argv
BROWSER, PAGE = [one for one in sys.argv[1:] if one != "--write"]
PAGE = Path(PAGE).resolve()
PAGE_LIMIT = 12_000_000
# The library's pairs and those of brute force over the same boxes, as sorted text.
PAIRS = """
(() => {
  const { boxes, count } = live.sandbox;
  const { pairs, stride } = live.sandbox.find(document.getElementById("method").value);
  const found = [];
  for (let at = 0; at < pairs.length; at += 2 * stride) {
    const [i, j] = [pairs[at], pairs[at + stride]];
    found.push(`${Math.min(i, j)} ${Math.max(i, j)}`);
  }
  const low = [boxes.minX, boxes.minY, boxes.minZ], high = [boxes.maxX, boxes.maxY, boxes.maxZ];
  const wanted = [];
  for (let i = 0; i < count; ++i) {
    for (let j = i + 1; j < count; ++j) {
      let is_apart = false;
      for (let k = 0; k < 3; ++k) is_apart ||= low[k][i] > high[k][j] || low[k][j] > high[k][i];
      if (!is_apart) wanted.push(`${i} ${j}`);
    }
  }
  return { count: wanted.length, is_same: found.sort().join() === wanted.sort().join() };
})()
"""


class LivePageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(BROWSER)
        cls.addClassCleanup(cls.browser.__exit__)

    def open_page(self, width=900, height=560, is_dark=False):
        self.browser.show(width, height, is_dark)
        self.browser.requests.clear()
        self.browser.errors.clear()
        self.browser.open("about:blank")
        self.browser.open(PAGE.as_uri())
        is_ready = "!!window.live || !document.getElementById('failure').hidden"
        for _ in range(600):
            if self.browser.evaluate(is_ready):
                break
            time.sleep(0.05)
        self.assertEqual(self.browser.evaluate("document.getElementById('failure').textContent"), "")
        # Software draws, so that steps are made by hand.
        self.browser.evaluate("live.set_playing(false); live.view.has_shadow = false; 0")

    def run_steps(self, count):
        self.browser.evaluate(f"for (let k = 0; k < {count}; ++k) live.step(1 / 60); 0")

    def set_control(self, name, value):
        self.browser.evaluate(
            f"(() => {{ const one = document.getElementById('{name}'); one.value = {json.dumps(value)};"
            "one.dispatchEvent(new Event('input')); one.dispatchEvent(new Event('change')); })(); 0"
        )

    def point(self, kind, x, y, buttons=0, **options):
        self.browser.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1, **options
        )

    def test_it_needs_no_network_and_has_no_errors(self):
        self.assertLess(PAGE.stat().st_size, PAGE_LIMIT)
        self.open_page()
        self.browser.evaluate("live.set_playing(true); 0")
        self.browser.settle()
        asked = [url for url in self.browser.requests if not url.startswith(("data:", "about:", "blob:"))]
        self.assertEqual(asked, [PAGE.as_uri()])
        errors = [text for text in self.browser.errors if not any(known in text for known in OF_THE_BROWSER)]
        self.assertEqual(errors, [])

    def test_pairs_are_those_of_brute_force_for_every_instruction_set_and_method(self):
        self.open_page()
        self.set_control("count", 3)
        isas = self.browser.evaluate("[...document.getElementById('isa').options].map(one => one.value)")
        self.assertEqual(isas, ["SIMD (wasm128)", "scalar"])
        for isa in isas:
            for method in ("world", "find_pairs"):
                with self.subTest(isa=isa, method=method):
                    self.set_control("isa", isa)
                    self.set_control("method", method)
                    self.run_steps(70)
                    self.assertEqual(self.browser.evaluate("live.sandbox.broadside.isa"), isa.split("(")[-1].rstrip(")"))
                    answer = self.browser.evaluate(PAIRS)
                    self.assertTrue(answer["is_same"])
                    self.assertGreater(answer["count"], 10)

    def test_each_slider_sets_its_value(self):
        self.open_page()
        self.set_control("count", 2.5)
        self.assertEqual(self.browser.evaluate("live.sandbox.count"), 316)
        self.assertEqual(self.browser.evaluate("document.getElementById('count-text').value"), "316")
        edge = self.browser.evaluate("live.sandbox.half[0]")
        self.set_control("size", 2)
        self.assertAlmostEqual(self.browser.evaluate("live.sandbox.half[0]"), 2 * edge, 5)
        self.set_control("speed", 0)
        before = self.browser.evaluate("[...live.sandbox.position]")
        self.run_steps(1)
        self.assertEqual(self.browser.evaluate("[...live.sandbox.position]"), before)
        self.set_control("speed", 1)
        self.set_control("gravity", 0)
        speed = self.browser.evaluate("live.sandbox.velocity[1]")
        self.browser.evaluate("live.sandbox.move(1 / 60, 0); 0")
        self.assertEqual(self.browser.evaluate("live.sandbox.velocity[1]"), speed)

    def test_boxes_fall_and_come_to_rest_within_their_walls(self):
        self.open_page()
        self.set_control("count", 2.7)
        self.run_steps(600)
        low, far, deepest = self.browser.evaluate(
            "(() => { const { position, half, reach, count } = live.sandbox; let [low, far, high] = [1e9, 0, 0];"
            "for (let i = 0; i < count; ++i) { low = Math.min(low, position[3 * i + 1] - half[3 * i + 1]);"
            "far = Math.max(far, Math.abs(position[3 * i]) - reach); high = Math.max(high, position[3 * i + 1]); }"
            "return [low, far, high]; })()"
        )
        self.assertGreater(low, -0.5)
        self.assertLess(far, 0.5)
        self.assertLess(deepest, 12)

    def test_the_pointer_grabs_carries_and_throws_a_box(self):
        self.open_page()
        self.set_control("count", 2)
        self.set_control("gravity", 0)
        self.browser.evaluate("live.drawing.show(); live.view.draw([live.drawing]); 0")
        # The middle of some box that nothing hides.
        box, x, y = self.browser.evaluate(
            "(() => { live.view.camera.updateMatrixWorld(); const { position, count } = live.sandbox;"
            "for (let i = 0; i < count; ++i) {"
            "const at = new THREE.Vector3().fromArray(position, 3 * i).project(live.view.camera);"
            "const [x, y] = [(at.x + 1) / 2 * live.view.part_width, (1 - at.y) / 2 * live.view.height];"
            "const { origin, direction } = live.view.ray_at(x, y);"
            "if (document.elementFromPoint(x, y) === live.view.canvas &&"
            "live.sandbox.pick(origin.toArray(), direction.toArray()).box === i) return [i, x, y]; } })()"
        )
        camera = self.browser.evaluate("live.view.camera.position.toArray()")
        before = self.browser.evaluate(f"[...live.sandbox.position.subarray(3 * {box}, 3 * {box} + 3)]")
        # Thirty pixels in a tenth of a second, however long the browser takes.
        start = time.time()
        self.point("mousePressed", x, y, 1, timestamp=start)
        self.assertEqual(self.browser.evaluate("live.sandbox.held"), box)
        for step in range(1, 6):
            self.point("mouseMoved", x + 6 * step, y, 1, timestamp=start + 0.02 * step)
        moved = self.browser.evaluate(f"[...live.sandbox.position.subarray(3 * {box}, 3 * {box} + 3)]")
        self.assertNotEqual(moved, before)
        self.point("mouseReleased", x + 30, y)
        self.assertEqual(self.browser.evaluate("live.sandbox.held"), -1)
        speed = self.browser.evaluate(f"Math.hypot(...live.sandbox.velocity.subarray(3 * {box}, 3 * {box} + 3))")
        # That of the pointer, of which each of the five events takes in a half.
        self.assertAlmostEqual(speed / (math.dist(moved, before) / 0.1), 1 - 0.5**5, delta=0.05)
        # The camera stayed, and turns again where no box is.
        self.assertEqual(self.browser.evaluate("live.view.camera.position.toArray()"), camera)
        self.assertTrue(self.browser.evaluate("live.view.controls.enabled"))

    def test_keys_and_buttons(self):
        self.open_page()
        self.set_control("count", 2)
        self.browser.evaluate("live.view.canvas.focus(); 0")
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=" ")
        self.assertTrue(self.browser.evaluate("live.is_playing"))
        self.browser.evaluate("document.getElementById('play').click(); 0")
        self.assertFalse(self.browser.evaluate("live.is_playing"))
        speed = "live.sandbox.velocity.reduce((sum, one) => sum + Math.abs(one), 0)"
        self.browser.evaluate("document.getElementById('restart').click(); 0")
        before = self.browser.evaluate(speed)
        self.browser.evaluate("document.getElementById('shake').click(); 0")
        self.assertGreater(self.browser.evaluate(speed), 2 * before)
        self.browser.evaluate("document.getElementById('restart').click(); 0")
        self.assertAlmostEqual(self.browser.evaluate(speed), before, 3)

    def test_nothing_reaches_beyond_the_page(self):
        for width, height in ((1300, 760), (900, 560), (390, 780)):
            for is_dark in (False, True):
                with self.subTest(width=width, is_dark=is_dark):
                    self.open_page(width, height, is_dark)
                    self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                    back = self.browser.evaluate("shader_uniforms.sky.value.r")
                    self.assertEqual(back < 0.3, is_dark)
        self.browser.evaluate("document.getElementById('open').click(); 0")
        self.assertNotEqual(self.browser.evaluate("getComputedStyle(document.getElementById('panel')).display"), "none")

    def test_pictures_match_the_kept_ones(self):
        for name, is_dark in (("live_light", False), ("live_dark", True)):
            with self.subTest(name=name):
                self.open_page(is_dark=is_dark)
                self.set_control("count", 3)
                self.browser.evaluate("live.view.has_shadow = true; 0")
                self.run_steps(90)
                self.browser.evaluate("live.drawing.show(); 0")
                picture = picture_of("live", "[live.drawing]")
                mean, far = difference_from_kept(self.browser, name, picture, IS_WRITING)
                self.assertLess(mean, 3)
                self.assertLess(far, 0.02)

    def test_a_frame_leaves_time_for_sixty_a_second(self):
        self.open_page()
        self.set_control("count", 4)
        self.run_steps(60)
        # All but the drawing, which is done by software here: 10,000 boxes.
        self.browser.evaluate("live.find_times = []; live.physics_times = []; 0")
        self.run_steps(120)
        times = self.browser.evaluate("live.find_times.map((time, k) => time + live.physics_times[k]).sort((a, b) => a - b)")
        self.assertLess(times[len(times) // 2], 16)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
