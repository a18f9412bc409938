"""Meshes of triangles: rays, shapes and points against them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (BoxesLike, Invalid, _array, as_boxes, as_choice, as_column, as_floats, as_rows, as_workers, of_one, wrong)
from ._queries import BoxRows, Casts, RayCalls, Rays, _Queries

Sides = Literal["both", "front"]


class MeshHits(NamedTuple):
    """What each ray hits first: t in multiples of its direction (inf), the triangle (-1) and where in it, which is
    a + u (b - a) + v (c - a)."""

    t: NDArray[np.float32]
    triangle: NDArray[np.int64]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class MeshHitList(NamedTuple):
    """All triangles that rays hit, ascending by ray, then by t."""

    query: NDArray[np.int64]
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class TriangleMesh(RayCalls):
    """Triangles, which never change: `vertices` (n, 3), rounded to float32, and `faces` (m, 3), indices of vertices.

    Ray hits are decided exactly: no ray passes between two triangles that share an edge.

    Parameters
    ----------
    sides : 'both', or 'front': rays hit triangles only from where their corners go round counter-clockwise.
    """

    def __init__(self, vertices: ArrayLike, faces: ArrayLike, *, sides: Sides = "both",
                 workers: Optional[int] = 1) -> None:
        corners, _ = as_rows(vertices, "vertices", (3,))
        indices = _array(faces, "faces")
        if indices.size == 0:
            indices = np.empty((0, 3), dtype=np.uint32)
        if indices.ndim != 2 or indices.shape[1] != 3:
            raise wrong("faces", f"shape {indices.shape}", "(m, 3)")
        flat = as_column(indices.reshape(-1), "faces", None, np.uint32, 0, 2 ** 32 - 1)
        bad = np.argwhere(flat.reshape(-1, 3) >= len(corners))
        if len(bad):
            row = bad[0][0]
            raise wrong("faces", f"row {row} is {tuple(indices[row].tolist())}", f"indices below {len(corners)}")
        self._front_only = bool(as_choice(sides, "sides", ("both", "front")))
        self._native = _broadside.Mesh(as_floats(corners), flat.reshape(-1, 3), as_workers(workers))

    def __len__(self) -> int:
        return self._native.size()

    def __repr__(self) -> str:
        return f"TriangleMesh({len(self)} triangles)"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _mesh_of, (self.save(), self._front_only)

    @property
    def triangles(self) -> NDArray[np.float32]:
        """The corners, (m, 3, 3)."""
        return self._native.triangles().reshape(-1, 3, 3)

    @property
    def bounds(self) -> NDArray[np.float32]:
        """The least and the greatest corner, (2, 3), as trimesh has it; inf and -inf without triangles."""
        corners = self.triangles.reshape(-1, 3)
        return np.array((corners.min(axis=0, initial=np.inf), corners.max(axis=0, initial=-np.inf)), dtype=np.float32)

    @property
    def degenerate_count(self) -> int:
        """Triangles without an area, which no ray hits."""
        return self._native.degenerate_count()

    def components(self) -> NDArray[np.int64]:
        """The first triangle of each part that hangs together."""
        return self._native.components()[0]

    # Rays.

    def closest_hits(self, rays: Rays, *, workers: Optional[int] = 1) -> MeshHits:
        """The triangle that each ray hits first."""
        return MeshHits(*(of_one(rays.is_single, each) for each in self._hit("closest_hits", rays, as_workers(workers))))

    def find_hits(self, rays: Rays, *, workers: Optional[int] = 1) -> MeshHitList:
        """All triangles that each ray hits."""
        return MeshHitList(*self._hit("find_hits", rays, as_workers(workers)))

    def any_hit(self, rays: Rays, *, workers: Optional[int] = 1) -> NDArray[np.bool_]:
        """Whether each ray hits a triangle."""
        return of_one(rays.is_single, self._hit("any_hit", rays, as_workers(workers)))

    # Shapes and points.

    def query(self, shapes: Union[BoxesLike, _Queries], *, workers: Optional[int] = 1,
              invalid: Invalid = "raise") -> NDArray[np.int64]:
        """The triangles that boxes, `Spheres`, `Capsules` or `Obbs` overlap: as `BoxTree.query`."""
        asked = self._asked(shapes, invalid)
        rows, found = self._native.shape_overlaps(asked.KIND, asked.rows(), as_workers(workers))
        return found if asked.is_single else np.stack((rows, found))

    def any(self, shapes: Union[BoxesLike, _Queries], *, workers: Optional[int] = 1,
            invalid: Invalid = "raise") -> NDArray[np.bool_]:
        """Whether each overlaps a triangle."""
        asked = self._asked(shapes, invalid)
        return of_one(asked.is_single, self._native.any_shape_overlap(asked.KIND, asked.rows(), as_workers(workers)))

    def cast(self, casts: Casts, *, workers: Optional[int] = 1) -> Tuple[NDArray[np.float32], NDArray[np.int64]]:
        """When each of `Casts` of `Spheres`, `Capsules` or `Obbs` first touches a triangle, in parts of its way, and
        which: inf and -1 for nothing."""
        if not isinstance(casts, Casts) or isinstance(casts.shapes, BoxRows):
            raise wrong("casts", repr(casts), "Casts of Spheres, Capsules or Obbs", TypeError)
        rows = casts.rows()
        width = casts.shapes.numbers.shape[1]
        t, names = self._native.closest_impacts(casts.shapes.KIND, np.ascontiguousarray(rows[:, :width]),
                                                np.ascontiguousarray(rows[:, width:width + 3]), as_workers(workers))
        is_late = t > rows[:, -1]
        t[is_late], names[is_late] = np.inf, -1
        return of_one(casts.is_single, t), of_one(casts.is_single, names)

    def contains(self, points: ArrayLike, *, workers: Optional[int] = 1,
                 invalid: Invalid = "raise") -> NDArray[np.bool_]:
        """Whether the mesh, which must be closed, holds each point, its surface included; decided exactly."""
        rows, is_single = as_rows(points, "points", (3,), invalid=invalid)
        return of_one(is_single, self._native.contain(as_floats(rows), as_workers(workers)))

    def closest_point(self, points: ArrayLike, *, workers: Optional[int] = 1, invalid: Invalid = "raise"
                      ) -> Tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
        """The closest point of the surface, its distance and its triangle, as trimesh's `closest_point`."""
        rows, is_single = as_rows(points, "points", (3,), invalid=invalid)
        x, y, z, squares, names = self._native.closest_points(as_floats(rows), as_workers(workers))
        places, distances = np.stack((x, y, z), axis=1), np.sqrt(squares)
        return of_one(is_single, places), of_one(is_single, distances), of_one(is_single, names)

    def signed_distance(self, points: ArrayLike, *, workers: Optional[int] = 1,
                        invalid: Invalid = "raise") -> NDArray[np.float32]:
        """The distance to the surface of a closed mesh, negative inside (trimesh's is positive there)."""
        rows, is_single = as_rows(points, "points", (3,), invalid=invalid)
        return of_one(is_single, self._native.signed_distances(as_floats(rows), as_workers(workers)))

    def save(self) -> bytes:
        """The mesh as bytes, tree and all, the same on every machine."""
        return self._native.save()

    def _hit(self, call: str, rays: Rays, workers: int) -> Any:
        if not isinstance(rays, Rays):
            raise wrong("rays", repr(rays), "Rays", TypeError)
        if rays.rule != 2:
            raise wrong("inside", "not 'zero'", "'zero' for rays at meshes")
        return getattr(self._native, call)(rays.rows(), self._front_only, workers)

    def _first(self, rays: Rays, workers: int) -> Tuple[NDArray[Any], NDArray[Any]]:
        t, names, _, _ = self._hit("closest_hits", rays, workers)
        return t, names

    def _all(self, rays: Rays, workers: int) -> Tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        rows, names, t, _, _ = self._hit("find_hits", rays, workers)
        return rows, names, t

    def _any(self, rays: Rays, workers: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._hit("any_hit", rays, workers)
        return found

    @staticmethod
    def _asked(shapes: Any, invalid: str) -> _Queries:
        if isinstance(shapes, (Rays, Casts)):
            raise wrong("shapes", repr(shapes), "boxes, Spheres, Capsules or Obbs", TypeError)
        if isinstance(shapes, _Queries):
            if len(shapes) and shapes.axis_count != 3:
                raise wrong("shapes", f"{shapes.axis_count} axes", "3")
            return shapes
        return BoxRows(as_boxes(shapes, "boxes", axes=3, invalid=invalid))


def _mesh_of(data: bytes, front_only: bool) -> TriangleMesh:
    mesh = TriangleMesh(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), sides="front" if front_only else "both")
    mesh._native.restore(data)
    return mesh
