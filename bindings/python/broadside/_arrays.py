"""Arguments as arrays that the extension module takes. Errors say the argument's name, what it was, what is wanted, and
the row.

Boxes stay where they are: what comes out are views of the caller's arrays, unless numbers have to become wider or
rows do not stand at an even step.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Literal, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside

Invalid = Literal["raise", "ignore"]
# (n, 6) or (n, 4), one box, or min and max corners.
BoxesLike = Union[ArrayLike, Tuple[ArrayLike, ArrayLike]]

_KEPT = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32), np.dtype(np.int64))
# Types that another one holds without loss.
_WIDER = {np.dtype(narrow): np.dtype(wide) for narrow, wide in (
    (np.float16, np.float32), (np.int8, np.int32), (np.int16, np.int32),
    (np.uint8, np.int32), (np.uint16, np.int32), (np.uint32, np.int64))}
# Whole numbers up to here are doubles.
_WHOLE_DOUBLES = 2 ** 53
_IGNORE = "; invalid='ignore' leaves such rows out"


def wrong(name: str, what: object, wanted: str, error: Type[Exception] = ValueError) -> Exception:
    """The error for an argument: every message about one begins with its name."""
    return error(f"{name}: {what}; wanted {wanted}")


def as_choice(value: str, name: str, known: Sequence[str]) -> int:
    """The number of a word."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name}: {value!r}; known: {', '.join(known)}")
    return known.index(value)


def is_raising(invalid: str) -> bool:
    return as_choice(invalid, "invalid", ("raise", "ignore")) == 0


Number = TypeVar("Number", bound=np.generic)


def of_one(is_single: bool, rows: NDArray[Number]) -> NDArray[Number]:
    """What was one row among the arguments is one among the results, without their first axis."""
    return rows[0] if is_single else rows  # type: ignore[no-any-return]


# Arrays of numbers.

def _array(value: Any, name: str) -> NDArray[Any]:
    try:
        return np.asanyarray(value) if isinstance(value, np.ma.MaskedArray) else np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: no array; {error}") from None


def _masked_rows(array: NDArray[Any]) -> Optional[NDArray[np.bool_]]:
    """Which rows of a masked array have a masked number; None without any."""
    if not isinstance(array, np.ma.MaskedArray) or not np.any(array.mask):
        return None
    mask: NDArray[np.bool_] = np.broadcast_to(array.mask, array.shape)
    return mask.reshape(-1) if mask.ndim < 2 else mask.reshape(len(mask), -1).any(axis=1)


def _described(array: NDArray[Any]) -> str:
    return f"dtype {array.dtype}, shape {array.shape}"


