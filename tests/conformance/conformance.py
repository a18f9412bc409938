#!/usr/bin/env python3
"""Holds engines against the cases of this folder.

Called as: conformance.py [--exact] [name=]command...

An engine is a command that gets a kind (pairs, impacts or rays) as its argument and a case on its standard input,
and writes the result to its standard output; see README.md. Prints a table of the differences, and fails if the
first engine differs. With --exact, any float except the nearest to the true time is a difference, too."""
import shlex
import subprocess
import sys
from pathlib import Path

CASES = Path(__file__).resolve().parent / 'cases'
# Times computed in floats: three roundings, of numbers that may cancel once.
TOLERANCE = 2.0 ** -20


def differences(kind, expected, found, is_exact):
    """The number of wrong lines of a result, and the kinds of errors."""
    if kind == 'pairs':
        right, other = set(expected), set(found)
        extra = len(other - right) + len(found) - len(other)
        missing = len(right - other)
        return [f'{extra} extra'] * bool(extra) + [f'{missing} missing'] * bool(missing)
    if len(expected) != len(found):
        return [f'{len(found)} lines']
    lost = sum(right != 'none' and line == 'none' for right, line in zip(expected, found))
    invented = sum(right == 'none' and line != 'none' for right, line in zip(expected, found))
    off = 0
    for right, line in zip(expected, found):
        if 'none' in (right, line):
            continue
        time, answer = float.fromhex(right), float.fromhex(line)
        off += time != answer if is_exact else abs(time - answer) > TOLERANCE * max(abs(time), 1e-30)
    return [f'{count} {what}' for count, what in ((lost, 'lost'), (invented, 'invented'), (off, 'off')) if count]


def answer_of(command, kind, case):
    """The lines that an engine prints, None if it has no such query; and how it failed."""
    with case.open() as rows:
        run = subprocess.run([*shlex.split(command), kind], stdin=rows, capture_output=True, text=True, timeout=600, check=False)
    if run.returncode != 0:
        return [], f'ends by signal {-run.returncode}' if run.returncode < 0 else f'exit code {run.returncode}'
    lines = run.stdout.split('\n')[:-1]
    return None if lines == ['unsupported'] else lines, None


def main():
    """The table."""
    arguments = sys.argv[1:]
    is_exact = '--exact' in arguments
    engines = []
    for argument in arguments:
        if argument != '--exact':
            name, _, command = argument.rpartition('=')
            engines.append((name or Path(command).name, command))
    cases = sorted(CASES.glob('*/*.in'))
    if not engines or not cases:
        sys.exit('usage: conformance.py [--exact] [name=]command...')
    print('| case | items | ' + ' | '.join(name for name, _ in engines) + ' |')
    print('|---|--:|' + '---|' * len(engines))
    has_failed = False
    for case in cases:
        kind = case.parent.name
        expected = case.with_suffix('.out').read_text().splitlines()
        row = []
        for index, (_, command) in enumerate(engines):
            found, failure = answer_of(command, kind, case)
            if failure:
                wrong = [failure]
            else:
                wrong = [] if found is None else differences(kind, expected, found, is_exact)
            has_failed |= index == 0 and bool(wrong)
            row.append('no such query' if found is None else ', '.join(wrong) or 'correct')
        print(f'| {kind}/{case.stem} | {len(expected)} | ' + ' | '.join(row) + ' |')
    return 1 if has_failed else 0


sys.exit(main())
