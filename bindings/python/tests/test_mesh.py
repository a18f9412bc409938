"""TriangleMesh against brute force in numpy."""

import copy
import pickle

import numpy as np
import pytest

import broadside
from test_queries import random, rotations


def ball(rings=8, segments=10, radius=3.0, center=(3, 3, 3)):
    """A closed mesh: two poles and rings between."""
    angles = np.pi * np.arange(1, rings) / rings
    turns = 2 * np.pi * np.arange(segments) / segments
    middle = np.stack([np.outer(np.sin(angles), np.cos(turns)), np.outer(np.sin(angles), np.sin(turns)),
                       np.outer(np.cos(angles), np.ones(segments))], axis=2).reshape(-1, 3)
    vertices = np.vstack(([0, 0, 1], middle, [0, 0, -1])) * radius + center
    faces = []
    for j in range(segments):
        k = (j + 1) % segments
        faces += [[0, 1 + j, 1 + k], [len(vertices) - 1, len(vertices) - 1 - segments + k, len(vertices) - 1 - segments + j]]
        for i in range(rings - 2):
            a, b = 1 + i * segments, 1 + (i + 1) * segments
            faces += [[a + j, b + j, b + k], [a + j, b + k, a + k]]
    return vertices.astype(np.float32), np.array(faces)


VERTICES, FACES = ball()
MESH = broadside.TriangleMesh(VERTICES, FACES)
CORNERS = VERTICES[FACES].astype(float)


def ray_times(origins, ways, corners=CORNERS):
    """(n, m) by Möller and Trumbore, inf for a miss, nan where a rounding decides."""
    a, b, c = corners[None, :, 0], corners[None, :, 1], corners[None, :, 2]
    o, d = origins[:, None].astype(float), ways[:, None].astype(float)
    p = np.cross(d, c - a)
    inverse = 1 / (p * (b - a)).sum(axis=2)
    u = ((o - a) * p).sum(axis=2) * inverse
    q = np.cross(o - a, np.broadcast_to(b - a, (len(origins),) + b.shape[1:]))
    v = (d * q).sum(axis=2) * inverse
    t = ((c - a) * q).sum(axis=2) * inverse
    margin = np.minimum.reduce((u, v, 1 - u - v, t))
    return np.where(np.abs(margin) < 1e-6, np.nan, np.where(margin > 0, t, np.inf))


def distances_to_triangles(points, corners=CORNERS):
    """(n, m), by the planes and the edges."""
    a, b, c = corners[None, :, 0], corners[None, :, 1], corners[None, :, 2]
    p = points[:, None].astype(float)
    normal = np.cross(b - a, c - a)
    normal = normal / np.linalg.norm(normal, axis=2, keepdims=True)
    height = ((p - a) * normal).sum(axis=2)
    foot = p - height[..., None] * normal
    inside = np.ones(height.shape, dtype=bool)
    nearest = np.full(height.shape, np.inf)
    for one, two in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(two - one, foot - one) * normal).sum(axis=2) >= 0
        along = np.clip(((p - one) * (two - one)).sum(axis=2) / ((two - one) ** 2).sum(axis=2), 0, 1)
        nearest = np.minimum(nearest, np.linalg.norm(p - one - along[..., None] * (two - one), axis=2))
    return np.where(inside, np.abs(height), nearest)


def test_rays_at_a_mesh():
    origins, ways = random(1, 200, 3), random(2, 200, 3) - 3
    times = ray_times(origins, ways)
    keep = ~np.isnan(times).any(axis=1)
    origins, ways, times = origins[keep], ways[keep], times[keep]
    first = times.min(axis=1)
    assert 20 < np.isfinite(first).sum() < len(first) and keep.sum() > 190
    hits = MESH.closest_hits(broadside.Rays(origins, ways), workers=2)
    np.testing.assert_allclose(hits.t, first, rtol=1e-5)
    near = np.isfinite(first)
    assert np.array_equal(hits.triangle[near], times.argmin(axis=1)[near]) and (hits.triangle[~near] == -1).all()
    a, b, c = (CORNERS[hits.triangle[near], i] for i in range(3))
    there = a + hits.u[near, None] * (b - a) + hits.v[near, None] * (c - a)
    np.testing.assert_allclose(there, origins[near] + hits.t[near, None] * ways[near], atol=1e-4)
    assert np.array_equal(MESH.intersects_any(origins, ways), near)
    assert np.array_equal(MESH.intersects_first(origins, ways), hits.triangle)
    rows = MESH.find_hits(broadside.Rays(origins, ways))
    expected = [[i, j] for i in range(len(times)) for j in np.argsort(times[i], kind="stable") if times[i, j] < np.inf]
    assert np.stack((rows.query, rows.triangle), axis=1).tolist() == expected
    places, rays, triangles = MESH.intersects_location(origins, ways)
    assert np.array_equal(triangles, rows.triangle) and np.array_equal(rays, rows.query)
    np.testing.assert_allclose(places, origins[rays] + rows.t[:, None] * ways[rays], rtol=1e-5)
    fast = broadside.TriangleMesh(VERTICES, FACES, quality="fast")
    assert np.array_equal(fast.intersects_first(origins, ways), hits.triangle)
    front = broadside.TriangleMesh(VERTICES, FACES, sides="front")
    normals = np.cross(CORNERS[:, 1] - CORNERS[:, 0], CORNERS[:, 2] - CORNERS[:, 0])
    towards = np.where((ways[:, None].astype(float) * normals[None]).sum(axis=2) < 0, times, np.inf)
    assert np.array_equal(front.any_hit(broadside.Rays(origins, ways)), np.isfinite(towards).any(axis=1))
    i = int(np.flatnonzero(near)[0])
    assert MESH.intersects_first(origins[i], ways[i]) == hits.triangle[i] and MESH.intersects_any(origins[i], ways[i])


