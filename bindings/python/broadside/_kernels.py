"""The narrowphase in batches: one result for each pair of rows. In float32, three axes."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import Boxes, BoxesLike, Invalid, as_boxes, as_choice, as_floats, as_pairs, as_rows, wrong
from ._queries import _TOUCH, Rays, Touch


def _floats(value: Any, name: str, invalid: str) -> Boxes:
    boxes = as_boxes(value, name, axes=3, invalid=invalid)
    if boxes.dtype == np.float32 or boxes.count == 0:
        return boxes if boxes.dtype == np.float32 else Boxes(as_floats(boxes.min), as_floats(boxes.max))
    raise wrong(name, f"dtype {boxes.dtype}", f"float32: {name}.astype(np.float32)", TypeError)


def _ways(value: Optional[ArrayLike], name: str, count: int, invalid: str) -> Optional[NDArray[np.float32]]:
    return None if value is None else as_floats(as_rows(value, name, (3,), count=count, invalid=invalid)[0])


def overlap(a: BoxesLike, b: BoxesLike, pairs: Optional[ArrayLike] = None, *,
            invalid: Invalid = "raise") -> NDArray[np.bool_]:
    """Whether box i of `a` and box j of `b` overlap, for each row (i, j) of `pairs`; row with row without."""
    boxes_a, boxes_b = _floats(a, "a", invalid), _floats(b, "b", invalid)
    indices = as_pairs(pairs, "pairs", boxes_a.count, boxes_b.count)
    return _broadside.overlap(boxes_a.min, boxes_a.max, boxes_b.min, boxes_b.max, indices)


def time_of_impact(a: BoxesLike, displacements_a: Optional[ArrayLike], b: BoxesLike,
                   displacements_b: Optional[ArrayLike] = None, pairs: Optional[ArrayLike] = None, *,
                   touch: Touch = "closed",
                   invalid: Invalid = "raise") -> Tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """When boxes that move first touch, as a fraction of the step, inf for never; and the face of a's box.

    Displacements are (n, 3), or None for boxes that rest. `touch` is 'closed', where a graze counts, or 'open'. Faces
    are twice the number of the axis, plus one on the max side; 6 is none.
    """
    is_open = bool(as_choice(touch, "touch", _TOUCH))
    boxes_a, boxes_b = _floats(a, "a", invalid), _floats(b, "b", invalid)
    by_a = _ways(displacements_a, "displacements_a", boxes_a.count, invalid)
    by_b = _ways(displacements_b, "displacements_b", boxes_b.count, invalid)
    indices = as_pairs(pairs, "pairs", boxes_a.count, boxes_b.count)
    return _broadside.time_of_impact(boxes_a.min, boxes_a.max, by_a, boxes_b.min, boxes_b.max, by_b, indices, is_open)


def ray_boxes(origins: ArrayLike, directions: ArrayLike, boxes: BoxesLike, pairs: Optional[ArrayLike] = None, *,
              reach: ArrayLike = np.inf,
              invalid: Invalid = "raise") -> Tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where ray i enters box j and leaves it, in multiples of its direction, for each row (i, j) of `pairs`.

    inf and inf where it misses. A ray that starts in a box enters it at 0.
    """
    own = _floats(boxes, "boxes", invalid)
    rays = Rays(origins, directions, reach, invalid=invalid)
    indices = as_pairs(pairs, "pairs", len(rays), own.count)
    return _broadside.ray_boxes(rays.rows(), own.min, own.max, indices)
