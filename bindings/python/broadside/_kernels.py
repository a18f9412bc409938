"""The narrowphase in batches: one answer for each pair of rows. In float32, three axes."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import Boxes, as_boxes, as_pairs, as_reaches, as_vectors


def _floats(value: Any, name: str) -> Boxes:
    boxes = as_boxes(value, name)
    if boxes.count == 0:
        empty = np.empty((0, 3), dtype=np.float32)
        return Boxes(empty, empty, False)
    if boxes.dtype != np.float32:
        raise TypeError(f"{name}: dtype {boxes.dtype}; this call is for float32: {name}.astype(np.float32)")
    if boxes.axis_count != 3:
        raise ValueError(f"{name}: {boxes.axis_count} axes; wanted 3")
    return boxes


def overlap(a: Any, b: Any, pairs: Any = None) -> NDArray[np.bool_]:
    """Whether box i of `a` and box j of `b` overlap, for each row (i, j) of `pairs`; row with row without."""
    boxes_a, boxes_b = _floats(a, "a"), _floats(b, "b")
    asked = as_pairs(pairs, "pairs", boxes_a.count, boxes_b.count)
    return _broadside.overlap(boxes_a.min, boxes_a.max, boxes_b.min, boxes_b.max, asked)


def time_of_impact(a: Any, displacements_a: Optional[ArrayLike], b: Any, displacements_b: Optional[ArrayLike] = None,
                   pairs: Any = None, *,
                   touch: str = "closed") -> Tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """When boxes that move first touch, as a fraction of the step, inf for never; and the face of a's box.

    Displacements are (n, 3), or None for boxes that rest. `touch` is 'closed', where a graze counts, or 'open'. Faces
    are twice the number of the axis, plus one on the max side; 6 is none.
    """
    if touch not in ("closed", "open"):
        raise ValueError(f"touch: {touch!r}; wanted 'closed' or 'open'")
    boxes_a, boxes_b = _floats(a, "a"), _floats(b, "b")
    by_a = None if displacements_a is None else as_vectors(displacements_a, "displacements_a", 3, boxes_a.count)
    by_b = None if displacements_b is None else as_vectors(displacements_b, "displacements_b", 3, boxes_b.count)
    asked = as_pairs(pairs, "pairs", boxes_a.count, boxes_b.count)
    return _broadside.time_of_impact(boxes_a.min, boxes_a.max, by_a, boxes_b.min, boxes_b.max, by_b, asked,
                                     touch == "open")


def ray_boxes(origins: ArrayLike, directions: ArrayLike, boxes: Any, pairs: Any = None, *,
              reach: ArrayLike = np.inf) -> Tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where ray i enters box j and leaves it, in multiples of its direction, for each row (i, j) of `pairs`.

    inf and inf where it misses. A ray that starts in a box enters it at 0.
    """
    own = _floats(boxes, "boxes")
    from_ = as_vectors(origins, "origins", 3)
    along = as_vectors(directions, "directions", 3, len(from_))
    reaches = as_reaches(reach, len(from_))
    asked = as_pairs(pairs, "pairs", len(from_), own.count)
    return _broadside.ray_boxes(from_, along, reaches, own.min, own.max, asked)
