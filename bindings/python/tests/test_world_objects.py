"""What a world knows of its objects, and their pairs, against brute force."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import broadside
import oracle
from test_world import named, scene

ALL = 2**64 - 1


def drawn(seed, count):
    rng = np.random.default_rng(seed)
    return {
        "kind": rng.choice(broadside.KINDS, count).tolist(),
        "category": rng.integers(1, 8, count, dtype=np.uint64),
        "mask": rng.integers(0, 8, count, dtype=np.uint64),
        "group": rng.integers(-2, 3, count, dtype=np.int32),
        "layer": rng.integers(0, 3, count, dtype=np.uint16),
        "margin": rng.choice(np.float32([0, 0, 0.25, 1]), count),
        "user_data": rng.permutation(count).astype(np.uint64),
        "displacements": rng.choice(np.float32([0, 0, -1, 0.5]), (count, 3)),
    }


def expected_pairs(boxes, fields, forbidden=()):
    """All pairs i < j, by the rules that the page states."""
    low, high = boxes[:, :3].astype(float), boxes[:, 3:].astype(float)
    by, margin = fields["displacements"].astype(float), fields["margin"].astype(float)[:, None]
    low, high = np.minimum(low, low + by) - margin, np.maximum(high, high + by) + margin
    met = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    category, mask, group = fields["category"], fields["mask"], fields["group"]
    agree = ((category[:, None] & mask[None]) != 0) & ((category[None] & mask[:, None]) != 0)
    same = (group[:, None] == group[None]) & (group[:, None] != 0)
    met &= np.where(same, group[:, None] > 0, agree)
    fixed = np.array([kind == "fixed" for kind in fields["kind"]])
    met &= ~(fixed[:, None] & fixed[None])
    for a, b in forbidden:
        is_a, is_b = fields["layer"] == a, fields["layer"] == b
        met &= ~((is_a[:, None] & is_b[None]) | (is_b[:, None] & is_a[None]))
    return np.argwhere(np.triu(met, 1)).tolist()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_every_field_of_every_object_counts(seed):
    rng = np.random.default_rng(seed)
    count = 60
    # Numbers that floats hold, so that sums are exact and nothing is rounded outwards.
    boxes = np.round(scene(count, seed) * 8) / 8
    boxes[:, 3:] = np.maximum(boxes[:, :3], boxes[:, 3:])
    fields = drawn(seed, count)
    world = broadside.World()
    handles = world.add(boxes, **fields)
    rows = world.objects(handles)
    assert np.array_equal(rows["box"], boxes) and np.array_equal(world.boxes(handles), boxes)
    for name in ("category", "mask", "group", "layer", "margin", "user_data"):
        assert np.array_equal(rows[name], fields[name]), name
    assert np.array_equal(rows["displacement"], fields["displacements"])
    assert [broadside.KINDS[kind] for kind in rows["kind"]] == fields["kind"]
    forbidden = [(0, 0), (1, 2)] if seed % 2 else []
    for a, b in forbidden:
        world.set_layers_pair(a, b, False)
        assert not world.layers_pair(b, a)
    world.update()
    assert_pairs(world, handles, expected_pairs(boxes, fields, forbidden), margins=fields["margin"])
    # Everything again, of half of the objects, by the setters.
    other = drawn(seed + 1, count)
    some = rng.permutation(count)[: count // 2]
    for name, values in other.items():
        fields[name] = [values[i] if i in set(some.tolist()) else value for i, value in enumerate(fields[name])] if (
            name == "kind") else np.where(np.isin(np.arange(count), some).reshape((-1,) + (1,) * (values.ndim - 1)), values, fields[name])
    world.set_kind(handles[some], [other["kind"][i] for i in some])
    world.set_filter(handles[some], category=other["category"][some], mask=other["mask"][some])
    world.set_filter(handles[some], group=other["group"][some], layer=other["layer"][some])
    world.set_margin(handles[some], other["margin"][some])
    world.set_user_data(handles[some], other["user_data"][some])
    world.set_displacements(handles[some], other["displacements"][some])
    assert np.array_equal(world.user_data(handles), fields["user_data"])
    update = world.update()
    assert_pairs(world, handles, expected_pairs(boxes, fields, forbidden), margins=fields["margin"])
    assert sorted(world.persisting().tolist() + update.begun.tolist()) == sorted(world.pairs().tolist())
    assert update.path in ("movers", "complete") and update.changed_count > 0
    # One for all.
    world.set_filter(handles, category=ALL, mask=ALL, group=0, layer=7)
    world.set_margin(handles, 0)
    world.set_displacements(handles, [0, 0, 0])
    world.set_kind(handles, "moving")
    world.update()
    assert named(handles, world.pairs()) == oracle.pairs(boxes)


def assert_pairs(world, handles, expected, margins):
    found = named(handles, world.pairs())
    # A grown box is rounded outwards: where margins are, a pair more may be.
    assert [pair for pair in expected if pair not in found] == []
    assert all(margins[a] or margins[b] for a, b in found if [a, b] not in expected)


def test_pairs_of_objects_and_their_values():
    boxes = scene(80, 1)
    world = broadside.World()
    handles = world.add(boxes)
    world.update()
    pairs = world.pairs()
    assert world.pair_values(pairs).tolist() == [0] * len(pairs)
    world.set_pair_values(pairs, np.arange(len(pairs), dtype=np.uint64) + np.uint64(2**63))
    world.set_pair_values(pairs[:1], 7)
    assert world.pair_values(pairs[0]) == 7 and world.pair_values(pairs[:, ::-1])[0] == 7
    rows, others = world.pairs_of(handles)
    place = {handle: i for i, handle in enumerate(handles.tolist())}
    both = [[i, place[h]] for i, h in zip(rows.tolist(), others.tolist())]
    expected = oracle.pairs(boxes)
    assert sorted(both) == sorted(expected + [[j, i] for i, j in expected])
    assert sorted(world.pairs_of(handles[3]).tolist()) == sorted(handles[[j for i, j in both if i == 3]].tolist())
    assert world.boxes_overlap(pairs).all() and not world.boxes_overlap([handles[0], world.add([90, 0, 0, 91, 1, 1])])
    world.set_user_data(handles, np.arange(80))
    gone = handles[:40]
    values = {tuple(pair): value for pair, value in zip(pairs.tolist(), world.pair_values(pairs).tolist())}
    world.remove(gone)
    update = world.update()
    assert [values[tuple(pair)] for pair in update.ended.tolist()] == update.ended_values.tolist()
    assert [[place[a], place[b]] for a, b in update.ended.tolist()] == update.ended_user_data.tolist()
    kept = world.pairs()
    assert world.pair_values(kept).tolist() == [values[tuple(pair)] for pair in kept.tolist()]
    assert sorted(world.persisting().tolist()) == sorted(kept.tolist())
    with pytest.raises(ValueError, match="pairs: row 0 is .* wanted a pair of this world"):
        world.pair_values(update.ended[:2])
    assert len(world.pairs_of(gone)[0]) == 0


def test_a_hash_of_user_data_does_not_depend_on_the_order():
    boxes = scene(100, 2)
    data = np.random.default_rng(1).permutation(1000)[:100]
    worlds = []
    for order in (np.arange(100), np.arange(100)[::-1]):
        world = broadside.World(order="user_data")
        world.add(boxes[order], user_data=data[order])
        world.update()
        worlds.append(world)
    assert worlds[0].pairs_hash() == worlds[1].pairs_hash() != broadside.World().pairs_hash()
    ordered = [world.user_data(world.pairs().reshape(-1)).reshape(-1, 2) for world in worlds]
    assert np.array_equal(*ordered) and ordered[0].tolist() == sorted(ordered[0].tolist())
    found = [world.user_data(world.query([-9, -9, -9, 9, 9, 9])) for world in worlds]
    assert found[0].tolist() == found[1].tolist() == sorted(data.tolist())


def test_invalid_boxes_are_refused_or_quarantined():
    nan = np.array([[0, 0, 0, 1, 1, 1], [np.nan, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]])
    world = broadside.World()
    with pytest.raises(ValueError, match="boxes: row 1 is no box.*NaN.*invalid='ignore'"):
        world.add(nan)
    handles = world.add(nan, invalid="ignore")
    assert world.quarantined().tolist() == [handles[1]] and len(world.update().begun) == 1
    assert sorted(world.handles().tolist()) == sorted(handles.tolist()) and world.handles().dtype == np.uint64
    world.set_boxes(handles[0], [5, 5, 5, 4, 5, 5], invalid="ignore")
    assert world.quarantined().tolist() == handles[:2].tolist() and len(world.update().ended) == 1
    masked = np.ma.masked_array(np.zeros((3, 6)), mask=np.zeros((3, 6)))
    masked[2, 3] = np.ma.masked
    with pytest.raises(ValueError, match="boxes: row 2 is no box.*masked"):
        world.set_boxes(handles, masked)
    world.set_boxes(handles, masked, invalid="ignore")
    assert world.quarantined().tolist() == [handles[2]]


def test_one_object_is_one():
    world = broadside.World()
    one = world.add([0, 0, 0, 1, 1, 1], user_data=9)
    assert one.shape == () and world.is_alive(one) and world.user_data(one) == 9
    assert world.boxes(one).tolist() == [0, 0, 0, 1, 1, 1]
    two = world.add(((1, 1, 1), (2, 2, 2)))
    assert world.update().begun.tolist() == [[one, two]] and world.pairs_of(one).tolist() == [two]
    assert world.bounds().tolist() == [0, 0, 0, 2, 2, 2]
    world.shift_origin([1, 0, 0])
    assert world.bounds().tolist() == [-1, 0, 0, 1, 2, 2]
    world.remove(one)
    assert not world.is_alive(one) and len(world) == 1


def test_limits_of_a_world():
    world = broadside.World(max_objects=2, max_pairs=0)
    world.add(scene(2, 1) * 0)
    with pytest.raises(MemoryError, match="capacity"):
        world.add([0, 0, 0, 1, 1, 1])
    with pytest.raises(MemoryError, match="capacity"):
        world.update()


def test_worlds_are_pickled_and_copied():
    boxes = scene(100, 3)
    world = broadside.World(order="user_data", fixed_objects_pair=True)
    handles = world.add(boxes, kind=["fixed", "moving"] * 50, user_data=np.arange(100)[::-1], layer=3)
    world.set_layers_pair(3, 4, False)
    world.update()
    world.set_pair_values(world.pairs(), 5)
    world.set_boxes(handles[:10], boxes[50:60])
    for again in (pickle.loads(pickle.dumps(world)), copy.deepcopy(world)):
        assert np.array_equal(again.objects(handles), world.objects(handles)) and not again.layers_pair(4, 3)
        assert np.array_equal(again.pairs(), world.pairs()) and (again.pair_values(again.pairs()) == 5).all()
        assert again.handles().tolist() == world.handles().tolist()
        expected = copy.deepcopy(world).update()
        assert np.array_equal(again.update().begun, expected.begun)
        assert again.query(boxes[0]).tolist() == world.query(boxes[0]).tolist()


def test_a_view_stays_as_it_was():
    boxes, later, query_boxes = scene(80, 1), scene(80, 2), scene(40, 3)
    world = broadside.World()
    handles = world.add(boxes, user_data=np.arange(80), kind=["moving", "fixed"] * 40)
    fixed = broadside.Where(kinds=["fixed"])
    view = world.view(workers=2)
    points, ways = query_boxes[:, :3], query_boxes[:, 3:] - 3

    def results(queried, where):
        rays = broadside.Rays(points, ways)
        found = [*queried.query(query_boxes, where=where), queried.any(query_boxes, where=where), *queried.nearest(points, 3, where=where),
                 *queried.closest_hits(rays, where=where), *queried.find_hits(rays, where=where)]
        if where is None:
            found += [*queried.ray_distances(points, ways), queried.query(query_boxes[0]), queried.any(query_boxes[0].tolist()),
                      *queried.nearest(points[0]), *queried.ray_distances(points[0], ways[0])]
        return found

    before = [results(world, where) for where in (None, fixed)]
    world.remove(handles[:40])
    world.set_boxes(handles[40:], later[40:])
    world.add(scene(30, 4))
    world.update()
    for where, expected in zip((None, fixed), before):
        assert all(np.array_equal(one, other) for one, other in zip(results(view, where), expected))
    rows, found = view.query(query_boxes)
    assert [[i, handles.tolist().index(handle)] for i, handle in zip(rows, found.tolist())] == oracle.pairs(query_boxes, boxes)
    assert view.is_alive(handles).all() and not world.is_alive(handles[:40]).any()
    assert np.array_equal(view.boxes(handles), boxes) and view.user_data(handles).tolist() == list(range(80))
    assert view.boxes(handles[3]).tolist() == boxes[3].tolist()
    for call in (view.boxes, view.user_data):
        with pytest.raises(ValueError, match="^handles: row 1 is 99; wanted an object of this world"):
            call([int(handles[0]), 99])
    now = world.view()
    assert np.array_equal(now.query(query_boxes)[1], world.query(query_boxes)[1]) and not np.array_equal(now.query(query_boxes)[1], found)
    del world
    assert np.array_equal(view.query(query_boxes)[1], found)
    assert broadside.World().view().query(query_boxes)[0].tolist() == []
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(view)
