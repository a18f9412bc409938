#!/usr/bin/env python3
"""Says which lines of the library no test reaches, by gcov.

Builds the tests with counters in build/coverage, runs them, and prints the share of lines by folder; the lines that were
not reached go to build/coverage/untested.txt. Needs g++ and its gcov. A line of a template counts as reached where any
instance of it is."""
import argparse
import collections
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / 'build' / 'coverage'
FOLDERS = ('core', 'simd', 'broadphase', 'narrowphase', 'stage')


def build(options):
    """The test program, without optimisation that moves lines, but for what the ISA units force."""
    subprocess.run(['cmake', '-S', ROOT, '-B', BUILD, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug',
                    '-DBROADSIDE_ASSERTS=OFF', '-DCMAKE_CXX_FLAGS=--coverage -fprofile-update=atomic',
                    '-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1', '-DBROADSIDE_WARNINGS_AS_ERRORS=OFF',
                    '-DBROADSIDE_BUILD_TESTS=ON', '-DBROADSIDE_BUILD_BENCHMARKS=OFF', '-DBROADSIDE_BUILD_TOOLS=OFF',
                    '-DBROADSIDE_BUILD_EXAMPLES=OFF', f'-DBROADSIDE_ISAS={options.isas}'],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', BUILD, '-j', str(options.jobs), '--quiet', 'broadside_tests'], check=True)


def counts(folder):
    """How often each line of the library was reached, by file, as the counters in a folder say."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    reports = BUILD / 'gcov'
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    data = sorted(folder.rglob('*.gcda'))
    if not data:
        sys.exit('coverage: no counters; did the tests run?')
    for first in range(0, len(data), 50):
        subprocess.run(['gcov', '--json-format', '--hash-filenames', *data[first:first + 50]], cwd=reports, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for report in reports.glob('*.gcov.json.gz'):
        with gzip.open(report) as text:
            contents = json.load(text)
        working = Path(contents['current_working_directory'])
        for source in contents['files']:
            path = (working / source['file']).resolve()
            if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in FOLDERS:
                continue
            for line in source['lines']:
                lines[path.relative_to(ROOT)][line['line_number']] += line['count']
    return lines


def main():
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--jobs', type=int, default=2, help='of the build (default 2)')
    parser.add_argument('--isas', default='scalar;avx2', help="built and tested (default 'scalar;avx2')")
    parser.add_argument('--tests', action='append', default=[], help='an argument of the test program, -sf=... say')
    parser.add_argument('--within', default='', help='only sources whose path begins so')
    parser.add_argument('--counters', type=Path, help='of a program that was built with --coverage and has run; '
                        'nothing is built then')
    options = parser.parse_args()
    if not options.counters:
        build(options)
        for counters in BUILD.rglob('*.gcda'):
            counters.unlink()
        subprocess.run([BUILD / 'tests' / 'broadside_tests', *options.tests], check=True, stdout=subprocess.DEVNULL)

    rooms = collections.defaultdict(lambda: [0, 0])
    untested = []
    for path, of_file in sorted(counts(options.counters or BUILD).items()):
        if not str(path).startswith(options.within):
            continue
        room = str(path.parent)
        text = (ROOT / path).read_text().split('\n')
        for number, count in sorted(of_file.items()):
            rooms[room][0] += 1
            rooms[room][1] += count != 0
            if count == 0:
                untested.append(f'{path}:{number}: {text[number - 1].strip()}')
    print('| room | lines | reached |\n|---|--:|--:|')
    for room, (all_lines, reached) in sorted(rooms.items()):
        print(f'| {room} | {all_lines} | {100 * reached / all_lines:.1f} % |')
    all_lines, reached = (sum(column) for column in zip(*rooms.values()))
    print(f'| all | {all_lines} | {100 * reached / all_lines:.1f} % |')
    (BUILD / 'untested.txt').write_text(''.join(line + '\n' for line in untested))
    print(f'{len(untested)} lines are untested: build/coverage/untested.txt')


main()
