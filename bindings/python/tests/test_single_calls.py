"""Calls of one box, point, ray, shape or object: the results are those of a row of many, and no Python code converts arguments.

The second is what makes them cheap: the compiled part reads one row by itself. It is counted, not timed.
"""

import inspect
import sys

import numpy as np
import pytest

import broadside
from test_mesh import MESH
from test_world import scene

COUNT = 30
BOXES = scene(200, 1)
RNG = np.random.default_rng(5)
LOW = (RNG.random((COUNT, 3)) * 7 - 1).astype(np.float32)
QUERIES = np.hstack((LOW, LOW + RNG.random((COUNT, 3)).astype(np.float32)))
POINTS, WAYS = LOW, RNG.normal(size=(COUNT, 3)).astype(np.float32)
WORLD = broadside.World()
HANDLES = WORLD.add(BOXES, user_data=np.arange(200), kind=["moving", "fixed"] * 100, category=[1, 1, 2, 2] * 50)
WORLD.update()
WORLD.any(BOXES)
FIXED = broadside.Where(kinds=["fixed"], layers=[0])
MASKED = broadside.Where(masks=2)
TARGETS = {"tree": broadside.BoxTree(BOXES), "doubles": broadside.BoxTree(BOXES.astype(float)), "world": WORLD, "view": WORLD.view(),
           "mesh": MESH, "scene": broadside.MeshScene([MESH, MESH])}
TARGETS["doubles"].nearest(POINTS)  # Makes what rays and nearest boxes of doubles need.
TREES, WORLDS, SURFACES = ("tree", "doubles"), ("world", "view"), ("mesh", "scene")


def rows_of(found, i):
    """The part of query `i` of a list whose first row names the queries."""
    return [np.asarray(column)[np.asarray(found[0]) == i] for column in found[1:]]


def hits_of(found, i):
    rows = rows_of(found, i)
    return [np.zeros(len(rows[0])), *rows]


def entry(found, i):
    return [np.asarray(column)[i] for column in (found if isinstance(found, tuple) else (found,))]


def located(found, i):
    points, rays, names = found
    return [points[rays == i], np.zeros(int((rays == i).sum())), names[rays == i]]


def identified(found, i):
    names, rays = found
    return [names[rays == i], np.zeros(int((rays == i).sum()))]


def listed(found, i):
    rows, names = found
    return [names[rows == i]]


def counted(found, i):
    boxes, counts = found
    return [np.split(boxes, np.cumsum(counts))[i], counts[i:i + 1]]


def first_overlaps(x, shapes):
    """Motions of one shape each."""
    return x.first_overlaps(shapes, motions=None if shapes.is_single else COUNT)


