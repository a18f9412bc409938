#!/usr/bin/env python3
"""Has the compiler of a configured build read every source of it once, units once for each instruction set: what it warns of
or refuses is told, and nothing is made of it, so that all of it takes minutes of one processor.

What is told by optimisers alone is not seen. Called as: syntax.py BUILD [--jobs N]"""
import argparse
import concurrent.futures
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# What nearly every test begins with: read once.
COMMON = '''#include <doctest/doctest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>
'''
TESTS = 'broadside_tests.dir/'


def without_output(words):
    """A command that makes nothing."""
    place = words.index('-o')
    return words[:place] + words[place + 2:]


def run(words, folder):
    """What a compiler says, or nothing."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ''


def main():
    """Prints what was told, and the number of sources."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=Path)
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()
    headers, sources = [], {}
    for entry in json.loads((options.build / 'compile_commands.json').read_text()):
        words, path = shlex.split(entry['command']), Path(entry['file'])
        if path.name.startswith('cmake_pch.'):
            headers.append((words, entry['directory']))
        elif path.exists():
            unit = next((word for word in words if 'BROADSIDE_UNIT_ISA=' in word), '')
            # What is compiled again with other definitions is joined to few files, which have names of their own.
            sources.setdefault((path, unit), (words, entry['directory']))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        common, compiled = Path(folder) / 'common.hpp', Path(folder) / 'common.pch'
        common.write_text(COMMON)
        of_tests = next((each for each in sources.values() if any(TESTS in word for word in each[0])), None)
        if of_tests:
            words = without_output(of_tests[0])
            headers.append((words[:words.index('-c')] + ['-x', 'c++-header', str(common), '-o', str(compiled)], of_tests[1]))
        told = list(pool.map(lambda each: run(*each), headers))
        commands = []
        for words, directory in sources.values():
            # Flags of an instruction set are not those of what was read before.
            is_test = any(TESTS in word for word in words) and not any(word.startswith('-m') for word in words)
            commands.append((without_output(words) + ['-fsyntax-only']
                             + (['-include-pch', str(compiled)] if is_test else []), directory))
        told += pool.map(lambda each: run(*each), commands)
    told = [text for text in told if text]
    print(*told, sep='\n')
    if told or len(sources) < 300:
        sys.exit(f'syntax.py: {len(told)} of {len(sources)} sources')
    print(f'compiled {len(sources)} sources')


if __name__ == '__main__':
    main()
