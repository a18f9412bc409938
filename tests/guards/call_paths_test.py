#!/usr/bin/env python3
"""docs/call_paths.md is true: each file defines the function of its line, and the file of the function above calls it.
Called as: call_paths_test.py <checkout>"""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
STEP = re.compile(r'^( *)- (?:`kernels\.(\w+)`, )?`([\w:]+)` in `([^`]+)`: \S', re.MULTILINE)


def code_of(path):
    """The text of a source without comments."""
    return re.sub(r'//[^\n]*', '', (ROOT / path).read_text(encoding='utf-8'))


def fault_of_definition(path, entry, name):
    """What is wrong with a file that should define a function, or empty."""
    if not (ROOT / path).is_file():
        return 'there is no such file'
    code = code_of(path)
    owner, _, function = name.rpartition('::')
    if owner and not re.search(rf'\b{owner}::{function}\(|\b(?:class|struct) {owner}\b', code):
        return f'{owner} is not in it'
    # A definition, unlike a call, is followed by a body.
    if not re.search(rf'(?:\b{function}\([^;{{}}]*\)[^;{{}}()]*\{{|\b(?:class|struct) {function}\b[^;]*\{{)', code):
        return f'{function} is not defined in it'
    units = sorted((ROOT / path).parent.glob('*unit.cpp'))
    if entry and not any(re.search(rf'\.{entry} = &{name}<', code_of(unit.relative_to(ROOT))) for unit in units):
        return f'the kernel table of its folder has no {entry}'
    return ''


def faults_of(text):
    """The number of steps of a page, and what is wrong with them."""
    faults, callers, count = [], [], 0
    for indent, entry, name, path in STEP.findall(text):
        count += 1
        depth = len(indent) // 2
        fault = fault_of_definition(path, entry, name)
        if depth > len(callers):
            fault = fault or 'it is indented twice'
        del callers[depth:]
        if not fault and callers:
            called = entry or name.rpartition('::')[2]
            if not re.search(rf'\b{called}\b', code_of(callers[-1])):
                fault = f'{callers[-1]} does not call it'
        callers.append(path)
        if fault:
            faults.append(f'{name} in {path}: {fault}')
    return count, faults


class CallPathsTest(unittest.TestCase):
    """The page, and pages with faults."""

    def test_each_step_is_defined_and_called(self):
        text = (ROOT / 'docs/call_paths.md').read_text(encoding='utf-8')
        count, faults = faults_of(text)
        self.assertEqual(faults, [])
        self.assertEqual(count, len(re.findall(r'^ *- ', text, re.MULTILINE)), 'a line has another form')

    def test_faults_are_found(self):
        file = 'broadphase/src/find_pairs/find_pairs.cpp'
        for text in (f'- `find_nothing` in `{file}`: x', '- `find_pairs` in `core/none.cpp`: x',
                     # Called there, and defined elsewhere.
                     f'- `find_sorted` in `{file}`: x',
                     f'- `find_pairs` in `{file}`: x\n  - `scan_cells` in `broadphase/src/cells/tasks.cpp`: x',
                     '- `kernels.sort_cell`, `scan_cell_kernel` in `broadphase/src/cells/scan_kernel.hpp`: x',
                     f'- `find_pairs` in `{file}`: x\n    - `search_pairs` in `{file}`: x'):
            self.assertEqual(len(faults_of(text)[1]), 1, text)


if __name__ == '__main__':
    unittest.main()
