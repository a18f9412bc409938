"""World and the kernels against brute force."""

import numpy as np
import pytest

import broadside
import oracle


def scene(count, seed, dtype=np.float32):
    rng = np.random.default_rng(seed)
    low = rng.random((count, 3)) * 6
    return np.hstack((low, low + rng.random((count, 3)))).astype(dtype)


def named(handles, pairs):
    place = {handle: i for i, handle in enumerate(handles.tolist())}
    return sorted(sorted((place[a], place[b])) for a, b in pairs.tolist())


def test_a_world_in_motion():
    world = broadside.World()
    boxes = scene(200, 1)
    handles = world.add(boxes)
    alive = np.empty((0, 2), dtype=np.uint64)
    for frame in range(6):
        update = world.update(workers=1 + frame % 2)
        expected = oracle.pairs(boxes)
        assert named(handles, world.pairs()) == expected and world.pair_count == len(expected)
        gone = {tuple(pair) for pair in update.ended.tolist()}
        kept = [pair for pair in alive.tolist() if tuple(pair) not in gone]
        assert sorted(kept + update.begun.tolist()) == sorted(world.pairs().tolist())
        alive = world.pairs()
        rows, found = world.query(boxes[:20])
        place = {handle: i for i, handle in enumerate(handles.tolist())}
        assert sorted(zip(rows.tolist(), (place[h] for h in found.tolist()))) == [
            tuple(pair) for pair in oracle.pairs(boxes[:20], boxes)]
        moved = np.arange(frame, 200, 3)
        boxes[moved] = scene(len(moved), 10 + frame)
        world.set_boxes(handles[moved], boxes[moved])
    again = broadside.World()
    world.update()
    again.restore(world.save())
    assert again.pairs().tolist() == world.pairs().tolist() and len(again) == 200
    world.remove(handles[:50])
    world.update()
    assert named(handles, world.pairs()) == [pair for pair in oracle.pairs(boxes) if pair[0] >= 50]
    assert world.is_alive(handles).tolist() == [False] * 50 + [True] * 150


def test_rules_and_rays_of_a_world():
    world = broadside.World()
    floor = world.add([[0, 0, 0, 9, 1, 9]], kind="fixed")
    wall = world.add([[0, 0, 0, 1, 9, 9]], kind="fixed")
    a = world.add([[4, 1, 4, 5, 2, 5]], category=1, mask=2)
    b = world.add([[4, 1, 4, 5, 2, 5]], category=2, mask=4)
    # The floor is of all categories; the masks of a and b do not hold each other's.
    begun = {tuple(pair) for pair in world.update().begun.tolist()}
    assert begun == {(floor[0], a[0]), (floor[0], b[0])}
    t, near = world.ray_distances([[4.5, 9, 4.5], [50, 9, 50]], [[0, -1, 0], [0, -1, 0]])
    assert near.tolist() == [a[0], 0] and t.tolist() == [7.0, np.inf]
    assert world.intersects_first([[4.5, 9, 4.5]], [[0, -1, 0]]).tolist() == [a[0]]
    world.set_kind(b, "fixed")
    world.set_margin(a, 3.5)
    assert (wall[0] in world.update().begun) and floor[0] != wall[0]


def test_no_pair_is_lost_by_rounding():
    # The two are apart by less than a float tells.
    apart = np.array([[0, 0, 0, 1 + 2.0**-40, 1, 1], [1 + 2.0**-30, 0, 0, 2, 1, 1]])
    assert len(broadside.find_pairs(apart)) == 0
    world = broadside.World()
    world.add(apart)
    assert len(world.update().begun) == 1
    for dtype in (np.int64, np.int32):
        whole = np.array([[0, 0, 0, 2**24 + 1, 1, 1], [2**24 + 1, 0, 0, 2**25 + 3, 1, 1]], dtype=dtype)
        world = broadside.World()
        world.add(whole)
        assert len(world.update().begun) == 1
    # Beyond the floats, and infinite.
    world = broadside.World()
    world.add(np.array([[1e300, 0, 0, 2e300, 1, 1], [2e300, 0, 0, np.inf, 1, 1], [-np.inf, 0, 0, -1e300, 1, 1]]))
    assert len(world.update().begun) == 1


