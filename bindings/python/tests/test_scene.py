"""MeshScene, clashes and pairs of meshes against brute force in numpy."""

import copy
import pickle

import numpy as np
import pytest

import broadside
from test_mesh import MESH, ball, distances_to_triangles, ray_times
from test_queries import random, rotations

BIG = ball(rings=6, segments=7, radius=3.0, center=(0, 0, 0))
SMALL_VERTICES, SMALL_FACES = ball(rings=4, segments=5, radius=1.0, center=(0, 0, 0))
SMALL = broadside.TriangleMesh(SMALL_VERTICES, SMALL_FACES)


def matrices(seed, count, spread):
    rng = np.random.default_rng(seed)
    placed = np.tile(np.eye(4, dtype=np.float32), (count, 1, 1))
    placed[:, :3, :3] = rotations(seed, count) * rng.uniform(0.5, 1.5, count)[:, None, None]
    placed[:, :3, 3] = rng.random((count, 3)) * spread
    return placed


def placed_corners(vertices, faces, matrix):
    matrix = matrix.astype(float)
    return (vertices.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)[faces].astype(float)


class Scene:
    """Balls of two sizes, and all their triangles in the world."""

    def __init__(self, seed, count=6, spread=6):
        self.matrices = matrices(seed, count, spread)
        self.parts = [BIG if i % 3 == 0 else (SMALL_VERTICES, SMALL_FACES) for i in range(count)]
        big = broadside.TriangleMesh(*self.parts[0])
        self.scene = broadside.MeshScene([big if i % 3 == 0 else SMALL for i in range(count)], self.matrices)
        self.place()

    def place(self):
        self.each = [placed_corners(*part, matrix) for part, matrix in zip(self.parts, self.matrices)]
        self.corners = np.vstack(self.each)
        self.names = np.array([(i, j) for i, corners in enumerate(self.each) for j in range(len(corners))])


@pytest.fixture(scope="module")
def both():
    own = Scene(1)
    own.scene.update(own.matrices[::-1])
    own.scene.update(own.matrices)
    return own


def test_rays_at_a_scene(both):
    origins, ways = random(1, 150, 3) - 2, random(2, 150, 3) - 3
    times = ray_times(origins, ways, both.corners)
    keep = ~np.isnan(times).any(axis=1)
    origins, ways, times = origins[keep], ways[keep], times[keep]
    first = times.min(axis=1)
    near = np.isfinite(first)
    assert near.sum() > 20 and (~near).sum() > 20 and keep.sum() > 130
    hits = both.scene.closest_hits(broadside.Rays(origins, ways), workers=2)
    np.testing.assert_allclose(hits.t, first, rtol=1e-4)
    expected = both.names[times.argmin(axis=1)]
    expected[~near] = -1
    assert np.stack((hits.instance, hits.triangle), axis=1).tolist() == expected.tolist()
    at = both.corners[times.argmin(axis=1)[near]]
    there = at[:, 0] + hits.u[near, None] * (at[:, 1] - at[:, 0]) + hits.v[near, None] * (at[:, 2] - at[:, 0])
    np.testing.assert_allclose(there, origins[near] + hits.t[near, None] * ways[near], atol=1e-3)
    assert np.array_equal(both.scene.any_hit(broadside.Rays(origins, ways)), near)
    assert np.array_equal(both.scene.intersects_first(origins, ways), hits.instance)
    rows = both.scene.find_hits(broadside.Rays(origins, ways))
    listed = [[i, *both.names[j]] for i in range(len(times)) for j in np.argsort(times[i], kind="stable") if times[i, j] < np.inf]
    assert np.stack((rows.query, rows.instance, rows.triangle), axis=1).tolist() == listed
    i = int(np.flatnonzero(near)[0])
    one = both.scene.closest_hits(broadside.Rays(origins[i], ways[i]))
    assert (one.t, one.instance, one.triangle) == (hits.t[i], hits.instance[i], hits.triangle[i])


