"""Pages of broadside-view can be read: lines leave the picture to the boxes, boxes can be told apart, nothing overlaps.

Arguments: the browser, broadside-view, and a folder of recordings and meshes, which may be absent. Scenes that are as
crowded are made here."""

import math
import os
import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
from viewer_page import PageTest, write_recording  # noqa: E402

PageTest.executable, VIEW, DATA = sys.argv[1:4]
DATA = Path(DATA)
SCENES = (".boxrec.gz", ".boxrec", ".txt", ".obj", ".ply", ".stl")
# Of the picture, in which a class of lines may change the colour of a pixel.
MOST_COVER = 0.2
# The picture as rows of red, green, blue and alpha, and the part of its pixels that differ visibly from another.
PICTURES = """
window.pixels_now = () => {
  page.view.draw(page.drawings);
  const context = page.view.renderer.getContext();
  const [width, height] = [context.drawingBufferWidth, context.drawingBufferHeight];
  const pixels = new Uint8Array(4 * width * height);
  context.readPixels(0, 0, width, height, context.RGBA, context.UNSIGNED_BYTE, pixels);
  return { width, height, pixels };
};
window.part_that_differs = (a, b) => {
  let count = 0;
  for (let at = 0; at < a.length; at += 4) {
    count += [0, 1, 2].some(i => Math.abs(a[at + i] - b[at + i]) > 24);
  }
  return 4 * count / a.length;
};
window.switch_layer = (layer, is_on) => { if (layer.input.checked !== is_on) layer.input.click(); };
window.line_layers = page.layers.filter(layer => layer.lines || layer.name.startsWith("Rays"));
0
"""
# By class of lines: the part of the picture that it covers.
COVERS = """
(() => {
  const covers = {};
  const was_on = line_layers.map(layer => layer.input.checked);
  line_layers.forEach(layer => switch_layer(layer, false));
  const without = pixels_now().pixels;
  for (const layer of line_layers) {
    switch_layer(layer, true);
    covers[layer.name] = part_that_differs(pixels_now().pixels, without);
    switch_layer(layer, false);
  }
  line_layers.forEach((layer, i) => switch_layer(layer, was_on[i]));
  return covers;
})()
"""
# Borders between two boxes in the picture, and how many of them are seen: a change of brightness within four pixels.
BORDERS = """
(() => {
  const { width, height, pixels } = pixels_now();
  let state = 1, count = 0, seen = 0;
  const next = (size) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 2 ** 32 * size); };
  const box_at = (x, y) => {
    const { origin, direction } = page.view.ray_at(x + 0.5, y + 0.5);
    return page.drawings[0].pick(origin, direction);
  };
  const end = performance.now() + 5000;
  for (let i = 0; count < 100 && performance.now() < end; ++i) {
    const x = 2 + next(width - 6), y = next(height);
    const a = box_at(x, y), b = a < 0 ? -1 : box_at(x + 2, y);
    if (b < 0 || a === b || box_at(x - 1, y) !== a || box_at(x + 3, y) !== b) continue;
    const shades = [-1, 0, 1, 2, 3].map(i => {
      const at = 4 * ((height - 1 - y) * width + x + i);
      return 0.3 * pixels[at] + 0.6 * pixels[at + 1] + 0.1 * pixels[at + 2];
    });
    ++count;
    seen += Math.max(...shades) - Math.min(...shades) >= 6;
  }
  return { count, seen };
})()
"""
# Parts of the page that are on top of each other or reach beyond it.
OVERLAPS = """
(() => {
  const parts = ["header", "#tools", "footer", "#panel > details", "#labels span"].flatMap(one => [...document.querySelectorAll(one)])
    .map(one => ({ name: one.id || one.tagName, box: one.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
  const wrong = [];
  parts.forEach((a, i) => {
    if (a.box.left < 0 || a.box.top < 0 || a.box.right > innerWidth || a.box.bottom > innerHeight) wrong.push(a.name + " beyond the page");
    for (const b of parts.slice(0, i)) {
      const is_apart = a.box.right <= b.box.left || b.box.right <= a.box.left || a.box.bottom <= b.box.top || b.box.bottom <= a.box.top;
      if (!is_apart) wrong.push(b.name + " and " + a.name);
    }
  });
  return wrong;
})()
"""


