"""Arguments as arrays that the extension module takes: what is wrong is said with the argument's name, and where.

Boxes stay where they are: what comes out are views of the caller's arrays, unless numbers have to become wider or
rows do not stand at an even step.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_KEPT = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32), np.dtype(np.int64))
# Types that another one holds without loss.
_WIDER = {np.dtype(narrow): np.dtype(wide) for narrow, wide in (
    (np.float16, np.float32), (np.int8, np.int32), (np.int16, np.int32),
    (np.uint8, np.int32), (np.uint16, np.int32), (np.uint32, np.int64))}
# Whole numbers up to here are doubles.
_WHOLE_DOUBLES = 2 ** 53


@dataclasses.dataclass(frozen=True)
class Boxes:
    """Corners of boxes, (n, 2) or (n, 3) each, of one type and one step from row to row."""

    min: NDArray[Any]
    max: NDArray[Any]
    is_single: bool

    @property
    def count(self) -> int:
        return int(self.min.shape[0])

    @property
    def axis_count(self) -> int:
        return int(self.min.shape[1])

    @property
    def dtype(self) -> "np.dtype[Any]":
        return self.min.dtype


def _array(value: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: no array; {error}") from None


def _numbers(value: Any, name: str) -> NDArray[Any]:
    array = _array(value, name)
    if array.size == 0 and array.dtype == np.float64 and not isinstance(value, np.ndarray):
        return array
    dtype = array.dtype.newbyteorder("=")
    if dtype in _KEPT:
        return array.astype(dtype, copy=False)
    if dtype in _WIDER:
        return array.astype(_WIDER[dtype])
    if dtype == np.uint64:
        beyond = np.argwhere(array > np.iinfo(np.int64).max)
        if len(beyond) == 0:
            return array.astype(np.int64)
        raise TypeError(f"{name}: dtype uint64, and row {beyond[0][0]} is beyond int64")
    raise TypeError(f"{name}: dtype {array.dtype}, shape {array.shape}; boxes are of float32, float64, int32 or "
                    "int64, or of a type that one of these holds")


def _even(corners: NDArray[Any]) -> bool:
    step = corners.strides[0]
    size = corners.dtype.itemsize
    return bool(corners.flags.aligned and corners.shape[0] < 2 or (corners.flags.aligned and step > 0
                                                                   and step % size == 0))


def _settled(min_corners: NDArray[Any], max_corners: NDArray[Any], is_single: bool) -> Boxes:
    if min_corners.dtype != max_corners.dtype:
        min_corners, max_corners = _one_type(min_corners, max_corners, "min corners", "max corners")
    is_even = _even(min_corners) and _even(max_corners)
    is_one_step = min_corners.shape[0] < 2 or min_corners.strides[0] == max_corners.strides[0]
    if not (is_even and is_one_step):
        min_corners = np.ascontiguousarray(min_corners)
        max_corners = np.ascontiguousarray(max_corners)
    return Boxes(min_corners, max_corners, is_single)


def as_boxes(value: Any, name: str, single: bool = False) -> Boxes:
    """(n, 6), (n, 4) or a tuple of min and max corners; with `single` 6 or 4 numbers are one box."""
    if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 2:
        min_corners = _numbers(value[0], f"{name}[0]")
        max_corners = _numbers(value[1], f"{name}[1]")
        if min_corners.shape != max_corners.shape or min_corners.shape[1] not in (2, 3):
            raise ValueError(f"{name}: min corners of shape {min_corners.shape} and max corners of shape "
                             f"{max_corners.shape}; wanted (n, 3) or (n, 2), both the same")
        return _settled(min_corners, max_corners, False)
    array = _numbers(value, name)
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, 6)
    is_single = single and array.ndim == 1 and array.shape[0] in (4, 6)
    rows = array.reshape(1, -1) if is_single else array
    if rows.ndim != 2 or rows.shape[1] not in (4, 6):
        raise ValueError(f"{name}: shape {array.shape}; wanted (n, 6) or (n, 4)"
                         f"{', 6 or 4 numbers for one box' if single else ''}, or a tuple of min and max corners")
    axes = rows.shape[1] // 2
    return _settled(rows[:, :axes], rows[:, axes:], is_single)


def _doubles(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    if array.dtype == np.int64:
        beyond = np.argwhere((array > _WHOLE_DOUBLES) | (array < -_WHOLE_DOUBLES))
        if len(beyond) != 0:
            raise TypeError(f"{name}: dtype int64 beside floating point, and row {beyond[0][0]} is beyond 2**53, so no "
                            "type holds both exactly; make both int64 or both float64")
    return array.astype(np.float64)


def _one_type(a: NDArray[Any], b: NDArray[Any], name_a: str, name_b: str) -> Tuple[NDArray[Any], NDArray[Any]]:
    if a.dtype == b.dtype:
        return a, b
    if a.dtype.kind == "i" and b.dtype.kind == "i":
        return a.astype(np.int64), b.astype(np.int64)
    return _doubles(a, name_a), _doubles(b, name_b)


def with_one_type(a: Boxes, b: Boxes, name_a: str, name_b: str) -> Tuple[Boxes, Boxes]:
    """Both in a type that holds the numbers of both exactly."""
    if a.axis_count != b.axis_count:
        raise ValueError(f"{name_b}: boxes with {b.axis_count} axes; {name_a} has {a.axis_count}")
    if a.dtype == b.dtype:
        return a, b
    min_a, min_b = _one_type(a.min, b.min, name_a, name_b)
    max_a, max_b = _one_type(a.max, b.max, name_a, name_b)
    return _settled(min_a, max_a, a.is_single), _settled(min_b, max_b, b.is_single)


def as_type(boxes: Boxes, dtype: "np.dtype[Any]", name: str) -> Boxes:
    """The boxes in the type of a tree, if that holds them exactly."""
    if boxes.dtype == dtype:
        return boxes
    min_corners = boxes.min.astype(dtype)
    max_corners = boxes.max.astype(dtype)
    same = (min_corners == boxes.min) & (max_corners == boxes.max)
    both_nan = np.zeros_like(same)
    if dtype.kind == "f" and boxes.dtype.kind == "f":
        both_nan = np.isnan(boxes.min) | np.isnan(boxes.max)
    if dtype.kind != boxes.dtype.kind and np.int64 in (dtype, boxes.dtype):
        # NumPy compares the two as doubles, which hold whole numbers up to 2**53 only.
        same &= (np.abs(boxes.min.astype(np.float64)) <= _WHOLE_DOUBLES) & (
            np.abs(boxes.max.astype(np.float64)) <= _WHOLE_DOUBLES)
    bad = np.argwhere(~(same | both_nan))
    if len(bad) != 0:
        raise TypeError(f"{name}: dtype {boxes.dtype}, and the tree is of {dtype}, which does not hold row {bad[0][0]} "
                        f"exactly; build the tree of {np.promote_types(boxes.dtype, dtype)}")
    return _settled(min_corners, max_corners, boxes.is_single)


def as_float_boxes(value: Any, name: str) -> Boxes:
    """Boxes as float32, other types rounded to nearest: that keeps order, so what overlaps still does."""
    boxes = as_boxes(value, name)
    if boxes.dtype == np.float32:
        return boxes
    return _settled(_rounded(boxes.min), _rounded(boxes.max), False)


def _rounded(corners: NDArray[Any]) -> NDArray[np.float32]:
    largest = np.finfo(np.float32).max
    # What is finite stays so, and infinite corners stay infinite.
    finite = np.clip(corners, -largest, largest) if corners.dtype.kind == "f" else corners
    return np.where(np.isinf(corners), corners, finite).astype(np.float32)


def as_vectors(value: ArrayLike, name: str, axis_count: int, count: Optional[int] = None) -> NDArray[np.float32]:
    """(n, axes) of float32, one vector standing for a row; other floating point is rounded."""
    array = _array(value, name)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}: dtype {array.dtype}; wanted numbers")
    rows = array.reshape(1, -1) if array.ndim == 1 else array
    if rows.ndim != 2 or rows.shape[1] != axis_count or (count is not None and rows.shape[0] != count):
        wanted = "n" if count is None else str(count)
        raise ValueError(f"{name}: shape {array.shape}; wanted ({wanted}, {axis_count})")
    return np.ascontiguousarray(rows, dtype=np.float32)


def as_reaches(value: ArrayLike, count: int) -> NDArray[np.float32]:
    """(count,) of float32, one number standing for all."""
    array = _array(value, "reach")
    if array.dtype.kind not in "fiu":
        raise TypeError(f"reach: dtype {array.dtype}; wanted numbers")
    if array.ndim > 1 or (array.ndim == 1 and len(array) != count):
        raise ValueError(f"reach: shape {array.shape}; wanted a number or ({count},)")
    return np.ascontiguousarray(np.broadcast_to(array.astype(np.float32), (count,)))


def as_whole(value: Any, name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}: {value!r}; wanted a whole number")
    if not low <= value <= high:
        raise ValueError(f"{name}: {value}; wanted {low} to {high}")
    return int(value)


def as_number(value: Any, name: str) -> float:
    """A number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {value!r}; wanted a number") from None


