"""Placed meshes, queried as one, and their clashes."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (BoxesLike, Invalid, as_choice, as_number, as_workers, check_options, is_raising, of_one,
                      wrong)
from ._mesh import LARGEST, PLACEMENT, Sides, SurfaceCalls, TriangleMesh, as_transforms, matrix_of
from ._queries import Casts, Rays, _Queries


class SceneHits(NamedTuple):
    """The first hit of each ray: t in multiples of its direction (inf), the instance and its triangle (-1), and u and v
    as in `MeshHits`."""

    t: NDArray[np.float32]
    instance: NDArray[np.int64]
    triangle: NDArray[np.int64]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class SceneHitList(NamedTuple):
    """All triangles that rays hit, ascending by ray, then by t, instance and triangle."""

    query: NDArray[np.int64]
    instance: NDArray[np.int64]
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class SceneImpactList(NamedTuple):
    """All triangles that moving shapes meet, ascending by cast, then by t, instance and triangle."""

    query: NDArray[np.int64]
    instance: NDArray[np.int64]
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]


class Clashes(NamedTuple):
    """Instances that come to each other, ascending."""

    pairs: NDArray[np.int64]
    """(k, 2) instances: i < j of one scene, or of scene a and of scene b."""
    relation: NDArray[np.uint8]
    """How they lie to each other: an index of `RELATIONS`, never that of 'apart'."""
    candidate_count: int
    """Pairs whose boxes came within the clearance, all of which were decided."""


class MeshScene(SurfaceCalls):
    """Instances of meshes, each turned, scaled by one number and moved, which are queried as one mesh.

    Results name the instance and its triangle. Rays by trimesh's names (`intersects_first` and its like) name the
    instance alone.

    Parameters
    ----------
    meshes : a `TriangleMesh` for each instance; the same one may be there many times.
    transforms : matrices (n, 4, 4) or (n, 3, 4) that take corners of meshes to the world, or one for all; None leaves them
        where they are.
    sides : see `TriangleMesh`.
    """

    _native: _broadside.Scene

    def __init__(self, meshes: Sequence[TriangleMesh], transforms: Optional[ArrayLike] = None, *, sides: Sides = "both",
                 workers: Optional[int] = 1) -> None:
        self._meshes = as_meshes(meshes)
        self._front_only = bool(as_choice(sides, "sides", ("both", "front")))
        rows = as_transforms(transforms, "transforms", len(self._meshes))
        try:
            self._native = _broadside.Scene([mesh._native for mesh in self._meshes], rows, as_workers(workers))
        except IndexError as error:
            raise _misplaced(rows, int(str(error))) from None

    def __len__(self) -> int:
        return self._native.size()

    def __repr__(self) -> str:
        return f"MeshScene({len(self)} instances)"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _scene_of, (self._meshes, self.transforms, self._front_only)

    @property
    def meshes(self) -> Tuple[TriangleMesh, ...]:
        """The mesh of each instance."""
        return self._meshes

    @property
    def transforms(self) -> NDArray[np.float32]:
        """The matrices of the instances, (n, 4, 4)."""
        rows = self._native.transforms()
        matrices = np.zeros((len(rows), 4, 4), dtype=np.float32)
        matrices[:, :3, :3], matrices[:, :3, 3], matrices[:, 3, 3] = rows[:, :9].reshape(-1, 3, 3), rows[:, 9:], 1
        return matrices

    def boxes(self) -> NDArray[np.float32]:
        """A box around each instance, (n, 6); min inf and max -inf around a mesh without triangles."""
        return self._native.boxes()

    def update(self, transforms: ArrayLike, *, workers: Optional[int] = 1) -> None:
        """Moves all instances. A matrix that is no placement raises ValueError, and the scene is as before."""
        rows = as_transforms(transforms, "transforms", len(self))
        try:
            self._native.update(rows, as_workers(workers))
        except IndexError as error:
            raise _misplaced(rows, int(str(error))) from None

    def closest_hits(self, rays: Rays, *, workers: Optional[int] = 1) -> SceneHits:
        """The instance and triangle that each ray hits first."""
        if workers != 1:
            as_workers(workers)
        one = self._native.closest_hit_one(rays, self._front_only)
        if one is not None:
            return SceneHits(*one)
        t, u, v, instance, triangle = self._hit("closest_hits", rays, as_workers(workers))
        return SceneHits(*(of_one(rays.is_single, each) for each in (t, instance, triangle, u, v)))

    def find_hits(self, rays: Rays, *, workers: Optional[int] = 1) -> SceneHitList:
        """All triangles of all instances that each ray hits."""
        if workers != 1:
            as_workers(workers)
        one = self._native.find_hits_one(rays, self._front_only)
        return SceneHitList(*(self._hit("find_hits", rays, as_workers(workers)) if one is None else one))

    def query(self, shapes: Union[BoxesLike, _Queries], *, invalid: Invalid = "raise") -> NDArray[np.int64]:
        """The triangles that boxes, `Spheres`, `Capsules` or `Obbs` overlap.

        (3, k): the indices of the queries above those of instances and of their triangles, ascending by all; (2, k) without
        the first row for one.
        """
        if invalid != "raise":
            is_raising(invalid)
        one = self._native.query_one(shapes)
        if one is not None:
            return one
        return self._overlaps(shapes, invalid)

    def cast(self, casts: Casts, *, workers: Optional[int] = 1
             ) -> Tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """When each of `Casts` of `Spheres`, `Capsules` or `Obbs` first touches a triangle, in parts of its way, the
        instance and the triangle: inf, -1 and -1 for nothing."""
        if workers != 1:
            as_workers(workers)
        one: Optional[Tuple[Any, Any, Any]] = self._native.cast_one(casts)
        if one is not None:
            return one
        t, (instance, triangle) = self._cast(casts, as_workers(workers))
        return t, instance, triangle

    def cast_all(self, casts: Casts, *, workers: Optional[int] = 1) -> SceneImpactList:
        """All triangles of all instances that each of `Casts` touches on its way, each when it is first touched."""
        return SceneImpactList(*self._cast_all(casts, workers))

    def closest_point(self, points: ArrayLike, *, workers: Optional[int] = 1, invalid: Invalid = "raise"
                      ) -> Tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """The closest point of all instances, its distance, the instance and the triangle."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one: Optional[Tuple[Any, Any, Any, Any]] = self._native.closest_point_one(points)
        if one is not None:
            return one
        places, distances, (instance, triangle) = self._closest(points, as_workers(workers), invalid)
        return places, distances, instance, triangle


