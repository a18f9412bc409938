#!/usr/bin/env python3
"""Breaks the sources in small ways, one at a time, and sees whether a test notices.

A copy of the checkout in build/mutants is what is broken. Each mutant is built and the tests are run; one that no test
notices has survived, and is written down with its place. One that does not compile counts for nothing."""
import argparse
import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COPY = ROOT / 'build' / 'mutants' / 'checkout'

# A kind of mutant: a name, what is looked for in a line of code, and what stands there instead.
REPLACEMENTS = [
    ('comparison', r' <= ', ' < '), ('comparison', r' < ', ' <= '), ('comparison', r' >= ', ' > '),
    ('comparison', r' > ', ' >= '), ('comparison', r' == ', ' != '), ('comparison', r' != ', ' == '),
    ('logic', r' && ', ' || '), ('logic', r' \|\| ', ' && '), ('logic', r' & ', ' | '), ('logic', r' \| ', ' & '),
    ('arithmetic', r' \+ ', ' - '), ('arithmetic', r' - ', ' + '), ('arithmetic', r' \* ', ' / '),
    ('operands', r'\b(min_keep|max_keep)\((\w[\w.]*), (\w[\w.]*)\)', r'\1(\3, \2)'),
    ('operands', r'\b(\w[\w.]*) - (\w[\w.]*)\b', r'\2 - \1'),
    ('function', r'\bmin_keep\(', 'max_keep('), ('function', r'\bmax_keep\(', 'min_keep('),
    ('constant', r'\b0\.0f?\b', '1.0f'), ('constant', r'\b1\.0f\b', '0.5f'), ('constant', r'\b0x1p-(\d+)', r'0x1p-1\1'),
    ('constant', r'\bFLT_MAX\b', '1e30f'), ('constant', r'\bFLT_MIN\b', '0.0f'),
    ('lanes', r'\bkLanes\b', '(kLanes - 1)'), ('lanes', r'\bgroup\.count\b', '(group.count - 1)'),
    ('index', r'\[(\w+)\]', r'[\1 + 1]'), ('index', r'\+ 1\b', '+ 2'), ('index', r'\b(\w+) \+= (\w+)', r'\1 += \2 + 1'),
    ('negation', r'\bif \((.*)\) (return|continue|break)', r'if (!(\1)) \2'),
    ('negation', r'\breturn true\b', 'return false'), ('negation', r'\breturn false\b', 'return true'),
]
# A statement of its own that is no declaration.
STATEMENT = re.compile(r'^\s+(?!return|const|constexpr|auto|static|using|template|case|break|continue|else|}|#|//)'
                       r'[\w.\[\]>()-]+( [-+*/|&^]?= |\().*;$')


def mutants_of(path):
    """(kind, line number, new line) of every mutant of a source."""
    lines = (ROOT / path).read_text().split('\n')
    for number, line in enumerate(lines):
        code = line.split('//')[0]
        if not code.strip() or code.lstrip().startswith(('#', 'template', 'static_assert', 'using', 'namespace')):
            continue
        for kind, pattern, replacement in REPLACEMENTS:
            for match in re.finditer(pattern, code):
                new = code[:match.start()] + match.expand(replacement) + code[match.end():]
                if new != code:
                    yield kind, number, new + line[len(code):]
        if STATEMENT.match(code):
            yield 'dropped', number, ''


def run(command, seconds, **arguments):
    """The exit code, or None when time ran out."""
    try:
        return subprocess.run(command, timeout=seconds, check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, **arguments).returncode
    except subprocess.TimeoutExpired:
        return None


