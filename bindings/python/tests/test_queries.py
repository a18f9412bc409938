"""Shapes, rays and moving shapes as queries of trees and worlds, against brute force in numpy."""

import pickle

import numpy as np
import pytest

import broadside
import oracle
from test_world import scene

COUNT = 150


class Scene:
    """A tree and a world of the same boxes, and how each names them."""

    def __init__(self, seed):
        self.boxes = scene(COUNT, seed)
        self.tree = broadside.BoxTree(self.boxes)
        self.world = broadside.World()
        self.kinds = np.array([0, 1, 2] * (COUNT // 3))
        self.layers = np.arange(COUNT) % 5
        self.categories = (1 << (np.arange(COUNT) % 7)).astype(np.uint64)
        self.handles = self.world.add(self.boxes, kind=[broadside.KINDS[kind] for kind in self.kinds],
                                      layer=self.layers, category=self.categories)
        self.place = {handle: i for i, handle in enumerate(self.handles.tolist())}

    def indices(self, handles):
        return np.array([self.place.get(handle, -1) for handle in np.asarray(handles).reshape(-1).tolist()], dtype=int)


@pytest.fixture(scope="module", params=(1, 2))
def both(request):
    return Scene(request.param)


def random(seed, *shape):
    return (np.random.default_rng(seed).random(shape) * 8 - 1).astype(np.float32)


def rotations(seed, count):
    """Axes in rows, to the last digits of doubles."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(count, 3, 3)))[0]


@pytest.mark.parametrize("workers", (1, 3))
def test_the_first_overlap_of_a_motion_is_that_of_single_queries(both, workers):
    mesh = broadside.TriangleMesh(random(8, 60, 3), np.arange(60).reshape(-1, 3))
    for shapes, _ in shapes_and_overlaps(both.boxes):
        doubles = broadside.BoxTree(both.boxes.astype(float))
        is_box = not isinstance(shapes, (broadside.Spheres, broadside.Capsules, broadside.Obbs))
        for target in (both.tree, both.world, both.world.view(), mesh, *((doubles,) if is_box else ())):
            found = target.any(shapes)
            for each, motions in ((1, 1), (1, 40), (2, 4), (5, 8), (40, 1), (4, 2)):
                rows = found.reshape(motions, -1)
                expected = [row.argmax() if row.any() else -1 for row in rows]
                assert target.first_overlaps(shapes, each, motions=motions, workers=workers).tolist() == expected
            assert target.first_overlaps(shapes, 4) == (found.argmax() if found.any() else -1)
    with pytest.raises(ValueError, match="^shapes: 40 of them; wanted a multiple of 12, which is"):
        both.tree.first_overlaps(shapes, 3, motions=4)
    with pytest.raises(ValueError, match="^shapes_per_state: 0"):
        both.world.first_overlaps(shapes, 0)
    only_fixed = broadside.Where(kinds=["fixed"])
    found = both.world.any(shapes, where=only_fixed).reshape(4, -1)
    assert both.world.first_overlaps(shapes, motions=4, where=only_fixed).tolist() == [
        row.argmax() if row.any() else -1 for row in found]
    with pytest.raises(TypeError, match="float64.*float32"):
        doubles.first_overlaps(broadside.Spheres([[0, 0, 0]], 1))


def shapes_and_overlaps(boxes):
    """Shapes of each kind, and what they overlap as (n, m) bools; None where it is a rounding away."""
    radii = (random(3, 40) * 0.2 + 0.3).clip(0)
    centers = random(4, 40, 3)
    distances = oracle.distance_to_boxes(centers, boxes)
    yield broadside.Spheres(centers, radii), distances <= radii[:, None]
    ends = centers + (random(5, 40, 3) - 3) * 0.5
    low, high = np.zeros((40, COUNT)), np.ones((40, COUNT))

    def distance(t):
        p = centers[:, None].astype(float) + t[..., None] * (ends - centers)[:, None].astype(float)
        return np.sqrt((np.maximum(np.maximum(boxes[None, :, :3] - p, p - boxes[None, :, 3:]), 0) ** 2).sum(axis=2))

    yield broadside.Capsules(centers, ends, radii), oracle.first_below(distance, np.broadcast_to(
        radii[:, None].astype(float), low.shape)) < np.inf
    axes = rotations(6, 40)
    extents = np.abs(random(7, 40, 3)) * 0.3
    yield broadside.Obbs(centers, axes, extents), separated(centers, axes, extents, boxes) <= 0
    query_boxes = np.hstack((centers, centers + extents)).astype(np.float32)
    yield query_boxes, ((query_boxes[:, None, :3] <= boxes[None, :, 3:]) & (boxes[None, :, :3] <= query_boxes[:, None, 3:])).all(axis=2)


def separated(centers, axes, extents, boxes):
    """The widest gap along the fifteen axes, (n, m)."""
    mids, halves = (boxes[:, :3] + boxes[:, 3:]) / 2.0, (boxes[:, 3:] - boxes[:, :3]) / 2.0
    gaps = []
    for n in range(len(centers)):
        own = list(np.eye(3)) + list(axes[n]) + [np.cross(e, a) for e in np.eye(3) for a in axes[n]]
        lines = np.array([line / np.linalg.norm(line) for line in own if np.linalg.norm(line) > 1e-9])
        apart = np.abs((centers[n] - mids) @ lines.T)
        reach = np.abs(lines @ axes[n].T) @ extents[n] + halves @ np.abs(lines).T
        gaps.append((apart - reach).max(axis=1))
    return np.array(gaps)


def test_shapes_overlap_what_brute_force_says(both):
    where = broadside.Where(kinds=["moving", "fixed"], layers=[0, 2, 3])
    may = (both.kinds != 1) & np.isin(both.layers, (0, 2, 3))
    for shapes, expected in shapes_and_overlaps(both.boxes):
        rows = np.argwhere(expected)
        assert np.array_equal(both.tree.query(shapes).T, rows) and len(rows) > 20
        assert np.array_equal(both.tree.any(shapes), expected.any(axis=1))
        assert np.array_equal(both.tree.count(shapes), expected.sum(axis=1))
        found = both.world.query(shapes, workers=2)
        assert np.array_equal(np.stack((found[0], both.indices(found[1])), axis=1), rows)
        found = both.world.query(shapes, where=where)
        assert np.array_equal(np.stack((found[0], both.indices(found[1])), axis=1), np.argwhere(expected & may))
        assert np.array_equal(both.world.any(shapes, where=where), (expected & may).any(axis=1))
        masks = np.random.default_rng(1).integers(0, 128, 40, dtype=np.uint64)
        expected = expected & ((masks[:, None] & both.categories[None]) != 0)
        found = both.world.query(shapes, where=broadside.Where(masks=masks))
        assert np.array_equal(np.stack((found[0], both.indices(found[1])), axis=1), np.argwhere(expected))


def test_layers_are_any_of_all_by_number_or_by_a_function():
    world = broadside.World()
    layers = np.array([0, 5, 63, 64, 1100, 65535] * 5)
    boxes = np.hstack((np.arange(30)[:, None] * [1, 0, 0], np.arange(30)[:, None] * [1, 0, 0] + 0.5)).astype(np.float32)
    handles = world.add(boxes, layer=layers)
    everything = np.float32([[-9, -9, -9, 99, 9, 9]] * 2)
    asked = []
    wanted = {63, 1100, 65535}
    choices = [[5], [63, 5], {64}, wanted, np.array([64, 1100]), range(64), range(65536), []]
    choices += [wanted.__contains__, lambda layer: asked.append(layer) or layer > 64, lambda layer: layer < 64]
    for chosen in choices:
        where = broadside.Where(layers=chosen)
        named = [layer for layer in np.unique(layers) if (chosen(int(layer)) if callable(chosen) else layer in chosen)]
        expected = handles[np.isin(layers, named)]
        for queried in (world, world.view()):
            assert np.array_equal(queried.query(everything[0], where=where), expected)
            assert np.array_equal(queried.query(everything, where=where)[1], np.tile(expected, 2))
            assert queried.any(everything, where=where).tolist() == [len(expected) > 0] * 2
            assert queried.any(everything[0], where=where) == (len(expected) > 0)
            nearest = queried.nearest([[40, 0, 0]] * 2, where=where)[1].tolist()
            assert nearest == [expected[-1] if len(expected) else 0] * 2
            rays = broadside.Rays([[-1, 0, 0]] * 2, [[1, 0, 0]] * 2)
            assert np.array_equal(queried.find_hits(rays, where=where, workers=2)[1], np.tile(expected, 2))
        again = pickle.loads(pickle.dumps(where))
        assert np.array_equal(world.query(everything[0], where=again), expected)
    assert asked[:65536] == list(range(65536))
    for bad, error in (([65536], ValueError), ([-1], ValueError), ([1.5], TypeError), (3, TypeError)):
        with pytest.raises(error):
            broadside.Where(layers=bad)
    with pytest.raises(ZeroDivisionError):
        broadside.Where(layers=lambda layer: 1 / (layer - 7))
    where = broadside.Where()
    where.layers = b"short"
    with pytest.raises(ValueError, match="where.layers"):
        world.query(everything[0], where=where)


def casts_and_times(boxes):
    """Moving shapes of each kind, and when they meet boxes."""
    centers, ways = random(8, 40, 3), (random(9, 40, 3) - 3) * 2
    extents = np.abs(random(10, 40, 3)) * 0.1
    moving = np.hstack((centers - extents, centers + extents)).astype(np.float32)
    grown = np.concatenate((boxes[None, :, :3] - extents[:, None], boxes[None, :, 3:] + extents[:, None]), axis=2)
    times = np.concatenate([oracle.ray_times(centers[i:i + 1], ways[i:i + 1], grown[i]) for i in range(40)])
    yield broadside.Casts(moving, ways), np.where(times <= 1, times, np.inf)
    radii = np.abs(random(11, 40)) * 0.1
    limit = np.broadcast_to(radii[:, None].astype(float), (40, COUNT))

    def distance(t):
        p = centers[:, None].astype(float) + t[..., None] * ways[:, None].astype(float)
        return np.sqrt((np.maximum(np.maximum(boxes[None, :, :3] - p, p - boxes[None, :, 3:]), 0) ** 2).sum(axis=2))

    times = oracle.first_below(distance, limit)
    yield broadside.Casts(broadside.Spheres(centers, radii), ways), times
    # A capsule of no length is a sphere.
    yield broadside.Casts(broadside.Capsules(centers, centers, radii), ways), times
    rays = oracle.ray_times(centers, ways, boxes)
    yield broadside.Rays(centers, ways), rays


def test_hits_of_rays_and_moving_shapes_are_those_of_brute_force(both):
    for queries, times in casts_and_times(both.boxes):
        first = times.min(axis=1)
        assert 5 < np.isfinite(first).sum() < 40 or isinstance(queries, broadside.Rays)
        near = np.isfinite(first)
        for target, indices in ((both.tree, lambda names: names), (both.world, both.indices)):
            hits = target.closest_hits(queries)
            assert np.array_equal(hits.t < np.inf, near) and np.array_equal(indices(hits.target) >= 0, near)
            np.testing.assert_allclose(hits.t, first, rtol=2e-5, atol=2e-5)
            np.testing.assert_allclose(times[near, indices(hits.target)[near]], first[near], rtol=2e-5, atol=2e-5)
            assert np.array_equal(target.any_hit(queries, workers=2), near) and (hits.face[~near] == 6).all()
            all_hits = target.find_hits(queries)
            rows = np.stack((all_hits.query, indices(all_hits.target)), axis=1)
            assert np.array_equal(rows, np.argwhere(np.isfinite(times)))
            np.testing.assert_allclose(all_hits.t, times[tuple(rows.T)], rtol=2e-5, atol=2e-5)
        may = both.kinds == 2
        hits = both.world.closest_hits(queries, where=broadside.Where(kinds=["fixed"]))
        np.testing.assert_allclose(hits.t, np.where(may, times, np.inf).min(axis=1), rtol=2e-5, atol=2e-5)


def test_faces_and_rules_of_hits():
    tree = broadside.BoxTree(np.float32([[0, 0, 0, 1, 1, 1]]))
    hits = tree.closest_hits(broadside.Rays([[-1, .5, .5], [.5, 3, .5], [.5, .5, .5]], [[1, 0, 0], [0, -1, 0], [0, 0, 1]]))
    assert hits.face.tolist() == [0, 3, 6] and hits.t.tolist() == [1, 2, 0]
    inside = broadside.Rays([.5, .5, .5], [0, 0, 1], inside="miss")
    assert tree.closest_hits(inside).target == -1
    assert tree.closest_hits(broadside.Rays([.5, .5, .5], [0, 0, 1], inside="negative_t")).t == -0.5
    graze = ([[-2, 1, 0, -1, 2, 1]], [9, 0, 0])
    assert tree.any_hit(broadside.Casts(*graze)).tolist() == [True]
    assert tree.any_hit(broadside.Casts(*graze, touch="open")).tolist() == [False]
    assert tree.closest_hits(broadside.Casts(*graze, reach=0.1)).t.tolist() == [np.inf]


def test_nearest_objects(both):
    points = random(12, 50, 3)
    expected = oracle.distance_to_boxes(points, both.boxes)
    distances, handles = both.world.nearest(points, 4)
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :4], rtol=1e-6, atol=1e-6)
    indices = both.indices(handles).reshape(-1, 4)
    np.testing.assert_allclose(np.take_along_axis(expected, indices, axis=1), distances, rtol=1e-6, atol=1e-6)
    fixed = np.where(both.kinds == 2, expected, np.inf)
    distances, handles = both.world.nearest(points, where=broadside.Where(kinds=["fixed"]))
    np.testing.assert_allclose(distances, fixed.min(axis=1), rtol=1e-6, atol=1e-6)
    near, none = both.world.nearest([99, 99, 99], max_distance=1)
    assert near == np.inf and none == 0


def test_one_query_is_one(both):
    """Asked alone, in every way to write one, and among others: the same results."""
    query_boxes = scene(30, 9)
    points, ways = random(13, 30, 3), random(14, 30, 3) - 3
    for world in (both.world, both.tree):
        many = world.query(query_boxes)
        counts = world.any(query_boxes)
        distances, names = world.nearest(points)
        t, first = world.ray_distances(points, ways)
        hits = world.intersects_any(points, ways)
        for i in range(30):
            expected = many[1][many[0] == i].tolist()
            for one in (query_boxes[i], query_boxes[i].tolist(), tuple(query_boxes[i].tolist()), query_boxes[i].astype(float), (query_boxes[i, :3], query_boxes[i, 3:])):
                assert world.query(one).tolist() == expected and bool(world.any(one)) == counts[i]
            for point, way in ((points[i], ways[i]), (points[i].tolist(), tuple(ways[i].tolist()))):
                assert world.nearest(point) == (distances[i], names[i])
                assert world.nearest(point, workers=2, max_distance=1e30) == (distances[i], names[i])
                assert world.ray_distances(point, way) == (t[i], first[i]) and world.intersects_first(point, way) == first[i]
                assert world.ray_distances(point, way, reach=1e30) == (t[i], first[i])
                assert world.intersects_any(point, way) == hits[i]
        assert world.intersects_first(points[0], ways).tolist() == world.intersects_first(np.tile(points[0], (30, 1)), ways).tolist()
    # More than the short way holds.
    assert both.tree.query([-9, -9, -9, 99, 99, 99]).tolist() == list(range(COUNT))
    crowd = broadside.BoxTree(np.zeros((2000, 6), dtype=np.float32))
    assert crowd.query([0] * 6).tolist() == list(range(2000)) and crowd.count([0] * 6) == 2000 and crowd.any([0] * 6)
    world = broadside.World()
    world.add(np.zeros((2000, 6)))
    assert len(world.query([0] * 6)) == len(world.query([[0] * 6])[1]) == len(world.query([0] * 6)) == 2000


@pytest.mark.parametrize("dtype", (np.float64, np.int64, np.int32))
@pytest.mark.parametrize("axes", (2, 3))
@pytest.mark.parametrize("offset", (0, 10**6))
def test_rays_and_nearest_of_other_types_than_float32(dtype, axes, offset):
    rng = np.random.default_rng(axes)
    low = rng.random((300, axes)) * 1000
    own = (np.hstack((low, low + rng.random((300, axes)) * (250 if axes == 3 else 60))) + offset).astype(dtype)
    tree = broadside.BoxTree(own)
    points = rng.random((60, axes)) * 1200 - 100 + offset
    expected = oracle.distance_to_boxes(points, own)
    for workers in (1, 2):
        distances, indices = tree.nearest(points, 5, workers=workers)
        assert distances.dtype == np.float64
        np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :5], rtol=1e-13, atol=1e-9)
        np.testing.assert_allclose(np.take_along_axis(expected, indices, axis=1), distances, rtol=1e-13, atol=1e-9)
    distances, indices = tree.nearest(points, max_distance=3)
    assert np.array_equal(indices >= 0, expected.min(axis=1) <= 3)
    origins, ways = rng.random((60, axes)) * 1200 - 100 + offset, rng.normal(size=(60, axes))
    ways[:10, 0] = 0
    times = oracle.ray_times(origins, ways, own.astype(float))
    first = times.min(axis=1)
    t, found = tree.ray_distances(origins, ways)
    assert t.dtype == np.float64 and np.array_equal(found >= 0, np.isfinite(first))
    np.testing.assert_allclose(t, first, rtol=1e-13)
    assert np.array_equal(tree.intersects_any(origins, ways), np.isfinite(first))
    hits = tree.find_hits(broadside.Rays(origins, ways, 400.0))
    rows = np.argwhere(times <= 400)
    assert np.array_equal(np.stack((hits.query, hits.target), axis=1), rows) and len(rows) > 100
    np.testing.assert_allclose(hits.t, times[tuple(rows.T)], rtol=1e-13)
    assert tree.nearest(points[0]) == (expected[0].min(), expected[0].argmin())
    with pytest.raises(TypeError, match="Spheres: the tree is of"):
        tree.query(broadside.Spheres(points, 1))
    with pytest.raises(TypeError, match="set_box: the tree is of"):
        tree.set_box(0, own[0])


def test_doubles_that_no_float_tells_apart():
    """Boxes a thousandth of a float's step apart, and at the ends of the doubles."""
    step = 1e9 + np.arange(100)[:, None] * 1e-3
    own = np.hstack((step, step * 0, step + 4e-4, step * 0 + 1))
    tree = broadside.BoxTree(own)
    points = np.stack((step[:, 0] + 5e-4, np.full(100, 0.5)), axis=1)
    assert tree.nearest(points)[1].tolist() == oracle.distance_to_boxes(points, own).argmin(axis=1).tolist()
    ups = np.tile([0.0, 1.0], (100, 1))
    starts = np.stack((step[:, 0] + 2e-4, np.full(100, -5.0)), axis=1)
    assert tree.intersects_first(starts, ups).tolist() == list(range(100))
    assert tree.intersects_any(starts + [4e-4, 0], ups).sum() == 0
    huge = broadside.BoxTree(np.array([[-np.inf, 0, 0, 1e300, 1, 1], [1e301, 0, 0, np.inf, 1, 1]]))
    assert huge.intersects_first([5e300, .5, .5], [1, 0, 0]) == 1 and huge.intersects_first([5e300, .5, .5], [-1, 0, 0]) == 0
    assert huge.nearest([2e300, .5, .5])[1] == 0 and huge.nearest([9e300, .5, .5])[1] == 1


def test_boxes_of_a_tree_are_set_and_removed():
    rng = np.random.default_rng(3)
    boxes = scene(200, 5)
    tree = broadside.BoxTree(boxes)
    there = np.ones(300, dtype=bool)
    there[200:] = False
    boxes = np.vstack((boxes, scene(100, 6)))
    query_boxes = scene(40, 7)
    for step in range(12):
        moved = rng.permutation(300)[:40]
        boxes[moved] = scene(40, 100 + step)
        tree.set_box(moved, boxes[moved])
        there[moved] = True
        gone = rng.permutation(np.flatnonzero(there))[:30]
        tree.remove_box(gone)
        there[gone] = False
        expected = [[i, j] for i, j in oracle.pairs(query_boxes, boxes) if there[j]]
        assert tree.query(query_boxes).T.tolist() == expected
        t, found = tree.ray_distances(query_boxes[:, :3], query_boxes[:, 3:] - 3)
        assert there[found[found >= 0]].all()
        rest = np.flatnonzero(there[: len(tree)])
        assert np.array_equal(tree.boxes()[rest], boxes[rest])
    rest = np.flatnonzero(there)
    for named, row in (([*rest[:2], gone[0], 300], 2), ([rest[0], 300], 1), ([-1], 0), (rest[[0, 1, 0]], 2)):
        with pytest.raises(ValueError, match=rf"^indices: row {row} is {named[row]}; wanted a box of the tree, once"):
            tree.remove_box(named)
        assert np.array_equal(tree.boxes()[rest], boxes[rest])
    tree.remove_box(rest)
    assert tree.query(query_boxes).shape == (2, 0)
    with pytest.raises(ValueError, match="^indices: row 0 is 0"):
        broadside.BoxTree(np.empty((0, 6), dtype=np.float32)).remove_box(0)
    with pytest.raises(ValueError, match="boxes: row 0 is no box"):
        tree.set_box([0], [[np.nan] * 6])


@pytest.mark.parametrize("dtype", (np.float32, np.float64, np.int32))
def test_trees_are_pickled(dtype):
    import pickle

    own = (scene(50, 1, np.float64) * 9).astype(dtype)
    if dtype != np.int32:
        own[3, 0] = np.nan
    tree = broadside.BoxTree(own, invalid="ignore")
    again = pickle.loads(pickle.dumps(tree))
    assert again.dtype == dtype and np.array_equal(again.query(own, invalid="ignore"), tree.query(own, invalid="ignore"))
