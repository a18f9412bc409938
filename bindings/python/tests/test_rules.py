"""Rules that hold for every call: what is no box or number is named or left out, masked or not, and one is one."""

import pickle
import warnings

import numpy as np
import pytest

import broadside
from test_mesh import MESH
from test_world import scene

BOXES = scene(4, 1)
POINTS, WAYS = BOXES[:, :3], BOXES[:, 3:]
TREE, DOUBLES, WORLD = broadside.BoxTree(BOXES), broadside.BoxTree(BOXES.astype(float)), broadside.World()
HANDLES = WORLD.add(BOXES)
SCENE = broadside.MeshScene([MESH])
# A call by an array of four rows, the name of the argument.
CALLS = {
    "find_pairs a": (lambda x, **k: broadside.find_pairs(x, **k), BOXES, "a"),
    "find_pairs b": (lambda x, **k: broadside.find_pairs(BOXES, x, **k), BOXES, "b"),
    "overlap": (lambda x, **k: broadside.overlap(x, BOXES, **k), BOXES, "a"),
    "time_of_impact": (lambda x, **k: broadside.time_of_impact(BOXES, None, x, **k), BOXES, "b"),
    "ray_boxes": (lambda x, **k: broadside.ray_boxes(x, WAYS, BOXES, **k), POINTS, "origins"),
    "BoxTree": (lambda x, **k: broadside.BoxTree(x, **k), BOXES, "boxes"),
    "add": (lambda x, **k: broadside.World().add(x, **k), BOXES, "boxes"),
    "set_boxes": (lambda x, **k: WORLD.set_boxes(HANDLES, x, **k), BOXES, "boxes"),
    "set_box": (lambda x, **k: broadside.BoxTree(BOXES).set_box(range(4), x, **k), BOXES, "boxes"),
    "Spheres": (lambda x, **k: broadside.Spheres(x, 1, **k), POINTS, "centers"),
    "Capsules": (lambda x, **k: broadside.Capsules(POINTS, x, 1, **k), POINTS, "b"),
    "Casts": (lambda x, **k: broadside.Casts(BOXES, x, **k), POINTS, "displacements"),
    "Movers": (lambda x, **k: broadside.Movers(x, WAYS, **k), POINTS, "positions"),
    "step": (lambda x, **k: broadside.CollisionStage().step(x, **k), BOXES, "boxes"),
    "scene query": (lambda x, **k: SCENE.query(x, **k), BOXES, "boxes"),
    "scene contains": (lambda x, **k: SCENE.contains(x, **k), POINTS, "points"),
    "closest_point": (lambda x, **k: MESH.closest_point(x, **k), POINTS, "points"),
    "contains": (lambda x, **k: MESH.contains(x, **k), POINTS, "points"),
}
for _name, _target in (("tree", TREE), ("doubles", DOUBLES), ("world", WORLD)):
    CALLS.update({
        f"{_name} query": (lambda x, _target=_target, **k: _target.query(x, **k), BOXES, "boxes"),
        f"{_name} any": (lambda x, _target=_target, **k: _target.any(x, **k), BOXES, "boxes"),
        f"{_name} nearest": (lambda x, _target=_target, **k: _target.nearest(x, **k), POINTS, "points"),
        f"{_name} rays": (lambda x, _target=_target, **k: _target.intersects_first(POINTS, x, **k), WAYS, "ray_directions"),
        f"{_name} any ray": (lambda x, _target=_target, **k: _target.intersects_any(x, WAYS, **k), POINTS, "ray_origins"),
    })


@pytest.mark.parametrize("name", CALLS)
def test_rows_that_are_none_are_named_or_left_out(name):
    call, good, argument = CALLS[name]
    call(good)
    bad = good.copy()
    bad[2, 1] = np.nan
    masked = np.ma.masked_array(good, mask=np.zeros(good.shape, dtype=bool))
    call(masked)
    masked[2, 1] = np.ma.masked
    for array, word in ((bad, "NaN" if good.shape[1] == 6 else "not finite"), (masked, "masked")):
        with pytest.raises(ValueError, match=f"^{argument}: row 2 is .*{word}.*invalid='ignore' leaves such rows out"):
            call(array)
        with pytest.raises(ValueError, match="^invalid: 'maybe'; known: raise, ignore"):
            call(array, invalid="maybe")
        call(array, invalid="ignore")
    with pytest.raises((TypeError, ValueError), match=f"^{argument}: "):
        call(np.array([["a"] * good.shape[1]] * 4))
    with pytest.raises(ValueError, match=f"^{argument}: shape"):
        call(np.zeros((4, 7)))
    WORLD.set_boxes(HANDLES, BOXES)


