"""Names, arguments, defaults, shapes and types of the calls that are trimesh's, by its public documentation: they hold without it.

test_collision_manager.py compares the results where trimesh is installed.
"""

import inspect
import types

import numpy as np
import pytest

import broadside
from test_collision_manager import CUBE, CUBE_FACES

MESH = broadside.TriangleMesh(CUBE, CUBE_FACES)
# Parameters of trimesh 3 and 4 in their order, with their defaults.
RAYS = {"ray_origins": inspect.Parameter.empty, "ray_directions": inspect.Parameter.empty}
CALLS = {
    (broadside.TriangleMesh, "intersects_location"): {**RAYS, "multiple_hits": True},
    (broadside.TriangleMesh, "intersects_id"): {**RAYS, "multiple_hits": True, "return_locations": False},
    (broadside.TriangleMesh, "intersects_first"): RAYS,
    (broadside.TriangleMesh, "intersects_any"): RAYS,
    (broadside.TriangleMesh, "contains"): {"points": inspect.Parameter.empty},
    (broadside.TriangleMesh, "closest_point"): {"points": inspect.Parameter.empty},
    (broadside.TriangleMesh, "signed_distance"): {"points": inspect.Parameter.empty},
    (broadside.CollisionManager, "add_object"): {
        "name": inspect.Parameter.empty, "mesh": inspect.Parameter.empty, "transform": None},
    (broadside.CollisionManager, "remove_object"): {"name": inspect.Parameter.empty},
    (broadside.CollisionManager, "set_transform"): {"name": inspect.Parameter.empty, "transform": inspect.Parameter.empty},
    (broadside.CollisionManager, "in_collision_single"): {
        "mesh": inspect.Parameter.empty, "transform": None, "return_names": False},
    (broadside.CollisionManager, "in_collision_internal"): {"return_names": False},
    (broadside.CollisionManager, "in_collision_other"): {"other_manager": inspect.Parameter.empty, "return_names": False},
}
DOWN = np.array([[0.25, 0.5, 9], [0.25, 0.5, -9], [7, 7, 9]]), np.array([[0, 0, -1], [0, 0, 2], [0, 0, -1.0]])


@pytest.mark.parametrize("owner, name", CALLS, ids=lambda each: getattr(each, "__name__", each))
def test_parameters_and_defaults(owner, name):
    expected = CALLS[owner, name]
    own = inspect.signature(getattr(owner, name)).parameters
    assert {key: own[key].default for key in expected if key in own} == expected
    # The parameters that only broadside has are by name alone, so that trimesh's calls by position mean the same.
    positional = [key for key, each in own.items() if each.kind is each.POSITIONAL_OR_KEYWORD and key != "self"]
    assert positional == list(expected)[:len(positional)]


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("rows", (DOWN, tuple(each[2:] for each in DOWN)), ids=("hits", "no hit"))
def test_shapes_and_types_of_rays(rows, dtype):
    origins, directions = (each.astype(dtype) for each in rows)
    rays = {"ray_origins": origins, "ray_directions": directions}
    for multiple_hits, count in ((True, 4), (False, 2)):
        count = count if len(origins) == 3 else 0
        locations, index_ray, index_tri = MESH.intersects_location(multiple_hits=multiple_hits, **rays)
        assert (locations.shape, locations.dtype) == ((count, 3), np.float64)
        assert [(each.shape, each.dtype) for each in (index_ray, index_tri)] == [((count,), np.int64)] * 2
        ids = MESH.intersects_id(multiple_hits=multiple_hits, return_locations=True, **rays)
        assert len(ids) == 3 and all(map(np.array_equal, ids, (index_tri, index_ray, locations)))
        assert all(map(np.array_equal, MESH.intersects_id(multiple_hits=multiple_hits, **rays), (index_tri, index_ray)))
        if count:
            assert sorted(set(locations[:, 2])) == [-1, 1] and set(index_ray) == {0, 1}
    first, any_of = MESH.intersects_first(**rays), MESH.intersects_any(**rays)
    assert (first.shape, first.dtype, any_of.shape, any_of.dtype) == ((len(origins),), np.int64, (len(origins),), np.bool_)
    assert any_of.tolist() == (first >= 0).tolist() and first[-1] == -1


def test_shapes_and_types_of_points():
    points = np.array([[0, 0, 0.5], [3, 0, 0], [0, 0, 9]])
    inside, distance = MESH.contains(points), -MESH.signed_distance(points)
    assert (inside.tolist(), inside.dtype) == ([True, False, False], np.bool_)
    # The sign of trimesh: positive inside.
    assert (distance.tolist(), distance.dtype.kind) == ([0.5, -2, -8], "f")
    closest, distances, triangles = MESH.closest_point(points)
    assert (closest.shape, distances.shape, triangles.shape) == ((3, 3), (3,), (3,))
    assert (closest.tolist(), distances.tolist(), triangles.dtype) == ([[0, 0, 1], [1, 0, 0], [0, 0, 1]], [0.5, 2, 8], np.int64)
    assert MESH.bounds.tolist() == [[-1] * 3, [1] * 3]


def manager_of(*names):
    """Cubes in a row that overlap their neighbours."""
    manager = broadside.CollisionManager()
    for i, name in enumerate(names):
        matrix = np.eye(4)
        matrix[0, 3] = 1.5 * i
        manager.add_object(name, types.SimpleNamespace(vertices=CUBE, faces=CUBE_FACES), transform=matrix)
    return manager


def test_names_of_a_pair_are_in_alphabetical_order():
    manager = manager_of("c", "b", "a")
    assert manager.in_collision_internal() is True
    assert manager.in_collision_internal(return_names=True) == (True, {("b", "c"), ("a", "b")})
    # The first name is this manager's, whatever the order.
    assert manager.in_collision_other(manager_of("z"), return_names=True) == (True, {("c", "z"), ("b", "z")})
    assert manager_of("z").in_collision_other(manager, return_names=True) == (True, {("z", "c"), ("z", "b")})
    assert manager.in_collision_single(MESH, return_names=True) == (True, {"c", "b"})
    assert manager.in_collision_single(MESH) is True
    # Names without an order keep that of adding.
    assert manager_of(2, "one").in_collision_internal(True) == (True, {(2, "one")})


def test_an_object_that_is_added_again_is_replaced():
    manager = manager_of("a", "b")
    far = np.eye(4)
    far[1, 3] = 50
    manager.add_object("b", MESH, far)
    assert len(manager) == 2 and manager.in_collision_internal(True) == (False, set())
    manager.add_object("b", MESH)
    assert manager.in_collision_internal(True) == (True, {("a", "b")})
    for call in (lambda: manager.remove_object("c"), lambda: manager.set_transform("c", far)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError):
        manager.add_object("d", MESH, np.eye(3))
