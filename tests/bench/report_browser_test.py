"""The report in a real browser: it draws every plot, asks the network for nothing, and fits narrow and dark pages.

Arguments: the browser, Chart.js. The last report and its picture stay in the working folder."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
import made_results  # noqa: E402
from browser import Browser  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/bench"))
import report  # noqa: E402

BROWSER, CHART_JS = sys.argv[1:3] if len(sys.argv) > 2 else ("chromium", report.CHART_JS)
WIDTHS = (360, 768, 1280, 1920)

# For each canvas: the number of its marks, how many of them lie in the plot, and the pixels of each of its colours.
MARKS = """
[...document.querySelectorAll("canvas")].map(canvas => {
  const chart = Chart.getChart(canvas);
  const { left, right, top, bottom } = chart.chartArea;
  const marks = chart.data.datasets.map((_, index) => chart.getDatasetMeta(index).data);
  const is_inside = ({ x, y }) => x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;
  const ratio = canvas.width / chart.width;
  const pixels = chart.ctx.getImageData(left * ratio, top * ratio, (right - left) * ratio, (bottom - top) * ratio).data;
  const seen = chart.data.datasets.map(({ borderColor }) => {
    const [r, g, b] = [1, 3, 5].map(at => parseInt(borderColor.slice(at, at + 2), 16));
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (Math.abs(pixels[i] - r) + Math.abs(pixels[i + 1] - g) + Math.abs(pixels[i + 2] - b) < 12) ++count;
    }
    return count;
  });
  return { id: canvas.id, marks: marks.map(one => one.length), inside: marks.map(one => one.filter(is_inside).length),
           seen };
})
"""
# The second mark of what is not ours, or of the first series, as the mouse finds it.
POINT_AT_MIDDLE_MARK = """
(() => {
  const chart = Chart.getChart("%s");
  const place = Math.max(0, chart.data.datasets.findIndex(one => one.label === "embree"));
  const { x, y } = chart.getDatasetMeta(place).data[1].tooltipPosition();
  const box = chart.canvas.getBoundingClientRect();
  const point = { clientX: box.left + x, clientY: box.top + y, bubbles: true };
  chart.canvas.dispatchEvent(new MouseEvent("mousemove", point));
  return new Promise(done => setTimeout(() => {
    done({ title: chart.tooltip.title, lines: chart.tooltip.body.flatMap(one => one.lines) });
  }, 50));
})()
"""
# Contrast as WCAG defines it, of texts against what lies below them.
CONTRASTS = """
(() => {
  const light = text => {
    const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const back_of = element => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
  };
  return ["h1", "p", "dt", "dd", "figcaption", "nav a", ".tiles strong", ".tiles span", "summary"].map(name => {
    const element = document.querySelector(name);
    const [a, b] = [light(getComputedStyle(element).color), light(back_of(element))];
    return [name, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), b];
  });
})()
"""


class ReportInBrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = Path("report.html").resolve()
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder, "results.json")
            results.write_text(json.dumps(made_results.make_document()), encoding="utf-8")
            report.write_report(results, cls.path, CHART_JS)
        cls.browser = cls.enterClassContext(Browser(BROWSER))

    def open_report(self, width=1280, is_dark=False):
        self.browser.show(width, 900, is_dark)
        self.browser.requests.clear()
        self.browser.errors.clear()
        self.browser.open(self.path.as_uri())

    def assert_all_plots_are_drawn(self):
        plots = self.browser.evaluate(MARKS)
        kinds = {"scaling": 4, "per-item": 3, "ratios": 1, "speed-up": 1, "phases": 2, "choices": 2}
        expected = [f"{section}-{index}" for section, count in kinds.items() for index in range(count)]
        self.assertEqual([plot["id"] for plot in plots], expected)
        for plot in plots:
            with self.subTest(plot=plot["id"]):
                self.assertTrue(plot["marks"] and all(count > 0 for count in plot["marks"]), plot)
                self.assertEqual(plot["inside"], plot["marks"])
                self.assertTrue(all(count > 10 for count in plot["seen"]), plot)

    def test_every_plot_is_drawn_without_network_and_without_errors(self):
        self.open_report()
        self.assert_all_plots_are_drawn()
        self.browser.screenshot("report.png")
        self.assertEqual(
            [url for url in self.browser.requests if not url.startswith("data:")], [self.path.as_uri()]
        )
        self.assertEqual(self.browser.errors, [])

    def test_no_width_overflows(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.open_report(width)
                self.assert_all_plots_are_drawn()
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                self.assertEqual(
                    self.browser.evaluate(
                        "[...document.querySelectorAll('canvas, figcaption, dd, .tiles div')].filter(one => "
                        "one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1)"
                        ".map(one => one.id || one.textContent)"
                    ),
                    [],
                )

    def test_a_window_that_gets_narrower_and_wider_again_takes_the_plots_along(self):
        self.open_report(1280)
        for width in (400, 1280):
            self.browser.show(width, 900, False)
            self.browser.settle()
            self.assert_all_plots_are_drawn()
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)

    def test_both_themes_can_be_read_and_change_while_the_page_is_open(self):
        self.open_report(is_dark=False)
        for is_dark in (False, True, False):
            self.browser.show(1280, 900, is_dark)
            self.browser.settle()
            self.assert_all_plots_are_drawn()
            for name, contrast, back in self.browser.evaluate(CONTRASTS):
                with self.subTest(name=name, is_dark=is_dark):
                    self.assertGreater(contrast, 4.5)
                    self.assertEqual(back < 0.2, is_dark)
            self.assertEqual(
                self.browser.evaluate("Chart.getChart('scaling-0').options.plugins.legend.labels.color"),
                self.browser.evaluate(
                    "getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()"
                ),
            )

    def test_a_hovered_mark_shows_its_values(self):
        self.open_report()
        for plot, title, text in (
            ("scaling-1", "find_pairs · uniform · 10000", "embree: 2 ms (repetitions differ by 5 %)"),
            ("per-item-0", "find_pairs · pile · 10000", "pile: 48 ns (repetitions differ by 5 %)"),
            ("ratios-0", "find_pairs · pile · 10,000", "embree: 16.7 times (repetitions differ by 5 %)"),
            ("speed-up-0", "find_pairs · pile · 100,000", "sse2: 2.5 times (repetitions differ by 5 %)"),
            ("phases-0", "find_pairs · pile · 10,000", "plan: 2.4 ns (repetitions differ by 5 %)"),
        ):
            with self.subTest(plot=plot):
                said = self.browser.evaluate(POINT_AT_MIDDLE_MARK % plot)
                self.assertEqual([said["title"], said["lines"][0]], [[title], text])

    def test_the_table_shows_all_rows_when_it_is_opened(self):
        self.open_report()
        self.browser.evaluate("document.querySelector('details').open = true; 0")
        row_count = len({run["run_name"] for run in made_results.make_document()["benchmarks"]})
        self.assertEqual(
            self.browser.evaluate(
                "[...document.querySelectorAll('tbody tr')].filter(row => row.getBoundingClientRect().height > 0).length"
            ),
            row_count,
        )
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 1280)

    def test_faults_of_a_report_are_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "bad.html")
            page.write_text(
                "<img src='http://127.0.0.1:9/x.png'><script>console.error('a'); nothing()</script>",
                encoding="utf-8",
            )
            self.browser.requests.clear()
            self.browser.errors.clear()
            self.browser.open(page.as_uri())
        self.assertIn("http://127.0.0.1:9/x.png", self.browser.requests)
        self.assertGreaterEqual(len(self.browser.errors), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
