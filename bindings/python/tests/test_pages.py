"""Python in the pages of the documentation runs: the blocks of a page one after the other, as a reader would type them."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

import reference

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = [path for folder in ("docs", "bindings/python") for path in sorted((ROOT / folder).glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks_of(page):
    return [(page.read_text()[: match.start()].count("\n") + 1, match[1]) for match in BLOCK.finditer(page.read_text())]


def missing(text):
    """Packages that a block imports and that are not installed."""
    return [name for name in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE) if importlib.util.find_spec(name) is None]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page)], ids=lambda page: page.name)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    left_out = []
    for line, text in blocks_of(page):
        if missing(text):
            left_out += missing(text)
            continue
        # Blank lines in front, so that an error names the line of the page.
        exec(compile("\n" * line + text, os.fspath(page), "exec"), names)
    if left_out:
        pytest.skip(f"blocks were left out without {', '.join(left_out)}")


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.name)
def test_examples_run(script, tmp_path):
    if missing(script.read_text()):
        pytest.skip(f"without {', '.join(missing(script.read_text()))}")
    ran = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, timeout=300,
                         env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


def test_the_reference_is_that_of_the_package():
    page = ROOT / "docs" / "python_reference.md"
    assert page.read_text() == reference.text(), f"write it again: python3 {reference.__file__} {page}"


def test_there_are_blocks():
    assert any(blocks_of(page) for page in PAGES)
