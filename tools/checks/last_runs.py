#!/usr/bin/env python3
"""The commit that each check has last passed on: docs/last_runs.json, and its table in docs/promises.md.

    last_runs.py ready COMMAND...            can a run of ./run COMMAND... be recorded? Its commit, or the reason
    last_runs.py note LOG SECONDS COMMIT COMMAND...
                                             records that it has passed on that commit, which is still checked out; its
                                             output is in LOG
    last_runs.py check                       does the page have the table of the file?
    last_runs.py write                       writes the table to the page
    last_runs.py list                        the checks, which are all those of ./run test --all

./run calls the first two if BROADSIDE_RECORD_RUN is set."""
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get('BROADSIDE_CHECKOUT', Path(__file__).resolve().parents[2]))
FILE = ROOT / 'docs/last_runs.json'
PAGE = ROOT / 'docs/promises.md'
BEGIN, END = '<!-- last runs: made by tools/checks/last_runs.py -->', '<!-- end of last runs -->'

# The recorded checks, which are those of --all, in this order: the longest last.
CHECKS = ('docs', 'test --cppcheck', 'test --tidy', 'test', 'test --checked', 'test --syntax', 'python', 'javascript',
          'view --live', 'fuzz all', 'test --fresh', 'test --debug', 'test --shadow', 'test --asan', 'test --ubsan', 'test --tsan',
          'test --valgrind', 'test --lives', 'test --clang=clang++-16', 'test --clang=clang++-19', 'test --i386', 'test --s390x',
          'test --riscv64', 'test --windows', 'test --neon64', 'test --sanitize', 'test --lint')

# The lines in which programs report what they have run, and its kind.
COUNTS = ((r'^\[doctest\] test cases: +\d+ \| +(\d+) passed', 'cases'), (r'^# pass (\d+)', 'cases'),
          (r'\b(\d+) passed\b.* in [\d.]+s', 'cases'), (r'^Ran (\d+) tests? in', 'cases'), (r'\b(\d+) cases passed', 'cases'),
          (r': (\d+) inputs, \d+ edges', 'inputs'), (r'(?:cppcheck|clang\S*) over (\d+) sources', 'sources'))


def check_of(command):
    """The check of a command, or None: a command with more arguments is a part of a check. Minutes of fuzzing may
    differ."""
    name = re.sub(r'^(fuzz all) \d+$', r'\1', ' '.join(command))
    return name if name in CHECKS else None


def git(*arguments):
    """The output of git, or empty without git or a clone."""
    program = shutil.which('git')
    if not program:
        return ''
    return subprocess.run([program, '-C', str(ROOT), *arguments], capture_output=True, text=True, check=False).stdout


def reason_against(command):
    """The reason why a run cannot be recorded, or empty."""
    if not check_of(command):
        return f"'{' '.join(command)}' is not a recorded check; known: " + ', '.join(CHECKS)
    if not git('rev-parse', 'HEAD'):
        return 'this is not a clone, so there is no commit to record'
    ours = {path.relative_to(ROOT).as_posix() for path in (FILE, PAGE)}
    changed = {line[3:] for line in git('status', '--porcelain').splitlines()} - ours
    return f'not committed: {", ".join(sorted(changed))}' if changed else ''


def processor():
    """The machine's name of its processor."""
    try:
        found = re.search(r'^model name\s*: (.*)$', Path('/proc/cpuinfo').read_text(), re.MULTILINE)
    except OSError:
        found = None
    return re.sub(r'\((R|TM)\)|\bCPU\b|@.*', '', found.group(1)).strip() if found else platform.machine()


def said(command, log):
    """The output of a run, including that of its tests, which ctest keeps."""
    text = Path(log).read_text(errors='replace')
    variant = re.match(r'^test(?: --(?:clang=clang\+\+-)?(\S+))?$', ' '.join(command))
    if variant:
        name = variant.group(1) or 'release'
        kept = ROOT / 'build' / ('clang' + name if name.isdigit() else name) / 'Testing/Temporary/LastTest.log'
        if kept.exists() and 'the tests of build/' in text:
            text += kept.read_text(errors='replace')
    return re.sub(r'\x1b\[[0-9;]*m', '', text)


def without_parts(text):
    """The output of programs; of a program that ctest runs in numbered parts only one, because each counts all its
    cases."""
    first, *tests = re.split(r'^\d+/\d+ Test: (\S+)$', text, flags=re.MULTILINE)
    programs = {re.sub(r'_\d+$', '', name): printed for name, printed in zip(tests[::2], tests[1::2])}
    return first + ''.join(programs.values())


def noted(command, log, seconds):
    """The entry of a run."""
    text, counts = without_parts(said(command, log)), {}
    for pattern, what in COUNTS:
        counts[what] = counts.get(what, 0) + sum(map(int, re.findall(pattern, text, re.MULTILINE)))
    isas = {isa for line in re.findall(r'\bisas: ([a-z0-9 ]+)', text) for isa in line.split()}
    order = ('scalar', 'sse2', 'avx2', 'avx512', 'neon64', 'wasm128')
    return {'commit': git('rev-parse', '--short=12', 'HEAD').strip(), 'date': datetime.date.today().isoformat(),
            'machine': processor(), 'isas': ' '.join(isa for isa in order if isa in isas), 'seconds': int(seconds),
            'ran': ', '.join(f'{count} {what}' for what, count in counts.items() if count)}


def table(runs):
    """The lines of the page."""
    lines = ['| `./run ...` | commit | on | machine | instruction sets | seconds | ran |', '|---|---|---|---|---|---|---|']
    for check in CHECKS:
        run = runs.get(check)
        lines.append(f'| `{check}` | ' + (f"`{run['commit']}` | {run['date']} | {run['machine']} | {run['isas']} | "
                                          f"{run['seconds']} | {run['ran']} |" if run else 'not noted | | | | | |'))
    return [re.sub(r' +(?=\|)', ' ', line) for line in lines]


def page_with(runs):
    """The page with the table of the file in it."""
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f'{PAGE}: no place for the table: {BEGIN} ... {END}')
    return before + '\n'.join([BEGIN, *table(runs), END]) + after


def main():
    """One of the five."""
    verb, *arguments = sys.argv[1:] or ['']
    runs = json.loads(FILE.read_text()) if FILE.exists() else {}
    if verb == 'ready' and arguments:
        reason = reason_against(arguments)
        if reason:
            sys.exit(f'last_runs.py: {reason}')
        print(git('rev-parse', 'HEAD').strip())
    elif verb == 'note' and len(arguments) > 3:
        log, seconds, commit, *command = arguments
        if commit != git('rev-parse', 'HEAD').strip():
            sys.exit(f'last_runs.py: not {commit}, which has run, is checked out now')
        runs[check_of(command)] = noted(command, log, seconds)
        rows = ',\n'.join(f'  {json.dumps(check)}: {json.dumps(runs[check])}' for check in CHECKS if check in runs)
        FILE.write_text('{\n' + rows + '\n}\n')
        PAGE.write_text(page_with(runs))
    elif verb == 'check' and not arguments:
        unknown = sorted(set(runs) - set(CHECKS))
        if unknown:
            sys.exit(f'{FILE}: no check: {", ".join(unknown)}')
        if page_with(runs) != PAGE.read_text():
            sys.exit(f'{PAGE}: its table is not that of {FILE.name}; tools/checks/last_runs.py write makes it so')
    elif verb == 'write' and not arguments:
        PAGE.write_text(page_with(runs))
    elif verb == 'list' and not arguments:
        print(*CHECKS, sep='\n')
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main()
