"""Meshes of triangles: rays, shapes and points against them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (BoxesLike, Invalid, _array, as_boxes, as_choice, as_column, as_floats, as_number, as_rows,
                      as_workers, check_options, is_raising, of_one, wrong)
from ._queries import BoxRows, Casts, RayCalls, Rays, _Queries, as_motions, overlap_of_one

Sides = Literal["both", "front"]
Relation = Literal["apart", "near", "a_in_b", "b_in_a", "touching", "intersecting", "duplicate"]
RELATIONS: Tuple[Relation, ...] = ("apart", "near", "a_in_b", "b_in_a", "touching", "intersecting", "duplicate")
TRIANGLE_PAIR_KINDS = ("disjoint", "touching", "intersecting", "coplanar")
LARGEST = float(np.finfo(np.float32).max)
PLACEMENT = "a rotation or reflection, times one scale, and a translation that keep the mesh among the floats"


class MeshHits(NamedTuple):
    """The first hit of each ray: t in multiples of its direction (inf), the triangle (-1) and where in it, which is
    a + u (b - a) + v (c - a)."""

    t: NDArray[np.float32]
    triangle: NDArray[np.int64]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class TrianglePairs(NamedTuple):
    """Triangles of two meshes that meet, ascending."""

    pairs: NDArray[np.int64]
    """(k, 2) triangles."""
    kind: NDArray[np.uint8]
    """How they meet: an index of `TRIANGLE_PAIR_KINDS`."""


class ClosestTriangles(NamedTuple):
    """The triangles of two meshes that are closest to each other."""

    distance: float
    """0 exactly if triangles meet, inf if there are none."""
    triangle: int
    """-1 if there are none."""
    other_triangle: int
    """That of the other mesh."""
    point: NDArray[np.float32]
    """(3,) where this mesh is closest, in the world; zeros if there are no triangles."""
    other_point: NDArray[np.float32]
    """Where the other mesh is."""


class MeshHitList(NamedTuple):
    """All triangles that rays hit, ascending by ray, then by t."""

    query: NDArray[np.int64]
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class MeshImpactList(NamedTuple):
    """All triangles that moving shapes meet, ascending by cast, then by t, in parts of its way."""

    query: NDArray[np.int64]
    triangle: NDArray[np.int64]
    t: NDArray[np.float32]


class SurfaceCalls(RayCalls):
    """Calls that meshes and scenes share."""

    _native: Union[_broadside.Mesh, _broadside.Scene]
    _front_only: bool

    # Shapes and points.

    def any(self, shapes: Union[BoxesLike, _Queries], *, workers: Optional[int] = 1,
            invalid: Invalid = "raise") -> NDArray[np.bool_]:
        """Whether each overlaps a triangle."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.any_one(shapes)
        if one is not None:
            return one
        queries = self._as_queries(shapes, invalid)
        return of_one(queries.is_single, self._native.any_shape_overlap(queries.KIND, queries.rows(), as_workers(workers)))

    def any_hit(self, rays: Rays, *, workers: Optional[int] = 1) -> NDArray[np.bool_]:
        """Whether each ray hits a triangle."""
        if workers != 1:
            as_workers(workers)
        one = self._native.closest_hit_one(rays, self._front_only)
        if one is not None:
            has_hit: NDArray[np.bool_] = one[1] >= 0
            return has_hit
        found = self._hit("any_hit", rays, as_workers(workers))
        return of_one(rays.is_single, found)

    def contains(self, points: ArrayLike, *, workers: Optional[int] = 1,
                 invalid: Invalid = "raise") -> NDArray[np.bool_]:
        """Whether the mesh, or one of a scene's, each of which must be closed, holds each point, its surface included;
        decided exactly."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.contains_one(points)
        if one is not None:
            return one
        rows, is_single = as_rows(points, "points", (3,), invalid=invalid)
        return of_one(is_single, self._native.contain(as_floats(rows), as_workers(workers)))

    def signed_distance(self, points: ArrayLike, *, workers: Optional[int] = 1,
                        invalid: Invalid = "raise") -> NDArray[np.float32]:
        """The distance to the surface of closed meshes, negative inside (trimesh's is positive there); of a scene the
        least of its meshes'."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.signed_distance_one(points)
        if one is not None:
            return one
        rows, is_single = as_rows(points, "points", (3,), invalid=invalid)
        return of_one(is_single, self._native.signed_distances(as_floats(rows), as_workers(workers)))

    def _cast(self, casts: Casts, workers: int) -> Tuple[NDArray[np.float32], Tuple[NDArray[np.int64], ...]]:
        """Times and names of what moving shapes meet first."""
        t, *names = self._native.closest_impacts(*_solid_casts(casts), workers)
        return of_one(casts.is_single, t), tuple(of_one(casts.is_single, name) for name in names)

    def _cast_all(self, casts: Casts, workers: Optional[int]) -> Tuple[Any, ...]:
        """The queries, names and times of all that moving shapes meet."""
        return self._native.find_impacts(*_solid_casts(casts), as_workers(workers))  # type: ignore[no-any-return]

    def _closest(self, points: ArrayLike, workers: int, invalid: str
                 ) -> Tuple[NDArray[np.float32], NDArray[np.float32], Tuple[NDArray[np.int64], ...]]:
        rows, is_single = as_rows(points, "points", (3,), invalid=invalid)
        x, y, z, squares, *names = self._native.closest_points(as_floats(rows), workers)
        return (of_one(is_single, np.stack((x, y, z), axis=1)), of_one(is_single, np.sqrt(squares)),
                tuple(of_one(is_single, name) for name in names))

    def _overlaps(self, shapes: Any, invalid: str) -> NDArray[np.int64]:
        """Rows of queries above names; names alone for one."""
        queries = self._as_queries(shapes, invalid)
        found = np.stack(self._native.shape_overlaps(queries.KIND, queries.rows()))
        return found[1:] if queries.is_single else found

    def _hit(self, call: str, rays: Rays, workers: int) -> Any:
        if not isinstance(rays, Rays):
            raise wrong("rays", repr(rays), "Rays", TypeError)
        if rays.rule != 2:
            raise wrong("inside", "not 'zero'", "'zero' for rays at meshes")
        if len(rays) and rays.axis_count != 3:
            raise wrong("rays", f"{rays.axis_count} axes", "3")
        return getattr(self._native, call)(rays.rows(), self._front_only, workers)

    def _first(self, rays: Rays, workers: int) -> Tuple[NDArray[Any], NDArray[Any]]:
        t, _, _, names, *_ = self._hit("closest_hits", rays, workers)
        return t, names

    def _all(self, rays: Rays, workers: int) -> Tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        rows, names, *_, t, _, _ = self._hit("find_hits", rays, workers)
        return rows, names, t

    def _any(self, rays: Rays, workers: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._hit("any_hit", rays, workers)
        return found

    def _one(self, origin: Any, direction: Any, reach: Any) -> Optional[Tuple[NDArray[Any], NDArray[Any]]]:
        return self._native.ray_one(origin, direction, reach, self._front_only)

    def _locations_one(self, origin: Any, direction: Any, reach: Any, has_all: bool
                       ) -> Optional[Tuple[NDArray[Any], NDArray[np.int64], NDArray[Any]]]:
        return self._native.locations_one(origin, direction, reach, has_all, self._front_only)

    @staticmethod
    def _as_queries(shapes: Any, invalid: str) -> _Queries:
        if isinstance(shapes, (Rays, Casts)):
            raise wrong("shapes", repr(shapes), "boxes, Spheres, Capsules or Obbs", TypeError)
        if isinstance(shapes, _Queries):
            if len(shapes) and shapes.axis_count != 3:
                raise wrong("shapes", f"{shapes.axis_count} axes", "3")
            return shapes
        return BoxRows(as_boxes(shapes, "boxes", axes=3, invalid=invalid))


def _solid_casts(casts: Casts) -> Tuple[int, NDArray[np.float32]]:
    if not isinstance(casts, Casts) or casts._hit_kind == 1:
        raise wrong("casts", repr(casts), "Casts of Spheres, Capsules or Obbs", TypeError)
    return casts._hit_kind, casts.rows()


class TriangleMesh(SurfaceCalls):
    """Triangles, which never change: `vertices` (n, 3), rounded to float32, and `faces` (m, 3), indices of vertices.

    Ray hits are decided exactly: no ray passes between two triangles that share an edge.

    Parameters
    ----------
    sides : 'both', or 'front': rays hit triangles only from where their corners go round counter-clockwise.
    quality : 'standard', or 'fast': made in two fifths to a half of the time, and queries take up to 1.7 times as long.
    """

    _native: _broadside.Mesh

    def __init__(self, vertices: ArrayLike, faces: ArrayLike, *, sides: Sides = "both",
                 quality: Literal["standard", "fast"] = "standard", workers: Optional[int] = 1) -> None:
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
        is_fast = bool(as_choice(quality, "quality", ("standard", "fast")))
        self._native = _broadside.Mesh(as_floats(corners), flat.reshape(-1, 3), is_fast, as_workers(workers))

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
        if workers != 1:
            as_workers(workers)
        one = self._native.closest_hit_one(rays, self._front_only)
        if one is not None:
            return MeshHits(*one)
        t, u, v, triangle = self._hit("closest_hits", rays, as_workers(workers))
        return MeshHits(*(of_one(rays.is_single, each) for each in (t, triangle, u, v)))

    def find_hits(self, rays: Rays, *, workers: Optional[int] = 1) -> MeshHitList:
        """All triangles that each ray hits."""
        if workers != 1:
            as_workers(workers)
        one = self._native.find_hits_one(rays, self._front_only)
        return MeshHitList(*(self._hit("find_hits", rays, as_workers(workers)) if one is None else one))

    # Shapes and points.

    def query(self, shapes: Union[BoxesLike, _Queries], *, invalid: Invalid = "raise") -> NDArray[np.int64]:
        """The triangles that boxes, `Spheres`, `Capsules` or `Obbs` overlap: as `BoxTree.query`."""
        if invalid != "raise":
            is_raising(invalid)
        one = self._native.query_one(shapes)
        if one is not None:
            return one
        found = self._overlaps(shapes, invalid)
        return of_one(len(found) == 1, found)

    def first_overlaps(self, shapes: Union[BoxesLike, _Queries], shapes_per_state: int = 1, *,
                       motions: Optional[int] = None, workers: Optional[int] = 1,
                       invalid: Invalid = "raise") -> NDArray[np.int64]:
        """The first shape of each motion of a body that overlaps a triangle; -1 if none does.

        `shapes_per_state` consecutive shapes are the body in one state, and consecutive states are a motion. `motions` is how
        many motions the shapes are, all of one length; without it they are one, and the result is one number. It is the
        index of the shape within its motion, which divided by `shapes_per_state` is the state. The results are those of
        `any`, in less time if consecutive states are close to each other.
        """
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one: Optional[NDArray[np.int64]] = overlap_of_one(self._native.any_one, shapes_per_state, motions, shapes)
        if one is not None:
            return one
        queries = self._as_queries(shapes, invalid)
        each, total = as_motions(len(queries), shapes_per_state, motions)
        return of_one(motions is None, self._native.first_overlaps(queries.KIND, queries.rows(), each, total,
                                                                   as_workers(workers)))

    def cast(self, casts: Casts, *, workers: Optional[int] = 1) -> Tuple[NDArray[np.float32], NDArray[np.int64]]:
        """When each of `Casts` of `Spheres`, `Capsules` or `Obbs` first touches a triangle, in parts of its way, and
        which: inf and -1 for nothing."""
        if workers != 1:
            as_workers(workers)
        one: Optional[Tuple[Any, Any]] = self._native.cast_one(casts)
        if one is not None:
            return one
        t, (triangle,) = self._cast(casts, as_workers(workers))
        return t, triangle

    def cast_all(self, casts: Casts, *, workers: Optional[int] = 1) -> MeshImpactList:
        """All triangles that each of `Casts` of `Spheres`, `Capsules` or `Obbs` touches on its way, each when it is first
        touched."""
        return MeshImpactList(*self._cast_all(casts, workers))

    def closest_point(self, points: ArrayLike, *, workers: Optional[int] = 1, invalid: Invalid = "raise"
                      ) -> Tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
        """The closest point of the surface, its distance and its triangle, as trimesh's `closest_point`."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one: Optional[Tuple[Any, Any, Any]] = self._native.closest_point_one(points)
        if one is not None:
            return one
        places, distances, (triangle,) = self._closest(points, as_workers(workers), invalid)
        return places, distances, triangle

    # Two meshes, each placed by a matrix as a `MeshScene` takes it; None leaves a mesh where it is.

    def find_triangle_pairs(self, other: TriangleMesh, *, transform: Optional[ArrayLike] = None,
                            other_transform: Optional[ArrayLike] = None) -> TrianglePairs:
        """All triangles of this mesh and of another one that meet, decided exactly."""
        return TrianglePairs(*self._with(self._native.triangle_pairs, other, transform, other_transform))

    def first_impact(self, other: TriangleMesh, displacement: ArrayLike, other_displacement: ArrayLike = (0, 0, 0), *,
                     transform: Optional[ArrayLike] = None,
                     other_transform: Optional[ArrayLike] = None) -> Tuple[float, int, int]:
        """When two meshes that move by displacements first touch, as a fraction of the step, and by which triangles:
        (t, triangle, triangle of the other one); inf, -1 and -1 for never."""
        ways = [as_floats(as_rows(way, name, (3,), count=1)[0]) for way, name in (
            (displacement, "displacement"), (other_displacement, "other_displacement"))]
        t, own, theirs = self._with(self._native.impact, other, transform, other_transform, np.vstack(ways))
        return t, own, theirs

    def closest_triangles(self, other: TriangleMesh, *, max_distance: Optional[float] = None,
                          transform: Optional[ArrayLike] = None,
                          other_transform: Optional[ArrayLike] = None) -> ClosestTriangles:
        """The distance of two meshes, and where they are closest; none if that is further than max_distance.

        Of triangles that are equally near, the first of this mesh and then of the other one; any that meet if some
        do. Surfaces count: a mesh within another one has a distance from it.
        """
        reach = np.inf if max_distance is None else as_number(max_distance, "max_distance", 0)
        distance, own, theirs, points = self._with(
            self._native.closest_triangles, other, transform, other_transform, reach)
        return ClosestTriangles(distance, own, theirs, points[0], points[1])

    def relation(self, other: TriangleMesh, *, clearance: float = 0.0, find_contained: bool = True,
                 transform: Optional[ArrayLike] = None, other_transform: Optional[ArrayLike] = None) -> Relation:
        """How this mesh (a) lies to another one (b): the last word of `RELATIONS` that holds.

        'near' are surfaces no further apart than the clearance; 'a_in_b' and 'b_in_a' are looked for with
        `find_contained`, of closed meshes.
        """
        reach = as_number(clearance, "clearance", 0, LARGEST)
        found: int = self._with(self._native.relation, other, transform, other_transform, reach, bool(find_contained))
        return RELATIONS[found]

    def _with(self, call: Any, other: TriangleMesh, transform: Optional[ArrayLike], other_transform: Optional[ArrayLike],
              *rest: Any) -> Any:
        if not isinstance(other, TriangleMesh):
            raise wrong("other", type(other).__name__, "a TriangleMesh", TypeError)
        places = [as_transforms(matrix, name, 1) for matrix, name in (
            (transform, "transform"), (other_transform, "other_transform"))]
        try:
            return call(np.vstack(places), other._native, *rest)
        except IndexError as error:
            row = int(str(error))
            raise wrong(("transform", "other_transform")[row], matrix_of(places[row][0]).tolist(), PLACEMENT) from None
        except ValueError:
            raise ValueError("transform, other_transform: seen from one mesh the other one is beyond the floats") from None

    def save(self) -> bytes:
        """The mesh as bytes, tree and all, the same on every machine."""
        return self._native.save()


def as_transforms(matrices: Optional[ArrayLike], name: str, count: int) -> NDArray[np.float32]:
    """(count, 12): the nine numbers of matrices, row by row, and translations."""
    if matrices is None:
        matrices = np.eye(4)
    array = _array(matrices, name)
    if array.ndim not in (2, 3) or array.shape[-2:] not in ((4, 4), (3, 4)):
        raise wrong(name, f"shape {array.shape}", f"({count}, 4, 4) or ({count}, 3, 4)" if count != 1 else "(4, 4) or (3, 4)")
    width = array.shape[-2] * 4
    flat, _ = as_rows(array.reshape(width) if array.ndim == 2 else array.reshape(-1, width), name, (width,), count=count)
    if width == 16 and (flat[:, 12:] != (0, 0, 0, 1)).any():
        row = int(np.argmax((flat[:, 12:] != (0, 0, 0, 1)).any(axis=1)))
        raise wrong(name, f"row {row} ends in {flat[row, 12:].tolist()}", "0, 0, 0, 1 as the last row of a matrix")
    rows = as_floats(flat[:, :12]).reshape(-1, 3, 4)
    return np.hstack((rows[:, :, :3].reshape(-1, 9), rows[:, :, 3]))


def matrix_of(row: NDArray[np.float32]) -> NDArray[np.float32]:
    """(4, 4), of a row of `as_transforms`."""
    return np.vstack((np.hstack((row[:9].reshape(3, 3), row[9:].reshape(3, 1))), np.eye(4, dtype=np.float32)[3:]))


def _mesh_of(data: bytes, front_only: bool) -> TriangleMesh:
    mesh = TriangleMesh(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), sides="front" if front_only else "both")
    mesh._native.restore(data)
    return mesh
