"""Pairs of boxes that no memory holds, and on more than one machine, by dask.distributed.

Space is cut into tiles by a sample of the boxes. Every box goes into each tile that it reaches into, and every tile is
searched by itself. Of two boxes that overlap, the corner that is the larger of their min corners lies in both, and in
exactly one tile: that tile reports the pair, so each is reported once. A tile that holds more than was meant is cut
again. What a task writes is there whole or not at all, so that a run that was ended, or a worker that was, is made up
for from where it was.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from ._arrays import Boxes, as_boxes, describe_row
from ._pairs import find_pairs as _find_pairs
from ._pairs import release_memory

Progress = Callable[[str, int, int], None]
Path = Union[str, "os.PathLike[str]"]

_SAMPLE_PER_TILE = 256

# (axis, whether a corner is at the number or above it, else below) and the number.
Bounds = Dict[Tuple[int, bool], Any]
# Boxes of a tile in a file of scattered boxes: the set, the name of the file, the first row and the end.
Slice = Tuple[int, str, int, int]
Slices = Dict[str, List[Slice]]


@dataclasses.dataclass(frozen=True)
class Result:
    """What a run found: a file of pairs for each tile."""

    folder: pathlib.Path
    files: List[pathlib.Path]
    count: int
    hash: int
    tile_count: int
    moved_bytes: int

    def parts(self) -> Iterator[NDArray[np.int64]]:
        """The pairs of one tile after the other, (k, 2), memory-mapped; in no order over tiles."""
        for file in self.files:
            yield np.load(file, mmap_mode="r")

    def all_pairs(self) -> NDArray[np.int64]:
        """All of them in memory, ascending as `broadside.find_pairs` has them."""
        pairs = np.concatenate([np.asarray(part) for part in self.parts()] or [np.empty((0, 2), np.int64)])
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        return np.asarray(pairs[order], dtype=np.int64)


def hash_of_pairs(pairs: NDArray[Any]) -> int:
    """The same for the same set of pairs in any order and any parts, whose hashes add up modulo 2**64."""
    with np.errstate(over="ignore"):
        first = pairs[:, 0].astype(np.uint64)
        second = pairs[:, 1].astype(np.uint64)
        mixed = (first * np.uint64(0x9E3779B97F4A7C15)) ^ (second * np.uint64(0xC2B2AE3D27D4EB4F) + np.uint64(1))
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
        return int(mixed.sum(dtype=np.uint64))


def find_pairs(a: Any, b: Any = None, *, out: Path, client: Any = None, tile_boxes: int = 1_000_000,
               block_boxes: int = 1_000_000, progress: Union[None, bool, Progress] = None,
               keep_tiles: bool = False) -> Result:
    """All pairs of overlapping boxes of `a`, or of one of `a` and one of `b`, into files.

    Boxes are the path of a `.npy` file, a list of such (one set, one file after the other), a NumPy array or a dask
    array, of (n, 6) or (n, 4). All parts have one type, in which overlap is decided exactly. Indices in pairs are those
    of the whole set; within one set the smaller one first.

    Parameters
    ----------
    out : a folder that the scheduler and all workers see. A run that finds its own unfinished work there goes on.
    client : a `distributed.Client`; None does everything in this process.
    tile_boxes : boxes that a tile is meant to hold: a worker needs some 250 bytes for each. A tile with twice as many is
        cut again.
    block_boxes : boxes that are read at a time.
    progress : True prints a line for each step that is done, a function is called with (stage, done, total).
    keep_tiles : leaves the boxes of the tiles behind.
    """
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    run = _Run(client, _progress(progress))
    sets = [_as_files(each, folder, name, run) for each, name in ((a, "a"), (b, "b")) if each is not None]
    plan = _load_or_make_plan(folder, sets, int(tile_boxes), int(block_boxes))
    blocks = [(s, block) for s, files in enumerate(plan["sets"]) for block in _blocks(files, plan["block_boxes"])]
    scattered = run.map("scatter", _scatter, [(str(folder), s, block) for s, block in blocks])
    moved_bytes = sum(size for _, size in scattered)
    tiles, cut_bytes = _cut_overfull(run, folder, plan, _by_tile(slices for slices, _ in scattered))
    found = run.map("search", _search, [(str(folder), name, len(sets), *tile) for name, tile in sorted(tiles.items())])
    files = [pathlib.Path(file) for file, count, _, _ in found if count]
    result = Result(folder, files, sum(count for _, count, _, _ in found),
                    sum(each for _, _, each, _ in found) % 2 ** 64, len(tiles),
                    moved_bytes + cut_bytes + sum(size for _, _, _, size in found))
    _write_json(folder / "result.json", {"count": result.count, "hash": result.hash, "tiles": result.tile_count,
                                         "moved_bytes": result.moved_bytes})
    if not keep_tiles:
        shutil.rmtree(folder / "tiles", ignore_errors=True)
    return result


def query(boxes: Any, queries: Any, *, out: Path, **settings: Any) -> Result:
    """The boxes that each query overlaps: pairs (query, box)."""
    return find_pairs(queries, boxes, out=out, **settings)


class _Run:
    """Tasks on a cluster, or here."""

    def __init__(self, client: Any, progress: Progress) -> None:
        self._client = client
        self._progress = progress

    def map(self, stage: str, task: Callable[..., Any], arguments: Sequence[Tuple[Any, ...]]) -> List[Any]:
        total = len(arguments)
        results: List[Any] = [None] * total
        if self._client is None:
            for i, each in enumerate(arguments):
                results[i] = task(*each)
                self._progress(stage, i + 1, total)
            return results
        from distributed import as_completed

        # A task of which a worker died is given to another one; its files are whole or not there.
        futures = [self._client.submit(task, *each, pure=False) for each in arguments]
        place = {future.key: i for i, future in enumerate(futures)}
        for done, future in enumerate(as_completed(futures), 1):  # type: ignore[no-untyped-call]
            results[place[future.key]] = future.result()
            self._progress(stage, done, total)
        return results


def _progress(progress: Union[None, bool, Progress]) -> Progress:
    if callable(progress):
        return progress
    if progress:
        return lambda stage, done, total: print(f"broadside: {stage} {done}/{total}", flush=True)
    return lambda stage, done, total: None


# Files.

def _write_json(path: pathlib.Path, value: Any) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(value))
    unfinished.replace(path)


def _write_array(path: pathlib.Path, array: NDArray[Any]) -> int:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with open(unfinished, "wb") as file:
        np.save(file, array)
    unfinished.replace(path)
    return int(array.nbytes)


def _save_block(block: NDArray[Any], path: str) -> str:
    if not os.path.exists(path):
        _write_array(pathlib.Path(path), block)
    return path


def _as_files(boxes: Any, folder: pathlib.Path, name: str, run: _Run) -> List[str]:
    if isinstance(boxes, (str, os.PathLike)):
        return [str(pathlib.Path(boxes).resolve())]
    if isinstance(boxes, (list, tuple)) and all(isinstance(each, (str, os.PathLike)) for each in boxes):
        return [str(pathlib.Path(each).resolve()) for each in boxes]
    (folder / "input").mkdir(exist_ok=True)
    if hasattr(boxes, "to_delayed"):
        rows = boxes.rechunk({1: -1})
        delayed = rows.to_delayed().reshape(-1)
        paths = [str((folder / "input" / f"{name}-{i}.npy").resolve()) for i in range(len(delayed))]
        import dask

        save = dask.delayed(_save_block)  # type: ignore[attr-defined]
        missing = [save(block, path) for block, path in zip(delayed, paths) if not os.path.exists(path)]
        if run._client is None:
            dask.compute(*missing, scheduler="synchronous")  # type: ignore[attr-defined]
        else:
            run._client.gather(run._client.compute(missing))
        return paths
    path = (folder / "input" / f"{name}.npy").resolve()
    return [_save_block(np.asarray(boxes), str(path))]


def _blocks(files: Sequence[Dict[str, Any]], block_boxes: int) -> List[Dict[str, Any]]:
    blocks = []
    for file in files:
        for begin in range(0, file["count"], block_boxes):
            blocks.append({"path": file["path"], "begin": begin, "first": file["first"] + begin,
                           "end": min(begin + block_boxes, file["count"])})
    return blocks


# The plan: which files, and a tree of splits, whose leaves are tiles. A split is [axis, number, below, above], a leaf
# its name. What lies at the number is above it.

def _load_or_make_plan(folder: pathlib.Path, sets: List[List[str]], tile_boxes: int,
                       block_boxes: int) -> Dict[str, Any]:
    described: List[List[Dict[str, Any]]] = []
    shapes = set()
    for paths in sets:
        first = 0
        files = []
        for path in paths:
            array = np.load(path, mmap_mode="r")
            if array.ndim != 2 or array.shape[1] not in (4, 6):
                raise ValueError(f"{path}: shape {array.shape}; wanted (n, 6) or (n, 4)")
            shapes.add((str(array.dtype), array.shape[1]))
            files.append({"path": path, "count": int(array.shape[0]), "first": first,
                          "changed": os.stat(path).st_mtime_ns})
            first += int(array.shape[0])
        described.append(files)
    if len(shapes) != 1:
        raise TypeError(f"files of different types or shapes: {sorted(shapes)}")
    wanted = {"sets": described, "tile_boxes": tile_boxes, "block_boxes": block_boxes}
    if (folder / "plan.json").exists():
        plan = _read_plan(folder)
        if {key: plan.get(key) for key in wanted} == wanted:
            return plan
        raise ValueError(f"out: {folder} holds the work of another call; name another folder, or remove it")
    total = sum(file["count"] for files in described for file in files)
    tile_count = max(1, -(-total // tile_boxes))
    sample = _sample([file for files in described for file in files], total, tile_count * _SAMPLE_PER_TILE)
    plan = {**wanted, "tree": _split(sample, "t", tile_count)}
    _write_json(folder / "plan.json", plan)
    return plan


def _read_plan(folder: Path) -> Dict[str, Any]:
    plan: Dict[str, Any] = json.loads((pathlib.Path(folder) / "plan.json").read_text())
    return plan


def _sample(files: Sequence[Dict[str, Any]], total: int, wanted: int) -> NDArray[Any]:
    rng = np.random.default_rng(1)
    samples = []
    for file in files:
        array = np.load(file["path"], mmap_mode="r")
        count = min(file["count"], max(1, wanted * file["count"] // max(total, 1))) if file["count"] else 0
        samples.append(np.asarray(array[np.sort(rng.integers(0, max(file["count"], 1), count))]))
    return np.concatenate(samples)


def _split(boxes: NDArray[Any], name: str, tile_count: int) -> Any:
    """A tree of about so many tiles, each axis cut at the median of where boxes begin, the widest first."""
    axes = boxes.shape[1] // 2
    begins = boxes[:, :axes]
    begins = begins[np.isfinite(begins).all(axis=1)]
    if tile_count < 2 or len(begins) < 4:
        return name
    spread = np.quantile(begins.astype(np.float64), [0.1, 0.9], axis=0)
    for axis in np.argsort(spread[0] - spread[1], kind="stable"):
        number = np.sort(begins[:, axis])[len(begins) // 2]
        below = begins[:, axis] < number
        if below.any():
            left = boxes[boxes[:, axis] < number]
            right = boxes[boxes[:, axis] >= number]
            half = tile_count // 2
            return [int(axis), number.item(), _split(left, name + "0", half), _split(right, name + "1", tile_count - half)]
    return name


def _leaves(tree: Any, bounds: Bounds) -> Iterator[Tuple[str, Bounds]]:
    """Each tile with what a corner in it keeps."""
    if isinstance(tree, str):
        yield tree, bounds
        return
    axis, number, below, above = tree
    # A tile that is cut again may be cut where boxes begin that reach into it, outside of its bounds.
    yield from _leaves(below, {**bounds, (axis, False): min(number, bounds.get((axis, False), number))})
    yield from _leaves(above, {**bounds, (axis, True): max(number, bounds.get((axis, True), number))})


def _reached(tree: Any, boxes: NDArray[Any], rows: NDArray[np.intp]) -> Iterator[Tuple[str, NDArray[np.intp]]]:
    if len(rows) == 0:
        return
    if isinstance(tree, str):
        yield tree, rows
        return
    axis, number, below, above = tree
    axes = boxes.shape[1] // 2
    number = boxes.dtype.type(number)
    yield from _reached(below, boxes, rows[boxes[rows, axis] < number])
    yield from _reached(above, boxes, rows[boxes[rows, axis + axes] >= number])


# Tasks. What one of them scatters stands in one file, tile by tile: as many files as tasks, not as tasks and tiles.

def _scattered(folder: str, which: int, name: str, what: str) -> pathlib.Path:
    return pathlib.Path(folder) / "tiles" / f"{which}-{name}.{what}.npy"


def _write_scattered(folder: str, tree: Any, which: int, name: str, boxes: NDArray[Any],
                     indices: NDArray[np.int64]) -> Tuple[Slices, int]:
    (pathlib.Path(folder) / "tiles").mkdir(exist_ok=True)
    slices: Slices = {}
    order = [np.empty(0, np.intp)]
    end = 0
    for tile, rows in _reached(tree, boxes, np.arange(len(boxes))):
        slices[tile] = [(which, name, end, end + len(rows))]
        end += len(rows)
        order.append(rows)
    rows = np.concatenate(order)
    written = _write_array(_scattered(folder, which, name, "boxes"), boxes[rows])
    return slices, written + _write_array(_scattered(folder, which, name, "indices"), indices[rows])


def _by_tile(scattered: Iterable[Slices]) -> Slices:
    together: Slices = {}
    for slices in scattered:
        for tile, each in slices.items():
            together.setdefault(tile, []).extend(each)
    return together


def _box_count(slices: Sequence[Slice]) -> int:
    return sum(end - begin for _, _, begin, end in slices)


def _done(folder: str, kind: str, name: str) -> pathlib.Path:
    marks = pathlib.Path(folder) / "done"
    marks.mkdir(exist_ok=True)
    return marks / f"{kind}-{name}.json"


def _scatter(folder: str, which: int, block: Dict[str, Any]) -> Tuple[Slices, int]:
    """A block of boxes into the tiles: where those of each stand, and how many bytes."""
    name = str(block["first"])
    mark = _done(folder, "scatter", f"{which}-{name}")
    if mark.exists():
        slices, written = json.loads(mark.read_text())
        return slices, written
    rows = np.load(block["path"], mmap_mode="r")[block["begin"]:block["end"]]
    boxes = as_boxes(np.ascontiguousarray(rows), f"{block['path']}, rows from {block['begin']} on")
    own = np.hstack((boxes.min, boxes.max))
    bad = _invalid_row(boxes)
    if bad is not None:
        raise ValueError(describe_row(boxes, bad, f"{block['path']}, rows from {block['begin']} on", "; such rows must be left out"))
    indices = np.arange(block["first"], block["first"] + len(own), dtype=np.int64)
    slices, written = _write_scattered(folder, _read_plan(folder)["tree"], which, name, own, indices)
    _write_json(mark, [slices, written])
    return slices, written


def _invalid_row(boxes: Boxes) -> Optional[int]:
    bad = ~(boxes.min <= boxes.max)
    if boxes.dtype.kind == "f":
        bad |= (boxes.min == np.inf) | (boxes.max == -np.inf)
    rows = np.flatnonzero(bad.any(axis=1))
    return int(rows[0]) if len(rows) else None


def _load_tile(folder: str, slices: Sequence[Slice], wanted: int) -> Tuple[Optional[NDArray[Any]], NDArray[np.int64]]:
    """The boxes of a tile of one set, ascending by index as the slices are; None without any."""
    own = [(name, begin, end) for which, name, begin, end in slices if which == wanted]
    if not own:
        return None, np.empty(0, np.int64)

    def load(what: str) -> NDArray[Any]:
        return np.concatenate([np.load(_scattered(folder, wanted, name, what), mmap_mode="r")[begin:end]
                               for name, begin, end in own])

    return load("boxes"), load("indices")


def _cut(folder: str, tile: str, set_count: int, tile_boxes: int,
         slices: Sequence[Slice]) -> Tuple[Any, Slices, int]:
    """An overfull tile in smaller ones: its tree, where their boxes stand and the bytes. Its name alone when nothing
    helps."""
    mark = _done(folder, "cut", tile)
    if mark.exists():
        known = json.loads(mark.read_text())
        return known[0], known[1], known[2]
    loaded = [_load_tile(folder, slices, which) for which in range(set_count)]
    present = [boxes for boxes, _ in loaded if boxes is not None]
    count = _box_count(slices)
    rng = np.random.default_rng(2)
    sample = np.concatenate([boxes[rng.integers(0, len(boxes), min(len(boxes), 4096))] for boxes in present])
    tree = _split(sample, tile + "x", -(-count // tile_boxes))
    sizes: Dict[str, int] = {}
    for boxes in present:
        for name, rows in _reached(tree, boxes, np.arange(len(boxes))):
            sizes[name] = sizes.get(name, 0) + len(rows)
    parts: List[Slices] = []
    written = 0
    if isinstance(tree, str) or max(sizes.values()) > 0.9 * count:
        tree = tile
    else:
        for which, (tile_of_set, indices) in enumerate(loaded):
            if tile_of_set is not None:
                part, size = _write_scattered(folder, tree, which, tile, tile_of_set, indices)
                parts.append(part)
                written += size
    together = _by_tile(parts)
    _write_json(mark, [tree, together, written])
    return tree, together, written


def _cut_overfull(run: _Run, folder: pathlib.Path, plan: Dict[str, Any],
                  scattered: Slices) -> Tuple[Dict[str, Tuple[Bounds, List[Slice]]], int]:
    """Tiles with boxes in them, none of which can be cut again with profit, and the bytes that this moved."""
    bounds = dict(_leaves(plan["tree"], {}))
    set_count, tile_boxes = len(plan["sets"]), plan["tile_boxes"]
    written = 0
    final: Dict[str, Tuple[Bounds, List[Slice]]] = {}
    pending = scattered
    while pending:
        full = {tile: each for tile, each in sorted(pending.items()) if _box_count(each) > 2 * tile_boxes}
        final.update({tile: (bounds[tile], each) for tile, each in pending.items() if tile not in full})
        results = run.map("cut again", _cut, [(str(folder), tile, set_count, tile_boxes, each)
                                              for tile, each in full.items()])
        pending = {}
        for (tile, each), (tree, parts, size) in zip(full.items(), results):
            written += size
            if tree == tile:
                final[tile] = (bounds[tile], each)
                continue
            bounds.update(_leaves(tree, bounds[tile]))
            pending.update(parts)
    return final, written


def _search(folder: str, tile: str, set_count: int, bounds: Bounds,
            slices: Sequence[Slice]) -> Tuple[str, int, int, int]:
    """The pairs that a tile owns, into its file: the file, their number, their hash, its bytes."""
    target = pathlib.Path(folder) / "pairs"
    target.mkdir(exist_ok=True)
    file = target / f"{tile}.npy"
    mark = _done(folder, "search", tile)
    if mark.exists():
        count, digest, size = json.loads(mark.read_text())
        return str(file), count, digest, size
    boxes_a, indices_a = _load_tile(folder, slices, 0)
    boxes_b, indices_b = _load_tile(folder, slices, 1) if set_count == 2 else (boxes_a, indices_a)
    pairs = np.empty((0, 2), np.int64)
    if boxes_a is not None and boxes_b is not None:
        found = _find_pairs(boxes_a, boxes_b if set_count == 2 else None, sort=False)
        owned = np.ones(len(found), dtype=np.bool_)
        for axis in sorted({axis for axis, _ in bounds}):
            corner = np.maximum(boxes_a[found[:, 0], axis], boxes_b[found[:, 1], axis])
            if (axis, True) in bounds:
                owned &= corner >= corner.dtype.type(bounds[axis, True])
            if (axis, False) in bounds:
                owned &= corner < corner.dtype.type(bounds[axis, False])
        found = found[owned]
        pairs = np.column_stack((indices_a[found[:, 0]], indices_b[found[:, 1]]))
    release_memory()
    size = _write_array(file, pairs)
    digest = hash_of_pairs(pairs)
    _write_json(mark, [len(pairs), digest, size])
    return str(file), len(pairs), digest, size