def test_points_of_a_mesh():
    points = random(3, 150, 3)
    distances = distances_to_triangles(points)
    places, found, triangles = MESH.closest_point(points)
    np.testing.assert_allclose(found, distances.min(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(distances[np.arange(150), triangles], found, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(places - points, axis=1), found, rtol=1e-4, atol=1e-5)
    # The ball is convex: inside is behind every triangle.
    normals = np.cross(CORNERS[:, 1] - CORNERS[:, 0], CORNERS[:, 2] - CORNERS[:, 0])
    inside = (((points[:, None] - CORNERS[None, :, 0]) * normals[None]).sum(axis=2) <= 0).all(axis=1)
    assert 10 < inside.sum() < 140 and np.array_equal(MESH.contains(points), inside)
    np.testing.assert_allclose(MESH.signed_distance(points), np.where(inside, -1, 1) * distances.min(axis=1), rtol=1e-5, atol=1e-6)
    assert bool(MESH.contains(points[0])) == inside[0] and MESH.closest_point(points[0])[1] == found[0]
    assert MESH.contains(VERTICES).all()


def test_shapes_at_a_mesh():
    centers, radii = random(4, 40, 3), np.abs(random(5, 40)) * 0.15
    near = distances_to_triangles(centers) <= radii[:, None]
    spheres = broadside.Spheres(centers, radii)
    assert np.array_equal(MESH.query(spheres).T, np.argwhere(near)) and near.sum() > 20
    assert np.array_equal(MESH.any(spheres), near.any(axis=1))
    assert np.array_equal(MESH.query(broadside.Capsules(centers, centers, radii)).T, np.argwhere(near))
    assert MESH.query(broadside.Spheres(centers[0], radii[0])).tolist() == np.flatnonzero(near[0]).tolist()
    axes, extents = rotations(6, 40), np.abs(random(7, 40, 3)) * 0.15
    # Boxes against triangles, by the axes that separate: those of box, triangle and the products of edges.
    gaps = np.array([[triangle_gap(*box, corners) for corners in CORNERS] for box in zip(centers, axes, extents)])
    sure = np.abs(gaps).min(axis=1) > 1e-5
    obbs = broadside.Obbs(centers[sure], axes[sure], extents[sure])
    assert np.array_equal(MESH.query(obbs).T, np.argwhere(gaps[sure] <= 0)) and (gaps[sure] <= 0).sum() > 20
    straight = np.tile(np.eye(3), (40, 1, 1))
    boxes = np.hstack((centers - extents, centers + extents)).astype(np.float32)
    gaps = np.array([[triangle_gap((box[:3] + box[3:]) / 2.0, np.eye(3), (box[3:] - box[:3]) / 2.0, corners)
                      for corners in CORNERS] for box in boxes])
    sure = np.abs(gaps).min(axis=1) > 1e-5
    assert np.array_equal(MESH.query(boxes[sure]).T, np.argwhere(gaps[sure] <= 0))
    turned = broadside.Obbs(centers, straight, extents)
    assert np.array_equal(MESH.any(turned)[sure], MESH.any(boxes)[sure])


def triangle_gap(center, axes, extents, corners):
    edges = corners - np.roll(corners, 1, axis=0)
    lines = [*axes, np.cross(edges[0], edges[1]), *(np.cross(axis, edge) for axis in axes for edge in edges)]
    lines = np.array([line / np.linalg.norm(line) for line in lines if np.linalg.norm(line) > 1e-9])
    on = (corners - center) @ lines.T
    reach = np.abs(lines @ np.asarray(axes).T) @ extents
    return np.maximum(on.min(axis=0) - reach, -reach - on.max(axis=0)).max()


def test_moving_shapes_at_a_mesh():
    centers, ways = random(8, 60, 3), (random(9, 60, 3) - 3) * 2
    radii = np.abs(random(10, 60)) * 0.05 + 0.05
    for shapes in (broadside.Spheres(centers, radii), broadside.Capsules(centers, centers, radii)):
        t, triangles = MESH.cast(broadside.Casts(shapes, ways))
        for i in range(60):
            steps = np.linspace(0, 1, 400)
            gap = distances_to_triangles(centers[i] + steps[:, None] * ways[i].astype(float)).min(axis=1) - radii[i]
            if t[i] == np.inf:
                assert triangles[i] == -1 and gap.min() > -1e-3
                continue
            assert (gap[steps < t[i] - 1e-3] > 0).all()
            there = distances_to_triangles((centers[i] + t[i] * ways[i].astype(float))[None])[0]
            assert t[i] == 0 and there[triangles[i]] <= radii[i] or abs(there[triangles[i]] - radii[i]) < 1e-4
    assert (t < np.inf).sum() > 10
    listed = MESH.cast_all(broadside.Casts(shapes, ways), workers=2)
    first = np.searchsorted(listed.query, np.flatnonzero(t < np.inf))
    assert np.array_equal(np.unique(listed.query), np.flatnonzero(t < np.inf)) and len(listed.query) > len(first)
    assert np.array_equal(listed.t[first], t[t < np.inf]) and np.array_equal(listed.triangle[first], triangles[t < np.inf])
    for i in range(0, 60, 7):
        # Every triangle that is met alone, when it is met.
        cast = broadside.Casts(broadside.Capsules(centers[i], centers[i], radii[i]), ways[i])
        alone = [broadside.TriangleMesh(VERTICES, [face]).cast(cast)[0] for face in FACES]
        met = [int(j) for j in np.argsort(alone, kind="stable") if alone[j] < np.inf]
        assert listed.triangle[listed.query == i].tolist() == met
        assert listed.t[listed.query == i].tolist() == [alone[j] for j in met]
    early, _ = MESH.cast(broadside.Casts(shapes, ways, reach=0.1))
    assert np.array_equal(early < np.inf, t <= np.float32(0.1))
    # An oriented box along the axes is a box, whose times are those of rays at grown triangles: here by steps.
    obbs = broadside.Obbs(centers, np.eye(3)[None].repeat(60, axis=0), np.full(3, 0.1))
    t, triangles = MESH.cast(broadside.Casts(obbs, ways))
    for i in range(0, 60, 5):
        steps = np.linspace(0, 1, 60)
        met = [MESH.any(broadside.Obbs(centers[i] + s * ways[i], np.eye(3), [0.1] * 3)) for s in steps]
        first = steps[np.argmax(met)] if np.any(met) else np.inf
        assert first >= t[i] - 1e-5 and (t[i] == np.inf or first == np.inf or first - t[i] <= 1 / 59 + 1e-5)


def test_what_a_mesh_is():
    assert len(MESH) == len(FACES) and MESH.degenerate_count == 0 and MESH.components().tolist() == [0]
    assert np.array_equal(MESH.triangles, VERTICES[FACES])
    np.testing.assert_array_equal(MESH.bounds, (VERTICES.min(axis=0), VERTICES.max(axis=0)))
    for again in (pickle.loads(pickle.dumps(MESH)), copy.copy(MESH)):
        assert np.array_equal(again.triangles, MESH.triangles)
        assert np.array_equal(again.contains(random(1, 50, 3)), MESH.contains(random(1, 50, 3)))
    empty = broadside.TriangleMesh([], [])
    assert len(empty) == 0 and empty.intersects_first([[0, 0, 0]], [[0, 0, 1]]).tolist() == [-1]


@pytest.mark.parametrize("call, error, text", (
    (lambda: broadside.TriangleMesh(VERTICES, [[0, 1]]), ValueError, "faces: shape (1, 2)"),
    (lambda: broadside.TriangleMesh(VERTICES, [[0, 1, 2], [0, 1, 999]]), ValueError, "faces: row 1 is (0, 1, 999)"),
    (lambda: broadside.TriangleMesh(VERTICES, [[0, 1, 2.5]]), TypeError, "faces: "),
    (lambda: broadside.TriangleMesh([[0, 0, np.inf]], [[0, 0, 0]]), ValueError, "vertices: row 0"),
    (lambda: broadside.TriangleMesh(VERTICES, FACES, sides="back"), ValueError, "sides: 'back'"),
    (lambda: broadside.TriangleMesh(VERTICES, FACES, quality="best"), ValueError, "quality: 'best'"),
    (lambda: MESH.cast(broadside.Casts([0, 0, 0, 1, 1, 1], [1, 0, 0])), TypeError, "casts: Casts(1)"),
    (lambda: MESH.cast_all(broadside.Casts([0, 0, 0, 1, 1, 1], [1, 0, 0])), TypeError, "casts: Casts(1)"),
    (lambda: MESH.contains([[0, 0]]), ValueError, "points: shape (1, 2)"),
    (lambda: MESH.closest_hits(broadside.Spheres([0, 0, 0], 1)), TypeError, "rays: Spheres(1)"),
))
def test_errors_of_a_mesh(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)