def as_pairs(value: Any, name: str, count_a: int, count_b: int) -> NDArray[np.uint32]:
    """(k, 2) indices below the counts; None pairs row with row."""
    if value is None:
        if count_a != count_b:
            raise ValueError(f"{name}: none, though there are {count_a} rows on the one side and {count_b} on the other")
        rows = np.arange(count_a, dtype=np.uint32)
        return np.ascontiguousarray(np.stack((rows, rows), axis=1))
    array = _array(value, name)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: dtype {array.dtype}; wanted whole numbers")
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name}: shape {array.shape}; wanted (k, 2)")
    bad = np.argwhere((array < 0) | (array >= np.array([count_a, count_b])))
    if len(bad) != 0:
        row, column = bad[0]
        raise ValueError(f"{name}: row {row} is {tuple(array[row].tolist())}; index {column} must be below "
                         f"{(count_a, count_b)[column]}")
    return np.ascontiguousarray(array, dtype=np.uint32)


def as_workers(workers: Optional[int]) -> int:
    """Threads for a call; None or -1 as many as the machine has."""
    if workers is None or workers == -1:
        return os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        raise ValueError(f"workers: {workers!r}; wanted 1 or more, or -1 for all there are")
    return min(int(workers), 1024)


def describe_row(boxes: Boxes, row: int, name: str, advice: str = "; invalid='ignore' leaves such rows out") -> str:
    """Why a row is no box, and what the caller can do about it."""
    low, high = boxes.min[row], boxes.max[row]
    if boxes.dtype.kind == "f" and (np.isnan(low).any() or np.isnan(high).any()):
        why = "NaN"
    elif (low > high).any():
        axis = int(np.argmax(low > high))
        why = f"min above max in {'xyz'[axis]}"
    else:
        why = "it lies at infinity"
    return (f"{name}: row {row} is no box, min {tuple(low.tolist())}, max {tuple(high.tolist())}: {why} "
            f"(dtype {boxes.dtype}, shape ({boxes.count}, {2 * boxes.axis_count})){advice}")


def check_invalid(invalid: str) -> bool:
    if invalid not in ("raise", "ignore"):
        raise ValueError(f"invalid: {invalid!r}; wanted 'raise' or 'ignore'")
    return invalid == "raise"
