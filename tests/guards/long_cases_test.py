#!/usr/bin/env python3
"""Each pattern of the cases and sources that ./run test --checked leaves out is that of a test: one that was renamed
would take minutes of every change.

    long_cases_test.py ROOT"""
import fnmatch
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / 'tools/checks'))
import builds  # noqa: E402  # pylint: disable=wrong-import-position


class LongCases(unittest.TestCase):
    """Reads the names of cases from their sources."""

    def test_each_pattern_has_a_case(self):
        """Adjacent strings are one name."""
        text = '\n'.join(path.read_text(encoding='utf-8') for path in sorted((ROOT / 'tests').rglob('*.cpp')))
        names = [re.sub(r'"\s*"', '', name) for name in re.findall(r'TEST_CASE\w*\(\s*"((?:[^"\\]|\\.|"\s*")*)"', text)]
        self.assertGreater(len(names), 1000)
        self.assertEqual([pattern for pattern in builds.LONG_CASES if not fnmatch.filter(names, pattern)], [])

    def test_each_source_exists(self):
        """Patterns of doctest hold a part of a path."""
        sources = [str(path) for path in (ROOT / 'tests').rglob('*.cpp')]
        self.assertEqual([pattern for pattern in builds.OTHER_SOURCES if not fnmatch.filter(sources, pattern)], [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
