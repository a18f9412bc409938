"""All overlapping pairs."""

from __future__ import annotations

from typing import Any, Literal, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (BoxesLike, Invalid, _masked_rows, as_boxes, as_choice, as_column, as_workers, check_options, check_row,
                      is_raising, with_one_type, wrong)

Algorithm = Literal["automatic", "brute_force", "sweep_and_prune", "cells"]
ALGORITHMS: Tuple[Algorithm, ...] = ("automatic", "brute_force", "sweep_and_prune", "cells")


class BoxFilter:
    """Rules that keep overlapping boxes of one set from becoming pairs. All that are given must allow a pair.

    Each is a number for all boxes or one for each, (n,); the rules of the two boxes are looked up each in the filter of its
    own set, and a rule that is left out forbids nothing.

    Parameters
    ----------
    categories : the kinds of a box, as bits of a uint64; all bits without.
    masks : the kinds that it pairs with: two boxes pair if each has a category that the other's mask holds; all without.
    groups : boxes of the same group, such as parts of one body, do not pair; 0 is no group.
    subset : bool; a pair must involve a box of the subset, such as a mover.
    ids : (n,) or (n, k); boxes with a common id, such as triangles with a common vertex, do not pair.
    """

    def __init__(self, *, categories: Optional[ArrayLike] = None, masks: Optional[ArrayLike] = None,
                 groups: Optional[ArrayLike] = None, subset: Optional[ArrayLike] = None,
                 ids: Optional[ArrayLike] = None) -> None:
        self.categories, self.masks, self.groups, self.subset, self.ids = categories, masks, groups, subset, ids

    def _fields(self, name: str, count: int) -> Tuple[Any, ...]:
        """Its arrays as the extension module takes them: rules of `count` boxes."""

        def column(value: Optional[ArrayLike], rule: str, dtype: Any) -> Any:
            if value is None:
                return None
            rows = as_column(value, f"{name}.{rule}", count, dtype, 0, np.iinfo(dtype).max)
            return np.ascontiguousarray(np.broadcast_to(rows, count))

        bits = ids = None
        width = 1
        if self.subset is not None:
            subset = np.asanyarray(self.subset)
            if _masked_rows(subset) is not None:
                raise wrong(f"{name}.subset", "masked", f"bool, ({count},)")
            if subset.dtype != np.bool_ or subset.shape not in ((), (count,)):
                raise wrong(f"{name}.subset", f"dtype {subset.dtype}, shape {subset.shape}", f"bool, ({count},)")
            padded = np.zeros((count + 63) // 64 * 64, dtype=np.bool_)
            padded[:count] = subset
            bits = np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
        if self.ids is not None:
            rows = np.asanyarray(self.ids)
            if rows.ndim != 2:
                ids = column(self.ids, "ids", np.uint32)
            elif len(rows) != count or rows.shape[1] == 0:
                raise wrong(f"{name}.ids", f"shape {rows.shape}", f"({count},) or ({count}, k)")
            else:
                width = rows.shape[1]
                ids = as_column(rows.reshape(-1), f"{name}.ids", None, np.uint32, 0, 2 ** 32 - 1)
        return (column(self.categories, "categories", np.uint64), column(self.masks, "masks", np.uint64),
                column(self.groups, "groups", np.uint32), bits, ids, width)


def find_pairs(a: BoxesLike, b: Optional[BoxesLike] = None, *, workers: Optional[int] = 1, sort: bool = True,
               algorithm: Algorithm = "automatic", filter: Optional[BoxFilter] = None,
               filter_b: Optional[BoxFilter] = None, invalid: Invalid = "raise") -> NDArray[np.int64]:
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
    filter, filter_b : a `BoxFilter` of the boxes of `a`, and one of those of `b`: pairs that it forbids are left out.
    invalid : 'raise' names the first row that is no box (NaN, masked, min above max); 'ignore' lets it overlap nothing.

    Returns
    -------
    (k, 2) of int64.
    """
    number = as_choice(algorithm, "algorithm", ALGORITHMS)
    raising = is_raising(invalid)
    for each, name in ((filter, "filter"), (filter_b, "filter_b")):
        if each is not None and not isinstance(each, BoxFilter):
            raise wrong(name, repr(each), "a BoxFilter", TypeError)
    if filter_b is not None and b is None:
        raise wrong("filter_b", "given, though there is no b", "filter alone for one set")
    if workers != 1 or invalid != "raise":
        check_options(workers, invalid)
    if filter is None and filter_b is None:
        one = _broadside.find_pairs_of_one(a, b)
        if one is not None:
            return one
    boxes_a = boxes_b = as_boxes(a, "a")
    if b is not None:
        boxes_a, boxes_b = with_one_type(boxes_a, as_boxes(b, "b", axes=None), "a", "b")
    pairs, bad_a, bad_b = _broadside.find_pairs(
        boxes_a.min, boxes_a.max, *((None, None) if b is None else (boxes_b.min, boxes_b.max)),
        None if filter is None else filter._fields("filter", boxes_a.count),
        None if filter_b is None else filter_b._fields("filter_b", boxes_b.count), as_workers(workers), sort, number)
    if raising:
        check_row(boxes_a, bad_a, "a")
        check_row(boxes_b, bad_b, "b")
    return pairs


def release_memory() -> None:
    """Gives back the working memory that `find_pairs` keeps from call to call."""
    _broadside.release_memory()
