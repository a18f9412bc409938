"""The package beside shapely, rtree and scipy, interleaved; every answer is compared before it is timed.

Medians in milliseconds of processor time, for nobody here uses more than one thread, and how many times as long as broadside
the others take.
"""

import argparse
import statistics
import time
import timeit

import numpy as np

import broadside


def optional(name):
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        print(f"no {name} here: left out")
        return None


def scene(count, axes, dtype):
    """Cubes that overlap two others or so each."""
    rng = np.random.default_rng(1)
    low = rng.random((count, axes))
    edge = (2.0 / count) ** (1.0 / axes) / 2
    return np.hstack((low, low + edge)).astype(dtype), edge


def race(title, repetitions, **contestants):
    times = {name: [] for name in contestants}
    for _ in range(repetitions):
        for name, call in contestants.items():
            start = time.process_time()
            call()
            times[name].append(1e3 * (time.process_time() - start))
    medians = {name: statistics.median(each) for name, each in times.items()}
    ours = medians["broadside"]
    others = ", ".join(f"{name} {ms:.1f} ({ms / ours:.1f}x)" for name, ms in medians.items() if name != "broadside")
    print(f"{title}: broadside {ours:.2f}; {others}", flush=True)


def same_pairs(ours, theirs):
    theirs = np.sort(np.asarray(theirs, dtype=np.int64).reshape(-1, 2), axis=1)
    theirs = theirs[np.lexsort((theirs[:, 1], theirs[:, 0]))]
    assert np.array_equal(ours, theirs), "the answers differ"


def all_pairs(count, repetitions, spatial):
    for axes in (2, 3):
        boxes, edge = scene(count, axes, np.float64)
        floats = boxes.astype(np.float32)
        others = {"float32": lambda: broadside.find_pairs(floats),
                  "int64": lambda whole=(boxes * 2**40).astype(np.int64): broadside.find_pairs(whole)}
        if spatial is not None:
            # Cubes of one size are points with a distance; whether two that touch are a pair is rounding there.
            def kd_tree():
                return spatial.cKDTree(boxes[:, :axes]).query_pairs(edge, p=np.inf, output_type="ndarray")

            ours = broadside.find_pairs(boxes)
            assert abs(len(kd_tree()) - len(ours)) <= 2
            others["scipy cKDTree.query_pairs"] = kd_tree
        race(f"all pairs of {count} boxes, {axes} axes, float64", repetitions,
             broadside=lambda: broadside.find_pairs(boxes), **others)


