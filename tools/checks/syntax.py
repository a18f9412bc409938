#!/usr/bin/env python3
"""Compiles the sources of a configured build once without output, units once for each instruction set, and prints the
warnings and errors. All of it takes 20 minutes of one processor.

Warnings that only optimisers give are not seen. Called as: syntax.py BUILD [FOLDER...] [--jobs N]"""
import argparse
import concurrent.futures
import json
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def without_output(words):
    """A command without output files."""
    place = words.index('-o')
    return words[:place] + words[place + 2:]


def folder_of(path, build):
    """The top-level folder of a source; one that CMake made belongs to the folder of its target, `.` for the library."""
    if path.is_relative_to(build):
        folder = path.relative_to(build).parts[0]
        return '.' if folder == 'CMakeFiles' else folder
    return path.relative_to(ROOT).parts[0]


def run(words, folder):
    """The messages of a compiler, or empty."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ''


def main():
    """Prints the messages, and the number of sources."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=Path)
    parser.add_argument('folders', nargs='*', help='top-level folders; without any, all sources are read')
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()
    headers, sources = [], {}
    for entry in json.loads((options.build / 'compile_commands.json').read_text()):
        words, path = shlex.split(entry['command']), Path(entry['file'])
        if path.name.startswith('cmake_pch.'):
            headers.append((words, entry['directory']))
        elif path.exists():
            unit = next((word for word in words if 'BROADSIDE_UNIT_ISA=' in word), '')
            # Sources compiled again with other definitions are joined to few files, which have names of their own.
            sources.setdefault((path, unit), (words, entry['directory']))
    # Fuzzers have a preset of their own, and are compiled like tests here.
    words, folder = sources[(ROOT / 'tests/golden/golden_test.cpp', '')]
    for path in sorted((ROOT / 'tests/fuzz').glob('*.cpp')):
        sources[(path, '')] = ([str(path) if word.endswith('/golden_test.cpp') else word for word in words], folder)
    if options.folders:
        wanted = {'.', *options.folders}
        sources = {key: command for key, command in sources.items() if folder_of(key[0], options.build) in wanted}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        told = list(pool.map(lambda each: run(*each), headers))
        told += pool.map(lambda each: run(without_output(each[0]) + ['-fsyntax-only'], each[1]), sources.values())
    told = [text for text in told if text]
    print(*told, sep='\n')
    if told or len(sources) < (100 if options.folders else 300):
        sys.exit(f'syntax.py: {len(told)} of {len(sources)} sources')
    print(f'compiled {len(sources)} sources')


if __name__ == '__main__':
    main()
