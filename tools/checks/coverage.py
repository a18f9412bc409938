#!/usr/bin/env python3
"""Says which lines of the library no test reaches, by gcov.

Builds the library with counters in build/coverage, links it with the tests of a build that exists (--base, of g++) and
runs them. Prints the share of lines by folder and the lines that were not reached, but for those that untested.txt, beside
this script, explains; fails where one is left, and where an explained line is reached or gone. Lines of public templates
that only callers instantiate are no lines of the library. A line of a template counts as reached where any instance of it
is."""
import argparse
import collections
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

# Its bytes stay out of the checkout.
sys.dont_write_bytecode = True
import builds  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / 'build' / 'coverage'
FOLDERS = ('core', 'simd', 'broadphase', 'narrowphase', 'stage')


def run_counted(options):
    """The test program, without optimisation that moves lines."""
    base = options.base.resolve()
    builds.build_library(BUILD, options.isas, [
        '-DCMAKE_BUILD_TYPE=Debug', '-DBROADSIDE_ASSERTS=OFF',
        '-DCMAKE_CXX_FLAGS=--coverage -fprofile-update=atomic', '-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1',
        '-DBROADSIDE_KERNEL_OPTIMISATION=-O1'], options.jobs)
    program = builds.link(base, BUILD, 'broadside_tests', '--coverage')
    for counters in BUILD.rglob('*.gcda'):
        counters.unlink()
    is_well, _ = builds.run_tests(program, options.tests, base / 'tests', options.jobs)
    if not is_well:
        sys.exit('coverage: tests failed: build/coverage/*.log')


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


def explained_lines():
    """What untested.txt names: a reason, and below it lines, each with its file."""
    lines = (Path(__file__).resolve().parent / 'untested.txt').read_text().split('\n')
    return collections.Counter(line for line in lines if line and not line.startswith('#'))


def main():
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--base', type=Path, default=ROOT / 'build' / 'release', help='whose tests are run')
    parser.add_argument('--isas', default='scalar;avx2', help="of the library (default 'scalar;avx2')")
    parser.add_argument('--jobs', type=int, default=2, help='of the build and the tests (default 2)')
    parser.add_argument('--tests', action='append', default=[], help='an argument of the test program, -sf=... say')
    parser.add_argument('--within', default='', help='only sources whose path begins so')
    parser.add_argument('--counters', type=Path, help='of a program that was built with --coverage and has run; '
                        'nothing is built then')
    options = parser.parse_args()
    if not options.counters:
        run_counted(options)

    rooms = collections.defaultdict(lambda: [0, 0])
    explained = explained_lines()
    untested = []
    for path, of_file in sorted(counts((options.counters or BUILD).resolve()).items()):
        if not str(path).startswith(options.within):
            continue
        room = str(path.parent)
        text = (ROOT / path).read_text().split('\n')
        for number, count in sorted(of_file.items()):
            rooms[room][0] += 1
            rooms[room][1] += count != 0
            name = f'{path}: {text[number - 1].strip()}'
            if count == 0 and explained[name] > 0:
                explained[name] -= 1
            elif count == 0:
                untested.append(f'{path}:{number}: {text[number - 1].strip()}')
    print('| room | lines | reached |\n|---|--:|--:|')
    for room, (all_lines, reached) in sorted(rooms.items()):
        print(f'| {room} | {all_lines} | {100 * reached / all_lines:.1f} % |')
    all_lines, reached = (sum(column) for column in zip(*rooms.values()))
    print(f'| all | {all_lines} | {100 * reached / all_lines:.2f} % |')
    print('\n'.join(['Not reached and not explained:', *untested]) if untested else 'Every other line is explained.')
    of_old = [] if options.within or options.tests else sorted(explained.elements())
    if of_old:
        print('\n'.join(['Explained, but reached or gone:', *of_old]))
    if untested or of_old:
        sys.exit(1)


main()
