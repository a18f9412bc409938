#!/usr/bin/env python3
"""Lists the lines of the library that no test reaches, by gcov.

Builds the library with counters in build/coverage, links it with the tests of an existing build (--base, of g++) and
runs them. Prints the share of lines by folder and the lines that were not reached, except those that untested.txt,
beside this script, explains. Fails if one is left, or if an explained line is reached or gone. Lines of public templates
that only callers instantiate do not count. A line of a template counts as reached if any instance of it is.

With --model it runs only the tests of the suites "model" and "long model", random operations on at most 100 objects
beside a plain model. They must reach each line of the code that remembers from call to call, except those that
unreached_by_model.txt explains. It also prints for each file how many branches were never taken, of any instance."""
import argparse
import collections
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

# Python's bytecode stays out of the checkout.
sys.dont_write_bytecode = True
import builds  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / 'build' / 'coverage'
FOLDERS = ('core', 'simd', 'broadphase', 'narrowphase', 'stage')
# Folders of code that remembers from call to call.
MODELLED = ('broadphase/src/world/', 'broadphase/src/candidates/', 'broadphase/src/tree/')


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
    """The number of times each line of the library was reached, by file, from the counters in a folder; and each
    branch, by line, the number of branches of the line in its instance, and its index among them."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    branches = collections.defaultdict(lambda: collections.defaultdict(int))
    reports = BUILD / 'gcov'
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    data = sorted(folder.rglob('*.gcda'))
    if not data:
        sys.exit('coverage: no counters; did the tests run?')
    for first in range(0, len(data), 50):
        subprocess.run(['gcov', '--json-format', '--hash-filenames', '--branch-probabilities', *data[first:first + 50]],
                       cwd=reports, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for report in reports.glob('*.gcov.json.gz'):
        with gzip.open(report) as text:
            contents = json.load(text)
        working = Path(contents['current_working_directory'])
        for source in contents['files']:
            path = (working / source['file']).resolve()
            if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in FOLDERS:
                continue
            for line in source['lines']:
                number = line['line_number']
                lines[path.relative_to(ROOT)][number] += line['count']
                taken = [branch['count'] for branch in line['branches'] if not branch['throw']]
                for place, count in enumerate(taken):
                    branches[path.relative_to(ROOT)][number, len(taken), place] += count
    return lines, branches


def explained_lines(name):
    """The lines named in a file beside this script: a reason, and below it lines, each with its file."""
    lines = (Path(__file__).resolve().parent / name).read_text().split('\n')
    return collections.Counter(line for line in lines if line and not line.startswith('#'))


def main():
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--base', type=Path, default=ROOT / 'build' / 'release', help='build with the tests to run')
    parser.add_argument('--isas', default='scalar;avx2', help="instruction sets of the library (default 'scalar;avx2')")
    parser.add_argument('--jobs', type=int, default=2, help='jobs of the build and the tests (default 2)')
    parser.add_argument('--tests', action='append', default=[], help='an argument of the test program, -sf=... say')
    parser.add_argument('--within', default='', help='only sources whose path begins with this')
    parser.add_argument('--model', action='store_true', help='only the tests of the suites "model" and "long model"')
    parser.add_argument('--counters', type=Path, help='of a program that was built with --coverage and has run; '
                        'nothing is built then')
    options = parser.parse_args()
    within = MODELLED if options.model else options.within
    is_whole = options.model or not (options.within or options.tests)
    if options.model:
        options.tests.append('-ts=*model')
    if not options.counters:
        run_counted(options)

    rooms = collections.defaultdict(lambda: [0, 0])
    explained = explained_lines('unreached_by_model.txt' if options.model else 'untested.txt')
    untested = []
    lines, branches = counts((options.counters or BUILD).resolve())
    for path, of_file in sorted(lines.items()):
        if not str(path).startswith(within):
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
    if options.model:
        print('| file | branches | never taken |\n|---|--:|--:|')
        for path, of_file in sorted(branches.items()):
            if str(path).startswith(within):
                print(f'| {path} | {len(of_file)} | {list(of_file.values()).count(0)} |')
    print('\n'.join(['Not reached and not explained:', *untested]) if untested else 'Every other line is explained.')
    of_old = sorted(explained.elements()) if is_whole else []
    if of_old:
        print('\n'.join(['Explained, but reached or gone:', *of_old]))
    if untested or of_old:
        sys.exit(1)


main()