# The call by rows, its arguments, the rows of its results, its targets.
CALLS = {
    "query": (lambda x, a: x.query(a), (QUERIES,), rows_of, TREES + SURFACES),
    "query of a world": (lambda x, a: x.query(a), (QUERIES,), listed, WORLDS),
    "query where": (lambda x, a: x.query(a, where=FIXED), (QUERIES,), listed, WORLDS),
    "query of masks": (lambda x, a: x.query(a, where=MASKED), (QUERIES,), listed, WORLDS),
    "intersection_v": (lambda x, a, b: x.intersection_v(a, b), (LOW, LOW + 1), counted, TREES),
    "query of corners": (lambda x, a, b: x.query((a, b)), (LOW, LOW + 1), rows_of, TREES + SURFACES),
    "query of spheres": (lambda x, a: x.query(broadside.Spheres(a, 0.5)), (POINTS,), rows_of, ("tree",) + SURFACES),
    "query of capsules": (lambda x, a, b: x.query(broadside.Capsules(a, b, 0.25)), (POINTS, LOW + 1), rows_of, ("tree",) + SURFACES),
    "query of spheres in a world": (lambda x, a: x.query(broadside.Spheres(a, 0.5)), (POINTS,), listed, WORLDS),
    "query_points": (lambda x, a: x.query_points(a), (POINTS,), rows_of, TREES),
    "count": (lambda x, a: x.count(a), (QUERIES,), entry, TREES),
    "any": (lambda x, a: x.any(a), (QUERIES,), entry, TARGETS),
    "any where": (lambda x, a: x.any(a, where=FIXED), (QUERIES,), entry, WORLDS),
    "any of spheres": (lambda x, a: x.any(broadside.Spheres(a, 0.5)), (POINTS,), entry, ("tree",) + WORLDS + SURFACES),
    "nearest": (lambda x, a: x.nearest(a), (POINTS,), entry, TREES + WORLDS),
    "nearest of four": (lambda x, a: x.nearest(a, 4), (POINTS,), entry, TREES + WORLDS),
    "nearest within": (lambda x, a: x.nearest(a, max_distance=0.25), (POINTS,), entry, TREES + WORLDS),
    "nearest of masks": (lambda x, a: x.nearest(a, where=MASKED), (POINTS,), entry, WORLDS),
    "closest_hits of masks": (lambda x, a, b: x.closest_hits(broadside.Rays(a, b), where=MASKED), (POINTS, WAYS), entry, WORLDS),
    "nearest where": (lambda x, a: x.nearest(a, 2, where=FIXED), (POINTS,), entry, WORLDS),
    "intersects_first": (lambda x, a, b: x.intersects_first(a, b), (POINTS, WAYS), entry, TARGETS),
    "intersects_any": (lambda x, a, b: x.intersects_any(a, b), (POINTS, WAYS), entry, TARGETS),
    "ray_distances within": (lambda x, a, b: x.ray_distances(a, b, reach=1), (POINTS, WAYS), entry, TARGETS),
    "intersects_id": (lambda x, a, b: x.intersects_id(a, b), (POINTS, WAYS), identified, TARGETS),
    "intersects_location": (lambda x, a, b: x.intersects_location(a, b), (POINTS, WAYS), located, TARGETS),
    "intersects_location of the first": (lambda x, a, b: x.intersects_location(a, b, multiple_hits=False, reach=1.5),
                                         (POINTS, WAYS), located, TARGETS),
    "closest_hits": (lambda x, a, b: x.closest_hits(broadside.Rays(a, b)), (POINTS, WAYS), entry, TARGETS),
    "closest_hits within": (lambda x, a, b: x.closest_hits(broadside.Rays(a, b, 1.0, inside="miss")), (POINTS, WAYS), entry,
                            ("tree",) + WORLDS),
    "closest_hits of moving boxes": (lambda x, a, b: x.closest_hits(broadside.Casts(a, b)), (QUERIES, WAYS), entry, ("tree",) + WORLDS),
    "closest_hits of moving spheres": (lambda x, a, b: x.closest_hits(broadside.Casts(broadside.Spheres(a, 0.1), b, 0.5)), (POINTS, WAYS),
                                       entry, ("tree",) + WORLDS),
    "closest_hits of moving capsules": (lambda x, a, b, c: x.closest_hits(broadside.Casts(broadside.Capsules(a, b, 0.1), c)),
                                        (POINTS, LOW + 1, WAYS), entry, ("tree",) + WORLDS),
    "find_hits": (lambda x, a, b: x.find_hits(broadside.Rays(a, b)), (POINTS, WAYS), hits_of, TARGETS),
    "find_hits where": (lambda x, a, b: x.find_hits(broadside.Rays(a, b, 2.0), where=FIXED), (POINTS, WAYS), hits_of, WORLDS),
    "find_hits of moving boxes": (lambda x, a, b: x.find_hits(broadside.Casts(a, b, touch="open")), (QUERIES, WAYS), hits_of,
                                  ("tree",) + WORLDS),
    "any_hit": (lambda x, a, b: x.any_hit(broadside.Rays(a, b)), (POINTS, WAYS), entry, TARGETS),
    "any_hit of moving boxes": (lambda x, a, b: x.any_hit(broadside.Casts(a, b)), (QUERIES, WAYS), entry, ("tree",) + WORLDS),
    "cast of spheres": (lambda x, a, b: x.cast(broadside.Casts(broadside.Spheres(a, 0.1), b, 0.5)), (POINTS, WAYS), entry, SURFACES),
    "cast of capsules": (lambda x, a, b, c: x.cast(broadside.Casts(broadside.Capsules(a, b, 0.1), c)), (POINTS, LOW + 1, WAYS), entry,
                         SURFACES),
    "first_overlaps": (lambda x, a: x.first_overlaps(a, motions=COUNT if len(a) == COUNT else None), (QUERIES,), entry,
                       TREES + WORLDS + ("mesh",)),
    "first_overlaps of spheres": (lambda x, a: first_overlaps(x, broadside.Spheres(a, 0.5)), (POINTS,), entry,
                                  ("tree",) + WORLDS + ("mesh",)),
    "contains": (lambda x, a: x.contains(a), (POINTS,), entry, SURFACES),
    "signed_distance": (lambda x, a: x.signed_distance(a), (POINTS,), entry, SURFACES),
    "closest_point": (lambda x, a: x.closest_point(a), (POINTS,), entry, SURFACES),
    "boxes": (lambda x, a: x.boxes(a), (HANDLES[:COUNT],), entry, WORLDS),
    "user_data": (lambda x, a: x.user_data(a), (HANDLES[:COUNT],), entry, WORLDS),
    "is_alive": (lambda x, a: x.is_alive(a), (np.append(HANDLES[:COUNT - 1], np.uint64(7 << 40)),), entry, WORLDS),
    "pairs_of": (lambda x, a: x.pairs_of(a), (HANDLES[:COUNT],), listed, ("world",)),
}
CASES = [(name, target) for name, (_, _, _, targets) in CALLS.items() for target in targets]


