"""Queries beside boxes and points: shapes, rays, and shapes that move; and the hits that come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (Boxes, BoxesLike, Invalid, as_boxes, as_choice, as_column, as_floats, as_rows, as_whole,
                      as_workers, check_options, is_raising, of_one, wrong)

if TYPE_CHECKING:
    from ._world import Where

Inside = Literal["miss", "negative_t", "zero"]
Touch = Literal["closed", "open"]
_INSIDE = ("miss", "negative_t", "zero")
_TOUCH = ("closed", "open")
_LARGEST = float(np.finfo(np.float32).max)


class Hits(NamedTuple):
    """The first hit of each query, an entry for each: a time, a target (the index of a tree's box, the handle of a world's
    object) and a face; inf, -1 (of a world 0) and 6 where there is nothing.

    `t` is in multiples of a ray's direction, or of the way of a cast. Faces are twice the number of the axis, plus one
    on the max side; 6 is none.
    """

    t: NDArray[Any]
    target: NDArray[Any]
    face: NDArray[np.uint8]


class HitList(NamedTuple):
    """All that queries meet, an entry for each hit, ascending by query."""

    query: NDArray[np.int64]
    target: NDArray[Any]
    t: NDArray[Any]
    face: NDArray[np.uint8]


class _Queries:
    """Queries of one kind as rows of numbers."""

    KIND: ClassVar[int]
    is_single: bool
    axis_count: int
    rule: int = 0
    _numbers: NDArray[Any]

    @property
    def numbers(self) -> NDArray[Any]:
        """The queries as rows of numbers, vectors with three axes."""
        return self._numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)})"

    def rows(self) -> NDArray[np.float32]:
        """The same in float32."""
        return as_floats(self.numbers)

    def _read_one(self, a: Any, b: Any, number: Any, most: float) -> bool:
        """One query without NumPy; false if it is to be read as many are."""
        one = _broadside.query_row(a, b, number, most)
        if one is None:
            return False
        self._numbers, self.axis_count = one
        self.is_single = True
        return True

    def _set(self, first: NDArray[Any], *columns: NDArray[Any], is_single: bool) -> None:
        """Vectors of the first's axes become vectors of three; columns of other widths stay."""
        self.is_single = is_single
        self.axis_count = first.shape[1]
        flat = np.zeros((len(first), 1), dtype=first.dtype)
        self._numbers = np.hstack([part for column in (first, *columns) for part in (
            (column, flat) if column.ndim == 2 and column.shape[1] == 2 else (column.reshape(len(first), -1),))])


class Spheres(_Queries):
    """Solid spheres (circles with two axes): centers (n, 3) or (n, 2) and a radius for all or for each."""

    KIND = 2

    def __init__(self, centers: ArrayLike, radii: ArrayLike, *, invalid: Invalid = "raise") -> None:
        if invalid != "raise":
            is_raising(invalid)
        if self._read_one(centers, None, radii, _LARGEST):
            return
        rows, is_single = as_rows(centers, "centers", (3, 2), invalid=invalid)
        self._set(rows, _radii(radii, len(rows)), is_single=is_single)


class Capsules(_Queries):
    """Segments from `a` to `b`, (n, 3) or (n, 2) each, with a radius for all or for each."""

    KIND = 3

    def __init__(self, a: ArrayLike, b: ArrayLike, radii: ArrayLike, *, invalid: Invalid = "raise") -> None:
        if invalid != "raise":
            is_raising(invalid)
        if self._read_one(a, b, radii, _LARGEST):
            return
        rows, is_single, (ends,) = _together((a, "a"), (b, "b"), invalid=invalid)
        self._set(rows, ends, _radii(radii, len(rows)), is_single=is_single)