def queries(count, repetitions, strtree, geometry, index):
    boxes, _ = scene(count, 2, np.float64)
    asked = boxes[: count // 10]
    tree = broadside.BoxTree(boxes)
    ours = tree.query(asked)
    others = {}
    if strtree is not None:
        shapes = [geometry.box(*row) for row in boxes]
        theirs = strtree.STRtree(shapes)
        places = {id(shape): i for i, shape in enumerate(shapes)}
        found = [(i, places[id(shape)]) for i in range(200) for shape in theirs.query(shapes[i])]
        assert sorted(found) == ours.T[ours[0] < 200].tolist() or sorted(map(list, found)) == ours.T[
            ours[0] < 200].tolist(), "the answers differ"
        others["shapely STRtree.query"] = lambda: [theirs.query(shapes[i]) for i in range(len(asked))]
    if index is not None:
        rtree = index.Index((i, tuple(row), None) for i, row in enumerate(boxes.tolist()))
        found = sorted((i, j) for i in range(200) for j in rtree.intersection(tuple(boxes[i])))
        assert [list(pair) for pair in found] == ours.T[ours[0] < 200].tolist(), "the answers differ"
        others["rtree intersection"] = lambda: [list(rtree.intersection(tuple(row))) for row in asked.tolist()]
    race(f"{len(asked)} boxes asked of a tree of {count}, 2 axes, float64", repetitions,
         broadside=lambda: tree.query(asked), **others)
    building = {}
    if strtree is not None:
        building["shapely STRtree"] = lambda: strtree.STRtree(shapes).query(shapes[0])
    if index is not None and count <= 20_000:
        building["rtree"] = lambda: index.Index((i, tuple(row), None) for i, row in enumerate(boxes.tolist()))
    race(f"a tree of {count} boxes built", max(3, repetitions // 3), broadside=lambda: broadside.BoxTree(boxes),
         **building)


def nearest(count, repetitions, spatial):
    """Boxes that are points, the one kind that a tree of points knows."""
    rng = np.random.default_rng(3)
    points = rng.random((count, 3)).astype(np.float32)
    asked = rng.random((count // 10, 3)).astype(np.float32)
    tree = broadside.BoxTree((points, points))
    others = {}
    if spatial is not None:
        theirs = spatial.cKDTree(points)
        distances, indices = tree.nearest(asked, 8)
        expected, _ = theirs.query(asked, 8)
        assert np.allclose(distances, expected, rtol=1e-5), "the answers differ"
        others["scipy cKDTree.query"] = lambda: theirs.query(asked, 8)
    race(f"8 nearest of {count} points for {len(asked)}", repetitions, broadside=lambda: tree.nearest(asked, 8), **others)


def rays(count, repetitions, ray):
    boxes, _ = scene(count, 3, np.float32)
    tree = broadside.BoxTree(boxes)
    rng = np.random.default_rng(2)
    origins = rng.random((count, 3)).astype(np.float32)
    directions = rng.normal(size=(count, 3)).astype(np.float32)
    others = {"any": lambda: tree.intersects_any(origins, directions)}
    if ray is not None:
        print("trimesh casts rays at meshes of triangles; a mesh of boxes would be another question")
    race(f"{count} rays, the first of {count} boxes", repetitions,
         broadside=lambda: tree.intersects_first(origins, directions), **others)


def single_calls(repetitions):
    """Calls of one box, point or ray, as an array and as a list: the least of some thousands, in microseconds."""
    boxes, _ = scene(10_000, 3, np.float32)
    world = broadside.World()
    handle = world.add(boxes)[5]
    world.update()
    world.any(boxes)
    corners = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]], dtype=np.float32)
    mesh = broadside.TriangleMesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    box, point, way = boxes[5], boxes[7, :3], np.float32([0.3, 0.2, 0.1])
    tree = broadside.BoxTree(boxes)
    asked = {"BoxTree": tree, "BoxTree of float64": broadside.BoxTree(boxes.astype(float)), "World": world,
             "WorldView": world.view(), "TriangleMesh": mesh, "MeshScene": broadside.MeshScene([mesh])}
    calls = {("BoxTree", "set_box"): (lambda *a: tree.set_box(5, *a), (box,)),
             ("World", "set_boxes"): (lambda *a: world.set_boxes(handle, *a), (box,))}
    for kind, one in asked.items():
        for name, arguments in (("query", (box,)), ("any", (box,)), ("nearest", (point,)), ("intersects_first", (point, way)),
                                ("contains", (point,)), ("closest_point", (point,)), ("signed_distance", (point,))):
            if hasattr(one, name):
                calls[kind, name] = getattr(one, name), arguments
    for (kind, name), (call, arguments) in sorted(calls.items(), key=lambda each: each[0][1].startswith("set")):
        least = [1e3 * min(timeit.repeat(lambda given=given: call(*given), number=1000, repeat=repetitions))
                 for given in (arguments, [each.tolist() for each in arguments])]
        print(f"{name} of one, {kind}: array {least[0]:.2f} us, list {least[1]:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few boxes, few repetitions")
    arguments = parser.parse_args()
    count, repetitions = (5_000, 3) if arguments.quick else (100_000, 9)
    print(broadside.config_string())
    single_calls(repetitions)
    all_pairs(count, repetitions, optional("scipy.spatial"))
    if not arguments.quick:
        all_pairs(1_000_000, 3, None)
    queries(count, repetitions, optional("shapely.strtree"), optional("shapely.geometry"), optional("rtree.index"))
    nearest(count, repetitions, optional("scipy.spatial"))
    rays(count, repetitions, optional("trimesh.ray"))


if __name__ == "__main__":
    main()
