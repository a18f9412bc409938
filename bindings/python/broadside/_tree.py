"""Questions to boxes that stay: which overlap a box, which a ray hits, which are nearest."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (Boxes, as_boxes, as_number, as_reaches, as_type, as_vectors, as_whole, as_workers, check_invalid,
                      describe_row)


class BoxTree:
    """A tree over boxes, given as for `find_pairs`; it keeps a copy, in the type that they have.

    Overlaps are decided exactly in that type; questions may be of any type whose numbers it holds. Rays and nearest
    boxes are questions to trees of float32.

    >>> tree = BoxTree(np.array([[0, 0, 0, 1, 1, 1], [4, 0, 0, 5, 1, 1]]))
    >>> tree.query([0, 0, 0, 4, 4, 4])
    array([0, 1])
    """

    def __init__(self, boxes: Any, *, workers: Optional[int] = 1, invalid: str = "raise") -> None:
        is_raising = check_invalid(invalid)
        own = as_boxes(boxes, "boxes")
        self._tree = _broadside.Tree(own.min, own.max, as_workers(workers))
        self._dtype = own.dtype
        self._axis_count = own.axis_count
        # Needed for where a ray is and which box it hit, but not to answer.
        row = self._tree.invalid_row()
        if is_raising and row is not None:
            raise ValueError(describe_row(own, row, "boxes"))

    def __len__(self) -> int:
        return self._tree.size()

    def __repr__(self) -> str:
        return f"BoxTree({len(self)} boxes, {self._axis_count} axes, {self._dtype})"

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type that overlaps are decided in."""
        return self._dtype

    @property
    def axis_count(self) -> int:
        """3, or 2."""
        return self._axis_count

    def query(self, boxes: Any, *, workers: Optional[int] = 1) -> NDArray[np.intp]:
        """The boxes that each of `boxes` overlaps, as shapely's `STRtree.query` answers.

        For one box, 6 or 4 numbers, its indices, ascending; for many an array of (2, k): the indices of the questions
        above those of the tree's boxes, ascending by both.
        """
        asked = self._asked(boxes)
        pairs = self._tree.find_overlaps(asked.min, asked.max, as_workers(workers))
        if asked.is_single:
            return np.asarray(pairs[:, 1], dtype=np.intp)
        return np.ascontiguousarray(pairs.T).astype(np.intp)

    def query_points(self, points: ArrayLike, *, workers: Optional[int] = 1) -> NDArray[np.intp]:
        """As `query`, for points: (n, 3) or (n, 2), or one."""
        rows = np.asarray(points)
        is_single = rows.ndim == 1
        if is_single:
            rows = rows.reshape(1, -1)
        if rows.ndim != 2 or rows.shape[1] != self._axis_count:
            raise ValueError(f"points: shape {np.shape(points)}; wanted (n, {self._axis_count})")
        found = self.query((rows, rows), workers=workers)
        return np.asarray(found[1]) if is_single else found

    def intersection_v(self, mins: ArrayLike, maxs: ArrayLike, *,
                       workers: Optional[int] = 1) -> Tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """As rtree's bulk call: the indices that questions found, one after the other, and how many each found."""
        asked = self._asked((np.asarray(mins), np.asarray(maxs)))
        pairs = self._tree.find_overlaps(asked.min, asked.max, as_workers(workers))
        counts = np.bincount(pairs[:, 0], minlength=asked.count)
        return pairs[:, 1].astype(np.int64), counts.astype(np.uint64)

    def count(self, boxes: Any, *, workers: Optional[int] = 1) -> NDArray[np.intp]:
        """How many boxes of the tree each of `boxes` overlaps."""
        asked = self._asked(boxes)
        pairs = self._tree.find_overlaps(asked.min, asked.max, as_workers(workers))
        return np.bincount(pairs[:, 0], minlength=asked.count).astype(np.intp)

    def any(self, boxes: Any, *, workers: Optional[int] = 1) -> NDArray[np.bool_]:
        """Whether each of `boxes` overlaps one of the tree."""
        asked = self._asked(boxes)
        return self._tree.any_overlap(asked.min, asked.max, as_workers(workers))

    def find_pairs(self, *, workers: Optional[int] = 1) -> NDArray[np.uint32]:
        """All pairs i < j of the tree's boxes that overlap, (k, 2)."""
        return self._tree.find_pairs(as_workers(workers))

    def nearest(self, points: ArrayLike, k: int = 1, *, max_distance: float = np.inf,
                workers: Optional[int] = 1) -> Tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The nearest boxes of each point, as scipy's `cKDTree.query` answers: distances and indices.

        (n,) each, or (n, k) for k above 1, the nearest first, the smaller index among equals; inf and -1 where there
        are no more within `max_distance`. The distance inside a box is 0. Trees of float32.
        """
        self._need_floats("nearest")
        count = as_whole(k, "k", 1, 2 ** 32 - 1)
        rows = as_vectors(points, "points", self._axis_count)
        squares, indices, _ = self._tree.closest_boxes(rows, count, as_number(max_distance, "max_distance"),
                                                         as_workers(workers))
        distances = np.sqrt(squares)
        if count == 1:
            return distances, indices
        return distances.reshape(-1, count), indices.reshape(-1, count)

    # Rays, by the names that trimesh has for them. A direction may have any length but zero; distances and `reach`
    # are multiples of it.

    def intersects_any(self, origins: ArrayLike, directions: ArrayLike, *, reach: ArrayLike = np.inf,
                       workers: Optional[int] = 1) -> NDArray[np.bool_]:
        """Whether each ray hits a box. Trees of float32."""
        return self._tree.any_hit(*self._rays(origins, directions, reach), as_workers(workers))

    def intersects_first(self, origins: ArrayLike, directions: ArrayLike, *, reach: ArrayLike = np.inf,
                         workers: Optional[int] = 1) -> NDArray[np.int64]:
        """The box that each ray hits first, -1 where it hits none. Trees of float32."""
        return self._tree.closest_hits(*self._rays(origins, directions, reach), as_workers(workers))[1]

    def intersects_id(self, origins: ArrayLike, directions: ArrayLike, *, multiple_hits: bool = True,
                      reach: ArrayLike = np.inf,
                      workers: Optional[int] = 1) -> Tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Boxes and the rays that hit them: (index_box, index_ray). All, or the first of each ray. Trees of float32."""
        _, rays, boxes = self.intersects_location(origins, directions, multiple_hits=multiple_hits, reach=reach,
                                                  workers=workers)
        return boxes, rays

    def intersects_location(
            self, origins: ArrayLike, directions: ArrayLike, *, multiple_hits: bool = True, reach: ArrayLike = np.inf,
            workers: Optional[int] = 1) -> Tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """Where rays enter boxes: (locations, index_ray, index_box), ascending by ray. Trees of float32.

        A ray that starts in a box enters it where it starts.
        """
        from_, along, reaches = self._rays(origins, directions, reach)
        if multiple_hits:
            rays, boxes, t = self._tree.find_hits(from_, along, reaches, as_workers(workers))
        else:
            t, boxes, _ = self._tree.closest_hits(from_, along, reaches, as_workers(workers))
            rays = np.flatnonzero(boxes >= 0)
            boxes, t = boxes[rays], t[rays]
        return from_[rays] + t[:, np.newaxis] * along[rays], rays, boxes

    def ray_distances(self, origins: ArrayLike, directions: ArrayLike, *, reach: ArrayLike = np.inf,
                      workers: Optional[int] = 1) -> Tuple[NDArray[np.float32], NDArray[np.int64]]:
        """How far each ray gets, in multiples of its direction, and what it hits there: inf and -1 for nothing."""
        t, boxes, _ = self._tree.closest_hits(*self._rays(origins, directions, reach), as_workers(workers))
        return t, boxes

    def _need_floats(self, call: str) -> None:
        if self._dtype != np.float32:
            raise TypeError(f"{call}: the tree is of {self._dtype}; rays and nearest boxes are questions to trees of "
                            "float32: BoxTree(boxes.astype(np.float32))")

    def _rays(self, origins: ArrayLike, directions: ArrayLike,
              reach: ArrayLike) -> Tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        self._need_floats("rays")
        from_ = as_vectors(origins, "origins", self._axis_count)
        along = as_vectors(directions, "directions", self._axis_count)
        if len(along) == 1 and len(from_) != 1:
            along = np.repeat(along, len(from_), axis=0)
        if len(along) != len(from_):
            raise ValueError(f"directions: shape {np.shape(directions)}; wanted ({len(from_)}, {self._axis_count})")
        return from_, along, as_reaches(reach, len(from_))

    def _asked(self, boxes: Any) -> Boxes:
        asked = as_boxes(boxes, "boxes", single=True)
        if asked.count == 0:
            empty: Union[NDArray[Any], Any] = np.empty((0, self._axis_count), dtype=self._dtype)
            return Boxes(empty, empty, False)
        if asked.axis_count != self._axis_count:
            raise ValueError(f"boxes: {asked.axis_count} axes; the tree has {self._axis_count}")
        return as_type(asked, self._dtype, "boxes")
