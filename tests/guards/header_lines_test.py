#!/usr/bin/env python3
"""A public header costs its reader's build little: after the preprocessor it has few lines.

Called as: header_lines_test.py <checkout> <C++ compiler>"""
import concurrent.futures
import subprocess
import sys
import unittest
from pathlib import Path

ROOT, COMPILER = Path(sys.argv[1]), sys.argv[2]
FOLDERS = sorted(ROOT.glob('*/include'))

# With g++ 12; <span> and <array> alone have 15,000.
MOST_LINES = 25_000
# All of the library; and headers that return strings, or have atomic numbers.
MOST_OF_LARGE = {'broadside.hpp': 29_000, 'config_string.hpp': 30_000, 'zone_trace.hpp': 40_000}
# Takes oneTBB.
LEFT_OUT = {'tbb_task_runner.hpp'}


def line_count(text):
    """The number of lines that the preprocessor makes of a text."""
    command = [COMPILER, '-std=c++20', '-E', '-x', 'c++', '-', *(f'-I{folder}' for folder in FOLDERS)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.count('\n')


class HeaderLinesTest(unittest.TestCase):
    """Each public header alone."""

    def test_no_header_has_more_lines_than_its_limit(self):
        names = sorted(path.name for folder in FOLDERS for path in folder.glob('broadside/*.hpp') if path.name not in LEFT_OUT)
        self.assertGreater(len(names), 60)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            counts = list(pool.map(lambda name: line_count(f'#include <broadside/{name}>\n'), names))
        for name, count in zip(names, counts):
            with self.subTest(header=name):
                self.assertLessEqual(count, MOST_OF_LARGE.get(name, MOST_LINES))

    def test_a_large_header_is_seen(self):
        self.assertGreater(line_count('#include <ranges>\n'), MOST_LINES)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