def test_what_is_no_query_box_or_scene_is_a_type_error():
    for target in (WORLD, broadside.BoxTree(BOXES)):
        for call in (target.closest_hits, target.find_hits, target.any_hit):
            with pytest.raises(TypeError, match="^queries: "):
                call(POINTS)
        with pytest.raises(TypeError, match="^boxes: dtype uint64"):
            target.any(np.uint64(2 ** 64 - 1))
    mesh = broadside.TriangleMesh(POINTS, [[0, 1, 2]])
    for call in (mesh.closest_hits, mesh.find_hits, mesh.any_hit):
        with pytest.raises(TypeError, match="^rays: "):
            call(POINTS)
    with pytest.raises(TypeError, match="^a: NoneType; wanted a MeshScene"):
        broadside.find_clashes(None)


def test_masked_numbers_that_belong_to_rows_are_refused():
    numbers = np.ma.masked_array(np.ones(len(BOXES), dtype=np.uint64), mask=False)
    handles = np.ma.masked_array(HANDLES, mask=False)
    faces = np.ma.masked_array([[0, 1, 2]], mask=False)
    calls = (lambda: WORLD.set_user_data(HANDLES, numbers), lambda: WORLD.set_margin(HANDLES, numbers),
             lambda: WORLD.is_alive(handles), lambda: WORLD.boxes_overlap(handles[:2].reshape(1, 2)),
             lambda: broadside.Spheres(POINTS, numbers), lambda: broadside.TriangleMesh(POINTS, faces),
             lambda: broadside.find_pairs(BOXES, filter=broadside.BoxFilter(groups=numbers)),
             lambda: broadside.find_pairs(BOXES, filter=broadside.BoxFilter(ids=numbers.reshape(-1, 1))),
             lambda: broadside.find_pairs(BOXES, filter=broadside.BoxFilter(subset=numbers > 0)))
    for call in calls:
        call()
    numbers[1] = handles[1] = faces[0, 1] = np.ma.masked
    for call in calls:
        with pytest.raises(ValueError, match="masked"):
            call()


def test_rows_that_no_call_leaves_out_are_named_without_advice():
    bad = np.array([[0, 0, np.nan]])
    for call, name in ((lambda: broadside.World().add([0] * 6, displacements=bad), "displacements"),
                       (lambda: WORLD.set_displacements(HANDLES[:1], bad), "displacements"),
                       (lambda: WORLD.shift_origin(bad), "offset"),
                       (lambda: broadside.TriangleMesh(bad, []), "vertices"),
                       (lambda: MESH.first_impact(MESH, bad), "displacement")):
        with pytest.raises(ValueError, match=rf"^{name}: row 0 is \(0.0, 0.0, nan\): not finite \(dtype float64, shape \(1, 3\)\)$"):
            call()


