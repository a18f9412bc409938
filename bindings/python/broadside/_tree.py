"""Queries to boxes that stay: which overlap a shape, which a ray hits, which are nearest."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (Boxes, BoxesLike, Invalid, as_boxes, as_column, as_floats, as_number, as_rows, as_whole,
                      as_workers, check_options, check_row, is_raising, of_one, rounded, wrong)
from ._queries import BoxRows, Casts, HitCalls, Rays, _Queries, as_motions, overlap_of_one

_MOST = 2 ** 31 - 1


class BoxTree(HitCalls):
    """A tree over boxes, given as for `find_pairs`; it keeps a copy, in the type that they have.

    Overlaps are decided exactly, whatever the types of the tree and of the queries. Rays and nearest boxes
    are worked out in float32 by trees of float32, and in float64 by all others.

    One box, point or ray is accepted where many are; the result has an axis less.

    >>> tree = BoxTree(np.array([[0, 0, 0, 1, 1, 1], [4, 0, 0, 5, 1, 1]]))
    >>> tree.query([0, 0, 0, 4, 4, 4])
    array([0, 1])
    """

    _native: _broadside.Tree

    def __init__(self, boxes: BoxesLike, *, workers: Optional[int] = 1, invalid: Invalid = "raise") -> None:
        raising = is_raising(invalid)
        own = as_boxes(boxes, "boxes")
        self._native = _broadside.Tree(own.min, own.max, as_workers(workers))
        self._dtype = own.dtype
        self.axis_count = own.axis_count
        if raising:
            check_row(own, self._native.invalid_row(), "boxes")

    def __len__(self) -> int:
        return self._native.size()

    def __repr__(self) -> str:
        return f"BoxTree({len(self)} boxes, {self.axis_count} axes, {self._dtype})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _tree_of, (self.boxes(),)

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type of the boxes."""
        return self._dtype

    def boxes(self) -> NDArray[Any]:
        """The boxes, (n, 6) or (n, 4). Invalid and removed ones of trees of float32 are min inf and max -inf."""
        return self._native.boxes()

    def query(self, boxes: Union[BoxesLike, _Queries], *, workers: Optional[int] = 1,
              invalid: Invalid = "raise") -> NDArray[np.int64]:
        """The boxes that each of `boxes` (or `Spheres`, `Capsules`, `Obbs`) overlaps, as shapely's `STRtree.query`.

        For one its indices, ascending; for many an array of (2, k): the indices of the queries above those of the
        tree's boxes, ascending by both.
        """
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.query_one(boxes)
        if one is not None:
            return one
        is_single, found = self._overlaps(boxes, invalid, as_workers(workers))
        return np.asarray(found[1]) if is_single else found

    def query_points(self, points: ArrayLike, *, workers: Optional[int] = 1,
                     invalid: Invalid = "raise") -> NDArray[np.int64]:
        """As `query`, for points: (n, 3) or (n, 2), or one."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.query_point_one(points)
        if one is not None:
            return one
        rows = np.asanyarray(points)
        if rows.ndim not in (1, 2) or (rows.size and rows.shape[-1] != self.axis_count):
            raise wrong("points", f"shape {rows.shape}", f"(n, {self.axis_count})")
        return self.query((rows.reshape(-1, self.axis_count) if rows.size == 0 else rows,) * 2, workers=workers,
                          invalid=invalid)

    def intersection_v(self, mins: ArrayLike, maxs: ArrayLike, *, workers: Optional[int] = 1,
                       invalid: Invalid = "raise") -> Tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As rtree's bulk call: the indices that queries found, one after the other, and how many each found."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.query_one((mins, maxs))
        if one is not None:
            return one, np.array((len(one),))
        low, high = np.atleast_2d(np.asanyarray(mins)), np.atleast_2d(np.asanyarray(maxs))
        rows, found = self._overlaps((low, high), invalid, as_workers(workers))[1]
        return found, np.bincount(rows, minlength=len(low))

    def count(self, boxes: Union[BoxesLike, _Queries], *, workers: Optional[int] = 1,
              invalid: Invalid = "raise") -> NDArray[np.int64]:
        """How many boxes of the tree each of `boxes` overlaps."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.query_one(boxes)
        if one is not None:
            return len(one)  # type: ignore[return-value]
        queries, (rows, _) = self._as_queries(boxes, invalid), self._overlaps(boxes, invalid, as_workers(workers))[1]
        return of_one(queries.is_single, np.bincount(rows, minlength=len(queries)))

    def any(self, boxes: Union[BoxesLike, _Queries], *, workers: Optional[int] = 1,
            invalid: Invalid = "raise") -> NDArray[np.bool_]:
        """Whether each of `boxes` overlaps one of the tree."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.any_one(boxes)
        if one is not None:
            return one
        queries = self._as_queries(boxes, invalid)
        if not isinstance(queries, BoxRows):
            self._need_floats(type(queries).__name__)
            return of_one(queries.is_single, self._native.any_shape_overlap(queries.KIND, queries.rows(), (), as_workers(workers)))
        if queries.boxes.dtype == self._dtype:
            return of_one(queries.is_single, self._native.any_overlap(queries.boxes.min, queries.boxes.max, as_workers(workers)))
        rows, _ = self._overlaps(boxes, invalid, as_workers(workers))[1]
        return of_one(queries.is_single, np.bincount(rows, minlength=len(queries)) > 0)

    def first_overlaps(self, shapes: Union[BoxesLike, _Queries], shapes_per_state: int = 1, *,
                       motions: Optional[int] = None, workers: Optional[int] = 1,
                       invalid: Invalid = "raise") -> NDArray[np.int64]:
        """The first shape of each motion of a body that overlaps a box of the tree; -1 if none does.

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
        if isinstance(queries, BoxRows) and not queries.boxes.dtype == self._dtype == np.float32:
            # Of other types each box is decided exactly, one by one.
            found = np.atleast_1d(self.any(shapes, workers=workers, invalid=invalid)).reshape(total, -1)
            first = np.where(found.any(axis=1), found.argmax(axis=1) if found.size else -1, -1)
        else:
            self._need_floats(type(queries).__name__)
            first = self._native.first_overlaps(queries.KIND, queries.rows(), each, total, (), as_workers(workers))
        return of_one(motions is None, first)

    def find_pairs(self, *, workers: Optional[int] = 1) -> NDArray[np.int64]:
        """All pairs i < j of the tree's boxes that overlap, (k, 2)."""
        return self._native.find_pairs(as_workers(workers))

    def closest_pair(self, other: Optional[BoxTree] = None, *,
                     max_distance: float = np.inf) -> Tuple[np.float32, NDArray[np.int64]]:
        """The two boxes of the tree, or one of it and one of another tree, that are nearest to each other: their distance
        and their indices; inf and -1 twice where there are none within `max_distance`. Of trees of float32.

        Distances are compared exactly and rounded up to float32; 0 is an overlap. Among equals the smaller indices.
        """
        reach = self._reach("closest_pair", other, max_distance)
        distance, first, second = self._native.closest_pair(None if other is None else other._native, reach)
        return np.float32(distance), np.array((first, second))

    def find_close_pairs(self, max_distance: float,
                         other: Optional[BoxTree] = None) -> Tuple[NDArray[np.int64], NDArray[np.float32]]:
        """All pairs i < j of the tree's boxes, or of it and another tree, that are no further apart, ascending, (k, 2); and
        their distances, (k,). Of trees of float32; see `closest_pair`."""
        reach = self._reach("find_close_pairs", other, max_distance)
        return self._native.close_pairs(None if other is None else other._native, reach)

    def _reach(self, call: str, other: Optional[BoxTree], max_distance: float) -> float:
        self._need_floats(call)
        if other is not None:
            if not isinstance(other, BoxTree):
                raise wrong("other", type(other).__name__, "a BoxTree", TypeError)
            if other.axis_count != self.axis_count:
                raise wrong("other", f"{other.axis_count} axes", str(self.axis_count))
            other._need_floats(call)
        return as_number(max_distance, "max_distance", 0)

    def nearest(self, points: ArrayLike, k: int = 1, *, max_distance: float = np.inf, workers: Optional[int] = 1,
                invalid: Invalid = "raise") -> Tuple[NDArray[Any], NDArray[np.int64]]:
        """The nearest boxes of each point, as scipy's `cKDTree.query` returns them: distances and indices.

        (n,) each, or (n, k) for k above 1, the nearest first, the smaller index among equals; inf and -1 where there
        are no more within `max_distance`. The distance inside a box is 0.
        """
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.nearest_one(points, k, max_distance)
        if one is not None:
            return one
        count = as_whole(k, "k", 1, 2 ** 32 - 1)
        reach = as_number(max_distance, "max_distance")
        rows, is_single = as_rows(points, "points", (self.axis_count,), invalid=invalid)
        padded = np.hstack((rows, np.zeros((len(rows), 3 - self.axis_count), dtype=rows.dtype)))
        if self._dtype == np.float32:
            squares, names = self._native.nearest(as_floats(padded), count, reach, (), as_workers(workers))
            distances = np.sqrt(squares)
        else:
            distances, names = self._native.exact_nearest(padded, count, reach, as_workers(workers))
        if count > 1:
            distances, names = distances.reshape(-1, count), names.reshape(-1, count)
        return of_one(is_single, distances), of_one(is_single, names)

    # Changes, of trees of float32.

    def set_box(self, indices: ArrayLike, boxes: BoxesLike, *, invalid: Invalid = "raise") -> None:
        """Moves boxes, or adds some at indices that were not there. Of trees of float32, as `remove_box`.

        An invalid box that is ignored is never found until it is set again.
        """
        if invalid != "raise":
            is_raising(invalid)
        if self._native.set_box_one(indices, boxes):
            return
        self._need_floats("set_box")
        own = as_boxes(boxes, "boxes", axes=self.axis_count, invalid=invalid)
        named = as_column(indices, "indices", None, np.int64, 0, _MOST - 1)
        if len(named) != own.count:
            raise wrong("boxes", f"{own.count} rows", f"{len(named)}, as there are indices")
        self._native.set_boxes(named, own.min, own.max)

    def remove_box(self, indices: ArrayLike) -> None:
        """Takes boxes out, which are never found until they are set again; the others keep their indices.

        An index that names no box (one that was removed, or is invalid) raises ValueError, and the tree is as before.
        """
        if self._native.remove_one(indices):
            return
        self._need_floats("remove_box")
        named = as_column(indices, "indices", None, np.int64, -2 ** 63, _MOST)
        row = self._native.remove(named)
        if row >= 0:
            raise wrong("indices", f"row {row} is {named[row]}", "a box of the tree, once")

    def _need_floats(self, call: str) -> None:
        if self._dtype != np.float32:
            raise TypeError(f"{call}: the tree is of {self._dtype}; this is for trees of float32: "
                            "BoxTree(boxes.astype(np.float32))")

    def _as_queries(self, boxes: Any, invalid: str) -> _Queries:
        if isinstance(boxes, _Queries):
            if len(boxes) and boxes.axis_count != self.axis_count:
                raise wrong("boxes", f"{boxes.axis_count} axes", str(self.axis_count))
            if isinstance(boxes, (Rays, Casts)):
                raise wrong("boxes", repr(boxes), "shapes; rays and casts are for closest_hits", TypeError)
            return boxes
        return BoxRows(as_boxes(boxes, "boxes", axes=self.axis_count, invalid=invalid))

    def _overlaps(self, boxes: Any, invalid: str,
                  workers: int) -> Tuple[bool, NDArray[np.int64]]:
        """Whether there is one query, and the rows of queries above the boxes that they overlap."""
        queries = self._as_queries(boxes, invalid)
        if not isinstance(queries, BoxRows):
            self._need_floats(type(queries).__name__)
            return queries.is_single, np.stack(self._native.shape_overlaps(queries.KIND, queries.rows(), (), workers))
        own = queries.boxes
        if own.dtype == self._dtype:
            pairs = self._native.find_overlaps(own.min, own.max, workers)
        else:
            pairs = self._overlaps_of_type(own, workers)
        return own.is_single, np.ascontiguousarray(pairs.T)

    def _overlaps_of_type(self, own: Boxes, workers: int) -> NDArray[np.int64]:
        """Overlaps of boxes of another type, exactly: with the corners rounded inwards the same boxes overlap.

        Where a box lies between two numbers of the tree's type, so rounded it is none: then the query is rounded
        outwards, and what is found is looked at again.
        """
        low, high = rounded(own.min, self._dtype, True), rounded(own.max, self._dtype, False)
        is_box = (own.min <= own.max).all(axis=1)
        if self._dtype.kind == "i":
            info = np.iinfo(self._dtype)
            above = np.ceil(own.min) > info.max if own.dtype.kind == "i" else np.ceil(own.min) >= float(info.max) + 1
            is_box &= ~(above | (np.floor(own.max) < info.min)).any(axis=1)
        else:
            is_box &= ~((own.min == np.inf) | (own.max == -np.inf)).any(axis=1)
        is_between = is_box & (~(low <= high) | (low == np.inf) | (high == -np.inf)).any(axis=1)
        outer_low, outer_high = low.copy(), high.copy()
        outer_low[~is_box], outer_high[~is_box] = 1, 0
        outer_low[is_between] = rounded(own.min[is_between], self._dtype, False)
        outer_high[is_between] = rounded(own.max[is_between], self._dtype, True)
        pairs = self._native.find_overlaps(outer_low, outer_high, workers)
        if is_between.any():
            rows, boxes = pairs.T
            there = self.boxes()[boxes]
            holds = (low[rows] <= there[:, self.axis_count:]) & (there[:, :self.axis_count] <= high[rows])
            pairs = pairs[holds.all(axis=1)]
        return pairs

    # Rays of trees of other types than float32.

    def _hit(self, call: str, queries: Union[Rays, Casts], where: Any, workers: int) -> Any:
        self._where(where, len(queries))
        if self._dtype == np.float32 or not isinstance(queries, Rays):
            if isinstance(queries, Casts):
                self._need_floats("Casts")
            return super()._hit(call, queries, where, workers)
        if len(queries) and queries.axis_count != self.axis_count:
            raise wrong("queries", f"{queries.axis_count} axes", str(self.axis_count))
        if queries.rule != 2:
            raise wrong("inside", "not 'zero'", "'zero' for trees of other types than float32")
        numbers = np.ascontiguousarray(queries.numbers, dtype=np.float64)
        rows, names, t, faces = self._native.exact_hits(numbers, call != "find_hits", workers)
        if call == "any_hit":
            return names >= 0
        return (t, names, faces) if call == "closest_hits" else (rows, names, t, faces)


def _tree_of(boxes: NDArray[Any]) -> BoxTree:
    return BoxTree(boxes, invalid="ignore")