def prepare(options):
    """A copy of the checkout, built; its tests pass."""
    files = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, check=True, capture_output=True).stdout
    for name in files.decode().split('\0')[:-1]:
        source, target = ROOT / name, COPY / name
        if not source.is_file() or (target.is_file() and target.read_bytes() == source.read_bytes()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    deps = ROOT / 'build' / 'deps'
    if deps.exists() and not (COPY / 'build' / 'deps').exists():
        (COPY / 'build').mkdir(exist_ok=True)
        (COPY / 'build' / 'deps').symlink_to(deps.resolve())
    if not options.build:
        configure(options)
    print('build and test what is not broken', flush=True)
    start = time.monotonic()
    if build(options) != 0 or test(options, 3600) != 0:
        sys.exit('mutate: what is not broken does not build, or its tests fail')
    print(f'took {time.monotonic() - start:.0f} s', flush=True)


def configure(options):
    """The test program of the copy, optimised a little."""
    subprocess.run(['cmake', '-S', COPY, '-B', COPY / 'build' / 'tests', '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
                    '-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG', '-DBROADSIDE_WARNINGS_AS_ERRORS=OFF',
                    '-DBROADSIDE_BUILD_TESTS=ON', '-DBROADSIDE_BUILD_BENCHMARKS=OFF', '-DBROADSIDE_BUILD_TOOLS=OFF',
                    '-DBROADSIDE_BUILD_EXAMPLES=OFF', f'-DBROADSIDE_ISAS={options.isas}'],
                   check=True, stdout=subprocess.DEVNULL)


def build(options):
    """Of the test program in the copy."""
    if options.build:
        return run(options.build, 3600, shell=True, cwd=COPY)
    return run(['ninja', '-C', COPY / 'build' / 'tests', '-j', str(options.jobs), 'broadside_tests'], 3600)


def test(options, seconds):
    """Up to the first failure."""
    if options.test:
        return run(options.test, seconds, shell=True, cwd=COPY)
    return run([COPY / 'build' / 'tests' / 'tests' / 'broadside_tests', '--abort-after=1', *options.tests], seconds)


def main():
    """Mutants chosen at random by the seed, each judged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('sources', nargs='+', help='files, by their paths in the checkout')
    parser.add_argument('--count', type=int, default=40, help='mutants (default 40)')
    parser.add_argument('--seed', type=int, default=1, help='of the choice (default 1)')
    parser.add_argument('--jobs', type=int, default=2, help='of the builds (default 2)')
    parser.add_argument('--isas', default='scalar;avx2', help="built and tested (default 'scalar;avx2')")
    parser.add_argument('--tests', action='append', default=[], help='an argument of the test program, -sf=... say')
    parser.add_argument('--build', help='a command that builds, in the copy, in place of the whole test program')
    parser.add_argument('--test', help='a command that tests, in the copy')
    parser.add_argument('--json', type=Path, help='where the results go')
    parser.add_argument('--list', action='store_true', help='only say how many mutants there are')
    options = parser.parse_args()

    all_mutants = [(path, *mutant) for path in options.sources for mutant in mutants_of(path)]
    if options.list:
        print(f'{len(all_mutants)} mutants of {len(options.sources)} sources')
        return
    random.Random(options.seed).shuffle(all_mutants)
    prepare(options)
    results = []
    for path, kind, number, new in all_mutants:
        if sum(result['outcome'] != 'does not compile' for result in results) >= options.count:
            break
        source = COPY / path
        original = source.read_text()
        lines = original.split('\n')
        old, lines[number] = lines[number], new
        source.write_text('\n'.join(lines))
        if build(options) != 0:
            outcome = 'does not compile'
        else:
            outcome = 'survived' if test(options, 300) == 0 else 'killed'
        source.write_text(original)
        results.append({'source': path, 'line': number + 1, 'kind': kind, 'outcome': outcome, 'old': old.strip(),
                        'new': new.strip()})
        if outcome != 'does not compile':
            print(f'{outcome}: {path}:{number + 1} ({kind}): {old.strip()} -> {new.strip()}', flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + '\n')
    judged = [result for result in results if result['outcome'] != 'does not compile']
    killed = sum(result['outcome'] == 'killed' for result in judged)
    print(f'{killed} of {len(judged)} killed ({100 * killed / max(1, len(judged)):.1f} %), '
          f'{len(results) - len(judged)} did not compile')


main()
