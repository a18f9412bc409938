"""Objects that move, and the pairs that begin and end."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import Boxes, as_float_boxes, as_number, as_reaches, as_vectors, as_whole, as_workers

KINDS = ("moving", "resting", "fixed")
_ALL = 2 ** 64 - 1


class Update(NamedTuple):
    """What an update found, as pairs of handles: (k, 2) of uint64 each."""

    begun: NDArray[np.uint64]
    ended: NDArray[np.uint64]


class World:
    """Objects with boxes in three dimensions, named by handles (uint64), and the pairs of them that overlap.

    Boxes are given as for `find_pairs` and kept as float32; those of other types are rounded, by which no pair is
    lost and boxes that are a rounding apart may pair. A box that is none (NaN, min above max) pairs with nothing
    until it is set again.
    """

    def __init__(self, *, fixed_objects_pair: bool = False) -> None:
        self._world = _broadside.World(bool(fixed_objects_pair))

    def __len__(self) -> int:
        return self._world.object_count()

    def __repr__(self) -> str:
        return f"World({len(self)} objects, {self.pair_count} pairs)"

    def add(self, boxes: Any, *, kind: str = "moving", category: int = _ALL, mask: int = _ALL, group: int = 0,
            margin: float = 0.0) -> NDArray[np.uint64]:
        """Adds objects that have all but their boxes in common; their handles.

        Two objects pair when each has a category that the other's mask holds; those of one positive group pair
        anyway, of one negative group never. `margin` grows the boxes for pairs, so that these live longer. Two fixed
        objects do not pair.
        """
        own = _solid(boxes)
        return self._world.add(own.min, own.max, _kind(kind), as_whole(category, "category", 0, _ALL),
                               as_whole(mask, "mask", 0, _ALL), as_whole(group, "group", -2 ** 31, 2 ** 31 - 1),
                               _margin(margin))

    def remove(self, handles: ArrayLike) -> None:
        """Removes objects; all or, where a handle names none, none of them."""
        self._call("handles", self._world.remove, self._handles(handles))

    def set_boxes(self, handles: ArrayLike, boxes: Any) -> None:
        """Moves objects."""
        own = _solid(boxes)
        named = self._handles(handles)
        if len(named) != own.count:
            raise ValueError(f"boxes: {own.count} rows for {len(named)} handles")
        self._call("handles", self._world.set_boxes, named, own.min, own.max)

    def set_margin(self, handles: ArrayLike, margin: float) -> None:
        """What boxes are grown by for pairs."""
        self._call("handles", self._world.set_margin, self._handles(handles), _margin(margin))

    def set_kind(self, handles: ArrayLike, kind: str) -> None:
        """'moving', 'resting' or 'fixed'."""
        self._call("handles", self._world.set_kind, self._handles(handles), _kind(kind))

    def update(self, *, workers: Optional[int] = 1) -> Update:
        """Brings the pairs up to date; what has begun since the update before, and what has ended."""
        return Update(*self._world.update(as_workers(workers)))

    def pairs(self) -> NDArray[np.uint64]:
        """All pairs as of the last update."""
        return self._world.pairs()

    @property
    def pair_count(self) -> int:
        """Their number."""
        return self._world.pair_count()

    def is_alive(self, handles: ArrayLike) -> NDArray[np.bool_]:
        """Whether each handle names an object."""
        return self._world.are_alive(self._handles(handles))

    def query(self, boxes: Any, *, workers: Optional[int] = 1) -> Tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The objects that each of `boxes` overlaps: indices of the questions and handles. As they are now."""
        own = _solid(boxes)
        return self._world.find_overlaps(own.min, own.max, as_workers(workers))

    def intersects_first(self, origins: ArrayLike, directions: ArrayLike, *, reach: ArrayLike = np.inf,
                         workers: Optional[int] = 1) -> Tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """The object that each ray hits first, 0 for none, and how far along its direction that is."""
        from_ = as_vectors(origins, "origins", 3)
        along = as_vectors(directions, "directions", 3, len(from_))
        return self._world.closest_hits(from_, along, as_reaches(reach, len(from_)), as_workers(workers))

    def save(self) -> bytes:
        """The world as bytes, the same on every machine."""
        return self._world.save()

    def restore(self, data: bytes) -> None:
        """Becomes the saved world. ValueError for bytes that are none."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data: {type(data).__name__}; wanted bytes, as `save` gives them")
        try:
            self._world.restore(bytes(data))
        except ValueError:
            raise ValueError(f"data: {len(data)} bytes that are no whole and undamaged world") from None

    @staticmethod
    def _handles(handles: ArrayLike) -> NDArray[np.uint64]:
        # A list of uint64 and int would become doubles, which do not hold a handle.
        is_list = not isinstance(handles, (np.ndarray, np.generic)) and all(
            isinstance(handle, (int, np.integer)) for handle in np.array(handles, dtype=object).reshape(-1))
        array = np.array(handles, dtype=object) if is_list else np.asarray(handles)
        if array.size == 0:
            return np.empty(0, dtype=np.uint64)
        if not is_list and array.dtype.kind not in "iu":
            raise TypeError(f"handles: dtype {array.dtype}; wanted uint64, as `add` gives them")
        rows = array.reshape(-1)
        bad = np.flatnonzero((rows < 0) | (rows > _ALL)) if rows.dtype != np.uint64 else []
        if len(bad) != 0:
            raise ValueError(f"handles: row {bad[0]} is {rows[bad[0]]}; wanted uint64, as `add` gives them")
        return np.ascontiguousarray(rows, dtype=np.uint64)

    @staticmethod
    def _call(name: str, call: Any, handles: NDArray[np.uint64], *rest: Any) -> None:
        try:
            call(handles, *rest)
        except IndexError as error:
            row = int(str(error))
            raise ValueError(f"{name}: row {row}, {handles[row]}, names no object of this world, or one twice") from None


def _solid(boxes: Any) -> Boxes:
    own = as_float_boxes(boxes, "boxes")
    if own.count == 0:
        empty = np.empty((0, 3), dtype=np.float32)
        return Boxes(empty, empty, False)
    if own.axis_count != 3:
        raise ValueError(f"boxes: {own.axis_count} axes; a world has 3")
    return own


def _margin(margin: Any) -> float:
    number = as_number(margin, "margin")
    if not number >= 0:
        raise ValueError(f"margin: {margin}; wanted 0 or more")
    return number


def _kind(kind: str) -> int:
    if kind not in KINDS:
        raise ValueError(f"kind: {kind!r}; known: {', '.join(KINDS)}")
    return KINDS.index(kind)
