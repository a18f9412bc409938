"""Objects that move, and the pairs that begin and end."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Literal, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _broadside
from ._arrays import (BoxesLike, Invalid, as_boxes, as_choice, as_column, as_floats, as_handles, as_number, as_rows,
                      as_whole, as_workers, check_options, is_raising, of_one, wrong)
from ._queries import BoxRows, Casts, HitCalls, Rays, _Queries, as_motions, overlap_of_one

Kind = Literal["moving", "resting", "fixed"]
Order = Literal["slot", "user_data"]
Path = Literal["nothing", "movers", "complete"]
KINDS: Tuple[Kind, ...] = ("moving", "resting", "fixed")
_ORDERS: Tuple[Order, ...] = ("slot", "user_data")
_PATHS: Tuple[Path, ...] = ("nothing", "movers", "complete")
_Result = TypeVar("_Result")
_Item = TypeVar("_Item", bound=np.generic)
_ALL = 2 ** 64 - 1
_LAYER_COUNT = 2 ** 16
_LARGEST = float(np.finfo(np.float32).max)
# What objects have beside boxes and kinds: its type, the least and the greatest.
FIELDS: Dict[str, Tuple[Any, float, float]] = {
    "category": (np.uint64, 0, _ALL),
    "mask": (np.uint64, 0, _ALL),
    "group": (np.int32, -2 ** 31, 2 ** 31 - 1),
    "layer": (np.uint16, 0, 2 ** 16 - 1),
    "margin": (np.float32, 0, np.inf),
    "user_data": (np.uint64, 0, _ALL),
}


class Update(NamedTuple):
    """The results of an update."""

    begun: NDArray[np.uint64]
    """Pairs that were not there in the update before, (k, 2) handles."""
    ended: NDArray[np.uint64]
    """Pairs that were and are no more, (k, 2) handles."""
    ended_values: NDArray[np.uint64]
    """What `set_pair_values` gave the ended pairs, (k,)."""
    ended_user_data: NDArray[np.uint64]
    """The user data of the objects of ended pairs, (k, 2), those of removed ones too."""
    path: Path
    """What it had to look at: 'nothing', the 'movers', or all objects ('complete')."""
    changed_count: int
    """Objects that were added, removed or set."""


class Where:
    """The objects of a world that queries may find.

    A function for `layers` is called for each of the 65,536 when the Where is made: six milliseconds.

    kinds : words of `KINDS`; all without.
    layers : numbers, of which an object must have one, or a function that says whether a number is one; any without.
    masks : a mask for all queries or one for each, of whose categories an object must have one; none without.
    """

    def __init__(self, kinds: Optional[Sequence[Kind]] = None, layers: Union[None, Iterable[int], Callable[[int], object]] = None,
                 masks: Optional[ArrayLike] = None) -> None:
        self.kinds = sum({1 << as_choice(kind, "kinds", KINDS) for kind in (KINDS if kinds is None else kinds)})
        self.layers = _layers(layers)
        self.masks = masks
        if masks is not None:
            as_column(masks, "masks", None, np.uint64, 0, _ALL)


class WorldCalls(HitCalls):
    """Calls that worlds and their views share."""

    _native: Union[_broadside.World, _broadside.WorldView]
    _none = 0
    axis_count = 3

    def user_data(self, handles: ArrayLike) -> NDArray[np.uint64]:
        """The user data of objects."""
        one = self._native.user_data_one(handles)
        if one is not None:
            return one
        named, is_single = as_handles(handles)
        return of_one(is_single, self._call(self._native.user_data, named))

    def is_alive(self, handles: ArrayLike) -> NDArray[np.bool_]:
        """Whether each handle names an object."""
        one = self._native.is_alive_one(handles)
        if one is not None:
            return one
        named, is_single = as_handles(handles)
        return of_one(is_single, self._native.are_alive(named))

    def query(self, shapes: Union[BoxesLike, _Queries], *, where: Optional[Where] = None, workers: Optional[int] = 1,
              invalid: Invalid = "raise") -> Any:
        """The objects that boxes (or `Spheres`, `Capsules`, `Obbs`) overlap: for one its handles, for many the rows of
        the queries and the handles."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.query_one(shapes, where)
        if one is not None:
            return one
        queries = self._as_queries(shapes, invalid)
        rows, found = self._native.shape_overlaps(queries.KIND, _world_rows(queries), self._where(where, len(queries)), as_workers(workers))
        return found if queries.is_single else (rows, found)

    def any(self, shapes: Union[BoxesLike, _Queries], *, where: Optional[Where] = None, workers: Optional[int] = 1,
            invalid: Invalid = "raise") -> NDArray[np.bool_]:
        """Whether each overlaps an object."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.any_one(shapes, where)
        if one is not None:
            return one
        queries = self._as_queries(shapes, invalid)
        return of_one(queries.is_single, self._native.any_shape_overlap(queries.KIND, _world_rows(queries), self._where(where, len(queries)),
                                                             as_workers(workers)))

    def first_overlaps(self, shapes: Union[BoxesLike, _Queries], shapes_per_state: int = 1, *,
                       motions: Optional[int] = None, where: Optional[Where] = None, workers: Optional[int] = 1,
                       invalid: Invalid = "raise") -> NDArray[np.int64]:
        """The first shape of each motion of a body that overlaps an object; -1 if none does.

        `shapes_per_state` consecutive shapes are the body in one state, and consecutive states are a motion. `motions` is how
        many motions the shapes are, all of one length; without it they are one, and the result is one number. It is the
        index of the shape within its motion, which divided by `shapes_per_state` is the state. The results are those of
        `any`, in less time if consecutive states are close to each other.
        """
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one: Optional[NDArray[np.int64]] = overlap_of_one(self._native.any_one, shapes_per_state, motions, shapes, where)
        if one is not None:
            return one
        queries = self._as_queries(shapes, invalid)
        each, total = as_motions(len(queries), shapes_per_state, motions)
        return of_one(motions is None, self._native.first_overlaps(
            queries.KIND, _world_rows(queries), each, total, self._where(where, len(queries)), as_workers(workers)))

    def nearest(self, points: ArrayLike, k: int = 1, *, max_distance: float = np.inf, where: Optional[Where] = None,
                workers: Optional[int] = 1,
                invalid: Invalid = "raise") -> Tuple[NDArray[np.float32], NDArray[np.uint64]]:
        """The nearest objects of each point: distances and handles, as `BoxTree.nearest`; k at most 64."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        one = self._native.nearest_one(points, k, max_distance, where)
        if one is not None:
            return one
        count = as_whole(k, "k", 1, 64)
        rows, is_single = as_rows(points, "points", (3,), invalid=invalid)
        squares, names = self._native.nearest(as_floats(rows), count, as_number(max_distance, "max_distance"),
                                              self._where(where, len(rows)), as_workers(workers))
        distances = np.sqrt(squares)
        if count > 1:
            distances, names = distances.reshape(-1, count), names.reshape(-1, count)
        return of_one(is_single, distances), of_one(is_single, names)

    def _where(self, where: Optional[Where], count: int) -> Tuple[Any, ...]:
        if where is None:
            return _EVERY
        if not isinstance(where, Where):
            raise wrong("where", repr(where), "a Where", TypeError)
        masks = None
        if where.masks is not None:
            each = as_column(where.masks, "where.masks", count, np.uint64, 0, _ALL)
            masks = np.ascontiguousarray(np.broadcast_to(each, count))
        return where.kinds, where.layers, masks

    def _as_queries(self, shapes: Any, invalid: str) -> _Queries:
        if isinstance(shapes, (Rays, Casts)):
            raise wrong("shapes", repr(shapes), "shapes; rays and casts are for closest_hits", TypeError)
        if isinstance(shapes, _Queries):
            if len(shapes) and shapes.axis_count != 3:
                raise wrong("shapes", f"{shapes.axis_count} axes", "3")
            return shapes
        return BoxRows(as_boxes(shapes, "boxes", axes=3, invalid=invalid))

    @staticmethod
    def _call(call: Callable[..., _Result], handles: ArrayLike, *rest: Any) -> _Result:
        named, _ = as_handles(handles)
        try:
            return call(named, *rest)
        except IndexError as error:
            row = int(str(error))
            raise ValueError(
                f"handles: row {row} is {named[row]}; wanted an object of this world, once, and its numbers in range"
            ) from None


