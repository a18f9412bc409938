#!/usr/bin/env python3
"""Runs the tests with a library of another build: by another compiler or standard, with kernels of another
optimisation, with another xsimd, or with sanitizers.

The tests themselves are those of an existing build (--base, build/release by default), so that each way only builds the
library. They are linked with it and run, and so is the conformance kit. Inline functions of the library are taken from
its own objects. Prints a line a way; the output of programs goes to build/library-<way>/*.log."""
import argparse
import concurrent.futures
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def sanitized(sanitizers):
    """Findings are printed, and all tests run. Without asserts, which change the compiled code."""
    return [f'-DBROADSIDE_SANITIZE={sanitizers}', '-DBROADSIDE_ASSERTS=OFF', '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
            '-DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS',
            '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -finline-small-functions -g1 -DNDEBUG',
            '-DBROADSIDE_KERNEL_OPTIMISATION=-O1']


WAYS = {
    'clang16': ['-DCMAKE_CXX_COMPILER=clang++-16'],
    'clang19': ['-DCMAKE_CXX_COMPILER=clang++-19'],
    'cxx23': ['-DCMAKE_CXX_STANDARD=23'],
    'kernels-O0': ['-DBROADSIDE_KERNEL_OPTIMISATION=-O0'],
    'kernels-O1': ['-DBROADSIDE_KERNEL_OPTIMISATION=-O1'],
    'kernels-O2': ['-DBROADSIDE_KERNEL_OPTIMISATION=-O2'],
    # Needs --xsimd.
    'xsimd': [],
    'asan': sanitized('address'),
    'ubsan': sanitized('undefined'),
    'sanitized': sanitized('address,undefined'),
    # Fits into the time of CI: two instruction sets, and undefined behaviour traps instead of printing a message. With
    # asserts, so that Debug is not needed.
    'checked': ['-DBROADSIDE_SANITIZE=address,undefined', '-DBROADSIDE_ASSERTS=ON',
                '-DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS -fsanitize-undefined-trap-on-error',
                '-DCMAKE_CXX_FLAGS_RELEASE=-Og -DNDEBUG', '-DBROADSIDE_KERNEL_OPTIMISATION=-Og'],
}

# `checked` leaves these to `asan`, `ubsan` and `sanitized`: the suite "long" (tests/support/suites.hpp), and tests that
# read texts and call nothing of the library.
LEFT_OUT = ['-tse=long*', '-sfe=*/guards/*']

C_TESTS = 'broadside_c_tests'


def of_cache(build, name):
    """The value of a setting in a build's cache."""
    found = re.search(f'^{name}:[A-Z]+=(.*)$', (build / 'CMakeCache.txt').read_text(), re.MULTILINE)
    return found.group(1) if found else ''


def build_library(folder, isas, settings, jobs, with_c):
    """The library alone, in a folder of its own, with its C interface if told so."""
    subprocess.run(['cmake', '-S', ROOT, '-B', folder, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
                    '-DBROADSIDE_BUILD_TESTS=OFF', '-DBROADSIDE_BUILD_BENCHMARKS=OFF', '-DBROADSIDE_BUILD_EXTRAS=OFF',
                    '-DBROADSIDE_BUILD_EXAMPLES=OFF', f'-DBROADSIDE_BUILD_C={"ON" if with_c else "OFF"}',
                    # In a third of the time; units of an instruction set are unchanged.
                    '-DCMAKE_UNITY_BUILD=ON', '-DCMAKE_UNITY_BUILD_BATCH_SIZE=16',
                    # Warnings of another compiler are not the subject.
                    '-DBROADSIDE_WARNINGS_AS_ERRORS=OFF', f'-DBROADSIDE_ISAS={isas}', *settings],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', folder, '-j', str(jobs), '--quiet', 'broadside', *(['broadside_c'] if with_c else [])],
                   check=True)


def link(base, folder, target, *flags):
    """A program of the base with the library of a folder. Its objects come first, so that inline definitions are taken
    from them. The base's own library follows for the kernels of instruction sets that the other lacks, because tests
    name them."""
    commands = subprocess.run(['ninja', '-C', base, '-t', 'commands', target], check=True, capture_output=True,
                              text=True).stdout.strip().split('\n')
    words = shlex.split(commands[-1].removeprefix(': && ').removesuffix(' && :'))
    program = folder / target
    words[words.index('-o') + 1] = str(program)
    if target == C_TESTS:
        # Of the library it sees the shared one of the C interface alone.
        words = [str(folder / word) if word.startswith('bindings/c/') else word.replace(str(base), str(folder))
                 for word in words]
        subprocess.run(words + list(flags), cwd=base, check=True)
        return program
    library = ['-Wl,--whole-archive', str(folder / 'libbroadside.a'), '-Wl,--no-whole-archive']
    words = words[:1] + library + words[1:] + list(flags)
    subprocess.run(words, cwd=base, check=True)
    return program