def test_points_and_shapes_of_a_scene(both):
    points = random(3, 100, 3)
    distances = distances_to_triangles(points, both.corners)
    places, found, instances, triangles = both.scene.closest_point(points)
    np.testing.assert_allclose(found, distances.min(axis=1), rtol=1e-4, atol=1e-5)
    named = np.array([both.names.tolist().index(list(name)) for name in zip(instances, triangles)])
    np.testing.assert_allclose(distances[np.arange(100), named], found, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(places - points, axis=1), found, rtol=1e-3, atol=1e-4)
    signed = np.full((100, len(both.each)), np.inf)
    for i, corners in enumerate(both.each):
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inside = (((points[:, None] - corners[None, :, 0]) * normals[None]).sum(axis=2) <= 0).all(axis=1)
        signed[:, i] = np.where(inside, -1, 1) * distances_to_triangles(points, corners).min(axis=1)
    least = signed.min(axis=1)
    assert 5 < (least < 0).sum() < 95
    np.testing.assert_allclose(both.scene.signed_distance(points), least, rtol=1e-4, atol=1e-5)
    assert np.array_equal(both.scene.contains(points), least < 0)

    radii = np.abs(random(5, 100)) * 0.1
    sure = (np.abs(distances - radii[:, None]) > 1e-4).all(axis=1)
    near = distances[sure] <= radii[sure, None]
    spheres = broadside.Spheres(points[sure], radii[sure])
    assert both.scene.query(spheres).T.tolist() == [[i, *both.names[j]] for i, j in np.argwhere(near)] and near.sum() > 20
    assert np.array_equal(both.scene.any(spheres, workers=2), near.any(axis=1))
    i = int(np.argmax(near.any(axis=1)))
    one = broadside.Spheres(points[sure][i], radii[sure][i])
    assert both.scene.query(one).T.tolist() == both.names[near[i]].tolist()
    ways = random(6, 100, 3) - 3
    t, instances, triangles = both.scene.cast(broadside.Casts(broadside.Spheres(points, 0.1), ways))
    assert 5 < np.isfinite(t).sum() < 100
    listed = both.scene.cast_all(broadside.Casts(broadside.Spheres(points, 0.1), ways))
    first = np.searchsorted(listed.query, np.flatnonzero(np.isfinite(t)))
    assert np.array_equal(np.unique(listed.query), np.flatnonzero(np.isfinite(t))) and len(listed.query) > len(first)
    assert np.array_equal(listed.t[first], t[np.isfinite(t)])
    assert np.array_equal(listed.instance[first], instances[np.isfinite(t)])
    assert np.array_equal(listed.triangle[first], triangles[np.isfinite(t)])
    for i in range(0, 100, 5):
        steps = np.linspace(0, 1, 100)
        gaps = distances_to_triangles(points[i] + steps[:, None] * ways[i].astype(float), both.corners).min(axis=1) - 0.1
        assert (gaps[steps < t[i] - 1e-3] > -1e-4).all()
        if t[i] < np.inf:
            at = both.names.tolist().index([instances[i], triangles[i]])
            gap = distances_to_triangles((points[i] + t[i] * ways[i].astype(float))[None], both.corners)[0, at] - 0.1
            assert abs(gap) < 1e-3 or t[i] == 0 and gap <= 1e-3
        else:
            assert instances[i] == triangles[i] == -1


def test_what_a_scene_is(both):
    assert len(both.scene) == 6 and np.array_equal(both.scene.transforms, both.matrices)
    boxes = both.scene.boxes()
    for corners, box in zip(both.each, boxes):
        exact = np.hstack((corners.min(axis=(0, 1)), corners.max(axis=(0, 1))))
        # That of the turned box of the mesh.
        assert (box[:3] <= exact[:3]).all() and (box[3:] >= exact[3:]).all()
        assert np.linalg.norm(box[3:] - box[:3]) < 3 * np.linalg.norm(exact[3:] - exact[:3])
    points = random(3, 50, 3)
    for again in (pickle.loads(pickle.dumps(both.scene)), copy.copy(both.scene),
                  broadside.MeshScene(both.scene.meshes, both.matrices[:, :3])):
        assert np.array_equal(again.transforms, both.matrices)
        assert np.array_equal(again.signed_distance(points), both.scene.signed_distance(points))
    assert pickle.loads(pickle.dumps(both.scene)).meshes[0] is not SMALL
    empty = broadside.MeshScene([])
    assert len(empty) == 0 and empty.intersects_first([[0, 0, 0]], [[0, 0, 1]]).tolist() == [-1]
    assert len(broadside.find_clashes(empty).pairs) == 0 and empty.transforms.shape == (0, 4, 4)
    still = broadside.MeshScene([MESH])
    assert np.array_equal(still.contains(points), MESH.contains(points))