def test_errors_of_a_world():
    world = broadside.World()
    handles = world.add(scene(3, 2))
    for call in (lambda: world.remove([handles[0], 77]), lambda: world.set_boxes([77], [[0] * 6])):
        with pytest.raises(ValueError, match="handles: row [01] is 77"):
            call()
    with pytest.raises(ValueError, match="boxes: 2 rows; wanted 3"):
        world.set_boxes(handles, np.zeros((2, 6)))
    with pytest.raises(ValueError, match="boxes: 2 axes; wanted 3"):
        world.add(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="kind: 'flying'"):
        world.add(np.zeros((2, 6)), kind="flying")
    with pytest.raises(ValueError, match="boxes: row 1 is no box.*NaN"):
        world.set_boxes(handles[:2], [[0, 0, 0, 1, 1, 1], [0, 0, 0, np.nan, 1, 1]])
    with pytest.raises(ValueError):
        world.restore(b"nothing")
    assert len(world) == 3


def test_kernels():
    a, b = scene(60, 3), scene(60, 4)
    rows = [[i, j] for i in range(60) for j in range(0, 60, 7)]
    expected = [oracle.overlap(x, y) for x, y in ((a[i].tolist(), b[j].tolist()) for i, j in rows)]
    assert broadside.overlap(a, b, rows).tolist() == expected
    assert broadside.overlap(a, b).tolist() == [oracle.overlap(x, y) for x, y in zip(a.tolist(), b.tolist())]
    # Closed: two unit boxes with a gap of 2 that close it at 4 a step.
    one, other = np.float32([[0, 0, 0, 1, 1, 1]]), np.float32([[3, 0, 0, 4, 1, 1]])
    t, face = broadside.time_of_impact(one, None, other, [[-4, 0, 0]])
    assert t.tolist() == [0.5] and face.tolist() == [1]
    assert np.isinf(broadside.time_of_impact(one, None, other, [[-1, 0, 0]])[0]).all()
    enter, leave = broadside.ray_boxes([[-1, .5, .5], [-1, 5, 5]], [[2, 0, 0], [2, 0, 0]], np.vstack((one, one)))
    assert enter.tolist() == [0.5, np.inf] and leave.tolist() == [1.0, np.inf]
    with pytest.raises(ValueError, match="pairs: row 1 is .0, 60."):
        broadside.overlap(a, b, [[0, 0], [0, 60]])
    with pytest.raises(TypeError, match="a: dtype float64"):
        broadside.overlap(a.astype(float), b)
    with pytest.raises(ValueError, match="displacements_b: shape"):
        broadside.time_of_impact(one, None, other, [[1, 2]])