def find_clashes(a: MeshScene, b: Optional[MeshScene] = None, *, clearance: float = 0.0, find_contained: bool = True,
                 workers: Optional[int] = 1) -> Clashes:
    """All pairs of meshes that come to each other: i < j of one scene, or one of `a` and one of `b`.

    Boxes find the candidates, and for each of these exact triangles decide, see `TriangleMesh.relation`. The result
    does not depend on `workers`.

    Parameters
    ----------
    clearance : surfaces no further apart are 'near'.
    find_contained : looks for a mesh inside a closed one, too.
    """
    for scene, name in ((a, "a"), (b, "b")):
        if not (isinstance(scene, MeshScene) or (name == "b" and scene is None)):
            raise wrong(name, type(scene).__name__, "a MeshScene", TypeError)
    reach = as_number(clearance, "clearance", 0, LARGEST)
    pairs, relation, count, bad_a, bad_b = _broadside.find_clashes(
        a._native, None if b is None else b._native, reach, bool(find_contained), as_workers(workers))
    for name, row in (("a", bad_a), ("b", bad_b)):
        if row >= 0:
            raise ValueError(f"{name}: instance {row}; seen from another mesh it is beyond the floats")
    return Clashes(pairs, relation, count)


def as_meshes(meshes: Sequence[TriangleMesh], name: str = "meshes") -> Tuple[TriangleMesh, ...]:
    """A tuple of meshes."""
    if isinstance(meshes, TriangleMesh) or not hasattr(meshes, "__iter__"):
        raise wrong(name, type(meshes).__name__, "a list of TriangleMesh", TypeError)
    listed = tuple(meshes)
    for row, mesh in enumerate(listed):
        if not isinstance(mesh, TriangleMesh):
            raise wrong(name, f"row {row} is of {type(mesh).__name__}", "a TriangleMesh", TypeError)
    return listed


def _misplaced(rows: NDArray[np.float32], row: int) -> Exception:
    return wrong("transforms", f"row {row} is {matrix_of(rows[row]).tolist()}", PLACEMENT)


def _scene_of(meshes: Tuple[TriangleMesh, ...], transforms: NDArray[np.float32], front_only: bool) -> MeshScene:
    return MeshScene(meshes, transforms, sides="front" if front_only else "both")