def variants(rows, i):
    """One row as an array, a list and a tuple; a handle as NumPy and Python have it."""
    if rows[0].ndim == 1:
        return [[row[i] for row in rows], [int(row[i]) for row in rows]]
    return [[row[i] for row in rows], [row[i].tolist() for row in rows], [tuple(row[i].tolist()) for row in rows]]


def flat(found, is_many_columns):
    return found if is_many_columns else (found,)


@pytest.mark.parametrize("name, target", CASES)
def test_one_is_a_row_of_many(name, target):
    call, arguments, row_of, _ = CALLS[name]
    x = TARGETS[target]
    many = call(x, *arguments)
    filled = 0
    for i in range(COUNT):
        expected = row_of(many, i)
        for one in variants(arguments, i):
            found = call(x, *one)
            columns = list(found) if isinstance(found, tuple) or (target == "scene" and row_of is rows_of) else [found]
            assert [np.asarray(each).tolist() for each in columns] == [np.asarray(each).tolist() for each in expected], (i, one)
        filled += any(np.size(each) and np.any(np.asarray(each) != np.asarray(expected[0]).dtype.type(0)) for each in expected)
    assert filled


def python_calls(call):
    """How many functions of Python run."""
    names = []
    sys.setprofile(lambda frame, event, _: names.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
    return names


@pytest.mark.parametrize("name, target", CASES)
def test_no_python_code_converts_one(name, target):
    call, arguments, _, _ = CALLS[name]
    for one in variants(arguments, 3):
        names = python_calls(lambda: call(TARGETS[target], *one))
        # The lambdas, the method and what it calls to reach the compiled part; a shape or a result may be an object.
        assert len(names) <= 8 and not {"as_boxes", "as_rows", "as_column", "as_handles", "as_floats", "of_one"} & set(names), names


RAY, SPHERE = broadside.Rays(POINTS[3], WAYS[3]), broadside.Spheres(POINTS[3], 0.1)
OF_ONE = {
    "query": (QUERIES[3],), "query_points": (POINTS[3],), "intersection_v": (LOW[3], LOW[3] + 1), "count": (QUERIES[3],), "any": (QUERIES[3],),
    "nearest": (POINTS[3],), "intersects_first": (POINTS[3], WAYS[3]), "intersects_any": (POINTS[3], WAYS[3]),
    "ray_distances": (POINTS[3], WAYS[3]), "intersects_location": (POINTS[3], WAYS[3]), "intersects_id": (POINTS[3], WAYS[3]),
    "closest_hits": (RAY,), "find_hits": (RAY,), "any_hit": (RAY,), "cast": (broadside.Casts(SPHERE, WAYS[3]),),
    "first_overlaps": (QUERIES[3],), "contains": (POINTS[3],), "signed_distance": (POINTS[3],), "closest_point": (POINTS[3],),
}
OTHERS_OF_ONE = (
    (broadside.Rays, (POINTS[3], WAYS[3])), (broadside.Spheres, (POINTS[3], 0.1)), (broadside.Capsules, (POINTS[3], LOW[3], 0.1)),
    (broadside.Casts, (QUERIES[3], WAYS[3])), (broadside.find_pairs, (QUERIES[3], QUERIES[3])), (broadside.BoxTree(BOXES).set_box, (3, BOXES[3])),
    (broadside.World().add, (BOXES[3],)), (WORLD.set_boxes, (HANDLES[3], BOXES[3])),
)


def test_wrong_options_are_refused_with_one_row_as_with_many():
    calls = [(getattr(target, name), arguments) for target in TARGETS.values() for name, arguments in OF_ONE.items() if hasattr(target, name)]
    count = 0
    for call, arguments in (*calls, *OTHERS_OF_ONE):
        for option in {"workers", "invalid"} & set(inspect.signature(call).parameters):
            with pytest.raises(ValueError, match=f"^{option}: 'many'"):
                call(*arguments, **{option: "many"})
            count += 1
    assert count > 100


def test_one_object_that_is_added_or_removed_is_as_many():
    for options in ({}, {"kind": "fixed", "category": 1, "mask": 2, "group": -3, "layer": 4, "margin": 0.5, "user_data": 2 ** 63}):
        one_by_one, at_once = broadside.World(fixed_objects_pair=True), broadside.World(fixed_objects_pair=True)
        handles = [one_by_one.add(box, **options) for box in BOXES]
        assert at_once.add(BOXES, **options).tolist() == handles and type(handles[0]) is np.uint64
        for field in one_by_one.objects(handles).dtype.names:
            assert one_by_one.objects(handles)[field].tolist() == at_once.objects(handles)[field].tolist()
        assert one_by_one.update().begun.tolist() == at_once.update().begun.tolist()
        one_by_one.remove(handles[7])
        one_by_one.remove(int(handles[9]))
        at_once.remove([handles[7], handles[9]])
        one_by_one.set_user_data(handles[3], 5)
        at_once.set_user_data([handles[3]], [5])
        assert one_by_one.update().ended.tolist() == at_once.update().ended.tolist()
        assert one_by_one.pairs_hash() == at_once.pairs_hash() and len(one_by_one) == 198
        assert one_by_one.query(BOXES[3]).tolist() == at_once.query(BOXES)[1][at_once.query(BOXES)[0] == 3].tolist()
        for wrong in (handles[7], 5, True, -1, 2.0):
            with pytest.raises((TypeError, ValueError), match="^handles: "):
                one_by_one.remove(wrong)
    world = broadside.World()
    for call, text in ((lambda: world.add(BOXES[0], kind="flying"), "kind: 'flying'"), (lambda: world.add(BOXES[0], layer=2 ** 16), "layer: "),
                       (lambda: world.add(BOXES[0], margin=-1), "margin: "), (lambda: world.add(BOXES[0], group=2 ** 31), "group: "),
                       (lambda: world.add(BOXES[0], mask=True), "mask: "), (lambda: world.add([3, 0, 0, 2, 1, 1]), "boxes: row 0")):
        with pytest.raises((TypeError, ValueError), match=f"^{text}"):
            call()
    assert len(world) == 0
    names = python_calls(lambda: world.remove(world.add(BOXES[0], user_data=7)))
    assert len(names) <= 3, names
    with pytest.raises(MemoryError):
        small = broadside.World(max_objects=1)
        small.add(BOXES[0])
        small.add(BOXES[1])


CHANGES = {
    "set_margin": lambda world, handle: world.set_margin(handle, 0.5),
    "set_margin of whole numbers": lambda world, handle: world.set_margin(handle, 1),
    "set_kind": lambda world, handle: world.set_kind(handle, "fixed"),
    "set_displacements": lambda world, handle: world.set_displacements(handle, WAYS[0]),
    "set_displacements of a list": lambda world, handle: world.set_displacements(handle, [1, 2.5, -1]),
    "set_filter": lambda world, handle: world.set_filter(handle, category=4, mask=3, group=-2, layer=5),
    "set_filter of masks": lambda world, handle: world.set_filter(handle, mask=np.uint64(1)),
    "set_filter of layers": lambda world, handle: world.set_filter(handle, layer=5),
    "set_filter of categories": lambda world, handle: world.set_filter(handle, category=6),
    "set_filter of groups": lambda world, handle: world.set_filter(handle, group=7),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_one_object_that_is_changed_is_as_many(change):
    worlds = one_by_one, at_once, _ = [broadside.World() for _ in range(3)]
    for world in worlds:
        handles = world.add(BOXES, category=2, mask=[6] * 100 + [2] * 100, layer=1)
        world.update()
        world.any(BOXES[0])
    named = handles[[3, 5, 120]]
    for handle in named:
        assert len(python_calls(lambda: change(one_by_one, handle))) <= 3  # The two lambdas and the method.
    change(at_once, named)
    objects = [[world.objects(handles)[field].tolist() for field in world.objects(handles).dtype.names] for world in worlds]
    assert objects[0] == objects[1] != objects[2]
    found = [[world.query([0, 0, 0, 9, 9, 9], where=broadside.Where(kinds=["moving"], layers=[1])).tolist(), world.update().begun.tolist(),
              world.pairs().tolist()] for world in worlds]
    assert found[0] == found[1]
    for wrong in (7 << 40, True, -1, 2.0):
        with pytest.raises((TypeError, ValueError), match="^handles: "):
            change(one_by_one, wrong)


def test_wrong_values_of_one_are_told():
    handle = HANDLES[3]
    before = WORLD.objects(handle)
    for call, text in ((lambda: WORLD.set_margin(handle, -1), "margin: -1"), (lambda: WORLD.set_margin(handle, True), "margin: True"),
                       (lambda: WORLD.set_kind(handle, "flying"), "kind: 'flying'"),
                       (lambda: WORLD.set_displacements(handle, [0, 0]), "displacements: shape"),
                       (lambda: WORLD.set_displacements(handle, [0, 0, np.nan]), "displacements: row 0"),
                       (lambda: WORLD.set_filter(handle, layer=2 ** 16), "layer: 65536"), (lambda: WORLD.set_filter(handle, group=2 ** 31), "group: "),
                       (lambda: WORLD.set_filter(handle, mask=-1), "mask: -1"), (lambda: WORLD.set_filter(handle, category=True), "category: True"),
                       (lambda: WORLD.add(BOXES[0], mask=None), ""),
                       (lambda: broadside.Casts([3, 0, 0, 2, 1, 1], WAYS[0]), "shapes: row 0"),
                       (lambda: broadside.Casts(BOXES[0], [0, 0, np.nan]), "displacements: row 0"),
                       (lambda: broadside.Casts(BOXES[0], WAYS[0], np.nan), "reach: nan"),
                       (lambda: broadside.Casts(broadside.Rays(LOW[0], WAYS[0]), WAYS[0]), "shapes: Rays"),
                       (lambda: TARGETS["tree"].first_overlaps(BOXES[0], True), "shapes_per_state: True"),
                       (lambda: TARGETS["doubles"].find_hits(broadside.Casts(BOXES[0], WAYS[0])), "Casts: the tree is of float64"),
                       (lambda: MESH.cast(broadside.Casts(BOXES[0], WAYS[0])), "casts: ")):
        with pytest.raises((TypeError, ValueError), match=f"^{text}"):
            call()
    assert WORLD.objects(handle) == before


@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("f8", "f4"), ("i8", "i8"), ("i4", "f8")])
def test_pairs_of_one_box_are_those_of_many(dtypes):
    many = [(4 * boxes).astype(dtype) for boxes, dtype in zip((QUERIES, BOXES[:COUNT]), dtypes)]
    expected = broadside.find_pairs(*many).tolist()
    assert 0 < len(expected) < COUNT * COUNT
    for i, a in enumerate(many[0]):
        for one in (a, a.tolist(), tuple(a.tolist()), (a[:3], a[3:])):
            assert [[i, j] for j, b in enumerate(many[1]) if broadside.find_pairs(one, b).tolist()] == [pair for pair in expected if pair[0] == i]
            assert broadside.find_pairs(one, a).tolist() == [[0, 0]] and broadside.find_pairs(one).shape == (0, 2)
    assert not {"as_boxes", "with_one_type"} & set(python_calls(lambda: broadside.find_pairs(many[0][3], many[1][3].tolist())))
    assert broadside.find_pairs([0, 0, 1, 1], [1, 1, 2, 2]).tolist() == [[0, 0]]
    assert broadside.find_pairs([0.0, 0, 1, 1], [1.5, 1, 2, 2]).dtype == np.int64
    whole = [2 ** 53 + 1, 0, 2 ** 53 + 1, 1]
    assert broadside.find_pairs(whole, [2 ** 53, 0, 2 ** 53, 1]).shape == (0, 2)
    for wrong, text in (([3, 0, 2, 1], "b: row 0"), ([0, 0, 0, 1, 1, 1], "b: boxes with 3 axes"), ([0, 0, np.nan, 1], "b: row 0")):
        with pytest.raises(ValueError, match=f"^{text}"):
            broadside.find_pairs([0, 0, 1, 1], wrong)
        if "row" in text:
            assert broadside.find_pairs([0, 0, 1, 1], wrong, invalid="ignore").shape == (0, 2)


def test_one_box_that_is_removed_from_a_tree_is_as_many():
    one, many = broadside.BoxTree(BOXES), broadside.BoxTree(BOXES)
    one.remove_box(3)
    one.remove_box(np.int64(5))
    many.remove_box([3, 5])
    assert one.boxes().tolist() == many.boxes().tolist() != BOXES.tolist()
    for wrong in (3, 200, -1, True, 1.0):
        with pytest.raises((TypeError, ValueError), match="^indices: "):
            one.remove_box(wrong)
    with pytest.raises(TypeError, match="^remove_box: the tree is of float64"):
        broadside.BoxTree(BOXES.astype(float)).remove_box(3)
