"""./run bench after it has built: which rows it measures, what it says meanwhile, and what a comparison says.

Arguments: Chart.js; and an executable of the benches, where there is one, whose quick rows are looked at."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools/bench"
sys.dont_write_bytecode = True  # Nothing is left in the checkout.
sys.path.insert(0, str(TOOLS))
import rows  # noqa: E402

MADE_BENCHES = Path(__file__).with_name("made_benches.py")
BENCHES = sys.argv[1] if len(sys.argv) > 1 else None
# Times do not matter here, process starts do.
ROUNDS = 3


class BenchRunTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.benches = self.make_benches("benches")

    def make_benches(self, name, **environment):
        """An executable of its own, as in a build."""
        script = self.folder / name
        words = [f"export {key}='{value}'" for key, value in environment.items()]
        script.write_text(
            "\n".join(["#!/bin/sh", *words, f'exec "{sys.executable}" "{MADE_BENCHES}" "$@"', ""])
        )
        script.chmod(0o755)
        return script

    def bench(self, *arguments, executable=None):
        command = [
            sys.executable,
            TOOLS / "bench.py",
            "--executable",
            executable or self.benches,
            "--results",
            self.folder,
            *arguments,
        ]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=dict(os.environ))

    def measured(self, *arguments):
        done = self.bench(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        document = json.loads((self.folder / "results.json").read_text())
        return list(dict.fromkeys(run["name"] for run in document["benchmarks"])), done.stdout

    def test_the_quick_rows_of_each_suite_are_measured_by_default(self):
        names, _ = self.measured()
        self.assertEqual(
            names,
            [
                "a/one/scene/10/scalar",
                "a/one/scene/10/avx2",
                "a/one/scene/100/avx2/manual_time",
                "a/one/scene/10/peer",
                "b/two/scene/10/avx2",
            ],
        )

    def test_full_measures_all_and_a_filter_its_matches(self):
        self.assertEqual(len(self.measured("--full")[0]), 10)
        self.assertEqual(
            self.measured("--filter", "one/scene/100/")[0],
            ["a/one/scene/100/scalar", "a/one/scene/100/avx2/manual_time", "a/one/scene/100/peer"],
        )
        self.assertEqual(self.measured("--benchmark_filter=two.*avx2$")[0], ["b/two/scene/10/avx2"])

    def test_progress_counts_rows_and_a_report_is_written(self):
        _, said = self.measured()
        lines = [line for line in said.splitlines() if "/5" in line]
        self.assertEqual(len(lines), 5)
        self.assertRegex(lines[2], r"^\[ *\d+s\] +3/5 +a/one/scene/100/avx2 +1000 ns +10ns/box$")
        self.assertIn("a/one/scene/10/peer", (self.folder / "report.html").read_text())
        self.assertIn("report.html", said)

    def test_a_single_repetition_shows_progress_too(self):
        self.assertEqual(self.measured("--benchmark_repetitions=1")[1].count("/5 "), 5)

    def test_another_file_for_the_results_is_reported_on(self):
        path = self.folder / "other.json"
        self.assertEqual(self.bench(f"--benchmark_out={path}").returncode, 0)
        self.assertTrue(path.exists())
        self.assertTrue((self.folder / "report.html").exists())

    def results_of(self, stem):
        """The dated files of the runs, and the target of the plain name."""
        (link,) = [path for path in self.folder.glob(f"{stem}.*") if path.is_symlink()]
        return sorted(self.folder.glob(f"{stem}-*")), link.resolve()

    def test_a_run_leaves_the_results_of_others_alone(self):
        for stem in ("results", "report", "compare"):
            arguments = ("--base", self.benches, "--rounds", "1") if stem == "compare" else ()
            with self.subTest(stem=stem):
                self.assertEqual(self.bench(*arguments).returncode, 0)
                (first,), last = self.results_of(stem)
                self.assertRegex(first.name, stem + r"-\d{4}-\d{2}-\d{2}_\d{6}[.](json|html)$")
                self.assertEqual(last, first)
                first.write_text("of another run")
                # Both at once, so usually within the same second.
                self.assertEqual(self.bench(*arguments).returncode, 0)
                files, last = self.results_of(stem)
                self.assertEqual(len(files), 2)
                self.assertNotEqual(last, first)
                self.assertEqual(first.read_text(), "of another run")
                for path in files + [self.folder / (stem + first.suffix)]:
                    path.unlink()
            for path in self.folder.glob("re*-*"):
                path.unlink()

    def test_a_file_under_the_plain_name_is_kept_too(self):
        (self.folder / "results.json").write_text("of an older release")
        self.assertEqual(self.bench().returncode, 0)
        files, _ = self.results_of("results")
        self.assertEqual([path.read_text() for path in files].count("of an older release"), 1)
        self.assertEqual(len(files), 2)
        # A caller that names the link does not write through it either.
        before = files[1].read_text() + files[0].read_text()
        self.assertEqual(self.bench(f"--benchmark_out={self.folder / 'results.json'}").returncode, 0)
        self.assertEqual(files[1].read_text() + files[0].read_text(), before)

    def test_a_run_that_fails_leaves_the_last_good_one_as_the_last(self):
        self.assertEqual(self.bench().returncode, 0)
        before = self.results_of("results")
        self.bench(executable=self.make_benches("failing", MADE_FAILS="1"))
        self.assertEqual(self.results_of("results"), before)

    def test_an_error_is_one_line(self):
        for arguments, text in (
            (("--filter", "nothing"), "no row matches 'nothing'"),
            (("--filter", "("), "error"),
            (("--fool",), "unknown argument '--fool'"),
        ):
            done = self.bench(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        done = self.bench(executable=self.make_benches("failing", MADE_FAILS="1"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("differs from the scalar reference", done.stdout)

    def compare(self, *arguments, **environment):
        base = self.make_benches("base", **environment)
        done = self.bench("--base", base, "--base-name", "before", "--rounds", str(ROUNDS), *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        document = json.loads((self.folder / "compare.json").read_text())
        return (
            {row["name"]: row["verdict"] for row in document["rows"]},
            document["missing_in_base"],
            done.stdout,
        )

    def test_a_comparison_names_faster_rows_and_no_others(self):
        verdicts, missing, said = self.compare(MADE_SLOW="a/one/scene/10/avx2")
        self.assertEqual(
            verdicts,
            {"a/one/scene/10/avx2": "faster", "a/one/scene/100/avx2": "same", "b/two/scene/10/avx2": "same"},
        )
        self.assertEqual(missing, [])
        self.assertIn("1 faster, 0 slower, 2 the same", said)

    def test_a_comparison_of_chosen_rows_names_slower_ones(self):
        slow = self.make_benches("slow", MADE_SLOW="a/one/scene/10/peer")
        self.benches = slow
        verdicts, _, _ = self.compare("--filter", "one/scene/10/")
        self.assertEqual(
            verdicts,
            {"a/one/scene/10/scalar": "same", "a/one/scene/10/avx2": "same", "a/one/scene/10/peer": "slower"},
        )

    def test_rows_that_the_base_does_not_have_are_named(self):
        verdicts, missing, said = self.compare(MADE_LACKS="b/two/scene/10/avx2")
        self.assertNotIn("b/two/scene/10/avx2", verdicts)
        self.assertEqual(missing, ["b/two/scene/10/avx2"])
        self.assertIn("not in A: b/two/scene/10/avx2", said)


@unittest.skipUnless(BENCHES, "no benches are built")
class QuickRowsTest(unittest.TestCase):
    def setUp(self):
        self.suites = rows.list_suites(BENCHES)

    def test_every_suite_has_quick_rows_and_every_pattern_matches_one(self):
        by_suite = {}
        for row in self.suites.rows:
            by_suite.setdefault(row.suite, []).append(row.name)
        self.assertGreater(len(by_suite), 15)
        quick = {row.suite for row in rows.quick_rows(self.suites)}
        self.assertEqual(quick, set(by_suite))
        # A row takes half a second with its setup, and ./run bench --help promises about four minutes.
        self.assertLess(len(rows.quick_rows(self.suites)), 480)
        for suite, patterns in self.suites.quick_patterns.items():
            # A library that is not installed has no rows; a filter for them matches nothing.
            has_all = not suite.endswith("_peers")
            for pattern in patterns if has_all else []:
                with self.subTest(suite=suite, pattern=pattern):
                    self.assertTrue(
                        rows.rows_matching(
                            [row for row in self.suites.rows if row.suite == suite], f"^(?:{pattern})$"
                        )
                    )

    def test_the_rows_of_the_readme_are_quick(self):
        results = Path(__file__).resolve().parents[2] / "bench/results/readme.json"
        in_readme = {run["run_name"] for run in json.loads(results.read_text())["benchmarks"]}
        self.assertGreater(len(in_readme), 30)
        # Rows of the instruction sets of this machine.
        known = {row.name for row in self.suites.rows}
        self.assertEqual(in_readme & known - {row.name for row in rows.quick_rows(self.suites)}, set())

    def test_names_have_five_parts_and_are_unique(self):
        names = [row.name for row in self.suites.rows]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual([name for name in names if len(name.split("/")) != 5], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
