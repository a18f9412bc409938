"""The report of results: numbers, plots, warnings. report_browser_test.py tests how it looks."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
import made_results  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/bench"))
import report  # noqa: E402
import report_plots  # noqa: E402
import results  # noqa: E402


def read(document):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.json")
        path.write_text(json.dumps(document), encoding="utf-8")
        return results.read_results(path)


class ResultsTest(unittest.TestCase):
    def test_a_row_is_the_median_of_its_repetitions(self):
        _, found = read(made_results.make_document())
        row = found["narrowphase/ray_boxes/t/1024/scalar"]
        self.assertAlmostEqual(row.time_ns, 4500)
        self.assertAlmostEqual(row.per_item_ns, 4500 / 1024)
        self.assertEqual(row.item, "test")
        self.assertAlmostEqual(row.spread, 0.05)

    def test_rows_that_time_themselves_are_read_by_wall_time_and_lose_the_ending_of_their_name(self):
        _, found = read(made_results.make_document())
        self.assertAlmostEqual(found["broadphase/world/static90/1000/scalar"].time_ns, 1e5)

    def test_aggregates_alone_are_enough(self):
        document = made_results.make_document()
        document["benchmarks"] = [run for run in document["benchmarks"] if run["run_type"] == "aggregate"]
        _, found = read(document)
        self.assertAlmostEqual(found["narrowphase/ray_boxes/t/1024/scalar"].time_ns, 4500)
        self.assertIsNone(found["narrowphase/ray_boxes/t/1024/scalar"].spread)

    def test_a_row_that_failed_is_left_out(self):
        document = made_results.make_document()
        document["benchmarks"].append(
            {"run_name": "a/b/c/1/scalar", "run_type": "iteration", "error_occurred": True}
        )
        self.assertNotIn("a/b/c/1/scalar", read(document)[1])


class PlotsTest(unittest.TestCase):
    def setUp(self):
        context, found = read(made_results.make_document())
        self.answers = report_plots.Answers(context, found)
        self.plots = {section["id"]: section["plots"] for section in report_plots.make_sections(self.answers)}

    def test_every_section_is_there(self):
        self.assertEqual(list(self.plots), ["scaling", "per-item", "ratios", "speed-up", "phases", "choices"])

    def test_other_libraries_stand_beside_ours(self):
        plot = next(plot for plot in self.plots["scaling"] if plot["title"] == "find_pairs, uniform")
        self.assertEqual(
            [series["name"] for series in plot["series"]], ["broadside avx512", "embree", "cgal"]
        )
        self.assertEqual([at["x"] for at in plot["series"][0]["points"]], [1000, 10000, 100000])

    def test_relatives_with_one_scene_share_a_plot(self):
        def line(name):
            return [{"name": name, "points": []}]

        joined = report_plots.join_families(
            [
                ("box_tree_build", "box", line("uniform")),
                ("box_tree_refit", "box", line("uniform")),
                ("box_tree_overlaps", "query", line("uniform")),
                ("find_pairs", "box", line("uniform") + line("pile")),
                ("find_all", "box", line("pile")),
                ("never_measured", "box", []),
            ]
        )
        self.assertEqual(
            [(title, item, names, [one["name"] for one in series]) for title, item, names, series in joined],
            [
                ("box_tree, uniform", "box", "box_tree", ["build", "refit"]),
                ("box_tree_overlaps", "query", "scene", ["uniform"]),
                ("find_pairs", "box", "scene", ["uniform", "pile"]),
                ("find_all", "box", "scene", ["pile"]),
            ],
        )

    def test_ratios_are_their_time_over_ours(self):
        embree = next(one for one in self.plots["ratios"][0]["series"] if one["name"] == "embree")
        for at in embree["points"]:
            self.assertAlmostEqual(at["x"], 2.5 / 0.15)

    def test_speed_ups_are_scalar_time_over_time(self):
        series = {one["name"]: one["points"] for one in self.plots["speed-up"][0]["series"]}
        self.assertEqual(list(series), ["sse2", "avx2", "avx512"])
        self.assertTrue(all(abs(at["x"] - 5) < 1e-9 for at in series["avx2"]))

    def test_phases_add_up_to_the_whole_call(self):
        for plot, whole in zip(self.plots["phases"], (15.0, 100 * 0.15)):
            label = plot["labels"][-2]
            parts = [at["x"] for series in plot["series"] for at in series["points"] if at["y"] == label]
            self.assertAlmostEqual(sum(parts), whole if "uniform" in label or "world" in label else 4 * whole)

    def test_without_peers_only_the_ratios_are_missing(self):
        document = made_results.make_document()
        document["benchmarks"] = [
            run for run in document["benchmarks"] if run["run_name"].split("/")[4] in made_results.ISAS
        ]
        sections = report_plots.make_sections(report_plots.Answers(*read(document)))
        self.assertEqual(
            [one["id"] for one in sections], ["scaling", "per-item", "speed-up", "phases", "choices"]
        )

    def test_a_single_row_makes_a_report_without_plots(self):
        document = made_results.make_document()
        document["benchmarks"] = document["benchmarks"][:1]
        page = report.make_report(*read(document), "")
        self.assertIn("broadphase/find_pairs/uniform/1000/scalar", page)
        self.assertNotIn("<canvas", page)


class PageTest(unittest.TestCase):
    def test_the_machine_is_named_and_escaped(self):
        page = report.make_report(*read(made_results.make_document()), "")
        for text in (
            "Processor &lt;of&gt; a &amp; test",
            "GNU 12.2.0, -O3 -DNDEBUG",
            "0123456",
            "2026-01-02",
        ):
            self.assertIn(text, page)
        self.assertNotIn("Other programs were running", page)

    def test_the_scenes_of_the_results_are_explained_and_no_others(self):
        page = report.make_report(*read(made_results.make_document()), "")
        scenes = page[page.index('<section id="scenes">') : page.index('<section id="rows">')]
        for scene in ("uniform", "pile", "static90", "street"):
            self.assertIn(f"<dt>{scene}</dt>", scenes)
        self.assertNotIn("<dt>sticks</dt>", scenes)

    def test_a_scene_is_explained_by_its_name_by_its_ending_or_not_at_all(self):
        readme = "## Peers\n| `x` | no |\n\n## Scenes\n\n| `a`, `b` | two `c` |\n| `…_moving` | moves |\n\n## End\n"
        meanings = report.scene_meanings("\n" + readme)
        self.assertEqual(meanings, {"a": "two c", "b": "two c", "…_moving": "moves"})
        for scene, meaning in (
            ("b", "two c"),
            ("a_moving", "two c; moves"),
            ("z_moving", "moves"),
            ("x", ""),
        ):
            self.assertEqual(report.meaning_of(scene, meanings), meaning)

    def test_a_busy_machine_and_changed_sources_are_warned_of(self):
        document = made_results.make_document()
        document["context"].update(load_avg=[7.0, 1.0, 1.0], commit="0123456-dirty")
        page = report.make_report(*read(document), "")
        self.assertIn("Other programs were running", page)
        self.assertIn("in no commit", page)

    def test_times_are_written_with_three_digits_and_a_unit(self):
        for nanoseconds, text in (
            (0.5, "0.50 ns"),
            (12.34, "12.3 ns"),
            (1234, "1.23 µs"),
            (5e8, "500 ms"),
            (2e9, "2.00 s"),
        ):
            self.assertEqual(report.time_text(nanoseconds), text)


if __name__ == "__main__":
    unittest.main()
