"""CollisionManager against brute force over triangles, and against trimesh where it and its FCL are installed."""

import importlib.util
import types

import numpy as np
import pytest

import broadside
from test_mesh import ball
from test_queries import rotations

CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float32)
CUBE_FACES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
                       [0, 6, 4], [1, 5, 7], [1, 7, 3]])
PARTS = [(CUBE, CUBE_FACES), ball(6, 7, 1.2, (0, 0, 0))]


def crosses(segments, triangles):
    """Whether a segment (n, 2, 3) goes through a triangle (m, 3, 3), (n, m), in doubles."""
    a, b, c = (triangles[None, :, i] for i in range(3))
    from_, along = segments[:, None, 0], (segments[:, 1] - segments[:, 0])[:, None]
    p = np.cross(along, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1 / (p * (b - a)).sum(axis=2)
        u = ((from_ - a) * p).sum(axis=2) * inverse
        q = np.cross(from_ - a, b - a)
        v = (along * q).sum(axis=2) * inverse
        t = ((c - a) * q).sum(axis=2) * inverse
    return (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1)


def surfaces_meet(a, b):
    """Two surfaces in general position meet if an edge of one goes through a triangle of the other."""
    for one, other in ((a, b), (b, a)):
        edges = np.concatenate([one[:, [i, (i + 1) % 3]] for i in range(3)])
        if crosses(edges, other).any():
            return True
    return False


def scene(seed, count=14):
    rng = np.random.default_rng(seed)
    matrices = np.tile(np.eye(4), (count, 1, 1))
    turns = rotations(seed, count)
    matrices[:, :3, :3] = turns * np.sign(np.linalg.det(turns))[:, None, None]
    matrices[:, :3, 3] = rng.random((count, 3)) * 6
    parts = [PARTS[i % 2] for i in range(count)]
    return parts, matrices.astype(np.float32).astype(float)


def placed(part, matrix):
    return (part[0][part[1]].astype(float) @ matrix[:3, :3].T) + matrix[:3, 3]


def manager_of(parts, matrices, names, kind=broadside.CollisionManager, mesh=broadside.TriangleMesh):
    manager = kind()
    for part, matrix, name in zip(parts, matrices, names):
        manager.add_object(name, mesh(*part), matrix)
    return manager


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_collisions_are_those_of_brute_force(seed):
    parts, matrices = scene(seed)
    names = [f"part {i}" for i in range(len(parts))]
    manager = manager_of(parts, matrices, names)

    def expected():
        surfaces = [placed(*each) for each in zip(parts, matrices)]
        return {tuple(sorted((names[i], names[j]))) for j in range(len(parts)) for i in range(j)
                if surfaces_meet(surfaces[i], surfaces[j])}

    assert manager.in_collision_internal(return_names=True) == (True, expected()) and len(expected()) > 3
    assert manager.in_collision_internal() is True and len(manager) == len(manager.scene()) == 14
    before = expected()
    matrices[3, :3, 3] += (1, -1, 0.5)
    manager.set_transform(names[3], matrices[3])
    assert manager.in_collision_internal(True)[1] == expected() != before
    manager.remove_object(names[0])
    assert manager.in_collision_internal(True)[1] == {pair for pair in expected() if names[0] not in pair}
    others, other_matrices = scene(seed + 10, 5)
    between = {(names[i], j) for i in range(1, len(parts)) for j in range(5) if surfaces_meet(
        placed(parts[i], matrices[i]), placed(others[j], other_matrices[j]))}
    other = manager_of(others, other_matrices, range(5))
    assert manager.in_collision_other(other, return_names=True) == (True, between) and len({j for _, j in between}) > 1
    own = {name for name, j in between if j == 0}
    assert manager.in_collision_single(broadside.TriangleMesh(*others[0]), other_matrices[0], return_names=True) == (bool(own), own)
    far = np.eye(4)
    far[:3, 3] = 99
    assert manager.in_collision_single(broadside.TriangleMesh(*parts[0]), far, True) == (False, set())


def test_an_object_inside_another_collides_on_request():
    small = np.diag([0.25, 0.25, 0.25, 1])
    for find_contained in (False, True):
        manager = broadside.CollisionManager(find_contained=find_contained)
        manager.add_object("out", types.SimpleNamespace(vertices=CUBE, faces=CUBE_FACES))
        manager.add_object("in", broadside.TriangleMesh(CUBE, CUBE_FACES), small)
        assert manager.in_collision_internal(True) == (find_contained, {("in", "out")} if find_contained else set())
    touching = np.eye(4)
    touching[0, 3] = 2
    assert manager.in_collision_single(broadside.TriangleMesh(CUBE, CUBE_FACES), touching, True) == (True, {"out"})


def test_wrong_arguments_are_named():
    manager = broadside.CollisionManager()
    assert manager.in_collision_internal(True) == (False, set())
    manager.add_object("a", broadside.TriangleMesh(CUBE, CUBE_FACES))
    for call, text in ((lambda: manager.remove_object("b"), r"name: 'b'; wanted one of \['a'\]"),
                       (lambda: manager.set_transform("a", np.eye(3)), r"transform: shape \(3, 3\)"),
                       (lambda: manager.add_object("c", 5), "mesh: int; wanted a TriangleMesh"),
                       (lambda: manager.in_collision_other(5), "other_manager: int")):
        with pytest.raises((TypeError, ValueError), match=f"^{text}"):
            call()
    assert len(manager) == 1


@pytest.mark.skipif(not all(map(importlib.util.find_spec, ("trimesh", "fcl"))), reason="trimesh and python-fcl are not installed")
@pytest.mark.parametrize("seed", (1, 2, 3))
def test_collisions_are_those_of_trimesh(seed):
    import trimesh.collision

    parts, matrices = scene(seed)
    names = [f"part {i}" for i in range(len(parts))]
    theirs = manager_of(parts, matrices, names, trimesh.collision.CollisionManager,
                        lambda vertices, faces: trimesh.Trimesh(vertices, faces, process=False))
    assert manager_of(parts, matrices, names).in_collision_internal(True) == theirs.in_collision_internal(True)


@pytest.mark.skipif(importlib.util.find_spec("trimesh") is None, reason="trimesh is not installed")
def test_rays_and_points_are_those_of_trimesh():
    import trimesh

    vertices, faces = ball()
    theirs, ours = trimesh.Trimesh(vertices, faces, process=False), broadside.TriangleMesh(vertices, faces)
    rng = np.random.default_rng(4)
    points, ways = rng.random((200, 3)) * 8 - 1, rng.normal(size=(200, 3))
    assert theirs.ray.intersects_first(points, ways).tolist() == ours.intersects_first(points, ways).tolist()
    assert theirs.ray.intersects_any(points, ways).tolist() == ours.intersects_any(points, ways).tolist()
    assert theirs.contains(points).tolist() == ours.contains(points).tolist()
    places, distances, _ = theirs.nearest.on_surface(points)
    own_places, own_distances, _ = ours.closest_point(points)
    assert np.allclose(places, own_places, atol=1e-5) and np.allclose(distances, own_distances, atol=1e-5)
    assert np.allclose(trimesh.proximity.signed_distance(theirs, points), -ours.signed_distance(points), atol=1e-5)
