"""Pairs of boxes in files, on a dask cluster: two workers on this machine stand for the many of a real one.

usage: python3 dask_cluster.py FOLDER [COUNT]

FOLDER must be one that all workers see. If the run is ended, the same call goes on where it was.
"""

import pathlib
import sys

import numpy as np
from distributed import Client, LocalCluster

import broadside
from broadside import distributed as tiles


def main(folder, count):
    # Files of boxes, as another program would have written them.
    rng = np.random.default_rng(1)
    files = [folder / f"boxes_{i}.npy" for i in range(4)]
    for path in files:
        low = rng.random((count // 4, 3), dtype=np.float32) * 100
        np.save(path, np.hstack((low, low + 0.5)))

    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster, \
            Client(cluster) as client:
        # Small tiles show more of them; on a cluster the default suits.
        result = tiles.find_pairs(files, out=folder / "pairs", client=client, tile_boxes=max(1000, count // 10))
    print(f"{result.count} pairs in {result.tile_count} tiles")

    # The pairs stay in files, a part for each tile.
    assert sum(len(part) for part in result.parts()) == result.count
    # They are those of one call, by a hash that does not depend on how they were found.
    boxes = np.concatenate([np.load(path) for path in files])
    assert result.hash == tiles.hash_of_pairs(broadside.find_pairs(boxes))


# Workers are processes, which import this file.
if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20_000)
