"""find_pairs against brute force, in every type, shape and layout."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import broadside
import oracle

TYPES = (np.float32, np.float64, np.int32, np.int64)
EDGES = {
    "f": (0.0, -0.0, 1.0, 0.1, 1e15, 1e15 + 0.125, 2.0**53, 2.0**53 + 2, 5e-324, 1e300, -1e300, np.inf, -np.inf, np.nan),
    "i": (0, 1, -1, 2**24, 2**24 + 1, 2**31 - 1, -2**31),
    "l": (2**53, 2**53 + 1, 10**15, 10**15 + 1, 2**63 - 1, -2**63),
}


@st.composite
def boxes(draw, axes=None, dtypes=TYPES, max_count=12):
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    axis_count = axes or draw(st.sampled_from((2, 3)))
    count = draw(st.integers(0, max_count))
    if dtype.kind == "f":
        width = dtype.itemsize * 8
        edges = st.sampled_from([x for x in EDGES["f"] if width == 64 or abs(x) != 1e300 and (np.isnan(x) or np.float32(x) == x)])
        numbers = st.one_of(st.integers(-3, 3).map(float), edges, st.floats(width=width))
    else:
        info = np.iinfo(dtype)
        edges = EDGES["i"] + (EDGES["l"] if dtype.itemsize == 8 else ())
        numbers = st.one_of(st.integers(-3, 3), st.sampled_from(edges), st.integers(int(info.min), int(info.max)))
    array = draw(hnp.arrays(dtype, (count, 2 * axis_count), elements=numbers))
    if draw(st.booleans()):
        low, high = array[:, :axis_count], array[:, axis_count:]
        array = np.hstack((np.minimum(low, high), np.maximum(low, high)))
    return array


@settings(max_examples=300, deadline=None)
@given(boxes(), st.sampled_from(broadside.ALGORITHMS), st.sampled_from((1, 3)))
def test_pairs_are_those_of_brute_force(array, algorithm, workers):
    found = broadside.find_pairs(array, invalid="ignore", algorithm=algorithm, workers=workers)
    assert found.dtype == np.int64 and found.shape[1:] == (2,)
    assert found.tolist() == oracle.pairs(array)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from((2, 3)))
def test_two_sets_of_any_types(data, axes):
    a = data.draw(boxes(axes=axes))
    b = data.draw(boxes(axes=axes))
    wide = [x for x in (a, b) if x.dtype == np.int64]
    mixed = wide and "f" in (a.dtype.kind, b.dtype.kind)
    if a.size and b.size and mixed and (np.abs(wide[0].astype(object)) > 2**53).any():
        with pytest.raises(TypeError, match="beyond 2\\*\\*53"):
            broadside.find_pairs(a, b, invalid="ignore")
        return
    if a.size == 0 or b.size == 0:
        return
    assert broadside.find_pairs(a, b, invalid="ignore").tolist() == oracle.pairs(a, b)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("axes", (2, 3))
def test_layouts_are_the_same_boxes(dtype, axes):
    rng = np.random.default_rng(5)
    low = rng.integers(0, 40, (200, axes))
    array = np.hstack((low, low + rng.integers(0, 9, (200, axes)))).astype(dtype)
    expected = oracle.pairs(array)
    wide = np.zeros((200, 2 * axes + 3), dtype=dtype)
    wide[:, 1:-2] = array
    layouts = (array, np.asfortranarray(array), wide[:, 1:-2], array.repeat(2, axis=0)[::2], array[::-1][::-1],
               (array[:, :axes], array[:, axes:]), (array[:, :axes].copy(), np.asfortranarray(array[:, axes:])),
               array.astype(array.dtype.newbyteorder()), array.tolist(), np.frombuffer(
                   b"x" + array.tobytes(), dtype=dtype, offset=1).reshape(array.shape))
    for layout in layouts:
        assert broadside.find_pairs(layout).tolist() == expected


@pytest.mark.parametrize("dtype", (np.float16, np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64))
def test_narrow_types_become_wide_ones(dtype):
    array = np.array([[0, 0, 0, 2, 2, 2], [2, 2, 2, 3, 3, 3], [4, 0, 0, 5, 1, 1]], dtype=dtype)
    assert broadside.find_pairs(array).tolist() == [[0, 1]]


def test_columns_of_float32_are_read_in_place():
    tracemalloc = pytest.importorskip("tracemalloc")
    columns = np.asfortranarray(np.tile(np.arange(200_000, dtype=np.float32)[:, None], (1, 6)))
    broadside.find_pairs(columns)
    tracemalloc.start()
    broadside.find_pairs(columns)
    assert tracemalloc.get_traced_memory()[1] < 10_000
    tracemalloc.stop()


def test_by_algorithm_order_holds_the_same_pairs():
    rng = np.random.default_rng(6)
    low = rng.random((5000, 3))
    array = np.hstack((low, low + 0.05))
    found = broadside.find_pairs(array, sort=False)
    expected = broadside.find_pairs(array)
    assert sorted(found.tolist()) == expected.tolist() and len(expected) > 1000
    assert broadside.find_pairs(array, workers=-1).tolist() == expected.tolist()


def test_threads_may_call_at_once():
    rng = np.random.default_rng(7)
    low = rng.random((20_000, 3))
    array = np.hstack((low, low + 0.02))
    expected = broadside.find_pairs(array)
    results = []

    def read():
        for _ in range(5):
            results.append(np.array_equal(broadside.find_pairs(array), expected))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 20


@pytest.mark.parametrize("argument, error, words", (
    (np.zeros((3, 5)), ValueError, ("a", "(3, 5)", "(n, 6)")),
    (np.zeros(5), ValueError, ("a", "(5,)")),
    (np.zeros((2, 6), dtype=complex), TypeError, ("a", "complex128")),
    (np.zeros((2, 6), dtype=bool), TypeError, ("a", "bool")),
    (np.array([[0] * 6, [2**63] * 6], dtype=np.uint64), TypeError, ("a", "uint64", "row 1")),
    ([[0] * 6, [0, 0, 0, 1, float("nan"), 1]], ValueError, ("a", "row 1", "NaN", "float64", "(2, 6)")),
    ([[0] * 6, [0, 3, 0, 1, 2, 1]], ValueError, ("a", "row 1", "min above max in y", "int64")),
    ((np.zeros((2, 3)), np.zeros((3, 3))), ValueError, ("(2, 3)", "(3, 3)")),
))
def test_errors_name_what_is_wrong(argument, error, words):
    with pytest.raises(error) as raised:
        broadside.find_pairs(argument)
    for word in words:
        assert word in str(raised.value)


def test_errors_of_settings():
    array = np.zeros((2, 6))
    for bad in ({"workers": 0}, {"workers": 1.5}, {"algorithm": "magic"}, {"invalid": "maybe"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            broadside.find_pairs(array, **bad)
    with pytest.raises(ValueError, match="b: boxes with 2 axes"):
        broadside.find_pairs(array, np.zeros((2, 4)))
    with pytest.raises(ValueError, match="b: row 0"):
        broadside.find_pairs(array, [[1.0, 1, 1, 0, 0, 0]])


def test_every_instruction_set_answers_the_same():
    rng = np.random.default_rng(8)
    low = rng.random((3000, 2)) + 1e6
    array = np.hstack((low, low + 0.02))
    before = broadside.active_isa()
    results = []
    for name in broadside.supported_isas():
        broadside.set_active_isa(name)
        results.append(broadside.find_pairs(array, sort=False).tolist())
    broadside.set_active_isa(before)
    assert all(result == results[0] for result in results)
    with pytest.raises(ValueError, match="avx1024"):
        broadside.set_active_isa("avx1024")
    broadside.release_memory()


def allowed(rules_a, rules_b, i, j):
    """Whether two filters, as dictionaries, let box i of the one set pair with box j of the other."""
    kinds_a, kinds_b = rules_a.get("categories"), rules_b.get("categories")
    masks_a, masks_b = rules_a.get("masks"), rules_b.get("masks")
    full = 2 ** 64 - 1
    category_a, category_b = (full if kinds is None else int(kinds[k]) for kinds, k in ((kinds_a, i), (kinds_b, j)))
    mask_a, mask_b = (full if masks is None else int(masks[k]) for masks, k in ((masks_a, i), (masks_b, j)))
    if not (category_a & mask_b and category_b & mask_a):
        return False
    if "groups" in rules_a and "groups" in rules_b and rules_a["groups"][i] == rules_b["groups"][j] != 0:
        return False
    # A subset that is left out holds all, so that the subset of one set alone forbids nothing.
    if not ("subset" not in rules_a or rules_a["subset"][i]) and not ("subset" not in rules_b or rules_b["subset"][j]):
        return False
    if "ids" in rules_a and "ids" in rules_b and set(np.atleast_1d(rules_a["ids"][i]).tolist()) & set(
            np.atleast_1d(rules_b["ids"][j]).tolist()):
        return False
    return True


def random_rules(rng, count, names):
    made = {"categories": (1 << rng.integers(0, 64, count).astype(np.uint64)), "masks": rng.integers(0, 2 ** 63, count) * (rng.random(count) < 0.7),
            "groups": rng.integers(0, 9, count), "subset": rng.random(count) < 0.3, "ids": rng.integers(0, 40, (count, 3))}
    return {name: made[name] for name in names}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("names", ((), ("masks",), ("categories", "masks"), ("groups",), ("subset",), ("ids",),
                                   ("categories", "masks", "groups", "subset", "ids")), ids="-".join)
def test_filters_forbid_what_their_rules_say(dtype, names):
    rng = np.random.default_rng(len(names))
    low = rng.integers(0, 100, (150, 3))
    own = np.hstack((low, low + rng.integers(0, 60, (150, 3)))).astype(dtype)
    others = own[:80] + dtype(3)
    rules, other_rules = random_rules(rng, 150, names), random_rules(rng, 80, names[:3])
    filters = broadside.BoxFilter(**rules), broadside.BoxFilter(**other_rules)
    unfiltered = broadside.find_pairs(own).tolist()
    expected = [pair for pair in unfiltered if allowed(rules, rules, *pair)]
    assert broadside.find_pairs(own, filter=filters[0], workers=2).tolist() == expected
    assert 0 < len(expected) < len(unfiltered) or not names
    between = broadside.find_pairs(own, others).tolist()
    assert broadside.find_pairs(own, others, filter=filters[0], filter_b=filters[1]).tolist() == [
        pair for pair in between if allowed(rules, other_rules, *pair)]
    assert broadside.find_pairs(own, others, filter_b=filters[1]).tolist() == [
        pair for pair in between if allowed({}, other_rules, *pair)]


def test_filters_that_are_none():
    boxes_of_three = np.tile(np.array([[0.0, 0, 1, 1]]), (3, 1))

    def pairs(**rules):
        return broadside.find_pairs(boxes_of_three, filter=broadside.BoxFilter(**rules)).tolist()

    assert pairs(groups=[1, 0, 1]) == [[0, 1], [1, 2]] and pairs(ids=[1, 2, 1]) == [[0, 1], [1, 2]]
    assert pairs(categories=1, masks=2) == [] and pairs(subset=[True, False, False]) == [[0, 1], [0, 2]]
    assert pairs(masks=2 ** 64 - 1, subset=True) == pairs() == [[0, 1], [0, 2], [1, 2]]
    for rules, message in (({"groups": [1, 2]}, r"^filter\.groups: shape \(2,\)"), ({"masks": -1}, r"^filter\.masks: -1"),
                           ({"subset": [1, 0, 1]}, r"^filter\.subset: dtype int64"),
                           ({"ids": [[1, 2]]}, r"^filter\.ids: shape \(1, 2\)"),
                           ({"categories": 1.5}, r"^filter\.categories: 1\.5; wanted a whole number")):
        with pytest.raises((TypeError, ValueError), match=message):
            pairs(**rules)
    with pytest.raises(TypeError, match="^filter: .*wanted a BoxFilter"):
        broadside.find_pairs(boxes_of_three, filter=[1, 2, 3])
    with pytest.raises(ValueError, match="^filter_b: given, though there is no b"):
        broadside.find_pairs(boxes_of_three, filter_b=broadside.BoxFilter())
