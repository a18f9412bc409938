"""Threads that share worlds, trees and arrays. Each test runs in a process of its own, which must end, and well."""

import collections
import functools
import gc
import multiprocessing
import threading
import time

import numpy as np
import pytest

import broadside
import oracle

SECONDS = 240


def scene(count, seed, dtype=np.float32):
    rng = np.random.default_rng(seed)
    low = rng.random((count, 3)) * 6
    return np.hstack((low, low + rng.random((count, 3)))).astype(dtype)


def in_a_process(test):
    """A crash ends that process alone, and one that waits for ever is a failure."""

    @functools.wraps(test)
    def run(**arguments):
        child = multiprocessing.get_context("fork").Process(target=test, kwargs=arguments)
        child.start()
        child.join(SECONDS)
        is_stuck = child.is_alive()
        if is_stuck:
            child.kill()
            child.join()
        assert not is_stuck, "waits for ever"
        assert child.exitcode == 0, f"ended with {child.exitcode}"

    return run


def at_once(*calls):
    """Runs calls on a thread each, begun together; raises what one of them raised."""
    barrier = threading.Barrier(len(calls))
    errors = []

    def work(call):
        barrier.wait()
        try:
            call()
        except Exception as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=work, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@in_a_process
def test_a_world_that_two_threads_move_and_update():
    world = broadside.World()
    boxes = scene(3000, 1)
    handles = world.add(boxes)

    def move_and_update(seed):
        for step in range(60):
            world.set_boxes(handles, scene(3000, seed + step))
            world.update(workers=1 + step % 3)

    at_once(lambda: move_and_update(100), lambda: move_and_update(500))
    world.set_boxes(handles[:200], boxes[:200])
    world.remove(handles[200:])
    world.update()
    place = {handle: i for i, handle in enumerate(handles.tolist())}
    found = sorted(sorted((place[a], place[b])) for a, b in world.pairs().tolist())
    assert found == [list(pair) for pair in oracle.pairs(boxes[:200])]


@in_a_process
def test_every_call_of_a_world_at_once():
    world = broadside.World()
    fixed = world.add(scene(500, 1), kind="fixed")
    saved = world.save()
    query_boxes = scene(50, 2)
    events = collections.Counter()
    lock = threading.Lock()

    def note(update):
        with lock:
            for pair in update.begun.tolist():
                events[tuple(pair)] += 1
            for pair in update.ended.tolist():
                events[tuple(pair)] -= 1

    def come_and_go(seed):
        for step in range(40):
            handles = world.add(scene(300, seed + step))
            note(world.update())
            world.set_boxes(handles, scene(300, seed + step + 1000))
            world.set_user_data(handles, np.arange(300))
            world.pairs_of(handles[:5])
            world.set_kind(handles, "resting")
            world.set_margin(handles, 0.01)
            assert world.is_alive(handles).all()
            note(world.update(workers=2))
            world.remove(handles)

    def read():
        for _ in range(80):
            rows, found = world.query(query_boxes, workers=2)
            # What never moves is found whatever the others do.
            kept = np.isin(found, fixed)
            assert list(zip(rows[kept].tolist(), found[kept].tolist())) == expected
            world.intersects_first(query_boxes[:, :3], query_boxes[:, 3:])
            assert set(fixed[fixed_of_first].tolist()) <= set(world.query(query_boxes[0]).tolist())
            assert len(world) >= 500 and world.pair_count >= 0 and len(world.pairs()) >= 0
            world.save()

    def restore_another():
        for _ in range(40):
            other = broadside.World()
            at_once(lambda: other.restore(saved), lambda: other.restore(saved), other.update, other.save)
            assert len(other) == 500

    rows, found = world.query(query_boxes)
    expected = list(zip(rows.tolist(), found.tolist()))
    fixed_of_first = np.flatnonzero(np.isin(fixed, world.query(query_boxes[0])))
    at_once(lambda: come_and_go(100), lambda: come_and_go(5000), read, read, restore_another)
    note(world.update())
    # What all updates told, in whatever order, comes to what is there.
    assert {pair for pair, count in events.items() if count} == {tuple(pair) for pair in world.pairs().tolist()}
    assert set(events.values()) <= {0, 1}


@in_a_process
def test_a_writer_comes_in_between_readers():
    world = broadside.World()
    handles = world.add(scene(2000, 1))
    query_boxes = scene(2000, 2)
    is_done = threading.Event()

    def read():
        while not is_done.is_set():
            world.query(query_boxes)

    def write():
        for step in range(50):
            world.set_boxes(handles, scene(2000, step))
        is_done.set()

    at_once(read, read, read, write)


@in_a_process
def test_finalizers_that_call_the_world_wait_for_nobody():
    world = broadside.World()
    handles = world.add(scene(500, 1))
    gc.set_threshold(5, 2, 2)

    class Asks:
        def __init__(self):
            self.circle = self

        def __del__(self):
            world.set_boxes(handles[:1], scene(1, 3))
            assert world.pair_count >= 0

    def work():
        for step in range(100):
            Asks()
            world.set_boxes(handles, scene(500, step))
            world.update()
            world.pairs()
            world.query(scene(5, step))
            [world.query([0, 0, 0, 1, 1, 1]) for _ in range(20)]
            world.nearest([0, 0, 0]), world.intersects_first([0, 0, 0], [1, 1, 1])

    at_once(work, work, work)