class WorldView(WorldCalls):
    """A world as it was when `World.view` was called: whatever becomes of it, results stay the same.

    Any thread may query it, and none waits for another or for the world. It takes the memory of a copy of what queries
    read, some 170 bytes an object, until it is deleted.
    """

    _native: _broadside.WorldView

    def __init__(self, native: _broadside.WorldView) -> None:
        self._native = native

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("WorldView: a view cannot be pickled or copied; pickle the World")

    def boxes(self, handles: ArrayLike) -> NDArray[np.float32]:
        """The boxes of objects, (n, 6), as they were."""
        one = self._native.box_one(handles)
        if one is not None:
            return one
        named, is_single = as_handles(handles)
        return of_one(is_single, self._call(self._native.boxes, named))


class World(WorldCalls):
    """Objects with boxes in three dimensions, named by handles (uint64), and the pairs of them that overlap.

    Boxes are given as for `find_pairs` and kept as float32; those of other types are rounded, by which no pair is
    lost and boxes that are a rounding apart may pair. An invalid box (NaN, min above max) is refused, or with
    `invalid='ignore'` quarantined: it pairs with nothing until it is set again.

    Calls that take handles take one or many, and refuse them all where one names no object.

    Parameters
    ----------
    order : of results: 'slot', in which handles were given, or 'user_data', which does not depend on that.
    fixed_objects_pair : whether two fixed objects may pair.
    max_objects, max_pairs : MemoryError beyond.
    """

    _native: _broadside.World

    def __init__(self, *, order: Order = "slot", fixed_objects_pair: bool = False, max_objects: int = 2 ** 31,
                 max_pairs: int = 2 ** 32 - 1) -> None:
        self._native = _broadside.World(
            bool(as_choice(order, "order", _ORDERS)), bool(fixed_objects_pair),
            as_whole(max_objects, "max_objects", 0, 2 ** 31), as_whole(max_pairs, "max_pairs", 0, 2 ** 32 - 1))

    def __len__(self) -> int:
        return self._native.object_count()

    def __repr__(self) -> str:
        return f"World({len(self)} objects, {self.pair_count} pairs)"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _world_of, (self.save(),)

    # Objects.

    def add(self, boxes: BoxesLike, *, kind: Union[Kind, Sequence[Kind]] = "moving", category: ArrayLike = _ALL,
            mask: ArrayLike = _ALL, group: ArrayLike = 0, layer: ArrayLike = 0, margin: ArrayLike = 0.0,
            user_data: ArrayLike = 0, displacements: Optional[ArrayLike] = None,
            invalid: Invalid = "raise") -> NDArray[np.uint64]:
        """Adds objects, and returns their handles. All but the boxes may be one for all or one for each.

        Two objects pair when each has a category that the other's mask holds; those of one positive group pair
        anyway, of one negative group never. `margin` grows the boxes for pairs, so that these live longer;
        `displacements`, (n, 3), sweep them. Two fixed objects do not pair. `user_data` are the caller's numbers.
        """
        if invalid != "raise":
            is_raising(invalid)
        if displacements is None:
            one = self._native.add_one(boxes, kind, category, mask, group, layer, margin, user_data)
            if one is not None:
                return np.uint64(one)  # type: ignore[return-value]
        own = as_boxes(boxes, "boxes", axes=3, invalid=invalid)
        given = {"category": category, "mask": mask, "group": group, "layer": layer, "margin": margin,
                 "user_data": user_data}
        columns = [as_column(given[name], name, own.count, *bounds) for name, bounds in FIELDS.items()]
        by = None if displacements is None else self._displacements(displacements, own.count)
        return of_one(own.is_single, self._native.add(own.min, own.max, (_kinds(kind, own.count), *columns, by)))

    def remove(self, handles: ArrayLike) -> None:
        """Removes objects."""
        if self._native.remove_one(handles):
            return
        self._call(self._native.remove, handles)

    def set_boxes(self, handles: ArrayLike, boxes: BoxesLike, *, workers: Optional[int] = 1,
                  invalid: Invalid = "raise") -> None:
        """Moves objects."""
        if workers != 1 or invalid != "raise":
            check_options(workers, invalid)
        if self._native.set_box_one(handles, boxes):
            return
        own = as_boxes(boxes, "boxes", axes=3, invalid=invalid)
        named, _ = as_handles(handles)
        if len(named) != own.count:
            raise wrong("boxes", f"{own.count} rows", f"{len(named)}, as there are handles")
        self._call(self._native.set_boxes, named, own.min, own.max, as_workers(workers))

    def set_displacements(self, handles: ArrayLike, displacements: ArrayLike) -> None:
        """Displacements that sweep boxes for pairs, (n, 3) or one for all."""
        if self._native.set_displacement_one(handles, displacements):
            return
        named, _ = as_handles(handles)
        self._call(self._native.set_displacements, named, self._displacements(displacements, len(named)))

    def set_margin(self, handles: ArrayLike, margin: ArrayLike) -> None:
        """Margins that grow boxes for pairs."""
        if self._native.set_margin_one(handles, margin):
            return
        self._set("margin", self._native.set_margin, handles, margin)

    def set_user_data(self, handles: ArrayLike, user_data: ArrayLike) -> None:
        """The caller's numbers."""
        if self._native.set_user_data_one(handles, user_data):
            return
        self._set("user_data", self._native.set_user_data, handles, user_data)

    def set_kind(self, handles: ArrayLike, kind: Union[Kind, Sequence[Kind]]) -> None:
        """'moving', 'resting' or 'fixed'."""
        if self._native.set_kind_one(handles, kind):
            return
        named, _ = as_handles(handles)
        self._call(self._native.set_kind, named, _kinds(kind, len(named)))

    def set_filter(self, handles: ArrayLike, *, category: Optional[ArrayLike] = None, mask: Optional[ArrayLike] = None,
                   group: Optional[ArrayLike] = None, layer: Optional[ArrayLike] = None) -> None:
        """Which objects pair, see `add`; what is left out stays."""
        if self._native.set_filter_one(handles, category, mask, group, layer):
            return
        named, _ = as_handles(handles)
        given = {"category": category, "mask": mask, "group": group, "layer": layer}
        self._call(self._native.set_filter, named, *(
            None if value is None else as_column(value, name, len(named), *FIELDS[name]) for name, value in given.items()))

    def handles(self) -> NDArray[np.uint64]:
        """The handles of all objects, by slot."""
        everywhere = np.array([[-np.inf] * 3 + [np.inf] * 3], dtype=np.float32)
        _, found = self._native.shape_overlaps(0, everywhere, _EVERY, 1)
        named = np.concatenate((found, self.quarantined()))
        return named[np.argsort(named & 0xFFFFFFFF, kind="stable")]

    def objects(self, handles: ArrayLike) -> NDArray[Any]:
        """All that is known of objects, as a structured array: box, kind (an index of `KINDS`), category, mask, group,
        layer, margin, user_data, displacement."""
        named, is_single = as_handles(handles)
        return of_one(is_single, self._call(self._native.objects, named))

    def boxes(self, handles: ArrayLike) -> NDArray[np.float32]:
        """The boxes of objects, (n, 6), as they were set last."""
        one = self._native.box_one(handles)
        if one is not None:
            return one
        return self.objects(handles)["box"]

    def quarantined(self) -> NDArray[np.uint64]:
        """The handles of objects whose boxes are invalid."""
        return self._native.quarantined()

    def bounds(self) -> NDArray[np.float32]:
        """The box around the boxes of all objects, (6,); min inf and max -inf without any."""
        return self._native.bounds()

    def shift_origin(self, offset: ArrayLike) -> None:
        """Subtracts an offset of three numbers from all boxes."""
        rows, _ = as_rows(offset, "offset", (3,), count=1)
        self._native.shift_origin(*as_floats(rows)[0].tolist())

    def set_layers_pair(self, layer_a: int, layer_b: int, may_pair: bool) -> None:
        """Whether objects of two layers, or of one, may pair; all may without a rule."""
        self._native.set_layers_pair(*self._layers(layer_a, layer_b), bool(may_pair))

    def layers_pair(self, layer_a: int, layer_b: int) -> bool:
        """As it was set last."""
        return self._native.layers_pair(*self._layers(layer_a, layer_b))

    # Pairs.

    def update(self, *, workers: Optional[int] = 1) -> Update:
        """Brings the pairs up to date; what has begun since the update before, and what has ended."""
        begun, ended, values, user_data, path, changed_count = self._native.update(as_workers(workers))
        return Update(begun, ended, values, user_data, _PATHS[path], changed_count)

    def pairs(self) -> NDArray[np.uint64]:
        """All pairs as of the last update, (k, 2) handles."""
        return self._native.pairs()

    def persisting(self) -> NDArray[np.uint64]:
        """The pairs that the last update found and the one before had found, too, (k, 2) handles."""
        return self._native.persisting()

    @property
    def pair_count(self) -> int:
        """The number of pairs."""
        return self._native.pair_count()

    def pairs_hash(self) -> int:
        """The same number for the same set of pairs: of handles, or, where that is the order, of user data."""
        return self._native.pairs_hash()

    def pairs_of(self, handles: ArrayLike) -> Any:
        """The partners of objects as of the last update: of one object their handles, of many the rows of `handles` and the
        handles."""
        one = self._native.pairs_of_one(handles)
        if one is not None:
            return one
        named, is_single = as_handles(handles)
        rows, found = self._native.pairs_of(named)
        return found if is_single else (rows, found)

    def pair_values(self, pairs: ArrayLike) -> NDArray[np.uint64]:
        """The caller's numbers of pairs, (k, 2) handles: 0 until they are set. ValueError for a pair that is none."""
        return self._of_pairs(self._native.pair_values, pairs, None)

    def set_pair_values(self, pairs: ArrayLike, values: ArrayLike) -> None:
        """Gives pairs numbers, which they keep until they end."""
        named, _ = as_handles(pairs, "pairs", 2)
        self._of_pairs(self._native.pair_values, named, as_column(values, "values", len(named), np.uint64, 0, _ALL))

    def boxes_overlap(self, pairs: ArrayLike) -> NDArray[np.bool_]:
        """Whether the boxes of two objects themselves overlap, without margin and displacement."""
        return self._of_pairs(self._native.boxes_overlap, pairs)

    # Queries, of the objects as they are, whether an update has seen them or not, are those of views.

    def view(self, *, workers: Optional[int] = 1) -> WorldView:
        """The objects as they are now, to be queried while this world changes, by any thread."""
        return WorldView(self._native.view(as_workers(workers)))

    # The world as bytes.

    def save(self) -> bytes:
        """The world as bytes, the same on every machine."""
        return self._native.save()

    def restore(self, data: Union[bytes, bytearray, memoryview]) -> None:
        """Becomes the saved world, with its settings and handles. ValueError for bytes that are none."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise wrong("data", type(data).__name__, "bytes, as `save` gives them", TypeError)
        try:
            self._native.restore(bytes(data))
        except ValueError:
            raise ValueError(f"data: {len(data)} bytes that are no whole and undamaged world") from None

    @staticmethod
    def _displacements(displacements: ArrayLike, count: int) -> NDArray[np.float32]:
        return as_floats(as_rows(displacements, "displacements", (3,), count=count)[0])

    @staticmethod
    def _layers(*layers: int) -> Tuple[int, ...]:
        return tuple(as_whole(layer, f"layer_{name}", 0, 2 ** 16 - 1) for layer, name in zip(layers, "ab"))

    def _set(self, name: str, call: Any, handles: ArrayLike, values: ArrayLike) -> None:
        named, _ = as_handles(handles)
        self._call(call, named, as_column(values, name, len(named), *FIELDS[name]))

    @staticmethod
    def _of_pairs(call: Callable[..., NDArray[_Item]], pairs: ArrayLike, *rest: Any) -> NDArray[_Item]:
        named, is_single = as_handles(pairs, "pairs", 2)
        try:
            return of_one(is_single, call(named, *rest))
        except IndexError as error:
            row = int(str(error))
            raise wrong("pairs", f"row {row} is {tuple(named[row].tolist())}", "a pair of this world") from None


_EVERY = (7, _ALL, None)


def _world_of(data: bytes) -> World:
    world = World()
    world.restore(data)
    return world


def _layers(layers: Union[None, Iterable[int], Callable[[int], object]]) -> Union[int, bytes]:
    """Layers as the bits of a number, or of bytes if that has not enough. All bits of the number are all layers."""
    if layers is None:
        return _ALL
    if callable(layers):
        named = {layer for layer in range(_LAYER_COUNT) if layers(layer)}
    else:
        named = {as_whole(layer, "layers", 0, _LAYER_COUNT - 1) for layer in layers}
    if len(named) < 64 and all(layer < 64 for layer in named):
        return sum(1 << layer for layer in named)
    table = np.zeros(_LAYER_COUNT, dtype=np.bool_)
    table[list(named)] = True
    return np.packbits(table, bitorder="little").tobytes()


def _world_rows(queries: _Queries) -> NDArray[np.float32]:
    """Boxes are rounded as a world rounds its own: to nearest, and what is finite stays so."""
    numbers = queries.numbers
    if isinstance(queries, BoxRows) and numbers.dtype == np.float64:
        numbers = np.where(np.isinf(numbers), numbers, np.clip(numbers, -_LARGEST, _LARGEST))
    return as_floats(numbers)


def _kinds(kind: Union[Kind, Sequence[Kind]], count: int) -> NDArray[np.uint8]:
    words = [kind] if isinstance(kind, str) else list(kind)
    if len(words) not in (1, count):
        raise wrong("kind", f"{len(words)} words", f"one or {count}")
    return np.array([as_choice(word, "kind", KINDS) for word in words], dtype=np.uint8)