# Two meshes.

def gaps_of(a, b):
    """(n, m) how far triangles are apart along the best of the axes that can separate them; negative where they meet."""
    found = np.full((len(a), len(b)), -np.inf)
    edges_a, edges_b = a - np.roll(a, 1, axis=1), b - np.roll(b, 1, axis=1)
    normal_a, normal_b = np.cross(edges_a[:, 0], edges_a[:, 1]), np.cross(edges_b[:, 0], edges_b[:, 1])
    axes = [np.broadcast_to(normal_a[:, None], (len(a), len(b), 3)), np.broadcast_to(normal_b[None], (len(a), len(b), 3))]
    axes += [np.cross(edges_a[:, None, i], edges_b[None, :, j]) for i in range(3) for j in range(3)]
    for axis in axes:
        length = np.linalg.norm(axis, axis=2, keepdims=True)
        unit = np.where(length > 1e-9, axis / np.maximum(length, 1e-30), 0)
        on_a, on_b = np.einsum("nmk,nck->nmc", unit, a), np.einsum("nmk,mck->nmc", unit, b)
        gap = np.maximum(on_a.min(axis=2) - on_b.max(axis=2), on_b.min(axis=2) - on_a.max(axis=2))
        found = np.maximum(found, np.where(length[..., 0] > 1e-9, gap, -np.inf))
    return found


def segment_distances(p, q, r, s):
    """Distances of the segments pq and rs, by the lines' nearest points where these are within, and by the ends."""
    d, e, w = q - p, s - r, p - r
    a, b, c = (d * d).sum(-1), (d * e).sum(-1), (e * e).sum(-1)
    f, g = (d * w).sum(-1), (e * w).sum(-1)
    denominator = a * c - b * b
    with np.errstate(divide="ignore", invalid="ignore"):
        t, u = (b * g - c * f) / denominator, (a * g - b * f) / denominator
        inner = np.linalg.norm(w + t[..., None] * d - u[..., None] * e, axis=-1)
    best = np.where((denominator > 1e-12) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1), inner, np.inf)
    for point, start, along in ((p, r, e), (q, r, e), (r, p, d), (s, p, d)):
        at = np.clip(((point - start) * along).sum(-1) / (along * along).sum(-1), 0, 1)
        best = np.minimum(best, np.linalg.norm(point - start - at[..., None] * along, axis=-1))
    return best


def distance_of(a, b):
    """Of two sets of triangles that do not meet."""
    ends = [segment_distances(a[:, None, i], a[:, None, (i + 1) % 3], b[None, :, j], b[None, :, (j + 1) % 3]).min()
            for i in range(3) for j in range(3)]
    return min(*ends, distances_to_triangles(a.reshape(-1, 3), b).min(), distances_to_triangles(b.reshape(-1, 3), a).min())


def holds(outer, points):
    """Whether a ball holds all points."""
    normals = np.cross(outer[:, 1] - outer[:, 0], outer[:, 2] - outer[:, 0])
    return (((points[:, None] - outer[None, :, 0]) * normals[None]).sum(axis=2) <= 0).all()


def expected_relation(a, b, clearance):
    """A word, and whether it is sure."""
    if len(a) == len(b) and np.array_equal(a, b):
        return "duplicate", True
    apart = np.maximum(a.min(axis=(0, 1)) - b.max(axis=(0, 1)), b.min(axis=(0, 1)) - a.max(axis=(0, 1))).max()
    if apart > clearance + 1e-4:
        return "apart", True
    least = gaps_of(a, b).min()
    if least <= 0:
        return "intersecting", least < -1e-4
    if holds(a, b.reshape(-1, 3)):
        return "b_in_a", True
    if holds(b, a.reshape(-1, 3)):
        return "a_in_b", True
    distance = distance_of(a, b)
    return ("near" if distance <= clearance else "apart"), abs(distance - clearance) > 1e-4