def run(command, log, folder):
    """True if a program succeeds; its output goes to a file."""
    with log.open('w') as text:
        is_well = subprocess.run(command, stdout=text, stderr=subprocess.STDOUT, cwd=folder).returncode == 0
    if not is_well:
        print(f'{log}:', *log.read_text(errors='replace').splitlines()[-60:], sep='\n  ', file=sys.stderr, flush=True)
    return is_well


def run_tests(program, arguments, folder, jobs):
    """True if all cases pass, in parts so that every core is busy."""
    said = subprocess.run([program, '--count', *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout
    count = int(re.search(r'test cases passing the current filters: (\d+)', re.sub(r'\x1b\[[0-9;]*m', '', said)).group(1))
    size = max(1, count // (24 * jobs))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = [pool.submit(run, [program, f'--first={first}', f'--last={first + size - 1}', *arguments],
                             program.parent / f'{program.name}-{first}.log', folder)
                 for first in range(1, count + 1, size)]
        return all([part.result() for part in parts]), count


def main():
    """A line a way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('ways', nargs='*',
                        help='of ' + ', '.join(WAYS) + ' (default: all but xsimd, checked, asan and ubsan)')
    parser.add_argument('--base', type=Path, default=ROOT / 'build' / 'release', help='build with the tests to run')
    parser.add_argument('--jobs', type=int, default=2, help='jobs of the builds (default 2)')
    parser.add_argument('--tests', action='append', default=[], help='an argument of the test program, -tc=... say')
    parser.add_argument('--isas', help="instruction sets of the library, 'scalar;avx2' say (default: with "
                        'sanitizers these two, else those of the base)')
    parser.add_argument('--xsimd', help='folder with xsimd/xsimd.hpp for the way xsimd')
    parser.add_argument('--check-arguments', action='store_true', help='only check the arguments')
    options = parser.parse_args()
    unknown = [way for way in options.ways if way not in WAYS]
    if unknown:
        parser.error(f'unknown way {unknown[0]}')
    if options.check_arguments:
        return 0
    base = options.base.resolve()
    failed = []
    for way in options.ways or [way for way in WAYS if way not in ('xsimd', 'checked', 'asan', 'ubsan')]:
        folder = ROOT / 'build' / f'library-{way}'
        settings = [f'-DBROADSIDE_XSIMD_DIR={options.xsimd}'] if way == 'xsimd' else WAYS[way]
        flags = [f'-fsanitize={setting.split("=")[1]}' for setting in settings if 'BROADSIDE_SANITIZE' in setting]
        isas = options.isas or ('scalar;avx2' if flags else of_cache(base, 'BROADSIDE_ISAS'))
        start = time.monotonic()
        # For sanitizers that print what they find: C passes any bits and pointers.
        with_c = bool(flags) and way != 'checked' and of_cache(base, 'BROADSIDE_BUILD_C') == 'ON'
        build_library(folder, isas, settings, options.jobs, with_c)
        outcomes = [f'isas: {isas.replace(";", " ")}', f'library {time.monotonic() - start:.0f} s']
        for target in ('broadside_tests', 'broadside_extras_tests', 'broadside_conformance', *([C_TESTS] if with_c else [])):
            program = link(base, folder, target, *flags)
            start = time.monotonic()
            if target == C_TESTS:
                is_well = run([program], folder / 'c.log', base)
                what = 'C interface'
            elif target.endswith('_tests'):
                left_out = LEFT_OUT if way == 'checked' else []
                is_well, count = run_tests(program, left_out + options.tests, base / 'tests', options.jobs)
                what = f'{count} cases'
            else:
                is_well = run([sys.executable, ROOT / 'tests/conformance/conformance.py', f'broadside={program}'],
                              folder / 'conformance.log', base)
                what = 'conformance kit'
            outcomes.append(f'{what} {"passed" if is_well else "FAILED"} in {time.monotonic() - start:.0f} s')
            if not is_well:
                failed.append(way)
        print(f'{way}: ' + ', '.join(outcomes), flush=True)
    if failed:
        sys.exit('failed: ' + ' '.join(sorted(set(failed))))


if __name__ == '__main__':
    main()