def write_pile(path):
    """Nearly ten thousand boxes that fall in a heap, each in touch with about twenty others."""
    generator = random.Random(3)
    frames = []
    for frame in range(2):
        boxes = {}
        for name in range(21**3):
            place = (name % 21, name // 21 % 21, name // 441)
            low = [1.6 * value + generator.uniform(-0.2, 0.2) for value in place]
            low[1] -= 0.2 * frame
            boxes[name] = (2, low, [value + 1.9 for value in low])
        boxes[21**3] = (0, (-20, -3, -20), (55, -2, 55))
        boxes[21**3 + 1] = (1, (-6, -2 + frame, 10), (-3, 6 + frame, 25))
        frames.append(boxes)
    write_recording(path, frames)


def write_level(path):
    """Hills of long thin triangles with towers on them: boxes that reach over many others."""
    lines, faces = [], []
    size, turn = 60, 0.6

    def corner(x, y, z):
        lines.append(f"v {x * math.cos(turn) - z * math.sin(turn):.4f} {y:.4f} {x * math.sin(turn) + z * math.cos(turn):.4f}")
        return len(lines)

    grid = [[corner(x, 3 * math.sin(0.2 * x) * math.cos(0.15 * z), 4 * z) for x in range(size)] for z in range(size // 4)]
    for z in range(size // 4 - 1):
        for x in range(size - 1):
            a, b, c, d = grid[z][x], grid[z][x + 1], grid[z + 1][x], grid[z + 1][x + 1]
            faces += [(a, b, d), (a, d, c)]
    for tower in range(80):
        x, z = 7 * (tower % 9), 6 * (tower // 9)
        ring = [corner(x + dx, y, z + dz) for y in (0, 5 + tower % 7) for dx, dz in ((0, 0), (2, 0), (2, 2), (0, 2))]
        for side in range(4):
            a, b, c, d = ring[side], ring[(side + 1) % 4], ring[4 + side], ring[4 + (side + 1) % 4]
            faces += [(a, b, d), (a, d, c)]
    path.write_text("\n".join(lines + [f"f {a} {b} {c}" for a, b, c in faces]) + "\n", encoding="utf-8")


class LegibleTest(PageTest):
    def view(self, scene, *arguments, size=(700, 420)):
        page = Path("legible.html").resolve()
        self.run_tool(VIEW, scene, *arguments, "--page", page)
        self.open_page(page, *size, still="#still=1")
        self.assertEqual(self.page_errors(), [])
        self.browser.evaluate(PICTURES)

    def check(self, scene, *arguments):
        self.view(scene, *arguments)
        covers = self.browser.evaluate(COVERS)
        borders = self.browser.evaluate(BORDERS)
        print(scene, {name: round(cover, 3) for name, cover in covers.items()}, borders, flush=True)
        for name, cover in covers.items():
            self.assertLess(cover, MOST_COVER, name)
        self.assertGreaterEqual(borders["seen"], 0.8 * borders["count"])
        return covers, borders

    def test_a_pile_of_boxes_is_no_blob(self):
        write_pile("pile.boxrec")
        _, borders = self.check("pile.boxrec")
        self.assertGreater(borders["count"], 50)
        self.assertGreater(self.browser.evaluate("page.drawings[0].pair_counts[1]"), 100_000)
        # The measure sees the blob that all lines would be.
        self.browser.evaluate(
            "Lines.prototype.set_total_length = function () { this.is_of_selection = false; this.material.opacity = this.opacity; };"
            "page.refresh_lines(); page.view.camera.position.lerp(page.view.controls.target, 0.45); page.view.controls.update(); 0"
        )
        self.assertGreater(self.browser.evaluate(COVERS)["Overlapping pairs"], MOST_COVER)

    def test_a_selected_box_has_its_pairs_in_a_pile(self):
        write_pile("pile.boxrec")
        self.view("pile.boxrec")
        drawn = "page.drawings[0].pairs.used / 6"
        self.assertEqual(self.browser.evaluate(drawn), 0)
        self.browser.evaluate("page.select({ part: 0, object: 4000 }); 0")
        of_box = self.browser.evaluate(
            "(({ first, second, state }) => page.drawings[0].frame_pairs.filter(i => state[i] === 1 && (first[i] === 4000 || second[i] === 4000)).length)"
            "(page.films[0].pairs)"
        )
        self.assertGreater(of_box, 5)
        self.assertEqual(self.browser.evaluate(drawn), of_box)
        # The link draws all of them.
        scope = "page.layers.find(layer => layer.name === 'Overlapping pairs').scope"
        self.assertEqual(self.browser.evaluate(f"{scope}.textContent"), "only of the selected box · show all")
        self.browser.evaluate(f"{scope}.click(); 0")
        self.assertEqual(self.browser.evaluate(drawn), self.browser.evaluate("page.drawings[0].pair_counts[1]"))

    def test_candidates_are_few_where_many_boxes_lie_near(self):
        boxes = {name: (2, [1.0 * (name // 12**k % 12) for k in range(3)], [1.0 * (name // 12**k % 12) + 0.9 for k in range(3)]) for name in range(12**3)}
        moved = {name: (kind, [value + 0.1 for value in low], [value + 0.1 for value in high]) for name, (kind, low, high) in boxes.items()}
        write_recording("lattice.boxrec", [boxes, moved])
        self.view("lattice.boxrec")
        self.assertLessEqual(self.browser.evaluate("page.drawings[0].pair_counts[0]"), 2 * 12**3)
        self.assertIn("times the median motion", self.browser.evaluate("document.getElementById('notes').textContent"))

    def test_a_level_is_seen_under_its_pairs(self):
        write_level(Path("level.obj"))
        self.check("level.obj")

    def test_parts_of_the_page_never_overlap(self):
        boxes = {name: (name % 3, [1.0 * (name % 17), 0, 1.5 * (name // 17)], [name % 17 + 1.2, 1, 1.5 * (name // 17) + 1]) for name in range(100)}
        moved = {name: (kind, [*low[:2], low[2] + 0.1 * kind], [*high[:2], high[2] + 0.1 * kind]) for name, (kind, low, high) in boxes.items()}
        write_recording("small.boxrec", [boxes, moved])
        for size in ((1400, 657), (1024, 600), (1920, 1000)):
            self.view("small.boxrec", size=size)
            for action in (
                "0",
                "document.querySelector('header summary').click(); 0",
                "page.select({ part: 0, object: 40 }); 0",
                "page.select(null); 0",
                "document.querySelector('#layers summary').click(); page.resize(); 0",
            ):
                with self.subTest(size=size, action=action):
                    self.browser.evaluate(action)
                    self.browser.settle()
                    self.assertEqual(self.browser.evaluate(OVERLAPS), [])

    def test_recordings_and_meshes_of_the_folder_can_be_read(self):
        """All of them with BROADSIDE_EVERY_SCENE; otherwise the smallest of each kind of file, because each takes half a minute."""
        scenes = sorted(path for path in DATA.glob("**/*") if path.name.endswith(SCENES) and not path.name.startswith("LICENSE"))
        if not scenes:
            self.skipTest(f"no scenes in {DATA}")
        if not os.environ.get("BROADSIDE_EVERY_SCENE"):
            by_size = sorted(scenes, key=lambda path: -path.stat().st_size)
            scenes = {path.suffix: path for path in by_size}.values()
        for path in scenes:
            with self.subTest(scene=path.name):
                self.check(path, "--frames", 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