def test_clashes_are_those_of_all_pairs():
    words = set()
    for seed in range(3):
        own, other = Scene(10 + seed, 9, 9), Scene(20 + seed, 5, 9)
        # One in another, and one where another is.
        own.matrices[1] = own.matrices[0] @ np.diag(np.float32([0.2, 0.2, 0.2, 1]))
        own.matrices[4] = own.matrices[5]
        own.place()
        own.scene.update(own.matrices)
        for b in (None, other):
            against = own if b is None else b
            clashes = broadside.find_clashes(own.scene, b and b.scene, clearance=0.3, workers=1 + seed % 2)
            found = {tuple(pair): broadside.RELATIONS[word] for pair, word in zip(clashes.pairs.tolist(), clashes.relation)}
            assert list(found) == sorted(found) and clashes.candidate_count >= len(found)
            for i, one in enumerate(own.each):
                for j in range(0 if b else i + 1, len(against.each)):
                    word, is_sure = expected_relation(one, against.each[j], 0.3)
                    if is_sure:
                        assert found.get((i, j), "apart") == word, (seed, i, j)
                        words.add(word)
            tight = broadside.find_clashes(own.scene, b and b.scene, find_contained=False)
            for pair, word in zip(tight.pairs.tolist(), tight.relation):
                assert broadside.RELATIONS[word] == found[tuple(pair)] and found[tuple(pair)] not in ("near", "a_in_b", "b_in_a")
    assert words == {"apart", "near", "a_in_b", "b_in_a", "intersecting", "duplicate"}


def test_two_meshes():
    seen = set()
    for seed in range(12):
        one, two = matrices(seed, 2, 2)
        a, b = placed_corners(SMALL_VERTICES, SMALL_FACES, one), placed_corners(SMALL_VERTICES, SMALL_FACES, two)
        gaps = gaps_of(a, b)
        found = SMALL.find_triangle_pairs(SMALL, transform=one, other_transform=two)
        meets = set(map(tuple, found.pairs.tolist()))
        assert found.pairs.tolist() == sorted(found.pairs.tolist())
        assert meets >= set(map(tuple, np.argwhere(gaps < -1e-5).tolist()))
        assert not meets & set(map(tuple, np.argwhere(gaps > 1e-5).tolist()))
        assert {broadside.TRIANGLE_PAIR_KINDS[kind] for kind in found.kind} <= {"touching", "intersecting", "coplanar"}
        word, is_sure = expected_relation(a, b, 0.2)
        if is_sure:
            assert SMALL.relation(SMALL, clearance=0.2, transform=one, other_transform=two) == word
            seen.add(word)
        way, other_way = random(seed, 3) - 3, random(seed + 50, 3) - 3
        t, i, j = SMALL.first_impact(SMALL, way, other_way, transform=one, other_transform=two)
        steps = np.linspace(0, 1, 40)
        least = np.array([gaps_of(a + s * way.astype(float), b + s * other_way.astype(float)).min() for s in steps])
        assert (least[steps < t - 1e-4] > -1e-5).all()
        if t < np.inf:
            at = gaps_of(a + t * way.astype(float), b + t * other_way.astype(float))
            assert at[i, j] <= 1e-4
        else:
            assert (i, j) == (-1, -1)
        closest = SMALL.closest_triangles(SMALL, transform=one, other_transform=two)
        assert (closest.distance == 0) == bool(meets)
        assert abs(np.linalg.norm(closest.point - closest.other_point) - closest.distance) < 1e-5
        # Corners bound the distance from above, and the gap along any axis from below.
        corners = np.linalg.norm(a.reshape(-1, 1, 3) - b.reshape(1, -1, 3), axis=2)
        assert closest.distance <= corners.min() * (1 + 1e-6)
        assert closest.distance >= gaps.min() - 1e-5
        near = SMALL.closest_triangles(SMALL, max_distance=closest.distance, transform=one, other_transform=two)
        assert near.distance == closest.distance
        if closest.distance > 0:
            assert near[1:3] == closest[1:3] and gaps[closest[1:3]] <= closest.distance + 1e-5
            none = SMALL.closest_triangles(SMALL, max_distance=closest.distance / 2, transform=one, other_transform=two)
            assert none[:3] == (np.inf, -1, -1)
        else:
            assert closest[1:3] in meets
    assert {"intersecting", "apart"} <= seen
    assert SMALL.relation(SMALL) == "duplicate" and SMALL.first_impact(SMALL, [1, 0, 0])[0] == 0


