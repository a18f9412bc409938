#!/usr/bin/env python3
"""The table of docs/promises.md is made of the recorded runs of checks, and only runs on a checkout without changes are
recorded. Called as: last_runs_test.py <checkout>"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
TOOL = ROOT / 'tools/checks/last_runs.py'


def last_runs(root, *arguments):
    """The message of a refusal, otherwise empty."""
    done = subprocess.run([sys.executable, '-B', TOOL, *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, 'BROADSIDE_CHECKOUT': str(root)})
    return done.stderr if done.returncode else ''


class LastRunsTest(unittest.TestCase):
    """The checkout, and one of two files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / 'docs').mkdir()
        for name in ('last_runs.json', 'promises.md'):
            shutil.copy(ROOT / 'docs' / name, self.root / 'docs')
        self.log = self.root / 'log'

    def make_clone(self):
        program = shutil.which('git')
        if not program:
            self.skipTest('no git here')
        (self.root / '.gitignore').write_text('log\n')
        for command in ('init -q', 'add -A', '-c user.name=a -c user.email=a@b.invalid commit -q -m a'):
            subprocess.run([program, '-C', self.root, *command.split()], check=True)
        return subprocess.run([program, '-C', self.root, 'rev-parse', 'HEAD'], check=True, capture_output=True,
                              text=True).stdout.strip()

    def test_the_page_has_the_table_of_the_file(self):
        self.assertEqual(last_runs(ROOT, 'check'), '')

    def test_a_page_with_another_table_is_found(self):
        page = self.root / 'docs/promises.md'
        text = page.read_text()
        page.write_text(text.replace('| `test --tsan` |', '| `test --tsan`, once |'))
        self.assertIn('its table is not that of last_runs.json', last_runs(self.root, 'check'))
        self.assertEqual(last_runs(self.root, 'write'), '')
        self.assertEqual(page.read_text(), text)

    def test_a_run_is_noted_with_its_commit_and_what_it_ran(self):
        commit = self.make_clone()
        self.log.write_text('isas: scalar avx2, library 7 s, 1098 cases passed in 80 s, conformance kit passed in 3 s\n')
        self.assertEqual(last_runs(self.root, 'ready', 'test', '--checked'), '')
        self.assertEqual(last_runs(self.root, 'note', self.log, 93, commit, 'test', '--checked'), '')
        self.assertEqual(last_runs(self.root, 'check'), '')
        row = next(line for line in (self.root / 'docs/promises.md').read_text().splitlines()
                   if line.startswith('| `test --checked` |'))
        self.assertRegex(row, r'^\| `test --checked` \| `[0-9a-f]{12}` \| \d{4}-\d\d-\d\d \| .+ \| scalar avx2 \| 93 \| 1098 cases \|$')
        # Changes of its own two files do not prevent the next record.
        self.assertEqual(last_runs(self.root, 'ready', 'fuzz', 'all', '5'), '')

    def test_cases_of_a_program_that_runs_in_parts_count_once(self):
        commit = self.make_clone()
        kept = self.root / 'build/release/Testing/Temporary/LastTest.log'
        kept.parent.mkdir(parents=True)
        kept.write_text(''.join(f'{i}/3 Test: {name}\n[doctest] test cases:   {count} |   {count} passed | 0 failed\n'
                                for i, (name, count) in enumerate((('a_1', 40), ('a_2', 40), ('b', 2)), 1)))
        (self.root / '.gitignore').write_text('log\nbuild\n')
        self.log.write_text('[9s] run the tests of build/release\n')
        self.assertEqual(last_runs(self.root, 'note', self.log, 9, commit, 'test'), '')
        self.assertIn('| 9 | 42 cases |', (self.root / 'docs/promises.md').read_text())

    def test_a_run_of_another_commit_is_not_noted(self):
        self.make_clone()
        self.log.write_text('\n')
        self.assertIn('is checked out now', last_runs(self.root, 'note', self.log, 9, '0' * 40, 'test'))

    def test_changes_and_parts_of_a_check_are_not_noted(self):
        self.assertIn('not a clone', last_runs(self.root, 'ready', 'test'))
        self.make_clone()
        self.assertIn('is not a recorded check', last_runs(self.root, 'ready', 'test', '-R', 'guard'))
        (self.root / 'new.cpp').write_text('\n')
        self.assertIn('not committed: new.cpp', last_runs(self.root, 'ready', 'test'))


if __name__ == '__main__':
    unittest.main()