@pytest.mark.parametrize("call, error, text", (
    (lambda world, handles: world.set_margin(handles, -1), ValueError, "margin: -1"),
    (lambda world, handles: world.set_margin(handles, float("nan")), ValueError, "margin: nan"),
    (lambda world, handles: world.set_margin(handles, "wide"), TypeError, "margin: 'wide'"),
    (lambda world, handles: world.add(scene(1, 1), margin=-1), ValueError, "margin: -1"),
    (lambda world, handles: world.add(scene(1, 1), category=-1), ValueError, "category: -1"),
    (lambda world, handles: world.add(scene(1, 1), mask=2 ** 64), ValueError, "mask: 18446744073709551616"),
    (lambda world, handles: world.add(scene(1, 1), mask=1.5), TypeError, "mask: 1.5"),
    (lambda world, handles: world.add(scene(1, 1), group=2 ** 31), ValueError, "group: 2147483648"),
    (lambda world, handles: world.add([[0, 0, 0], [1, 1]]), ValueError, "boxes: "),
    (lambda world, handles: world.remove([-1]), ValueError, "handles: row 0 is -1"),
    (lambda world, handles: world.remove([2 ** 64]), ValueError, "handles: row 0 is 18446744073709551616"),
    (lambda world, handles: world.remove(np.array([int(handles[0]), -3])), ValueError, "handles: row 1 is -3"),
    (lambda world, handles: world.restore(None), TypeError, "data: NoneType"),
    (lambda world, handles: world.restore("text"), TypeError, "data: str"),
    (lambda world, handles: world.restore(b"no world"), ValueError, "data: 8 bytes"),
    (lambda world, handles: world.intersects_first([[0, 0, 0]], [[0, 0, 1]], reach=[1, 2]), ValueError, "reach: shape"),
    (lambda world, handles: world.intersects_first([[0, 0, 0]], [[0, 0, 1]], reach="far"), TypeError, "reach: 'far'"),
    (lambda world, handles: world.intersects_first([[0, 0, np.nan]], [[0, 0, 1]]), ValueError, "ray_origins: row 0 is (0.0, 0.0, nan): not finite"),
    (lambda world, handles: world.set_margin(handles, [0, 1, -1]), ValueError, "margin: row 2 is -1"),
    (lambda world, handles: world.set_displacements(handles, [np.inf, 0, 0]), ValueError, "displacements: row 0"),
    (lambda world, handles: world.set_layers_pair(0, 2 ** 16, True), ValueError, "layer_b: 65536"),
    (lambda world, handles: world.pair_values([[handles[0], 77]]), ValueError, "pairs: row 0"),
    (lambda world, handles: world.boxes_overlap([[1, 2, 3]]), ValueError, "pairs: shape (1, 3)"),
    (lambda world, handles: world.objects([handles[0], 5]), ValueError, "handles: row 1 is 5"),
    (lambda world, handles: world.nearest([0, 0, 0], 65), ValueError, "k: 65"),
    (lambda world, handles: world.query(broadside.Rays([0, 0, 0], [1, 0, 0])), TypeError, "shapes: Rays(1)"),
    (lambda world, handles: world.closest_hits(broadside.Spheres([0, 0, 0], 1)), TypeError, "queries: Spheres(1)"),
    (lambda world, handles: broadside.Spheres([[0, 0, 0]], -1), ValueError, "radii: -1"),
    (lambda world, handles: broadside.Obbs([0, 0, 0], np.ones((3, 3)), [1, 1, 1]), ValueError, "axes: row 0"),
    (lambda world, handles: broadside.Where(kinds=["flying"]), ValueError, "kinds: 'flying'"),
    (lambda world, handles: broadside.BoxTree(scene(3, 1)).nearest([[0, 0, 0]], 2 ** 32), ValueError, "k: 4294967296"),
    (lambda world, handles: broadside.BoxTree(scene(3, 1)).nearest([[0, 0, 0]], 1.5), TypeError, "k: 1.5"),
    (lambda world, handles: broadside.BoxTree(scene(3, 1)).nearest([[0, 0, 0]], max_distance="far"), TypeError,
     "max_distance: 'far'"),
    (lambda world, handles: broadside.ray_boxes([[0, 0, 0]], [[0, 0, 1]], scene(1, 1), reach=[1, 2]), ValueError,
     "reach: shape"),
    (lambda world, handles: broadside.set_active_isa(3), ValueError, "name: 3"),
))
def test_errors_begin_with_the_argument(call, error, text):
    world = broadside.World()
    handles = world.add(scene(3, 1))
    with pytest.raises(error) as caught:
        call(world, handles)
    assert str(caught.value).startswith(text)
    assert len(world) == 3


def test_a_single_query_sees_what_few_changes_and_what_many_have_done():
    """Some changes leave the trees to the next single query, others to a batch; the results are those of brute force."""
    rng = np.random.default_rng(5)
    boxes = scene(300, 5)
    world = broadside.World()
    handles = world.add(boxes)
    query_boxes = np.float32([2, 2, 2, 4, 4, 4])
    for step in range(500):
        count = int(rng.choice((1, 1, 1, 3, 64, 65, 300)))
        rows = rng.choice(len(boxes), count, replace=False)
        boxes[rows] = scene(count, 100 + step)
        if count == 1:
            world.set_boxes(handles[rows[0]], boxes[rows[0]])
        else:
            world.set_boxes(handles[rows], boxes[rows])
        if step % 10 == 0:
            world.update()
        if step % 17 == 0:
            world.remove(handles[rows[0]])
            handles[rows[0]] = world.add(boxes[rows[0]])
        if step % 3:
            expected = [handles[i] for _, i in oracle.pairs(query_boxes[None], boxes)]
            assert sorted(world.query(query_boxes).tolist()) == sorted(expected)
            assert world.any(query_boxes) == bool(expected)
