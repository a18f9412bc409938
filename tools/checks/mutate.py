#!/usr/bin/env python3
"""Breaks the sources in small ways and checks that a test notices.

All mutants are compiled at once, each behind a test of a number, so that one of them costs a run of tests and no build:
units with mutants are compiled again beside an existing build of the tests, with its commands, and linked with the rest
of it. The tests are run source by source, once to learn which mutants each of them reaches, and then for each mutant
those that reach it, near and quick ones first, up to the first that fails. A mutant that fails none has survived, and is
listed with its line. A mutant that does not compile does not count, nor does one that no test can notice, which
equivalent.txt, beside this script, explains; these are not run."""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MUTANTS = ROOT / 'build' / 'mutants'
SOURCES, OBJECTS, PROGRAM = MUTANTS / 'sources', MUTANTS / 'objects', MUTANTS / 'broadside_tests'

# A kind of mutant: a name, the pattern in a line of code, and its replacement.
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
    ('index', r'\[(\w+)\]', r'[\1 + 1]'), ('index', r'\+ 1\b', '+ 2'),
    ('negation', r'\bif \((.*)\) (?:return|continue|break)', None),
    ('negation', r'\breturn true\b', 'return false'), ('negation', r'\breturn false\b', 'return true'),
]
# A statement of its own that is no declaration.
STATEMENT = re.compile(r'^\s+(?!return|const|constexpr|auto|static|using|template|case|break|continue|else|}|#|//|goto)'
                       r'[\w.\[\]>()-]+( [-+*/|&^]?= |\().*;$')
# Not compiled, or evaluated by the compiler.
NO_CODE = re.compile(r'^\s*(#|template|static_assert|using|namespace|enum|constexpr|static constexpr|inline constexpr|'
                     r'if constexpr|BROADSIDE_ZONE|alignas)|\bconstexpr\b|\bnoexcept\(|= default')
ARRAY = re.compile(r'^\s*(?:const )?[\w:]+(?:<[^;]*>)? (?:\w+(?:\[\w+\])+,? ?)+( = .*|;)$')
OPENING, CLOSING = '([{', ')]}'

HOOK = '''// What tells a mutant that it is the one.
#pragma once
extern "C" int broadside_mutant_number;
extern "C" unsigned char broadside_mutants_reached[];
[[gnu::always_inline]] inline constexpr bool broadside_mutant(int number) {
    if (__builtin_is_constant_evaluated()) return false;
    broadside_mutants_reached[number] = 1;
    return broadside_mutant_number == number;
}
'''
HOOK_DATA = '''
#include <cstdio>
#include <cstdlib>
extern "C" int broadside_mutant_number;
extern "C" unsigned char broadside_mutants_reached[];
int broadside_mutant_number = 0;
unsigned char broadside_mutants_reached[100000];
namespace {
struct BroadsideMutants {
    BroadsideMutants() {
        if (const char* number = std::getenv("BROADSIDE_MUTANT")) broadside_mutant_number = std::atoi(number);
    }
    ~BroadsideMutants() {
        const char* const path = std::getenv("BROADSIDE_MUTANTS_REACHED");
        std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
        if (file == nullptr) return;
        for (int i = 0; i < 100000; ++i)
            if (broadside_mutants_reached[i] != 0) std::fprintf(file, "%d ", i);
        std::fclose(file);
    }
} broadside_mutants;
}
'''


