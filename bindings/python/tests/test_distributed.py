"""broadside.distributed in this process and with two workers on the loopback, one of which is killed."""

import os
import signal
import time

import numpy as np
import pytest

import broadside
from broadside import distributed as tiles


def scene(count, axes, dtype, seed=1, clustered=False):
    rng = np.random.default_rng(seed)
    low = rng.random((count, axes)) * 100
    if clustered:
        low[: count // 2] = 50 + low[: count // 2] * 1e-3
    size = rng.random((count, axes)) * (0.05 if clustered else 4)
    size[:: max(1, count // 5)] = 80
    return np.hstack((low, low + size)).astype(dtype)


def check(result, expected):
    assert result.all_pairs().tolist() == expected.astype(np.int64).tolist()
    assert result.count == len(expected) and result.hash == tiles.hash_of_pairs(expected)


@pytest.mark.parametrize("dtype", (np.float32, np.float64, np.int64))
@pytest.mark.parametrize("axes", (2, 3))
def test_tiles_find_what_one_call_finds(tmp_path, dtype, axes):
    boxes = scene(3000, axes, dtype)
    expected = broadside.find_pairs(boxes)
    result = tiles.find_pairs(boxes, out=tmp_path / "one", tile_boxes=200, block_boxes=700)
    assert result.tile_count > 10 and len(expected) > 500
    check(result, expected)
    others = scene(1500, axes, dtype, seed=2)
    check(tiles.find_pairs(boxes, others, out=tmp_path / "two", tile_boxes=300),
          broadside.find_pairs(boxes, others))
    check(tiles.query(boxes, others[:40], out=tmp_path / "query", tile_boxes=300),
          broadside.find_pairs(others[:40], boxes))


def test_files_one_after_the_other_and_dask_arrays(tmp_path):
    boxes = scene(2000, 3, np.float32)
    expected = broadside.find_pairs(boxes)
    for i in range(4):
        np.save(tmp_path / f"{i}.npy", boxes[500 * i:500 * i + 500])
    paths = [tmp_path / f"{i}.npy" for i in range(4)]
    check(tiles.find_pairs(paths, out=tmp_path / "files", tile_boxes=300), expected)
    dask_array = pytest.importorskip("dask.array")
    chunked = dask_array.from_array(boxes, chunks=(600, 2))
    check(tiles.find_pairs(chunked, out=tmp_path / "dask", tile_boxes=300), expected)


def test_overfull_tiles_are_cut_again(tmp_path, monkeypatch):
    boxes = scene(4000, 2, np.float64, clustered=True)
    # A sample that knows nothing of the cluster.
    monkeypatch.setattr(tiles, "_sample", lambda files, total, wanted: scene(500, 2, np.float64, seed=9))
    stages = []
    result = tiles.find_pairs(boxes, out=tmp_path, tile_boxes=250,
                              progress=lambda stage, done, total: stages.append(stage))
    assert "cut again" in stages and result.tile_count > 16
    check(result, broadside.find_pairs(boxes))


def test_boxes_in_one_place_cannot_be_cut(tmp_path):
    boxes = np.tile(np.array([[1.0, 2, 3, 4]]), (300, 1))
    check(tiles.find_pairs(boxes, out=tmp_path, tile_boxes=50), broadside.find_pairs(boxes))


def test_a_run_goes_on_where_it_was(tmp_path, monkeypatch):
    boxes = scene(3000, 3, np.float32)
    search, searched = tiles._search, []

    def failing(*arguments):
        if len(searched) == 4:
            raise RuntimeError("the machine is gone")
        searched.append(arguments[2])
        return search(*arguments)

    monkeypatch.setattr(tiles, "_search", failing)
    with pytest.raises(RuntimeError):
        tiles.find_pairs(boxes, out=tmp_path, tile_boxes=200, keep_tiles=True)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "pairs").glob("*.npy")}
    assert len(files) == 4
    monkeypatch.setattr(tiles, "_search", search)
    result = tiles.find_pairs(boxes, out=tmp_path, tile_boxes=200)
    assert all(path.stat().st_mtime_ns == before for path, before in files.items())
    check(result, broadside.find_pairs(boxes))
    with pytest.raises(ValueError, match="another call"):
        tiles.find_pairs(boxes, out=tmp_path, tile_boxes=100)


def test_what_is_refused(tmp_path):
    boxes = scene(100, 2, np.float64)
    boxes[70, 0] = np.nan
    with pytest.raises(ValueError, match="row 20 .*NaN") as caught:
        tiles.find_pairs(boxes, out=tmp_path / "nan", block_boxes=50)
    # An argument that this call does not have.
    assert "invalid=" not in str(caught.value)
    with pytest.raises(TypeError, match="different types"):
        tiles.find_pairs(np.zeros((1, 4)), np.zeros((1, 6)), out=tmp_path / "types")


def test_two_workers_and_one_that_is_killed(tmp_path):
    distributed = pytest.importorskip("distributed")
    boxes = scene(60_000, 3, np.float32)
    np.save(tmp_path / "boxes.npy", boxes)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
                                  dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        assert len(set(pids)) == 2
        killed = []

        def kill_one(stage, done, total):
            if stage == "search" and done > total // 3 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)
                time.sleep(0.1)

        result = tiles.find_pairs(tmp_path / "boxes.npy", out=tmp_path / "out", client=client, tile_boxes=3000,
                                  block_boxes=10_000, progress=kill_one)
        assert killed
    check(result, broadside.find_pairs(boxes))
