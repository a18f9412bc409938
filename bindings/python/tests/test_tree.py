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
    asked = data.draw(boxes(axes=axes, dtypes=(dtype,)))
    tree = broadside.BoxTree(own, invalid="ignore")
    expected = oracle.pairs(asked, own)
    assert len(tree) == len(own) and tree.dtype == dtype and tree.axis_count == axes
    assert tree.query(asked).T.tolist() == expected
    assert tree.find_pairs().tolist() == oracle.pairs(own)
    counts = np.bincount([i for i, _ in expected], minlength=len(asked))
    assert tree.count(asked).tolist() == counts.tolist()
    assert tree.any(asked, workers=2).tolist() == (counts > 0).tolist()
    ids, rtree_counts = tree.intersection_v(asked[:, :axes], asked[:, axes:])
    assert ids.tolist() == [j for _, j in expected] and rtree_counts.tolist() == counts.tolist()
    points = asked[:, :axes]
    expected_points = oracle.pairs(np.hstack((points, points)), own)
    assert tree.query_points(points).T.tolist() == expected_points
    if len(asked):
        assert tree.query(asked[0]).tolist() == [j for i, j in expected if i == 0]


def test_questions_of_other_types():
    tree = broadside.BoxTree(np.array([[2**53 + 1, 0, 2**53 + 1, 1]]))
    assert tree.query([[2**53 + 1, 0, 2**53 + 2, 0]]).tolist() == [[0], [0]]
    assert tree.query([[2**53 + 2, 0, 2**53 + 2, 0]]).tolist() == [[], []]
    assert tree.query(np.array([[1.0, 0, 2.0, 0]])).tolist() == [[], []]
    with pytest.raises(TypeError, match="boxes: dtype float64.*int64.*row 1"):
        tree.query(np.array([[1.0, 0, 2.0, 0], [1.5, 0, 2, 0]]))
    with pytest.raises(TypeError, match="row 0"):
        tree.query(np.array([[2.0**60, 0, 2.0**60, 0]]))
    with pytest.raises(ValueError, match="3 axes; the tree has 2"):
        tree.query([0] * 6)
    with pytest.raises(TypeError, match="float32"):
        tree.nearest([[0, 0]])
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


def test_an_empty_tree():
    tree = broadside.BoxTree(np.empty((0, 6), dtype=np.float32))
    assert tree.query(np.zeros((2, 6), dtype=np.float32)).shape == (2, 0)
    assert tree.nearest([[0, 0, 0]])[1].tolist() == [-1]
    assert "0 boxes" in repr(tree)