def blank_comments(text):
    """The text with comments as spaces, and quoted text as Q."""
    blanked = re.sub(r'//[^\n]*', lambda match: ' ' * len(match.group()), text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', lambda match: 'Q' * len(match.group()), blanked)


def stops(code, place, is_logic):
    """True if an operand of an expression ends at this position."""
    if code[place] in ',;?' or (not is_logic and code[place:place + 2] in ('&&', '||')):
        return True
    if code[place] == ':':
        return code[place - 1] != ':' and code[place + 1] != ':'
    return False


def operand_around(code, begin, end, is_logic):
    """The begin and end of the operand that contains a match; None if the text does not show it."""
    depth, first = 0, begin
    while first > 0:
        letter = code[first - 1]
        if letter in CLOSING:
            depth += 1
        elif letter in OPENING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0:
            if stops(code, first - 1, is_logic) or code[max(0, first - 7):first] == 'return ':
                break
            if not is_logic and code[first - 2:first] in ('&&', '||'):
                break
            if letter == '=' and code[first - 2] not in '=<>!' and code[first] != '=':
                break
        first -= 1
    depth, last = 0, end
    while last < len(code):
        letter = code[last]
        if letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and stops(code, last, is_logic):
            break
        last += 1
    while first < begin and code[first].isspace():
        first += 1
    while last > end and code[last - 1].isspace():
        last -= 1
    return (first, last) if last - first < 400 else None


def closing_of(code, opening):
    """Of a parenthesis."""
    depth = 0
    for place in range(opening, len(code)):
        depth += (code[place] == '(') - (code[place] == ')')
        if depth == 0:
            return place
    return None


def on_one_line(text):
    """Without comments, and with single spaces."""
    return ' '.join(re.sub(r'//[^\n]*', '', text).split())


def mutants_of(path):
    """(kind, line number, begin, end, text with a NUMBER, change) of every mutant of a source."""
    text = (ROOT / path).read_text()
    code = blank_comments(text)
    begin_of_line = 0
    for number, line in enumerate(code.split('\n')):
        begin, begin_of_line = begin_of_line, begin_of_line + len(line) + 1
        if not line.strip() or NO_CODE.search(line):
            continue
        for kind, pattern, replacement in REPLACEMENTS:
            if kind == 'index' and ARRAY.match(line):
                continue
            for match in re.finditer(pattern, line):
                if replacement is None:
                    opening = begin + match.start(1) - 1
                    closing = closing_of(code, opening)
                    if closing is None or '\n' in text[opening:closing]:
                        continue
                    condition = text[opening + 1:closing]
                    yield (kind, number, opening + 1, closing,
                           f'broadside_mutant(NUMBER) != static_cast<bool>({condition})',
                           'negated')
                    continue
                if kind == 'negation':
                    first, last = begin + match.start() + 7, begin + match.end()
                    mutated = replacement[7:]
                else:
                    place = operand_around(code, begin + match.start() + (match.group()[0] in ' ['),
                                           begin + match.end() - (match.group()[-1] in ' ]'),
                                           '&&' in match.group() or '||' in match.group())
                    if place is None:
                        continue
                    first, last = place
                    if kind == 'index' and match.group()[0] == '[':
                        mutated = match.group(1) + ' + 1'
                    else:
                        mutated = (text[first:max(first, begin + match.start())] + match.expand(replacement) +
                                   text[min(last, begin + match.end()):last])
                original = text[first:last]
                if mutated.split() == original.split():
                    continue
                mutated = re.sub(r'//[^\n]*', '', mutated).replace('\n', ' ')
                yield (kind, number, first, last, f'(broadside_mutant(NUMBER) ? ({mutated}) : ({original}))',
                       f'{on_one_line(original)} -> {on_one_line(mutated)}')
        if STATEMENT.match(line) and line.count('(') == line.count(')') and line.count('{') == line.count('}'):
            first, last = begin + len(line) - len(line.lstrip()), begin + len(line)
            yield ('dropped', number, first, last, f'{{ if (!broadside_mutant(NUMBER)) {{ {text[first:last]} }} }}',
                   'dropped')


def choose(options):
    """Mutants by their numbers from 1: at most one a line, those of a source at most a share of all."""
    found = []
    for path in options.sources:
        lines, seen = (ROOT / path).read_text().split('\n'), collections.Counter()
        for kind, line, begin, end, text, change in mutants_of(path):
            name = f'{path}: {lines[line].strip()} | {change}'
            seen[name] += 1
            # Of equal lines the later ones have a number.
            found.append({'source': path, 'kind': kind, 'line': line + 1, 'begin': begin, 'end': end, 'text': text,
                          'name': name if seen[name] == 1 else f'{name} ({seen[name]})'})
    if options.list:
        print(f'{len(found)} mutants of {len(options.sources)} sources')
        sys.exit()
    random.Random(options.seed).shuffle(found)
    chosen, taken = {}, {}
    # Half as many again as requested: some will not compile.
    most = options.count * 3 // 2
    for mutant in found:
        ranges = taken.setdefault(mutant['source'], [])
        if len(chosen) == most:
            break
        # A long source has no more than half as many again as its share.
        if len(ranges) * len(options.sources) * 2 > most * 3:
            continue
        if any(mutant['begin'] < end + 200 and begin < mutant['end'] + 200 and
               (line == mutant['line'] or (mutant['begin'] < end and begin < mutant['end']))
               for begin, end, line in ranges):
            continue
        ranges.append((mutant['begin'], mutant['end'], mutant['line']))
        chosen[len(chosen) + 1] = mutant
    return chosen


def write_if_other(path, text):
    """Keeps the old file if nothing has changed, so that it is not built again."""
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_sources(mutants):
    """Beside those of the checkout, and found before them."""
    broken = {}
    for number, mutant in mutants.items():
        broken.setdefault(mutant['source'], []).append((mutant['begin'], mutant['end'], number, mutant['text']))
    for name, parts in broken.items():
        text = (ROOT / name).read_text()
        for begin, end, number, mutated in sorted(parts, reverse=True):
            text = text[:begin] + mutated.replace('NUMBER', str(number)) + text[end:]
        # Replaces the comment at the head of a source, so that lines keep their numbers.
        write_if_other(SOURCES / name, re.sub(r'\A[^\n]*', '#include "core/src/mutant.hpp"', text))
    write_if_other(SOURCES / 'core' / 'src' / 'mutant.hpp', HOOK)
    write_if_other(SOURCES / 'core' / 'src' / 'mutant.cpp', '#include "core/src/mutant.hpp"\n' + HOOK_DATA)


class Build:
    """Data of a build folder: the objects of the test program, their sources, and their commands."""

    def __init__(self, options):
        self.folder, self.jobs = options.build.resolve(), options.jobs
        commands = self.ninja('-t', 'commands', 'broadside_tests').split('\n')
        self.link = next(line for line in reversed(commands) if ' -o tests/broadside_tests ' in line)
        self.commands = {match.group(1): line for line in commands if (match := re.search(r' -o (\S+\.o) -c ', line))}
        tests = [name for name in re.findall(r'\S+\.o\b', self.link)
                 if not name.endswith('_test.cpp.o') or re.search(options.only, name.split('.dir/')[1])]
        self.tests = tests
        self.ninja('-j', str(self.jobs), 'libbroadside.a', *tests)
        self.dependents, name = {}, ''
        for line in self.ninja('-t', 'deps').split('\n'):
            if line.startswith(' '):
                path = os.path.relpath(os.path.normpath(self.folder / line.strip()), ROOT)
                self.dependents.setdefault(path, set()).add(name)
            else:
                name = line.split(':')[0]

    def ninja(self, *arguments):
        """The output of a command."""
        return subprocess.run(['ninja', '-C', self.folder, *arguments], check=True, capture_output=True,
                              text=True).stdout

    def objects_of(self, sources):
        """The objects of the library and of the chosen tests that depend on any of the sources."""
        found = set().union(*(self.dependents.get(source, set()) for source in sources))
        return {name for name in found if name in self.commands and
                (name in self.tests or not name.startswith(('tests/', 'bindings/', 'tools/', 'extras/', 'bench/')))}

    def compile(self, name):
        """An object with mutants, and the compiler's messages if there is none. With less optimisation, in half the
        time."""
        target = OBJECTS / name
        target.parent.mkdir(parents=True, exist_ok=True)
        command = self.commands[name].replace(f'-o {name}', f'-o {target}').replace(' -O3', ' -O1', 1)
        command = re.sub(r' -M[TF] \S+| -MD|-Werror', '', command)
        command = re.sub(r' -I', f' -I{SOURCES} -I', command, count=1)
        source = re.search(r' -c (\S+)', command).group(1)
        other = SOURCES / os.path.relpath(source, ROOT)
        if other.is_file():
            command = command.replace(f' -c {source}', f' -c {other}')
        made = subprocess.run(command, shell=True, cwd=self.folder, check=False, capture_output=True, text=True)
        return '' if made.returncode == 0 else made.stderr

    def link_with(self, names):
        """The program, with objects that have mutants instead of those of the library and of its tests."""
        hook = OBJECTS / 'mutant.o'
        subprocess.run(['c++', '-std=c++20', '-O2', '-c', SOURCES / 'core' / 'src' / 'mutant.cpp', f'-I{SOURCES}', '-o',
                        hook], check=True)
        command = self.link
        for name in re.findall(r'\S+\.o\b', command):
            if name not in self.tests:
                command = command.replace(f' {name} ', ' ')
            elif name in names:
                command = command.replace(f' {name} ', f' {OBJECTS / name} ')
        # The first definition of a symbol wins.
        own = ' '.join(str(OBJECTS / name) for name in sorted(names) if name not in self.tests)
        command = command.replace(' -o tests/broadside_tests ', f' {own} {hook} -o {PROGRAM} ')
        subprocess.run(command, shell=True, cwd=self.folder, check=True)


def build(made, pool, mutants):
    """Drops mutants that do not compile until the rest does."""
    count = len(mutants)
    wanted = names = made.objects_of({mutant['source'] for mutant in mutants.values()})
    while wanted:
        write_sources(mutants)
        by_line = {(mutant['source'], mutant['line']): number for number, mutant in mutants.items()}
        guilty, said = set(), ''
        for text in pool.map(made.compile, sorted(wanted)):
            # The first line of each error that is in one of our files, which may be where it is used.
            for block in re.split(r'(?=\n[^\n]*error: )', '\n' + text)[1:]:
                said = block
                places = re.findall(r'mutants/sources/([\w/.]+):(\d+)', block)
                guilty |= {by_line[place] for place in ((path, int(line)) for path, line in places) if place in by_line}
        if said and not guilty:
            sys.exit('mutate: the sources do not compile\n' + said)
        wanted = made.objects_of({mutants.pop(number)['source'] for number in guilty})
        print(f'{len(guilty)} do not compile', flush=True)
    made.link_with(names)
    return count - len(mutants)


def run_tests(options, source, seconds, **environment):
    """True if the tests of a source pass in this many seconds of processor time, and the time taken."""
    limits = (int(seconds) + 1, int(seconds) + 2)
    with subprocess.Popen([PROGRAM, f'-sf=*tests/{source}', '--abort-after=1', *options.tests],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limits)) as process:
        # A test that waits forever takes no processor time.
        timer = threading.Timer(300 + 60 * seconds, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode == 0, usage.ru_utime + usage.ru_stime


def learn(options, pool):
    """For each source of tests: its time, and the mutants that it reaches."""
    listed = subprocess.run([PROGRAM, '-ltc', '--reporters=xml', '-sfe=*/guards/*'], check=True,
                            capture_output=True, text=True).stdout
    sources = sorted(set(re.findall(r'filename="[^"]*?/tests/([^"]+)"', listed)))

    def learn_one(source):
        reached = MUTANTS / ('reached-' + source.replace('/', '-'))
        reached.unlink(missing_ok=True)
        passes, seconds = run_tests(options, source, options.longest, BROADSIDE_MUTANTS_REACHED=str(reached))
        return source, seconds, {int(word) for word in reached.read_text().split()} if passes else None

    known = {}
    for source, seconds, reached in pool.map(learn_one, sources):
        if reached is not None:
            known[source] = (seconds, reached)
        elif seconds < options.longest:
            print(f'left out, FAILS WITHOUT A MUTANT: {source}', flush=True)
        else:
            print(f'left out, takes more than {options.longest} s: {source}', flush=True)
    return known


def explained_mutants():
    """The mutants in equivalent.txt: a reason, and below it mutants, each with its source, as they are printed."""
    lines = (Path(__file__).resolve().parent / 'equivalent.txt').read_text().split('\n')
    return {line for line in lines if line and not line.startswith('#')}


def judge(options, known, number, mutant):
    """'killed' and by which test, 'survived', or 'not reached'."""
    room = Path(mutant['source'].replace('/src/', '/')).parent
    near = [str(room), str(room.parent), '']
    tests = [(next(i for i, folder in enumerate(near) if source.startswith(folder)), seconds, source)
             for source, (seconds, reached) in known.items() if number in reached]
    left = options.patience
    for _, seconds, source in sorted(tests):
        passes, spent = run_tests(options, source, 5 + 5 * seconds, BROADSIDE_MUTANT=str(number))
        left -= spent
        if not passes:
            return 'killed', source
        if left < 0:
            return 'survived', f'up to {source}'
    return ('survived' if tests else 'not reached'), ''


def main():
    """Mutants chosen at random by the seed, each judged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('sources', nargs='+', help='files, by their paths in the checkout')
    parser.add_argument('--count', type=int, default=40, help='mutants (default 40)')
    parser.add_argument('--seed', type=int, default=1, help='seed of the choice (default 1)')
    parser.add_argument('--jobs', type=int, default=2, help='jobs of the build and the tests (default 2)')
    parser.add_argument('--build', type=Path, default=ROOT / 'build' / 'release',
                        help='a folder configured with tests (default build/release)')
    parser.add_argument('--tests', action='append', default=[], help='an argument of the test program')
    parser.add_argument('--only', default='', help='only tests in sources whose path below tests/ matches this pattern')
    parser.add_argument('--longest', type=int, default=120,
                        help='seconds of processor time after which the tests of a source are left out (default 120)')
    parser.add_argument('--patience', type=float, default=float('inf'),
                        help='seconds of tests that pass after which a mutant has survived (default: all tests)')
    parser.add_argument('--json', type=Path, help='file for the results')
    parser.add_argument('--list', action='store_true', help='only print the number of mutants')
    options = parser.parse_args()

    mutants = choose(options)
    made = Build(options)
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        print(f'build with {len(mutants)} mutants', flush=True)
        dropped = build(made, pool, mutants)
        explained = explained_mutants()
        numbers = [number for number in sorted(mutants)[:options.count] if mutants[number]['name'] not in explained]
        print('learn what the tests reach', flush=True)
        known = learn(options, pool)
        print(f'{len(known)} sources of tests, {sum(seconds for seconds, _ in known.values()):.0f} s', flush=True)
        judged = pool.map(lambda number: (number, *judge(options, known, number, mutants[number])), numbers)
        for number, outcome, test in judged:
            mutant = mutants[number]
            results.append({'source': mutant['source'], 'line': mutant['line'], 'kind': mutant['kind'],
                            'outcome': outcome, 'mutant': mutant['name'], 'test': test})
            print(f"{outcome}, {number}, line {mutant['line']} ({mutant['kind']}) {test}\n{mutant['name']}", flush=True)
            if options.json:
                options.json.write_text(json.dumps(results, indent=1) + '\n')
    killed = sum(result['outcome'] == 'killed' for result in results)
    print(f'{killed} of {len(results)} killed ({100 * killed / max(1, len(results)):.1f} %), '
          f'{min(options.count, len(mutants)) - len(results)} explained, {dropped} did not compile')


main()
