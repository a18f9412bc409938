"""The types of the package, by mypy where it is installed: of its own sources, and of a caller's."""

import os
import pathlib

import pytest

import broadside

api = pytest.importorskip("mypy.api")

CALLER = '''\
import numpy as np
import broadside

boxes = np.zeros((3, 6))
tree = broadside.BoxTree([[0, 0, 0, 1, 1, 1]], invalid="ignore")
reveal_type(broadside.find_pairs(boxes, (boxes[:, :3], boxes[:, 3:]), algorithm="cells"))
reveal_type(tree.nearest([0, 0, 0], 2)[1])
reveal_type(broadside.World().update().path)
broadside.find_pairs(boxes, algorithm="cell")
broadside.World().add(boxes, kind="flying")
tree.query(boxes, invalid=False)
'''


def checked(arguments, monkeypatch, folder):
    monkeypatch.setenv("MYPYPATH", os.fspath(pathlib.Path(broadside.__file__).parents[1]))
    options = ["--strict", "--cache-dir", os.fspath(folder)]
    return api.run(options + arguments)[0]


def test_the_package_is_strict(monkeypatch, tmp_path):
    report = checked(["-p", "broadside"], monkeypatch, tmp_path)
    assert report.startswith("Success"), report


def test_a_caller_is_told(monkeypatch, tmp_path):
    caller = tmp_path / "caller.py"
    caller.write_text(CALLER)
    lines = checked([os.fspath(caller)], monkeypatch, tmp_path).splitlines()
    revealed = [line for line in lines if "Revealed type" in line]
    assert "signedinteger" in revealed[0] and "signedinteger" in revealed[1] and "'movers'" in revealed[2], lines
    errors = [int(line.split(".py:")[1].split(":")[0]) for line in lines if "error:" in line]
    assert errors == [9, 10, 11], lines