def as_rows(value: ArrayLike, name: str, widths: Tuple[int, ...], *, count: Optional[int] = None,
            invalid: Optional[str] = None) -> Tuple[NDArray[Any], bool]:
    """(n, width) of float32 or float64, and whether they were one row. One row stands for `count` of them.

    A row that is not finite, or masked, is invalid; it is refused if `invalid` is 'raise', or None in calls that leave no
    row out.
    """
    raising = invalid is None or is_raising(invalid)
    array = _array(value, name)
    masked = _masked_rows(array)
    shown = str(widths[0]) if len(widths) == 1 else " or ".join(map(str, widths))
    if array.dtype.kind not in "fiu" and array.size:
        raise wrong(name, f"dtype {array.dtype}", "numbers", TypeError)
    rows = array.reshape(1, -1) if array.ndim == 1 and array.size else array.reshape(0, widths[0]) if array.ndim == 1 else array
    if rows.ndim != 2 or rows.shape[1] not in widths:
        raise wrong(name, f"shape {array.shape}", f"(n, {shown}), or {shown} numbers for one")
    if count is not None and len(rows) != count:
        if len(rows) != 1 or array.ndim != 1:
            raise wrong(name, f"shape {array.shape}", f"({count}, {shown})")
        rows = np.broadcast_to(rows, (count, rows.shape[1]))
    numbers = np.ascontiguousarray(rows, dtype=np.float32 if rows.dtype in (np.float32, np.float16) else np.float64)
    if masked is not None:
        numbers = numbers.copy()
        numbers[masked] = np.nan
    if raising:
        bad = ~np.isfinite(numbers).all(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            why = "masked" if masked is not None and masked[row] else "not finite"
            raise ValueError(f"{name}: row {row} is {tuple(numbers[row].tolist())}: {why} ({_described(array)})"
                             f"{'' if invalid is None else _IGNORE}")
    return numbers, array.ndim == 1 and array.size != 0


def as_floats(numbers: NDArray[Any]) -> NDArray[np.float32]:
    """Rounded to nearest; what is beyond the floats becomes infinite."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(numbers, dtype=np.float32)


def as_column(value: Any, name: str, count: Optional[int], dtype: Any, low: float, high: float) -> NDArray[Any]:
    """A number for all, or (count,): of one type, from `low` to `high`."""
    kind = np.dtype(dtype)
    is_whole = kind.kind in "iu"
    array = _array(value, name)
    if _masked_rows(array) is not None:
        raise wrong(name, "masked", "numbers")
    # A list of uint64 and int would become doubles, which do not hold all whole numbers; too large ones are objects.
    if is_whole and not isinstance(value, (np.ndarray, np.generic)):
        items = np.array(value, dtype=object)
        if all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) for item in items.reshape(-1)):
            array = items
    wanted = f"{low} to {high}" if high < np.inf else f"{low} or more"
    if array.dtype != object and array.size and array.dtype.kind not in ("iu" if is_whole else "fiu"):
        shown = repr(value) if array.ndim == 0 else f"dtype {array.dtype}"
        raise wrong(name, shown, "a whole number" if is_whole else "a number", TypeError)
    if array.dtype == object and not is_whole:
        raise wrong(name, repr(value), "a number", TypeError)
    if array.ndim > 1 or (count is not None and array.ndim == 1 and len(array) != count):
        raise wrong(name, f"shape {array.shape}", f"a number or ({'n' if count is None else count},)")
    rows = array.reshape(-1)
    if array.dtype != kind or low != np.iinfo(kind).min if is_whole else True:
        bad = np.flatnonzero(~((rows >= low) & (rows <= high)))
        if len(bad):
            raise wrong(name, rows[0] if array.ndim == 0 else f"row {bad[0]} is {rows[bad[0]]}", wanted)
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(rows, dtype=kind)


def as_number(value: Any, name: str, low: float = -np.inf, high: float = np.inf) -> float:
    """One number."""
    if np.ndim(value) != 0 or isinstance(value, (str, bytes)) or value is None:
        raise wrong(name, repr(value), "a number", TypeError)
    return float(as_column(value, name, None, np.float64, low, high)[0])


def as_whole(value: Any, name: str, low: int, high: int) -> int:
    """One whole number."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise wrong(name, repr(value), "a whole number", TypeError)
    if not low <= value <= high:
        raise wrong(name, value, f"{low} to {high}")
    return int(value)


def as_handles(handles: ArrayLike, name: str = "handles", width: Optional[int] = None) -> Tuple[NDArray[np.uint64], bool]:
    """Handles, or (k, width) of them; and whether it was one."""
    if type(handles) is np.ndarray and handles.dtype == np.uint64 and handles.ndim == 1 and width is None:
        return np.ascontiguousarray(handles), False
    if width is None and (type(handles) is np.uint64 or (type(handles) is int and 0 <= handles < 2 ** 64)):
        return np.array((handles,), dtype=np.uint64), True
    shape = np.shape(handles)
    if width is not None and len(handles if shape else ()) and (len(shape) not in (1, 2) or shape[-1] != width):  # type: ignore[arg-type]
        raise wrong(name, f"shape {shape}", f"(k, {width})")
    if width is not None:
        handles = np.asanyarray(handles, dtype=None if isinstance(handles, np.ndarray) else object).reshape(-1)
    if isinstance(handles, np.ndarray) and handles.dtype == object:
        handles = handles.tolist()
    if np.size(handles) == 0:
        handles = np.empty(0, dtype=np.uint64)
    try:
        rows: NDArray[np.uint64] = as_column(handles, name, None, np.uint64, 0, 2 ** 64 - 1)
    except TypeError:
        raise wrong(name, f"dtype {np.asarray(handles).dtype}", "uint64, as `add` gives them", TypeError) from None
    return (rows if width is None else rows.reshape(-1, width)), len(shape) == (0 if width is None else 1)


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
    if array.dtype.kind not in "iu" or _masked_rows(array) is not None:
        raise wrong(name, f"dtype {array.dtype}" if array.dtype.kind not in "iu" else "masked", "whole numbers", TypeError)
    if array.ndim != 2 or array.shape[1] != 2:
        raise wrong(name, f"shape {array.shape}", "(k, 2)")
    bad = np.argwhere((array < 0) | (array >= np.array([count_a, count_b])))
    if len(bad) != 0:
        row, column = bad[0]
        raise wrong(name, f"row {row} is {tuple(array[row].tolist())}",
                    f"index {column} below {(count_a, count_b)[column]}")
    return np.ascontiguousarray(array, dtype=np.uint32)


def as_workers(workers: Optional[int]) -> int:
    """Threads for a call; None or -1 as many as the machine has."""
    if workers is None or workers == -1:
        return os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        raise wrong("workers", repr(workers), "1 or more, or -1 for all there are")
    return min(int(workers), 1024)


def check_options(workers: Optional[int], invalid: str) -> None:
    """Refuses wrong ones. Calls with one row do not read them."""
    as_workers(workers)
    is_raising(invalid)


# Boxes.

@dataclasses.dataclass
class Boxes:
    """Corners of boxes, (n, 2) or (n, 3) each, of one type and one step from row to row."""

    min: NDArray[Any]
    max: NDArray[Any]
    is_single: bool = False
    masked: Optional[NDArray[np.bool_]] = None

    @property
    def count(self) -> int:
        return int(self.min.shape[0])

    @property
    def axis_count(self) -> int:
        return int(self.min.shape[1])

    @property
    def dtype(self) -> "np.dtype[Any]":
        return self.min.dtype


def _numbers(array: NDArray[Any], name: str, is_list: bool) -> NDArray[Any]:
    if array.size == 0 and array.dtype == np.float64 and is_list:
        return array
    dtype = array.dtype.newbyteorder("=")
    if dtype in _KEPT:
        return array.astype(dtype, copy=False)
    if dtype in _WIDER:
        return array.astype(_WIDER[dtype])
    if dtype == np.uint64:
        beyond = np.argwhere(np.atleast_1d(np.asarray(array)) > np.iinfo(np.int64).max)
        if len(beyond) == 0:
            return array.astype(np.int64)
        raise TypeError(f"{name}: dtype uint64, and row {beyond[0][0]} is beyond int64")
    raise wrong(name, _described(array), "float32, float64, int32 or int64, or a type that one of these holds", TypeError)


def _settled(low: NDArray[Any], high: NDArray[Any], is_single: bool,
             masked: Optional[NDArray[np.bool_]] = None) -> Boxes:
    def even(corners: NDArray[Any]) -> bool:
        step = corners.strides[0]
        return bool(corners.flags.aligned and (
            corners.shape[0] < 2 or (step > 0 and step % corners.dtype.itemsize == 0)))

    if low.dtype != high.dtype:
        low, high = _one_type(low, high, "min corners", "max corners")
    if masked is not None:
        # A masked row becomes a box that is none.
        low, high = np.array(low), np.array(high)
        low[masked], high[masked] = 1, 0
    if not (even(low) and even(high) and (len(low) < 2 or low.strides[0] == high.strides[0])):
        low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
    return Boxes(np.asarray(low), np.asarray(high), is_single, masked)


def as_boxes(value: Any, name: str, *, axes: Optional[int] = None, invalid: Optional[str] = None) -> Boxes:
    """(n, 6), (n, 4), 6 or 4 numbers for one box, or a tuple of min and max corners; `invalid` None checks no row."""
    is_list = not isinstance(value, np.ndarray)
    raising = invalid is not None and is_raising(invalid)
    if type(value) is np.ndarray and value.ndim == 2 and value.dtype in _KEPT and value.shape[1] == 2 * (axes or 0) and (
            value.flags.c_contiguous and value.flags.aligned):
        # Most arrays, in less time.
        boxes = Boxes(value[:, :axes], value[:, axes:])
    elif isinstance(value, tuple) and len(value) == 2 and (np.ndim(value[0]) == 2 or np.shape(value[0]) in ((2,), (3,))):
        corners = [_array(each, f"{name}[{i}]") for i, each in enumerate(value)]
        low, high = (_numbers(each, f"{name}[{i}]", is_list) for i, each in enumerate(corners))
        is_single = low.ndim == 1
        if low.shape != high.shape or low.shape[-1] not in (2, 3):
            raise wrong(name, f"min corners of shape {low.shape} and max corners of shape {high.shape}",
                        "(n, 3) or (n, 2), both the same")
        if is_single:
            low, high = low.reshape(1, -1), high.reshape(1, -1)
        masks = [mask for mask in map(_masked_rows, (low, high)) if mask is not None]
        boxes = _settled(low, high, is_single, np.logical_or.reduce(masks) if masks else None)
    else:
        array = _array(value, name)
        rows = _numbers(array, name, is_list)
        if rows.size == 0 and rows.ndim == 1:
            rows = rows.reshape(0, 2 * (axes or 3))
        is_single = rows.ndim == 1
        if is_single:
            rows = rows.reshape(1, -1)
        if rows.ndim != 2 or rows.shape[1] not in (4, 6):
            raise wrong(name, f"shape {array.shape}",
                        "(n, 6) or (n, 4), 6 or 4 numbers for one box, or a tuple of min and max corners")
        half = rows.shape[1] // 2
        boxes = _settled(rows[:, :half], rows[:, half:], is_single, _masked_rows(rows))
    if axes is not None and boxes.axis_count != axes:
        raise wrong(name, f"{boxes.axis_count} axes", str(axes))
    if raising:
        check_row(boxes, _broadside.first_invalid(boxes.min, boxes.max), name)
    return boxes


def check_row(boxes: Boxes, row: int, name: str) -> None:
    """Raises for a row that is no box; -1 is none."""
    if row >= 0:
        raise ValueError(describe_row(boxes, row, name))


def describe_row(boxes: Boxes, row: int, name: str, advice: str = _IGNORE) -> str:
    """Why a row is no box, and what the caller can do about it."""
    low, high = boxes.min[row], boxes.max[row]
    if boxes.masked is not None and boxes.masked[row]:
        why = "masked"
    elif boxes.dtype.kind == "f" and (np.isnan(low).any() or np.isnan(high).any()):
        why = "NaN"
    elif (low > high).any():
        axis = int(np.argmax(low > high))
        why = f"min above max in {'xyz'[axis]}"
    else:
        why = "it lies at infinity"
    return (f"{name}: row {row} is no box, min {tuple(low.tolist())}, max {tuple(high.tolist())}: {why} "
            f"(dtype {boxes.dtype}, shape ({boxes.count}, {2 * boxes.axis_count})){advice}")


# Types that differ.

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


def rounded(numbers: NDArray[Any], dtype: "np.dtype[Any]", up: bool) -> NDArray[Any]:
    """The least number of the type that is no less, or the greatest that is no more; at the ends of whole numbers these."""
    way = np.inf if up else -np.inf
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        if numbers.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                whole = np.ceil(numbers) if up else np.floor(numbers)
                result = np.where(np.abs(whole) < float(info.max), whole, 0).astype(dtype)
            result[whole >= float(info.max)] = info.max
            result[whole <= float(info.min)] = info.min
            return result
        return np.clip(numbers, info.min, info.max).astype(dtype)
    with np.errstate(over="ignore"):
        floats = numbers.astype(dtype)
    if numbers.dtype == np.int64:
        # As doubles first: whole numbers beyond 2**53 lie between two of them.
        doubles = numbers.astype(np.float64)
        is_top = doubles >= 2.0 ** 63
        back = np.where(is_top, 0, doubles).astype(np.int64)
        is_less, is_more = ~is_top & (back < numbers), is_top | (back > numbers)
        doubles = np.where(is_less if up else is_more, np.nextafter(doubles, way), doubles)
        return doubles if dtype == np.float64 else rounded(doubles, dtype, up)
    is_off = floats < numbers if up else floats > numbers
    with np.errstate(over="ignore"):
        return np.asarray(np.where(is_off, np.nextafter(floats, dtype.type(way)), floats))
