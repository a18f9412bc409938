"""All overlapping pairs."""

from __future__ import annotations

from typing import Literal, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _broadside
from ._arrays import BoxesLike, Invalid, as_boxes, as_choice, as_workers, check_row, is_raising, with_one_type

Algorithm = Literal["automatic", "brute_force", "sweep_and_prune", "cells"]
ALGORITHMS: Tuple[Algorithm, ...] = ("automatic", "brute_force", "sweep_and_prune", "cells")


def find_pairs(a: BoxesLike, b: Optional[BoxesLike] = None, *, workers: Optional[int] = 1, sort: bool = True,
               algorithm: Algorithm = "automatic", invalid: Invalid = "raise") -> NDArray[np.int64]:
    """All pairs of boxes that overlap, as rows of two indices.

    Boxes are an array of (n, 6), `min x y z, max x y z`, of (n, 4) with two axes, or a tuple of min and max corners,
    (n, 3) or (n, 2) each. They are closed: boxes that share a face, an edge or a corner overlap. Numbers are compared
    as they are given, whatever their type: float32 and arrays in columns are read in place; float64, int32 and int64
    are decided exactly; narrower types become wider ones.

    Parameters
    ----------
    a : the boxes, which pair with each other where `b` is left out: rows (i, j), i < j.
    b : other boxes; then rows (i, j) of box i of `a` and box j of `b`.
    workers : threads, -1 for as many as there are. The result does not depend on it.
    sort : ascending by the first index, then by the second; without, in an order of the algorithm's.
    algorithm : one of `ALGORITHMS`; costs time, never pairs.
    invalid : 'raise' names the first row that is no box (NaN, masked, min above max); 'ignore' lets it overlap nothing.

    Returns
    -------
    (k, 2) of int64.
    """
    number = as_choice(algorithm, "algorithm", ALGORITHMS)
    raising = is_raising(invalid)
    boxes_a = boxes_b = as_boxes(a, "a")
    if b is not None:
        boxes_a, boxes_b = with_one_type(boxes_a, as_boxes(b, "b", axes=None), "a", "b")
    pairs, bad_a, bad_b = _broadside.find_pairs(
        boxes_a.min, boxes_a.max, *((None, None) if b is None else (boxes_b.min, boxes_b.max)), as_workers(workers), sort,
        number)
    if raising:
        check_row(boxes_a, bad_a, "a")
        check_row(boxes_b, bad_b, "b")
    return pairs


def release_memory() -> None:
    """Gives back the working memory that `find_pairs` keeps from call to call."""
    _broadside.release_memory()
