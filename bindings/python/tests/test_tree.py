"""BoxTree against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import broadside
import oracle
from test_pairs import TYPES, boxes


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from((2, 3)), st.sampled_from(TYPES))
def test_queries_are_those_of_brute_force(data, axes, dtype):
    own = data.draw(boxes(axes=axes, dtypes=(dtype,)))
    query_boxes = data.draw(boxes(axes=axes, dtypes=(dtype,)))
    tree = broadside.BoxTree(own, invalid="ignore")
    expected = oracle.pairs(query_boxes, own)
    assert len(tree) == len(own) and tree.dtype == dtype and tree.axis_count == axes
    assert tree.query(query_boxes, invalid="ignore").T.tolist() == expected
    assert tree.find_pairs().tolist() == oracle.pairs(own)
    counts = np.bincount([i for i, _ in expected], minlength=len(query_boxes))
    assert tree.count(query_boxes, invalid="ignore").tolist() == counts.tolist()
    assert tree.any(query_boxes, workers=2, invalid="ignore").tolist() == (counts > 0).tolist()
    ids, rtree_counts = tree.intersection_v(query_boxes[:, :axes], query_boxes[:, axes:], invalid="ignore")
    assert ids.tolist() == [j for _, j in expected] and rtree_counts.tolist() == counts.tolist()
    points = query_boxes[:, :axes]
    expected_points = oracle.pairs(np.hstack((points, points)), own)
    assert tree.query_points(points, invalid="ignore").T.tolist() == expected_points
    if len(query_boxes):
        assert tree.query(query_boxes[0], invalid="ignore").tolist() == [j for i, j in expected if i == 0]


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from((2, 3)), st.sampled_from(TYPES), st.sampled_from(TYPES))
def test_queries_of_other_types_are_decided_exactly(data, axes, dtype, query_dtype):
    own = data.draw(boxes(axes=axes, dtypes=(dtype,)))
    query_boxes = data.draw(boxes(axes=axes, dtypes=(query_dtype,)))
    tree = broadside.BoxTree(own, invalid="ignore")
    expected = oracle.pairs(query_boxes, own)
    assert tree.query(query_boxes, invalid="ignore").T.tolist() == expected
    assert tree.any(query_boxes, invalid="ignore").tolist() == [any(i == row for i, _ in expected) for row in range(len(query_boxes))]
    for row, box in enumerate(query_boxes):
        found = [j for i, j in expected if i == row]
        for one in (box, box.tolist(), tuple(box.tolist())):
            if not oracle.valid(box.tolist()):
                with pytest.raises(ValueError, match="boxes: row 0 is no box"):
                    tree.query(one)
                continue
            assert tree.query(one).tolist() == found
            assert tree.count(one) == len(found) and tree.any(one) == bool(found)


def test_numbers_that_no_other_type_holds():
    tree = broadside.BoxTree(np.array([[2**53 + 1, 0, 2**53 + 1, 1]]))
    assert tree.query([[2**53 + 1, 0, 2**53 + 2, 0]]).tolist() == [[0], [0]]
    assert tree.query([[2**53 + 2, 0, 2**53 + 2, 0]]).tolist() == [[], []]
    assert tree.query(np.array([[2.0**60, 0, 2.0**60, 0]])).tolist() == [[], []]
    assert broadside.BoxTree(np.float32([[0.1, 0, 0.2, 1]])).query([0.1, 0.5, 0.1, 0.5]).tolist() == []
    whole = broadside.BoxTree(np.array([[0, 0, 1, 1], [1, 1, 2, 2]]))
    assert whole.query([0.5, 0.5, 0.5, 0.5]).tolist() == [0] and whole.query([-9e99, 0, 9e99, 1]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="boxes: 3 axes; wanted 2"):
        tree.query([0] * 6)
    with pytest.raises(ValueError, match="boxes: row 1 is no box"):
        broadside.BoxTree(np.array([[0.0, 0, 1, 1], [2, 2, 1, 1]]))


def solid(count, axes, seed):
    rng = np.random.default_rng(seed)
    low = rng.random((count, axes)).astype(np.float32) * 10
    return np.hstack((low, low + rng.random((count, axes)).astype(np.float32)))


@pytest.mark.parametrize("axes", (2, 3))
def test_nearest_as_brute_force(axes):
    own = solid(200, axes, 1)
    points = np.random.default_rng(2).random((50, axes)).astype(np.float32) * 12 - 1
    tree = broadside.BoxTree(own)
    low, high = own[:, :axes].astype(float), own[:, axes:].astype(float)
    p = points[:, None, :].astype(float)
    distances = np.sqrt((np.maximum(np.maximum(low - p, p - high), 0) ** 2).sum(axis=2))
    expected = np.sort(distances, axis=1)
    found, indices = tree.nearest(points, 4)
    np.testing.assert_allclose(found, expected[:, :4], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(distances, indices, axis=1), found, rtol=1e-6, atol=1e-6)
    one, index = tree.nearest(points, max_distance=0.25)
    assert ((index == -1) == (expected[:, 0] > 0.25)).all() and np.isinf(one[index == -1]).all()


@pytest.mark.parametrize("axes", (2, 3))
def test_rays_as_brute_force(axes):
    own = solid(150, axes, 3)
    rng = np.random.default_rng(4)
    origins = (rng.random((80, axes)) * 14 - 2).astype(np.float32)
    directions = rng.normal(size=(80, axes)).astype(np.float32)
    tree = broadside.BoxTree(own)
    with np.errstate(divide="ignore", invalid="ignore"):
        t1 = (own[None, :, :axes].astype(float) - origins[:, None]) / directions[:, None]
        t2 = (own[None, :, axes:].astype(float) - origins[:, None]) / directions[:, None]
    enter = np.maximum(np.minimum(t1, t2).max(axis=2), 0)
    hits = enter <= np.maximum(t1, t2).min(axis=2)
    assert tree.intersects_any(origins, directions).tolist() == hits.any(axis=1).tolist()
    first = tree.intersects_first(origins, directions)
    t, box = tree.ray_distances(origins, directions)
    assert (first == box).all() and ((first == -1) == ~hits.any(axis=1)).all()
    expected = np.where(hits, enter, np.inf).min(axis=1)
    np.testing.assert_allclose(t[first >= 0], expected[first >= 0], rtol=1e-5, atol=1e-5)
    places, rays, boxes_hit = tree.intersects_location(origins, directions)
    assert sorted(zip(rays.tolist(), boxes_hit.tolist())) == [tuple(x) for x in np.argwhere(hits).tolist()]
    slack = 1e-4
    assert (places >= own[boxes_hit, :axes] - slack).all() and (places <= own[boxes_hit, axes:] + slack).all()
    ids, rays_one = tree.intersects_id(origins, directions, multiple_hits=False)
    assert ids.tolist() == first[first >= 0].tolist() and rays_one.tolist() == np.flatnonzero(first >= 0).tolist()
    assert not tree.intersects_any(origins, directions, reach=-1).any()


@pytest.mark.parametrize("axes", (2, 3))
def test_close_pairs_as_brute_force(axes):
    own, other = solid(120, axes, 5), solid(70, axes, 6)
    own[:, :axes] *= 3
    own[:, axes:] = own[:, :axes] + 0.5
    own[7], own[9] = np.nan, own[8]
    tree, with_tree = broadside.BoxTree(own, invalid="ignore"), broadside.BoxTree(other)

    def distances(a, b):
        low, high = np.maximum(a[:, None, :axes], b[None, :, :axes]), np.minimum(a[:, None, axes:], b[None, :, axes:])
        return np.linalg.norm(np.maximum(low.astype(float) - high, 0), axis=2)

    for against, b in ((None, own), (with_tree, other), (tree, own)):
        expected = distances(own, b)
        if against is None:
            expected[np.tril_indices(len(own))] = np.nan
        for reach in (0, 0.4, 2.5):
            pairs, found = tree.find_close_pairs(reach, against)
            assert pairs.tolist() == np.argwhere(expected <= reach).tolist() and pairs.dtype == np.int64
            exact = expected[tuple(pairs.T)]
            assert found.dtype == np.float32 and (found >= exact).all()
            np.testing.assert_allclose(found, exact, rtol=1e-6)
        assert len(pairs) > 30
        least = np.nanmin(expected)
        distance, pair = tree.closest_pair(against)
        assert pair.tolist() == np.argwhere(expected == least)[0].tolist() and abs(distance - least) <= 1e-6
    apart = broadside.BoxTree(own[:3] + np.float32(99))
    distance, pair = apart.closest_pair(with_tree, max_distance=1)
    assert distance == np.inf and pair.tolist() == [-1, -1]
    far = distances(own[:3] + np.float32(99), other)
    assert apart.closest_pair(with_tree)[1].tolist() == list(np.unravel_index(far.argmin(), far.shape))
    assert np.array_equal(apart.find_close_pairs(np.inf, with_tree)[0], np.argwhere(far < np.inf))


def test_errors_of_close_pairs():
    tree, doubles = broadside.BoxTree(solid(3, 3, 1)), broadside.BoxTree(solid(3, 3, 1).astype(float))
    for call, error, text in (
            (lambda: tree.find_close_pairs(-1), ValueError, "max_distance: -1"),
            (lambda: tree.find_close_pairs(np.nan), ValueError, "max_distance: nan"),
            (lambda: tree.closest_pair(3), TypeError, "other: int; wanted a BoxTree"),
            (lambda: tree.closest_pair(broadside.BoxTree(solid(3, 2, 1))), ValueError, "other: 2 axes; wanted 3"),
            (lambda: doubles.closest_pair(), TypeError, "closest_pair: the tree is of float64"),
            (lambda: tree.find_close_pairs(1, doubles), TypeError, "find_close_pairs: the tree is of float64")):
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value).startswith(text)


def test_an_empty_tree():
    tree = broadside.BoxTree(np.empty((0, 6), dtype=np.float32))
    assert tree.query(np.zeros((2, 6), dtype=np.float32)).shape == (2, 0)
    assert tree.nearest([[0, 0, 0]])[1].tolist() == [-1]
    assert "0 boxes" in repr(tree)