class Obbs(_Queries):
    """Oriented boxes: centers (n, 3), axes (n, 3, 3) whose rows are unit vectors at right angles, half extents (n, 3)."""

    KIND = 4

    def __init__(self, centers: ArrayLike, axes: ArrayLike, half_extents: ArrayLike, *,
                 invalid: Invalid = "raise") -> None:
        rows, is_single, (extents,) = _together((centers, "centers"), (half_extents, "half_extents"), invalid=invalid,
                                                widths=(3,))
        shape = np.shape(axes)
        if shape[-2:] != (3, 3) or len(shape) > 3:
            raise wrong("axes", f"shape {shape}", "(n, 3, 3)")
        turned, _ = as_rows(np.reshape(axes, (-1, 9)) if len(shape) == 3 else np.reshape(axes, 9), "axes", (9,),
                            count=len(rows), invalid=invalid)
        matrices = turned.reshape(-1, 3, 3)
        bad = np.flatnonzero(~(np.abs(matrices @ matrices.transpose(0, 2, 1) - np.eye(3)) < 1e-3).all(axis=(1, 2)))
        if len(bad) and invalid == "raise":
            raise wrong("axes", f"row {bad[0]} is {matrices[bad[0]].tolist()}", "three unit vectors at right angles")
        self._set(rows, turned, extents, is_single=is_single)


class Rays(_Queries):
    """Rays: origins and directions (n, 3) or (n, 2), a direction of any length; how far each reaches, in multiples of it.

    `inside` says what a ray that starts in a box meets: 'zero' a hit at 0, 'negative_t' one at where the line behind it
    entered, 'miss' nothing.
    """

    KIND = 0
    _hit_kind = 0

    def __init__(self, origins: ArrayLike, directions: ArrayLike, reach: ArrayLike = np.inf, *,
                 inside: Inside = "zero", invalid: Invalid = "raise") -> None:
        self.rule = 2 if inside == "zero" else as_choice(inside, "inside", _INSIDE)
        if invalid != "raise":
            is_raising(invalid)
        if self._read_one(origins, directions, reach, np.inf):
            return
        self._read((origins, "origins"), (directions, "directions"), reach, invalid)

    def _read(self, origins: Tuple[ArrayLike, str], directions: Tuple[ArrayLike, str], reach: ArrayLike,
              invalid: Invalid) -> None:
        rows, is_single, (along,) = _together(origins, directions, invalid=invalid)
        reaches = as_column(reach, "reach", len(rows), np.float64, -np.inf, np.inf)
        self._set(rows, along, np.broadcast_to(reaches, len(rows)), is_single=is_single)


class Casts(_Queries):
    """Boxes, `Spheres`, `Capsules` (and `Obbs`, through meshes) that move by displacements, (n, 3) or one for all.

    `reach` is the part of the step that counts. `touch` is of boxes: 'closed', where a graze counts, or 'open'.
    """

    def __init__(self, shapes: Union[BoxesLike, _Queries], displacements: ArrayLike, reach: ArrayLike = 1.0, *,
                 touch: Touch = "closed", invalid: Invalid = "raise") -> None:
        self.rule = 0 if touch == "closed" else as_choice(touch, "touch", _TOUCH)
        if invalid != "raise":
            is_raising(invalid)
        one = _broadside.cast_row(shapes, displacements, reach)
        if one is not None:
            self._numbers, self.axis_count, self._hit_kind = one
            self.is_single = True
            return
        moving = as_shapes(shapes, "shapes", invalid)
        if not isinstance(moving, (BoxRows, Spheres, Capsules, Obbs)):
            raise wrong("shapes", type(shapes).__name__, "boxes, Spheres, Capsules or Obbs", TypeError)
        own = moving.numbers
        ways, is_one = as_rows(displacements, "displacements", (moving.axis_count,),
                               count=len(own) if len(own) != 1 else None, invalid=invalid)
        reaches = as_column(reach, "reach", len(ways), np.float64, -np.inf, np.inf)
        self._set(ways, np.broadcast_to(reaches, len(ways)), is_single=moving.is_single and is_one)
        self._numbers = np.hstack((np.broadcast_to(own, (len(ways), own.shape[1])), self._numbers))
        # Boxes are 1, since rays are 0.
        self._hit_kind = moving.KIND or 1

    @property
    def kind(self) -> int:
        """The number of the moving shape; -1 if trees and worlds do not take it."""
        return self._hit_kind if self._hit_kind <= Capsules.KIND else -1