@pytest.mark.parametrize("dtype", (np.float32, np.float64, np.int64))
@in_a_process
def test_a_tree_that_threads_ask(dtype):
    boxes = (scene(2000, 1, np.float64) * 100).astype(dtype)
    tree = broadside.BoxTree(boxes)
    query_boxes = boxes[:300]
    expected = tree.query(query_boxes).tolist()

    def read():
        for step in range(20):
            assert tree.query(query_boxes, workers=1 + step % 3).tolist() == expected
            assert tree.any(query_boxes).all()
            tree.find_pairs()
            tree.nearest(boxes[:50, :3], 3)
            tree.intersects_location(boxes[:50, :3], boxes[:50, 3:])
            assert tree.query(query_boxes[0]).tolist() == [j for i, j in zip(*expected) if i == 0]

    at_once(read, read, read, lambda: [broadside.BoxTree(boxes, workers=2) for _ in range(10)])


@in_a_process
def test_instruction_sets_that_change_while_others_call():
    boxes = scene(2000, 1)
    expected = broadside.find_pairs(boxes).tolist()
    world = broadside.World()
    handles = world.add(boxes)
    is_done = threading.Event()

    def change():
        step = 0
        while not is_done.is_set():
            isas = broadside.supported_isas()
            broadside.set_active_isa(isas[step % len(isas)])
            step += 1

    def call():
        for step in range(40):
            algorithm = broadside.ALGORITHMS[step % len(broadside.ALGORITHMS)]
            assert broadside.find_pairs(boxes, algorithm=algorithm).tolist() == expected
            assert broadside.BoxTree(boxes).find_pairs().tolist() == expected
            world.set_boxes(handles, scene(2000, step))
            world.update()
        is_done.set()

    at_once(call, change)


@pytest.mark.parametrize("order", ("rows", "columns"))
@pytest.mark.parametrize("dtype", (np.float32, np.float64, np.int64))
@in_a_process
def test_arrays_that_are_written_while_a_call_reads_them(dtype, order):
    """The results are then of boxes that never were, and must be results."""
    states = [(scene(20000, seed, np.float64) * scale).astype(dtype) for seed, scale in enumerate((1, 10, 1000))]
    boxes = np.array(states[0], order="F" if order == "columns" else "C")
    pairs = np.stack((np.arange(20000, dtype=np.uint32),) * 2, axis=1)
    world = broadside.World()
    handles = world.add(boxes)
    named = handles.copy()
    is_done = threading.Event()

    def write():
        step = 0
        while not is_done.is_set():
            boxes[:] = states[step % len(states)]
            pairs[:] = 0xFFFFFFFF if step % 2 else 0
            named[:] = handles if step % 2 else 0xFFFFFFFFFFFFFFFF
            step += 1

    def call():
        for step in range(40):
            for algorithm in broadside.ALGORITHMS[2:] if step < 5 else ("automatic",):
                broadside.find_pairs(boxes, algorithm=algorithm, invalid="ignore")
            broadside.find_pairs(boxes, boxes[:500], invalid="ignore")
            tree = broadside.BoxTree(boxes, invalid="ignore")
            tree.query(boxes[:500], invalid="ignore")
            world.query(boxes[:500], invalid="ignore")
            tree.ray_distances(boxes[:50, :3], boxes[:50, 3:], invalid="ignore")
            try:
                world.set_boxes(named, boxes, invalid="ignore")
                world.user_data(named)
            except ValueError:
                pass
            if dtype == np.float32:
                try:
                    broadside.overlap(boxes, boxes, pairs, invalid="ignore")
                except ValueError:
                    pass

    def call_and_end():
        try:
            call()
        finally:
            is_done.set()

    at_once(call_and_end, write)


def test_arrays_of_results_stay_what_they_are():
    world = broadside.World()
    boxes = scene(300, 1)
    handles = world.add(boxes)
    update = world.update()
    arrays = [handles, update.begun, update.ended, world.pairs(), *world.query(boxes[:40])]
    tree = broadside.BoxTree(boxes)
    arrays += [tree.query(boxes[:40]), tree.find_pairs(), broadside.find_pairs(boxes)]
    kept = [array.copy() for array in arrays]
    for step in range(10):
        world.set_boxes(handles, scene(300, step))
        world.update()
        broadside.find_pairs(scene(300, step))
    world.remove(handles)
    world.update()
    del world, tree
    broadside.release_memory()
    gc.collect()
    for array, copy in zip(arrays, kept):
        assert np.array_equal(array, copy)


def longest_pause(call):
    """The longest time in which another thread did not run while `call` did, and how long that took."""
    ticks = []
    is_done = threading.Event()

    def tick():
        while not is_done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    time.sleep(0.01)
    begin = time.perf_counter()
    call()
    end = time.perf_counter()
    is_done.set()
    thread.join()
    during = [begin, *(each for each in ticks if begin < each < end), end]
    return max(np.diff(during)), end - begin


def test_other_threads_run_while_a_world_works():
    """Of boxes whose rows take as long as columns; the pause of each call against its own time, at the best of some."""
    low = np.random.default_rng(1).random((400_000, 3), dtype=np.float32) * 300
    boxes = np.hstack((low, low + 1))
    world = broadside.World()
    handles = world.add(boxes)
    calls = {"add": lambda: broadside.World().add(boxes), "set_boxes": lambda: world.set_boxes(handles, boxes),
             "save": world.save, "objects": lambda: world.objects(handles),
             "find_pairs": lambda: broadside.find_pairs(boxes), "query": lambda: world.query(boxes[:20000])}
    for name, call in calls.items():
        shares = [pause / whole for pause, whole in (longest_pause(call) for _ in range(5))]
        assert min(shares) < 0.5, f"{name}: another thread waited for {min(shares):.0%} of the call"