def test_boxes_at_the_end_of_the_floats_are_rounded_without_a_warning():
    largest = float(np.finfo(np.float32).max)
    ends = np.array([[1e39, 0, 0, 1e39, 1, 1], [np.nextafter(largest, np.inf), 0, 0, 1e39, 1, 1], [largest, 0, 0, 1e39, 1, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert broadside.BoxTree(np.float32([[0, 0, 0, largest, 1, 1]])).any(ends).tolist() == [False, False, True]


def test_a_mask_is_for_all_queries_or_one_for_each():
    world = broadside.World()
    handles = world.add(BOXES, category=[1, 2, 4, 8])
    rays = broadside.Rays(POINTS, WAYS)
    for masks, kept in ((3, [0, 1]), ([1, 2, 4, 0], [0, 1, 2])):
        where = broadside.Where(masks=masks)
        rows, found = world.query(BOXES, where=where)
        assert set(rows[found == handles[rows]].tolist()) == set(kept)
        assert world.any(BOXES, where=where)[kept].all()
        assert np.array_equal(world.nearest(POINTS, where=where)[1][kept], handles[kept])
        assert world.any_hit(rays, where=where)[kept].all()
    for call in (lambda where: world.query(BOXES, where=where), lambda where: world.any(BOXES, where=where),
                 lambda where: world.nearest(POINTS, where=where), lambda where: world.first_overlaps(BOXES, where=where),
                 lambda where: world.closest_hits(rays, where=where), lambda where: world.view().query(BOXES, where=where)):
        with pytest.raises(ValueError, match=r"^where\.masks: shape \(3,\); wanted a number or \(4,\)"):
            call(broadside.Where(masks=[1, 2, 3]))
        with pytest.raises(TypeError, match="^where: 3; wanted a Where"):
            call(3)


def test_every_name_has_a_docstring():
    for name in broadside.__all__:
        item = getattr(broadside, name)
        if isinstance(item, type):
            missing = [each for each in dir(item) if not each.startswith("_") and not getattr(item, each).__doc__]
            assert item.__doc__ and not missing, (name, missing)
        elif callable(item) and item.__module__ != "broadside._broadside":
            assert item.__doc__, name


def test_what_has_a_value_can_be_pickled():
    for item in (TREE, DOUBLES, WORLD, MESH, SCENE, broadside.Rays(POINTS, WAYS), broadside.Spheres(POINTS, 1),
                 broadside.Where(kinds=["fixed"], masks=[1]), broadside.BoxFilter(groups=[1, 2]), broadside.MoverSettings(),
                 broadside.CollisionStage(), broadside.CollisionManager(), broadside.Movers(POINTS, WAYS)):
        again = pickle.loads(pickle.dumps(item))
        assert type(again) is type(item)
        for name, value in vars(item).items():
            if not name.startswith("_"):
                assert np.array_equal(getattr(again, name), value), name
    assert pickle.loads(pickle.dumps(DOUBLES)).boxes().tolist() == DOUBLES.boxes().tolist()
    assert pickle.loads(pickle.dumps(WORLD)).boxes(HANDLES).tolist() == WORLD.boxes(HANDLES).tolist()
    with pytest.raises(TypeError, match="^WorldView: .*pickle the World"):
        pickle.dumps(WORLD.view())


def test_what_is_left_out_finds_nothing():
    bad = BOXES.copy()
    bad[1] = np.nan
    for target in (TREE, DOUBLES):
        assert 1 not in target.query(bad, invalid="ignore")[0] and target.count(bad, invalid="ignore")[1] == 0
        assert target.nearest(bad[:, :3], invalid="ignore")[1].tolist() == [0, -1, 2, 3]
        assert target.intersects_first(bad[:, :3], WAYS, invalid="ignore")[1] == -1
    assert WORLD.nearest(bad[:, :3], invalid="ignore")[1][1] == 0
    assert broadside.find_pairs(bad, invalid="ignore").tolist() == [
        pair for pair in broadside.find_pairs(BOXES).tolist() if 1 not in pair]
    assert np.isnan(MESH.signed_distance(bad[:, :3], invalid="ignore")[1]) or MESH.contains(bad[:, :3], invalid="ignore")[1] == 0


def test_indices_have_one_type():
    rays = broadside.Rays(POINTS, WAYS)
    arrays = [broadside.find_pairs(BOXES), TREE.query(BOXES), TREE.query(BOXES[0]), TREE.count(BOXES), TREE.find_pairs(),
              TREE.nearest(POINTS)[1], DOUBLES.nearest(POINTS)[1], TREE.intersects_first(POINTS, WAYS),
              DOUBLES.intersects_first(POINTS, WAYS), *TREE.intersects_id(POINTS, WAYS), *TREE.intersection_v(POINTS, WAYS),
              TREE.closest_hits(rays).target, TREE.find_hits(rays).query, WORLD.query(BOXES)[0], WORLD.pairs_of(HANDLES)[0],
              SCENE.closest_hits(rays).instance, SCENE.query(BOXES), broadside.find_clashes(SCENE).pairs,
              TREE.closest_pair()[1], TREE.find_close_pairs(1)[0], broadside.CollisionStage().step(BOXES).candidate_pairs,
              MESH.closest_hits(rays).triangle, MESH.query(BOXES), MESH.closest_point(POINTS)[2]]
    assert {array.dtype for array in arrays} == {np.dtype(np.int64)}


@pytest.mark.parametrize("name", ("TREE", "DOUBLES", "WORLD", "MESH", "SCENE"))
def test_one_is_as_a_row_of_many(name):
    target = globals()[name]
    calls = [(target.ray_distances, 2), (target.intersects_first, 2), (target.intersects_any, 2)]
    calls += [(target.contains, 1), (target.signed_distance, 1)] if name in ("MESH", "SCENE") else [(target.nearest, 1)]
    rng = np.random.default_rng(1)
    for points, ways in ((POINTS, WAYS), (rng.random((40, 3)) * 8 - 1, rng.normal(size=(40, 3))),
                         (rng.integers(-2, 9, (40, 3)), rng.integers(-3, 3, (40, 3)) * 2 + 1)):
        for call, count in calls:
            many = call(*(points, ways)[:count])
            columns = many if isinstance(many, tuple) else (many,)
            for i in range(len(points)):
                for turned in (lambda row: row, lambda row: row.tolist(), lambda row: tuple(row.tolist())):
                    one = call(*(turned(rows[i]) for rows in (points, ways)[:count]))
                    found = one if isinstance(one, tuple) else (one,)
                    assert [each.item() if hasattr(each, "item") else each for each in found] == [
                        column[i].item() for column in columns], (name, call.__name__, i)
    assert len(np.unique(columns[0])) > 1


@pytest.mark.parametrize("name", ("TREE", "DOUBLES", "WORLD", "MESH", "SCENE"))
def test_one_box_of_a_query_is_as_a_row_of_many(name):
    target = globals()[name]
    rng = np.random.default_rng(2)
    low = (rng.random((30, 3)) * 7 - 1).astype(np.float32)
    boxes = np.hstack((low, low + rng.random((30, 3)).astype(np.float32) * 3))
    any_of, found = target.any(boxes), target.query(boxes)
    assert any_of.any() and not any_of.all()
    for i, box in enumerate(boxes):
        own = found[1][found[0] == i] if len(found) == 2 else found[1:, found[0] == i]
        for one in (box, box.tolist(), tuple(box.tolist()), box.astype(float)):
            assert target.any(one) == any_of[i]
            assert target.query(one).tolist() == own.tolist() and target.query(one).dtype == own.dtype
    with pytest.raises(ValueError, match="^boxes: row 0 is no box"):
        target.query([3, 3, 3, 2, 4, 4])


@pytest.mark.parametrize("target", (MESH, SCENE), ids=("MESH", "SCENE"))
def test_the_closest_point_of_one_is_that_of_a_row(target):
    points = np.random.default_rng(3).random((30, 3)) * 8 - 1
    many = target.closest_point(points)
    for i, point in enumerate(points):
        for one in (target.closest_point(point), target.closest_point(point.tolist())):
            assert [np.asarray(part).tolist() for part in one] == [part[i].tolist() for part in many]
    with pytest.raises(ValueError, match="^points: row 0 is .*not finite"):
        target.closest_point([0, np.inf, 0])


def test_one_box_that_is_set_is_as_a_row_of_many():
    boxes = BOXES.astype(float) + 1 / 3
    trees, worlds, handles = [], [], []
    for _ in range(2):
        trees.append(broadside.BoxTree(BOXES))
        worlds.append(broadside.World())
        handles.append(worlds[-1].add(BOXES))
        worlds[-1].update()
        assert len(worlds[-1].query(BOXES)[0])
    trees[0].set_box([1, 3], boxes[[1, 3]])
    trees[1].set_box(1, boxes[1])
    trees[1].set_box(np.int64(3), boxes[3].tolist())
    worlds[0].set_boxes(handles[0][[1, 3]], boxes[[1, 3]])
    worlds[1].set_boxes(handles[1][1], boxes[1])
    worlds[1].set_boxes(int(handles[1][3]), boxes[3].tolist())
    assert trees[0].boxes().tolist() == trees[1].boxes().tolist() != BOXES.tolist()
    assert worlds[0].boxes(handles[0]).tolist() == worlds[1].boxes(handles[1]).tolist() != BOXES.tolist()
    assert worlds[1].query(boxes[1]).tolist() == worlds[0].query(boxes[1]).tolist()
    assert worlds[0].update().changed_count == worlds[1].update().changed_count == 2
    for bad in (True, -1, 1.0, 2 ** 64):
        with pytest.raises((TypeError, ValueError), match="^handles: "):
            worlds[1].set_boxes(bad, boxes[0])
        with pytest.raises((TypeError, ValueError), match="^indices: "):
            trees[1].set_box(bad, boxes[0])


def test_one_box_is_a_row_where_many_are_taken():
    one = BOXES[0]
    assert broadside.find_pairs(one, BOXES).tolist() == [[0, j] for j in TREE.query(one)]
    assert len(broadside.BoxTree(one)) == 1 and broadside.overlap(one, one).tolist() == [True]
    assert broadside.find_pairs((one[:3], one[3:]), BOXES).tolist() == broadside.find_pairs(one.tolist(), BOXES).tolist()
