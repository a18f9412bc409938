"""Without memory a call raises MemoryError, and the process goes on."""

import os
import subprocess
import sys

import pytest

# Each box holds every ray and point, so that what is found takes a gigabyte; the limit leaves 150 megabytes.
PROGRAM = """
import resource
import numpy as np
import broadside

boxes = np.tile(np.array([[0.0, 0, 0, 9, 9, 9]]), (20_000, 1))
tree = broadside.BoxTree(boxes)
points, along = np.ones((3_000, 3)), np.ones((3_000, 3))
tree.nearest(points[:1], 3)
with open("/proc/self/statm") as sizes:
    used = int(sizes.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (150 << 20),) * 2)
for workers in (1, 2):
    for call in (lambda: tree.find_hits(broadside.Rays(points, along), workers=workers),
                 lambda: tree.nearest(points, 15_000, workers=workers)):
        try:
            call()
        except MemoryError:
            print("MemoryError")
assert tree.nearest(points[0]) == (0, 0) and tree.intersects_first(points[0], along[0]) == 0
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the size of the process is read from /proc")
def test_exact_hits_without_memory():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["MemoryError"] * 4
