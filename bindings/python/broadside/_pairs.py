"""All overlapping pairs."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _broadside
from ._arrays import as_boxes, as_workers, check_invalid, describe_row, with_one_type

ALGORITHMS = ("automatic", "brute_force", "sweep_and_prune", "cells")


def find_pairs(a: Any, b: Any = None, *, workers: Optional[int] = 1, sort: bool = True,
               algorithm: str = "automatic", invalid: str = "raise") -> NDArray[np.uint32]:
    """All pairs of boxes that overlap, as rows of two indices.

    Boxes are an array of (n, 6), `min x y z, max x y z`, of (n, 4) with two axes, or a tuple of min and max corners,
    (n, 3) or (n, 2) each. They are closed: boxes that share a face, an edge or a corner overlap. Numbers are compared
    as they are given, whatever their type: float32 and arrays in columns are read in place; float64, int32 and int64
    are decided exactly; narrower types become wider ones.

    Parameters
    ----------
    a : the boxes, which pair with each other where `b` is left out: rows (i, j), i < j.
    b : other boxes; then rows (i, j) of box i of `a` and box j of `b`.
    workers : threads, -1 for as many as there are. The answer does not depend on it.
    sort : ascending by the first index, then by the second; without, in an order of the algorithm's.
    algorithm : one of `ALGORITHMS`; costs time, never pairs.
    invalid : 'raise' names the first row that is no box (NaN, min above max); 'ignore' lets it overlap nothing.

    Returns
    -------
    (k, 2) of uint32.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm: {algorithm!r}; known: {', '.join(ALGORITHMS)}")
    is_raising = check_invalid(invalid)
    boxes_a = as_boxes(a, "a")
    boxes_b = None
    if b is not None:
        boxes_b = as_boxes(b, "b")
        boxes_a, boxes_b = with_one_type(boxes_a, boxes_b, "a", "b")
    pairs, bad_a, bad_b, _ = _broadside.find_pairs(
        boxes_a.min, boxes_a.max, None if boxes_b is None else boxes_b.min, None if boxes_b is None else boxes_b.max,
        as_workers(workers), sort, ALGORITHMS.index(algorithm))
    if is_raising and bad_a is not None:
        raise ValueError(describe_row(boxes_a, bad_a, "a"))
    if is_raising and boxes_b is not None and bad_b is not None:
        raise ValueError(describe_row(boxes_b, bad_b, "b"))
    return pairs


def release_memory() -> None:
    """Gives back the working memory that `find_pairs` keeps from call to call."""
    _broadside.release_memory()