class BoxRows(_Queries):
    """Boxes where other shapes may be given, too."""

    KIND = 0

    def __init__(self, boxes: Boxes) -> None:
        self.boxes = boxes
        self.is_single = boxes.is_single
        self.axis_count = boxes.axis_count

    def __len__(self) -> int:
        return self.boxes.count

    @property
    def numbers(self) -> NDArray[Any]:
        flat = np.zeros((len(self), 3 - self.axis_count), dtype=self.boxes.dtype)
        return np.hstack((self.boxes.min, flat, self.boxes.max, flat))


def as_shapes(value: Any, name: str, invalid: str, axes: Optional[int] = None) -> _Queries:
    if isinstance(value, _Queries):
        if axes is not None and value.axis_count != axes:
            raise wrong(name, f"{value.axis_count} axes", str(axes))
        return value
    return BoxRows(as_boxes(value, name, axes=axes, invalid=invalid))


def as_motions(count: int, shapes_per_state: int, motions: Optional[int]) -> Tuple[int, int]:
    """How many shapes a state has, and how many motions there are; these share out all shapes."""
    each = as_whole(shapes_per_state, "shapes_per_state", 1, 2 ** 32 - 1)
    total = 1 if motions is None else as_whole(motions, "motions", 1, 2 ** 32 - 1)
    if count % (each * total):
        raise wrong("shapes", f"{count} of them", f"a multiple of {each * total}, which is shapes_per_state times motions")
    return each, total


def overlap_of_one(any_one: Any, shapes_per_state: int, motions: Optional[int], *arguments: Any) -> Any:
    """`first_overlaps` of one shape by the result of `any`; None if there are many."""
    if motions is not None or type(shapes_per_state) is not int or shapes_per_state != 1:
        return None
    one = any_one(*arguments)
    return None if one is None else one - 1


def _radii(radii: ArrayLike, count: int) -> NDArray[Any]:
    return np.broadcast_to(as_column(radii, "radii", count, np.float64, 0, _LARGEST), count)


def _together(first: Tuple[ArrayLike, str], second: Tuple[ArrayLike, str], *, invalid: str,
              widths: Tuple[int, ...] = (3, 2)) -> Tuple[NDArray[Any], bool, Tuple[NDArray[Any]]]:
    """Rows of two arguments, of which either may be one row for all of the other."""
    a, is_one_a = as_rows(first[0], first[1], widths, invalid=invalid)
    b, is_one_b = as_rows(second[0], second[1], (a.shape[1],), count=None if is_one_a else len(a), invalid=invalid)
    if len(a) != len(b):
        a = np.broadcast_to(a, b.shape)
    return a, is_one_a and is_one_b, (b,)