MOVED = np.eye(4)
MOVED[0, 1] = 0.5


@pytest.mark.parametrize("call, error, text", (
    (lambda: broadside.MeshScene(MESH), TypeError, "meshes: TriangleMesh; wanted a list of TriangleMesh"),
    (lambda: broadside.MeshScene([MESH, 3]), TypeError, "meshes: row 1 is of int"),
    (lambda: broadside.MeshScene([MESH, MESH], np.eye(3)), ValueError, "transforms: shape (3, 3); wanted (2, 4, 4) or (2, 3, 4)"),
    (lambda: broadside.MeshScene([MESH, MESH], [np.eye(4)]), ValueError, "transforms: shape (1, 16)"),
    (lambda: broadside.MeshScene([MESH, MESH], [np.eye(4), MOVED]), ValueError, "transforms: row 1 is [[1.0, 0.5"),
    (lambda: broadside.MeshScene([MESH, MESH], [np.eye(4), MOVED.T]), ValueError, "transforms: row 1 is [[1.0, 0.0, 0.0, 0.0], [0.5"),
    (lambda: broadside.MeshScene([MESH], np.eye(4)[::-1]), ValueError, "transforms: row 0 ends in [1.0, 0.0, 0.0, 0.0]"),
    (lambda: broadside.MeshScene([MESH], np.eye(4) * np.nan), ValueError, "transforms: row 0 is "),
    (lambda: broadside.MeshScene([MESH]).update(MOVED), ValueError, "transforms: row 0 is [[1.0, 0.5"),
    (lambda: broadside.find_clashes([MESH]), TypeError, "a: list; wanted a MeshScene"),
    (lambda: broadside.find_clashes(broadside.MeshScene([MESH]), MESH), TypeError, "b: TriangleMesh; wanted a MeshScene"),
    (lambda: broadside.find_clashes(broadside.MeshScene([]), clearance=-1), ValueError, "clearance: -1"),
    (lambda: MESH.relation(MESH, clearance=np.inf), ValueError, "clearance: inf"),
    (lambda: MESH.closest_triangles(MESH, max_distance=-1), ValueError, "max_distance: -1"),
    (lambda: MESH.closest_triangles(MESH, max_distance=np.nan), ValueError, "max_distance: nan"),
    (lambda: MESH.closest_triangles([1]), TypeError, "other: list; wanted a TriangleMesh"),
    (lambda: MESH.relation([1]), TypeError, "other: list; wanted a TriangleMesh"),
    (lambda: MESH.find_triangle_pairs(MESH, other_transform=MOVED), ValueError, "other_transform: [[1.0, 0.5"),
    (lambda: MESH.find_triangle_pairs(MESH, transform=np.eye(4)[:2]), ValueError, "transform: shape (2, 4); wanted (4, 4) or (3, 4)"),
    (lambda: MESH.first_impact(MESH, [1, 0]), ValueError, "displacement: shape (2,)"),
    (lambda: broadside.MeshScene([MESH]).query(broadside.Rays([0, 0, 0], [1, 0, 0])), TypeError, "shapes: Rays(1)"),
))
def test_errors_of_scenes(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_a_scene_that_is_refused_stays():
    scene = broadside.MeshScene([MESH, SMALL])
    with pytest.raises(ValueError):
        scene.update([np.eye(4) * [[2], [2], [2], [1]], MOVED])
    assert np.array_equal(scene.transforms, np.tile(np.eye(4), (2, 1, 1)))
