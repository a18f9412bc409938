"""The package beside shapely, rtree and scipy, interleaved; every result is compared before it is timed.

Prints medians in milliseconds of processor time, because every call uses one thread, and how many times as long as broadside
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
    assert np.array_equal(ours, theirs), "the results differ"


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
    queried = boxes[: count // 10]
    tree = broadside.BoxTree(boxes)
    ours = tree.query(queried)
    others = {}
    if strtree is not None:
        shapes = [geometry.box(*row) for row in boxes]
        theirs = strtree.STRtree(shapes)
        numbers = {id(shape): i for i, shape in enumerate(shapes)}
        found = [(i, numbers[id(shape)]) for i in range(200) for shape in theirs.query(shapes[i])]
        assert sorted(found) == ours.T[ours[0] < 200].tolist() or sorted(map(list, found)) == ours.T[
            ours[0] < 200].tolist(), "the results differ"
        others["shapely STRtree.query"] = lambda: [theirs.query(shapes[i]) for i in range(len(queried))]
    if index is not None:
        rtree = index.Index((i, tuple(row), None) for i, row in enumerate(boxes.tolist()))
        found = sorted((i, j) for i in range(200) for j in rtree.intersection(tuple(boxes[i])))
        assert [list(pair) for pair in found] == ours.T[ours[0] < 200].tolist(), "the results differ"
        others["rtree intersection"] = lambda: [list(rtree.intersection(tuple(row))) for row in queried.tolist()]
    race(f"{len(queried)} queries to a tree of {count}, 2 axes, float64", repetitions,
         broadside=lambda: tree.query(queried), **others)
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
    queried = rng.random((count // 10, 3)).astype(np.float32)
    tree = broadside.BoxTree((points, points))
    others = {}
    if spatial is not None:
        theirs = spatial.cKDTree(points)
        distances, indices = tree.nearest(queried, 8)
        expected, _ = theirs.query(queried, 8)
        assert np.allclose(distances, expected, rtol=1e-5), "the results differ"
        others["scipy cKDTree.query"] = lambda: theirs.query(queried, 8)
    race(f"8 nearest of {count} points for {len(queried)}", repetitions, broadside=lambda: tree.nearest(queried, 8), **others)


def rays(count, repetitions, ray):
    boxes, _ = scene(count, 3, np.float32)
    tree = broadside.BoxTree(boxes)
    rng = np.random.default_rng(2)
    origins = rng.random((count, 3)).astype(np.float32)
    directions = rng.normal(size=(count, 3)).astype(np.float32)
    others = {"any": lambda: tree.intersects_any(origins, directions)}
    if ray is not None:
        print("trimesh casts rays at meshes of triangles; a mesh of boxes would be another query")
    race(f"{count} rays, the first of {count} boxes", repetitions,
         broadside=lambda: tree.intersects_first(origins, directions), **others)


def ball(rings):
    """A closed sphere of 4 * rings * (rings - 1) triangles."""
    segments = 2 * rings
    up, around = np.meshgrid(np.pi * np.arange(1, rings) / rings, np.pi * np.arange(segments) / rings, indexing="ij")
    sides = np.stack((np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up)), axis=-1).reshape(-1, 3)
    corners = np.vstack((sides, [[0, 0, 1], [0, 0, -1]]))
    i, j = np.meshgrid(np.arange(rings - 2), np.arange(segments), indexing="ij")
    a, b = (i * segments + j).ravel(), (i * segments + (j + 1) % segments).ravel()
    ring, after, last = np.arange(segments), (np.arange(segments) + 1) % segments, (rings - 2) * segments
    top, bottom = len(corners) - 2, len(corners) - 1
    faces = [(a, a + segments, b + segments), (a, b + segments, b), (np.full(segments, top), ring, after),
             (np.full(segments, bottom), last + after, last + ring)]
    return corners, np.vstack([np.stack(each, axis=1) for each in faces])


def single_calls(repetitions):
    """Calls of one box, point, ray, shape or object, in microseconds: the least mean of 200 calls. A table of arguments that are
    arrays, then the most that a list or tuple adds."""
    boxes, _ = scene(10_000, 3, np.float32)
    world = broadside.World()
    handles = world.add(boxes)
    world.update()
    world.any(boxes)
    mesh = broadside.TriangleMesh(*ball(50))
    targets = {"BoxTree": broadside.BoxTree(boxes), "float64": broadside.BoxTree(boxes.astype(float)), "World": world,
               "WorldView": world.view(), "TriangleMesh": mesh, "MeshScene": broadside.MeshScene([mesh])}
    box, point, way = boxes[5], boxes[7, :3], np.float32([0.3, 0.2, 0.1])
    ray, handle, number = (point, way), (handles[5],), np.int64(5)
    step, fixed, masked = way / 10, broadside.Where(kinds=["moving"]), broadside.Where(masks=3)
    worlds, trees = ("World", "WorldView"), ("BoxTree", "float64")
    floats = tuple(set(targets) - {"float64"})
    moving = ("BoxTree",) + worlds
    calls = (("query", (box,), lambda x, a: x.query(a), targets),
             ("query of one sphere", (point,), lambda x, a: x.query(broadside.Spheres(a, 0.01)), floats),
             ("query where", (box,), lambda x, a: x.query(a, where=fixed), worlds),
             ("query of a mask", (box,), lambda x, a: x.query(a, where=masked), worlds),
             ("intersection_v", (box[:3], box[3:]), lambda x, a, b: x.intersection_v(a, b), trees),
             ("query_points", (point,), lambda x, a: x.query_points(a), trees),
             ("count", (box,), lambda x, a: x.count(a), trees), ("any", (box,), lambda x, a: x.any(a), targets),
             ("nearest", (point,), lambda x, a: x.nearest(a, max_distance=1.0), trees + worlds),
             ("nearest four", (point,), lambda x, a: x.nearest(a, 4), trees + worlds),
             ("intersects_first", ray, lambda x, a, b: x.intersects_first(a, b), targets),
             ("intersects_any", ray, lambda x, a, b: x.intersects_any(a, b), targets),
             ("ray_distances", ray, lambda x, a, b: x.ray_distances(a, b, reach=2.0), targets),
             ("intersects_location", ray, lambda x, a, b: x.intersects_location(a, b), targets),
             ("closest_hits of one ray", ray, lambda x, a, b: x.closest_hits(broadside.Rays(a, b)), targets),
             ("find_hits of one ray", ray, lambda x, a, b: x.find_hits(broadside.Rays(a, b)), targets),
             ("closest_hits of one moving box", (box, step), lambda x, a, b: x.closest_hits(broadside.Casts(a, b)), moving),
             ("find_hits of one moving box", (box, step), lambda x, a, b: x.find_hits(broadside.Casts(a, b)), moving),
             ("cast of one sphere", (point, step), lambda x, a, b: x.cast(broadside.Casts(broadside.Spheres(a, 0.01), b)), ("TriangleMesh", "MeshScene")),
             ("first_overlaps of one box", (box,), lambda x, a: x.first_overlaps(a), tuple(set(targets) - {"MeshScene"})),
             ("contains", (point,), lambda x, a: x.contains(a), ("TriangleMesh", "MeshScene")),
             ("closest_point", (point,), lambda x, a: x.closest_point(a), ("TriangleMesh", "MeshScene")),
             ("signed_distance", (point,), lambda x, a: x.signed_distance(a), ("TriangleMesh", "MeshScene")),
             ("boxes", handle, lambda x, a: x.boxes(a), worlds), ("user_data", handle, lambda x, a: x.user_data(a), worlds),
             ("is_alive", handle, lambda x, a: x.is_alive(a), worlds), ("pairs_of", handle, lambda x, a: x.pairs_of(a), ("World",)),
             ("set_box", (number, box), lambda x, a, b: x.set_box(a, b), ("BoxTree",)),
             ("set_boxes", (*handle, box), lambda x, a, b: x.set_boxes(a, b), ("World",)),
             ("set_user_data", handle, lambda x, a: x.set_user_data(a, 7), ("World",)),
             ("set_margin", handle, lambda x, a: x.set_margin(a, 0.0), ("World",)),
             ("set_kind", handle, lambda x, a: x.set_kind(a, "moving"), ("World",)),
             ("set_filter", handle, lambda x, a: x.set_filter(a, layer=0), ("World",)),
             ("set_displacements", (*handle, step), lambda x, a, b: x.set_displacements(a, b), ("World",)),
             ("find_pairs of two boxes", (box,), lambda x, a: broadside.find_pairs(a, a), ("BoxTree",)),
             ("add and remove", (box,), lambda x, a: x.remove(x.add(a)), ("World",)))
    least = {}
    for name, arguments, call, kinds in calls:
        for kind in kinds:
            for form, given in (("array", arguments), ("list", [each.tolist() for each in arguments]),
                                ("tuple", [tuple(each.tolist()) if each.ndim else each for each in arguments])):
                times = timeit.repeat(lambda: call(targets[kind], *given), number=200, repeat=repetitions)
                least[name, kind, form] = min(times) * 1e6 / 200
    print(f"| microseconds | {' | '.join(targets)} |\n|---|{'--:|' * len(targets)}")
    for name, *_ in calls:
        row = [f"{least[name, kind, 'array']:.2f}" if (name, kind, "array") in least else "" for kind in targets]
        print(f"| {name} | {' | '.join(row)} |")
    more = max(least[name, kind, form] - least[name, kind, "array"] for name, kind, form in least)
    print(f"a list or a tuple takes {more:.2f} more at most", flush=True)


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