class RayCalls:
    """Rays by the names that trimesh has for them, of trees, worlds and meshes alike.

    A direction may have any length but zero; distances and `reach` are multiples of it. Of one ray, whose origin and
    direction are (3,), the results are those of one.
    """

    _none: ClassVar[int] = -1

    def _first(self, rays: Rays, workers: int) -> Tuple[NDArray[Any], NDArray[Any]]:
        """Times and names of what is met first."""
        raise NotImplementedError

    def _all(self, rays: Rays, workers: int) -> Tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        """Rays, names and times."""
        raise NotImplementedError

    def _any(self, rays: Rays, workers: int) -> NDArray[np.bool_]:
        raise NotImplementedError

    def _one(self, origin: Any, direction: Any, reach: Any) -> Optional[Tuple[NDArray[Any], NDArray[Any]]]:
        """The time and name that one ray meets first, without NumPy; None if it is to be read as many are."""
        return None

    def _locations_one(self, origin: Any, direction: Any, reach: Any, has_all: bool
                       ) -> Optional[Tuple[NDArray[Any], NDArray[np.int64], NDArray[Any]]]:
        """The same for points, rays and names."""
        return None

    def intersects_any(self, ray_origins: ArrayLike, ray_directions: ArrayLike, *, reach: ArrayLike = np.inf,
                       workers: Optional[int] = 1, invalid: Invalid = "raise") -> NDArray[np.bool_]:
        """Whether each ray hits something."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._one(ray_origins, ray_directions, reach)
        if one is not None:
            has_hit: NDArray[np.bool_] = one[1] != self._none
            return has_hit
        rays = _rays(ray_origins, ray_directions, reach, invalid)
        return of_one(rays.is_single, self._any(rays, as_workers(workers)))

    def intersects_first(self, ray_origins: ArrayLike, ray_directions: ArrayLike, *, reach: ArrayLike = np.inf,
                         workers: Optional[int] = 1, invalid: Invalid = "raise") -> NDArray[Any]:
        """The index of the first hit of each ray, -1 if there is none; of a world its handle, 0 if there is none."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._one(ray_origins, ray_directions, reach)
        if one is not None:
            return one[1]
        return self.ray_distances(ray_origins, ray_directions, reach=reach, workers=workers, invalid=invalid)[1]

    def ray_distances(self, ray_origins: ArrayLike, ray_directions: ArrayLike, *, reach: ArrayLike = np.inf,
                      workers: Optional[int] = 1,
                      invalid: Invalid = "raise") -> Tuple[NDArray[Any], NDArray[Any]]:
        """How far each ray gets, in multiples of its direction, and what it hits there: inf and -1 (or 0) for nothing."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._one(ray_origins, ray_directions, reach)
        if one is not None:
            return one
        rays = _rays(ray_origins, ray_directions, reach, invalid)
        t, names = self._first(rays, as_workers(workers))
        return of_one(rays.is_single, t), of_one(rays.is_single, names)

    def intersects_id(self, ray_origins: ArrayLike, ray_directions: ArrayLike, *, multiple_hits: bool = True,
                      return_locations: bool = False, reach: ArrayLike = np.inf, workers: Optional[int] = 1,
                      invalid: Invalid = "raise") -> Tuple[NDArray[Any], ...]:
        """Indices of what is hit, and the rays: (index, index_ray), and with `return_locations` the points. All, or the first
        of each ray."""
        points, rays, names = self.intersects_location(ray_origins, ray_directions, multiple_hits=multiple_hits, reach=reach,
                                                       workers=workers, invalid=invalid)
        return (names, rays, points) if return_locations else (names, rays)

    def intersects_location(
            self, ray_origins: ArrayLike, ray_directions: ArrayLike, *, multiple_hits: bool = True,
            reach: ArrayLike = np.inf, workers: Optional[int] = 1,
            invalid: Invalid = "raise") -> Tuple[NDArray[Any], NDArray[np.int64], NDArray[Any]]:
        """The points that rays hit: (locations, index_ray, index), ascending by ray, of all hits or of the first of each ray.

        A ray that starts in a box hits it where it starts.
        """
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._locations_one(ray_origins, ray_directions, reach, bool(multiple_hits))
        if one is not None:
            return one
        rays = _rays(ray_origins, ray_directions, reach, invalid)
        if multiple_hits:
            rows, names, t = self._all(rays, as_workers(workers))
        else:
            t, names = self._first(rays, as_workers(workers))
            rows = np.flatnonzero(names != self._none)
            names, t = names[rows], t[rows]
        axes = rays.axis_count
        from_, along = rays.numbers[rows, :axes], rays.numbers[rows, 3:3 + axes]
        return from_ + t[:, np.newaxis] * along, rows, names


def _rays(origins: ArrayLike, directions: ArrayLike, reach: ArrayLike, invalid: Invalid) -> Rays:
    rays = Rays.__new__(Rays)
    rays.rule = _INSIDE.index("zero")
    rays._read((origins, "ray_origins"), (directions, "ray_directions"), reach, invalid)
    return rays


class HitCalls(RayCalls):
    """Rays and moving shapes by the names of the C++ library, of trees and worlds."""

    _native: Any
    axis_count: int

    def _where(self, where: Optional[Where], count: int) -> Tuple[Any, ...]:
        """Kinds and layers of `where` as bits, and a mask for each of so many queries."""
        if where is not None:
            raise wrong("where", repr(where), "None, since this is no World", TypeError)
        return ()

    def _hit(self, call: str, queries: Union[Rays, Casts], where: Optional[Where], workers: int) -> Any:
        kind = queries._hit_kind if isinstance(queries, (Rays, Casts)) else -1
        if not 0 <= kind <= Capsules.KIND:
            raise wrong("queries", repr(queries), "Rays, or Casts of boxes, Spheres or Capsules", TypeError)
        if len(queries) and queries.axis_count != self.axis_count:
            raise wrong("queries", f"{queries.axis_count} axes", str(self.axis_count))
        return getattr(self._native, call)(kind, queries.rule, queries.rows(), self._where(where, len(queries)), workers)

    def closest_hits(self, queries: Union[Rays, Casts], *, where: Optional[Where] = None, workers: Optional[int] = 1) -> Hits:
        """The first hit of each of `Rays` or `Casts`."""
        if workers != 1:
            as_workers(workers)
        one = self._native.closest_hit_one(queries, where)
        if one is not None:
            return Hits(*one)
        results = self._hit("closest_hits", queries, where, as_workers(workers))
        return Hits(*(of_one(queries.is_single, each) for each in results))

    def find_hits(self, queries: Union[Rays, Casts], *, where: Optional[Where] = None, workers: Optional[int] = 1) -> HitList:
        """All that `Rays` or `Casts` meet."""
        if workers != 1:
            as_workers(workers)
        one = self._native.find_hits_one(queries, where)
        return HitList(*(self._hit("find_hits", queries, where, as_workers(workers)) if one is None else one))

    def any_hit(self, queries: Union[Rays, Casts], *, where: Optional[Where] = None, workers: Optional[int] = 1) -> NDArray[np.bool_]:
        """Whether each of `Rays` or `Casts` meets something."""
        if workers != 1:
            as_workers(workers)
        one = self._native.closest_hit_one(queries, where)
        if one is not None:
            has_hit: NDArray[np.bool_] = one[1] != self._none
            return has_hit
        found = self._hit("any_hit", queries, where, as_workers(workers))
        return of_one(queries.is_single, found)

    def _first(self, rays: Rays, workers: int) -> Tuple[NDArray[Any], NDArray[Any]]:
        t, names, _ = self._hit("closest_hits", rays, None, workers)
        return t, names

    def _all(self, rays: Rays, workers: int) -> Tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        rows, names, t, _ = self._hit("find_hits", rays, None, workers)
        return rows, names, t

    def _any(self, rays: Rays, workers: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._hit("any_hit", rays, None, workers)
        return found

    def _one(self, origin: Any, direction: Any, reach: Any) -> Optional[Tuple[NDArray[Any], NDArray[Any]]]:
        one: Optional[Tuple[NDArray[Any], NDArray[Any]]] = self._native.ray_one(origin, direction, reach)
        return one

    def _locations_one(self, origin: Any, direction: Any, reach: Any, has_all: bool
                       ) -> Optional[Tuple[NDArray[Any], NDArray[np.int64], NDArray[Any]]]:
        one: Optional[Tuple[NDArray[Any], NDArray[np.int64], NDArray[Any]]] = self._native.locations_one(
            origin, direction, reach, has_all)
        return one
